"""Arguments of users: axes, shapes and counts, checked and converted to Python integers.

The one idea: an object that Python accepts as an index is an integer here, and no other object is, so that 1.5 is never
taken for 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from weft.errors import DTypeError, ShapeError, ValueRangeError, switch
from weft.ir.atoms import selections
from weft.ir.graph.traced import TracedNumber, refused
from weft.tensors import tensor
from weft.tensors.keys import MAX_RANK
from weft.tensors.tensor import Tensor

WHOLE = (-(1 << 62), selections.MAX_AXIS)  # origin and size of an axis without bounds
_INTEGERS = frozenset([int])
MAX_FLOAT = int(np.finfo(np.float64).max)


def as_tensor(x: Any) -> Tensor:
    """Return `x` if it is a tensor, else import it as one.

    Raises DTypeError for an object without numbers or integers beyond 64 bits, ValueRangeError for nested lists of
    unequal lengths.
    """
    return x if type(x) is Tensor else tensor.imported(x)


def integer(name: str, what: str, x: Any) -> int:
    """Return argument `x` as a Python integer; raises DTypeError for other objects.

    `name` and `what` (the function and the argument) are for the message.

    >>> integer("roll", "shift", True)
    1
    """
    if type(x) is int:
        return x
    try:
        return int(x.__index__())
    except (AttributeError, TypeError):
        raise DTypeError(f"{name}: {what} {x!r}; it must be an integer; convert it with int()") from None


def flag(name: str, what: str, x: Any) -> bool:
    """Return argument `x`, a bool, 0 or 1, as a bool; raises DTypeError for other objects.

    `name` and `what` (the function and the argument) are for the message.

    >>> flag("sum", "keepdims", 1)
    True
    """
    return x if x is True or x is False else switch(name, what, x)


def one_of(name: str, what: str, x: Any, options: Collection[str], listing: str) -> str:
    """Return argument `x` if it is one of the texts `options`; else raise ValueRangeError.

    For the message: `name` and `what` are the function and the argument, `listing` is a clause that names the options.

    >>> one_of("convolve", "mode", "full", ("full", "same"), "modes are full and same")
    'full'
    """
    if isinstance(x, str) and x in options:
        return x
    raise ValueRangeError(f"{name}: {what} {x!r:.60}; {listing}; name one of them")


def number(name: str, x: Any, *more: type) -> Any:
    """Return a number, NumPy scalar or tensor of one value as a Python number.

    Its type is bool, int, float or in `more`. Raises DTypeError for other objects, ValueRangeError for an integer that
    no float64 holds, TracingError for a number that is given at each call of a compiled function.
    """
    value = x.item() if isinstance(x, (Tensor, np.generic)) else x
    if type(value) is TracedNumber:
        raise refused(f"a plain number for {name}()", value)
    if not isinstance(value, (bool, int, float, *more)):
        raise DTypeError(f"{name}: {value!r} is no number that serves here; give an integer or a float")
    if isinstance(value, int) and abs(value) > MAX_FLOAT:
        raise ValueRangeError(f"{name}: an integer of {value.bit_length()} bits; no float64 is as large; give a float")
    return value


def tensor_given(name: str, x: Any) -> Tensor:
    """Return `x` if it is a tensor; raises DTypeError otherwise."""
    if not isinstance(x, Tensor):
        raise DTypeError(f"{name}: {type(x).__name__} is no tensor; one is asked about; make one with weft.asarray(x)")
    return x


def listed(name: str, arrays: Any) -> list[Tensor]:
    """Return a sequence of tensors as a list. Raises ShapeError for an empty one and for a single tensor or number.

    Raises DTypeError for an object without numbers.
    """
    lone = (
        isinstance(arrays, Tensor) or not isinstance(arrays, Iterable) or (hasattr(arrays, "ndim") and not arrays.ndim)
    )
    if lone or not (arrays := tuple(arrays)):
        raise ShapeError(f"{name}: no sequence of tensors; pass a list of at least one tensor")
    return [as_tensor(a) for a in arrays]


def is_among(x: Any, known: Collection[Any]) -> bool:
    """True if `x` is a text, an integer or None in `known`. False for bools, and for objects of any other type.

    >>> is_among("C", ("C", "F")), is_among(["C"], ("C", "F")), is_among(True, range(3))
    (True, False, False)
    """
    return isinstance(x, (str, int, type(None))) and not isinstance(x, bool) and x in known


def is_one(x: Any) -> bool:
    """True if `x` is a single integer rather than a sequence."""
    return hasattr(x, "__index__") and not getattr(x, "ndim", 0)


def integers(name: str, what: str, x: Any) -> tuple[int, ...]:
    """Return one integer, or a sequence of integers, as a tuple; raises DTypeError for other objects.

    `name` and `what` (the function and the argument) are for the message.

    >>> integers("reshape", "shape", 3), integers("reshape", "shape", [2, 3])
    ((3,), (2, 3))
    """
    if type(x) is int:
        return (x,)
    if type(x) is tuple and _INTEGERS.issuperset(map(type, x)):
        return x
    if is_one(x):
        return (integer(name, what, x),)
    try:
        parts = tuple(x)
    except TypeError:
        raise DTypeError(f"{name}: {what} {x!r}; integers are needed; give one, or a tuple of them") from None
    return tuple(integer(name, what, p) for p in parts)


def sequence(name: str, what: str, x: Any) -> list[Any]:
    """Return the parts of a sequence as a list; raises DTypeError for an object without parts.

    `name` and `what` (the function and the argument) are for the message.

    >>> sequence("choose", "choices", (1, 2))
    [1, 2]
    """
    try:
        return list(x)
    except TypeError:
        raise DTypeError(f"{name}: {what} {x!r:.60}; several are needed; give them in a list or tuple") from None


def shape_of(name: str, shape: Any) -> tuple[int, ...]:
    """Return a shape, given as an int or a sequence of ints, as a tuple.

    Raises ShapeError for a negative size, for more than MAX_RANK sizes and for axes of 2**63 positions;
    DTypeError for sizes that are no integers.
    """
    if isinstance(shape, Tensor) and shape.size > MAX_RANK:
        raise ShapeError(
            f"{name}: a tensor of shape {shape.shape} as a shape; a shape has one integer for each axis, at most "
            f"{MAX_RANK}; pass x.shape"
        )
    sizes = integers(name, "shape", shape)
    if any(n < 0 for n in sizes):
        raise ShapeError(f"{name}: shape {sizes} has a negative size; sizes are 0 or more; give another shape")
    check_rank(name, len(sizes))
    selections.check_axes(name, sizes)
    return sizes


def extent_of(name: str, shape: Any, origin: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return the sizes and the origin of a generator; an axis of size None gets the infinite extent `WHOLE`.

    Raises ShapeError for a negative size, an origin of another rank or beyond int64, and an origin of a shape with
    None; DTypeError for sizes and origins that are no integers.

    >>> extent_of("zeros", (2, 3), (-5, 0)), extent_of("zeros", (None,), None)[0] == (2**63 - 1,)
    (((2, 3), (-5, 0)), True)
    """
    if not isinstance(shape, (tuple, list)) or None not in shape:
        sizes = shape_of(name, shape)
        return sizes, None if origin is None else _origin_of(name, origin, sizes)
    if origin is not None:
        raise ShapeError(
            f"{name}: shape {tuple(shape)} at {origin}; a whole axis begins at -2**62; give sizes, or no origin"
        )
    first, size = WHOLE
    sizes = shape_of(name, [size if n is None else n for n in shape])
    return sizes, tuple([first if n is None else 0 for n in shape])


