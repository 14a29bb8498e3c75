"""xarray over tensors: what its users call gives the values of the same program over NumPy's arrays, as tensors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

xr = pytest.importorskip("xarray")

import weft  # noqa: E402

VALUES = np.array([[0.0, 5.0, np.nan, 3.0], [4.0, np.nan, 6.0, 7.0], [8.0, 9.0, 1.0, 11.0]])


def table(data: Any) -> Any:
    return xr.DataArray(data, dims=("t", "s"), coords={"t": [1, 2, 3]}, name="a")


def weights(data: Any) -> Any:
    return xr.DataArray(np.array([1.0, 2.0, 3.0]), dims="t")


PENDING: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda a: np.sqrt(a * 2 + 1) - a.T,
    "where": lambda a: a.where(a > 3),
    "shift": lambda a: a.shift(t=1),
    "shift of integers": lambda a: a.fillna(0).astype("int16").shift(t=1),
    "pad": lambda a: a.pad(t=1),
    "mean": lambda a: a.mean("t"),
    "std": lambda a: a.std("t", ddof=1),
    "rolling mean": lambda a: a.rolling(t=2).mean(),
    "rolling construct": lambda a: a.rolling(t=2).construct("w"),
    "coarsen": lambda a: a.coarsen(s=2).mean(),
    "weighted": lambda a: a.weighted(weights(a)).mean("t"),
    "cumsum": lambda a: a.cumsum("t"),
    "concat": lambda a: xr.concat([a, a], "t"),
    "reindex": lambda a: a.reindex(t=[0, 1, 2]),
    "groupby": lambda a: a.groupby("t").mean(),
    "corr": lambda a: xr.corr(a, a, "t"),
    "dot": lambda a: xr.dot(a, a),
    "cross": lambda a: xr.cross(a, a + 1, dim="t"),
    "isnull": lambda a: a.isnull(),
    "clip": lambda a: a.clip(2, 5),
}


@pytest.mark.parametrize("name", PENDING)
def test_operations_give_tensors_with_the_values_of_numpy(name: str) -> None:
    ours, theirs = PENDING[name](table(weft.asarray(VALUES))), PENDING[name](table(VALUES))
    assert isinstance(ours.data, weft.Tensor)
    assert ours.dtype == theirs.dtype and ours.dims == theirs.dims
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-14)


def test_arithmetic_and_where_compute_nothing() -> None:
    a = table(weft.asarray(VALUES))
    with weft.profile() as found:
        made = (a * 2 + 1).where(a > 2).mean("t", skipna=False)
    assert isinstance(made.data, weft.Tensor) and found.kernels_run == found.calls == 0
    assert np.isnan(made.values).tolist() == [True, True, True, False]


@pytest.mark.parametrize("engine", ["netcdf4", "scipy"])
def test_to_netcdf_writes_the_values(tmp_path: Path, engine: str) -> None:
    pytest.importorskip({"netcdf4": "netCDF4"}.get(engine, engine))
    table(weft.asarray(VALUES)).to_netcdf(tmp_path / "a.nc", engine=engine)
    np.testing.assert_array_equal(xr.load_dataarray(tmp_path / "a.nc", engine=engine).values, VALUES)


def test_a_dataset_interpolates_its_tensors() -> None:
    made = [table(data).to_dataset().interp(t=1.5)["a"].values for data in (weft.asarray(VALUES), VALUES)]
    np.testing.assert_array_equal(*made)


def test_bfloat16_has_missing_values_of_its_own() -> None:
    made = table(weft.asarray(VALUES).astype(weft.bfloat16)).shift(t=1)
    assert made.data.dtype is weft.bfloat16
    assert np.isnan(made.values[0].astype(float)).all()


@pytest.mark.parametrize("ending", ["zarr", "h5"])
def test_tensors_of_chunked_files_stay_pending(tmp_path: Path, ending: str) -> None:
    weft.save(tmp_path / f"a.{ending}", VALUES, chunks=(1, 2))
    data = weft.open(tmp_path / f"a.{ending}")
    assert data.chunks == (1, 2)
    a = table(data)
    with weft.profile() as found:
        made = (a * 2 + 1).where(a > 2).rolling(t=2).mean().isel(s=slice(1, 3))
        assert a.chunks is None and not a.chunksizes and not a.to_dataset().chunks
    assert isinstance(made.data, weft.Tensor) and found.kernels_run == found.calls == 0
    plain = table(VALUES)
    np.testing.assert_allclose(made.values, (plain * 2 + 1).where(plain > 2).rolling(t=2).mean().values[:, 1:3])
    for name in PENDING:
        np.testing.assert_allclose(PENDING[name](a).values, PENDING[name](plain).values, rtol=1e-14)
    a.to_netcdf(tmp_path / "b.nc")
    np.testing.assert_array_equal(xr.load_dataarray(tmp_path / "b.nc").values, VALUES)


def test_arrays_in_memory_are_shared() -> None:
    values = VALUES.copy()
    x = weft.asarray(table(values))
    values[0, 0] = 42
    assert x[0, 0].item() == 42
    with weft.profile() as found:
        x = weft.asarray(table(weft.asarray(values) * 2))
    assert found.kernels_run == found.calls == 0 and x[0, 0].item() == 84


@pytest.mark.parametrize("chunks", [None, {"t": 2}])
def test_arrays_that_are_not_loaded_are_read_in_parts(tmp_path: Path, chunks: Any) -> None:
    pytest.importorskip("dask" if chunks else "xarray")
    table(VALUES).to_dataset().to_netcdf(tmp_path / "a.nc")
    with xr.open_dataset(tmp_path / "a.nc", chunks=chunks) as data:
        x = weft.asarray(data["a"])
        assert x.chunks == ((2, 4) if chunks else None)
        np.testing.assert_array_equal(x[1:, ::2].numpy(), VALUES[1:, ::2])
        np.testing.assert_array_equal(weft.open(data["a"].variable).numpy(), VALUES)
        assert not data["a"].variable._in_memory
