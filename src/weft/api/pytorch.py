"""Functions of PyTorch that the array API and NumPy lack.

The one idea: each is a short composition of existing functions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from weft.api.arguments import as_tensor, integer, one_axis
from weft.api.standard.manipulation_functions import copy
from weft.api.standard.sorting_functions import argsort, sort
from weft.errors import ValueRangeError
from weft.interop.imports import array
from weft.tensors.tensor import Tensor


class TopK(NamedTuple):
    """The result of `topk`: the values, and their positions as int64."""

    values: Tensor
    indices: Tensor


def tensor(data: Any, /, dtype: Any = None, *, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a new tensor with a copy of an object's values; with requires_grad=True, gradients are recorded for it.

    Raises DTypeError for an object without numbers or an unknown dtype, and if a dtype without gradients requires them;
    ValueRangeError for an unknown device.

    >>> import weft
    >>> weft.tensor([1.0, 2.0], requires_grad=True).requires_grad
    True
    """
    made: Any = array(data, dtype=dtype, device=device)
    return made.requires_grad_() if requires_grad else made  # type: ignore[no-any-return]


def topk(x: Tensor, k: int, /, axis: int = -1, *, largest: bool = True, sorted: bool = True) -> TopK:
    """Return the k greatest cells along an axis (least for largest=False), sorted, and their positions as int64.

    NaN counts as the greatest; of equal cells the first come first. `sorted=False` changes nothing. Raises
    ValueRangeError if k is negative or exceeds the axis, AxisError for an axis that x lacks, DTypeError for an
    object without numbers.

    >>> import weft
    >>> found = weft.topk(weft.asarray([3, 9, 4, 9]), 3)
    >>> found.values.tolist(), found.indices.tolist()
    ([9, 9, 4], [1, 3, 2])
    """
    x, k = as_tensor(x), integer("topk", "k", k)
    axis = one_axis("topk", axis, x.ndim)
    if not 0 <= k <= x.shape[axis]:
        raise ValueRangeError(f"topk: k {k} for an axis of size {x.shape[axis]}; there are no more cells; give less")
    first: Any = (slice(None),) * axis + (slice(k),)
    values, order = (f(x, axis=axis, descending=bool(largest))[first] for f in (sort, argsort))
    return TopK(copy(values), copy(order))  # views would keep the whole sort in memory
