"""Ocean's constructors: tensors, storages and streams by size, dtype and device in any order.

The one idea: each argument's own type tells whether it is a dtype, a device or a number.
"""

from __future__ import annotations

from math import prod
from typing import Any

import weft
from weft.api.arguments import integers, sequence, shape_of
from weft.dtypes import DType
from weft.errors import ValueRangeError
from weft.runtime.devices.device import Device
from weft.runtime.devices.stream import Stream
from weft.tensors.tensor import Tensor


def _sorted(given: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
    """Return (plain arguments in order, keywords); arguments of type DType, Device or Stream become keywords."""
    keywords: dict[str, Any] = {}
    plain = []
    for x in given:
        if isinstance(x, DType):
            keywords["dtype"] = x
        elif isinstance(x, Device):
            keywords["device"] = x
        elif isinstance(x, Stream):
            keywords["stream"] = x
        else:
            plain.append(x)
    if "stream" in keywords:
        keywords.setdefault("device", keywords["stream"].device)
    return plain, keywords


def tensor(*given: Any) -> Tensor:
    """Return a tensor: tensor([size][, strides or "F"/"C"[, unit]][, dtype][, device][, stream]); "R" is "C".

    Over a storage: tensor(storage[, offset], size, strides[, unit][, dtype]). Raises ValueRangeError for a dtype,
    device or stream without a size, ShapeError for a size or strides that do not fit, DTypeError for those that are no
    integers.

    >>> from weft import ocean
    >>> ocean.tensor([3, 4], "F", ocean.float).strides
    (4, 12)
    """
    plain, keywords = _sorted(given)
    if plain and isinstance(plain[0], weft.Storage):
        return _over(plain[0], plain[1:], keywords)
    if given and not plain:
        raise ValueRangeError("tensor: a dtype or a device without a size; give one, such as () for one cell")
    shape, layout, unit = (*(plain or [()]), None, None)[:3]
    if "stream" in keywords:
        shape = shape_of("tensor", shape)
        home = weft.storage(prod(shape), keywords.pop("dtype", weft.get_default_dtype()), **keywords)
        return _over(home, plain, {})
    if layout in ("F", "C", "R", None):
        return weft.empty(shape, order=_order(layout), **keywords)
    found = keywords.get("dtype", weft.get_default_dtype())
    scale = found.itemsize if unit is None else unit
    return weft.empty(shape, strides=tuple(s * scale for s in integers("tensor", "strides", layout)), **keywords)


def _order(layout: Any) -> str | None:
    return "F" if layout == "F" else None


def _over(home: Any, plain: list[Any], keywords: dict[str, Any]) -> Tensor:
    """Return a tensor on the storage `home`; `plain` is [offset,] size[, strides or order[, unit]].

    Raises ShapeError for a size or strides that do not fit in the storage, DTypeError for those that are no integers.
    """
    offset = (
        plain.pop(0) if len(plain) > 1 and isinstance(plain[0], int) and not isinstance(plain[1], (int, str)) else 0
    )
    shape, strides, unit = (*plain, None, None, None)[:3]
    if isinstance(strides, str):
        shape, unit = shape_of("tensor", shape), None
        sizes = shape if strides == "F" else shape[::-1]
        steps = [prod(sizes[:k]) for k in range(len(sizes))]
        strides = steps if strides == "F" else steps[::-1]
    return home.tensor(shape, strides=strides, offset=offset, unit=unit, **keywords)


def storage(*given: Any) -> Any:
    """Return a storage: storage([elements][, dtype][, device][, stream]).

    What may be given as `elements`, and the errors, are those of `weft.storage`.
    """
    plain, keywords = _sorted(given)
    return weft.storage(*plain, **keywords)


def stream(device: Any) -> Stream:
    """Return a new stream of a device, given as a Device or its name; raises ValueRangeError for an unknown name."""
    return weft.device(device).create_stream()


def asTensor(obj: Any, *given: Any, deepcopy: bool = False, pad: Any = None) -> Tensor:
    """Return a tensor of an object: asTensor(obj[, pad][, order][, dtype][, device]).

    `pad` fills ragged lists. `deepcopy` copies the cells of arrays and tensors. Raises DTypeError for objects without
    numbers, ValueRangeError for ragged lists without `pad`.
    """
    plain, keywords = _sorted(given)
    orders = [x for x in plain if isinstance(x, str)]
    plain = [x for x in plain if not isinstance(x, str)]
    if _order(orders[0] if orders else None):
        keywords["order"] = "F"
    fill = plain[0] if plain else pad
    if fill is not None:
        return weft.array(obj, fill=fill, **keywords)
    return weft.array(obj, **keywords) if deepcopy else weft.asarray(obj, **keywords)


def zeros(size: Any, *given: Any) -> Tensor:
    """Return zeros: zeros(size[, dtype][, device]).

    Raises ShapeError for a negative size, DTypeError for one that is no integer.
    """
    return weft.zeros(size, **_sorted(given)[1])


def ones(size: Any, *given: Any) -> Tensor:
    """Return ones: ones(size[, dtype][, device]).

    Raises ShapeError for a negative size, DTypeError for one that is no integer.
    """
    return weft.ones(size, **_sorted(given)[1])


def full(size: Any, value: Any, *given: Any) -> Tensor:
    """Return a tensor with one value in every cell: full(size, value[, dtype][, device]).

    Raises ShapeError for a negative size, ValueRangeError or DTypeError for a value that the dtype cannot hold.
    """
    return weft.full(size, value, **_sorted(given)[1])


tensorLike, zerosLike, onesLike, fullLike = weft.empty_like, weft.zeros_like, weft.ones_like, weft.full_like


def eye(rows: int, *given: Any) -> Tensor:
    """Return a matrix with ones on diagonal k (0 by default): eye(rows[, columns[, k]][, dtype][, device]).

    Raises ShapeError for a negative size, DTypeError for numbers that are no integers.
    """
    plain, keywords = _sorted(given)
    return weft.eye(rows, *plain[:1], k=plain[1] if len(plain) > 1 else 0, **keywords)


def diag(x: Any, *given: Any) -> Tensor:
    """Return a square matrix with x on diagonal k, or a matrix' diagonal as a view: diag(x[, k][, dtype][, device]).

    Raises ShapeError if x has rank 0 or above 2, DTypeError if k is no integer.
    """
    plain, keywords = _sorted(given)
    return weft.diag(weft.asarray(x, **keywords), k=plain[0] if plain else 0)


def arange(*given: Any) -> Tensor:
    """Return evenly spaced numbers below `stop`: arange([start,] stop[, step][, dtype][, device]).

    Raises ValueRangeError for step 0 or infinite numbers, DTypeError for other objects than numbers.
    """
    plain, keywords = _sorted(given)
    return weft.arange(*plain, **keywords)


def linspace(start: Any, stop: Any, *given: Any) -> Any:
    """Return evenly spaced values: linspace(start, stop[, num[, endpoint[, spacing]]][, dtype][, device]).

    With `spacing` it is a pair of the values and their step. Raises ValueRangeError for a negative num, DTypeError for
    one that is no integer.
    """
    plain, keywords = _sorted(given)
    num, endpoint, spacing = (*plain, *(50, True, False)[len(plain) :])
    return weft.linspace(start, stop, num, endpoint=endpoint, retstep=spacing, **keywords)


def cast(obj: Any, *given: Any) -> Tensor:
    """Return a copy of a tensor in a dtype, on a device: cast(obj[, dtype][, device]).

    Raises DTypeError for an object without numbers.
    """
    return weft.cast(obj, **_sorted(given)[1])


def ensure(obj: Any, *given: Any) -> Any:
    """Return the object itself if dtype and device fit, else a copy: ensure(obj[, dtype][, device][, inplace]).

    Raises DTypeError for an object without numbers, and for `inplace` on anything but a tensor or a storage.
    """
    plain, keywords = _sorted(given)
    return weft.ensure(obj, **keywords, inplace=bool(plain and plain[0]))


def checkSelfOverlap(size: Any, strides: Any, elemsize: int = 1) -> bool:
    """True if two different coordinates of a layout share a byte.

    `strides` are in bytes, `elemsize` is the bytes of a cell. Raises ShapeError unless there are as many strides as
    sizes, ValueRangeError for negative sizes, cells without bytes, or too many strides to decide it.
    """
    return weft.check_self_overlap(size, strides, elemsize) is not None


def checkOverlap(
    size1: Any, strides1: Any, offset1: int, elemsize1: int, size2: Any, strides2: Any, offset2: int, elemsize2: int
) -> bool:
    """True if two layouts share a byte. A layout is (size, strides, offset, bytes of a cell), the middle two in bytes.

    Raises ShapeError unless each layout has as many strides as sizes.

    >>> from weft import ocean
    >>> ocean.checkOverlap([5], [4], 0, 1, [4], [3], 7, 1), ocean.checkOverlap([5], [4], 0, 1, [4], [4], 7, 1)
    (True, False)
    """
    found = weft.check_overlap(size1, strides1, offset1, elemsize1, size2, strides2, offset2, elemsize2)
    return found is not None


def merge(parts: Any, axis: int, *given: Any) -> Tensor | None:
    """Return tensors joined along an axis: merge(list, axis[, destination][, dtype][, device]).

    With a destination, writes the result there and returns None. Raises DTypeError if `parts` is no sequence,
    ShapeError if shapes differ along other axes, AxisError for an axis that they lack.
    """
    plain, keywords = _sorted(given)
    tensors = [weft.asarray(p, **keywords) for p in sequence("merge", "list", parts)]
    if plain:
        weft.concat(tensors, axis=axis, out=plain[0])
        return None
    return weft.concat(tensors, axis=axis)


def find(mask: Any) -> Any:
    """Return the coordinates of the non-zero cells as an index for `x[...]`, a `weft.index`."""
    return weft.find(weft.asarray(mask) != 0)


__all__ = [
    "arange", "asTensor", "cast", "checkOverlap", "checkSelfOverlap", "diag", "ensure", "eye", "find", "full",
    "fullLike", "linspace", "merge", "ones", "onesLike", "storage", "stream", "tensor", "tensorLike", "zeros",
    "zerosLike",
]  # fmt: skip
