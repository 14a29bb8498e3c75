"""NetCDF files mean what xarray says that they mean, and xarray reads those that weft writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")
netCDF4 = pytest.importorskip("netCDF4")
pytest.importorskip("h5py")

import weft  # noqa: E402

FORMATS = ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]


def written(path: Path, form: str, dtype: str, attributes: dict[str, Any], values: Any) -> Path:
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.title = "July"
        file.createDimension("time", None)
        file.createDimension("x", values.shape[1])
        attributes = dict(attributes)
        v = file.createVariable("t", dtype, ("time", "x"), fill_value=attributes.pop("_FillValue", None))
        v.set_auto_maskandscale(False)
        v.setncatts(attributes)
        v[:] = values.astype(dtype)
    return path


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("f4", {}),
    "units": ("i4", {"units": "K"}),
    "fill of int16": ("i2", {"_FillValue": np.int16(7)}),
    "fill of int32": ("i4", {"_FillValue": np.int32(7)}),
    "fill of float32": ("f4", {"_FillValue": np.float32(7)}),
    "fill of float64": ("f8", {"_FillValue": 7.0, "missing_value": 9.0}),
    "missing": ("i1", {"missing_value": np.int8(7)}),
    "NaN as fill": ("f4", {"_FillValue": np.float32(np.nan)}),
    "scale float64": ("i2", {"scale_factor": 0.1}),
    "scale float32": ("i2", {"scale_factor": np.float32(0.1)}),
    "scale and offset float32": ("i2", {"scale_factor": np.float32(0.1), "add_offset": np.float32(273.15)}),
    "of int32 float32": ("i4", {"scale_factor": np.float32(0.1), "add_offset": np.float32(273.15)}),
    "offset float32": ("i2", {"add_offset": np.float32(273.15)}),
    "mixed": ("i2", {"scale_factor": np.float32(0.1), "add_offset": 273.15}),
    "all": ("i2", {"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": np.int16(7)}),
    "all float32": ("i2", {"scale_factor": np.float32(0.01), "add_offset": np.float32(1), "_FillValue": np.int16(7)}),
    "of float32": ("f4", {"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": np.float32(7)}),
    "unsigned": ("i1", {"_Unsigned": "true", "_FillValue": np.int8(-1), "scale_factor": 0.5}),
    "unsigned alone": ("i1", {"_Unsigned": "true"}),
    "units of time": ("f8", {"units": "days since 2000-01-01", "_FillValue": 7.0}),
}


@pytest.mark.filterwarnings("ignore:variable 't' has multiple fill values")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_values_are_those_of_xarray(tmp_path: Path, case: str, form: str) -> None:
    dtype, attributes = CASES[case]
    values = np.arange(-20, 100).reshape(8, 15)
    path = written(tmp_path / "a.nc", form, dtype, attributes, values)
    with xarray.open_dataset(path, decode_times=False, engine="netcdf4") as data:
        wanted = data["t"].values
    x = weft.open(path, name="t")
    assert x.dtype.np == wanted.dtype
    np.testing.assert_array_equal(x.numpy(), wanted)
    np.testing.assert_array_equal(x[::3, 4].numpy(), wanted[::3, 4])
    raw = weft.open(path, name="t", raw=True)
    assert raw.dtype.np == np.dtype(dtype)
    np.testing.assert_array_equal(raw.numpy(), values.astype(dtype))


@pytest.mark.parametrize("form", FORMATS)
def test_attributes(tmp_path: Path, form: str) -> None:
    path = written(
        tmp_path / "a.nc", form, "i2", {"units": "K", "valid_range": np.array([1, 9], "i2")}, np.ones((2, 3))
    )
    assert weft.attributes(path) == {"title": "July"}
    found = weft.attributes(path, "t")
    assert (found["units"], found["valid_range"]) == ("K", [1, 9])


def test_what_xarray_writes(tmp_path: Path) -> None:
    """A file as climate scientists have them, packed on writing."""
    time = np.arange(10) * 6
    t = (280 + np.random.default_rng(0).normal(0, 9, (10, 4, 5))).astype("f4")
    t[3, 1, 2] = np.nan
    data = xarray.Dataset(
        {"t2m": (("time", "lat", "lon"), t, {"units": "K", "long_name": "temperature"})},
        {"time": ("time", time, {"units": "hours since 2020-01-01"}), "lat": np.linspace(-60, 60, 4)},
    )
    packed = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768, "zlib": True}
    data.to_netcdf(tmp_path / "a.nc", encoding={"t2m": packed})
    found = weft.open_all(tmp_path / "a.nc")
    assert set(found) >= {"t2m", "time", "lat"}
    with xarray.open_dataset(tmp_path / "a.nc", decode_times=False) as read:
        np.testing.assert_array_equal(found["t2m"].numpy(), read["t2m"].values)
    assert found["time"].tolist() == time.tolist()
    assert weft.attributes(tmp_path / "a.nc", "time")["units"] == "hours since 2020-01-01"


# ---- writing


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8", "u8"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 5), (1, 1)])
def test_others_read_what_is_written(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    values = (np.arange(np.prod(shape, dtype=int)) % 100).astype(dtype).reshape(shape)
    weft.save(tmp_path / "a.nc", {"a": values, "b": np.ones(3, "i1")})
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        assert file["a"].dtype == np.dtype(dtype)
        np.testing.assert_array_equal(np.asarray(file["a"][...]), values)
    np.testing.assert_array_equal(weft.open(tmp_path / "a.nc", name="a").numpy(), values)
    with xarray.open_dataset(
        tmp_path / "a.nc", engine="scipy" if dtype in ("i1", "i2", "i4", "f4", "f8") else None
    ) as x:
        np.testing.assert_array_equal(x["a"].values, values)


def test_names_and_attributes_that_are_written(tmp_path: Path) -> None:
    t = np.arange(24.0).reshape(2, 3, 4)
    weft.save(
        tmp_path / "a.nc",
        {"t": weft.asarray(t), "lat": np.array([1.0, 2, 3])},
        dims={"t": ("time", "lat", "lon"), "lat": "lat"},
        attributes={"": {"title": "July", "version": 3}, "t": {"units": "K", "scale_factor": 0.5, "range": [1, 2]}},
    )
    with xarray.open_dataset(tmp_path / "a.nc") as found:
        assert dict(found.sizes) == {"time": 2, "lat": 3, "lon": 4}
        assert found.attrs == {"title": "July", "version": 3}
        assert found["t"].attrs["units"] == "K"
        assert found["lat"].dims == ("lat",)
        np.testing.assert_array_equal(found["t"].values, t * 0.5)
    np.testing.assert_array_equal(weft.open(tmp_path / "a.nc", name="t").numpy(), t * 0.5)
    np.testing.assert_array_equal(weft.open(tmp_path / "a.nc", name="t", raw=True).numpy(), t)
    weft.save(tmp_path / "b.nc", t, name="u", dims=("a", "b", "c"), attributes={"units": "m"})
    with xarray.open_dataset(tmp_path / "b.nc") as found:
        assert (found["u"].dims, found["u"].attrs) == (("a", "b", "c"), {"units": "m"})


def test_axes_without_names(tmp_path: Path) -> None:
    weft.save(tmp_path / "a.nc", {"a": np.ones((3, 3)), "b": np.ones((4, 3))})
    with xarray.open_dataset(tmp_path / "a.nc") as found:
        assert (found["a"].dims, found["b"].dims) == (("dim_0", "dim_1"), ("dim_2", "dim_0"))
