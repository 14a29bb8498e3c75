"""A cell of a field has one value, however it is asked for: parts, orders, shards, origins, settings, parameters.

The one idea: the field is a function of coordinates; whatever selection of it is read gives the function's values.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.laws.test_programs import threads
from tests.oracle.compare import same_bits
from tests.shares import examples, in_turn
from weft.ir.fields.philox import derive_key, field_words
from weft.passes.switches import without

R = weft.random
FLOATS = ("float16", "bfloat16", "float32", "float64")
Field = Callable[..., Any]


def made(name: str, dtype: str) -> Field:
    """The field of that name, of a shape, a seed and an origin."""
    if name in ("uniform", "normal", "exponential", "gumbel"):
        return lambda shape, seed, origin: getattr(R, name)(shape, seed=seed, dtype=dtype, origin=origin)
    if name == "truncated_normal":
        return lambda shape, seed, origin: R.truncated_normal(
            shape, seed=seed, low=-0.5, high=2.0, dtype=dtype, origin=origin
        )
    if name == "integers":
        return lambda shape, seed, origin: R.integers(shape, seed=seed, low=-7, high=1000, dtype=dtype, origin=origin)
    if name == "bernoulli":
        return lambda shape, seed, origin: R.bernoulli(shape, seed=seed, p=0.3, origin=origin)
    return lambda shape, seed, origin: R.categorical(shape, seed=seed, p=[0.5, 0.1, 0.4], dtype=dtype, origin=origin)


FIELDS = [
    *[(name, d) for name in ("uniform", "normal") for d in (*FLOATS, "complex64", "complex128")],
    *[(name, d) for name in ("exponential", "gumbel", "truncated_normal") for d in FLOATS],
    *[("integers", d) for d in ("int16", "int64")],
    *[("categorical", d) for d in ("int8", "int64", "uint64")],
    ("bernoulli", "bool"),
]  # fmt: skip


def settings_of(name: str) -> AbstractContextManager[Any]:
    if name == "eager":
        return weft.eager()
    if name.endswith("threads"):
        return threads(int(name[0]))
    return {"lazy": nullcontext, "reference": lambda: weft.transformer("reference")}.get(name, lambda: without(name))()


@st.composite
def places(draw: st.DrawFn, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape and an origin, near 0 or anywhere."""
    shape = tuple(draw(st.integers(1, 6)) for _ in range(rank))
    origin = tuple(draw(st.integers(-9, 9) | st.integers(-(2**63), 2**63 - 7)) for _ in range(rank))
    return shape, origin


@given(st.data(), st.sampled_from(FIELDS), st.integers(0, 3), st.integers(0, 2**64 - 1))
@settings(max_examples=examples(60))
def test_fields_agree_where_their_domains_meet(data: st.DataObject, what: Any, rank: int, seed: int) -> None:
    shape, origin = data.draw(places(rank))
    field = made(*what)
    whole = field(shape, seed, origin).numpy()
    part = [sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in shape]
    inside = field([b - a for a, b in part], seed, [o + a for o, (a, _) in zip(origin, part, strict=True)])
    assert same_bits(inside.numpy(), whole[tuple(slice(*p) for p in part)])


@given(st.data(), st.sampled_from(FIELDS), st.integers(1, 3))
@settings(max_examples=examples(60))
def test_selections_of_a_field_are_those_of_its_values(data: st.DataObject, what: Any, rank: int) -> None:
    shape, origin = data.draw(places(rank))
    x = made(*what)(shape, 5, origin)
    values = made(*what)(shape, 5, origin).numpy()
    order = data.draw(st.permutations(range(rank)))
    flipped = data.draw(st.sets(st.sampled_from(range(rank))))
    x, values = weft.permute_dims(x, order), np.transpose(values, order)
    x, values = weft.flip(x, axis=tuple(flipped)), np.flip(values, tuple(flipped))
    key = tuple(
        slice(data.draw(st.integers(0, n)), None, data.draw(st.sampled_from([1, 2, 3, -1, -2]))) for n in values.shape
    )
    assert same_bits(x[key].numpy(), values[key])


@pytest.mark.parametrize("what", FIELDS, ids=" ".join)
def test_shards_join_to_the_field(what: Any) -> None:
    shape, origin = (12, 7), (-5, 2**40)
    field = made(*what)
    whole = field(shape, 3, origin).numpy()
    for shards in (1, 2, 4):
        n = shape[0] // shards
        parts = [field((n, 7), 3, (origin[0] + n * k, origin[1])) for k in range(shards)]
        assert same_bits(weft.concat(parts).numpy(), whole)
    assert same_bits(weft.interleave([weft.asarray(whole[0::2]), field(shape, 3, origin)[1::2]]).numpy(), whole)


SETTINGS = ["eager", "reference", "fuse", "simplify", "anchor", "1 threads", "2 threads"]


@pytest.mark.parametrize(("what", "setting"), in_turn(FIELDS, SETTINGS, every=6), ids=str)
def test_settings_change_no_bit(what: Any, setting: str) -> None:
    lazy = made(*what)((9, 33), 8, (3, -20)).numpy()
    with settings_of(setting):
        assert same_bits(made(*what)((9, 33), 8, (3, -20)).numpy(), lazy)
        assert same_bits(made(*what)((9, 33), 8, (3, -20))[::-2, 5:30:7].numpy(), lazy[::-2, 5:30:7])


