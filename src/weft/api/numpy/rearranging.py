"""Rotating, joining and promoting tensors, Kronecker products, angles and spaced numbers.

The one idea: each is a short composition of the standard's functions; all but `kron` and the angles are selections.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import Any

from weft.api.arguments import as_tensor, flag, integer, integers, listed, number, one_axis
from weft.api.destination import into
from weft.api.numpy.shapes import swapaxes
from weft.api.precision import inexact
from weft.api.standard import elementwise_functions as el
from weft.api.standard.manipulation_functions import concat, expand_dims, flip, reshape, stack
from weft.api.standard.ranges import linspace
from weft.api.standard.searching_functions import nonzero
from weft.errors import ShapeError, ValueRangeError
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


def rot90(x: Any, /, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """Return a view of x rotated by k right angles, from the first of two axes towards the second.

    Raises ShapeError unless two different axes are given, AxisError for an axis that x lacks, DTypeError for numbers
    that are no integers.

    >>> import weft
    >>> weft.rot90(weft.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    x = as_tensor(x)
    given = integers("rot90", "axes", axes)
    if len(given) != 2:
        raise ShapeError(f"rot90: axes {given}; a plane has two; name them")
    a, b = (one_axis("rot90", axis, x.ndim) for axis in given)
    if a == b:
        raise ShapeError(f"rot90: axes {given} of rank {x.ndim} are one; a plane has two; name another")
    turns = integer("rot90", "k", k) % 4
    if turns == 2:
        return flip(x, axis=(a, b))
    if turns == 1:
        return swapaxes(flip(x, axis=b), a, b)
    return flip(swapaxes(x, a, b), axis=b) if turns else x[...]  # type: ignore[index, no-any-return]


@from_template(2)
def kron(x1: Any, x2: Any, /) -> Tensor:
    """Return the Kronecker product: each cell of x1 is replaced by x2 times that cell.

    Missing leading axes have size 1. Raises DTypeError for bools and for an object without numbers.

    >>> import weft
    >>> weft.kron(weft.asarray([1, 10]), [[1, 2], [3, 4]]).tolist()
    [[1, 2, 10, 20], [3, 4, 30, 40]]
    """
    a, b = as_tensor(x1), as_tensor(x2)
    rank = max(a.ndim, b.ndim)
    a, b = (reshape(x, (1,) * (rank - x.ndim) + x.shape) for x in (a, b))
    shape = tuple(m * n for m, n in zip(a.shape, b.shape, strict=True))
    product = expand_dims(a, axis=range(1, 2 * rank, 2)) * expand_dims(b, axis=range(0, 2 * rank, 2))
    return reshape(product, shape)


def _of_each(arrays: Sequence[Any], function: Callable[[Tensor], Tensor]) -> Any:
    """Return the function's result for one operand, or a tuple of its results for several.

    Raises DTypeError for an object without numbers.
    """
    made = tuple([function(as_tensor(x)) for x in arrays])
    return made[0] if len(made) == 1 else made


def atleast_1d(*arrays: Any) -> Any:
    """Return a view of an operand with rank 1 or more: a number becomes a vector of one cell. Several give a tuple.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.atleast_1d(3).shape, [x.shape for x in weft.atleast_1d(1, [2, 3])]
    ((1,), [(1,), (2,)])
    """
    return _of_each(arrays, lambda x: x if x.ndim else reshape(x, (1,)))


def atleast_2d(*arrays: Any) -> Any:
    """Return a view of an operand with rank 2 or more: a number or vector becomes one row. Several give a tuple.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.atleast_2d([1, 2]).shape
    (1, 2)
    """
    return _of_each(arrays, lambda x: x if x.ndim > 1 else reshape(x, (1, -1)))


def atleast_3d(*arrays: Any) -> Any:
    """Return a view of an operand with rank 3 or more: (n,) becomes (1, n, 1), (m, n) (m, n, 1). Several give a tuple.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.atleast_3d([1, 2]).shape, weft.atleast_3d(weft.ones((2, 3))).shape
    ((1, 2, 1), (2, 3, 1))
    """
    return _of_each(arrays, lambda x: x if x.ndim > 2 else reshape(x, (*x.shape, 1) if x.ndim == 2 else (1, -1, 1)))


def column_stack(arrays: Sequence[Any], /) -> Tensor:
    """Return vectors (as columns) and matrices joined along axis 1.

    Raises ShapeError if they differ in length, or `arrays` is empty or no sequence.

    >>> import weft
    >>> weft.column_stack([weft.asarray([1, 2]), [3, 4]]).tolist()
    [[1, 3], [2, 4]]
    """
    return concat([x if x.ndim > 1 else reshape(x, (-1, 1)) for x in listed("column_stack", arrays)], axis=1)


def dstack(arrays: Sequence[Any], /) -> Tensor:
    """Return tensors joined along axis 2; a matrix (m, n) counts as (m, n, 1), a vector (n,) as (1, n, 1).

    Raises ShapeError if sizes differ along other axes, or `arrays` is empty or no sequence, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.dstack([weft.asarray([1, 2]), [3, 4]]).tolist()
    [[[1, 3], [2, 4]]]
    """
    parts = [atleast_2d(x) for x in listed("dstack", arrays)]
    return concat([x if x.ndim > 2 else expand_dims(x, axis=2) for x in parts], axis=2)


def argwhere(x: Any, /) -> Tensor:
    """Return the coordinates of non-zero cells, one per row, in row-major order; raises ShapeError for rank 0.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.argwhere(weft.asarray([[0, 3], [5, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    x = as_tensor(x)
    return stack(nonzero(x), axis=1)


def angle(x: Any, /, *, deg: bool = False) -> Tensor:
    """Return the angles of complex numbers in the plane, from -π to π; real numbers give 0 or π.

    With deg=True they are in degrees. Raises DTypeError for bools.

    >>> import weft
    >>> weft.angle(weft.asarray([1.0, -1.0])).tolist()
    [0.0, 3.141592653589793]
    """
    x = inexact("angle", x)
    if x.dtype.kind == "complex":
        found = el.atan2(el.imag(x), el.real(x))
    else:
        found = el.atan2(el.where(el.isnan(x), x, 0.0), x)
    return rad2deg(found) if flag("angle", "deg", deg) else found


def rad2deg(x: Any, /, *, out: Any = None) -> Tensor:
    """Return angles in radians converted to degrees: x * 180 / π; raises DTypeError for bools.

    Raises ShapeError for an `out` of another shape, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.rad2deg(weft.asarray([weft.pi])).tolist()
    [180.0]
    """
    made = inexact("rad2deg", x) * (180 / pi)
    return made if out is None else into(out, made, "rad2deg")


def deg2rad(x: Any, /, *, out: Any = None) -> Tensor:
    """Return angles in degrees converted to radians: x * π / 180; raises DTypeError for bools.

    Raises ShapeError for an `out` of another shape, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.deg2rad(weft.asarray([180])).tolist() == [weft.pi]
    True
    """
    made = inexact("deg2rad", x) * (pi / 180)
    return made if out is None else into(out, made, "deg2rad")


def logspace(start: Any, stop: Any, /, num: int = 50, *, base: float = 10.0, endpoint: bool = True) -> Tensor:
    """Return `num` powers of `base`, with evenly spaced exponents from start to stop.

    Without `endpoint`, stop is left out. Raises ValueRangeError for a negative num, DTypeError for ends that are no
    numbers.

    >>> import weft
    >>> weft.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    return el.pow(number("logspace", base), linspace(start, stop, num, endpoint=endpoint))


def geomspace(start: float, stop: float, /, num: int = 50, *, endpoint: bool = True) -> Tensor:
    """Return `num` numbers from start to stop with a constant ratio of neighbours; both ends are exact.

    Raises ValueRangeError for a negative num and unless both ends are nonzero and of one sign, DTypeError for no
    numbers.

    >>> import weft
    >>> weft.round(weft.geomspace(1, 1000, 4)).tolist()
    [1.0, 10.0, 100.0, 1000.0]
    """
    first, last = (float(number("geomspace", v)) for v in (start, stop))
    if first * last <= 0:
        raise ValueRangeError(
            f"geomspace: from {first} to {last}; a factor leads from one to the other where both have "
            "one sign and none is 0; change them"
        )
    steps = linspace(0.0, 1.0, num, endpoint=endpoint)
    inner = first * el.pow(last / first, steps)
    return el.where(el.equal(steps, 0), first, el.where(el.equal(steps, 1), last, inner))
