"""Aliasing and writing: one test for each sentence of the design's section 3."""

import contextlib
import gc
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from weft.errors import DTypeError, LinAlgError, ShapeError, WriteError
from weft.runtime.compute import stages
from weft.tensors import index_writing
from weft.tensors.tensor import node_of
from weft.tensors.versions import COMPUTE_READERS

pytestmark = pytest.mark.usefixtures("transformer")


def pending(x):
    return node_of(x).value is None


VIEWS = {
    "slice": lambda x: x[1:3],
    "integer": lambda x: x[1],
    "permute": lambda x: weft.permute_dims(x, (1, 0)),
    "flip": lambda x: weft.flip(x),
    "squeeze": lambda x: weft.squeeze(x[:, None], 1),
    "expand_dims": lambda x: weft.expand_dims(x, axis=1),
    "diagonal": lambda x: weft.diagonal(x),
    "reshape": lambda x: weft.reshape(x, (2, 8)),
    "same dtype": lambda x: weft.astype(x, weft.float64, copy=False),
}


@for_each("how", VIEWS)
@for_each("stored", [True, False])
def test_basic_views_alias_stored_and_pending_tensors(how, stored):
    base = weft.array(np.arange(16.0).reshape(4, 4)) * 1
    if stored:
        base.realize()
    view = VIEWS[how](base)
    expected = np.arange(16.0).reshape(4, 4)
    NUMPY[how](expected)[...] = -1
    view[...] = -1
    np.testing.assert_array_equal(base.numpy(), expected)
    base[0, 0] = 7
    expected[0, 0] = 7
    np.testing.assert_array_equal(view.numpy(), NUMPY[how](expected))


NUMPY = {
    "slice": lambda a: a[1:3],
    "integer": lambda a: a[1],
    "permute": lambda a: a.T,
    "flip": lambda a: a[::-1, ::-1],
    "squeeze": lambda a: a,
    "expand_dims": lambda a: a[:, None],
    "diagonal": lambda a: np.lib.stride_tricks.as_strided(a, (4,), (40,)),
    "reshape": lambda a: a.reshape(2, 8),
    "same dtype": lambda a: a,
}

VALUES = {
    "arithmetic": lambda x: x + 0,
    "concat of one": lambda x: weft.concat([x]),
    "roll": lambda x: weft.roll(x, 1, axis=0),
    "pad": lambda x: weft.pad(x, 1),
    "tile": lambda x: weft.tile(x, (1, 1)),
    "copy": lambda x: weft.copy(x),
    "unary plus": lambda x: +x,
    "index array": lambda x: x[[0, 1, 2, 3]],
    "mask": lambda x: x[x > -1],
    "astype": lambda x: weft.astype(x, weft.float64),
}


@for_each("how", VALUES)
def test_all_else_is_a_value_of_its_own(how):
    base = weft.array(np.arange(16.0).reshape(4, 4))
    value = VALUES[how](base)
    before = value.numpy().copy()
    value[...] = -1
    np.testing.assert_array_equal(base.numpy(), np.arange(16.0).reshape(4, 4))
    other = VALUES[how](base)
    base[...] = 100
    np.testing.assert_array_equal(other.numpy(), before)


def test_writing_to_an_r_tensor_gives_it_a_storage_with_its_values():
    x = weft.arange(5) * 2
    assert pending(x)
    x[1] = 100
    assert x.tolist() == [0, 100, 4, 6, 8]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: weft.constant([1, 2]), "read-only"),
        (lambda: weft.broadcast_to(weft.asarray([1, 2]), (3, 2))[1:], "several coordinates"),
        (lambda: weft.asarray(_read_only()), "read-only"),
        (lambda: weft.sliding_window_view(weft.arange(5) * 1, 2), "lie on the same memory"),
    ],
)
def test_constants_broadcasts_read_only_memory_and_windows_refuse(make, message):
    x = make()
    before = x.tolist()
    with pytest.raises(WriteError, match=message):
        x[...] = 5
    with pytest.raises(WriteError, match=message):
        x += 1
    assert x.tolist() == before


