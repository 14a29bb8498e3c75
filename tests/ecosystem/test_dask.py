"""dask over tensors: arrays made of their blocks, which stay in the file until dask computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

da = pytest.importorskip("dask.array")

import weft  # noqa: E402
from weft.sources.array_objects import DaskArray  # noqa: E402
from weft.sources.read.byte_ranges import METERS, Meter  # noqa: E402

VALUES = np.arange(600_000.0).reshape(200, 300, 10)


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    weft.save(tmp_path / "a.zarr", VALUES, chunks=(50, 100, 10))
    return weft.open(tmp_path / "a.zarr")


@pytest.fixture
def read() -> Any:
    METERS.append(Meter())
    yield METERS[-1]
    METERS.pop()


def test_to_dask_reads_nothing_and_has_the_chunks_of_the_file(stored: Any, read: Meter) -> None:
    made = stored.to_dask()
    assert made.chunks == ((50,) * 4, (100,) * 3, (10,)) and made.dtype == np.float64
    assert isinstance(made._meta, np.ndarray) and read.done == 0


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_to_dask_computes_the_values(stored: Any, scheduler: str) -> None:
    made = weft.permute_dims(stored * 2, (2, 1, 0)).to_dask()
    assert made.chunks == ((10,), (100,) * 3, (50,) * 4)
    np.testing.assert_array_equal((made + 1).compute(scheduler=scheduler), VALUES.T * 2 + 1)


def test_a_block_is_read_alone(stored: Any, read: Meter) -> None:
    made = stored.to_dask()
    np.testing.assert_array_equal(made[60:70, 110:120].compute(), VALUES[60:70, 110:120])
    assert 0 < read.done <= 50 * 100 * 10 * 8


def test_chunks_may_be_given(stored: Any) -> None:
    assert stored.to_dask(chunks=(100, -1, 5)).chunks == ((100, 100), (300,), (5, 5))
    assert weft.arange(6).to_dask(chunks=4).chunks == ((4, 2),)
    assert weft.asarray(2.5).to_dask().compute() == 2.5


def test_from_array_takes_the_chunks_and_reads_nothing(stored: Any, read: Meter) -> None:
    made = da.from_array(stored)
    assert read.done == 0
    assert all(c % p == 0 for c, p in zip(made.chunksize[:2], stored.chunks[:2], strict=True))
    small = da.from_array(stored, chunks={0: 50, 1: 100, 2: 10})
    np.testing.assert_array_equal(np.asarray(small[10:60].compute()), VALUES[10:60])


def test_tensors_of_equal_values_have_names_of_their_own(stored: Any) -> None:
    assert da.from_array(stored).name != da.from_array(stored).name


# ---- tensors of dask arrays


class Counted:
    """A dask array whose blocks count how often they are computed."""

    def __init__(self, chunks: Any) -> None:
        self.computed: list[Any] = []
        self.array = da.from_array(VALUES[..., 0], chunks=chunks).map_blocks(self.count, meta=np.empty((0, 0)))

    def count(self, block: Any, block_info: Any = None) -> Any:
        if block_info:
            self.computed.append(tuple(block_info[0]["chunk-location"]))
        return block


@pytest.mark.parametrize("chunks", [(50, 100), ((20, 180), (100, 150, 50))])
def test_each_block_is_computed_once_in_a_program(chunks: Any) -> None:
    counted = Counted(chunks)
    x = weft.asarray(counted.array)
    counted.computed.clear()
    assert x.chunks == (50, 100) if chunks == (50, 100) else (180, 150)
    y = x[:, 1:] * x[:, :-1] + x[::-1, 1:]
    assert counted.computed == []
    plain = VALUES[..., 0]
    np.testing.assert_array_equal(y.numpy(), plain[:, 1:] * plain[:, :-1] + plain[::-1, 1:])
    assert sorted(counted.computed) == sorted(set(counted.computed)) and counted.computed


def test_blocks_that_are_not_needed_are_not_computed() -> None:
    counted = Counted((50, 100))
    x = weft.asarray(counted.array)
    counted.computed.clear()
    np.testing.assert_array_equal(x[60:70, ::-40].numpy(), VALUES[60:70, ::-40, 0])
    assert sorted(counted.computed) == [(1, 0), (1, 1), (1, 2)]


def test_functions_of_weft_take_dask_arrays_and_operators_leave_them_to_dask() -> None:
    d = da.from_array(VALUES, chunks=100)
    assert weft.sum(d).item() == VALUES.sum()
    assert isinstance(weft.ones(10) * d, da.Array)


def test_sizes_that_dask_does_not_know_are_refused() -> None:
    d = da.from_array(VALUES, chunks=100)
    with pytest.raises(weft.errors.ShapeError, match="unknown; compute them first, as with compute_chunk_sizes"):
        weft.asarray(d[d > 5])


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of dask that count as large, and a limit that holds a few blocks."""
    monkeypatch.setattr("weft.sources.array_objects.LARGE", 1 << 10)
    weft.set_memory_limit(400 << 10)
    yield
    weft.set_memory_limit(None)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("chunks", [(50, 100), ((60, 60, 60, 20), 150)])
def test_large_arrays_are_computed_block_by_block(chunks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(chunks)
    x = weft.asarray(counted.array * 2)
    counted.computed.clear()
    at_once: list[int] = []
    blocks = DaskArray.blocks

    def noted(self: DaskArray, box: Any) -> Any:
        at_once.append(box.cells)
        return blocks(self, box)

    monkeypatch.setattr(DaskArray, "blocks", noted)
    np.testing.assert_array_equal(x.max(axis=0).numpy(), VALUES[..., 0].max(axis=0) * 2)
    assert len(counted.computed) == len(set(counted.computed)) == counted.array.npartitions
    assert sum(at_once) == 200 * 300 and max(at_once) < 200 * 300


@pytest.mark.usefixtures("large")
def test_blocks_that_share_most_of_their_work_are_computed_at_once() -> None:
    counted = Counted((20, 30))
    x = weft.asarray(counted.array - counted.array.mean())
    counted.computed.clear()
    np.testing.assert_allclose(x.max(axis=0).numpy(), (VALUES[..., 0] - VALUES[..., 0].mean()).max(axis=0))
    assert len(counted.computed) == counted.array.npartitions


@pytest.mark.usefixtures("large")
def test_errors_of_blocks_name_the_array() -> None:
    def fails(block: Any, block_info: Any = None) -> Any:
        if block_info and block_info[0]["chunk-location"] == (2, 1):
            raise OSError("gone")
        return block

    x = weft.asarray(da.from_array(VALUES[..., 0], chunks=(50, 100)).map_blocks(fails, meta=np.empty((0, 0))))
    with pytest.raises(weft.errors.FileFormatError, match=r"read: dask.Array .*: slicing raises OSError: gone"):
        x.max().item()
