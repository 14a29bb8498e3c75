"""Convolutions over any number of axes, and transposed ones.

The one idea: the input of a filter is a sliding window (`weft.nn.windows`).  A convolution is a matrix product by a
matrix with a window in each column, which is stored only where products cannot read the windows in place
(`passes.fuse.unmerged`).  A transposed one is the product that makes such columns, added up where windows overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from weft.api.arguments import as_tensor, integer
from weft.api.gemm import gemm
from weft.api.precision import rounded, wide
from weft.api.standard.creation_functions import zeros
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import matrix_transpose, permute_dims, reshape, sliding_window_view
from weft.dtypes import promote
from weft.errors import ShapeError, ValueRangeError
from weft.ir.atoms.adjoints import adjoint
from weft.nn.windows import for_each_axis, windows
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap


@from_template(3)
def conv(
    x: Any,
    /,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return images correlated with filters, as the convolutions of neural networks are.

    x (batch, channels, *spatial), weight (filters, channels / groups, *kernel) and bias (filters,) give (batch,
    filters, *positions). Channels and filters are split into `groups`; each group of filters reads its own channels.
    Any numeric dtype, integers wrapping exactly. Raises ShapeError if ranks, channels, groups or the bias do not match
    or no window fits, ValueRangeError for strides or dilations below 1 and negative padding, DTypeError for those that
    are no integers.

    >>> import weft
    >>> x = weft.reshape(weft.arange(5), (1, 1, 5))
    >>> weft.nn.conv(x, weft.asarray([[[1, 0, -1]]])).tolist()
    [[[-2, -2, -2]]]
    """
    return _conv("conv", as_tensor(x), as_tensor(weight), bias, stride, padding, dilation, groups)


