"""Random tensors: a value is a pure function of seed, distribution, rank and coordinates.

The one idea: there is no generator with a state.  The same call gives the same values, whatever part of it is read, in
whatever order, on however many threads; other values need another seed.  Nothing is stored: a field may be larger than
any memory, has any origin, and its whole axes (None in the shape) are practically unbounded.

All fields share these arguments:

    shape    sizes per axis, None for a whole axis; or None alone, where the parameters are tensors that have a shape
    seed     0 to 2**64 - 1; `fold` derives others from one
    origin   the coordinates of the first cell: fields of the same seed agree wherever their domains meet
    device   the device of the field: by default that of its tensor parameters, else the default device
    parameters are numbers, which are checked at once, or tensors that broadcast to the field, whose values are not
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import inf, isfinite
from typing import Any, ParamSpec

import numpy as np

from weft import dtypes as dt
from weft.api.argument_errors import refusing
from weft.api.arguments import extent_of, integer, is_one, number, one_axis, shape_of
from weft.api.standard.creation_functions import ordered
from weft.dtypes import DType
from weft.errors import ArgumentError, DTypeError, ShapeError, ValueRangeError
from weft.interop.device_moves import check_no_record, settled
from weft.interop.imports import as_operand
from weft.ir.atoms import selections
from weft.ir.fields import distributions as make
from weft.ir.fields import philox
from weft.ir.fields.distributions import Extent, Parameter
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.traced import of_traced
from weft.runtime.compute import stages
from weft.runtime.default_dtype import default_of
from weft.runtime.devices.device import place_for
from weft.tensors.tensor import Tensor, node_of, values_of, wrap

P = ParamSpec("P")

_NUMBERS = (bool, int, float, complex)


# ---- arguments
def _parameter(name: str, what: str, x: Any, *more: type) -> Parameter:
    """Return parameter `x`, called `what` in messages, as a Python number or a node.

    Raises ValueRangeError for NaN, DTypeError for an object that is no number and, unless complex is in the types
    `more`, for complex numbers.
    """
    if type(x) in _NUMBERS or isinstance(x, np.generic):
        x = number(name, x, *more)
        if x != x:
            raise ValueRangeError(f"{name}: {what} {x}; it must be a number; replace it")
        return x
    n = node_of(as_operand(x))
    if n.desc.dtype.kind == "complex" and complex not in more:
        raise DTypeError(f"{name}: {what} of {n.desc.dtype.name}; a real parameter is needed; take its real part")
    return n


def _extent(name: str, shape: Any, origin: Any, *parameters: Parameter) -> Extent:
    """Return (sizes, origin) of a field, given by `shape` or, if it is None, by the tensors among its parameters.

    Raises ShapeError if neither determines them, a size is negative, or a parameter does not broadcast to `shape`;
    DTypeError for sizes or origins that are no integers.
    """
    nodes = [p for p in parameters if isinstance(p, Node)]
    if shape is not None:
        sizes, start = extent_of(name, shape, origin)
        _check_fits(name, sizes, [n.desc.shape for n in nodes])
        return sizes, start
    if not nodes:
        raise ShapeError(f"{name}: no shape, and numbers as parameters; a tensor would have one; give a shape")
    sizes, start = ir.broadcast_domains(name, [n.desc for n in nodes])
    return (sizes, start) if origin is None else extent_of(name, sizes, origin)


def _check_fits(name: str, sizes: tuple[int, ...], shapes: Sequence[tuple[int, ...]]) -> None:
    """Raise ShapeError if a shape in `shapes`, of the parameters, does not broadcast to `sizes`, the field's."""
    for shape in shapes:
        if ir.broadcast_shapes(name, sizes, shape) != sizes:
            raise ShapeError(
                f"{name}: a parameter of shape {shape} for a field of shape {sizes}; parameters broadcast to the "
                "field; give the field the shape of both"
            )


def _dtype(name: str, dtype: Any, kind: type, *kinds: str) -> DType:
    """Return a field's dtype, by default that of Python type `kind`; raises DTypeError unless it is of `kinds`."""
    wanted = default_of(kind) if dtype is None else dt.spelled(dtype)[0]
    if wanted.kind not in kinds or wanted.storage:
        raise DTypeError(f"random: {name} of {wanted.name}; no such field is defined; choose another dtype")
    return wanted