def _read_only():
    a = np.arange(3)
    a.flags.writeable = False
    return a


def test_overlapping_windows_name_two_coordinates_that_collide():
    x = weft.sliding_window_view(weft.arange(5) * 1, 2)
    with pytest.raises(WriteError, match=r"\(0, 1\) and \(1, 0\)|\(1, 0\) and \(0, 1\)"):
        x[...] = 0


def test_the_right_side_is_read_completely_first():
    a = weft.array(np.arange(5.0))
    a[[1, 2]] = a[[2, 1]]
    assert a.tolist() == [0, 2, 1, 3, 4]
    a = weft.array(np.arange(5.0))
    a[1:] = a[:-1]
    assert a.tolist() == [0, 0, 1, 2, 3]
    a[:] = a[::-1]
    assert a.tolist() == [3, 2, 1, 0, 0]
    a[:-1] = a[1:] + a[:-1]
    assert a.tolist() == [5, 3, 1, 0, 0]


def test_with_repeated_indices_the_last_one_wins_and_in_place_adds_once():
    x = weft.array(np.zeros(3))
    x[[0, 0, 1]] = weft.asarray([1.0, 2.0, 3.0])
    assert x.tolist() == [2, 3, 0]
    x[[0, 0, 1]] += 1
    assert x.tolist() == [3, 4, 0]


def test_pending_expressions_keep_the_old_version_and_views_see_the_new():
    x = weft.array(np.arange(4.0))
    view = x[1:]
    y = x * 10
    z = view + 1
    x[2] = -1
    assert y.tolist() == [0, 10, 20, 30]
    assert z.tolist() == [2, 3, 4]
    assert view.tolist() == [1, -1, 3]
    assert (x * 10).tolist() == [0, 10, -10, 30]


@pytest.mark.parametrize("shared", [True, False])
def test_old_versions_are_kept_in_every_layout(shared):
    for array in (np.arange(6, dtype=">f8"), np.arange(12.0)[::2], np.arange(6.0)[::-1]):
        expected = array.copy() * 10
        x = weft.asarray(array) if shared else weft.array(array)
        y, z = x * 10, x[1:] * 10
        x[2] = -1
        x += 1
        assert y.tolist() == expected.tolist() and z.tolist() == expected[1:].tolist()


def test_pending_places_keep_old_versions_too():
    x = weft.arange(4) * 1
    y = x + 1
    x[0] = 9
    x += 1
    assert y.tolist() == [1, 2, 3, 4]
    assert x.tolist() == [10, 2, 3, 4]


def test_in_place_operators_keep_dtype_place_and_aliases():
    x = weft.array(np.arange(4, dtype=np.int8))
    view = x[::2]
    same = x
    x += 1
    x *= weft.asarray(2, dtype=weft.int64)
    assert same is x and x.dtype is weft.int8
    assert x.tolist() == [2, 4, 6, 8] and view.tolist() == [2, 6]
    view -= 1
    assert x.tolist() == [1, 4, 5, 8]


def test_values_of_a_higher_kind_are_refused():
    x = weft.array(np.arange(3))
    with pytest.raises(DTypeError, match="kind of the value would be lost"):
        x[0] = 1.5
    with pytest.raises(DTypeError, match="kind"):
        x += 0.5
    with pytest.raises(ShapeError, match="must broadcast to the cells"):
        x[:2] = weft.asarray([1, 2, 3])
    assert x.tolist() == [0, 1, 2]


def test_shared_memory_is_written_in_place_and_at_once():
    a = np.arange(4.0)
    x = weft.asarray(a)
    x[1] = 7
    assert a[1] == 7
    x += 1
    np.testing.assert_array_equal(a, [1, 8, 3, 4])
    x[::2] *= 10
    np.testing.assert_array_equal(a, [10, 8, 30, 4])


def test_foreign_writes_are_seen_by_what_is_built_after_them():
    a = np.arange(3.0)
    x = weft.asarray(a)
    a[0] = 10
    assert (x + 1).tolist() == [11, 2, 3]


