"""Strict mode: every implicit act is found, whatever operation does it, and only those that are implicit."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import (
    DTypeError,
    ImplicitActWarning,
    ShapeError,
    StrictDTypeError,
    StrictError,
    StrictShapeError,
    ValueRangeError,
)
from weft.modes.implicit_conversions import ACTS
from weft.tensors import pending_limits
from weft.tensors.tensor import node_of


def scope() -> dict[str, Any]:
    """Operands of different dtypes, shapes, byte orders and domains."""
    return {
        "weft": weft,
        "np": np,
        "i": weft.asarray([1, 2, 3], dtype=weft.int16),
        "f": weft.asarray([1.0, 2.0, 3.0], dtype=weft.float32),
        "g": weft.ones(3, dtype=weft.float32),
        "d": weft.asarray([1.0, 2.0, 3.0]),
        "m": weft.ones((3, 3)),
        "row": weft.ones((1, 3)),
        "big": weft.asarray(np.array([1.0, 2.0, 3.0], ">f8")),
        "far": weft.translate(weft.ones(3), (5,)),
        "strided": weft.asarray(np.arange(10.0).reshape(2, 5))[:, ::2],
        "h": weft.asarray([1, 2, 3], dtype=weft.int8),
        "b": weft.asarray([True, False, True]),
        "zero": weft.asarray(1.0),
    }


def acts_of(line: str) -> set[str]:
    """The acts of a statement."""
    names = scope()
    with weft.strict("allow") as report:
        exec(line, names)
    return {f"{a.op} {a.act}" for a in report}


FOUND = {
    "i + 3.2": {"add dtype"}, "3.2 * i": {"multiply dtype"}, "i + 3": set(), "f + 3.2": set(), "f ** 2": set(),
    "d + 1": set(), "i + 1j": {"add dtype"}, "f + 1j": {"add dtype"},
    "i + f": {"add dtype"}, "i + h": {"add dtype"}, "h + h": set(), "i < 2.5": {"less dtype"}, "i == 2": set(),
    "i / i": {"divide dtype"}, "weft.sqrt(i)": {"sqrt dtype"}, "weft.sqrt(f)": set(), "-i": set(), "abs(h)": set(),
    "weft.where(b, i, 2.5)": {"where dtype"}, "weft.where(b, f, 2.5)": set(), "weft.where(b, 1, 2)": set(),
    "weft.stack([i, d])": {"concat dtype"}, "weft.interleave([d, i])": {"interleave dtype"},
    "weft.concat([i, d])": {"concat dtype"}, "weft.stack([i, i])": set(), "weft.concat([d, d])": set(),
    "i @ d": {"matmul dtype"}, "d @ d": set(), "m @ d": set(), "weft.matmul(m, f)": {"matmul dtype"},
    "m + d": {"add broadcast"}, "m + row": {"add broadcast"}, "m + 1": set(), "m + zero": set(),
    "d + weft.asarray([1.0])": {"add broadcast"}, "weft.where(b, m, d)": {"where broadcast"},
    "weft.ones((2, 3, 4)) @ weft.ones((1, 4, 5))": {"matmul broadcast"},
    "weft.ones((2, 3, 4)) @ weft.ones((4, 5))": set(),
    "big + 1": {"add byteorder"}, "big + d": {"add byteorder"}, "weft.sum(big)": {"sum byteorder"},
    "weft.copy(big)": set(), "weft.astype(big, weft.float32)": set(), "big[::2]": set(), "big.T": set(),
    "weft.concat([big, d])": {"concat byteorder"}, "weft.cumulative_sum(big)": {"cumulative_sum byteorder"},
    "d + far": {"add domain"}, "far + far": set(), "far + 1": set(), "far[1:] + d[1:]": set(),
    "p = weft.placeholder(3); weft.computation(p + 1, p)(f)": {"computation dtype"},
    "i.astype(weft.float16, mode='saturate')": set(), "big.astype(weft.int8, mode='wrap')": set(),
    "big.astype(weft.int8, mode='saturate')": set(), "f.astype(weft.int8, mode='exact')": set(),
    "i.astype(weft.int8, mode='error')": set(), "weft.asarray(big, dtype=weft.int8)": set(),
    "weft.reshape(strided, (6,))": {"reshape copy"}, "strided.reshape(6)": {"reshape copy"},
    "weft.reshape(strided, (6,), copy=True)": set(), "weft.reshape(m, (9,))": set(),
    "weft.reshape(strided, (2, 3, 1))": set(),
    "weft.astype(i, weft.float64) + 3.2": set(), "weft.asarray(i, dtype=weft.float64) + d": set(),
    "weft.sum(i)": set(), "weft.sum(i, dtype=weft.float64)": set(), "weft.mean(i)": {"mean dtype"},
    "weft.max(i)": set(), "weft.argmax(d)": set(), "weft.cumulative_sum(i, dtype=weft.int64)": set(),
    "i[0] = 5": set(), "i[0] = h[0]": {"setitem dtype"},
    "f[0] = d[0]": {"setitem dtype"}, "m[...] = d": {"setitem broadcast"}, "m[0] = 1.0": set(), "m[0] = d": set(),
    "big[...] = d": {"setitem byteorder"}, "d[...] = big": {"setitem byteorder"}, "big[...] = big * 1": {
        "multiply byteorder", "setitem byteorder"}, "big[:2] = big[1:]": set(),
    "f[[0, 1]] = d[:2]": {"setitem dtype"}, "f[b] = 2.0": set(),
    "h += i": {"add dtype"}, "d += 1": set(), "d /= 2": set(), "m += d": {"add broadcast"}, "f += d": {"add dtype"},
    "big += 1": {"add byteorder"}, "weft.assign(weft.concat([f, g]), weft.ones(6))": {"assign dtype"},
    "weft.add(d, d, out=f)": {"add dtype"}, "weft.add(f, f, out=f)": set(),
    "weft.take(d, h - 1)": set(), "d[h - 1]": set(), "d[b]": set(),
    "weft.clip(i, 1, 2)": set(), "weft.clip(i, 1.5, 2.5)": {"maximum dtype"},
    "weft.zeros(3)": set(), "weft.linspace(0, 1, 5)": set(), "weft.arange(3) + i": {"add dtype"},
    "weft.random.uniform(3, seed=1)": set(), "weft.random.normal(3, seed=1, dtype=weft.float32)": set(),
    "weft.random.normal(3, seed=1, mean=d)": set(), "weft.eye(3)": set(), "weft.std(m, axis=0)": set(),
    "weft.sqrt(i, mode='error')": {"sqrt dtype"}, "weft.divide(m, d, mode='error')": {"divide broadcast"},
    "weft.broadcast_to(d, (3, 3)) + m": set(), "repr(i)": set(), "i.tolist()": set(),
}  # fmt: skip


@for_each("line", FOUND)
def test_the_acts_of_a_line_are_those_listed(line: str) -> None:
    assert acts_of(line) == FOUND[line]


@for_each("line", [line for line, acts in FOUND.items() if acts])
def test_what_is_forbidden_raises_and_changes_nothing(line: str) -> None:
    names = scope()
    before = {k: v.tolist() for k, v in names.items() if isinstance(v, weft.Tensor)}
    with weft.strict(), pytest.raises(StrictError) as raised:
        exec(line, names)
    (first, *_) = acts_of(line)
    assert any(str(raised.value).startswith(f"{a.split()[0]}: ") for a in FOUND[line]), first
    assert {k: names[k].tolist() for k in before} == before


@for_each("line", [line for line, acts in FOUND.items() if not acts])
def test_what_is_explicit_passes(line: str) -> None:
    names = scope()
    with weft.strict() as report:
        exec(line, names)
    assert list(report) == []


def test_eager_and_lazy_find_the_same():
    for line in ("i + 3.2", "m + d", "h += i", "weft.concat([i, d])", "big + 1", "d + far"):
        with weft.eager():
            assert acts_of(line) == FOUND[line]


# ---- what it says


@pytest.mark.parametrize(("line", "kind", "says"), [
    ("i + 3.2", StrictDTypeError, "add: int16 beside 3.2; 3.2 needs float64, so int16 of shape (3,) would be cast; "
     "write astype(weft.float64), or allow dtype"),
    ("i + f", StrictDTypeError, "add: int16 beside float32; they meet in float32, so int16 of shape (3,) would be "
     "cast; write astype(weft.float32), or allow dtype"),
    ("weft.where(b, f, i)", StrictDTypeError, "where: int16 beside float32; they meet in float32, so int16 of shape "
     "(3,) would be cast; write astype(weft.float32), or allow dtype"),
    ("weft.sqrt(i)", StrictDTypeError, "sqrt: int16; it computes in float64, so int16 of shape (3,) would be cast; "
     "write astype(weft.float64), or allow dtype"),
    ("f[0] = d[0]", StrictDTypeError, "setitem: float64 into float32 cells; float64 of shape () would be cast back; "
     "write astype(weft.float32), or allow dtype"),
    ("m + d", StrictShapeError, "add: shapes (3, 3) and (3,) differ, so float64 of shape (3,) would be broadcast; "
     "write broadcast_to(x, (3, 3)), or allow broadcast"),
    ("m[...] = d", StrictShapeError, "setitem: a value of shape (3,) into cells of shape (3, 3); it would be "
     "broadcast; write broadcast_to(x, (3, 3)), or allow broadcast"),
    ("d + far", StrictShapeError, "add: float64 of shape (3,) starts at (5,), the result at (0,), so cells pair by "
     "position; write translate or align, or allow domain"),
    ("big + 1", StrictError, "add: float64 of shape (3,) is big-endian, so its bytes would be swapped on every "
     "reading; write copy(x) once, which is native, or allow byteorder"),
    ("big[...] = d", StrictError, "setitem: a native value into big-endian cells of float64; its bytes would be "
     "swapped; keep native cells, or allow byteorder"),
    ("weft.reshape(strided, (6,))", StrictError, "reshape: cells of shape (2, 3) with strides (40, 16) have no view of "
     "shape (6,); a copy is made; pass copy=True, or allow copy"),
])  # fmt: skip
def test_messages(line: str, kind: type, says: str) -> None:
    with weft.strict(), pytest.raises(kind) as raised:
        exec(line, scope())
    assert str(raised.value) == says and type(raised.value) is kind
    assert issubclass(StrictDTypeError, DTypeError) and issubclass(StrictShapeError, ShapeError)


def test_the_report_names_lines():
    x = weft.asarray([1, 2], dtype=weft.int16)
    with weft.strict("allow") as report:
        x + 3.2
        x[:1] = weft.asarray([7])
    assert [(a.op, a.act) for a in report] == [("add", "dtype"), ("setitem", "dtype")]
    first, second = (int(a.line.rpartition(":")[2]) for a in report)
    assert second == first + 1 and all(a.line.startswith(__file__) for a in report)
    assert str(report).splitlines()[0] == f"{report[0].line}: dtype: {report[0]}"


def test_acts_inside_functions_are_reported_at_the_users_line():
    v, i = weft.ones(3), weft.arange(3)
    with weft.strict("allow") as report:
        weft.vecdot(v, i)
        weft.linalg.cross(v, i)
    assert report and all(a.line.startswith(__file__) for a in report)
    with weft.math_mode("error"), pytest.raises(ZeroDivisionError, match=f"built at {__file__}"):
        weft.nanmean(weft.asarray([float("nan")])).item()


def test_a_tensor_tells_of_what_is_pending():
    i, d = weft.asarray([1, 2], dtype=weft.int16), weft.ones((3, 2))
    y = weft.sqrt(i + d) * weft.astype(i, weft.float64)
    assert [(a.op, a.act) for a in weft.implicit_acts(y)] == [
        ("add", "dtype"), ("add", "broadcast"), ("multiply", "broadcast"),
    ]  # fmt: skip
    y.realize()
    assert weft.implicit_acts(y) == []


# ---- where it holds


def test_some_acts():
    names = scope()
    with weft.strict(dtype="forbid", broadcast="warn"):
        with pytest.warns(ImplicitActWarning, match="shapes"):
            exec("m + d", names)
        with pytest.raises(StrictDTypeError):
            exec("i + 3.2", names)
        exec("big + 1", names)


def test_blocks_nest_and_restore():
    i = weft.asarray([1], dtype=weft.int16)
    with weft.strict() as outer:
        with weft.strict(dtype="allow") as inner:
            i + 1.5
            with pytest.raises(StrictShapeError):
                weft.ones((2, 2)) + weft.ones(2)
        with pytest.raises(StrictDTypeError):
            i + 1.5
    assert [a.act for a in inner] == ["dtype", "broadcast"] and [a.act for a in outer] == [
        "dtype",
        "broadcast",
        "dtype",
    ]
    i + 1.5
    assert pending_limits.Limits.watcher is None and pending_limits.Limits.depth == pending_limits.SMALL_DEPTH


def test_blocks_are_of_a_thread_and_the_setting_of_all():
    def work() -> None:
        try:
            weft.asarray([1], dtype=weft.int16) + 1.5
            seen.append("fine")
        except StrictDTypeError:
            seen.append("refused")

    seen: list[str] = []
    with weft.strict():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    weft.set_strict(dtype="forbid")
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        with weft.strict("allow"):
            work()
    finally:
        weft.set_strict("allow")
    work()
    assert seen == ["fine", "refused", "fine", "fine"] and pending_limits.Limits.watcher is None


def test_warnings_follow_the_filters():
    i = weft.asarray([1], dtype=weft.int16)
    with warnings.catch_warnings(record=True) as seen, weft.strict("warn"):
        warnings.simplefilter("default")
        for _ in range(3):
            i + 1.5
        i + 2.5
    assert [w.category for w in seen] == [ImplicitActWarning] * 2 and seen[0].filename == __file__


def test_unknown_acts_and_verdicts():
    with pytest.raises(ValueRangeError, match=f"strict: 'casts' is no implicit act; acts are {', '.join(ACTS)}"):
        weft.strict(casts="forbid")
    with pytest.raises(ValueRangeError, match="set_strict: 'never'; an act is one of allow, warn, forbid"):
        weft.set_strict(dtype="never")


def test_functions_of_several_steps_may_broadcast_their_own():
    x = weft.asarray(np.arange(12.0).reshape(3, 4))
    with weft.strict() as report:
        weft.var(x, axis=0), weft.std(x), weft.vecdot(x, x), weft.diff(x), weft.tensordot(x, x)
        weft.unique_values(x), weft.isin(x, x), weft.sort(x), weft.cumulative_prod(x, axis=1)
    assert report == []


def test_operands_on_several_devices():
    there = weft.device("thread", 0)
    x, y = weft.ones(3, device=there), weft.ones(3)
    with weft.strict(device="forbid"):
        with pytest.raises(StrictError, match=r"add: float64 of shape .3,. lies on cpu, the first operand on thread"):
            x + y
        x + y.to_device(there)
        x + 1
        x += 1
        weft.take(x, weft.asarray([0])), weft.repeat(x, weft.asarray([1, 2, 0]))  # indices follow what they index


def test_values_written_to_another_device():
    there = weft.device("thread", 0)
    x, y = weft.ones(3, device=there), weft.zeros(3)
    with weft.strict("allow") as report:
        y[...] = x
        x[[0, 1]] = y[:2]
        x[0] = 5.0
        weft.assign(weft.concat([y, weft.zeros(1)[:0]]), x)
        weft.add(y, 1, out=x)
    assert [str(a) for a in report] == [
        "setitem: float64 of shape (3,) lies on thread:0, the cells on cpu, so it would be moved there",
        "setitem: float64 of shape (2,) lies on cpu, the cells on thread:0, so it would be moved there",
        "assign: float64 of shape (3,) lies on thread:0, the cells on cpu, so it would be moved there",
        "add: float64 of shape (3,) lies on cpu, the cells on thread:0, so it would be moved there",
    ]


def test_strict_mode_keeps_no_old_version_alive():
    a, b = weft.array(np.zeros(1 << 12)), weft.array(np.zeros(1 << 12))
    before = [node_of(x).value.ctypes.data for x in (a, b)]
    with weft.strict():
        weft.assign(weft.interleave([a, b]), 1.0)
    assert [node_of(x).value.ctypes.data for x in (a, b)] == before


def test_an_operand_is_reported_once():
    i = weft.asarray([1, 2], dtype=weft.int16)
    with weft.strict("allow") as report:
        i / i
    assert [a.op for a in report] == ["divide"]


def test_values_written_to_another_device_are_forbidden():
    there = weft.device("thread", 0)
    x, y = weft.ones(3, device=there), weft.zeros(3)
    with weft.strict(device="forbid"), pytest.raises(StrictError):
        y[...] = x


# ---- what no expression shows

WHOLE, HALF = weft.asarray([1, 0, 3], dtype=weft.int16), weft.asarray([1.0, 0.0, 2.0], dtype=weft.float16)
FOREIGN = weft.asarray([1.0, 0.0, 2.0], dtype=">f4")
AWAY = weft.asarray([1.0, 2.0], dtype=weft.float16, device="thread:0")
HIDDEN = {
    "isin": (lambda: weft.isin(WHOLE, HALF), ["dtype: isin: int16 beside float16; they meet in float32, so int16 of",
                                              "dtype: isin: float16 beside int16; they meet in float32, so float16"]),
    "isin of numbers": (lambda: weft.isin(WHOLE, 3), []),
    "isin elsewhere": (lambda: weft.isin(HALF, AWAY), ["device: isin: float16 of shape (2,) lies on thread:0"]),
    "isin, foreign": (lambda: weft.isin(FOREIGN, FOREIGN), ["byteorder: isin: float32 of shape (3,) is"] * 2),
    "and": (lambda: weft.logical_and(HALF, WHOLE == 1), ["dtype: logical_and: float16; it computes in bool"]),
    "or": (lambda: weft.logical_or(WHOLE == 1, 5), []),
    "not": (lambda: weft.logical_not(FOREIGN), ["dtype: logical_not: float32; it computes in bool, so float32 of",
                                                "byteorder: logical_not: float32 of shape (3,) is big-endian"]),
    "unique": (lambda: weft.unique_counts(FOREIGN), ["byteorder: unique: float32 of shape (3,) is big-endian"]),
    "unique values": (lambda: weft.unique_values(FOREIGN), ["byteorder: unique: float32 of shape (3,) is big-endian"]),
    "nonzero": (lambda: weft.nonzero(FOREIGN), ["byteorder: nonzero: float32 of shape (3,) is big-endian"]),
    "inv": (lambda: weft.linalg.inv(weft.asarray([[2]])), ["dtype: inv: int64; it computes in float64, so int64 of"]),
    "softmax": (lambda: weft.nn.softmax(WHOLE), ["dtype: softmax: int16; it computes in float64, so int16"]),
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_operands_read_or_converted_at_once_are_reported(name):
    function, expected = HIDDEN[name]
    with weft.strict("allow") as report:
        function()
    assert [f"{a.act}: {a}"[: len(e)] for a, e in zip(report, expected, strict=True)] == expected
    assert all(a.line.startswith(__file__) for a in report)
    for act in {a.act for a in report}:
        with weft.strict("allow", **{act: "forbid"}), pytest.raises(StrictError, match=f"or allow {act}"):
            function()
