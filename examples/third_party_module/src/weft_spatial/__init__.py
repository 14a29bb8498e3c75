"""Operations on points in space: an example of a module that a package of its own brings to weft.

The interface: what operations there are, what they take, what their results look like.  It computes nothing; the
tables do, one for each type of device, in files of their own.

>>> import weft
>>> weft.modules.spatial.ops
('hypot3', 'nearest')
>>> hypot3(weft.asarray([2.0, 1.0]), 3, 6).tolist()
[7.0, 6.782329983125268]
"""

from __future__ import annotations

from typing import Any

import weft
from weft_spatial import host

__all__ = ["hypot3", "module", "nearest"]

module = weft.modules.Module("spatial", version="1")

hypot3 = module.declare(
    "hypot3",
    doc="""The length of vectors (x, y, z), cell by cell, with broadcasting.

    >>> import weft
    >>> hypot3(weft.asarray([3.0]), 4, 0).tolist()
    [5.0]
    """,
)


def _numbers_of_rows(points: Any, to: Any, *, metric: float) -> tuple[weft.DType, tuple[int, ...]]:
    """One int64 for each point; raises where the tables of points do not fit."""
    if len(points.shape) != 2 or len(to.shape) != 2 or points.shape[1] != to.shape[1] or not to.shape[0]:
        raise weft.errors.ShapeError(
            f"nearest: points of shape {points.shape} and {to.shape}; rows are points of one space; reshape them"
        )
    return weft.int64, points.shape[:1]


nearest = module.declare(
    "nearest",
    _numbers_of_rows,
    options={"metric": 2},
    doc="""For every row of `points` the number of the row of `to` that is nearest, by the norm `metric`.

    >>> import weft
    >>> nearest(weft.asarray([[0.0, 1.0], [9.0, 9.0]]), [[0, 0], [10, 10]]).tolist()
    [0, 1]
    """,
)

weft.modules.implement("spatial", "cpu", host.TABLE, version="1", context=host.Workspace)
weft.modules.implement("spatial", "thread", host.TABLE, version="1", context=host.Workspace)
