"""The generator with NumPy's methods: shapes, ranges, moments, independence of calls, choices without replacement."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import errors
from weft.random import generator

CALLS = {
    "random": (), "uniform": (-1.0, 3.0), "normal": (2.0, 0.5), "standard_normal": (), "lognormal": (0.0, 0.5),
    "exponential": (2.0,), "standard_exponential": (), "gumbel": (1.0, 2.0), "logistic": (1.0, 2.0),
    "laplace": (1.0, 2.0), "integers": (3, 9), "poisson": (4.5,), "binomial": (10, 0.3), "gamma": (2.0, 1.5),
    "beta": (2.0, 3.0), "geometric": (0.3,), "weibull": (1.0,), "triangular": (0.0, 1.0, 2.0), "chisquare": (3.0,),
}  # fmt: skip
EULER = 0.5772156649015329
MOMENTS = {  # mean, variance
    "random": (1 / 2, 1 / 12), "uniform": (1.0, 16 / 12), "normal": (2.0, 0.25), "standard_normal": (0.0, 1.0),
    "lognormal": (math.exp(0.125), (math.exp(0.25) - 1) * math.exp(0.25)), "exponential": (2.0, 4.0),
    "standard_exponential": (1.0, 1.0), "gumbel": (1 + 2 * EULER, 4 * math.pi**2 / 6),
    "logistic": (1.0, 4 * math.pi**2 / 3), "laplace": (1.0, 8.0), "integers": (5.5, 35 / 12), "poisson": (4.5, 4.5),
    "binomial": (3.0, 2.1), "gamma": (3.0, 4.5), "beta": (0.4, 0.04), "geometric": (1 / 0.3, 0.7 / 0.09),
    "weibull": (1.0, 1.0), "triangular": (1.0, 1 / 6), "chisquare": (3.0, 6.0),
}  # fmt: skip


@pytest.mark.parametrize("method", CALLS)
def test_shapes_are_those_of_numpy(method):
    ours, theirs = weft.random.default_rng(1), np.random.default_rng(1)
    for size in (None, 3, (2, 3), ()):
        found = getattr(ours, method)(*CALLS[method], size=size)
        expected = getattr(theirs, method)(*CALLS[method], size=size)
        assert found.shape == np.shape(expected) and found.numpy().dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("method", CALLS)
def test_mean_and_variance_are_those_of_the_distribution(method):
    x = getattr(weft.random.default_rng(5), method)(*CALLS[method], size=200_000).numpy()
    mean, variance = MOMENTS[method]
    assert abs(x.mean() - mean) < 6 * math.sqrt(variance / x.size)
    assert abs(x.var() / variance - 1) < 0.05


def test_every_call_draws_other_numbers_and_a_seed_the_same():
    def draw():
        rng = weft.random.default_rng(11)
        return [rng.random(4).tolist(), rng.random(4).tolist(), rng.spawn(2)[1].random(4).tolist()]

    first = draw()
    assert first == draw() and len({x for part in first for x in part}) == 12
    assert weft.random.default_rng().random(4).tolist() != weft.random.default_rng().random(4).tolist()


def test_threads_draw_different_numbers():
    rng = weft.random.default_rng(2)
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: rng.random().item(), range(64)))
    assert len(set(drawn)) == 64


def test_parameters_broadcast():
    x = weft.random.default_rng(3).normal([0.0, 100.0], 0.1)
    assert x.shape == (2,) and abs(x[1].item() - 100) < 2
    assert weft.random.default_rng(3).integers([1, 1000], [2, 1001]).tolist() == [1, 1000]
    assert weft.random.default_rng(3).integers(1, 1, size=5, endpoint=True).tolist() == [1] * 5


def test_vectors_of_a_covariance():
    cov = np.array([[2.0, 1.0], [1.0, 3.0]])
    x = weft.random.default_rng(4).multivariate_normal([1.0, -1.0], cov, 100_000).numpy()
    assert np.allclose(np.cov(x.T), cov, atol=0.1) and np.allclose(x.mean(axis=0), [1, -1], atol=0.05)


def test_choices():
    rng = weft.random.default_rng(6)
    assert sorted(rng.choice(5, 5, replace=False).tolist()) == [0, 1, 2, 3, 4]
    assert sorted(rng.choice([7, 8, 9], 3, replace=False).tolist()) == [7, 8, 9]
    assert rng.choice(np.eye(3), (4, 2), axis=1).shape == (3, 4, 2)
    counts = np.bincount(rng.choice(3, 100_000, p=[0.2, 0.5, 0.3]).numpy()) / 100_000
    assert np.allclose(counts, [0.2, 0.5, 0.3], atol=0.01)
    firsts = [rng.choice(3, 2, replace=False, p=[0.6, 0.4, 0.0]).tolist() for _ in range(20)]
    assert all(sorted(drawn) == [0, 1] for drawn in firsts)
    for wrong in ({"size": 4, "replace": False}, {"p": [0.5, 0.5, 0.5]}, {"p": [1.5, -0.5, 0.0]}):
        with pytest.raises(errors.ValueRangeError, match="choice: "):
            rng.choice(3, **wrong)
    with pytest.raises(errors.ShapeError, match="choice: p of shape"):
        rng.choice(3, p=[0.5, 0.5])


@pytest.mark.parametrize("make", [list, np.asarray, weft.asarray], ids=["list", "array", "tensor"])
def test_shuffles_in_place(make):
    x = make([1, 2, 3, 4, 5, 6, 7, 8, 9])
    weft.random.default_rng(8).shuffle(x)
    found = [int(v) for v in x]
    assert sorted(found) == [1, 2, 3, 4, 5, 6, 7, 8, 9] != found
    with pytest.raises(errors.DTypeError, match="shuffle: tuple"):
        weft.random.default_rng(8).shuffle((1, 2))


@pytest.mark.parametrize("call", [("poisson", -1), ("poisson", 1e7), ("binomial", 5, 1.5), ("binomial", -1, 0.5)])
def test_parameters_out_of_range(call):
    method, *given = call
    with pytest.raises(errors.ValueRangeError, match=f"{method}: "):
        getattr(weft.random.default_rng(1), method)(*given)


def test_edges_of_counts():
    rng = weft.random.default_rng(9)
    assert rng.poisson(0, 5).tolist() == [0] * 5 == rng.binomial(0, 0.5, 5).tolist() == rng.binomial(9, 0.0, 5).tolist()
    assert rng.binomial(9, 1.0, 5).tolist() == [9] * 5


@for_each("method", generator._BY_NUMPY.split())
def test_numpy_draws_what_has_no_formula(method):
    ours, theirs = weft.random.Generator, np.random.Generator
    assert hasattr(theirs, method) and getattr(ours, method).__doc__.endswith(f"numpy.random.Generator.{method}.")


def test_draws_of_numpy_follow_from_the_seed():
    def draw():
        rng = weft.random.default_rng(8)
        return [rng.gamma(2.0, size=3).tolist(), rng.dirichlet([1, 2], 2).tolist(), rng.random().item()]

    assert draw() == draw() and weft.random.default_rng(8).gamma(2.0, size=3).tolist() == draw()[0]
    rng, x = weft.random.default_rng(8), weft.arange(12).reshape(3, 4)
    mixed = rng.permuted(x, axis=1)
    assert mixed.tolist() != x.tolist() and weft.sort(mixed).tolist() == x.tolist()
    rng.permuted(x, axis=0, out=x)
    assert sorted(x.ravel().tolist()) == list(range(12)) and x.tolist() != mixed.tolist()
    assert rng.gamma(weft.asarray([1.0, 100.0])).shape == (2,)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda rng: rng.integers(), errors.ArgumentError, "integers: no low"),
        (lambda rng: rng.normal(1, 2, 3, 4), errors.ArgumentError, "normal: 4 positional arguments"),
        (lambda rng: rng.normal(foo=3), errors.ArgumentError, "normal: no argument foo=3"),
        (lambda rng: rng.choice(5, replace="a"), errors.DTypeError, "choice: replace='a'; it is a switch"),
        (lambda rng: rng.integers(3, endpoint="x"), errors.DTypeError, "integers: endpoint='x'; it is a switch"),
        (lambda rng: rng.gamma(-1.0), errors.ValueRangeError, "gamma: shape < 0; its parameters are those of numpy"),
        (lambda rng: rng.gamma(), errors.ArgumentError, "gamma: "),
        (lambda rng: rng.zipf("a"), errors.ValueRangeError, "zipf: could not convert"),
        (lambda rng: rng.beta(None, 1), errors.ArgumentError, "beta: "),
        (lambda rng: rng.permuted(3, axis=9), errors.AxisError, "permuted: axis 9"),
        (lambda rng: weft.compile(lambda x: x + rng.gamma(1.0))(weft.ones(2)), errors.TracingError, "a generator drew"),
    ],
)
def test_calls_that_do_not_fit(call, kind, message):
    with pytest.raises(kind, match=message):
        call(weft.random.default_rng(1))


def test_parameters_of_counts_are_arrays_too():
    x = weft.random.default_rng(3).poisson([[100.0], [500.0]], (2, 1000)).mean(axis=1)
    y = weft.random.default_rng(3).binomial([3, 1000], 0.5)
    assert np.allclose(x.numpy(), [100, 500], rtol=0.05) and y.shape == (2,) and y[0].item() <= 3
    with pytest.raises(errors.ValueRangeError, match="poisson: lam < 0"):
        weft.random.default_rng(3).poisson([-1.0])


def test_seeds_of_many_bits_and_of_several_numbers():
    seeds = [5, 2**64, 2**64 + 1, 2**127, [5, 1], [5, 2], (5, 1, 1)]
    drawn = [weft.random.default_rng(seed).random().item() for seed in seeds]
    assert len(set(drawn)) == len(seeds) and drawn[3] == weft.random.default_rng(2**127).random().item()
    for seed in (-1, [1, -(2**64)], [2**65]):
        with pytest.raises(errors.ValueRangeError):
            weft.random.default_rng(seed)
    for seed in ([], [1, "a"], 1.5):
        with pytest.raises(errors.DTypeError):
            weft.random.default_rng(seed)