@of_traced
def _seed(name: str, seed: Any) -> int:
    """Return a seed as an integer; raises ValueRangeError outside of 0 to 2**64 - 1, DTypeError for no integer."""
    return philox.check_seed(seed if type(seed) is int else integer(name, "seed", seed))


def _check_scale(name: str, what: str, x: Parameter, above: bool = False) -> None:
    """Raise ValueRangeError if `x`, called `what`, is an infinite or negative number; with `above`, also for 0."""
    if not isinstance(x, Node) and not (isfinite(x) and (x > 0 if above else x >= 0)):
        raise ValueRangeError(
            f"{name}: {what} {x}; it must be finite and {'above 0' if above else 'not negative'}; give another"
        )


def _tensor_of(n: Node, dtype: Any = None) -> Tensor:
    """Return a tensor on a field's node, whose cells have the byte order of `dtype`."""
    if dtype is None or type(dtype) is DType:
        return wrap(ir.locate(n))
    return ordered(n, dt.spelled(dtype)[1] == "big")


def _field(name: str, dtypes: tuple[DType, Any], shape: Any, origin: Any, seed: Any, *parameters: Any) -> Tensor:
    """Return a field of the distribution `name`; `dtypes` are its dtype and the dtype as the user wrote it.

    Raises ShapeError for an impossible shape or origin, ValueRangeError for a seed or numbers as parameters out of
    range, DTypeError for complex parameters of a real field.
    """
    extent = _extent(name, shape, origin, *parameters)
    return _tensor_of(getattr(make, name)(dtypes[0], extent, _seed(name, seed), *parameters), dtypes[1])


