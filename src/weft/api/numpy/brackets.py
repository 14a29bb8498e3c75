"""Joining in brackets: `weft.r_` and `weft.c_`.

The one idea: a slice becomes its points, a number a vector of one cell in the others' dtype, and all parts are joined.
"""

from __future__ import annotations

from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor
from weft.api.numpy.grids import points_of
from weft.api.standard import elementwise_functions as el
from weft.api.standard.data_type_functions import result_type
from weft.api.standard.manipulation_functions import concat, expand_dims, reshape
from weft.errors import DTypeError
from weft.tensors.tensor import Tensor


def _parts(name: str, key: Any) -> list[Tensor]:
    """Return the parts in brackets as tensors of rank 1 or more.

    Raises DTypeError for texts, ValueRangeError for a slice with step 0.
    """
    given = key if isinstance(key, tuple) else (key,)
    if any(isinstance(part, str) for part in given):
        raise DTypeError(f"{name}: a text in the brackets; axes are not named so here; use concat, stack or reshape")
    made = [points_of(name, part) if isinstance(part, slice) else as_tensor(part) for part in given]
    fixed = [x.dtype for x, part in zip(made, given, strict=True) if not isinstance(part, (bool, int, float, complex))]
    if fixed:
        joined = result_type(*fixed)
        made = [
            el.astype(x, dt.weak(type(part), joined)) if isinstance(part, (bool, int, float, complex)) else x
            for x, part in zip(made, given, strict=True)
        ]
    return [x if x.ndim else reshape(x, (1,)) for x in made]


class RowJoin:
    """The class of `weft.r_`, whose brackets join numbers, slices and tensors along axis 0.

    >>> import weft
    >>> weft.r_[1:4, 9, weft.asarray([5, 6])].tolist(), weft.r_[0:1:3j].tolist()
    ([1, 2, 3, 9, 5, 6], [0.0, 0.5, 1.0])
    """

    def __getitem__(self, key: Any) -> Tensor:
        """Return the parts joined along axis 0.

        Raises ShapeError if sizes differ along other axes, DTypeError for texts.
        """
        return concat(_parts("r_", key), axis=0)

    def __repr__(self) -> str:
        return "weft.r_"


class ColumnJoin:
    """The class of `weft.c_`, whose brackets join vectors as columns, and matrices, along the last axis.

    >>> import weft
    >>> weft.c_[weft.asarray([1, 2]), [3, 4]].tolist()
    [[1, 3], [2, 4]]
    """

    def __getitem__(self, key: Any) -> Tensor:
        """Return the parts, vectors as columns, joined along the last axis.

        Raises ShapeError if sizes differ along other axes, DTypeError for texts.
        """
        return concat([x if x.ndim > 1 else expand_dims(x, axis=1) for x in _parts("c_", key)], axis=-1)

    def __repr__(self) -> str:
        return "weft.c_"


r_, c_ = RowJoin(), ColumnJoin()
