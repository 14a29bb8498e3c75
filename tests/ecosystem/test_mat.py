"""MATLAB's files have the arrays that SciPy reads, in MATLAB's dtypes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

scipy_io = pytest.importorskip("scipy.io")
h5py = pytest.importorskip("h5py")
sparse = pytest.importorskip("scipy.sparse")

import weft  # noqa: E402
from weft.errors import FileFormatError, WeftError  # noqa: E402

DTYPES = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "c16", "c8", "?"]


def refused(*args: Any, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(*args, **options).numpy()
    return str(caught.value)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays(tmp_path: Path, dtype: str, packed: bool) -> None:
    a = (np.arange(24) % 5).reshape(2, 3, 4).astype(dtype)
    scipy_io.savemat(tmp_path / "a.mat", {"a": a, "label": "text", "x": 1.5}, do_compression=packed)
    x = weft.open(tmp_path / "a.mat", name="a")
    assert (x.dtype.np, x.shape) == (a.dtype, a.shape)
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal(x[1, ::-2].numpy(), a[1, ::-2])
    assert list(weft.open_all(tmp_path / "a.mat")) == ["a", "x"]
    assert weft.open(f"{tmp_path}/a.mat::x").tolist() == [[1.5]]


def test_version_4_and_objects(tmp_path: Path) -> None:
    scipy_io.savemat(tmp_path / "a.mat", {"a": np.eye(3)}, format="4")
    assert weft.open(tmp_path / "a.mat").tolist() == np.eye(3).tolist()
    data = io.BytesIO((tmp_path / "a.mat").read_bytes())
    assert weft.open(data, format="mat").shape == (3, 3)


def test_what_is_no_array_of_numbers(tmp_path: Path) -> None:
    values = {"s": {"f": 1}, "c": np.array([1, "x"], object), "t": "text", "p": sparse.eye(3), "n": np.ones(2)}
    scipy_io.savemat(tmp_path / "a.mat", values)
    assert list(weft.open_all(tmp_path / "a.mat")) == ["n"]
    for name, why in {"s": "a struct", "c": "a cell array", "t": "text", "p": "sparse; save full(x)"}.items():
        assert f"'{name}' is {why}" in refused(tmp_path / "a.mat", name=name)
    assert "has no array 'zz'; holds 1 arrays: n" in refused(tmp_path / "a.mat", name="zz")


def version_73(path: Path) -> Path:
    """A file as MATLAB writes it with -v7.3: a block of its own, then HDF5 with axes reversed."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, kind, values in (
            ("a", "double", np.arange(24.0).reshape(2, 3, 4)),
            ("l", "logical", np.array([[1, 0, 1]], "u1")),
            ("t", "char", np.array([[72, 105]], "u2")),
        ):
            data = file.create_dataset(name, data=values.T, chunks=True if name == "a" else None)
            data.attrs["MATLAB_class"] = np.bytes_(kind)
        file.create_dataset("#refs#/x", data=np.ones(2))
    raw = bytearray(path.read_bytes())
    raw[:19] = b"MATLAB 7.3 MAT-file"
    path.write_bytes(raw)
    return path


def test_version_73(tmp_path: Path) -> None:
    path = version_73(tmp_path / "a.mat")
    found = weft.open_all(path)
    assert list(found) == ["a", "l"]
    a = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(found["a"].numpy(), a)
    np.testing.assert_array_equal(found["a"][1, :, ::2].numpy(), a[1, :, ::2])
    assert found["l"].tolist() == [[True, False, True]]
    assert "'t' is text, which is no number" in refused(path, name="t")


def test_bad_files(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    scipy_io.savemat(path, {"a": np.arange(100.0), "b": np.ones(3)}, do_compression=True)
    whole = path.read_bytes()
    for length in (0, 3, 100, 130, len(whole) - 5):
        path.write_bytes(whole[:length])
        assert str(path) in refused(path, name="b")
    for at in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[at] ^= 0x5A
        path.write_bytes(changed)
        try:
            weft.open(path, name="a").numpy()
        except WeftError as error:
            assert str(path) in str(error)