def _placed(make: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """Decorate a field function with a `device=` argument and checks of its arguments.

    By default the field lies where its tensor parameters do, else on the default device. The function raises
    ArgumentError without `seed=` and for too many arguments by place.
    """
    name, most, fitting = make.__name__, make.__code__.co_argcount, refusing(make, make.__name__)

    @wraps(make)
    def placed(*args: P.args, **given: P.kwargs) -> Tensor:
        if len(args) > most:
            raise ArgumentError(
                f"{name}: {len(args)} arguments by place; a field takes {most}, and seed= and others by name; "
                "weft.random.default_rng(seed) has methods with NumPy's arguments"
            )
        if "seed" not in given:
            raise ArgumentError(
                f"{name}: no seed; a field is a function of its seed, and nothing is kept from call to call; give "
                "seed=, or draw with a generator, weft.random.default_rng()"
            )
        check_no_record(name, given)
        where = given.pop("device", None)
        made: Tensor = fitting(*args, **given)
        if where is None and any(isinstance(v, Tensor) for v in (*args, *given.values())):
            return made
        return settled(made, place_for(name, where))

    return placed


# ---- distributions
@_placed
def uniform(
    shape: Any, *, seed: int, low: Any = 0.0, high: Any = 1.0, dtype: Any = None, origin: Any = None, device: Any = None
) -> Tensor:
    """Return a field of values uniform over [low, high), real or complex by `dtype`.

    For complex values, real bounds hold for real and imaginary part. With tensors as bounds, cells without low < high
    have no defined value. Raises DTypeError for integer dtypes and a seed that is no integer, ValueRangeError for an
    empty or infinite interval of numbers and a seed outside of 64 bits, ShapeError for an impossible shape or origin.

    >>> import weft
    >>> x = weft.random.uniform((2, 3), seed=7)
    >>> bool(((x >= 0) & (x < 1)).all())
    True
    >>> weft.random.uniform(3, seed=7, origin=10).tolist() == weft.random.uniform(13, seed=7)[10:].tolist()
    True
    """
    found = _dtype("uniform", dtype, float, "float", "complex")
    a, b = _parameter("uniform", "low", low, complex), _parameter("uniform", "high", high, complex)
    return _field("uniform", (found, dtype), shape, origin, seed, a, b)


@_placed
def normal(
    shape: Any, *, seed: int, mean: Any = 0.0, std: Any = 1.0, dtype: Any = None, origin: Any = None, device: Any = None
) -> Tensor:
    """Return a field of normal values of mean `mean` and standard deviation `std`.

    They are computed in float64 and rounded once; of complex values both parts have this deviation. With tensors as
    parameters, a NaN gives NaN, and a negative std the values of -std, mirrored. Raises DTypeError for integer dtypes
    and a seed that is no integer, ValueRangeError if the number `std` is negative, a number is NaN or the seed outside
    of 64 bits, ShapeError for an impossible shape or origin.

    >>> import weft
    >>> weft.random.normal(1000, seed=7).mean().item() < 0.1
    True
    >>> weft.random.normal(None, seed=7, mean=weft.asarray([0.0, 100.0])).shape
    (2,)
    """
    found = _dtype("normal", dtype, float, "float", "complex")
    m, s = _parameter("normal", "mean", mean, complex), _parameter("normal", "deviation", std)
    return _field("normal", (found, dtype), shape, origin, seed, m, s)


@_placed
def integers(
    shape: Any, *, seed: int, low: Any, high: Any, dtype: Any = None, origin: Any = None, device: Any = None
) -> Tensor:
    """Return a field of integers from `low` to `high` - 1, equally likely (to one part in 2**64).

    The dtype is int64 by default; raises DTypeError for one that is no integer dtype. With tensors as bounds, an empty
    range gives low, and values beyond the dtype wrap; with numbers, both raise ValueRangeError. Raises ShapeError for
    an impossible shape or origin, ValueRangeError for a seed outside of 64 bits, DTypeError for one that is no integer.

    >>> import weft
    >>> int(weft.random.integers(1000, seed=7, low=3, high=6).max())
    5
    """
    found = _dtype("integers", dtype, int, "int", "uint")
    a, b = (v if isinstance(v, Node) else integer("integers", w, v) for w, v in _bounds(low, high))
    return _field("integers", (found, dtype), shape, origin, seed, a, b)


def _bounds(low: Any, high: Any) -> list[tuple[str, Any]]:
    """Return ("low", low) and ("high", high), with tensors, arrays and lists as nodes, and numbers unchanged.

    Raises DTypeError for an object without numbers.
    """
    pairs = (("low", low), ("high", high))
    return [(w, node_of(as_operand(v)) if isinstance(v, (Tensor, np.ndarray, list, tuple)) else v) for w, v in pairs]


@_placed
def bernoulli(shape: Any, *, seed: int, p: Any = 0.5, origin: Any = None, device: Any = None) -> Tensor:
    """Return a field of bools that are True with probability `p`, to one part in 2**64.

    With a tensor as p, a value below 0 or NaN gives False, one above 1 True; a number outside of [0, 1] raises
    ValueRangeError. Raises ShapeError for an impossible shape or origin, ValueRangeError for a seed outside of 64 bits,
    DTypeError for one that is no integer.

    >>> import weft
    >>> bool(weft.random.bernoulli(10, seed=7, p=1.0).all())
    True
    """
    chance = _parameter("bernoulli", "probability", p)
    chance = chance if isinstance(chance, Node) else float(chance)
    return _tensor_of(make.bernoulli(_extent("bernoulli", shape, origin, chance), _seed("bernoulli", seed), chance))


@_placed
def exponential(
    shape: Any, *, seed: int, scale: Any = 1.0, dtype: Any = None, origin: Any = None, device: Any = None
) -> Tensor:
    """Return a field of exponential values of mean `scale`: -scale·log u for a uniform u, rounded once.

    Raises ValueRangeError if `scale` is negative or infinite or the seed outside of 64 bits, DTypeError for a dtype
    that is no float or a seed that is no integer, ShapeError for an impossible shape or origin.

    >>> import weft
    >>> x = weft.random.exponential(1000, seed=7, scale=2.0)
    >>> bool((x >= 0).all()), 1.8 < x.mean().item() < 2.2
    (True, True)
    """
    found = _dtype("exponential", dtype, float, "float")
    s = _parameter("exponential", "scale", scale)
    _check_scale("exponential", "scale", s)
    return _field("exponential", (found, dtype), shape, origin, seed, s)


@_placed
def gumbel(
    shape: Any,
    *,
    seed: int,
    loc: Any = 0.0,
    scale: Any = 1.0,
    dtype: Any = None,
    origin: Any = None,
    device: Any = None,
) -> Tensor:
    """Return a field of Gumbel values: loc - scale·log(-log u) for a uniform u, rounded once.

    Raises ValueRangeError if `scale` is negative or infinite or the seed outside of 64 bits, DTypeError for a dtype
    that is no float or a seed that is no integer, ShapeError for an impossible shape or origin.

    >>> import weft
    >>> abs(weft.random.gumbel(1000, seed=7).mean().item() - 0.577) < 0.1
    True
    """
    found = _dtype("gumbel", dtype, float, "float")
    m, s = _parameter("gumbel", "loc", loc), _parameter("gumbel", "scale", scale)
    _check_scale("gumbel", "scale", s)
    return _field("gumbel", (found, dtype), shape, origin, seed, m, s)


@_placed
def truncated_normal(
    shape: Any,
    *,
    seed: int,
    low: Any,
    high: Any,
    mean: Any = 0.0,
    std: Any = 1.0,
    dtype: Any = None,
    origin: Any = None,
    device: Any = None,
) -> Tensor:
    """Return a field of normal values conditioned on [low, high], with both ends rounded to the dtype.

    They are made by the inverse of the distribution function, whose error is 2**-50 of the smaller tail: intervals may
    lie up to 37 deviations from the mean, and values are exact to about 1e-14 deviations unless the interval is
    narrower. Farther out, all values are the end nearer to the mean. Raises ValueRangeError for an empty interval, a
    mean that is not finite, and `std` that is not above 0; DTypeError for a dtype that is no float.

    >>> import weft
    >>> x = weft.random.truncated_normal(1000, seed=7, low=8.0, high=9.0)
    >>> bool(((x >= 8) & (x <= 9)).all()), 8.1 < x.mean().item() < 8.15
    (True, True)
    """
    name = "truncated_normal"
    found = _dtype(name, dtype, float, "float")
    pairs = (("low", low), ("high", high), ("mean", mean), ("std", std))
    a, b, m, s = (_parameter(name, what, v) for what, v in pairs)
    _check_scale(name, "std", s, above=True)
    if make.scalars_only(a, b) and not a < b:
        raise ValueRangeError(f"{name}: the interval [{a}, {b}]; it must not be empty; give low < high")
    if make.scalars_only(m) and not isfinite(m):
        raise ValueRangeError(f"{name}: mean {m}; it must be finite; give another")
    return _field(name, (found, dtype), shape, origin, seed, a, b, m, s)


@_placed
def categorical(
    shape: Any,
    *,
    seed: int,
    p: Any = None,
    logits: Any = None,
    axis: int = -1,
    dtype: Any = None,
    origin: Any = None,
    device: Any = None,
) -> Tensor:
    """Return a field of categories 0 to k - 1, with probabilities `p` or proportional to exp(logits) along `axis`.

    The dtype is int64 by default. The other axes of p broadcast to the field. Lists and arrays are checked at once:
    they must not be negative, nor NaN, and p must sum to 1 (to 1e-6, or the precision of float16 and bfloat16). Tensors
    are not checked, but divided by their sum; if a probability is negative or NaN the category is arbitrary. Raises
    ValueRangeError for lists and arrays that break these rules and unless one of `p` and `logits` is given, ShapeError
    without categories, AxisError for an axis that the weights lack, DTypeError for weights that are not real.

    >>> import weft
    >>> x = weft.random.categorical(1000, seed=7, p=[0.5, 0.0, 0.5])
    >>> sorted(set(x.tolist()))
    [0, 2]
    >>> weft.random.categorical(None, seed=7, logits=weft.zeros((4, 3))).shape
    (4,)
    """
    name = "categorical"
    if (p is None) == (logits is None):
        raise ValueRangeError(
            f"{name}: {'neither p nor logits' if p is None else 'p and logits'}; one of them is needed"
        )
    weights = logits if p is None else p
    n = node_of(as_operand(weights))
    if n.desc.dtype.kind not in ("float", "int", "uint"):
        raise DTypeError(f"{name}: probabilities of {n.desc.dtype.name}; they must be real numbers; convert them")
    if not n.desc.ndim or not n.desc.shape[at := one_axis(name, axis, n.desc.ndim)]:
        raise ShapeError(f"{name}: probabilities of shape {n.desc.shape}; there is no category; give at least one")
    ends = make.share_ends(selections.permute(n, [d for d in range(n.desc.ndim) if d != at] + [at]), p is None)
    if not isinstance(weights, Tensor):
        _check_weights(values_of(n), at, n.desc.dtype, p is None)
        stages.compute([ends])
    batch = ends.desc.shape[:-1]
    origin_of_batch = None if n.desc.origin is None else tuple([o for d, o in enumerate(n.desc.origin) if d != at])
    extent = (batch, origin_of_batch)
    if shape is not None or origin is not None:
        extent = extent_of(name, batch if shape is None else shape, origin)
        _check_fits(name, extent[0], [batch])
    elif not batch:
        raise ShapeError(f"{name}: no shape, and one list of probabilities; how many are wanted is open; give a shape")
    found = _dtype(name, dtype, int, "int", "uint")
    return _tensor_of(make.categorical(found, extent, _seed(name, seed), ends), dtype)


def _check_weights(values: np.ndarray, axis: int, dtype: DType, are_logits: bool) -> None:
    """Raise ValueRangeError for probabilities that are negative or do not sum to 1 along `axis`.

    With `are_logits`, raise it for NaN, +inf, or -inf in all places of the axis. `dtype` is that of the user's weights.
    """
    values = values.astype(np.float64)
    if are_logits:
        if np.isnan(values).any() or (values == inf).any() or (values.max(axis) == -inf).any():
            raise ValueRangeError(
                "categorical: logits with NaN, infinity or no finite one; weights must be finite; clip"
            )
        return
    if not (values >= 0).all():
        raise ValueRangeError(f"categorical: probability {values.min()}; none may be negative or NaN; clip them")
    sums = values.sum(axis)
    rounding = 4 * dt.float_limits(dtype).eps if dtype.kind == "float" else 0.0
    if not (np.abs(sums - 1) <= max(rounding, 1e-6)).all():
        worst = sums.flat[np.abs(sums - 1).argmax()]
        raise ValueRangeError(f"categorical: probabilities that sum to {worst}; it must be 1; divide by the sum")


# ---- permutations and seeds
@_placed
def permutation(x: Any, *, seed: int, axis: int = 0, device: Any = None) -> Tensor:
    """Return the integers 0 to x - 1, or a tensor with the positions of an axis, in random order.

    The integers are int64, each computed when it is read: of a permutation of 10**15, ten may be read. Raises
    ShapeError for a negative size, AxisError for an axis that x lacks, ValueRangeError for a seed outside of 64 bits,
    DTypeError for an object without numbers.

    >>> import weft
    >>> weft.sort(weft.random.permutation(4, seed=7)).tolist()
    [0, 1, 2, 3]
    >>> weft.random.permutation(weft.asarray([5, 6, 7, 8]), seed=7).sum().item()
    26
    >>> weft.random.permutation(10**15, seed=7)[:3].max().item() < 10**15
    True
    """
    start = _seed("permutation", seed)
    if is_one(x):
        (size,) = shape_of("permutation", (integer("permutation", "size", x),))
        return _tensor_of(make.permutation(size, start))
    n = node_of(as_operand(x))
    return _tensor_of(make.permuted(n, one_axis("permutation", axis, n.desc.ndim), start))


@of_traced
def fold(seed: int, *numbers: int) -> int:
    """Return a new seed derived from a seed and integers: one for every step, layer or worker.

    Raises ValueRangeError for a seed outside of 0 to 2**64 - 1 or a number outside of -2**63 to 2**64 - 1, DTypeError
    for those that are no integers.

    >>> import weft
    >>> weft.random.fold(7, 3) == weft.random.fold(7, 3) != weft.random.fold(7, 4)
    True
    """
    found = _seed("fold", seed)
    for x in numbers:
        number = integer("fold", "number", x)
        if not -(1 << 63) <= number < 1 << 64:
            raise ValueRangeError(f"fold: number {number}; it must have 64 bits; fold its parts one after the other")
        found = philox.fold(found, number % (1 << 64))
    return found