def test_array_takes_a_snapshot_and_asarray_shares():
    a = np.arange(3.0)
    kept, shared = weft.array(a), weft.asarray(a)
    a[0] = 5
    assert kept.tolist() == [0, 1, 2] and shared.tolist() == [5, 1, 2]


def test_overlapping_imports_know_of_each_other():
    a = np.arange(6.0)
    x, y = weft.asarray(a[:4]), weft.asarray(a[::-1])
    before = y * 1
    x[3] = -1
    assert before.tolist() == [5, 4, 3, 2, 1, 0]
    assert y.tolist() == [5, 4, -1, 2, 1, 0]


def test_only_bytes_that_an_import_addresses_are_touched():
    a = np.arange(12.0).reshape(3, 4)
    x = weft.asarray(a[:, 1:3])
    x[...] = 0
    np.testing.assert_array_equal(a[:, 0], [0, 4, 8])
    np.testing.assert_array_equal(a[:, 3], [3, 7, 11])
    assert (a[:, 1:3] == 0).all()


def test_exports_share_memory_both_ways_and_are_writable_as_the_tensor():
    x = weft.arange(4) * 1
    a = x.numpy()
    a[0] = 9
    assert x.tolist() == [9, 1, 2, 3]
    x[1] = 8
    assert a.tolist() == [9, 8, 2, 3]
    x += 1
    assert a.tolist() == [10, 9, 3, 4]
    assert not weft.constant([1]).numpy().flags.writeable
    assert not weft.broadcast_to(weft.asarray([1]), (3,)).numpy().flags.writeable


def test_an_export_keeps_pending_readers_of_the_old_version():
    x = weft.arange(4) * 1
    a = x.numpy()
    y = x * 2
    x[0] = 5
    assert y.tolist() == [0, 2, 4, 6] and a[0] == 5


def test_views_of_stored_tensors_export_their_cells():
    x = (weft.arange(12) * 1).realize()
    view = weft.reshape(x, (3, 4))[::-1, 1::2]
    a = view.numpy()
    a[0, 0] = -5
    assert x.tolist()[9] == -5


def test_a_view_of_a_large_pending_value_is_computed_alone_and_read_only():
    x = weft.arange(1 << 20) * 2
    a = x[10:12].numpy()
    assert pending(x) and a.tolist() == [20, 22] and not a.flags.writeable


def test_memory_is_reused_when_the_old_version_has_no_reader():
    x = (weft.arange(1 << 16) * 1).realize()
    address = node_of(x).value.ctypes.data
    x[5] = 1
    assert node_of(x).value.ctypes.data == address


