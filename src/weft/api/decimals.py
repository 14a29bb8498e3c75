"""Rounding to decimals: the nearest multiples of a power of ten.

The one idea: floats are scaled, rounded and scaled back, unless they are too large to have such digits; integers are
rounded by their remainders, which is exact for all of them.
"""

from __future__ import annotations

from weft import dtypes as dt
from weft.interop.imports import copied
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS, resolve
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap

MAX_DECIMALS = 400  # beyond these numbers of decimals rounding changes nothing, or gives 0


@from_template(1)
def to_decimals(x: Tensor, decimals: int) -> Tensor:
    """Return a tensor with each cell rounded to the nearest multiple of 10 ** -decimals, halves to even multiples.

    Raises DTypeError for bool and float8 cells.

    >>> import weft
    >>> to_decimals(weft.asarray([25, -35]), -1).tolist(), to_decimals(weft.asarray([0.125]), 2).tolist()
    ([20, -40], [0.12])
    """
    n = node_of(x)
    resolve(OPS["round"], n.desc.dtype)
    decimals = max(-MAX_DECIMALS, min(decimals, MAX_DECIMALS))
    if n.desc.dtype.kind == "complex":
        parts = [_of_floats(ir.apply(part, n), decimals) for part in ("real", "imag")]
        made = ir.make(OPS["complex"], tuple(parts), (), ir.result(n.desc.dtype, n.desc.shape, n.desc.origin))
    elif n.desc.dtype.kind == "float":
        made = _of_floats(n, decimals)
    elif decimals >= 0:
        return copied(x)
    else:
        made = _of_integers(n, 10**-decimals)
    return wrap(ir.locate(made))


def _of_floats(n: Node, decimals: int) -> Node:
    """Return floats rounded to decimals; cells that are too large to have such digits are returned as they are."""
    wide = ir.astype(n, n.desc.dtype.compute)
    dtype = wide.desc.dtype
    limits = dt.float_limits(dtype)
    if 10 ** abs(decimals) > limits.max:
        made = ir.apply("multiply", wide, ir.scalar(1.0 if decimals > 0 else 0.0, dtype))
        rounds = ir.apply("isfinite", wide)
    else:
        factor = ir.scalar(10.0 ** abs(decimals), dtype)
        to, back = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
        scaled = ir.apply(to, wide, factor)
        made = ir.apply(back, ir.apply("round", scaled), factor)
        rounds = ir.apply("less", ir.apply("abs", scaled), ir.scalar(2 / limits.eps, dtype))
    made = ir.make(OPS["where"], (rounds, made, wide), (), ir.result(dtype, n.desc.shape, n.desc.origin))
    return ir.astype(made, n.desc.dtype)


def _of_integers(n: Node, power: int) -> Node:
    """Return integers rounded to multiples of `power`, a power of ten, by their remainders."""
    dtype = n.desc.dtype
    largest = dt.integer_limits(dtype).max
    if power // 2 > largest:
        return ir.apply("multiply", n, ir.scalar(0, dtype))
    if power > largest:
        return _of_one_step(n, power)
    step, one = ir.scalar(power, dtype), ir.scalar(1, dtype)
    whole = ir.apply("floor_divide", n, step)
    rest = ir.apply("remainder", n, step)
    left = ir.apply("subtract", step, rest)
    odd = ir.apply("equal", ir.apply("bitwise_and", whole, one), one)
    even_up = ir.apply("logical_and", ir.apply("equal", rest, left), odd)
    up = ir.apply("logical_or", ir.apply("greater", rest, left), even_up)
    rounded = ir.apply("add", whole, ir.astype(up, dtype))
    return ir.apply("multiply", rounded, step)


def _of_one_step(n: Node, power: int) -> Node:
    """Return integers rounded to 0 or to `power`, a power of ten beyond their dtype, which wraps."""
    dtype = n.desc.dtype
    bits = 8 * dtype.itemsize
    half, wrapped = power // 2, power % (1 << bits)
    if dtype.kind == "int" and wrapped >= 1 << (bits - 1):
        wrapped -= 1 << bits
    made = ir.astype(ir.apply("greater", n, ir.scalar(half, dtype)), dtype)
    if dtype.kind == "int":
        below = ir.astype(ir.apply("less", n, ir.scalar(-half, dtype)), dtype)
        made = ir.apply("subtract", made, below)
    return ir.apply("multiply", made, ir.scalar(wrapped, dtype))
