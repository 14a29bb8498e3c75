"""Random tensors: a value is a pure function of seed, distribution, rank and coordinates.

The one idea: there is no generator with a state.  The same call gives the same values, whatever part of it is read,
in whatever order, on however many threads; other values come from another seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import integer, number, shape_of
from weft.dtypes import DType
from weft.interop.imports import own
from weft.ir import node as ir
from weft.ir import permutation as bijection
from weft.ir.fields import field_instr_args
from weft.ir.ops import OPS
from weft.tensor import Tensor, wrap


def _field(distribution: str, shape: Any, dtype: Any, default: DType, seed: Any, *parameters: Any) -> Tensor:
    sizes = shape_of(distribution, shape)
    found = default if dtype is None else dt.spelled(dtype)[0]
    rank = len(sizes)
    scalars = field_instr_args(distribution, found, rank, integer(distribution, "seed", seed), *parameters)
    coordinates = [ir.make(OPS["iota"], (), (axis,), ir.result(dt.int64, sizes)) for axis in range(rank)]
    inputs = (*coordinates, *(ir.scalar(v, d) for v, d in scalars))
    return wrap(ir.locate(ir.make(OPS["philox"], inputs, (distribution, rank), ir.result(found, sizes))))


def uniform(shape: Any, *, seed: int, low: Any = 0.0, high: Any = 1.0, dtype: Any = None) -> Tensor:
    """Values spread evenly over [low, high), floats or complex numbers.

    >>> import weft
    >>> x = weft.random.uniform((2, 3), seed=7)
    >>> bool(((x >= 0) & (x < 1)).all())
    True
    """
    return _field(
        "uniform", shape, dtype, dt.float64, seed, number("uniform", low, complex), number("uniform", high, complex)
    )


def normal(shape: Any, *, seed: int, mean: Any = 0.0, std: float = 1.0, dtype: Any = None) -> Tensor:
    """Values of the normal distribution.

    >>> import weft
    >>> weft.random.normal(1000, seed=7).mean().item() < 0.1
    True
    """
    return _field("normal", shape, dtype, dt.float64, seed, number("normal", mean, complex), number("normal", std))


def integers(shape: Any, *, seed: int, low: int, high: int, dtype: Any = None) -> Tensor:
    """Integers of [low, high), each as likely (to one part in 2**64).

    >>> import weft
    >>> int(weft.random.integers(1000, seed=7, low=3, high=6).max())
    5
    """
    return _field(
        "integers", shape, dtype, dt.int64, seed, integer("integers", "low", low), integer("integers", "high", high)
    )


def bernoulli(shape: Any, *, seed: int, p: float = 0.5) -> Tensor:
    """Bools that are True with probability p.

    >>> import weft
    >>> bool(weft.random.bernoulli(10, seed=7, p=1.0).all())
    True
    """
    return _field("bernoulli", shape, None, dt.bool, seed, float(number("bernoulli", p)))


def permutation(n: int, *, seed: int) -> Tensor:
    """The integers 0 to n - 1 in random order.

    >>> import weft
    >>> weft.sort(weft.random.permutation(4, seed=7)).tolist()
    [0, 1, 2, 3]
    """
    (size,) = shape_of("permutation", (n,))
    return own(bijection.permutation(integer("permutation", "seed", seed), size, np.arange(size)))


__all__ = ["bernoulli", "integers", "normal", "permutation", "uniform"]