def test_readers_of_a_large_old_version_are_computed_rather_than_copied():
    x = weft.array(np.zeros(COMPUTE_READERS // 8 + 1))
    y = x[:2] + 1
    address = node_of(x).value.ctypes.data
    x[0] = 5
    assert y.tolist() == [1, 1] and x[0].item() == 5
    assert node_of(x).value.ctypes.data == address


def test_writes_from_threads_do_not_tear():
    x = weft.array(np.zeros(1000))

    def work(value):
        for _ in range(50):
            x[...] = value

    threads = [threading.Thread(target=work, args=(float(i),)) for i in (1, 2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(x.tolist())) == 1


def test_memory_goes_with_the_last_handle():
    x = weft.arange(1 << 16) * 1.5
    node = node_of(x)
    x.realize()
    gc.disable()
    try:
        import weakref

        gone = weakref.ref(node)
        del node, x
        assert gone() is None
    finally:
        gc.enable()


@for_each("key", [(), 0, (0, 0), slice(0, 0), (slice(None, None, -1), 1), ([], 0), (None, 1), ...])
def test_writes_agree_with_numpy(key):
    a = np.arange(12.0).reshape(3, 4)
    x = weft.array(a)
    a[key] = -1
    x[key] = -1
    np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("order", [">", "<"])
def test_writes_reach_every_byte_order_and_layout(order):
    a = np.zeros((3, 4), order + "i4")[::-1, ::2]
    x = weft.asarray(a)
    x[...] = weft.asarray([[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(a, [[1, 2], [3, 4], [5, 6]])
    assert x.byteorder == ("big" if order == ">" else "little")


def test_a_value_computed_from_overlapping_cells_is_complete_first():
    a = np.array([4.0, 9.0, 16.0, 25.0])
    x = weft.asarray(a)
    x[1:] = weft.sqrt(x[:3])
    assert a.tolist() == [4, 2, 3, 4]


@pytest.mark.parametrize("value", [[[False]], [[[1, 2]]], [[3]], [[1], [2]]])
def test_leading_axes_of_one_are_left_out_as_in_numpy(value):
    a = np.zeros(2)
    x = weft.array(a)
    try:
        a[...] = np.array(value)
    except ValueError:
        with pytest.raises(ShapeError, match="setitem: a value of shape"):
            x[...] = value
    else:
        x[...] = value
    np.testing.assert_array_equal(x.numpy(), a)


# ---- broadcasts: one value for every repeated cell


ROWS_SELECTED = {
    "list": ([0, 2], (1, 1, 4)),
    "rows": ([0, 2], (1, 2, 4)),
    "mask of rows": (np.array([True, False, True]), (1, 2, 4)),
    "points": (([0, 1], [1, 2]), (1, 2)),
    "columns": ((slice(None), [0, 1]), (1, 3, 2)),
}


@for_each("compiled", [False, True])
@for_each("name", ROWS_SELECTED)
def test_leading_axes_of_one_are_left_out_where_positions_are_written(name, compiled):
    key, shape = ROWS_SELECTED[name]
    x, y, value = weft.zeros((3, 4)), np.zeros((3, 4)), np.arange(np.prod(shape), dtype=float).reshape(shape)

    def store(x, value):
        x[key] = value

    (weft.compile(store) if compiled else store)(x, weft.asarray(value))
    y[key] = value
    assert x.tolist() == y.tolist()


def test_a_whole_broadcast_axis_is_filled_through_it():
    x = weft.zeros(3)
    b = weft.broadcast_to(x, (2, 3))
    b[...] = 5
    assert x.tolist() == [5, 5, 5]
    b[:, 1:] = [1, 2]
    assert x.tolist() == [5, 1, 2]
    b += 1
    assert x.tolist() == [6, 2, 3]  # once a cell
    b *= b
    assert x.tolist() == [36, 4, 9]
    b[...] = weft.broadcast_to(x + 1, (2, 3)) - weft.full((2, 3), 1.0)
    assert x.tolist() == [36, 4, 9]
    b.T[...] = weft.asarray([[1], [2], [3]])
    assert x.tolist() == [1, 2, 3] and b.tolist() == [[1, 2, 3]] * 2
    cells = weft.broadcast_to(weft.asarray([[1.0], [2.0]]), (2, 4))
    pending = cells + 0
    cells[...] = 7
    assert pending.tolist() == [[1] * 4, [2] * 4] and cells.tolist() == [[7] * 4] * 2


def test_what_may_be_written_through_a_broadcast_does_not_depend_on_when_values_are_computed():
    x = weft.zeros(3)
    b = weft.broadcast_to(x, (2, 3))
    with weft.eager():
        b += 1
        b *= b + weft.full((2, 3), 2.0)
        b[...] = weft.broadcast_to(x + 1, (2, 3)) - weft.full((2, 3), 1.0)
    assert x.tolist() == [3, 3, 3]
    with weft.eager(), pytest.raises(WriteError, match="they would be given values of their own"):
        b += weft.asarray([[1.0], [2.0]])
    assert x.tolist() == [3, 3, 3]


@for_each(
    "write, first, second",
    [
        (lambda b: b.__setitem__(0, 5), "(0, 0)", "(1, 0)"),
        (lambda b: b.__setitem__((slice(1, None), 0), 5), "(0, 0)", "(1, 0)"),
        (lambda b: b.__setitem__(..., [[1], [2], [3]]), "(0, 0)", "(1, 0)"),
        (lambda b: b.__iadd__(weft.asarray([[1.0], [2.0], [3.0]])), "(0, 0)", "(1, 0)"),
        (lambda b: b.__setitem__(..., weft.arange(12).reshape(3, 4) * 1.0), "(0, 0)", "(1, 0)"),
        (lambda b: weft.diagonal(b).__setitem__(..., 1), "(0, 0)", "(1, 0)"),
        (lambda b: b.__setitem__([0, 1], 1), "(0, 0)", "(1, 0)"),
        (lambda b: weft.sliding_window_view(b, 2, axis=0).__setitem__(..., 1), "(0, 0)", "(1, 0)"),
    ],
)
def test_part_of_a_broadcast_axis_and_two_values_for_a_cell_are_refused(write, first, second):
    x = weft.zeros(4)
    b = weft.broadcast_to(x, (3, 4))
    with pytest.raises(WriteError) as error:
        write(b)
    assert f"several coordinates on one cell, such as {first} and {second}" in str(error.value)
    assert x.tolist() == [0] * 4


def test_overlaps_that_cannot_be_decided_are_refused(monkeypatch):
    from weft.ir.pieces.lattice import UNDECIDED
    from weft.tensors import place

    monkeypatch.setattr(place, "self_overlap", lambda b: UNDECIDED)
    monkeypatch.setattr(place, "_ONE_EACH", set())
    with pytest.raises(WriteError, match="two coordinates may lie on the same memory"):
        weft.zeros(3)[...] = 1


@st.composite
def repeated_views(draw):
    """A chain of basic selections with broadcasts among them, as functions of tensors and of arrays alike."""
    steps = []
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=2)))
    start = shape
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["broadcast", "broadcast", "slice", "index", "flip", "permute", "expand"]))
        axis = draw(st.integers(0, max(len(shape) - 1, 0)))
        if kind == "broadcast":
            wide = tuple(draw(st.integers(1, 3)) if n == 1 else n for n in shape)
            wide = wide if len(wide) > 2 else (draw(st.integers(1, 3)), *wide)
            steps.append(("broadcast", wide))
            shape = wide
        elif kind == "permute":
            order = tuple(draw(st.permutations(range(len(shape)))))
            steps.append(("permute", order))
            shape = tuple(shape[a] for a in order)
        elif not shape:
            continue
        elif kind == "expand" and len(shape) < 4:
            steps.append(("key", (*[slice(None)] * axis, None)))
            shape = (*shape[:axis], 1, *shape[axis:])
        elif kind == "index":
            steps.append(("key", (*[slice(None)] * axis, draw(st.integers(0, shape[axis] - 1)))))
            shape = shape[:axis] + shape[axis + 1 :]
        elif kind in ("slice", "flip"):
            low = draw(st.integers(0, shape[axis] - 1)) if kind == "slice" else None
            part = slice(low, None) if kind == "slice" else slice(None, None, -1)
            steps.append(("key", (*[slice(None)] * axis, part)))
            shape = (*shape[:axis], shape[axis] - (low or 0), *shape[axis + 1 :])
    narrow = tuple(n if draw(st.booleans()) else 1 for n in shape)
    return start, steps, narrow[draw(st.integers(0, len(narrow))) :]


def through(x, steps, broadcast, permute):
    for kind, how in steps:
        if kind == "key":
            x = x[(*how, ...)]  # the view also where no axis is left
        else:
            x = broadcast(x, how) if kind == "broadcast" else permute(x, how)
    return x


@given(repeated_views(), st.booleans())
def test_writes_through_broadcasts_give_every_cell_its_one_value_or_are_refused(view, in_place):
    start, steps, narrow = view
    base = weft.asarray(np.arange(float(np.prod(start))).reshape(start))
    numbers = through(np.arange(int(np.prod(start))).reshape(start), steps, np.broadcast_to, np.transpose)
    target = through(base, steps, weft.broadcast_to, weft.permute_dims)
    value = 100 + np.arange(float(np.prod(narrow))).reshape(narrow)
    before = base.numpy().copy()
    wide = np.broadcast_to(value, numbers.shape)
    expected, given_to = before.reshape(-1).copy(), {}
    for cell, v in zip(numbers.reshape(-1).tolist(), wide.reshape(-1).tolist(), strict=True):
        given_to.setdefault(cell, set()).add(v)
        expected[cell] = before.reshape(-1)[cell] + v if in_place else v
    try:
        if in_place:
            target += value
        else:
            target[...] = value
    except WriteError as error:
        assert "several coordinates on one cell" in str(error) and (base.numpy() == before).all()
        assert any(kind == "broadcast" for kind, _ in steps)
    else:
        assert all(len(v) == 1 for v in given_to.values())
        assert (base.numpy() == expected.reshape(start)).all()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("key", [np.s_[...], np.s_[::-1], np.s_[1:, 2:], np.s_[:, ::3], np.s_[::2, ::-1]])
def test_shared_memory_is_computed_in_place_where_cells_read_themselves(key, order):
    memory = np.arange(70.0).reshape(7, 10).astype(f"{order}f8")
    expected = memory.astype(float)
    x, before = weft.asarray(memory), weft.asarray(memory)[key] * 2
    cells, other = x[key], np.arange(expected[key].size, dtype=float).reshape(expected[key].shape)
    doubled = 2 * expected[key]
    cells += 1
    weft.add(cells * weft.asarray(np.asfortranarray(other)), cells - 1, out=cells)
    expected[key] = (expected[key] + 1) * other + expected[key]
    assert memory.tolist() == expected.tolist() == x.tolist()
    assert before.tolist() == doubled.tolist()  # built before


def test_a_mask_that_reads_the_target_is_read_before_it_is_written():
    memory = np.arange(6.0)
    x = weft.asarray(memory)
    x[x[::-1] > 3] = -1.0
    assert memory.tolist() == [-1.0, -1.0, 2.0, 3.0, 4.0, 5.0]
    doubled = x * 2
    x[x > 3] = 0.0
    assert memory.tolist() == [-1.0, -1.0, 2.0, 3.0, 0.0, 0.0] and doubled.tolist() == [-2.0, -2.0, 4.0, 6.0, 8.0, 10.0]


def test_what_reads_the_target_elsewhere_is_read_before_it_is_written():
    memory = np.arange(6.0)
    x = weft.asarray(memory)
    weft.add(x[::-1], x, out=x)
    assert memory.tolist() == [5.0] * 6
    weft.add(weft.asarray(memory[:5]), x[1:], out=x[1:])  # the same memory under another handle
    assert memory.tolist() == [5.0, *[10.0] * 5]
    held = x + 1
    weft.add(held, x, out=x)  # a tensor that somebody has keeps what it read
    assert held.tolist() == [6.0, *[11.0] * 5] and memory.tolist() == [11.0, *[21.0] * 5]


def test_brief_stores_tell_numbers_layouts_and_bounds_apart():
    memory = np.array([1.0, 7.0])
    x, y = weft.asarray(memory), weft.asarray([1.0, 7.0])
    for bound, expected in [(-weft.inf, [1.0, 7.0]), (5.0, [5.0, 7.0]), (weft.inf, [weft.inf] * 2)]:
        weft.maximum(y, bound, out=x)
        assert memory.tolist() == expected
    for number in (2, 3.5, True):
        x[...] = number
        assert memory.tolist() == [number] * 2
    z = weft.asarray([[1.0, 2.0], [3.0, 4.0]]).realize()
    for row, expected in [(z[0], [1.0, 2.0]), (z[:, 1], [2.0, 4.0]), (z[1, ::-1], [4.0, 3.0])]:
        x[...] = row
        assert memory.tolist() == expected
        x[...] = row + 1
        assert memory.tolist() == [e + 1 for e in expected]


# ---- values that turn out not to exist

SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
FAILING = {
    "a destination": lambda y, bad: weft.add(weft.linalg.inv(bad), 1, out=y),
    "in place": lambda y, bad: y.__iadd__(weft.linalg.inv(bad)),
    "another dtype": lambda y, bad: weft.add(weft.linalg.inv(weft.astype(bad, weft.float32)), 1, out=y),
    "all of it": lambda y, bad: y.__setitem__(..., weft.linalg.solve(bad, bad)),
    "a part": lambda y, bad: y.__setitem__(0, weft.linalg.inv(bad)[0]),
    "a text": lambda y, bad: weft.add(weft.parse(weft.show(weft.linalg.inv(bad)), [bad]), 1, out=y),
}


FROM_ELSEWHERE = ["from elsewhere", "from a variable", "from a stored variable"]


@for_each("stored", [True, False])
@for_each("write", FAILING)
def test_what_a_write_was_to_replace_stays_where_the_value_cannot_be_computed(write, stored):
    x = weft.asarray([[5.0, 6.0], [7.0, 8.0]])
    y = x + 0
    if stored:
        y.realize()
    view = y[1]
    with pytest.raises(LinAlgError, match="singular"):
        FAILING[write](y, weft.asarray(SINGULAR))
    assert y.tolist() == x.tolist() and view.tolist() == [7.0, 8.0]
    FAILING[write](y, weft.asarray([[0.5, 0.0], [0.0, 0.5]]))
    assert y.tolist() != x.tolist()


@for_each("realized", [True, False])
@for_each("write", [*[w for w in FAILING if w != "a text"], "through a tree", *FROM_ELSEWHERE])
def test_what_a_device_was_to_write_stays_where_the_value_cannot_be_computed(write, realized):
    y = weft.full((2, 2), 5.0, device="thread:0").realize()
    bad = weft.asarray(SINGULAR, device="thread:1" if write.startswith("from") else "thread:0")
    inverse = weft.linalg.inv(bad)
    moved = inverse.to_device("thread:0")
    writes = {
        "through a tree": lambda: weft.assign(weft.concat([y[:1], y[1:]]), inverse),
        "from elsewhere": lambda: y.__setitem__(..., inverse.to_device("thread:0")),
        "from a variable": lambda: y.__setitem__(..., moved),
        "from a stored variable": lambda: y.__setitem__(..., moved.realize()),
        "in place": lambda: y.__iadd__(inverse),
        "a destination": lambda: weft.add(inverse, 1, out=y),
    }
    with pytest.raises(LinAlgError, match="singular"):
        if realized:
            inverse.realize()
        writes.get(write, lambda: FAILING[write](y, bad))()
    assert y.tolist() == [[5.0, 5.0], [5.0, 5.0]]
    for name in ("thread:0", "thread:1"):
        with contextlib.suppress(LinAlgError):  # of work that nobody else asked about
            weft.device(name).sync()


def test_a_gradient_that_a_routine_refuses_leaves_what_it_was_to_change():
    a = weft.asarray(SINGULAR).requires_grad_()
    weft.linalg.det(a).backward()
    y = weft.ones((2, 2))
    with pytest.raises(LinAlgError, match="singular"):
        y += a.grad
    assert y.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_routines_that_succeeded_once_are_not_tried_before_a_write():
    y, inverse = weft.ones((2, 2)), weft.linalg.inv(weft.eye(2))
    y += inverse
    assert not pending(y)
    inverse.realize()
    y += inverse
    assert pending(y) and node_of(inverse) not in stages.UNSURE and y.tolist() == [[3.0, 1.0], [1.0, 3.0]]


@pytest.mark.parametrize("rows", [(), (3,)])
def test_many_positions_are_written_in_their_order(rows: tuple[int, ...]) -> None:
    n, rng = 3 * index_writing.PART + 7, np.random.default_rng(0)
    cells, at = rng.normal(size=(n, *rows)), rng.integers(0, n, n)
    x, wanted = weft.asarray(cells.copy()), cells.copy()
    wanted[at] = cells[::-1]
    x[weft.asarray(at)] = weft.asarray(cells[::-1].copy())
    assert np.array_equal(x.numpy(), wanted)
    y = weft.asarray(cells.copy())
    y[weft.asarray(at)] = y[::-1]  # which is read before it is written
    assert np.array_equal(y.numpy(), wanted)
