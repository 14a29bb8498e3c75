"""The first cells in order of lines of large files: the bits and positions of whole sorts, in one sweep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.sources.stream.large_files import cells, is_as_in_memory, is_saved_as_in_memory, same, tough, written
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.stream.leading_rows import LeadingRows
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor, node_of

NUMBERS = [d for d in dt.COMMON if d.np.kind in "iuf"]


def consumers_of(sweeps: list[Sweep[Any]]) -> list[str]:
    return [type(s.consumers[0]).__name__ for s in sweeps]


VALUES: dict[str, Callable[[Tensor], Any]] = {
    "topk": lambda x: weft.topk(x, 5, axis=0).values,
    "least": lambda x: weft.topk(x, 5, axis=0, largest=False).values,
    "one": lambda x: weft.topk(x, 1, axis=0).values,
    "positions": lambda x: weft.topk(x, 5, axis=0).indices,
    "positions of the least": lambda x: weft.topk(x, 3, axis=0, largest=False).indices,
    "both": lambda x: weft.concat([weft.astype(part, weft.float64) for part in weft.topk(x, 4, axis=0)]),
    "view": lambda x: weft.sort(x, axis=0)[1:7:2, ::-1],
    "one rank": lambda x: weft.sort(x, axis=0)[3],
    "of an expression": lambda x: weft.sort(x * 2 + x[:1], axis=0)[:3],
    "of anomalies": lambda x: weft.sort(weft.abs(x - x.mean(axis=0)), axis=0, descending=True)[:3],
    "in an expression": lambda x: (x[:4] - weft.sort(x, axis=0)[:4]).sum(axis=0),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("tame", [False, True])
def test_same_bits_as_the_whole(tmp_path: Path, name: str, tame: bool, sweeps: list[Sweep[Any]]) -> None:
    array = (cells if tame else tough)((150, 200), dt.float32)  # those of the other kind have -0 and NaN
    weft.save(tmp_path / "x.zarr", weft.asarray(array), chunks=(20, 60))
    assert is_as_in_memory(VALUES[name], array, tmp_path / "x.zarr", 80_000)
    (sweep,) = [s for s in sweeps if isinstance(s.consumers[0], LeadingRows)]
    assert sweep.tiling.count > 3


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, sweeps: list[Sweep[Any]]) -> None:
    array = tough((400, 800 // dtype.itemsize), dtype)
    path = written(tmp_path / "x.npy", array, big=True)
    for name in ("topk", "least", "both"):
        assert is_as_in_memory(VALUES[name], array, path, array.nbytes // 2), name
    assert consumers_of(sweeps) == ["LeadingRows"] * 3


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_any_axis(tmp_path: Path, axis: int, sweeps: list[Sweep[Any]]) -> None:
    array = cells((60, 50, 70), dt.float32)
    array[array < 0] = 0
    weft.save(tmp_path / "x.zarr", weft.asarray(array), chunks=(3, 50, 7))
    for largest in (True, False):
        assert is_as_in_memory(
            lambda x: weft.topk(x, 4, axis=axis, largest=largest).values,  # noqa: B023
            array,
            tmp_path / "x.zarr",
            820_000,
        )
    assert consumers_of(sweeps) == ["LeadingRows"] * 2


def test_bits_of_equal_cells(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = np.full((120, 300), -1, np.float32)
    array[40::7] = -0.0
    array[::9, ::2] = 0.0
    array[50, 3] = array[99, 3] = np.nan
    array.view(np.uint32)[99, 3] |= 5  # another NaN
    path = written(tmp_path / "x.npy", array)
    want = weft.topk(weft.asarray(array), 6, axis=0).values.numpy()
    with limited(100_000):
        got = weft.topk(weft.open(path), 6, axis=0).values.numpy()
    assert np.array_equal(got.view(np.uint32), want.view(np.uint32))
    assert consumers_of(sweeps) == ["LeadingRows"]


def test_what_reads_many_ranks_sorts_lines(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = cells((150, 200), dt.float32)
    path = written(tmp_path / "x.npy", array)
    for value in (
        lambda x: weft.sort(x, axis=0)[:40],
        lambda x: weft.sort(x, axis=0)[-3:],
        lambda x: weft.sort(x, axis=0)[:3] + weft.sort(x, axis=0).sum(axis=0),
    ):
        assert is_as_in_memory(value, array, path, 80_000)
    assert sweeps and "LeadingRows" not in consumers_of(sweeps)


def test_saved(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = tough((150, 200), dt.float32)
    path = written(tmp_path / "x.npy", array)
    assert is_saved_as_in_memory(VALUES["topk"], array, path, 80_000)
    assert consumers_of(sweeps)[0] == "LeadingRows"


def test_the_sort_itself_stays_what_it_is(tmp_path: Path) -> None:
    array = tough((150, 200), dt.float32)
    with limited(80_000):
        y = weft.sort(weft.open(written(tmp_path / "x.npy", array)), axis=0)
        first = y[:3].numpy()
        assert same(y.numpy(), weft.sort(weft.asarray(array), axis=0).numpy()) and same(first, y.numpy()[:3])


def test_explain_says_the_sweep(tmp_path: Path) -> None:
    x = weft.open(written(tmp_path / "x.npy", cells((150, 200), dt.float32)))
    with limited(80_000):
        found = weft.explain(*weft.topk(x, 5, axis=0)).sweeps
    assert len(found) == 1 and found[0].bytes == 120_000 and "sort" in str(found[0])


def test_the_state_is_counted() -> None:
    n = node_of(weft.sort(weft.zeros((100, 50), dtype=weft.float32), axis=0))
    assert LeadingRows([n], 5).needed((1, 50)) >= 5 * 50 * 4 + 50 * 4
