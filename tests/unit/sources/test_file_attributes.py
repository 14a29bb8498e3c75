"""Attributes of files and arrays, in every format that has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import safetensors.numpy
from astropy.io import fits

import weft
from weft.cli.main import run
from weft.errors import FileFormatError, WeftError


@pytest.fixture
def hdf5(tmp_path: Path) -> Path:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.attrs["title"] = "July"
        data = file.create_dataset("g/t", data=np.ones(3))
        data.attrs["units"] = "K"
        data.attrs["fixed"] = np.bytes_("text")
        data.attrs["range"] = np.array([1, 9], "i2")
        data.attrs["names"] = ["a", "b"]
        data.attrs["one"] = np.array([2.5])
        data.attrs["reference"] = data.ref
        data.attrs["record"] = np.zeros(1, "i4,f4")
        data.attrs["nothing"] = h5py.Empty("f4")
    return tmp_path / "a.h5"


def test_hdf5(hdf5: Path) -> None:
    assert weft.attributes(hdf5) == {"title": "July"}
    wanted = {"units": "K", "fixed": "text", "range": [1, 9], "names": ["a", "b"], "one": 2.5}
    assert weft.attributes(hdf5, "g/t") == wanted
    assert weft.attributes(f"{hdf5}::g/t") == wanted
    with pytest.raises(FileFormatError, match="has no array 'zzz'; open_all lists those that it has; give one of them"):
        weft.attributes(hdf5, "zzz")


def test_the_command_shows_them(hdf5: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", "--json", str(hdf5)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["attributes"]["units"] == "K"


def test_fits(tmp_path: Path) -> None:
    unit = fits.PrimaryHDU(np.ones((2, 2), "f4"))
    unit.header["OBJECT"] = "M 31"
    unit.header["EXPTIME"] = 2.5
    unit.writeto(tmp_path / "a.fits")
    found = weft.attributes(tmp_path / "a.fits")
    assert (found["OBJECT"], found["EXPTIME"], found["NAXIS"], found["SIMPLE"]) == ("M 31", 2.5, 2, True)
    assert weft.attributes(tmp_path / "a.fits", 0) == found


def test_safetensors(tmp_path: Path) -> None:
    safetensors.numpy.save_file({"w": np.ones(3)}, tmp_path / "a.safetensors", metadata={"format": "pt"})
    assert weft.attributes(tmp_path / "a.safetensors") == {"format": "pt"}
    assert weft.attributes(tmp_path / "a.safetensors", "w") == {}


@pytest.mark.parametrize("version", [2, 3])
def test_zarr(tmp_path: Path, version: int) -> None:
    weft.save(tmp_path / "a.zarr", {"g/t": np.ones(3)}, version=version)
    folder = tmp_path / "a.zarr" / "g" / "t"
    if version == 3:
        metadata = json.loads((folder / "zarr.json").read_text())
        (folder / "zarr.json").write_text(json.dumps({**metadata, "attributes": {"units": "K"}}))
    else:
        (folder / ".zattrs").write_text('{"units": "K"}')
    assert weft.attributes(tmp_path / "a.zarr", "g/t") == {"units": "K"}
    assert weft.attributes(tmp_path / "a.zarr") == {}
    for name in ("nope", "../a", 3):
        with pytest.raises(FileFormatError, match="has no array"):
            weft.attributes(tmp_path / "a.zarr", name)


@pytest.mark.parametrize(("ending", "options"), [(".npy", {}), (".npz", {}), (".bin", {})])
def test_formats_without_any(tmp_path: Path, ending: str, options: dict[str, Any]) -> None:
    weft.save(tmp_path / f"a{ending}", np.ones(3), **options)
    assert weft.attributes(tmp_path / f"a{ending}") == {}
    if ending == ".npy":
        with pytest.raises(FileFormatError, match="holds one array without a name; 'x' is none; leave it out"):
            weft.attributes(tmp_path / "a.npy", "x")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 70_000, "../a", "."])
@pytest.mark.parametrize("ending", ["npz", "safetensors", "h5", "fits", "nc", "zarr"])
def test_odd_names(tmp_path: Path, ending: str, name: str) -> None:
    path = tmp_path / f"a.{ending}"
    weft.save(path, {"a": np.ones(3), "b": np.ones(3)})
    with pytest.raises(FileFormatError, match=str(path)):
        weft.open(path, **{"hdu" if ending == "fits" else "name": name})
    if ending != "npz":
        with pytest.raises(FileFormatError, match=str(path)):
            weft.attributes(path, name)
    try:
        weft.save(tmp_path / f"b.{ending}", {name: np.ones(3)})
    except WeftError as error:
        assert f"b.{ending}" in str(error)
    else:
        assert list(weft.open_all(tmp_path / f"b.{ending}")) == [name]
