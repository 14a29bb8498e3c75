"""Writing through trees: what is written, what is refused and how it is said; versions, sharing, threads."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import DTypeError, ShapeError, WriteError
from weft.tensors.tensor import node_of

DTYPES = [d for d in vars(dt).values() if isinstance(d, dt.DType)]


@pytest.fixture(params=["cpu", "reference", "eager"], autouse=True)
def how(request: pytest.FixtureRequest) -> Any:
    with weft.eager() if request.param == "eager" else weft.transformer(request.param):
        yield request.param


def numbers(*shape: int) -> Any:
    return weft.array(np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape))


# ---- what is written


def test_concat_interleave_stack_and_overlay_write_their_parts() -> None:
    a, b = weft.zeros(3), weft.zeros(3)
    weft.assign(weft.concat([a, b])[::-1], np.arange(6.0))
    assert (a.tolist(), b.tolist()) == ([5, 4, 3], [2, 1, 0])
    weft.assign(weft.interleave([a, b]), np.arange(6.0))
    assert (a.tolist(), b.tolist()) == ([0, 2, 4], [1, 3, 5])
    weft.assign(weft.stack([a, b]).T, np.arange(6.0).reshape(3, 2))
    assert (a.tolist(), b.tolist()) == ([0, 2, 4], [1, 3, 5])
    weft.assign(weft.overlay([a, b.translate(2)]), [7, 7, 8, 8, 8])
    assert (a.tolist(), b.tolist()) == ([7, 7, 4], [8, 8, 8])


def test_roll_reshape_take_and_windows_that_do_not_overlap() -> None:
    a = numbers(2, 3)
    weft.assign(weft.roll(a, 1), np.arange(6.0).reshape(2, 3))
    assert a.tolist() == [[1, 2, 3], [4, 5, 0]]
    weft.assign(weft.reshape(a.T, (6,)), np.arange(6.0))
    assert a.tolist() == [[0, 2, 4], [1, 3, 5]]
    weft.assign(weft.take(a, weft.asarray([2, 0]), axis=1), 9.0)
    assert a.tolist() == [[9, 2, 9], [9, 3, 9]]
    x = numbers(7)
    weft.assign(x[[6, 1, 3, 0]], [1, 2, 3, 4])
    assert x.tolist() == [4, 2, 2, 3, 4, 5, 1]
    weft.assign(weft.sliding_window_view(x, 2)[::2], 0.0)
    assert x.tolist() == [0] * 6 + [1]


@pytest.mark.parametrize(("dtype", "order"), in_turn(DTYPES, ["<", ">"], every=2), ids=str)
def test_every_dtype_and_byte_order(dtype: dt.DType, order: str) -> None:
    kind = dt.to_numpy(dtype, "big" if order == ">" else "little")
    a, b = np.zeros((2, 3), kind), np.zeros((3, 2), kind)[::-1]
    value = (np.arange(12) % 2 if dtype.kind == "bool" else np.arange(12)).astype(np.int8).reshape(4, 3)
    x, y, given = weft.asarray(a), weft.asarray(b), weft.astype(weft.asarray(value), dtype)
    weft.assign(weft.concat([x, y.T]), given)
    np.testing.assert_array_equal(dt.widened(a), dt.widened(given[:2].numpy()))
    np.testing.assert_array_equal(dt.widened(b.T), dt.widened(given[2:].numpy()))


def test_rank_0_and_empty_trees() -> None:
    a = weft.array(3.0)
    weft.assign(weft.roll(weft.expand_dims(a, axis=0), 1, axis=0)[0, ...], 5)
    assert a.item() == 5
    x = numbers(3)
    weft.assign(weft.concat([x[:0], x[3:]]), 1.0)
    weft.assign(weft.stack([a, x[0, ...]]), [1, 2])
    assert a.item() == 1 and x.tolist() == [2, 1, 2]
    weft.assign(weft.tile(x[1, ...], ()), 7)
    assert x.tolist() == [2, 7, 2]


def test_values_broadcast_and_are_narrowed_as_in_place() -> None:
    a, b = weft.zeros((2, 2), dtype=weft.float32), weft.zeros((1, 2), dtype=weft.float32)
    weft.assign(weft.concat([a, b]), weft.asarray([1.0, 2.0]))
    assert a.tolist() == [[1, 2], [1, 2]] and b.tolist() == [[1, 2]]
    i = weft.zeros(2, dtype=weft.int8)
    weft.assign(weft.roll(i, 1, axis=0), 300 * weft.ones(2, dtype=weft.int64))
    assert i.tolist() == [44, 44]


def test_the_value_is_read_completely_first() -> None:
    a, b = numbers(3), numbers(3) + 10
    both = weft.concat([a, b])
    weft.assign(both, both[::-1] * 2)
    assert (a.tolist(), b.tolist()) == ([24, 22, 20], [4, 2, 0])
    weft.assign(weft.roll(a, 1, axis=0), a)
    assert a.tolist() == [22, 20, 24]
    weft.assign(weft.concat([a, b]), weft.sum(weft.concat([a, b])) * weft.ones(6))
    assert (a.tolist(), b.tolist()) == ([72] * 3, [72] * 3)


def test_last_wins_takes_the_last_in_row_major_order() -> None:
    a = numbers(4)
    weft.assign(weft.concat([a, a[::2]]), np.arange(6.0), last_wins=True)
    assert a.tolist() == [4, 1, 5, 3]
    weft.assign(weft.sliding_window_view(a, 2), np.arange(6.0).reshape(3, 2), last_wins=True)
    assert a.tolist() == [0, 2, 4, 5]
    weft.assign(weft.broadcast_to(a, (2, 4)), np.arange(8.0).reshape(2, 4), last_wins=True)
    assert a.tolist() == [4, 5, 6, 7]


def test_parts_of_complex_cells_are_written_in_place() -> None:
    z = weft.array(np.zeros(3, np.complex64))
    weft.assign(z.real, [1, 2, 3])
    weft.assign(weft.concat([z[1:].imag, z.real[:1]])[::-1], [4, 5, 6])
    assert z.tolist() == [4, 2 + 6j, 3 + 5j]
    with pytest.raises(WriteError, match=r"coordinates \(0,\) and \(3,\) of the tree lie on one cell"):
        weft.assign(weft.concat([z[1:].imag, z.imag]), 0)
    weft.assign(weft.concat([z[1:].imag, z.imag]), np.arange(5.0), last_wins=True)
    assert z.tolist() == [4 + 2j, 2 + 3j, 3 + 4j]
    with pytest.raises(WriteError, match="is the real part of a composite"):
        weft.assign(weft.roll(z, 1, axis=0).real, 0)
    pending = z * 2
    weft.assign(weft.concat([pending.real, pending.imag, pending[:1].real]), np.arange(7.0), last_wins=True)
    assert pending.tolist() == [6 + 3j, 1 + 4j, 2 + 5j]


def test_a_plain_view_is_a_tree_too() -> None:
    a = numbers(4)
    weft.assign(a[1:3], 0.0)
    weft.assign(a.translate(-4).at[-1:], 8.0)
    assert a.tolist() == [0, 0, 0, 8]


# ---- versions and sharing


def test_expressions_built_before_keep_their_values() -> None:
    a, b = numbers(2), numbers(2)
    tree, reader, view = weft.concat([a, b]), a * 10, a[1:]
    weft.assign(tree, 5.0)
    assert tree.tolist() == [0, 1, 0, 1] and reader.tolist() == [0, 10] and view.tolist() == [5]
    weft.assign(tree, 6.0)  # of what it reads, the current versions
    a += 1
    weft.assign(tree[:1], -1.0)
    assert a.tolist() == [-1, 7] and b.tolist() == [6, 6]


def test_a_tree_that_was_looked_at_still_leads_to_its_inputs() -> None:
    a, b = numbers(2), numbers(2)
    tree = weft.stack([weft.concat([a, b])[::-1], weft.zeros(4)])
    tree.realize()
    weft.assign(tree[0, 1:], [1, 2, 3])
    assert (a.tolist(), b.tolist()) == ([3, 2], [1, 1])


def test_last_wins_is_one_truth() -> None:
    x = weft.zeros(2)
    for wrong in ("yes", np.ones(2), None):
        with pytest.raises(DTypeError, match="last_wins"):
            weft.assign(x, 1, last_wins=wrong)  # type: ignore[arg-type]
    assert x.tolist() == [0.0, 0.0]


def test_a_composite_that_was_written_itself_is_a_tensor_of_its_own() -> None:
    a = numbers(3)
    tree = weft.roll(a, 1, axis=0)
    tree[0] = 9.0
    weft.assign(tree[1:], 7.0)
    assert a.tolist() == [0, 1, 2] and tree.tolist() == [9, 7, 7]


def test_memory_without_readers_is_written_where_it_lies(how: str) -> None:
    a, b = (weft.array(np.zeros(1 << 12)) for _ in range(2))
    before = [node_of(x).value.ctypes.data for x in (a, b)]
    weft.assign(weft.interleave([a, b]), 1.0)
    assert [node_of(x).value.ctypes.data for x in (a, b)] == before


def test_shared_memory_and_exports_are_written_at_once() -> None:
    memory, a = np.arange(6.0), numbers(2)
    out = a.numpy()
    weft.assign(weft.concat([weft_view := weft.asarray(memory[::2]), a]), [1, 2, 3, 4, 5])
    np.testing.assert_array_equal(memory, [1, 1, 2, 3, 3, 5])
    assert out.tolist() == [4, 5] and weft_view.tolist() == [1, 2, 3]


def test_collisions_of_overlapping_imports_are_found_on_addresses() -> None:
    memory = np.arange(6.0)
    left, right = weft.asarray(memory[:4]), weft.asarray(memory[2:])
    with pytest.raises(WriteError, match=r"coordinates \(2,\) and \(4,\) of the tree lie on one cell"):
        weft.assign(weft.concat([left, right]), 0.0)
    weft.assign(weft.concat([left[:2], right]), -np.arange(6.0))
    np.testing.assert_array_equal(memory, -np.arange(6.0))
    weft.assign(weft.concat([left, right]), np.arange(8.0), last_wins=True)
    np.testing.assert_array_equal(memory, [0, 1, 4, 5, 6, 7])


def test_cells_that_overlap_in_part_have_no_last_one() -> None:
    memory = np.zeros(33, np.uint8)
    whole, shifted = weft.asarray(memory[:32].view(np.int64)), weft.asarray(memory[1:].view(np.int64))
    for last_wins in (False, True):
        with pytest.raises(WriteError, match="cells that overlap in memory"):
            weft.assign(weft.concat([whole, shifted[::-1]]), 1, last_wins=last_wins)
    assert not memory.any()


def test_threads_that_write_the_same_tensors_in_other_orders() -> None:
    a, b = weft.array(np.zeros(500)), weft.array(np.zeros(500))

    def work(first: Any, second: Any, value: float) -> None:
        for _ in range(20):
            weft.assign(weft.concat([first, second]), value)

    threads = [threading.Thread(target=work, args=args) for args in ((a, b, 1.0), (b, a, 2.0))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({*a.tolist(), *b.tolist()}) == 1


# ---- what is refused


A = np.arange(4.0)
REFUSED = {
    "a margin": (lambda a: weft.pad(a, 1), r"coordinate \(0,\) of the tree is generated \(a margin"),
    "a fill": (
        lambda a: weft.overlay([a, a.translate(6)], fill=0.0)[3:5],
        r"coordinate \(1,\) of the tree is generated",
    ),
    "a tile": (lambda a: weft.tile(a, 2), r"coordinates \(0,\) and \(4,\) of the tree lie on one cell"),
    "a mirror": (lambda a: weft.pad(a, (0, 1), mode="reflect").translate(-4), r"\(-2,\) and \(0,\)"),
    "windows": (lambda a: weft.sliding_window_view(a, 2), r"\(0, 1\) and \(1, 0\)"),
    "a broadcast": (lambda a: weft.broadcast_to(a, (2, 4)), r"\(0, 0\) and \(1, 0\)"),
    "a repetition": (lambda a: a[[1, 0, 1]], r"\(0,\) and \(2,\)"),
    "points": (lambda a: weft.reshape(a, (2, 2))[[0, 1, 0], [1, 1, 1]], r"\(0,\) and \(2,\)"),
    "no name": (
        lambda a: weft.concat([a, a + 1]),
        r"coordinate \(4,\) of the tree is read from a value that no tensor",
    ),
    "a conversion": (lambda a: weft.concat([a, weft.zeros(1, dtype=weft.int8)]), r"coordinate \(4,\).*no tensor names"),
}


@for_each("name", REFUSED)
def test_refusals_name_coordinates_and_write_nothing(name: str) -> None:
    make, message = REFUSED[name]
    a = weft.array(A)
    with pytest.raises(WriteError, match="assign: .*" + message):
        weft.assign(make(a), 9.0)
    assert a.tolist() == A.tolist()


def test_read_only_inputs_are_refused_before_anything_is_written() -> None:
    a, fixed, locked = numbers(2), weft.constant([1.0, 2.0]), np.zeros(2)
    locked.flags.writeable = False
    for part in (fixed, weft.asarray(locked)):
        with pytest.raises(WriteError, match=r"coordinate \(2,\) of the tree is read-only"):
            weft.assign(weft.concat([a, part]), 9.0)
    assert a.tolist() == [0, 1]


def test_values_that_do_not_fit_are_refused() -> None:
    a = weft.zeros(3, dtype=weft.int64)
    with pytest.raises(DTypeError, match="kind of the value would be lost"):
        weft.assign(weft.roll(a, 1, axis=0), 1.5)
    with pytest.raises(ShapeError, match="assign: a value of shape"):
        weft.assign(weft.roll(a, 1, axis=0), [1, 2])
    with pytest.raises(DTypeError, match="assign: a ndarray is no tensor"):
        weft.assign(np.zeros(3), 1.0)


def test_outlines_beyond_their_limits_raise_with_the_reason() -> None:
    a = x = numbers(3)
    for _ in range(1100):
        x = weft.roll(x, 1, axis=0).realize()
    with pytest.raises(WriteError, match="lies under more than 1000 selections"):
        weft.assign(x, 1.0)
    assert a.tolist() == [0, 1, 2]
    y = numbers(1 << 18)
    t = y[np.random.default_rng(0).permutation(1 << 18)].realize()
    with pytest.raises(WriteError, match="bytes of index arrays and computed since"):
        weft.assign(t, 1.0)


@pytest.mark.parametrize("part", [weft.real, weft.flip, lambda t: t[::2], lambda t: t[weft.asarray([2, 0])]])
def test_handles_that_refuse_writes_refuse_them_through_trees(part) -> None:
    memory = weft.asarray([1j, 2j, 3j])
    locked, free = memory.shallow(), weft.asarray([4j]) if part is not weft.real else weft.asarray([4.0])
    locked.read_only = True
    for tree in (part(locked), weft.concat([free, part(locked)]), weft.concat([free, part(locked)]).realize()):
        with pytest.raises(WriteError, match="is read-only"):
            weft.assign(tree, 0)
    assert memory.tolist() == [1j, 2j, 3j]
    weft.assign(weft.concat([free, part(locked)])[:1], 5)  # what is not reached is not asked
    weft.assign(part(memory), 6)
    assert free.tolist()[0] == 5 and memory.tolist() != [1j, 2j, 3j]
