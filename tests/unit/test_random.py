"""Random tensors: the same call gives the same values, of the distribution asked for."""

import math
import random as any_order
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import DTypeError, OutOfMemory, ShapeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")

R = weft.random


MADE = {
    "uniform": lambda seed: weft.random.uniform((3, 5), seed=seed),
    "uniform32": lambda seed: weft.random.uniform((3, 5), seed=seed, low=-2, high=3, dtype="float32"),
    "complex": lambda seed: weft.random.uniform(4, seed=seed, high=1 + 1j, dtype="complex64"),
    "normal": lambda seed: weft.random.normal((3, 5), seed=seed, mean=1.0, std=2.0),
    "half": lambda seed: weft.random.normal(9, seed=seed, dtype="bfloat16"),
    "integers": lambda seed: weft.random.integers((3, 5), seed=seed, low=-5, high=1000),
    "bernoulli": lambda seed: weft.random.bernoulli((9, 9), seed=seed, p=0.25),
    "permutation": lambda seed: weft.random.permutation(50, seed=seed),
    "walked": lambda seed: weft.random.permutation(5000, seed=seed),
    "permuted": lambda seed: weft.random.permutation(weft.arange(40), seed=seed),
    "exponential": lambda seed: weft.random.exponential((3, 5), seed=seed, scale=2.0, dtype="float32"),
    "gumbel": lambda seed: weft.random.gumbel((3, 5), seed=seed, loc=-1.0, scale=2.0),
    "truncated": lambda seed: weft.random.truncated_normal((3, 5), seed=seed, low=-1.0, high=2.0),
    "categorical": lambda seed: weft.random.categorical((9, 9), seed=seed, p=[0.25, 0.25, 0.5]),
    "logits": lambda seed: weft.random.categorical((9, 9), seed=seed, logits=[0.0, -1.0, 1.0, -math.inf]),
    "rank 0": lambda seed: weft.random.uniform((), seed=seed),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_seed_gives_its_values_and_no_other(name):
    assert MADE[name](7).tolist() == MADE[name](7).tolist()
    assert MADE[name](7).tolist() != MADE[name](8).tolist()


@for_each("name", MADE)
def test_all_transformers_give_the_same_bits(name):
    with weft.transformer("reference"):
        expected = MADE[name](3).numpy()
    assert MADE[name](3).numpy().tobytes() == expected.tobytes()


def test_a_cell_keeps_its_value_in_every_slice():
    x = weft.random.normal((50, 60), seed=1)
    whole = weft.random.normal((50, 60), seed=1).numpy()
    assert np.array_equal(x[3:9, ::-7].numpy(), whole[3:9, ::-7])
    assert np.array_equal(x.T[5].numpy(), whole[:, 5])


def test_distributions():
    n = 20_000
    u = weft.random.uniform(n, seed=1, low=2.0, high=4.0).numpy()
    assert u.min() >= 2 and u.max() < 4 and abs(u.mean() - 3) < 0.02
    z = weft.random.normal(n, seed=1, mean=5.0, std=2.0).numpy()
    assert abs(z.mean() - 5) < 0.05 and abs(z.std() - 2) < 0.05
    i = weft.random.integers(n, seed=1, low=0, high=6).numpy()
    assert np.bincount(i).min() > n / 6 * 0.9 and i.max() == 5
    assert abs(weft.random.bernoulli(n, seed=1, p=0.25).numpy().mean() - 0.25) < 0.02
    assert sorted(weft.random.permutation(5000, seed=1).tolist()) == list(range(5000))


def test_dtypes():
    assert weft.random.uniform(1, seed=0).dtype is weft.float64
    assert weft.random.integers(1, seed=0, low=0, high=2).dtype is weft.int64
    assert weft.random.integers(1, seed=0, low=0, high=256, dtype="uint8").dtype is weft.uint8
    assert weft.random.bernoulli(1, seed=0).dtype is weft.bool


# ---- whether the distributions are those asked for: fixed seeds, so a failure is a change, not bad luck
N = 40_000
BOUND = 2.2 / math.sqrt(N)  # of the greatest distance between distribution functions: met once in 8000 seeds


def distance(sample, cdf):
    """Kolmogorov and Smirnov's: between a sample's distribution function and the exact one."""
    x = np.sort(sample)
    exact = cdf(x)
    steps = np.arange(len(x) + 1) / len(x)
    return max((exact - steps[:-1]).max(), (steps[1:] - exact).max())


def normal_cdf(x):
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


def truncated_cdf(low, high):
    a, b = normal_cdf([low, high])
    return lambda x: (normal_cdf(x) - a) / (b - a)


CONTINUOUS = {
    "uniform": (lambda: R.uniform(N, seed=1, low=-2.0, high=6.0), lambda x: (x + 2) / 8),
    "normal": (lambda: R.normal(N, seed=1, mean=1.0, std=3.0), lambda x: normal_cdf((x - 1) / 3)),
    "exponential": (lambda: R.exponential(N, seed=1, scale=3.0), lambda x: 1 - np.exp(-x / 3)),
    "gumbel": (lambda: R.gumbel(N, seed=1, loc=2.0, scale=3.0), lambda x: np.exp(-np.exp(-(x - 2) / 3))),
    "truncated": (lambda: R.truncated_normal(N, seed=1, low=-1.0, high=2.5), truncated_cdf(-1.0, 2.5)),
    "one side": (lambda: R.truncated_normal(N, seed=1, low=-math.inf, high=0.5), truncated_cdf(-math.inf, 0.5)),
    "shifted": (
        lambda: (R.truncated_normal(N, seed=1, low=0.0, high=5.0, mean=2.0, std=2.0) - 2.0) / 2.0,
        truncated_cdf(-1.0, 1.5),
    ),
    "tail": (  # of conditional tails, e.g. 1 - Phi(x) over 1 - Phi(5)
        lambda: -R.truncated_normal(N, seed=1, low=5.0, high=math.inf), truncated_cdf(-math.inf, -5.0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions(name):
    made, cdf = CONTINUOUS[name]
    assert distance(made().numpy(), cdf) < BOUND


@pytest.mark.parametrize("name", ["uniform", "normal", "exponential", "gumbel"])
def test_neighbours_and_seeds_are_independent(name):
    x = getattr(R, name)((200, 200), seed=1).numpy()
    others = (x[1:, :] * x[:-1, :].mean(), getattr(R, name)((200, 200), seed=2).numpy())
    pairs = [(x[1:], x[:-1]), (x[:, 1:], x[:, :-1]), (x, others[1]), (x, x.T)]
    for a, b in pairs:
        keep = ~np.eye(200, dtype=bool) if b is pairs[3][1] else np.ones(a.shape, bool)
        assert abs(np.corrcoef(a[keep], b[keep])[0, 1]) < 0.03


def test_distributions_of_one_seed_are_independent():
    u = [getattr(R, name)(N, seed=1).numpy() for name in ("uniform", "normal", "exponential", "gumbel")]
    assert (np.abs(np.corrcoef(u) - np.eye(4)) < 0.025).all()


def test_categories_occur_with_their_probabilities():
    p = np.array([0.05, 0.0, 0.5, 0.15, 0.3])
    for x in (R.categorical(N, seed=1, p=p), R.categorical(N, seed=1, logits=np.log(np.maximum(p, 1e-300)))):
        assert np.abs(np.bincount(x.numpy(), minlength=5) / N - p).max() < 0.01
    rows = np.array([[0.9, 0.1], [0.2, 0.8]])
    x = R.categorical((N, 2), seed=1, p=weft.asarray(rows.T), axis=0, dtype="int8")
    assert x.dtype is weft.int8
    assert np.abs(x.numpy().mean(0) - rows[:, 1]).max() < 0.01
    assert R.categorical(7, seed=1, p=[1.0]).tolist() == [0] * 7
    assert R.categorical(7, seed=1, p=np.full(7, 1 / 7, np.float16)).shape == (7,)
    assert R.categorical(None, seed=1, p=weft.zeros((0, 3))).shape == (0,)


def test_means_that_follow_coordinates():
    i = weft.iota((40,), origin=-20)
    draws = [R.normal(None, seed=s, mean=weft.astype(i, "float64") * 10.0).numpy() for s in range(100)]
    assert np.abs(np.mean(draws, 0) - 10.0 * np.arange(-20, 20)).max() < 0.5


def test_real_bounds_hold_for_both_parts_and_complex_ones_for_their_own():
    both = R.uniform(50, seed=1, low=1.0, high=2.0, dtype="complex64").numpy()
    assert (both.real >= 1).all() and (both.imag >= 1).all()
    with pytest.raises(ValueRangeError, match="uniform: the interval"):
        R.uniform(50, seed=1, low=1.0 + 0j, high=2.0 + 0j, dtype="complex64")


@pytest.mark.parametrize("dtype", [">f4", ">f2", ">c16"])
def test_byte_orders(dtype):
    x = R.normal((3, 4), seed=1, dtype=dtype, origin=(-1, 5))
    assert x.byteorder == "big" and x.domain.origin == (-1, 5)
    assert x.tolist() == R.normal((3, 4), seed=1, dtype="<" + dtype[1:], origin=(-1, 5)).tolist()
    assert R.integers(3, seed=1, low=0, high=9, dtype=">i4").byteorder == "big"


def test_a_field_without_a_shape_lives_where_its_parameters_do():
    mean = weft.zeros((4, 3), origin=(5, -2))
    x = R.normal(None, seed=1, mean=mean, std=weft.asarray([1.0, 2.0, 3.0]))
    assert x.domain == mean.domain
    assert x.tolist() == (R.normal((4, 3), seed=1, origin=(5, -2)) * weft.asarray([1.0, 2.0, 3.0])).tolist()
    assert R.normal(None, seed=1, mean=mean, origin=(0, 0)).domain.origin == (0, 0)


def test_tensors_that_are_no_parameters_give_what_is_documented():
    nan, inf = math.nan, math.inf
    assert R.bernoulli(None, seed=1, p=[-1.0, nan, 2.0, inf, -inf]).tolist() == [False, False, True, True, False]
    assert np.isnan(R.normal(None, seed=1, mean=[nan, nan], std=1.0).numpy()).all()
    assert np.isnan(R.exponential(None, seed=1, scale=[nan]).numpy()).all()
    z = R.normal(3, seed=1)
    assert R.normal(3, seed=1, std=weft.asarray(-1.0)).tolist() == (-z).tolist()
    assert R.integers(None, seed=3, low=[5, 6], high=[5, 2]).tolist() == [5, 6]


def test_truncated_normals_stay_inside_however_far_out():
    for low, high in ((30.0, 31.0), (-38.0, -36.0), (100.0, 101.0), (-101.0, -100.0), (1.0, 1.0 + 1e-12)):
        for dtype in ("float64", "float32", "bfloat16"):
            x = R.truncated_normal(500, seed=1, low=low, high=high, dtype=dtype).numpy().astype(np.float64)
            ends = np.array([low, high]).astype(
                x.dtype if dtype == "float64" else weft.asarray([low], dtype=dtype).numpy().dtype
            )
            assert (x >= float(ends[0])).all() and (x <= float(ends[1])).all()
    tail = R.truncated_normal(2000, seed=1, low=30.0, high=math.inf).numpy()
    assert abs((tail - 30).mean() * 30 - 1) < 0.1  # about exponential, of rate 30


# ---- fields without end
def test_ten_cells_of_a_field_larger_than_any_memory(transformer):
    x = R.normal((10**6, 10**6), seed=7)
    boxes = [(any_order.Random(k).randrange(10**6 - 5), any_order.Random(-k).randrange(10**6 - 5)) for k in range(20)]
    for i, j in boxes:
        here = R.normal((2, 5), seed=7, origin=(i, j)).numpy()
        assert np.array_equal(x[i : i + 2, j : j + 5].numpy(), here)
        assert np.array_equal((x * 2 + 1)[i : i + 2, j : j + 5].numpy(), here * 2 + 1)
        assert np.array_equal(weft.flip(x.T[j : j + 5 : 2, i : i + 2], axis=0).numpy(), here.T[::2][::-1])


def test_whole_axes_have_the_cells_of_every_box():
    x = R.uniform((None, 3, None), seed=7, dtype="float32")
    assert x.domain.start == (-(2**62), 0, -(2**62))
    for i, j in ((-5, 10**9), (2**61, -(2**61)), (-(2**62), 2**62 - 3)):
        box = x.at[i : i + 4, :, j : j + 2].numpy()
        assert np.array_equal(box, R.uniform((4, 3, 2), seed=7, origin=(i, 0, j), dtype="float32").numpy())
    with weft.eager():
        assert np.array_equal((R.uniform((None, 3, None), seed=7, dtype="float32").at[-5:-1, :, 7:9] * 2).numpy(),
                              (x.at[-5:-1, :, 7:9] * 2).numpy())  # fmt: skip


def test_only_corners_are_printed(transformer):
    if transformer == "cpu":
        assert str(R.normal((None, None), seed=7)).count("...") == 7


def test_fields_too_large_to_compute_raise():
    x = R.normal((None, None), seed=7)
    with pytest.raises((ShapeError, OutOfMemory)):
        x.numpy()
    with pytest.raises((ShapeError, OutOfMemory)):
        x.sum().item()


@pytest.mark.parametrize("n", [10**6, 2**40 + 1, 2**63 - 1])
def test_permutations_are_read_in_parts(n, transformer):
    if transformer == "reference" and n < 10**9:
        n = 10**4
    p = R.permutation(n, seed=5)
    first = p[: min(n, 2000)].numpy()
    assert len(set(first.tolist())) == len(first) and first.min() >= 0 and first.max() < n
    assert p[7:1990:100].tolist() == first[7:1990:100].tolist()
    assert p.shape == (n,)


def test_a_permuted_axis_keeps_its_cells():
    x = np.arange(60).reshape(3, 4, 5)
    for axis in (0, 1, -1):
        y = R.permutation(weft.asarray(x), seed=2, axis=axis).numpy()
        assert np.array_equal(np.sort(y, axis), x)
        assert np.array_equal(y, np.take(x, R.permutation(x.shape[axis], seed=2).numpy(), axis))
    wide = R.permutation(weft.asarray(np.arange(9000)), seed=2)
    assert np.array_equal(np.sort(wide.numpy()), np.arange(9000))


def test_seeds_of_seeds():
    assert R.fold(3) == 3
    assert R.fold(3, 1, 2) == R.fold(R.fold(3, 1), 2) != R.fold(3, 2, 1)
    assert R.uniform(3, seed=R.fold(2**64 - 1, 2**64 - 1)).shape == (3,)


ERRORS = {
    "seed": (lambda: R.normal(3, seed=2**64), ValueRangeError, "random: seed 18446744073709551616; it must be in"),
    "seed of fold": (lambda: R.fold(-1, 2), ValueRangeError, "random: seed -1"),
    "fold": (lambda: R.fold(1, 2**64), ValueRangeError, "fold: number 18446744073709551616; it must have 64 bits"),
    "fold of floats": (lambda: R.fold(1, 0.5), DTypeError, "fold: number 0.5; it must be an integer"),
    "std": (lambda: R.normal(3, seed=1, std=-1), ValueRangeError, "normal: deviation -1; it must not be negative"),
    "nan": (lambda: R.normal(3, seed=1, mean=math.nan), ValueRangeError, "normal: mean nan; it must be a number"),
    "nan bound": (lambda: R.uniform(3, seed=1, low=math.nan), ValueRangeError, "uniform: low nan; it must be a number"),
    "scale": (lambda: R.exponential(3, seed=1, scale=-2), ValueRangeError, "exponential: scale -2; it must be finite"),
    "endless scale": (lambda: R.gumbel(3, seed=1, scale=math.inf), ValueRangeError, "gumbel: scale inf; it must be"),
    "no std": (
        lambda: R.truncated_normal(3, seed=1, low=0, high=1, std=0), ValueRangeError, "std 0; it must be finite",
    ),
    "interval": (
        lambda: R.truncated_normal(3, seed=1, low=1, high=1), ValueRangeError, r"the interval \[1, 1\]; it must not be",
    ),
    "mean": (
        lambda: R.truncated_normal(3, seed=1, low=0, high=1, mean=math.inf), ValueRangeError, "mean inf; it must be",
    ),
    "p": (lambda: R.bernoulli(3, seed=1, p=1.5), ValueRangeError, "bernoulli: probability 1.5; it must be in"),
    "range": (lambda: R.integers(3, seed=1, low=5, high=5), ValueRangeError, r"integers: the range \[5, 5\)"),
    "bounds": (
        lambda: R.integers(3, seed=1, low=[0.5], high=3), DTypeError, "integers: bounds of float64; they must",
    ),
    "wide bounds": (
        lambda: R.integers(1, seed=1, low=weft.asarray([1], dtype="uint64"), high=3), DTypeError, "bounds of uint64",
    ),
    "dtype": (lambda: R.exponential(3, seed=1, dtype="int32"), DTypeError, "random: exponential of int32; no such"),
    "complex": (
        lambda: R.gumbel(3, seed=1, loc=weft.asarray([1j])), DTypeError, "gumbel: loc of complex128; a real parameter",
    ),
    "complex mean": (
        lambda: R.normal(3, seed=1, mean=weft.asarray([1j])), DTypeError, "random: a parameter of complex128",
    ),
    "no shape": (lambda: R.normal(None, seed=1), ShapeError, "normal: no shape, and numbers as parameters"),
    "shape": (
        lambda: R.normal(3, seed=1, mean=weft.zeros((2, 3))), ShapeError, r"a parameter of shape \(2, 3\) for a field",
    ),
    "origin": (lambda: R.normal((3, 2), seed=1, origin=5), ShapeError, r"normal: origin \(5,\) for shape \(3, 2\)"),
    "far origin": (lambda: R.normal(3, seed=1, origin=2**63 - 2), ShapeError, "int64 holds none of that size"),
    "whole axis": (lambda: R.normal((None,), seed=1, origin=(0,)), ShapeError, "a whole axis begins at -2..62"),
    "neither": (lambda: R.categorical(3, seed=1), ValueRangeError, "categorical: neither p nor logits"),
    "both": (lambda: R.categorical(3, seed=1, p=[1.0], logits=[0.0]), ValueRangeError, "categorical: p and logits"),
    "sum": (lambda: R.categorical(3, seed=1, p=[0.5, 0.4]), ValueRangeError, "probabilities that sum to 0.9"),
    "negative": (lambda: R.categorical(3, seed=1, p=[1.5, -0.5]), ValueRangeError, "categorical: probability -0.5"),
    "nan p": (lambda: R.categorical(3, seed=1, p=[math.nan, 1]), ValueRangeError, "categorical: probability nan; none"),
    "logits": (lambda: R.categorical(3, seed=1, logits=[math.inf, 1]), ValueRangeError, "categorical: logits with NaN"),
    "no finite": (lambda: R.categorical(3, seed=1, logits=[-math.inf]), ValueRangeError, "logits with NaN"),
    "empty": (lambda: R.categorical(3, seed=1, p=[]), ShapeError, "there is no category; give at least one"),
    "of bools": (lambda: R.categorical(3, seed=1, p=[True]), DTypeError, "probabilities of bool; they must be real"),
    "how many": (lambda: R.categorical(None, seed=1, p=[1.0]), ShapeError, "how many are wanted is open; give a shape"),
    "huge mean": (lambda: R.normal(2, seed=1, mean=10**400), ValueRangeError, "normal: an integer of 1329 bits"),
    "huge scale": (lambda: R.exponential(2, seed=1, scale=10**400), ValueRangeError, "exponential: an integer of 1329"),
    "complex centre": (lambda: R.normal(2, seed=1, mean=1j), DTypeError, "normal: a parameter 1j; the field is real"),
    "complex bound": (lambda: R.uniform(2, seed=1, low=-1j), DTypeError, "uniform: a parameter .*; the field is real"),
    "permutation": (lambda: R.permutation(-1, seed=1), ShapeError, "permutation: shape .-1,. has a negative size"),
}  # fmt: skip


@for_each("name", ERRORS)
def test_errors(name):
    wrong, error, message = ERRORS[name]
    with pytest.raises(error, match=message):
        wrong()


def test_threads_read_one_field_at_once(transformer):
    x = R.normal((10**6, 10**6), seed=3)
    places = [(97 * k, 10**5 + 31 * k) for k in range(40)]
    alone = [x[i : i + 3, j : j + 2].tolist() for i, j in places]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda at: x[at[0] : at[0] + 3, at[1] : at[1] + 2].tolist(), places)) == alone


def test_arguments_as_numpy_has_them_are_refused_with_what_takes_them():
    told = "normal: 3 arguments by place; a field takes 1, and seed= .*default_rng"
    with pytest.raises(weft.errors.ArgumentError, match=told):
        weft.random.normal(0, 1, 3)
    with pytest.raises(weft.errors.ArgumentError, match=r"normal: no seed; .*give seed=, or draw .*default_rng\(\)"):
        weft.random.normal(3)  # type: ignore[call-arg]


@pytest.mark.parametrize("bounds", [{"low": 0, "high": 2**70}, {"low": -(2**70), "high": 5}, {"low": 0, "high": 2**64}])
def test_a_bound_beyond_the_dtype_beside_a_tensor_is_refused(bounds):
    for name in bounds:
        given = bounds | {name: weft.asarray(1)}
        if max(abs(n) for n in given.values() if isinstance(n, int)) > 2**63:
            with pytest.raises(ValueRangeError, match="a bound of"):
                weft.random.integers((3,), seed=1, **given)
