"""NetCDF files that weft writes: read back, in tiles, with names and attributes; and what does not fit them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, FileFormatError, ShapeError, ValueRangeError


@pytest.mark.parametrize("dtype", ["i1", "i2", ">i4", "f4", "f8", "u1", "u2", "u4", ">i8", "u8"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 5)])
def test_round_trip(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    values = (np.arange(np.prod(shape, dtype=int)) % 100).astype(dtype).reshape(shape)
    weft.save(tmp_path / "a.nc", {"a": values, "größe": np.ones((3, 1), "i1")})
    found = weft.open_all(tmp_path / "a.nc")
    assert list(found) == ["a", "größe"]
    assert found["a"].dtype.np == values.dtype.newbyteorder("=")
    np.testing.assert_array_equal(found["a"].numpy(), values)
    assert (tmp_path / "a.nc").read_bytes()[3] == (2 if dtype.strip("<>") in ("i1", "i2", "i4", "f4", "f8") else 5)


def test_one_written_in_tiles(tmp_path: Path) -> None:
    x = weft.sin(weft.reshape(weft.arange(600_000), (300, 2000)))
    weft.save(tmp_path / "a.nc", x, memory="1MiB")
    np.testing.assert_array_equal(weft.open(tmp_path / "a.nc").numpy(), x.numpy())
    assert list(weft.open_all(tmp_path / "a.nc")) == ["data"]


def test_attributes(tmp_path: Path) -> None:
    about = {"units": "K", "empty": "", "n": 3, "x": 0.5, "many": [1, 2], "small": np.int8(1), "wide": np.float32(0.1)}
    weft.save(tmp_path / "a.nc", np.ones(3), attributes=about)
    found = weft.attributes(tmp_path / "a.nc", "data")
    assert found == {**about, "small": 1, "wide": float(np.float32(0.1))}
    assert weft.attributes(f"{tmp_path}/a.nc::data") == found
    assert weft.attributes(tmp_path / "a.nc") == {}
    with pytest.raises(FileFormatError, match="has no array 'z'; open_all lists those that it has"):
        weft.attributes(tmp_path / "a.nc", "z")


def test_packed_values(tmp_path: Path) -> None:
    about = {"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": np.int16(-1), "missing_value": [np.int16(9)]}
    weft.save(tmp_path / "a.nc", np.array([0, 3, -1, 9], "i2"), attributes=about | {"missing_value": np.int16(9)})
    x = weft.open(tmp_path / "a.nc")
    assert x.dtype is weft.float64
    np.testing.assert_array_equal(x.numpy(), [10, 11.5, np.nan, np.nan])
    assert weft.open(tmp_path / "a.nc", raw=True).tolist() == [0, 3, -1, 9]
    assert weft.open_all(tmp_path / "a.nc", raw=True)["data"].tolist() == [0, 3, -1, 9]


@pytest.mark.parametrize(
    ("value", "options", "error", "message"),
    [
        (np.ones(2, bool), {}, DTypeError, r"array 'data' is bool; NetCDF has int8, .*; convert it"),
        (np.ones(2, "c8"), {}, DTypeError, "is complex64"),
        (np.ones((2, 0)), {}, ShapeError, r"shape \(2, 0\); NetCDF has no axis of 0"),
        ({"a/b": np.ones(2)}, {}, ValueRangeError, "takes no '/' and no NUL; rename it"),
        (np.ones(2), {"dims": ("x", "y")}, ValueRangeError, "each axis has a name; give as many texts"),
        (np.ones((2, 3)), {"dims": ("x", "x")}, ValueRangeError, "dimension 'x' has size 2 and size 3"),
        ({"a": np.ones(2), "b": np.ones(2)}, {"dims": {"c": "x"}}, ValueRangeError, "dims for .*; the arrays are a, b"),
        (np.ones(2), {"attributes": {"u": 1j}}, ValueRangeError, "attribute 'u' is 1j; the format takes text"),
        (np.ones(2), {"attributes": {"u": {}}}, ValueRangeError, "attribute 'u' is {}"),
        (np.ones(2), {"attributes": 3}, ValueRangeError, "attributes 3; they are texts and numbers by name"),
        (np.ones(2), {"attributs": {}}, ValueRangeError, "option 'attributs' is unknown; .nc takes name, dims,"),
    ],
    ids=lambda x: x if isinstance(x, str) else None,
)  # fmt: skip
def test_what_does_not_fit(tmp_path: Path, value: Any, options: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        weft.save(tmp_path / "a.nc", value, **options)
    assert list(tmp_path.iterdir()) == []