def test_another_process_gives_the_same_bits() -> None:
    code = "import weft; print(weft.random.normal((3, 3), seed=4, origin=(-1, 10**12)).numpy().tobytes().hex())"
    root = str(Path(weft.__file__).parents[1])
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert found.stdout.strip() == R.normal((3, 3), seed=4, origin=(-1, 10**12)).numpy().tobytes().hex()


# ---- parameters
def spread(number: Any, dtype: Any = None) -> Any:
    return weft.asarray(np.full((5, 1), number), dtype=dtype)


PARAMETERS: dict[str, tuple[tuple[str, ...], Callable[..., Any], tuple[Any, ...]]] = {
    "normal": (
        (*FLOATS, "complex64"),
        lambda a, b, d: R.normal((5, 40), seed=2, mean=a, std=b, dtype=d), (-3.3, 0.7),
    ),
    "uniform": (
        (*FLOATS, "complex64"),
        lambda a, b, d: R.uniform((5, 40), seed=2, low=a, high=b, dtype=d), (-1.7, 3.1),
    ),
    "narrow uniform": (
        FLOATS, lambda a, b, d: R.uniform((5, 40), seed=2, low=a, high=b, dtype=d), (1 + 2.0**-8 + 2.0**-40, 1.02),
    ),
    "gumbel": (FLOATS, lambda a, b, d: R.gumbel((5, 40), seed=2, loc=a, scale=b, dtype=d), (0.0, 1.0)),
    "exponential": (FLOATS, lambda a, b, d: R.exponential((5, 40), seed=2, scale=a, dtype=d), (1.0, None)),
    "truncated": (
        FLOATS, lambda a, b, d: R.truncated_normal((5, 40), seed=2, low=a, high=b, dtype=d), (0.5, 3.0),
    ),
    "truncated of mean and std": (
        FLOATS,
        lambda a, b, d: R.truncated_normal((5, 40), seed=2, low=-1, high=2, mean=a, std=b, dtype=d), (-1.5, 0.3),
    ),
    "integers": (
        ("int8", "uint8", "int64"), lambda a, b, d: R.integers((5, 40), seed=2, low=a, high=b, dtype=d), (3, 100),
    ),
    "bernoulli": (("bool",), lambda a, b, d: R.bernoulli((5, 40), seed=2, p=a), (0.3, None)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "transformer", "part"), in_turn(PARAMETERS, ["cpu", "reference"], range(2), every=4))
def test_tensors_as_parameters_give_the_bits_of_numbers(name: str, transformer: str, part: int) -> None:
    dtypes, field, (a, b) = PARAMETERS[name]
    with weft.transformer(transformer):
        for d in dtypes[part % len(dtypes) :: 2]:
            numbers = field(a, b, d).numpy()
            tensors = [(spread(a), b), (a, b), (spread(a), weft.asarray(b) if b is not None else b)]
            if b is not None:
                tensors.append((a, spread(b)))
            assert all(same_bits(field(*p, d).numpy(), numbers) for p in tensors), d


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("int64", -(2**63), 2**63), ("uint64", 0, 2**64), ("uint64", 1, 2**64), ("int8", -128, 128), ("int64", -5, 2**62)],
)
def test_bounds_of_whole_dtypes_as_tensors(dtype: str, low: int, high: int) -> None:
    wide = "uint64" if dtype == "uint64" else "int64"
    numbers = R.integers((5, 40), seed=2, low=low, high=high, dtype=dtype).numpy()
    assert same_bits(R.integers((5, 40), seed=2, low=spread(low, wide), high=high, dtype=dtype).numpy(), numbers)


def test_complex_parameters_as_tensors() -> None:
    a, b = -1.5 + 2j, 3 + 4.25j
    numbers = R.uniform((5, 40), seed=2, low=a, high=b, dtype="complex64").numpy()
    assert same_bits(R.uniform((5, 40), seed=2, low=spread(a), high=b, dtype="complex64").numpy(), numbers)
    numbers = R.normal((5, 40), seed=2, mean=a, std=0.5, dtype="complex128").numpy()
    assert same_bits(R.normal((5, 40), seed=2, mean=spread(a), std=0.5, dtype="complex128").numpy(), numbers)


@given(st.data())
@settings(max_examples=examples(25))
def test_categories_are_where_the_borders_say(data: st.DataObject) -> None:
    """The inverse of the distribution function at a word of 63 bits, for weights of each column."""
    k, columns = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 3))
    weights = np.array(data.draw(st.lists(st.integers(0, 5), min_size=k * columns, max_size=k * columns)), np.float64)
    weights = weights.reshape(columns, k) + (np.arange(k) == k // 2)
    found = R.categorical((50, columns), seed=9, p=weft.asarray(weights)).numpy()
    cells = np.meshgrid(np.arange(50), np.arange(columns), indexing="ij")
    word, _ = field_words(derive_key(9, "categorical", 2), cells)
    ends = np.cumsum(weights, 1)
    ends = (ends / ends[:, -1:] * 2.0**63).astype(np.uint64)
    assert (found == (word[..., None] >> np.uint64(1) >= ends).sum(-1)).all()
    assert (np.take_along_axis(weights, found.T, 1) > 0).all()
