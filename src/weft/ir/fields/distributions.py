"""Random fields as nodes: distributions whose parameters are Python numbers or nodes that broadcast to the field.

The one idea: a field of standard values, made by "philox" cells, becomes any member of its family by arithmetic on
nodes, in the order and precision of cells with scalar parameters.  So tensors and numbers as parameters give the same
bits, and a field is differentiable with respect to its parameters where the formula is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.ir.atoms import selections
from weft.ir.atoms.gather import gather
from weft.ir.fields import exact_functions
from weft.ir.fields.philox import SMALL, WALK_ARGS, derive_key, walk_args
from weft.ir.fields.random_fields import cell_kind, field_instr_args
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import of_traced

Parameter = Any  # a Python number, or a node of numbers
Extent = tuple[tuple[int, ...], tuple[int, ...] | None]  # sizes and origin


# ---- nodes
@lru_cache(maxsize=256)
def _coordinates(extent: Extent) -> tuple[Node, ...]:
    """Return one node of coordinates for every axis; fields of the same extent share these nodes."""
    desc = ir.result(dt.int64, *extent)
    return tuple([ir.make(OPS["iota"], (), (axis,), desc) for axis in range(desc.ndim)])


def field(distribution: str, dtype: DType, extent: Extent, seed: int, *parameters: Any) -> Node:
    """Return a random field whose parameters are Python numbers; without parameters, of standard values.

    Raises DTypeError or ValueRangeError if dtype or parameters do not fit the distribution.
    """
    rank = len(extent[0])
    scalars = field_instr_args(distribution, dtype, rank, seed, *parameters)
    return _philox(cell_kind(distribution), dtype, extent, tuple([ir.number(v, d) for v, d in scalars]))


def _philox(kind: str, dtype: DType, extent: Extent, after: tuple[Node, ...]) -> Node:
    inputs = (*_coordinates(extent), *after)
    return ir.make(OPS["philox"], inputs, (kind, len(extent[0])), ir.result(dtype, *extent))


def _complex(re: Node, im: Node, dtype: DType) -> Node:
    return ir.make(OPS["complex"], (re, im), (), ir.result(dtype, re.desc.shape, re.desc.origin))


def _placed(n: Node, dtype: DType, extent: Extent) -> Node:
    """Return node `n` converted to the field's dtype, on the domain of the field.

    `extent` is that domain: shape and origin.
    """
    n, wanted = ir.astype(n, dtype), ir.result(dtype, *extent)
    return n if n.desc is wanted else ir.make(OPS["positive"], (n,), (), wanted)


def _number(x: Parameter, dtype: DType) -> Node:
    """Return a parameter as a node of a dtype.

    Raises DTypeError if it is complex and the dtype is real.
    """
    if _is_complex(x) and dtype.kind != "complex":
        told = f"of {x.desc.dtype.name}" if isinstance(x, Node) else x
        raise DTypeError(f"random: a parameter {told}; the field is real; ask for a complex dtype, or take real()")
    if not isinstance(x, Node):
        return ir.scalar(complex(x) if dtype.kind == "complex" else x, dtype)
    return ir.astype(x, dtype)


def _parts(x: Parameter, both: bool) -> tuple[Parameter, Parameter]:
    """Return the real and the imaginary part of a parameter.

    The imaginary part of a real parameter is 0; with `both`, it is used for both parts.
    """
    if isinstance(x, Node):
        if x.desc.dtype.kind == "complex":
            return ir.apply("real", x), ir.apply("imag", x)
        return x, x if both else 0.0
    return (x, x) if both and not isinstance(x, complex) else (complex(x).real, complex(x).imag)


def _is_complex(x: Parameter) -> bool:
    return x.desc.dtype.kind == "complex" if isinstance(x, Node) else isinstance(x, complex)


def scalars_only(*parameters: Parameter) -> bool:
    """True if no parameter is a node."""
    return not any(isinstance(p, Node) for p in parameters)


# ---- uniform, normal, integers, bernoulli
def uniform(dtype: DType, extent: Extent, seed: int, low: Parameter, high: Parameter) -> Node:
    """Return a field of low + (high - low)·u, kept below high; u is uniform in [0, 1).

    Raises DTypeError for an integer dtype or complex bounds of a real one, ValueRangeError for numbers unless low <
    high.
    """
    if scalars_only(low, high):
        return field("uniform", dtype, extent, seed, low, high)
    u = field("uniform", dtype, extent, seed)
    if dtype.kind != "complex":
        return _placed(_uniform_part(u, low, high), dtype, extent)
    both = not (_is_complex(low) or _is_complex(high))
    bounds = zip(_parts(low, both), _parts(high, both), strict=True)
    re, im = (_uniform_part(ir.apply(p, u), *b) for p, b in zip(("real", "imag"), bounds, strict=True))
    return _placed(_complex(re, im, dtype), dtype, extent)


def _uniform_part(u: Node, low: Parameter, high: Parameter) -> Node:
    dtype = u.desc.dtype
    compute = dt.float64 if dtype is dt.float64 else dt.float32
    first, last = (_narrowed(_number(v, dt.float64), dtype) for v in (low, high))
    scale = _narrowed(ir.apply("subtract", ir.astype(last, dt.float64), ir.astype(first, dt.float64)), dtype)
    scaled = ir.apply("multiply", ir.astype(u, compute), ir.astype(scale, compute))
    value = ir.astype(ir.apply("add", scaled, ir.astype(first, compute)), dtype)
    below = ir.apply("nextafter", last, ir.scalar(-np.inf, dtype))
    return ir.where(ir.apply("greater", value, below), below, value)


def _narrowed(x: Node, dtype: DType) -> Node:
    """Return float64 x converted to a dtype; bfloat16 by way of float32, as for scalar parameters."""
    return ir.astype(ir.astype(x, dt.float32) if dtype is dt.bfloat16 else x, dtype)


def normal(dtype: DType, extent: Extent, seed: int, mean: Parameter, std: Parameter) -> Node:
    """Return a field of mean + std·z, computed in float64 and rounded once; z is standard normal.

    Raises DTypeError for an integer dtype or complex parameters of a real one, ValueRangeError for a negative number
    std.
    """
    if scalars_only(mean, std):
        return field("normal", dtype, extent, seed, mean, std)
    if dtype.kind != "complex":
        z = field("normal", dt.float64, extent, seed)
        return _placed(_scaled(z, mean, std), dtype, extent)
    z = field("normal", dt.complex128, extent, seed)
    re, im = (
        ir.astype(_scaled(ir.apply(part, z), m, std), dtype.real)
        for part, m in zip(("real", "imag"), _parts(mean, False), strict=True)
    )
    return _placed(_complex(re, im, dtype), dtype, extent)


def _scaled(z: Node, shift: Parameter, scale: Parameter) -> Node:
    """Return shift + scale·z.

    The product is omitted for a scale of 1, the sum never, as adding 0 turns -0 into 0.
    """
    if isinstance(scale, Node) or scale != 1:
        z = ir.apply("multiply", z, _number(scale, dt.float64))
    return ir.apply("add", z, _number(shift, dt.float64))


def integers(dtype: DType, extent: Extent, seed: int, low: Parameter, high: Parameter) -> Node:
    """Return a field of integers in [low, high), or of `low` where that interval is empty.

    Each is low plus the high half of word·(high - low). Raises DTypeError for a dtype that is no integer and for nodes
    that are no integers, or uint64 for another dtype; ValueRangeError for numbers beyond the dtype, or an empty
    interval of two.
    """
    if scalars_only(low, high):
        return field("integers", dtype, extent, seed, low, high)
    limits = dt.integer_limits(dtype)
    for number, most in ((low, limits.max), (high, limits.max + 1)):
        if not isinstance(number, Node) and not limits.min <= number <= most:
            raise ValueRangeError(
                f"integers: a bound of {number} for {dtype.name}; it must be within [{limits.min}, {most}]; "
                "give another bound, or a wider dtype"
            )
    wide = dt.uint64 if dtype is dt.uint64 else dt.int64
    key = ir.number(derive_key(seed, "integers", len(extent[0])), dt.uint64)
    first, last = (_bound(v, wide) for v in (low, high))
    one_more = not isinstance(high, Node) and high > dt.integer_limits(wide).max  # 2**64 or 2**63: wraps, rightly
    filled = ir.apply("less_equal" if one_more else "less", first, _bound(high - 1, wide) if one_more else last)
    start = ir.astype(first, dt.uint64)
    count = ir.apply("subtract", ir.astype(last, dt.uint64), start)
    count = ir.where(filled, count, ir.scalar(1, dt.uint64))
    return _philox("integers", dtype, extent, (key, start, count))


def _bound(x: Parameter, wide: DType) -> Node:
    if not isinstance(x, Node):
        limits = dt.integer_limits(wide)
        span = limits.max - limits.min + 1
        return ir.scalar((x - limits.min) % span + limits.min, wide)
    if not x.desc.dtype.is_integer or (wide is dt.int64 and x.desc.dtype is dt.uint64):
        raise DTypeError(
            f"integers: bounds of {x.desc.dtype.name}; they must be integers that {wide.name} holds; convert them"
        )
    return ir.astype(x, wide)


def bernoulli(extent: Extent, seed: int, probability: Parameter) -> Node:
    """Return a bool field, each cell True with the given probability.

    A cell is True if its 64-bit word lies below ⌊probability·2**64⌋, or the probability is 1 or more. Raises
    ValueRangeError for a number outside of [0, 1].
    """
    if scalars_only(probability):
        return field("bernoulli", dt.bool, extent, seed, probability)
    key = ir.number(derive_key(seed, "bernoulli", len(extent[0])), dt.uint64)
    chance = _number(probability, dt.float64)
    threshold = ir.astype(ir.apply("multiply", chance, ir.scalar(2.0**64, dt.float64)), dt.uint64)
    always = ir.apply("greater_equal", chance, ir.scalar(1.0, dt.float64))
    return _philox("bernoulli", dt.bool, extent, (key, threshold, always))


# ---- distributions made of the logarithm
def exponential(dtype: DType, extent: Extent, seed: int, scale: Parameter) -> Node:
    """Return a field of -scale·log u, for u uniform in (0, 1); raises DTypeError for a complex scale."""
    e = ir.apply("negative", ir.apply("exact_log", field("exponential", dt.float64, extent, seed)))
    return _placed(ir.apply("multiply", e, _number(scale, dt.float64)), dtype, extent)


def gumbel(dtype: DType, extent: Extent, seed: int, loc: Parameter, scale: Parameter) -> Node:
    """Return a field of loc - scale·log(-log u), for u uniform in (0, 1); raises DTypeError for complex parameters."""
    e = ir.apply("negative", ir.apply("exact_log", field("gumbel", dt.float64, extent, seed)))
    return _placed(_scaled(ir.apply("negative", ir.apply("exact_log", e)), loc, scale), dtype, extent)


# ---- the truncated normal distribution
def truncated_normal(
    dtype: DType, extent: Extent, seed: int, low: Parameter, high: Parameter, mean: Parameter, std: Parameter
) -> Node:
    """Return a field of the normal distribution restricted to [low, high].

    It is the quantile of Φ(a) + u·(Φ(b) - Φ(a)), where a and b are the bounds in deviations from the mean. An interval
    above the mean is mirrored, because Φ is only near 0 as exact as float64 can be. Raises DTypeError for complex
    parameters.
    """
    first, last = _number(low, dt.float64), _number(high, dt.float64)
    if scalars_only(low, high, mean, std):
        p, width, sign = (ir.scalar(v, dt.float64) for v in _shares(float(low), float(high), float(mean), float(std)))
    else:
        p, width, sign = _share_nodes(first, last, _number(mean, dt.float64), _number(std, dt.float64))
    u = field("truncated_normal", dt.float64, extent, seed)
    z = ir.apply("normal_quantile", ir.apply("add", ir.apply("multiply", u, width), p))
    value = ir.astype(_scaled(ir.apply("multiply", z, sign), mean, std), dtype)
    bottom, top = ir.astype(first, dtype), ir.astype(last, dtype)
    value = ir.where(ir.apply("less", value, bottom), bottom, value)
    return _placed(ir.where(ir.apply("greater", value, top), top, value), dtype, extent)


def _share_nodes(first: Node, last: Node, mean: Node, std: Node) -> tuple[Node, Node, Node]:
    """Return (Φ(a), Φ(b) - Φ(a), 1), where a and b are the bounds in deviations from the mean.

    Where the interval lies above the mean, it is mirrored first, to (-b, -a), and the last result is -1.
    """
    a, b = (ir.apply("divide", ir.apply("subtract", v, mean), std) for v in (first, last))
    above = ir.apply("greater", a, ir.scalar(0.0, dt.float64))
    a, b = ir.where(above, ir.apply("negative", b), a), ir.where(above, ir.apply("negative", a), b)
    p, q = ir.apply("normal_cdf", a), ir.apply("normal_cdf", b)
    return p, ir.apply("subtract", q, p), ir.where(above, ir.scalar(-1.0, dt.float64), ir.scalar(1.0, dt.float64))


@lru_cache(maxsize=256)
def _shares(low: float, high: float, mean: float, std: float) -> tuple[float, float, float]:
    """Return the three results of `_share_nodes` for Python numbers, computed once for all cells."""
    a, b = (low - mean) / std, (high - mean) / std
    above = a > 0
    p, q = (float(exact_functions.evaluate("normal_cdf", v)) for v in ((-b, -a) if above else (a, b)))
    return p, q - p, -1.0 if above else 1.0


# ---- categories
def categorical(dtype: DType, extent: Extent, seed: int, ends: Node) -> Node:
    """Return a field of category numbers; `ends` has the ends of the categories' shares along its last axis.

    The other axes of `ends` broadcast to the field.  A binary search finds the share of [0, 2**63) with a 63-bit word.
    """
    sizes, count = extent[0], ends.desc.shape[-1] - 1  # the end of the last share is never passed
    if not count:
        none = selections.broadcast_to(ir.scalar(0, dtype), sizes)
        return ir.make(OPS["positive"], (none,), (), ir.result(dtype, *extent))
    word = field("categorical", dt.uint64, extent, seed)
    word = ir.apply("bitwise_right_shift", word, ir.scalar(1, dt.uint64))
    lead = _lead_indices(ends.desc.shape[:-1], sizes)
    found: Node = ir.scalar(0, dt.int64)
    for step in reversed([1 << k for k in range(count.bit_length())]):
        farther = ir.apply("add", found, ir.scalar(step, dt.int64))
        last = ir.apply("subtract", ir.apply("minimum", farther, ir.scalar(count, dt.int64)), ir.scalar(1, dt.int64))
        passed = ir.apply("greater_equal", word, gather(ends, (*lead, last), range(ends.desc.ndim), 0))
        inside = ir.apply("less_equal", farther, ir.scalar(count, dt.int64))
        found = ir.where(ir.apply("logical_and", passed, inside), farther, found)
    return _placed(found, dtype, extent)


def share_ends(weights: Node, are_logits: bool) -> Node:
    """Return ⌊2**63·(running sum / sum)⌋ of weights along the last axis, as uint64: the ends of the categories' shares.

    The weights are probabilities, or with `are_logits` the exponentials of logits.
    """
    shares, axis = ir.astype(weights, dt.float64), weights.desc.ndim - 1
    shape = shares.desc.shape
    if are_logits:
        kept = ir.result(dt.float64, (*shape[:-1], 1))
        largest = ir.make(OPS["max"], (shares,), ((axis,), True), kept)
        shares = ir.apply("exact_exp", ir.apply("subtract", shares, largest))
    running = ir.make(OPS["cumulative_sum"], (shares,), (axis, False), ir.result(dt.float64, shape))
    total = selections.slice_(running, [*[(0, 1, n) for n in shape[:-1]], (shape[-1] - 1, 1, 1)])
    part = ir.apply("divide", running, total)
    return ir.astype(ir.apply("multiply", part, ir.scalar(2.0**63, dt.float64)), dt.uint64)


def _lead_indices(batch: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[Node, ...]:
    """Return, for each axis of the weights but the last, the index into it for every cell of the field.

    `batch` are the sizes of these axes, `sizes` those of the field.
    """
    positions = _coordinates((sizes, None))
    first = len(sizes) - len(batch)
    return tuple([positions[first + a] if n != 1 else ir.scalar(0, dt.int64) for a, n in enumerate(batch)])


# ---- permutations
def permutation(size: int, seed: int) -> Node:
    """Return a random permutation of [0, size) as a node.

    It is computed by a permuting network, or for a small size by sorting random words. Raises ValueRangeError for a
    seed outside of 64 bits.
    """
    if size <= SMALL:
        key = ir.number(derive_key(seed, "permutation", 1), dt.uint64)
        words = _philox("bits", dt.uint64, ((size,), None), (key,))
        return ir.make(OPS["argsort"], (words,), (0, False, ()), ir.result(dt.int64, (size,)))
    return _philox("permutation", dt.int64, ((size,), None), tuple(_walk_scalars(seed, size)))


def _walk_scalars(seed: int, n: int) -> list[Node]:
    """Return the scalar nodes of `walk_args`; a traced seed makes them depend on the seed of each call."""
    return [ir.number(walk_number(k, seed, n), dt.uint64) for k in range(WALK_ARGS)]


@of_traced
def walk_number(k: int, seed: int, n: int) -> int:
    """Return number k of `walk_args(seed, n)`."""
    return walk_args(seed, n)[k][0]


def permuted(x: Node, axis: int, seed: int) -> Node:
    """Return x with the positions along an axis in random order."""
    d = x.desc
    origin = None if d.origin is None else tuple([0 if a == axis else o for a, o in enumerate(d.origin)])
    order = permutation(d.shape[axis], seed)
    return gather(x, (order,), (axis,), axis, origin)
