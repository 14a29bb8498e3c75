"""Splitting tensors and joining parts: narrow, split, array_split, hstack, vstack.

The one idea: a part is a slice, so a part is a view; numbers that do not fit raise an error that names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

from weft.api.arguments import as_tensor, integer, integers, is_one, listed, one_axis
from weft.api.habits import two_readings
from weft.api.standard.manipulation_functions import concat
from weft.errors import IndexOutOfBounds, OutOfMemory, ShapeError
from weft.ir.atoms import selections
from weft.runtime.devices.device import Device
from weft.tensors.tensor import Tensor, handle, node_of


def narrow(x: Tensor, axis: int, start: int, size: int = 1, /) -> Tensor:
    """Return a view of `size` positions of an axis from `start` on; the axis stays.

    Raises IndexOutOfBounds unless start >= 0, size >= 0 and start + size is at most the size of the axis, AxisError for
    an axis that x lacks, DTypeError for numbers that are no integers.

    >>> import weft
    >>> weft.narrow(weft.arange(5), 0, 1, 3).tolist()
    [1, 2, 3]
    """
    x = as_tensor(x)
    axis = one_axis("narrow", axis, x.ndim)
    return _narrowed("narrow", x, axis, integer("narrow", "start", start), integer("narrow", "size", size))


def _narrowed(name: str, x: Tensor, axis: int, start: int, size: int) -> Tensor:
    n = node_of(x)
    whole = n.desc.shape[axis]
    if start < 0 or size < 0 or start + size > whole:
        raise IndexOutOfBounds(
            f"{name}: {size} positions from {start} along axis {axis} of size {whole}; both are 0 or more, and "
            f"{start} + {size} is to be at most {whole}; give a part that lies inside"
        )
    slices = [(start, 1, size) if d == axis else (0, 1, m) for d, m in enumerate(n.desc.shape)]
    return handle(x, selections.slice_(n, slices))


_SPELLINGS = "array_split(x, [...]) to split before positions, or split(x, sizes=[...]) for parts of these sizes"


def split(x: Tensor, parts: Any = None, /, axis: int = 0, *, sizes: Sequence[int] | None = None) -> tuple[Tensor, ...]:
    """Return views of the parts of x along an axis, as a tuple.

    `parts` is their number (the first ones are one position longer if the axis does not divide); `sizes` gives their
    sizes instead, which may be 0 and must add up to that of the axis. A sequence of devices gives each of them a part,
    of equal size or of `sizes`; a part is moved if its device is another one. Other sequences are the positions before
    which to split, as for `array_split`; raises ArgumentError if they add up to the axis, since PyTorch splits it into
    parts of these sizes. Raises ShapeError if sizes do not add up to the axis, or there are less than one part or both
    `parts` and `sizes`; AxisError for an axis that x lacks, DTypeError for an object without numbers.

    >>> import weft
    >>> [p.tolist() for p in weft.split(weft.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    >>> [p.tolist() for p in weft.split(weft.arange(5), sizes=[2, 0, 3])]
    [[0, 1], [], [2, 3, 4]]
    >>> [p.tolist() for p in weft.split(weft.arange(5), [1, 3])]
    [[0], [1, 2], [3, 4]]
    """
    x = as_tensor(x)
    axis = one_axis("split", axis, x.ndim)
    devices = _devices(parts)
    if devices is not None:
        wanted = _sizes(x.shape[axis], axis, len(devices) if sizes is None else sizes)
        if len(wanted) != len(devices):
            raise ShapeError(
                f"split: {len(wanted)} sizes for {len(devices)} devices; each device has one part; give as many"
            )
    elif sizes is not None and parts is not None:
        raise ShapeError(f"split: parts {parts!r} and sizes {sizes}; one of them says the other; leave the parts out")
    elif parts is not None and not is_one(parts) and isinstance(parts, Iterable):
        positions = integers("split", "positions", parts)
        if sum(positions) == x.shape[axis] and min(positions, default=0) >= 0:
            raise two_readings(f"split(x, {parts!r:.60})", "to NumPy these are positions, to PyTorch sizes", _SPELLINGS)
        return array_split(x, positions, axis)
    else:
        wanted = _sizes(x.shape[axis], axis, parts if sizes is None else sizes)
    starts = accumulate(wanted, initial=0)
    made = tuple([_narrowed("split", x, axis, start, size) for start, size in zip(starts, wanted, strict=False)])
    return made if devices is None else tuple([p.to_device(d) for p, d in zip(made, devices, strict=True)])  # type: ignore[attr-defined]


def _devices(parts: Any) -> list[Any] | None:
    """Return `parts` as a list of devices, or None if it holds none."""
    if is_one(parts) or not isinstance(parts, Iterable):
        return None
    given = list(parts)
    return given if given and all(isinstance(p, (Device, str)) for p in given) else None


def _sizes(whole: int, axis: int, parts: Any) -> tuple[int, ...]:
    """Return the sizes of the parts of an axis of size `whole`, from their number or a sequence of sizes.

    Raises ShapeError if the sizes do not sum to the axis, or there is less than one part.
    """
    if is_one(parts):
        return _equal_sizes("split", whole, parts)
    sizes = integers("split", "sizes", parts)
    if min(sizes, default=0) < 0 or sum(sizes) != whole:
        raise ShapeError(
            f"split: sizes {sizes} along axis {axis} of size {whole}; they are 0 or more and add up to {whole}, not "
            f"{sum(sizes)}; change them"
        )
    return sizes


def _equal_sizes(name: str, whole: int, parts: Any) -> tuple[int, ...]:
    """Return the sizes of `parts` nearly equal parts of an axis; the first ones may be longer by 1.

    Raises ShapeError for less than one part, OutOfMemory for more than 2**31.
    """
    count = integer(name, "parts", parts)
    if count < 1:
        raise ShapeError(f"{name}: {count} parts of an axis of size {whole}; there is at least one; give another")
    if count > 1 << 31:
        raise OutOfMemory(f"{name}: {count} parts; each is a tensor of its own; give a smaller number")
    size, longer = divmod(whole, count)
    return (size + 1,) * longer + (size,) * (count - longer)


def array_split(x: Any, parts: Any, /, axis: int = 0) -> tuple[Tensor, ...]:
    """Return views of the parts of x along an axis: a number of parts, or those between the positions given.

    The first parts are one position longer where the axis does not divide. Raises ShapeError for less than one part,
    AxisError for an axis that x lacks, DTypeError for parts that are no integers or an object without numbers,
    OutOfMemory for more parts than fit in memory.

    >>> import weft
    >>> [p.tolist() for p in weft.array_split(weft.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    >>> [p.tolist() for p in weft.array_split(weft.arange(5), [1, 4])]
    [[0], [1, 2, 3], [4]]
    """
    x = as_tensor(x)
    axis = one_axis("array_split", axis, x.ndim)
    if is_one(parts):
        bounds = [*accumulate(_equal_sizes("array_split", x.shape[axis], parts), initial=0)]
    else:
        bounds = [0, *integers("array_split", "positions", parts), x.shape[axis]]
    lead = (slice(None),) * axis
    return tuple([x[(*lead, slice(a, b))] for a, b in pairwise(bounds)])  # type: ignore[index]


def hstack(arrays: Sequence[Tensor], /) -> Tensor:
    """Return tensors joined along axis 1; vectors along axis 0.

    Raises ShapeError if sizes differ along other axes, or `arrays` is empty or no sequence, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.hstack([weft.asarray([1, 2]), weft.asarray([3])]).tolist()
    [1, 2, 3]
    """
    tensors = listed("hstack", arrays)
    tensors = [t.reshape(1) if not t.ndim else t for t in tensors]  # type: ignore[attr-defined]
    return concat(tensors, axis=0 if tensors and tensors[0].ndim == 1 else 1)


def vstack(arrays: Sequence[Tensor], /) -> Tensor:
    """Return tensors joined along axis 0; vectors count as rows.

    Raises ShapeError if sizes differ along other axes, or `arrays` is empty or no sequence, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.vstack([weft.asarray([1, 2]), weft.asarray([3, 4])]).tolist()
    [[1, 2], [3, 4]]
    """
    tensors = listed("vstack", arrays)
    return concat([t.reshape(1, -1) if t.ndim < 2 else t for t in tensors], axis=0)  # type: ignore[attr-defined]