def _origin_of(name: str, origin: Any, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return an origin as a tuple, None if it is all zeros.

    Raises ShapeError for a rank other than that of `sizes`, and for coordinates beyond int64; DTypeError unless they
    are integers.
    """
    first = integers(name, "origin", origin)
    if len(first) != len(sizes):
        raise ShapeError(f"{name}: origin {first} for shape {sizes}; every axis has one; give {len(sizes)} integers")
    for axis, (o, n) in enumerate(zip(first, sizes, strict=True)):
        if o < -(1 << 63) or o + n > 1 << 63:
            raise ShapeError(
                f"{name}: coordinates [{o}, {o + n}) along axis {axis}; int64 holds none of that size; move the origin"
            )
    return first if any(first) else None


def check_rank(name: str, rank: int) -> None:
    """Raise ShapeError, naming function `name`, for a rank above MAX_RANK."""
    if rank > MAX_RANK:
        raise ShapeError(f"{name}: a result of rank {rank}; ranks go up to {MAX_RANK}; merge some axes")


def one_axis(name: str, axis: Any, ndim: int) -> int:
    """Return an axis as a number from 0, counting a negative one from the end.

    Raises AxisError if there is no such axis among `ndim`, DTypeError if it is no integer.
    """
    return selections.axis_of(name, integer(name, "axis", axis), ndim)


def many_axes(name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as numbers from 0 in the order given, or all for None.

    Raises AxisError if there is no such axis among `ndim`, ShapeError if an axis is given twice, DTypeError for no
    integers.
    """
    if axis is None:
        return tuple(range(ndim))
    return selections.axes_of(name, integers(name, "axis", axis), ndim)


def paired(name: str, what: str, a: Sequence[int], b: Sequence[int]) -> None:
    """Raise ShapeError if two sequences have different lengths; `what` names them in the message."""
    if len(a) != len(b):
        raise ShapeError(f"{name}: {tuple(a)} and {tuple(b)}, {what}; give as many of each")
