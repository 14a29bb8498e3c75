"""Writes into versions over files that are larger than the memory limit: NumPy's cells, none computed as a whole."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import MemoryLimitWarning, ShapeError, WriteError
from weft.runtime.memory.limits import limited
from weft.sources.read import loading
from weft.sources.stream.appended_cells import AppendedCells
from weft.tensors.tensor import Tensor

SHAPE = (60, 40, 20)
CELLS = np.random.default_rng(0).standard_normal(SHAPE).astype("f4")
LAND = CELLS[0] > 0
KEYS: dict[str, Any] = {
    "integer": 3,
    "slice": np.s_[:, 5:10],
    "backwards": np.s_[::-2, 3],
    "all": ...,
    "rows": [1, 5, 3],
    "columns": np.s_[:, [1, 5, 3, 1]],
    "repeated": np.s_[[1, 2, 2], :, [5, 6, 6]],
    "together": np.s_[:, [[1], [2]], [5, 6, 6]],
    "of an integer": np.s_[3, :, [1, 2]],
    "new axis": np.s_[[1, 2], None, 2:5],
    "mask of rows": np.arange(60) % 3 == 0,
    "mask of columns": np.s_[:, LAND],
    "mask of cells": CELLS > 0.5,
    "no cell": CELLS > 99,
}


FORMS = ("npy", "zarr")
# Cells in memory or in a scratch file do not tell the format of the file that they come from: one is quick.
npy_is_quick = pytest.mark.parametrize("opened", ["npy", pytest.param("zarr", marks=pytest.mark.slow)], indirect=True)


@pytest.fixture(params=FORMS)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Tensor]]:
    """A function that opens a file of CELLS anew, within a limit of a third of it."""
    path, options = tmp_path / f"x.{request.param}", {"chunks": (7, 20, 10)} if request.param == "zarr" else {}
    weft.save(path, weft.asarray(CELLS), **options)
    with limited("64KiB"):
        yield lambda: weft.open(path)


def is_pending(x: Tensor) -> bool:
    """True if the version of a tensor is an expression: it was not computed as a whole."""
    return x._place.node.value is None


@pytest.mark.parametrize(("name", "opened"), in_turn(KEYS, FORMS, every=2), indirect=["opened"])
def test_cells_of_numpy(opened: Callable[[], Tensor], name: str) -> None:
    key = KEYS[name]
    for value in (7.0, np.arange(CELLS[key].size, dtype="f4").reshape(CELLS[key].shape)):
        wanted, x = CELLS.copy(), opened()
        before = x + 1
        wanted[key] = value
        x[key] = value
        assert is_pending(x)
        assert np.array_equal(x.numpy(), wanted)
        assert np.array_equal(before[::7].numpy(), (CELLS + 1)[::7])


def test_masks_over_the_file_in_place(opened: Callable[[], Tensor]) -> None:
    wanted, x = CELLS.copy(), opened()
    wanted[wanted > 0.5] *= 2
    x[x > 0.5] *= 2
    assert is_pending(x) and np.array_equal(x.numpy(), wanted)


@pytest.mark.parametrize("count", [3, CELLS.size])
def test_another_number_of_values_than_true_cells_is_refused(opened: Callable[[], Tensor], count: int) -> None:
    x = opened()
    with pytest.raises(ShapeError, match="setitem"):
        x[x > 0.5] = np.zeros(count, "f4")
    assert np.array_equal(x.numpy(), CELLS)


@npy_is_quick
def test_positions_along_an_axis_and_the_diagonal(opened: Callable[[], Tensor]) -> None:
    wanted, x = CELLS.copy(), opened()
    at = weft.argmax(x, axis=0, keepdims=True)
    weft.put_along_axis(x, at, 0.0, axis=0)
    np.put_along_axis(wanted, at.numpy(), 0, axis=0)
    assert is_pending(x) and np.array_equal(x.numpy(), wanted)
    flat = opened().reshape((240, 200))
    weft.fill_diagonal(flat, 5)
    wanted = CELLS.reshape(240, 200).copy()
    np.fill_diagonal(wanted, 5)
    assert np.array_equal(flat.numpy(), wanted)


@npy_is_quick
def test_many_writes_one_after_another(opened: Callable[[], Tensor]) -> None:
    wanted, x = CELLS.copy(), opened()
    for t in range(45):
        wanted[t % 30] *= t
        x[t % 30] *= t
    assert is_pending(x) and np.array_equal(x.numpy(), wanted)


def test_a_view_and_its_base_see_each_other(opened: Callable[[], Tensor]) -> None:
    wanted, x = CELLS.copy(), opened()
    view = x[2:]
    view[[1, 2]] = 5
    wanted[2:][[1, 2]] = 5
    assert np.array_equal(x.numpy(), wanted) and np.array_equal(view.numpy(), wanted[2:])


@pytest.mark.parametrize("limit", ["1MiB", pytest.param("64KiB", marks=pytest.mark.slow)])
def test_what_is_computed_as_a_whole_says_so(tmp_path: Path, limit: str) -> None:
    np.save(tmp_path / "large.npy", np.zeros((5, 500, 1000), np.float32))
    x, y = weft.open(tmp_path / "large.npy"), weft.open(tmp_path / "large.npy")
    with limited(limit), pytest.warns(MemoryLimitWarning, match="assign: 40000000 bytes") as told:
        weft.assign(weft.concat([x, y]), weft.concat([y[::-1] + 1, x[::-1]]))
    assert len(told) == 1 and x[0, 0, 0].item() == 1 and y[0, 0, 0].item() == 0


@npy_is_quick
@pytest.mark.parametrize("shape", [(), (20,), (40, 20), (30, 40, 20), SHAPE], ids=str)
def test_values_in_memory_of_others_are_read_at_once(opened: Callable[[], Tensor], shape: tuple[int, ...]) -> None:
    """The array may be filled again for the next write."""
    x, wanted = opened(), CELLS.copy()
    buffer = np.ones(shape, "f4")
    for i in range(3):
        key = ... if shape == SHAPE else slice(30 * (i % 2), 30 * (i % 2) + 30) if len(shape) == 3 else i
        buffer[...] = i
        x[key] = buffer
        wanted[key] = buffer
    buffer[...] = 99
    assert is_pending(x)
    assert np.array_equal(x.numpy(), wanted)


def test_expressions_and_masks_over_memory_of_others_are_read_at_once(opened: Callable[[], Tensor]) -> None:
    x, wanted = opened(), CELLS.copy()
    cells, mask = np.ones(SHAPE, "f4"), CELLS > 0.5
    x[...] = weft.asarray(cells) + x
    x[mask] = 5.0
    wanted = np.where(mask, np.float32(5), wanted + cells)
    cells[...], mask[...] = 99, True
    assert np.array_equal(x.numpy(), wanted)


@pytest.mark.parametrize("key", [3, ...], ids=str)
def test_values_on_another_device_come_to_the_file(opened: Callable[[], Tensor], key: Any) -> None:
    x, wanted = opened(), CELLS.copy()
    value = np.arange(CELLS[key].size, dtype="f4").reshape(CELLS[key].shape)
    x[key] = weft.asarray(value, device=weft.device("thread", 0)) + 1
    wanted[key] = value + 1
    assert x.device == weft.cpu
    assert np.array_equal(x.numpy(), wanted)


def test_deep_values_that_read_no_file(opened: Callable[[], Tensor]) -> None:
    x, value = opened(), weft.asarray(CELLS) * 2
    for _ in range(40):
        value = weft.sin(value)
    x[...] = value
    assert np.array_equal(x.numpy(), value.numpy())


ASSIGNED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "turned": (lambda x: x, lambda x: x[::-1]),
    "of a view": (lambda x: x[5:50:3, 2], lambda x: x[:15, 4] + 1),
    "a number": (lambda x: x[1:], lambda x: 3),
}


@pytest.mark.parametrize(("tree", "value"), ASSIGNED.values(), ids=ASSIGNED)
def test_assigned_cells_read_the_version_before(
    opened: Callable[[], Tensor], tree: Callable[[Any], Any], value: Callable[[Any], Any]
) -> None:
    wanted, x = CELLS.copy(), opened()
    before = x * 2
    tree(wanted)[...] = np.array(value(wanted))
    with warnings.catch_warnings():
        warnings.simplefilter("error", MemoryLimitWarning)
        weft.assign(tree(x), value(x))
        assert is_pending(x)
        assert np.array_equal(x.numpy(), wanted)
    assert np.array_equal(before.numpy(), CELLS * 2)


def test_a_cell_of_a_large_version_is_assigned_once(opened: Callable[[], Tensor]) -> None:
    x = opened()
    with pytest.raises(WriteError, match="assign"):
        weft.assign(weft.broadcast_to(x[:1], SHAPE), CELLS)
    assert np.array_equal(x.numpy(), CELLS)


@pytest.fixture
def in_scratch(opened: Callable[[], Tensor]) -> tuple[np.ndarray, Tensor]:
    """Return the expected cells after so many writes that they lie in a scratch file, and the tensor."""
    wanted, x = CELLS.copy(), opened()
    for t in range(40):
        wanted[t] = wanted[t] * 2
        x[t] = x[t] * 2
    return wanted, x


@npy_is_quick
def test_a_loop_over_a_large_version_rewrites_it_once(
    in_scratch: tuple[np.ndarray, Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    (wanted, x), view = in_scratch, in_scratch[1][2:]
    monkeypatch.setattr(loading, "rewritten_cells", None)  # which raises if it is called
    for t in range(200):
        k = t % 60
        wanted[k] = wanted[k - 1] + 1
        x[k] = x[k - 1] + 1
    wanted[:, 5, ::-3], x[:, 5, ::-3] = 3, 3
    wanted[::-2, 7:9] += 1
    x[::-2, 7:9] += 1
    assert is_pending(x)
    assert np.array_equal(x.numpy(), wanted) and np.array_equal(view.numpy(), wanted[2:])


@npy_is_quick
def test_readers_keep_the_cells_of_a_scratch_file(in_scratch: tuple[np.ndarray, Tensor]) -> None:
    wanted, x = in_scratch
    before, rows, kept = wanted.copy(), x[3:5] + 1, x.copy()
    wanted[4], x[4] = 7, 7
    wanted[2:5], x[2:5] = wanted[1:4].copy(), x[1:4]
    assert np.array_equal(rows.numpy(), before[3:5] + 1) and np.array_equal(kept.numpy(), before)
    del rows, kept
    wanted[:, 1], x[:, 1] = wanted[:, 2] * 3, x[:, 2] * 3
    assert np.array_equal(x.numpy(), wanted)


@npy_is_quick
@pytest.mark.parametrize("copies", [1, 2])
def test_copies_have_cells_of_their_own(in_scratch: tuple[np.ndarray, Tensor], copies: int) -> None:
    wanted, x = in_scratch
    made = [weft.copy(x) for _ in range(copies)]
    for k, y in enumerate(made):
        y[k] = 9
    x[5] = 8
    for k, y in enumerate(made):
        cells = wanted.copy()
        cells[k] = 9
        assert np.array_equal(y.numpy(), cells)
    wanted[5] = 8
    assert np.array_equal(x.numpy(), wanted)
    del x
    y = made.pop()
    y[7] = 1
    assert all(np.array_equal(other[7].numpy(), wanted[7]) for other in made)


def test_cells_in_another_byte_order_go_to_a_scratch_file(in_scratch: tuple[np.ndarray, Tensor]) -> None:
    wanted, x = in_scratch
    wanted[3] = cells = np.arange(800.0).reshape(40, 20)
    x[3] = weft.asarray(cells.astype(">f4"))
    assert is_pending(x) and np.array_equal(x.numpy(), wanted)


@npy_is_quick
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_writes_of_forked_processes_are_their_own(in_scratch: tuple[np.ndarray, Tensor]) -> None:
    wanted, x = in_scratch
    told, tell = os.pipe()
    if not (child := os.fork()):
        failed = 1
        try:
            os.close(tell)
            x[3] = 7
            os.read(told, 1)  # until the parent has written
            wanted[3] = 7
            failed = int(not np.array_equal(x.numpy(), wanted))
        finally:
            os._exit(failed)
    os.close(told)
    wanted[4], x[4] = 8, 8
    os.close(tell)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(x.numpy(), wanted)


@npy_is_quick
def test_an_interrupted_reduction_keeps_the_cells_of_a_scratch_file(
    in_scratch: tuple[np.ndarray, Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, x = in_scratch
    largest, before = weft.max(x.reshape((-1,)) * 1), wanted.max()

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(AppendedCells, "read_box", interrupt)
        largest.realize()
    wanted[3], x[3] = 1000, 1000
    assert largest.item() == before
    assert np.array_equal(x.numpy(), wanted)


@npy_is_quick
@pytest.mark.parametrize("error", [KeyboardInterrupt(), WriteError("scratch: the disk is full; ...; ...")], ids=repr)
def test_a_write_into_a_scratch_file_is_whole_wherever_it_ends(
    in_scratch: tuple[np.ndarray, Tensor], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """The interrupt comes after some rows of a value. Of cells that the disk does not take memory still has all."""
    wanted, x = in_scratch
    wanted[::2, 3] = 7
    write, count = AppendedCells.overwrite, iter(range(5))

    def broken(self: AppendedCells, first: int, cells: Any) -> None:
        if next(count, None) is None:
            raise error
        write(self, first, cells)

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(AppendedCells, "overwrite", broken)
        x[::2, 3] = 7
    assert next(count, None) is None
    assert is_pending(x) and np.array_equal(x.numpy(), wanted)
    wanted[5], x[5] = 9, 9
    assert np.array_equal(x.numpy(), wanted)


@npy_is_quick
def test_who_reads_while_a_scratch_file_is_written_finds_all_cells_or_none(
    in_scratch: tuple[np.ndarray, Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, x = in_scratch
    before, write, seen = wanted.copy(), AppendedCells.overwrite, []
    wanted[::6, 3] = 7

    def watched(self: AppendedCells, first: int, cells: Any) -> None:
        write(self, first, cells)
        seen.append(x * 1)
        found = (x * 1).numpy()
        assert any(np.array_equal(found, cells) for cells in (before, wanted))

    with monkeypatch.context() as patch:
        patch.setattr(AppendedCells, "overwrite", watched)
        x[::6, 3] = 7
    assert len(seen) == 10
    x[5] = 9
    assert np.array_equal(seen[0].numpy(), wanted)
    wanted[5] = 9
    assert np.array_equal(x.numpy(), wanted)
