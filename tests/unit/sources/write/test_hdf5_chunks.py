"""Chunks of HDF5 that weft encodes itself: what h5py reads of them, and when the library encodes them as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.sources.formats import hdf5_write

NAMES = ("bool", "int16", "uint64", "float16", "float32", "float64", "bfloat16", "complex64", "complex128")
DTYPES = [d for d in weft.dtypes.ALL if d.name in NAMES]
FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "deflate": {"compression": "gzip"},
    "shuffle": {"shuffle": True},
    "both": {"compression": 7, "shuffle": True},
}


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that notes, for each dataset opened for writing, if weft encodes its chunks."""
    found: list[bool] = []
    make = hdf5_write._encoder

    def noted(dataset: Any, field: Any) -> Any:
        found.append((encode := make(dataset, field)) is not None)
        return encode

    monkeypatch.setattr(hdf5_write, "_encoder", noted)
    return found


@for_each("filters", FILTERS)
def test_the_library_reads_chunks_of_every_dtype(filters: str, tmp_path: Path, direct: list[bool]) -> None:
    cells = np.random.default_rng(3).normal(size=(37, 50)) * 20
    for d in DTYPES:
        for byteorder in ("<", ">"):
            array = cells.astype(d.np)
            kept = array if d is weft.bfloat16 else array.astype(array.dtype.newbyteorder(byteorder))
            weft.save(tmp_path / "a.h5", weft.array(kept), chunks=(10, 16), **FILTERS[filters])
            with h5py.File(tmp_path / "a.h5") as file:
                found = file["data"][...]
            found = found.view(ml_dtypes.bfloat16) if d is weft.bfloat16 else found
            assert np.array_equal(found, array), (d.name, byteorder)
            assert np.array_equal(weft.open(tmp_path / "a.h5").numpy(), array), (d.name, byteorder)
    assert all(direct)


EXISTING: dict[str, tuple[bool, dict[str, Any]]] = {
    "of the same kind": (True, {"dtype": "<f4", "compression": "gzip"}),
    "with another fill value": (False, {"dtype": "<f4", "fillvalue": 7.0}),
    "with checksums": (False, {"dtype": "<f4", "fletcher32": True}),
    "by another filter": (False, {"dtype": "<f4", "compression": "lzf"}),
}


@for_each("name", EXISTING)
def test_existing_datasets_get_whole_chunks_and_parts(name: str, tmp_path: Path, direct: list[bool]) -> None:
    is_direct, how = EXISTING[name]
    direct.clear()
    expected = np.arange(23 * 30, dtype="f4").reshape(23, 30)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", data=expected, chunks=(5, 8), maxshape=(None, 30), **how)
    part = np.full((11, 17), -1.0, "f4")
    weft.save(tmp_path / "a.h5", weft.asarray(part), name="a", region=(slice(5, 16), slice(8, 25)))
    expected[5:16, 8:25] = -1
    more = np.full((9, 30), 3.0, "f4")
    weft.save(tmp_path / "a.h5", weft.asarray(more), name="a", append=0)
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.array_equal(file["a"][...], np.concatenate([expected, more]))
    assert direct == [is_direct, is_direct]


def test_cells_beyond_the_edge_are_zero_when_a_dataset_grows(tmp_path: Path) -> None:
    weft.save(tmp_path / "a.h5", weft.ones((7, 7)), chunks=(5, 5), maxshape=(None, None), compression="gzip")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["data"].resize((10, 10))
        assert file["data"][...].sum() == 49
