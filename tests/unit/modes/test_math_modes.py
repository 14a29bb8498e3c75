"""Math modes: values outside a domain are found, named and left alone, by all transformers and readers."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft.errors import (
    ConversionError,
    DivisionByZero,
    DomainError,
    ImaginaryPartWarning,
    MathError,
    MathWarning,
    ValueRangeError,
)
from weft.ir.graph.ops import PARTIAL
from weft.ir.graph.undefined import CHECKS
from weft.passes.switches import PASSES
from weft.runtime.compute.checked_values import CHECKED

REALS = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int64", "uint8", "uint64")
COMPLEX = ("complex32", "complex64", "complex128")
NUMBERS = [0.0, 1.0, 2.5, -1.0, -0.0, -2.0, 0.5, -0.5, -3.0, 7.0]
OUTSIDE = {  # of one operand; NaN is outside of nothing
    "sqrt": lambda x: x < 0, "log": lambda x: x < 0, "log2": lambda x: x < 0, "log10": lambda x: x < 0,
    "log1p": lambda x: x < -1, "asin": lambda x: abs(x) > 1, "acos": lambda x: abs(x) > 1,
    "atanh": lambda x: abs(x) > 1, "acosh": lambda x: x < 1, "reciprocal": lambda x: x == 0,
}  # fmt: skip
DIVISIONS = ("divide", "floor_divide", "remainder", "trunc_divide", "fmod")


def number(dtype: str, values: list[float]) -> weft.Tensor:
    """Values as cells of a dtype, those that it has not left out."""
    d = getattr(weft, dtype)
    if d.kind == "uint":
        values = [abs(v) for v in values]
    return weft.astype(weft.asarray(values), d)


def first_bad(bad: list[bool]) -> int | None:
    return bad.index(True) if True in bad else None


def raised(x: weft.Tensor) -> MathError | None:
    """The error of looking at a tensor."""
    try:
        x.numpy()
    except MathError as error:
        return error
    return None


def test_every_partial_function_has_checks():
    assert set(CHECKS) - {"astype"} == PARTIAL


@pytest.mark.parametrize(("name", "dtype", "transformer"), in_turn(OUTSIDE, REALS, ["cpu", "reference"], every=6))
def test_the_first_cell_outside_is_named(name: str, dtype: str, transformer: str) -> None:
    x = number(dtype, [*NUMBERS, *NUMBERS[::-1]])
    if x.dtype.kind == "float":
        x[0] = weft.nan
    at = first_bad([OUTSIDE[name](v) for v in x.tolist()])
    with weft.transformer(transformer), weft.math_mode("error"):
        y = getattr(weft, name)(weft.reshape(x, (4, 5)))
        error = raised(y)
    if at is None:
        assert error is None
    else:
        assert f"at ({at // 5}, {at % 5})," in str(error) and str(error).startswith(f"{name}: {x[at].item()!r} ")
        assert __file__ in str(error)
        assert isinstance(error, DivisionByZero if name == "reciprocal" else DomainError)


@pytest.mark.parametrize(("name", "dtype"), in_turn(DIVISIONS, REALS, every=4))
def test_zero_divisors(name: str, dtype: str) -> None:
    x, y = number(dtype, NUMBERS), number(dtype, NUMBERS[::-1])
    at = first_bad([v == 0 for v in y.tolist()])
    function = getattr(weft, name)
    error = raised(function(x, y, mode="error"))
    assert isinstance(error, ZeroDivisionError) and f"at ({at},)," in str(error)
    assert f"{name}: {x[at].item()!r} and {y[at].item()!r} " in str(error)
    assert raised(function(x, 3, mode="error")) is None
    assert "at (0,)" in str(raised(function(x, 0, mode="error")))
    assert function(x, y).numpy().tobytes() == function(x, y, mode="standard").numpy().tobytes()


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_numbers_have_no_domain_but_zero_divisors(dtype: str) -> None:
    x = number(dtype, NUMBERS)
    for name in OUTSIDE.keys() - {"reciprocal"}:
        assert raised(getattr(weft, name)(x, mode="error")) is None, name
    assert raised(weft.pow(x, 0.5, mode="error")) is None
    for z in (weft.divide(1, x, mode="error"), weft.reciprocal(x, mode="error"), weft.pow(x, -1, mode="error")):
        assert isinstance(raised(z), DivisionByZero) and "at (0,)" in str(raised(z))


@pytest.mark.parametrize(("x", "y", "bad"), [
    (-8.0, 1 / 3, DomainError), (-8.0, 3.0, None), (0.0, -1.0, DivisionByZero), (-0.0, -0.5, DivisionByZero),
    (0.0, 0.5, None), (-np.inf, 0.5, DomainError), (np.nan, 0.5, None), (-1.0, np.nan, None), (-1.0, np.inf, None),
    (-8.0, -1 / 3, DomainError), (4.0, -0.5, None),
])  # fmt: skip
def test_powers(x: float, y: float, bad: type | None) -> None:
    base, power = weft.asarray([1.0, x]), weft.asarray([1.0, y])
    for z in (weft.pow(base, power, mode="error"), weft.pow(base, y, mode="error"), weft.pow(x, power, mode="error")):
        assert type(raised(z)) is (bad or type(None))


def test_numbers_are_looked_at_as_the_dtype_holds_them():
    x = weft.asarray([-2.0, 0.0], dtype=weft.float16)
    assert isinstance(raised(weft.divide(x, 1e-10, mode="error")), DivisionByZero)
    assert isinstance(raised(weft.divide(weft.complex64([1j]), 1e-50, mode="error")), DivisionByZero)
    assert raised(weft.pow(x, 3.0001, mode="error")) is None and raised(weft.pow(x, -1e-10, mode="error")) is None
    assert raised(weft.pow(x, 1e300, mode="error")) is None


def test_powers_of_integers():
    x = weft.asarray([2, 0, -3], dtype=weft.int32)
    assert raised(weft.pow(x, 2, mode="error")) is None
    assert isinstance(raised(weft.pow(x, weft.asarray([1, -1, 1], dtype=weft.int32), mode="error")), DivisionByZero)
    small = weft.asarray([0], dtype=weft.uint8)
    assert raised(weft.pow(small, small + 3, mode="error")) is None


INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
EDGES = [0.0, -0.9, 1.5, *[s * (2.0**b + d) for b in (7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, -0.5, 0, 0.5, 1)
                           for s in (1, -1)], np.inf, -np.inf, np.nan, 1e300]  # fmt: skip


@pytest.mark.parametrize(("dtype", "to"), in_turn(["float16", "bfloat16", "float32", "float64"], INTEGERS, every=4))
def test_floats_that_no_integer_stands_for(dtype: str, to: str) -> None:
    d, limits = getattr(weft, to), weft.iinfo(getattr(weft, to))
    for x in number(dtype, EDGES):
        v = x.item()
        held = np.isfinite(v) and limits.min <= int(v) <= limits.max
        with weft.math_mode("error"):
            error = raised(weft.astype(x, d))
        assert (error is None) == held, v
        assert error is None or isinstance(error, (ConversionError, OverflowError))


@pytest.mark.parametrize(("dtype", "to"), in_turn(INTEGERS, INTEGERS, every=4))
def test_integers_out_of_range(dtype: str, to: str) -> None:
    d, limits, has = getattr(weft, to), weft.iinfo(getattr(weft, to)), weft.iinfo(getattr(weft, dtype))
    values = [v for v in (0, 1, has.min, has.max, limits.min, limits.max, limits.max + 1, limits.min - 1)
              if has.min <= v <= has.max]  # fmt: skip
    for v in values:
        with weft.math_mode("error"):
            error = raised(weft.astype(weft.asarray([v], dtype=getattr(weft, dtype)), d))
        assert (error is None) == (limits.min <= v <= limits.max), v


def test_floats_that_would_become_infinite():
    x = weft.asarray([1.0, np.inf, np.nan, 1e39])
    with weft.math_mode("error"):
        assert "1e+39 as float32 at (3,)" in str(raised(weft.astype(x, weft.float32)))
        assert raised(weft.astype(x[:3], weft.float32)) is None
        assert raised(weft.astype(weft.asarray([70000]), weft.float16)) is not None
        assert raised(weft.astype(weft.asarray([1e39 + 0j]), weft.complex64)) is not None
        assert raised(weft.astype(x, weft.bool)) is None and raised(weft.astype(x, weft.complex128)) is None


def test_every_way_to_convert_is_checked():
    x, a = weft.asarray([1.0, 300.5]), np.array([1.0, 300.5])
    ways = (
        lambda: weft.astype(x, weft.int8), lambda: x.astype(weft.int8), lambda: weft.int8(x), lambda: weft.int8(a),
        lambda: weft.asarray(x, dtype=weft.int8), lambda: weft.asarray(a, dtype=weft.int8),
        lambda: weft.array(a.astype(int), dtype=weft.int8), lambda: weft.asarray(x * 300, dtype=">i2"),
        lambda: weft.asarray(np.array([1e39, 1e39]), dtype=weft.float32), lambda: weft.array(x, dtype=weft.uint8),
    )  # fmt: skip
    for way in ways:
        assert way().shape == (2,)
        with pytest.raises(ConversionError), weft.math_mode("error"):
            way().numpy()


# ---- when and where


def test_the_error_comes_when_the_value_is_looked_at_and_every_time():
    x = weft.asarray([4.0, -1.0])
    with weft.math_mode("error"):
        y = weft.sqrt(x)
    z = y + 1
    for _ in range(2):
        assert isinstance(raised(y), DomainError) and isinstance(raised(z), DomainError)
    x[1] = 9.0
    assert isinstance(raised(y), DomainError)  # the value of before the write


def test_selections_do_not_pass_a_check():
    x = weft.asarray([[4.0, 9.0], [-1.0, 1.0]])
    for mode in ("warn", "error"):
        for part in (lambda y: y[0], lambda y: y[0, 0], lambda y: y[:0], lambda y: y.T[1:], lambda y: weft.sum(y[0]),
                     lambda y: weft.concat([y, x])[2:], lambda y: weft.where(x > -9, x, y)):  # fmt: skip
            for off in ((), *[(p,) for p in PASSES]):
                with weft.without(*off):
                    y = part(weft.sqrt(x, mode=mode))
                    with pytest.raises(MathWarning if mode == "warn" else DomainError, match=r"at \(1, 0\)"):
                        y.numpy()


def test_eager_raises_on_the_line():
    with weft.eager(), weft.math_mode("error"), pytest.raises(DomainError):
        weft.log(weft.asarray([-1.0]))


def test_of_several_failures_the_first_built_is_reported():
    x, y = weft.asarray([-1.0, 2.0]), weft.asarray([3.0, 0.0])
    with weft.math_mode("error"):
        a = weft.sqrt(x)
        b = 1 / y
        assert isinstance(raised(b + a), DomainError) and isinstance(raised(b), DivisionByZero)
        assert "sqrt" in str(raised(weft.log(weft.sqrt(x))))


def test_values_that_are_right_cost_nothing_later():
    with weft.math_mode("error"):
        y = weft.sqrt(weft.asarray([4.0, 9.0]))
    assert CHECKED.get(y._place.node) is not None
    assert y.tolist() == [2.0, 3.0] and CHECKED.get(y._place.node) is None
    before = len(CHECKED)
    with weft.math_mode("error"):
        y = weft.sqrt(weft.asarray([-4.0]))
    assert len(CHECKED) == before + 1
    del y
    assert len(CHECKED) == before


def test_coordinates_are_those_of_the_domain_and_of_the_result():
    x = weft.translate(weft.asarray([[1.0, -1.0]]), (10, 20))
    assert "at (10, 21)" in str(raised(weft.sqrt(x, mode="error")))
    assert "at (0, 1)" in str(raised(weft.divide(weft.ones((2, 3)), weft.asarray([1.0, 0.0, 1.0]), mode="error")))
    assert "at (1, 0)" in str(raised(weft.divide(weft.ones((2, 3)), weft.asarray([[1.0], [0.0]]), mode="error")))
    assert "-1 at ()" in str(raised(weft.sqrt(-1, mode="error")))


def test_nothing_is_outside_of_nothing():
    assert weft.sqrt(weft.zeros((0, 3)), mode="error").shape == (0, 3)
    assert raised(weft.divide(weft.zeros((0, 3)), weft.zeros(3), mode="error")) is None


LAYOUTS = {
    "reversed": lambda a: a[::-1], "strided": lambda a: a[::2], "big": lambda a: a.astype(">f8"),
    "broadcast": lambda a: np.broadcast_to(a, (3, len(a))), "transposed": lambda a: a.reshape(2, -1).T,
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str) -> None:
    a = LAYOUTS[layout](np.array([4.0, 1, 9, 1, -1, 2, 3, 5]))
    bad = tuple(int(i) for i in np.argwhere(a < 0)[0])
    assert f"-1.0 at {bad}," in str(raised(weft.sqrt(weft.asarray(a), mode="error")))


def test_a_thousand_cells_in_parallel():
    x = weft.ones(300_000)
    for at in (299_999, 131_072, 17):
        x[at] = -1.0
        assert f"at ({at},)" in str(raised(weft.sqrt(weft.exp(x) * x, mode="error")))


# ---- writing


def test_an_in_place_operation_checks_before_it_writes():
    x = weft.asarray([4.0, 0.0])
    view = x[::-1]
    with weft.math_mode("error"):
        for change in ("x **= -0.5", "view /= x", "x[...] = weft.sqrt(x - 1)", "view[1:] = weft.log(-x[:1])"):
            with pytest.raises(MathError):
                exec(change, {"x": x, "view": view, "weft": weft})
        with pytest.raises(MathError):
            weft.sqrt(x - 1, out=x)
    assert x.tolist() == [4.0, 0.0]
    a = np.array([1.0, -1.0])
    with pytest.raises(DomainError):
        weft.sqrt(weft.asarray(a), out=a, mode="error")
    assert a.tolist() == [1.0, -1.0]


def test_a_reader_that_fails_blocks_no_write():
    x = weft.asarray(np.full(3_000_000, -1.0))
    with weft.math_mode("error"):
        total = weft.sum(weft.sqrt(x))
    x[...] = 4.0
    assert x[0].item() == 4.0 and isinstance(raised(total), DomainError)


# ---- warnings


def test_a_warning_is_given_once_for_a_value_at_its_line():
    x = weft.asarray([1.0, -1.0])
    with weft.math_mode("warn"):
        y = weft.sqrt(x)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert np.isnan(y.numpy()[1]) and np.isnan((y * 2).numpy()[1])
    assert [w.category for w in seen] == [MathWarning] and seen[0].filename == __file__
    assert "sqrt: -1.0 at (1,)" in str(seen[0].message)


@pytest.mark.parametrize(("action", "times"), [("ignore", 0), ("once", 1), ("default", 1), ("always", 3)])
def test_filters_say_how_often(action: str, times: int) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter(action, weft.errors.WeftWarning)
        for _ in range(3):
            weft.sqrt(weft.asarray([-1.0]), mode="warn").numpy()
    assert len(seen) == times


# ---- complex


@pytest.mark.parametrize(
    ("name", "dtype"),
    in_turn(
        ["sqrt", "log", "log2", "log10", "log1p", "asin", "acos", "acosh", "atanh"],
        ["float32", "float64", "int16"],
        every=3,
    ),
)
def test_complex_where_needed(name: str, dtype: str) -> None:
    function = getattr(weft, name)
    inside = weft.astype(weft.asarray([1.0]), getattr(weft, dtype))
    assert function(inside, mode="complex").dtype is function(inside).dtype
    outside = weft.astype(weft.asarray([1.0, -3.0, 0.0]), getattr(weft, dtype))
    if OUTSIDE[name](-3.0):
        made = function(outside, mode="complex")
        wide = weft.complex64 if dtype == "float32" else weft.complex128
        assert made.dtype is wide
        assert made.numpy().tobytes() == function(weft.astype(outside, wide)).numpy().tobytes()


def test_complex_powers():
    with weft.math_mode("complex"):
        z = weft.asarray([-8.0, 1.0]) ** 0.5
        assert z.dtype is weft.complex128 and abs(z[0].item() - 8**0.5 * 1j) < 1e-14
        assert (weft.asarray([-8.0]) ** 3).dtype is weft.float64
        assert weft.sqrt(-1).item() == 1j and weft.sqrt(4).item() == 2.0
        assert (1 / weft.asarray([0.0])).item() == np.inf


def test_a_real_destination_takes_the_real_part_with_a_warning():
    out = weft.zeros(2, dtype=weft.float32)
    with pytest.warns(ImaginaryPartWarning, match="sqrt: complex values into real cells"):
        assert weft.sqrt(weft.asarray([1.0, -1.0]), out=out, mode="complex") is out
    assert out.tolist() == [1.0, 0.0]
    wide = np.zeros(2, complex)
    weft.sqrt(weft.asarray([1.0, -1.0]), out=wide, mode="complex")
    assert wide.tolist() == [1, 1j]


@for_each("z, root", [
    (complex(1, np.inf), complex(np.inf, np.inf)), (complex(-np.inf, 1), complex(0, np.inf)),
    (complex(np.inf, 1), complex(np.inf, 0)), (complex(np.nan, 2), complex(np.nan, np.nan)),
    (complex(np.nan, np.inf), complex(np.inf, np.inf)), (complex(-np.inf, np.nan), complex(np.nan, np.inf)),
    (complex(np.inf, np.nan), complex(np.inf, np.nan)), (complex(-0.0, 0.0), complex(0, 0)),
])  # fmt: skip
@for_each("transformer", ["cpu", "reference"])
def test_roots_of_infinities_are_those_of_c99(z: complex, root: complex, transformer: str) -> None:
    with weft.transformer(transformer):
        found = weft.sqrt(weft.asarray([z])).item()
    assert str(abs(found.real)) == str(abs(root.real)) and str(abs(found.imag)) == str(abs(root.imag))


# ---- which mode


def test_modes_nest_and_are_of_a_thread():
    seen = []
    with weft.math_mode("error"):
        with weft.math_mode("standard"):
            assert weft.get_math_mode() == "standard" and raised(weft.sqrt(weft.asarray([-1.0]))) is None
        assert weft.get_math_mode() == "error" and weft.sqrt(weft.asarray([-1.0]), mode="standard").shape == (1,)
        thread = threading.Thread(
            target=lambda: seen.append((weft.get_math_mode(), weft.sqrt(weft.asarray([-1.0])).item()))
        )
        thread.start()
        thread.join()
    assert seen[0][0] == "standard" and np.isnan(seen[0][1])
    assert weft.get_math_mode() == "standard" and weft.callbacks.MODED is None


def test_the_setting_is_of_all_threads():
    weft.set_math_mode("error")
    try:
        seen = []
        thread = threading.Thread(target=lambda: seen.append(raised(weft.asarray([1.0]) / 0)))
        thread.start()
        thread.join()
        assert isinstance(seen[0], DivisionByZero)
        assert raised(weft.divide(weft.asarray([1.0]), 0, mode="standard")) is None
    finally:
        weft.set_math_mode("standard")
    assert weft.callbacks.MODED is None and raised(weft.asarray([1.0]) / 0) is None


def test_unknown_modes():
    with pytest.raises(ValueRangeError, match="math_mode: 'loud' is no mode; modes are standard, warn, error, complex"):
        weft.math_mode("loud")


def test_files_are_checked_as_a_whole(tmp_path) -> None:
    a = np.ones(10_000)
    a[7_777] = -1
    np.save(tmp_path / "a.npy", a)
    x = weft.open(tmp_path / "a.npy")
    with weft.math_mode("error"):
        y = weft.sqrt(x)
    assert "at (7777,)" in str(raised(y[:5]))
    before = (tmp_path / "a.npy").read_bytes()
    for target in ("a.npy", "b.npy"):
        with pytest.raises(DomainError):
            weft.save(tmp_path / target, y + 1)
    assert (tmp_path / "a.npy").read_bytes() == before and not (tmp_path / "b.npy").exists()


def test_the_text_of_a_checked_graph():
    y = weft.sqrt(weft.asarray([1.0, -1.0]), mode="error")
    assert "checked(" in weft.show(y)


def test_values_on_another_device():
    x = weft.asarray([1.0, -1.0, 4.0], device=weft.device("thread", 0))
    with weft.math_mode("error"):
        y = weft.sqrt(x)
        assert weft.sqrt(x[::2]).tolist() == [1.0, 2.0]
    for _ in range(2):
        assert "sqrt: -1.0 at (1,)" in str(raised(y))
    assert weft.sqrt(x, mode="complex").tolist() == [1, 1j, 2]


def test_threads_look_at_one_value():
    told: list[str] = []

    def look(y: weft.Tensor) -> None:
        for _ in range(20):
            told.append(type(raised(y * 1)).__name__)

    with weft.math_mode("error"):
        for cells, name in (([1.0, 4.0] * 5000, "NoneType"), ([1.0, -4.0] * 5000, "DomainError")):
            for _ in range(5):
                told.clear()
                y = weft.log(weft.sqrt(weft.asarray(cells)))
                threads = [threading.Thread(target=look, args=(y,)) for _ in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert told == [name] * 80
