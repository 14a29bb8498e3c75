"""Tables of positions: runs, repetitions, and what a take keeps of its table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.ir.atoms import position_tables
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, walk
from weft.runtime.compute import engine
from weft.tensors import indexing
from weft.tensors.tensor import node_of


def spelled(runs: list[tuple[int, int, int]]) -> list[int]:
    return [start + i * step for start, step, size in runs for i in range(size)]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(-3, 3), st.integers(1, 40)), min_size=1, max_size=6))
def test_runs_are_the_table(parts: list[tuple[int, int, int]]) -> None:
    table = np.array(spelled(parts), np.int64)
    found = position_tables.runs(table)
    if found is None:
        assert len(table) < position_tables.LEAST_RUN * 2 * len(parts)  # a break adds two runs at most
    else:
        assert spelled(found) == table.tolist()
        assert len(found) <= 2 * len(parts)


def test_many_runs_are_one_table() -> None:
    assert position_tables.runs(np.array([0, 2, 3, 9, 1])) is None
    assert position_tables.runs(np.random.default_rng(0).integers(0, 9, 1000)) is None
    assert position_tables.runs(np.array([], np.int64)) == [(0, 1, 0)]
    assert position_tables.runs(np.array([5])) == [(5, 1, 1)]
    assert position_tables.runs(np.array([5, 5, 5])) == [(5, 0, 3)]


def taken(x: weft.Tensor) -> Node:
    return next(n for n in walk([node_of(x)]) if n.op.name == "gather")


def test_tables_are_known_and_long_ones_are_narrow() -> None:
    rng, x = np.random.default_rng(0), weft.arange(100_000) * 2
    for size, width in ((1000, 8), (position_tables.SMALL_TABLE, 4)):
        table = rng.integers(0, 100_000, size)
        n = taken(x[table])
        assert sum(i.value.nbytes for i in walk([n]) if i.value is not None) == size * width
        (known,) = position_tables.stored_tables(n) or ()
        assert np.array_equal(known, table)
    small = weft.arange(1000)[rng.integers(0, 1000, position_tables.SMALL_TABLE)]
    assert sum(i.value.nbytes for i in walk([taken(small)]) if i.value is not None) == 2 * position_tables.SMALL_TABLE


def test_a_table_that_a_place_holds_is_not_known() -> None:
    x, i = weft.arange(4) * 2, weft.asarray(np.array([1, 1, 2, 0]))
    n = indexing.gather(node_of(x), (0,), (np.array([1, 1, 2, 0]),), 0)
    assert position_tables.stored_tables(n) is not None
    assert position_tables.stored_tables(ir.make(n.op, (n.inputs[0], node_of(i)), n.attrs, n.desc)) is None


@pytest.mark.parametrize(
    ("table", "ops"),
    [
        ([*range(1, 9)], {"concat", "slice"}),
        ([*range(7, -1, -1)], {"concat", "slice"}),
        ([2] * 8, {"concat", "slice", "broadcast_to"}),
        ([0, 3, 1], {"gather"}),
        ([1, 2, 3], {"gather"}),  # few cells of memory
        ([*range(8), *range(20, 40, 2)], {"concat", "slice"}),
    ],
)
def test_few_runs_are_slices(table: list[int], ops: set[str]) -> None:
    x = weft.asarray(np.arange(120).reshape(3, 40))
    y = weft.take(x, weft.asarray(table), axis=1)
    assert {n.op.name for n in walk([node_of(y)])} - {"leaf"} == ops
    assert np.array_equal(y.numpy(), np.arange(120).reshape(3, 40)[:, table])
    y[0, 0] = -1  # a value of its own, whatever its table
    assert x[0, table[0]].item() == table[0]


def test_few_positions_of_pending_values_are_slices() -> None:
    x = weft.asarray(np.arange(40)) + 1
    assert {n.op.name for n in walk([node_of(x[[1, 2, 3]])])} >= {"concat", "slice"}


def test_all_tables_of_few_positions_run_one_program() -> None:
    x = weft.asarray(np.arange(40.0))
    x[[0, 1, 2, 3, 4]].realize()
    known = len(engine.current().programs.kept)
    assert x[[7, 5, 3, 1, 39]].tolist() == [7, 5, 3, 1, 39] and x[[2, 2, 2, 2, 2]].tolist() == [2] * 5
    assert len(engine.current().programs.kept) == known


def test_the_axes_taken_start_at_0_and_others_keep_their_origin() -> None:
    x = weft.translate(weft.reshape(weft.arange(12), (3, 4)), (5, 7))
    for table in ([0, 1, 2], [1, 1], [0, 2, 1], [[0, 2], [1, 1]]):
        assert x[:, table].domain.origin == (5, *[0] * np.ndim(table))
        assert weft.take(x, weft.asarray(table), axis=0).domain.origin == (*[0] * np.ndim(table), 7)


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
@pytest.mark.parametrize("table", [[7, 0, 3, 9, 2, 2], [0, 1, 5, 6, 8], [9, 9, 1, 0, 4]])
def test_a_take_of_a_concat_is_takes_of_its_parts(transformer: str, table: list[int]) -> None:
    parts = [np.arange(3.0), np.arange(10.0, 14.0), np.arange(20.0, 25.0)]
    with weft.transformer(transformer):
        x = weft.concat([weft.asarray(p) for p in parts])
        y = x[table]
        assert np.array_equal(y.numpy(), np.concatenate(parts)[table])
        z = weft.concat([weft.asarray(p[:, None]) for p in parts])[table, ::-1]
        assert np.array_equal(z.numpy(), np.concatenate(parts)[table, None])


@pytest.mark.parametrize("dtype", ["?", ">i2", "<f4", ">c16"])
def test_single_cells_of_what_can_be_worked_out(dtype: str) -> None:
    """No temporary is stored, and the cells are those of the reference."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 9, (50, 40)).astype(dtype)[::-1]
    i, j, k = rng.integers(0, 50, 30), rng.integers(0, 40, 30), rng.integers(0, 30, 7)
    x = weft.asarray(a)
    y = weft.permute_dims(weft.where(x == 3, x, x)[:, ::-2], (1, 0))
    b = np.where(a == 3, a, a)[:, ::-2].T
    for t, wanted in (
        (y[j // 2, i], b[j // 2, i]),
        (y[j // 2, i][k], b[j // 2, i][k]),
        (y[3, i], b[3, i]),
        (y[:, i][:, k], b[:, i][:, k]),
        ((x[i] == x[i[::-1]])[k], (a[i] == a[i[::-1]])[k]),
    ):
        assert weft.explain(t).temporary_bytes == 0
        assert np.array_equal(t.numpy(), wanted)


def test_what_would_be_computed_again_and_again_is_stored() -> None:
    x = weft.asarray(np.linspace(0, 1, 100))
    table = np.random.default_rng(0).integers(0, 100, 10_000)
    assert weft.explain(weft.exp(x)[table]).temporary_bytes > 0
    assert np.array_equal(weft.exp(x)[table].numpy(), weft.exp(x).numpy()[table])


def test_takes_of_coordinates_and_composites() -> None:
    table = np.random.default_rng(0).integers(0, 60, 40)
    a = np.concatenate([np.arange(30) * 3, np.pad(np.arange(20), 5, mode="reflect")])
    x = weft.concat([weft.arange(30) * 3, weft.pad(weft.arange(20), 5, mode="reflect")])
    for _ in range(2):
        assert np.array_equal((x + 1)[table].numpy(), (a + 1)[table])
        assert np.array_equal(weft.cumulative_sum(x)[table].numpy(), np.cumsum(a)[table])
        assert np.array_equal(weft.tile(x, 2)[table * 2].numpy(), np.tile(a, 2)[table * 2])


COMPOSITES = {
    "tile": lambda x: weft.tile(x, (2, 3)),
    "repeat": lambda x: weft.repeat(x, 3, axis=1),
    "repeat the other axis": lambda x: weft.repeat(x, 2, axis=0),
    "roll": lambda x: weft.roll(x, (1, -3), axis=(0, 1)),
    "flip": lambda x: weft.flip(weft.roll(x, 1, axis=0)),
    "slice": lambda x: weft.roll(x, 1, axis=1)[::-1, 5:0:-1],
    "interleave": lambda x: weft.interleave([x, x + 1, x[:, :-1]], axis=1),
    "constant": lambda x: weft.pad(x, ((1, 0), (2, 3))),
    **{m: lambda x, m=m: weft.pad(x, ((1, 2), (9, 17)), mode=m) for m in ("edge", "wrap", "reflect", "symmetric")},
    "all": lambda x: weft.flip(weft.pad(weft.tile(weft.roll(x, 2, axis=1), (1, 2)), ((0, 0), (3, 4)), mode="reflect")),
}


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
@pytest.mark.parametrize("name", COMPOSITES)
def test_a_take_of_a_composite_is_one_of_what_it_is_made_of(name: str, transformer: str) -> None:
    rng = np.random.default_rng(2)
    for shape in ((4, 6), (3, 1)) if name not in ("slice",) else ((4, 6),):
        x = weft.translate(weft.asarray(np.arange(shape[0] * shape[1]).reshape(shape)), (10, 20))
        with weft.transformer(transformer):
            whole = COMPOSITES[name](x).numpy()
            for axis, n in enumerate(whole.shape):
                for table in (rng.integers(-n, n, 11), rng.integers(0, n, (2, 3)), np.array([], np.int64)):
                    pending = COMPOSITES[name](x)
                    found = weft.take(pending, weft.asarray(table), axis=axis)
                    origin = list(pending.domain.origin)
                    origin[axis : axis + 1] = [0] * table.ndim
                    assert np.array_equal(found.numpy(), np.take(whole, table, axis))
                    assert found.domain.origin == tuple(origin)


def test_a_few_cells_of_many_cost_a_few() -> None:
    x = weft.asarray(np.arange(1000))
    for many in (weft.tile(x, 10**9), weft.repeat(x, 10**9), weft.pad(x, (10**12, 0), mode="reflect")[::-1]):
        e = weft.explain(many[[5 * 10**11, 7, 10**11]])
        assert e.bytes_read <= 2 * 3 * 8 and e.temporary_bytes == 0  # three cells and the table
    assert weft.tile(x, 10**9)[[10**11 + 7, 5, 999]].tolist() == [7, 5, 999]


KEEPS = {
    "scattered": lambda size: np.arange(size) * 7919 % 10 > 1,
    "few runs": lambda size: np.arange(size) % (size // 3) > 4,
    "all": lambda size: np.ones(size, np.bool_),
    "rows and columns": lambda size: np.arange(size) * 31 % 11 > 2,
}


@pytest.mark.parametrize("name", KEEPS)
def test_cells_that_are_selected_again_and_again_are_one_table(name: str, transformer: str) -> None:
    with weft.transformer(transformer):
        cells = np.arange(4000.0)
        x = weft.asarray(cells) * 2
        wanted = cells * 2
        for k in range(6):
            mask = KEEPS[name if k % 2 else "scattered"](len(wanted))
            x, wanted = x[mask], wanted[mask]
            assert len(walk([node_of(x)])) < 80
        gathers = [n for n in walk([node_of(x)]) if n.op.name == "gather"]
        assert len(gathers) == 1
        assert x.tolist() == wanted.tolist()


def test_points_that_are_selected_again_keep_one_table_for_each_axis() -> None:
    cells = np.arange(35.0).reshape(5, 7)
    rows, columns, again = np.array([4, 0, 2, 2, 1]), np.array([6, 1, 1, 3, 0]), np.array([3, 1, 1, 4])
    x = (weft.asarray(cells) + 1)[rows, columns][again]
    assert [n.op.name for n in walk([node_of(x)])].count("gather") == 1
    assert x.tolist() == (cells + 1)[rows, columns][again].tolist()


def test_cells_that_are_selected_more_often_than_once_stay_a_table_of_their_own() -> None:
    x = weft.exp(weft.arange(100.0))[np.arange(100) * 37 % 90]
    often = x[np.arange(150) * 37 % 100]
    assert [n.op.name for n in walk([node_of(often)])].count("gather") == 2


def test_many_short_runs_are_one_table_unless_slices_save_work() -> None:
    cells, table = np.arange(2e5).reshape(2000, 100), np.flatnonzero(np.arange(200) % 20 < 15)
    x = weft.asarray(cells)
    for y in (x, x * 2, weft.concat([x * 2, x[:1]])):
        assert [n.op.name for n in walk([node_of(y[table])])].count("gather") == 1
        assert np.array_equal(y[table].numpy(), y.numpy()[table])
    assert weft.explain(x.sum(axis=1)[table]).bytes_read < cells.nbytes / 2
    assert np.array_equal(x.sum(axis=1)[table].numpy(), cells.sum(axis=1)[table])
    long = np.flatnonzero(np.arange(10_000) % 1000 < 900)
    assert all(n.op.name != "gather" for n in walk([node_of((weft.arange(10_000) * 2)[long])]))


@pytest.mark.parametrize("size", [30_000, 90_000])
def test_selections_from_narrow_tables(size: int) -> None:
    cells, table = np.arange(float(size)), np.random.default_rng(1).integers(0, size, 100_000)
    table[500:600] = np.where(np.arange(100) % 2, 0, size - 1)  # differences as large as they come
    for key in (np.arange(480, 620), np.arange(100_000) % 3 > 0, [99_999, 0, 5], np.arange(600).reshape(20, 30)):
        assert np.array_equal((weft.asarray(cells) + 1)[table][key].numpy(), (cells + 1)[table][key])