def _conv(name: str, x: Tensor, w: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any) -> Tensor:
    groups = integer(name, "groups", groups)
    if x.ndim < 3 or w.ndim != x.ndim:
        raise ShapeError(
            f"{name}: images of shape {x.shape} and filters of shape {w.shape}; both have two axes and the spatial "
            "ones; reshape them"
        )
    filters, inside, *kernel = w.shape
    batch, channels = x.shape[:2]
    if groups < 1 or channels != inside * groups or filters % groups:
        raise ShapeError(
            f"{name}: {channels} channels and {filters} filters of {inside} channels in {groups} groups; channels are "
            "groups times those of a filter, filters a multiple of groups; reshape, or give other groups"
        )
    seen = windows(name, x, tuple(kernel), stride, padding, dilation, 0)
    rank = len(kernel)
    positions = seen.shape[2 : 2 + rank]
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    columns = reshape(permute_dims(seen, order), (batch, groups, inside * prod(kernel), prod(positions)))
    rows = reshape(w, (groups, filters // groups, inside * prod(kernel)))
    if bias is not None:
        bias = _for_filters(name, bias, filters, (groups, filters // groups, 1))
    found = gemm(1, rows, columns, 0 if bias is None else 1, bias)
    return reshape(found, (batch, filters, *positions))


def _for_filters(name: str, bias: Any, filters: int, shape: tuple[int, ...]) -> Tensor:
    """Return a bias with this shape; raises ShapeError, naming `name`, unless it has a number for each filter.

    Raises DTypeError for an object without numbers.
    """
    bias = as_tensor(bias)
    if bias.shape != (filters,):
        raise ShapeError(f"{name}: a bias of shape {bias.shape} for {filters} filters; each has one number; reshape it")
    return reshape(bias, shape)


@from_template(3)
def conv1d(
    x: Any, /, weight: Any, bias: Any = None, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """Return `conv` over one spatial axis; x is (batch, channels, length).

    Raises ShapeError for other ranks of x, or channels, groups or a bias that do not match, ValueRangeError for strides
    or dilations below 1 and negative padding, DTypeError for those that are no integers.

    >>> import weft
    >>> weft.nn.conv1d(weft.ones((1, 2, 4)), weft.ones((3, 2, 2))).shape
    (1, 3, 3)
    """
    return _conv("conv1d", _of_rank("conv1d", x, 3), as_tensor(weight), bias, stride, padding, dilation, groups)


@from_template(3)
def conv2d(
    x: Any, /, weight: Any, bias: Any = None, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """Return `conv` over two spatial axes; x is (batch, channels, height, width).

    Raises ShapeError for other ranks of x, or channels, groups or a bias that do not match, ValueRangeError for strides
    or dilations below 1 and negative padding, DTypeError for those that are no integers.

    >>> import weft
    >>> weft.nn.conv2d(weft.ones((1, 2, 4, 4)), weft.ones((3, 2, 2, 2)), padding="same").shape
    (1, 3, 4, 4)
    """
    return _conv("conv2d", _of_rank("conv2d", x, 4), as_tensor(weight), bias, stride, padding, dilation, groups)


def _of_rank(name: str, x: Any, rank: int) -> Tensor:
    """Return images x as a tensor; raises ShapeError, naming `name`, unless they have `rank` axes.

    Raises DTypeError for an object without numbers.
    """
    x = as_tensor(x)
    if x.ndim != rank:
        raise ShapeError(f"{name}: images of shape {x.shape}; they have {rank} axes; reshape them, or use conv()")
    return x


@from_template(3)
def conv_transpose(
    x: Any,
    /,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return the transposed convolution: each cell of x adds its multiple of a filter to the result.

    x (batch, channels, *spatial), weight (channels, filters / groups, *kernel) and bias (filters,) give (batch,
    filters, *sizes), each size (n - 1)·stride - 2·padding + dilation·(k - 1) + 1 + output_padding. It is the gradient
    of `conv` with the same parameters by its images, and PyTorch's conv_transpose1d, 2d, 3d. All parameters are
    integers. Raises ShapeError if ranks, channels, groups or the bias do not match or nothing is left between the
    padding, ValueRangeError for strides or dilations below 1, negative padding, and an output_padding of stride or
    more; DTypeError for strides, dilations or padding that are no integers and for an object without numbers.

    >>> import weft
    >>> x = weft.asarray([[[1, 0, 2]]])
    >>> weft.nn.conv_transpose(x, weft.asarray([[[1, 2, 3]]]), stride=2).tolist()
    [[[1, 2, 3, 0, 2, 4, 6]]]
    """
    name = "conv_transpose"
    x, w, groups = as_tensor(x), as_tensor(weight), integer(name, "groups", groups)
    if x.ndim < 3 or w.ndim != x.ndim or groups < 1 or x.shape[1] != w.shape[0] or x.shape[1] % groups:
        raise ShapeError(
            f"{name}: images of shape {x.shape} and filters of shape {w.shape} in {groups} groups; these are (batch, "
            "channels, *spatial) and (channels, filters / groups, *kernel), channels a multiple of groups; reshape them"
        )
    (batch, channels, *spatial), (_, filters, *kernel), rank = x.shape, w.shape, x.ndim - 2
    given = (("stride", stride, 1), ("padding", padding, 0), ("output_padding", output_padding, 0),
             ("dilation", dilation, 1))  # fmt: skip
    steps, pads, more, apart = (for_each_axis(name, what, value, rank, least) for what, value, least in given)
    if any(m >= s for m, s in zip(more, steps, strict=True)):
        raise ValueRangeError(f"{name}: output_padding {more} for stride {steps}; it is smaller; give less")
    sizes = [
        (n - 1) * s + d * (k - 1) + 1 + m for n, s, d, k, m in zip(spatial, steps, apart, kernel, more, strict=True)
    ]
    if min(*spatial, *kernel) < 1 or any(size <= 2 * p for size, p in zip(sizes, pads, strict=True)):
        raise ShapeError(
            f"{name}: {spatial} cells and filters of {kernel} make {sizes}, padding {pads}; cells are left between "
            "those of both sides; give less padding, or cells"
        )
    to = promote(x.dtype, w.dtype)
    rows = reshape(wide(w), (groups, channels // groups, filters * prod(kernel)))
    cells = matmul(matrix_transpose(rows), reshape(wide(x), (batch, groups, channels // groups, prod(spatial))))
    cells = reshape(cells, (batch, groups * filters, *kernel, *spatial))
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    made = _added_up(permute_dims(cells, order), (batch, groups * filters, *sizes), kernel, steps, apart)
    made = made[(..., *[slice(p, n - p) for p, n in zip(pads, sizes, strict=True)])]
    if bias is not None:
        made = made + wide(_for_filters(name, bias, groups * filters, (-1, *(1,) * rank)))
        to = promote(to, as_tensor(bias).dtype)
    return rounded(made, to)


def _added_up(
    cells: Tensor, shape: tuple[int, ...], kernel: Sequence[int], steps: tuple[int, ...], apart: tuple[int, ...]
) -> Tensor:
    """Return a tensor of `shape` with the sum of the cells (batch, filters, *positions, *kernel) of all windows."""
    axes = range(2, len(shape))
    view = node_of(sliding_window_view(zeros(shape, dtype=cells.dtype), kernel, axes, stride=steps, dilation=apart))
    made: Any = node_of(cells)
    while view.op.name in ("slice", "window"):
        (made,), (view,) = adjoint(view, made), view.inputs
    return wrap(made)
