"""Lines that users of other libraries type, with tensors as operands: each works, or its error says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X = [1.0, 2.0, 3.0]


def tensor() -> weft.Tensor:
    return weft.asarray(X)


def mask() -> weft.Tensor:
    return weft.asarray([True, False, True])


def picture() -> weft.Tensor:
    return weft.asarray((np.arange(48) % 255).astype("u1").reshape(4, 4, 3))


# ---- pandas


def test_pandas_computes_with_tensors() -> None:
    pd = pytest.importorskip("pandas")
    x, series = tensor(), pd.Series(X)
    for made in (series * x, x * series, np.multiply(series, x), series.mul(x)):
        assert type(made) is pd.Series and made.tolist() == [1, 4, 9]
    assert pd.Series(x).tolist() == X and pd.DataFrame({"a": x})["a"].tolist() == X
    assert np.sin(series).dtype == "float64" and (series == x).all()
    assert pd.DataFrame(weft.ones((2, 2))).shape == (2, 2) and pd.Series(x).describe()["max"] == 3
    assert type(weft.asarray(series) * x) is weft.Tensor


def test_pandas_takes_masks_and_positions() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert frame[mask()]["a"].tolist() == [1, 3] == frame.loc[mask()]["a"].tolist() == frame["a"][mask()].tolist()
    assert frame.iloc[weft.asarray([2, 0])]["a"].tolist() == [3, 1]
    frame["b"] = tensor()
    frame.loc[mask(), "b"] = 0
    assert frame["b"].tolist() == [0, 2, 0]
    with pytest.raises((KeyError, ValueError)):
        frame[weft.asarray([True])]


# ---- dask


def test_pandas_reads_and_writes_single_cells() -> None:
    pd = pytest.importorskip("pandas")
    x, a = weft.asarray([1.0, 4.0, 3.0]), np.asarray([1.0, 4.0, 3.0])

    def results(x: Any) -> list[Any]:
        frame, series = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}), pd.Series([1.0, 2.0, 3.0])
        found = [frame - x.mean(), x.mean() - frame, frame > x.mean(), frame * x[1], series - x.mean()]
        frame.iloc[0, 0] = x[1]
        frame.loc[[False, True, True], "b"] = x[0]
        found.append(frame.copy())
        frame.loc[:, "a"] = x
        series.iloc[0] = x[1]
        found.append(series.copy())
        series[:] = x
        return [*found, frame, series]

    for got, wanted in zip(results(x), results(a), strict=True):
        assert got.equals(wanted) and all(type(v.to_numpy()) is np.ndarray for v in (got, wanted))


def test_dask_takes_percentiles_of_tensors() -> None:
    da = pytest.importorskip("dask.array")
    a = np.asarray([3.0, 1.0, 2.0, 8.0])
    got = da.percentile(da.from_array(weft.asarray(a), chunks=2), [25, 50]).compute()
    np.testing.assert_array_equal(got, da.percentile(da.from_array(a, chunks=2), [25, 50]).compute())


def test_xarray_takes_masks_that_are_tensors() -> None:
    xr = pytest.importorskip("xarray")
    x = weft.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    d = xr.DataArray(x, dims=("t", "u"))
    assert d[x[:, 0] > 2].values.tolist() == d[d[:, 0] > 2].values.tolist() == [[3.0, 4.0], [5.0, 6.0]]
    assert d.isel(t=x[:, 0] > 2, u=0).values.tolist() == d[weft.asarray([1, 2]), 0].values.tolist() == [3.0, 5.0]


def test_dask_keeps_tensors_as_chunks() -> None:
    da = pytest.importorskip("dask.array")
    x, whole = tensor(), da.from_array(weft.ones((4, 4)), chunks=2)
    assert da.from_array(x).compute().tolist() == X and da.from_array(x)[::2].compute().tolist() == [1, 3]
    assert (whole + 1).sum().compute().item() == 32 and whole.T.mean(axis=0).compute().tolist() == [1] * 4
    for made in (x * da.from_array(x), da.from_array(x) * x, np.multiply(x, da.from_array(x))):
        assert type(made) is da.Array and made.compute().tolist() == [1, 4, 9]
    assert da.concatenate([da.from_array(x)] * 2).compute().shape == (6,) and whole.rechunk(4).compute().shape == (4, 4)
    assert (whole @ whole).compute().tolist() == [[4] * 4] * 4 and whole.std(axis=0).compute().tolist() == [0] * 4


# ---- pictures, columns, plots


def test_pillow_reads_tensors() -> None:
    image = pytest.importorskip("PIL.Image")
    x = picture()
    for part in (x, x[::2, 1:], x[..., 0], x[::-1]):
        assert np.asarray(image.fromarray(part)).tolist() == part.tolist()
    assert weft.asarray(image.fromarray(x)).tolist() == x.tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float32", "bool"])
def test_arrow_columns_of_tensors(dtype: str) -> None:
    pa = pytest.importorskip("pyarrow")
    x = weft.asarray([1, 0, 1]).astype(dtype)
    assert pa.array(x).to_pylist() == x.tolist() and pa.table({"a": x})["a"].to_pylist() == x.tolist()
    column = pa.array(x)
    x[0] = x[1]
    assert column.to_pylist()[0] == 1  # columns do not change
    assert pa.array(weft.ones((2, 3))).to_pylist() == [[1] * 3] * 2
    assert pa.array(tensor(), type=pa.float32()).type == pa.float32()
    with pytest.raises(ValueError, match="mask"):
        pa.array(tensor(), mask=np.array([True, False, False]))
    with pytest.raises(BufferError, match="arrow: complex128 cells"):
        pa.array(weft.asarray([1j]))


def test_polars_reads_tensors() -> None:
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    assert pl.Series("x", tensor()).to_list() == X and pl.DataFrame({"a": tensor()})["a"].to_list() == X
    assert pl.Series("x", weft.ones((2, 2))).to_list() == [[1, 1], [1, 1]]


PLOTS: dict[str, Any] = {
    "plot": lambda p, x: p.plot(x, x),
    "limits": lambda p, x: (p.xlim(x[:2]), p.ylim(x[0], x[2])),
    "ticks": lambda p, x: p.xticks(x),
    "image": lambda p, x: p.imshow(picture()),
    "histogram": lambda p, x: p.hist(x),
    "histogram of two": lambda p, x: p.hist2d(x, x),
    "scatter": lambda p, x: p.scatter(x, x, c=x, s=x),
    "bar": lambda p, x: p.bar(x, x, yerr=x),
    "errors": lambda p, x: p.errorbar(x, x, yerr=x),
    "contour": lambda p, x: p.contour(weft.ones((3, 3)) * x),
    "mesh": lambda p, x: p.pcolormesh(weft.ones((3, 3)) * x),
    "filled": lambda p, x: p.fill_between(x, x, where=mask()),
    "box": lambda p, x: p.boxplot(x),
    "violin": lambda p, x: p.violinplot(x),
    "quiver": lambda p, x: p.quiver(x, x, x, x),
    "text": lambda p, x: (p.text(x[0], x[1], "a"), p.axvline(x[0])),
    "pie": lambda p, x: p.pie(x),
    "stem": lambda p, x: p.stem(x, x),
}


@pytest.mark.parametrize("name", PLOTS)
def test_matplotlib_draws_tensors(name: str, tmp_path: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    for file, values in [("tensor.png", tensor()), ("array.png", np.asarray(tensor()))]:
        PLOTS[name](plt, values)
        plt.savefig(tmp_path / file)
        plt.close("all")
    assert (tmp_path / "tensor.png").read_bytes() == (tmp_path / "array.png").read_bytes()


# ---- torch and JAX


def test_torch_makes_batches_of_tensors() -> None:
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch.utils.data")
    x = weft.asarray([[1.0, 2.0], [3.0, 4.0]])
    batch = data.default_collate([x[0], x[1]])
    assert type(batch) is torch.Tensor and batch.tolist() == x.tolist()
    made = data.default_collate([{"a": x[0], "b": 1}, {"a": x[1], "b": 2}])
    assert made["a"].tolist() == x.tolist() and made["b"].tolist() == [1, 2]
    (first, *_) = data.DataLoader(list(x), batch_size=2)
    assert first.tolist() == x.tolist()
    for other in (torch.tensor(x), torch.as_tensor(x), torch.asarray(x)):
        assert other.tolist() == x.tolist()
    for made in (torch.ones(2) * x, x * torch.ones(2), np.add(torch.zeros(2), x)):
        assert type(made) is weft.Tensor and made.tolist() == x.tolist()


SHARED = ["bool", "int8", "uint8", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "float8_e4m3fn",
          "float8_e5m2", "float8_e8m0fnu"]  # fmt: skip


@pytest.mark.parametrize("dtype", SHARED)
def test_torch_shares_memory_of_every_dtype(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = weft.asarray([1, 2, 1, 2]).astype(dtype)
    other = torch.from_dlpack(x)
    assert str(other.dtype) == f"torch.{dtype}" and other.data_ptr() == x.numpy().ctypes.data
    back = weft.from_dlpack(other)
    assert back.dtype is x.dtype and back.tolist() == x.tolist()
    assert torch.from_dlpack(x[::-1]).tolist() == x[::-1].tolist()  # a copy: torch cannot go back
    with pytest.raises(BufferError, match="pass copy=None"):
        x[::-1].__dlpack__(max_version=(1, 0), copy=False)


@pytest.mark.parametrize("dtype", [d for d in SHARED if d not in ("int64", "float64")])
def test_jax_takes_every_dtype_and_shares_large_memory(dtype: str) -> None:
    jnp = pytest.importorskip("jax.numpy")
    x = weft.asarray([1, 2, 1, 2]).astype(dtype)
    back = weft.from_dlpack(jnp.from_dlpack(x))
    assert back.dtype is x.dtype and back.tolist() == x.tolist()
    large = (weft.ones(1 << 21) + 0).astype(dtype).realize()
    assert jnp.from_dlpack(large).unsafe_buffer_pointer() == large.numpy().ctypes.data
    with pytest.raises(BufferError, match=r"dlpack: read-only cells; .*; pass max_version=\(1, 0\), or copy=True"):
        jnp.from_dlpack(weft.constant([1, 2]))


# ---- SciPy, scikit-learn, xarray, numba


def test_scipys_functions_compute_on_values() -> None:
    special = pytest.importorskip("scipy.special")
    signal, integrate = pytest.importorskip("scipy.signal"), pytest.importorskip("scipy.integrate")
    x = tensor()
    with weft.strict("allow") as report:
        made = special.gamma(x)
    assert type(made) is weft.Tensor and made.tolist() == [1, 1, 2] and [a.op for a in report] == ["gamma"]
    assert np.allclose(special.erf(x), weft.erf(x)) and special.jv(0, x).shape == (3,)
    assert np.asarray(signal.convolve(x, x)).tolist() == np.convolve(X, X).tolist()
    assert float(integrate.simpson(x, dx=1.0)) == 4


def test_scikit_learn_fits_tensors() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    cluster = pytest.importorskip("sklearn.cluster")
    x = weft.asarray([[0.0], [1.0], [2.0], [3.0]])
    y = 2 * x[:, 0] + 1
    fitted = linear.LinearRegression().fit(x, y)
    assert np.allclose(fitted.coef_, 2) and np.allclose(fitted.predict(x), y)
    assert sorted(cluster.KMeans(2, random_state=0, n_init=1).fit_predict(x).tolist()) == [0, 0, 1, 1]


def test_xarray_wraps_tensors() -> None:
    xr = pytest.importorskip("xarray")
    a = xr.DataArray(weft.ones((2, 3)), dims=("x", "y"))
    assert type((a + 1).data) is weft.Tensor and float((a + 1).sum()) == 12 and type(np.sin(a).data) is weft.Tensor
    assert type((tensor() * a).data) is weft.Tensor or (tensor() * a).shape == (2, 3)


def test_numba_takes_arrays_of_tensors() -> None:
    numba = pytest.importorskip("numba")
    total = numba.njit(lambda a: a.sum())
    assert total(tensor().numpy()) == 6
    double = numba.vectorize(["float64(float64)"])(lambda v: 2 * v)
    assert type(double(tensor())) is weft.Tensor and double(tensor()).tolist() == [2, 4, 6]
