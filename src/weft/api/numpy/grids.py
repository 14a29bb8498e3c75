"""Grids of coordinates, and sequences written with brackets.

The one idea: an axis is a slice whose step is a distance or, as an imaginary number, the number of points including
both ends; its points are a range generated from coordinates, so no grid is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import number
from weft.api.numpy.positions import indices
from weft.api.standard.manipulation_functions import broadcast_to, reshape, stack
from weft.api.standard.ranges import arange, iota, linspace
from weft.errors import DTypeError, ValueRangeError
from weft.tensors.tensor import Tensor


def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **how: Any) -> Any:
    """Return `function(i, j, ..., **how)` called on the coordinates of a shape, one tensor of that shape per axis.

    Raises DTypeError if `function` cannot be called or sizes are no integers, ShapeError for a negative size.

    >>> import weft
    >>> weft.fromfunction(lambda i, j: i + j, (2, 3), dtype=int).tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    if not callable(function):
        raise DTypeError(
            f"fromfunction: {type(function).__name__} is no function; coordinates are passed to one; give it"
        )
    return function(*indices(shape, dtype), **how)


def _along(points: Tensor, axis: int, rank: int) -> Tensor:
    """Return a vector as a tensor of rank `rank`, along `axis`, with size 1 along all other axes."""
    return reshape(points, (1,) * axis + points.shape + (1,) * (rank - axis - 1))


def _dense(lines: list[Tensor]) -> Tensor:
    """Return n vectors, each broadcast over the grid of all, as one tensor (n, *shape).

    Raises ValueRangeError if there are none.
    """
    if not lines:
        raise ValueRangeError("mgrid: no slice in the brackets; an axis is one; write mgrid[0:3]")
    shape = tuple([points.shape[0] for points in lines])
    return stack([broadcast_to(_along(points, axis, len(shape)), shape) for axis, points in enumerate(lines)])


def points_of(name: str, part: slice) -> Tensor:
    """Return the points of a slice: from start by steps up to stop; an imaginary step is their number.

    Raises ValueRangeError, naming `name`, for a slice without stop, or a step of 0; DTypeError for ends that are no
    numbers.
    """
    if part.stop is None:
        raise ValueRangeError(f"{name}: a slice without an end, {part}; points end somewhere; write start:stop:step")
    start, stop = (number(name, 0 if v is None else v) for v in (part.start, part.stop))
    step = 1 if part.step is None else number(name, part.step, complex)
    if isinstance(step, complex):
        return linspace(float(start), float(stop), int(abs(step)))  # type: ignore[no-any-return]
    if step == 0:
        raise ValueRangeError(f"{name}: step 0; it would never end; give a step that is not 0")
    if all(isinstance(v, int) for v in (start, stop, step)):
        return arange(start, stop, step)
    return iota(max(0, ceil((stop - start) / step)), dtype=dt.float64) * float(step) + float(start)


def _axes(name: str, key: tuple[Any, ...]) -> list[Tensor]:
    """Return the points of each slice of a key: all int64, or all float64 if a slice has floats.

    Raises DTypeError, naming `name`, for anything but slices of numbers, ValueRangeError for a slice without stop, or a
    step of 0.
    """
    for part in key:
        if not isinstance(part, slice):
            raise DTypeError(f"{name}: {part!r:.60} in the brackets; axes are slices; write {name}[0:3, 0:1:5j]")
    lines = [points_of(name, part) for part in key]
    return lines if all(x.dtype is dt.int64 for x in lines) else [x.astype(dt.float64) for x in lines]  # type: ignore[attr-defined]


class DenseGrid:
    """The class of `weft.mgrid`, whose brackets give the coordinates of all points of a grid.

    >>> import weft
    >>> weft.mgrid[0:2, 0:3].tolist()
    [[[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]]]
    >>> weft.mgrid[-1:1:5j].tolist()
    [-1.0, -0.5, 0.0, 0.5, 1.0]
    """

    def __getitem__(self, key: Any) -> Tensor:
        """Return the points of one slice, or the coordinates (n, *shape) of n slices.

        Raises DTypeError for anything but slices of numbers, ValueRangeError for a slice without stop, or a step of 0.
        """
        if not isinstance(key, tuple):
            return _axes("mgrid", (key,))[0]
        return _dense(_axes("mgrid", key))

    def __repr__(self) -> str:
        return "weft.mgrid"


class OpenGrid:
    """The class of `weft.ogrid`, whose brackets give the coordinates of a grid along each axis.

    >>> import weft
    >>> [x.tolist() for x in weft.ogrid[0:2, 0:3]]
    [[[0], [1]], [[0, 1, 2]]]
    """

    def __getitem__(self, key: Any) -> Any:
        """Return the points of one slice, or of n slices a tuple. Its tensors have rank n, and size 1 along other axes.

        Raises DTypeError for anything but slices of numbers, ValueRangeError for a slice without stop, or a step of 0.
        """
        if not isinstance(key, tuple):
            return _axes("ogrid", (key,))[0]
        return tuple([_along(x, axis, len(key)) for axis, x in enumerate(_axes("ogrid", key))])

    def __repr__(self) -> str:
        return "weft.ogrid"


mgrid, ogrid = DenseGrid(), OpenGrid()
