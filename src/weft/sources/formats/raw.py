"""Raw binary files: cells without a header; the caller gives dtype and shape.

The one idea: a raw file is a run of cells whose dtype and shape come from the caller.
"""

from __future__ import annotations

from math import prod

from weft.api.arguments import integers, is_among, is_one
from weft.dtypes import spelled
from weft.errors import DTypeError
from weft.sources.formats.cell_run import CellRun, checked_shape, failure, identity_at

Shape = int | tuple[int, ...] | list[int] | None


def open_raw(path: str, *, dtype: object = None, shape: Shape = None, offset: int = 0, order: str = "C") -> CellRun:
    """Return the cells of a raw file from byte `offset` on as a source of that dtype and shape.

    `dtype` may have a byte order ('>f4'), `order` is "C" or "F". One size of `shape` may be -1, or the shape omitted:
    it then follows from the file's size. Raises FileFormatError if dtype, shape, offset and size do not fit each other,
    DTypeError for a dtype that weft lacks.
    """
    if dtype is None:
        raise failure("raw", path, "its bytes do not say what they are", "give dtype= (and shape=)")
    if not is_among(order, ("C", "F")):
        raise failure("raw", path, f"order {order!r} is unknown", "give 'C' (rows together) or 'F' (columns)")
    kind, byteorder = spelled(dtype)
    identity = identity_at(path, "raw")
    if not is_one(offset) or isinstance(offset, bool) or not 0 <= offset <= identity[2]:
        raise failure(
            "raw", path, f"offset {offset!r} is outside its {identity[2]} bytes", "count bytes from its begin"
        )
    sizes = _filled(path, _sizes(path, shape), identity[2] - offset, kind.itemsize)
    sizes = checked_shape("raw", path, sizes, kind.itemsize)
    return CellRun("raw", path, kind, sizes, int(offset), identity, big=byteorder == "big", order=order)


def _sizes(path: str, shape: Shape) -> tuple[int, ...]:
    """Return the shape as a tuple of integers, (-1,) for None; raises FileFormatError for other objects."""
    try:
        return (-1,) if shape is None else integers("open", "shape", shape)
    except DTypeError as e:
        raise failure("raw", path, f"has shape {shape!r:.80}", "a shape is a tuple of integers") from e


def _filled(path: str, sizes: tuple[int, ...], nbytes: int, itemsize: int) -> tuple[int, ...]:
    """Return the sizes of a shape; a size of -1 becomes the size that fills `nbytes` bytes of the file.

    Raises FileFormatError if no size does, or if several are -1.
    """
    if sizes.count(-1) > 1:
        raise failure("raw", path, f"shape {sizes} leaves several sizes open", "leave one at most")
    if -1 not in sizes:
        return sizes
    row = prod(n for n in sizes if n != -1) * itemsize
    if row <= 0 or nbytes % row:
        fact = f"{nbytes} bytes are no whole number of {row} (shape {sizes}, cells of {itemsize})"
        raise failure("raw", path, fact, "check dtype=, shape= and offset=")
    return tuple(nbytes // row if n == -1 else n for n in sizes)
