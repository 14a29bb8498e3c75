"""Random tensors: the same call gives the same values, of the distribution asked for."""

import numpy as np
import pytest

import weft


@pytest.fixture(params=["cpu", "reference"], autouse=True)
def transformer(request):
    with weft.transformer(request.param):
        yield request.param


MADE = {
    "uniform": lambda seed: weft.random.uniform((3, 5), seed=seed),
    "uniform32": lambda seed: weft.random.uniform((3, 5), seed=seed, low=-2, high=3, dtype="float32"),
    "complex": lambda seed: weft.random.uniform(4, seed=seed, high=1 + 1j, dtype="complex64"),
    "normal": lambda seed: weft.random.normal((3, 5), seed=seed, mean=1.0, std=2.0),
    "half": lambda seed: weft.random.normal(9, seed=seed, dtype="bfloat16"),
    "integers": lambda seed: weft.random.integers((3, 5), seed=seed, low=-5, high=1000),
    "bernoulli": lambda seed: weft.random.bernoulli((9, 9), seed=seed, p=0.25),
    "permutation": lambda seed: weft.random.permutation(50, seed=seed),
    "rank 0": lambda seed: weft.random.uniform((), seed=seed),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_seed_gives_its_values_and_no_other(name):
    assert MADE[name](7).tolist() == MADE[name](7).tolist()
    assert MADE[name](7).tolist() != MADE[name](8).tolist()


@pytest.mark.parametrize("name", MADE)
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
