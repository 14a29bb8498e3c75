"""Distinct values of files in tiles: the bits of those in memory, within the limit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples, in_turn
from tests.unit.sources.stream.large_files import REAL, same, tiles_of, tough, written
from weft import dtypes as dt
from weft.errors import OutOfMemory
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.stream.distinct_cells import DistinctCells
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

SETS: dict[str, Callable[[Tensor], Any]] = {
    "values": weft.unique_values,
    "all": weft.unique_all,
    "unique": weft.unique,
    "columns": lambda x: weft.unique(x, True, True, True),
    "apart": lambda x: weft.unique(x, True, True, True, equal_nan=False),
    "counts of a product": lambda x: weft.unique_counts(x * 2),
    "inverse": lambda x: weft.unique_inverse(weft.flip(x)),
}


def few(shape: tuple[int, ...], dtype: dt.DType) -> Any:
    """Return cells of few values, with zeros of both signs, and NaNs."""
    array = tough(shape, dtype)
    if dtype.kind == "float":
        array = np.round(array.astype("f8") * 2).astype(dtype.np)
        array[1::7, ::3] = 0
        array.reshape(-1)[np.flatnonzero(np.isnan(array))[30:]] = 3
    return array


def check(got: Any, want: Any) -> None:
    got, want = (v if isinstance(v, tuple) else (v,) for v in (got, want))
    for a, b in zip(got, want, strict=True):
        assert same(a.numpy(), b.numpy())


@pytest.mark.parametrize(("name", "order"), in_turn(SETS, "CF", every=2))
def test_same_bits_as_the_whole(tmp_path: Path, name: str, order: str, sweeps: list[Sweep[Any]]) -> None:
    array = few((300, 200), dt.float32)
    array[:4] = -0.0
    array[array > 8] = np.inf
    path = written(tmp_path / "x.npy", array, order)
    want = SETS[name](weft.asarray(array))
    with limited(100_000):
        check(SETS[name](open_file(path)), want)
    assert min(tiles_of(sweeps, DistinctCells)) > 3


@pytest.mark.parametrize(("dtype", "name"), in_turn(REAL, ("columns", "apart"), every=2), ids=str)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, name: str, sweeps: list[Sweep[Any]]) -> None:
    array = few((200, 140), dtype)
    path = written(tmp_path / "x.npy", array, big=True)
    want = SETS[name](weft.asarray(array))
    with limited(40_000):
        check(SETS[name](open_file(path)), want)
    assert max(tiles_of(sweeps, DistinctCells)) > 3


MEMBERS: dict[str, Callable[[Tensor], Any]] = {
    "isin": lambda x: weft.isin(x, [1.0, -3.0, np.nan, 700.0]),
    "not in": lambda x: weft.isin(x * 2, [4.0, 0.0], invert=True).sum(),
    "in none": lambda x: weft.isin(x, weft.asarray([], dtype=weft.float32)),
    "in a file": lambda x: weft.isin(weft.asarray([1.0, 1.5]), x),
    "intersect1d": lambda x: weft.intersect1d(x, [5.0, -2.0, 0.25, 0.0]),
    "setxor1d": lambda x: weft.setxor1d(x, [5.0, 0.25]),
    "setdiff1d": lambda x: weft.setdiff1d(x, [5.0, 0.25]),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_members_of_files(tmp_path: Path, name: str) -> None:
    array = few((300, 200), dt.float32)
    path = written(tmp_path / "x.npy", array)
    want = MEMBERS[name](weft.asarray(array))
    with limited(100_000):
        check(MEMBERS[name](open_file(path)), want)


MANY = {name: SETS[name] for name in SETS.keys() - {"all", "columns", "apart", "inverse"}} | {
    "first positions": lambda x: weft.unique(x, True, False, True),
    "first positions apart": lambda x: weft.unique(x, True, False, True, equal_nan=False),
}


@pytest.mark.parametrize("name", sorted(MANY))
def test_more_distinct_values_than_memory_holds(tmp_path: Path, name: str) -> None:
    array = tough((120, 125), dt.float32)
    path = written(tmp_path / "x.npy", array)
    want = MANY[name](weft.asarray(array))
    with limited(34_000):
        check(MANY[name](open_file(path)), want)


def test_no_inverse_of_more_values_than_memory_holds(tmp_path: Path) -> None:
    path = written(tmp_path / "x.npy", tough((300, 200), dt.float32))
    with (
        limited(64_000),
        pytest.raises(OutOfMemory, match=r"^unique: .* of more than 4000 bytes.*inverse"),
    ):
        weft.unique_inverse(open_file(path))


@settings(max_examples=examples(20, quick=6))
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("any")
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=2, max_size=2)))
    array = data.draw(st.sampled_from([tough, few]))(shape, data.draw(st.sampled_from([dt.float32, dt.int8])))
    parts = tuple(data.draw(st.integers(1, n)) for n in shape)
    weft.save(folder / "x.zarr", weft.asarray(array), chunks=parts)
    name = data.draw(st.sampled_from(["values", "unique", "counts of a product"]))
    with limited(data.draw(st.integers(3000, 20_000))):
        check(SETS[name](weft.open(folder / "x.zarr")), SETS[name](weft.asarray(array)))


def test_nans_keep_their_bits(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = np.random.default_rng(0).choice(np.array([0.0, -0.0, 1.0, np.nan], np.float32), (20_000,))
    array.view(np.uint32)[::3] |= 0x80000000
    array[9:] = np.abs(array[9:])
    array[np.flatnonzero(np.isnan(array))[3:]] = 2
    path = written(tmp_path / "x.npy", array)
    for name in ("values", "unique", "all"):
        want = SETS[name](weft.asarray(array))
        with limited(24_000):
            got = SETS[name](open_file(path))
        want, got = (v[0] if isinstance(v, tuple) else v for v in (want, got))
        assert np.array_equal(got.numpy().view("u4"), want.numpy().view("u4"))
    assert max(tiles_of(sweeps, DistinctCells)) > 3


def test_positions_among_distinct_values_are_not_stored(tmp_path: Path) -> None:
    array = few((300, 200), dt.float32)
    weft.save(tmp_path / "x.zarr", array, chunks=(30, 50))
    with limited(100_000):
        numbers = weft.unique(weft.open(tmp_path / "x.zarr"), return_inverse=True)[1]
        assert "already stored" not in str(weft.explain(numbers))
        weft.save(tmp_path / "y.npy", numbers)
    assert same(np.load(tmp_path / "y.npy"), weft.unique(weft.asarray(array), return_inverse=True)[1].numpy())
