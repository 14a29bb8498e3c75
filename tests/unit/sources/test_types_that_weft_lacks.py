"""Arrays of text, dates or records beside numbers: each is refused by its name, and `open_all` gives the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

import weft
from weft.errors import FileFormatError, UnsupportedTypeError

TEXTS, NUMBERS = np.array(["a", "b"]), np.arange(3.0)


def _hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["x"], file["s"] = NUMBERS, TEXTS.astype("S1")


def _zarr(version: int) -> Callable[[Path], None]:
    def made(path: Path) -> None:
        weft.save(path, {"x": NUMBERS, "s": NUMBERS}, version=version)
        file = path / "s" / ("zarr.json" if version == 3 else ".zarray")
        key, text = ("data_type", "string") if version == 3 else ("dtype", "<U1")
        file.write_text(json.dumps({**json.loads(file.read_text()), key: text}))

    return made


MADE: dict[str, Callable[[Path], None]] = {
    "a.npz": lambda path: np.savez(path, x=NUMBERS, s=TEXTS),
    "b.npz": lambda path: np.savez_compressed(path, x=NUMBERS, s=TEXTS),
    "c.npz": lambda path: np.savez(path, x=NUMBERS, s=np.array([None, 1])),
    "d.npz": lambda path: np.savez(path, x=NUMBERS, s=np.zeros(2, [("a", "f4"), ("b", "i2")])),
    "a.h5": _hdf5,
    "a.zarr": _zarr(3),
    "b.zarr": _zarr(2),
}


@pytest.mark.parametrize("name", MADE)
def test_open_all_leaves_them_out(tmp_path: Path, name: str) -> None:
    MADE[name](tmp_path / name)
    assert {n: x.tolist() for n, x in weft.open_all(tmp_path / name).items()} == {"x": NUMBERS.tolist()}
    assert weft.open(tmp_path / name, name="x").tolist() == NUMBERS.tolist()


@pytest.mark.parametrize("name", MADE)
def test_each_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    MADE[name](tmp_path / name)
    with pytest.raises(UnsupportedTypeError, match=rf"{name}(::s| ?/s/|: dataset 's')"):
        weft.open(tmp_path / name, name="s")


def test_damaged_arrays_are_not_left_out(tmp_path: Path) -> None:
    MADE["a.zarr"](tmp_path / "a.zarr")
    (tmp_path / "a.zarr" / "s" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "array"}')
    with pytest.raises(FileFormatError, match="has no 'data_type'"):
        weft.open_all(tmp_path / "a.zarr")
