"""Counts of values and of bins: NumPy's, for every dtype, byte order and layout."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from tests.refusals import refusals
from tests.shares import examples, in_turn
from tests.unit.api.numpy.measurements import WEIGHTS, layouts
from weft.errors import DTypeError, GradientError, ShapeError, StrictDTypeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")

RNG = np.random.default_rng(2)
DTYPES = ["f8", "f4", "f2", ">f8", ">f4", "i1", "u1", ">i4", "i8", "u8"]


def same(got, expected):
    """The same counts, or sums of the same terms."""
    assert got.shape == np.shape(expected)
    if np.asarray(expected).dtype.kind in "biu":
        assert np.array_equal(got.numpy(), expected)
    else:
        assert np.allclose(got.numpy(), expected, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize(("dtype", "part"), in_turn(DTYPES, range(4), every=4))
def test_histograms_like_numpy(dtype, part):
    for a in layouts(dtype)[part::4]:
        for bins in (1, 7, 120, [0, 20, 30, 50], [30, 30, 31], [10, 20]):
            for how in ({}, {"range": (0, 50)}, {"range": (0.1, 0.7)}, {"weights": WEIGHTS[:, : a.shape[1]]}):
                counts, bounds = weft.histogram(a, bins, **how)
                expected, edges = np.histogram(a, bins, **how)
                same(counts, expected)
                assert np.array_equal(bounds.numpy(), edges)
                assert counts.dtype is (weft.float64 if "weights" in how else weft.int64)
        same(weft.histogram(a, 5, density=True)[0], np.histogram(a, 5, density=True)[0])


@pytest.mark.parametrize(("dtype", "part", "right"), in_turn(DTYPES, range(4), [False, True], every=8))
def test_digits_like_numpy(dtype, part, right):
    for a in [*layouts(dtype)[part::4], np.resize(layouts(dtype)[0], (3, 2000))]:
        for bounds in ([10, 20, 30], [30, 20, 20, 1], [5], [], [0.5, 7.25, np.inf], np.arange(100)):
            got = weft.digitize(a, bounds, right=right)
            assert np.array_equal(got.numpy(), np.digitize(a, bounds, right))
    if np.dtype(dtype).kind == "f":
        a = np.resize(np.array([np.nan, 1, 2, np.inf, -np.inf], dtype), 5000)
        assert np.array_equal(weft.digitize(a, [1, 2, 3.0], right=right), np.digitize(a, [1, 2, 3.0], right))


@given(data=st.data(), dtype=st.sampled_from(["f8", "f4", "f2", "i1", "i8", "u8"]), n=st.integers(1, 70))
@settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_cell_on_a_bound_is_in_the_bin_above(data, dtype, n, transformer):
    numbers = st.integers(0, 100) if np.dtype(dtype).kind in "iu" else st.floats(-1000, 1000, width=16)
    low, high = sorted(data.draw(st.tuples(numbers, numbers).filter(lambda ends: ends[0] != ends[1])))
    try:
        bounds = np.histogram_bin_edges(np.zeros(0, dtype), n, (low, high))
    except ValueError:
        with pytest.raises(ValueRangeError, match="has too few numbers between"):
            weft.histogram(np.zeros(0, dtype), n, range=(low, high))
        return
    cells = np.concatenate([bounds, np.nextafter(bounds, -np.inf), np.nextafter(bounds, np.inf)])
    if np.dtype(dtype).kind in "iu":
        cells = cells[cells >= 0]
    cells = np.tile(cells.astype(dtype), data.draw(st.sampled_from([1, 5000 // cells.size + 1])))
    same(weft.histogram(cells, n, range=(low, high))[0], np.histogram(cells, n, (low, high))[0])
    same(weft.histogram(cells, bounds)[0], np.histogram(cells, bounds)[0])


@given(
    values=st.lists(st.floats(allow_subnormal=True, width=32), max_size=40),
    bounds=st.lists(st.floats(allow_nan=False, width=32), min_size=2, max_size=9).map(sorted),
    often=st.sampled_from([1, 300]),
)
@settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_floats_fall_between_any_bounds(values, bounds, often, transformer):
    a, b = np.tile(np.array(values, "f4"), often), np.array(bounds, "f4")
    w = np.arange(1.0, a.size + 1)
    inside = [(a >= b[k]) & ((a < b[k + 1]) | ((k == b.size - 2) & (a == b[-1]))) for k in range(b.size - 1)]
    assert weft.histogram(a, b)[0].tolist() == [int(i.sum()) for i in inside]
    assert weft.histogram(a, b, weights=w)[0].tolist() == [w[i].sum() for i in inside]
    rest = a[~np.isnan(a)]  # which a stable order puts last
    assert np.array_equal(weft.digitize(rest, b).numpy(), np.digitize(rest, b))


def test_ranges_at_the_limits_of_floats():
    for dtype, low, high in (("f4", -3e38, 3e38), ("f8", -1.7e308, 1.7e308), ("f8", 0, 2e-323), ("f4", 1e8, 1e8 + 64)):
        a = np.linspace(low / 2, high / 2, 99).astype(dtype) * 2
        n = 4
        edges = np.linspace(low / 2, high / 2, n + 1, dtype=dtype) * np.array(2, dtype)
        expected = np.histogram(a.astype("f8"), edges.astype("f8"))[0]
        assert np.array_equal(weft.histogram(np.tile(a, 50), edges)[0].numpy(), expected * 50)
        if edges[-1] / 4 - edges[0] / 4 < np.finfo(dtype).max / 4:  # else NumPy's arithmetic overflows
            a = np.tile(a, 50)
            same(weft.histogram(a, n, range=(low, high))[0], np.histogram(a, n, (low, high))[0])


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i4", "i8", "u8", "?"])
def test_counts_like_numpy(dtype):
    values = RNG.integers(0, 2 if dtype == "?" else 90, 6000).astype(dtype)
    for a in (values, values[::-3], values[:0], values[5:6]):
        plain = a.astype("i8")  # NumPy counts what is safely an intp
        assert np.array_equal(weft.bincount(a).numpy(), np.bincount(plain))
        assert np.array_equal(weft.bincount(a, minlength=100).numpy(), np.bincount(plain, minlength=100))
        w = RNG.random(a.size)
        assert np.array_equal(weft.bincount(a, w, minlength=7).numpy(), np.bincount(plain, w, minlength=7))


def test_dtypes_of_sums():
    numbers = [0, 1, 1]
    for weights, sums in {"i1": "i8", "u2": "u8", "?": "i8", "f2": "f2", "f4": "f4", "f8": "f8", "c8": "c8"}.items():
        made = weft.bincount(numbers, weights=np.ones(3, weights))
        assert made.dtype == weft.asarray(np.ones(1, sums)).dtype and made.tolist() == [1, 2]
        assert weft.histogram([0.0, 1.0, 1.0], 2, weights=np.ones(3, weights))[0].dtype is made.dtype
    assert weft.bincount([1, 1], weights=np.array([100, 100], "i1")).tolist() == [0, 200]
    assert weft.bincount([0, 0], weights=[2**53, 1]).tolist() == [2**53 + 1]  # exact, where NumPy's are floats
    assert weft.bincount(np.zeros(3000, int), np.full(3000, 1.1, "f4")).item() == np.float32(
        np.bincount(np.zeros(3000, int), np.full(3000, 1.1, "f4"))[0]
    )


@pytest.mark.parametrize(
    ("name", "part"),
    in_turn(["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"], range(2), every=2),
)
def test_rules_for_the_number_of_bins(name, part):
    drawn = [RNG.normal(size=700), RNG.normal(size=300).astype("f4"), RNG.integers(0, 50, 900)]
    samples = [*drawn, np.ones(3), np.ones(0)]
    for a in samples[part::2]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Stone's rule, for few cells
            expected, edges = np.histogram(a, name)
            narrower = np.histogram_bin_edges(a, name, (0, 2))
        counts, bounds = weft.histogram(a, name)
        assert np.array_equal(bounds.numpy(), edges) and np.array_equal(counts.numpy(), expected)
        assert np.array_equal(weft.histogram_bin_edges(a, name, range=(0, 2)).numpy(), narrower)


def test_histograms_of_points_like_numpy():
    x, y, w = RNG.normal(size=(3, 5000))
    for bins in (5, (3, 7), [[-1, 0, 1], 4], [[-1, 0, 1], [0, 0.5, 2]], [-1, 0, 0.5, 1]):
        for how in ({}, {"range": [(-1, 1), (0, 2)]}, {"range": [None, (0, 2)]}, {"density": True}, {"weights": w}):
            got, expected = weft.histogram2d(x, y, bins, **how), np.histogram2d(x, y, bins, **how)
            for g, e in zip(got, expected, strict=True):
                same(g, e)
    points = RNG.normal(size=(400, 3)).astype("f4")
    for sample in (points, list(points.T), points[:, 0]):
        got, bounds = weft.histogramdd(sample, 4)
        expected, edges = np.histogramdd(sample, 4)
        assert np.array_equal(got.numpy(), expected) and len(bounds) == len(edges)
        assert all(np.array_equal(b.numpy(), e) for b, e in zip(bounds, edges, strict=True))
    assert weft.histogramdd([1.0, 2.0], 2)[0].tolist() == [1, 1]


def test_a_histogram_is_one_kernel_over_its_cells(transformer):
    if transformer == "reference":
        pytest.skip("nothing is planned")
    x = weft.asarray(RNG.normal(size=(300, 40)).astype("f4"))
    for made in (
        weft.histogram(x.T * x.T, 9, range=(0, 1))[0],
        weft.histogram(x * 2, np.sort(RNG.random(600)))[0],
        weft.histogram(x * x, 9, range=(0, 1), weights=weft.astype(x + 1, float))[0],
    ):
        kernels = [line for line in weft.show(made, "plan").splitlines() if "kernel" in line or "call" in line]
        assert len(kernels) == 1 and "kernel bins" in kernels[0]


def test_strict_mode_allows_counts():
    x = weft.asarray(RNG.random(6000).astype("f4"))
    with weft.strict():
        counts, _ = weft.histogram(x, 5, range=(0, 1), weights=x)
        assert counts.size == weft.histogram(x, np.array([0, 0.5, 1], "f4"))[0].size + 3
        assert weft.bincount(weft.asarray([1, 1]), x[:2]).dtype is weft.float32
    with weft.strict(), pytest.raises(StrictDTypeError, match="needs float64"):
        weft.histogram(weft.asarray([1, 2, 3]), 2)


def test_nothing_to_count():
    assert weft.histogram(weft.zeros(0))[0].tolist() == [0] * 10
    assert [t.tolist() for t in weft.histogram([2.0, 2.0], 2)] == [[0, 2], [1.5, 2.0, 2.5]]
    assert weft.histogram([1.0, np.nan], 2, range=(0, 2))[0].tolist() == [0, 1]
    assert weft.bincount(weft.zeros(0, dtype=int)).tolist() == []
    assert weft.bincount(weft.zeros(0, dtype=int), weights=[], minlength=2).tolist() == [0, 0]


def test_work_on_a_device_stays_there():
    x = weft.arange(5).to("thread:0")
    counted = [weft.bincount(x), weft.histogram(x * 1.0)[0], weft.histogram(x, [0, 1, 2], density=True)[0]]
    assert {str(c.device) for c in counted} == {"thread:0"}
    assert weft.digitize(x, [1, 3]).tolist() == [0, 1, 1, 2, 2]


def test_gradients_reach_weights_and_nothing_else():
    w = weft.asarray([1.0, 2.0, 3.0, 5.0])
    for wide in (weft.astype(w, d) for d in (weft.float64, weft.float32, weft.complex64)):
        wide.requires_grad_()
        counts, _ = weft.histogram([0.1, 0.5, 0.9, 7.0], 2, range=(0, 1), weights=wide)
        weft.sum(weft.real(counts * weft.asarray([10.0, 20.0]))).backward()
        assert wide.grad.tolist() == [10.0, 20.0, 20.0, 0.0]
    x = weft.asarray([0.1, 0.5])
    x.requires_grad_()
    with pytest.raises(GradientError):
        weft.sum(weft.histogram(x, 2)[0]).backward()


CASES = {
    "rules": (lambda: weft.histogram([1.0], "best"), ValueRangeError, "histogram: bins 'best'; the rules are auto"),
    "rule": (lambda: weft.histogram([1.0], "fd", weights=[1]), ValueRangeError, "histogram: weights beside bins 'fd'"),
    "floats": (lambda: weft.bincount([1.5]), DTypeError, "bincount: float64 of shape .1,.; a vector of integers"),
    "negative": (lambda: weft.bincount([3, -2]), ValueRangeError, "bincount: a value of -2; values from 0 on"),
    "weights": (lambda: weft.bincount([1], [1, 2]), ShapeError, "bincount: weights of shape .2,. for .1,. values"),
    "order": (lambda: weft.digitize([1], [1, 3, 2]), ValueRangeError, "digitize: bins that neither rise nor fall"),
    "bounds": (lambda: weft.digitize([1], [[1]]), ShapeError, "digitize: bins of shape .1, 1.; bounds are a vector"),
    "digits": (lambda: weft.digitize([1j], [1]), DTypeError, "digitize: complex128 cells; bins are of real numbers"),
    "no bins": (lambda: weft.histogram([1], 0), ValueRangeError, "histogram: 0 bins; there is one at least"),
    "falling": (lambda: weft.histogram([1], [2, 1]), ValueRangeError, "histogram: bins of shape .2,.; bounds are a ri"),
    "nan": (lambda: weft.histogram([1, np.nan]), ValueRangeError, "histogram: bins from nan to nan; both ends are fin"),
    "narrow": (lambda: weft.histogram(np.array([1e8], "f4"), 10), ValueRangeError, "10 bins from .* too few"),
    "complex": (lambda: weft.histogram([1j]), DTypeError, "histogram: complex128 cells; bins are of real numbers"),
    "counts": (lambda: weft.histogram([1], weights=[1, 2]), ShapeError, "histogram: 2 weights for 1 cells"),
    "ends": (lambda: weft.histogram([1], range=(1, 2, 3)), ShapeError, "histogram: range .1, 2, 3.; it has a lower"),
    "axes": (lambda: weft.histogram2d([1], [1], range=[(0, 1)]), ShapeError, "histogram2d: 2 bins and 1 ranges for 2"),
    "slices": (lambda: weft.histogram2d([1], [1], slice(None)), DTypeError, "asarray: slice has no numbers"),
    "points": (lambda: weft.histogram2d([1], [1, 2]), ShapeError, "histogram2d: coordinates of shapes .*; they are"),
    "no coordinates": (lambda: weft.histogramdd(np.zeros((3, 0))), ShapeError, "histogramdd: no coordinates; points"),
    "cubes": (lambda: weft.histogramdd(np.zeros((1, 1, 1))), ShapeError, "histogramdd: shape .1, 1, 1.; points are"),
    "weighed": (lambda: weft.histogramdd([[1], [1]], weights=[1, 2]), ShapeError, "weights of shape .2,. for 1 points"),
}  # fmt: skip

test_message = refusals(CASES)
