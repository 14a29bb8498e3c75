"""Discrete Fourier transforms: the array API's `fft`.

The one idea: a transform along one axis is a library call; transforms over several axes are transforms along one after
the other, shifts are selections, and frequencies are functions of coordinates.

All transforms share these rules: x has any shape; `n` (`s`: one per axis) is the number of cells to transform, to which
x is cut or padded with zeros; `norm` is the direction that is scaled by 1/n: "backward" (the inverse), "forward", or
"ortho" (both, by its root).  float64 and complex128 are computed as such, float32, complex64 and 16-bit floats in
single precision and rounded once: float16 gives complex32, bfloat16 complex64.  Integers count as float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer, integers, many_axes, number, one_axis, one_of, paired
from weft.api.habits import accept_habits
from weft.api.precision import inexact, wide
from weft.api.standard.elementwise_functions import astype, conj
from weft.api.standard.manipulation_functions import roll
from weft.api.standard.ranges import arange
from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, resolve
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap

SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


# ---- operands and calls
def _norm(name: str, norm: Any) -> str:
    """Return `norm`, or "backward" for None; raises ValueRangeError unless it is that, "ortho" or "forward"."""
    if norm is None:
        return "backward"
    return one_of(name, "norm", norm, SWAPPED, "there are 'backward', 'ortho' and 'forward'")


def _complex(name: str, x: Any) -> Tensor:
    """Return x as a complex tensor of the same precision; raises DTypeError for bools.

    `name` is named in errors.
    """
    x = inexact(name, x)
    return astype(x, dt.weak(complex, x.dtype), copy=False)


def _real(name: str, x: Any) -> Tensor:
    """Return x as a floating tensor; raises DTypeError for complex cells and bools."""
    x = inexact(name, x)
    if x.dtype.kind == "complex":
        raise DTypeError(f"{name}: {x.dtype.name} cells; it transforms real ones; take real(x), or use fft()")
    return x


def _cells(name: str, n: Any, default: int) -> int:
    """Return the number of cells to transform, n or the default.

    Raises ValueRangeError below 1, DTypeError if n is no integer.
    """
    count = default if n is None else integer(name, "n", n)
    if count < 1:
        raise ValueRangeError(f"{name}: {count} cells to transform; there must be 1 or more; give n, or more cells")
    return count


def _call(op: str, x: Tensor, axis: int, cells: int, attrs: tuple[Any, ...]) -> Tensor:
    """Return a tensor of the transform `op` of x along an axis, which then has `cells` cells.

    `attrs` are the op's attributes.
    """
    n = node_of(x)
    _, out = resolve(OPS[op], n.desc.dtype)
    shape = (*n.desc.shape[:axis], cells, *n.desc.shape[axis + 1 :])
    return wrap(ir.locate(ir.make(OPS[op], (n,), attrs, ir.result(out, shape))))


def _along(name: str, x: Tensor, n: Any, axis: Any, norm: Any, inverse: bool) -> Tensor:
    """Return the transform of x, or its inverse, along one axis.

    Raises AxisError if x lacks the axis, ValueRangeError for n below 1 or an unknown `norm`, DTypeError if n or axis is
    no integer.
    """
    axis = one_axis(name, axis, x.ndim)
    count = _cells(name, n, x.shape[axis])
    return _call("fft", x, axis, count, (count, axis, _norm(name, norm), inverse))


def _axes(name: str, x: Tensor, s: Any, axes: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Return (axes to transform, cells to transform along each; None for all).

    Raises AxisError for axes that x lacks, ShapeError for axes named twice and for too many sizes, DTypeError for axes
    or sizes that are no integers.
    """
    sizes = None if s is None else integers(name, "s", s)
    if axes is None:
        axes = range(x.ndim) if sizes is None else range(x.ndim - len(sizes), x.ndim)
        if x.ndim and axes and axes[0] < 0:
            raise ShapeError(f"{name}: {len(axes)} sizes for shape {x.shape}; it has fewer axes; give fewer")
    found = many_axes(name, axes, x.ndim)
    if sizes is not None:
        paired(name, "axes and cells along them", found, sizes)
    return found, [None] * len(found) if sizes is None else list(sizes)


# ---- transforms along one axis
@from_template(1)
def fft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """Return the discrete Fourier transform along an axis: cell k is the sum of x[j]·exp(-2πi·jk/n).

    Complex, of x's shape with n cells along the axis. Raises ValueRangeError for n below 1 or an unknown `norm`,
    AxisError if x lacks the axis, DTypeError for bools and for n or axis that are no integers.

    >>> import weft
    >>> weft.fft.fft(weft.asarray([1.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _along("fft", _complex("fft", x), n, axis, norm, False)


@from_template(1)
def ifft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """Return the inverse of `fft`: complex, of x's shape with n cells along the axis.

    Raises ValueRangeError, AxisError and DTypeError as `fft` does.

    >>> import weft
    >>> weft.fft.ifft(weft.asarray([4.0, 0.0, 0.0, 0.0])).tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _along("ifft", _complex("ifft", x), n, axis, norm, True)


@from_template(1)
def rfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """Return the first n//2 + 1 cells of the transform of real cells; the others are their conjugates.

    Raises DTypeError for complex cells and bools, ValueRangeError for n below 1 or an unknown `norm`, AxisError if x
    lacks the axis.

    >>> import weft
    >>> weft.fft.rfft(weft.asarray([1.0, 1.0, 1.0, 1.0])).tolist()
    [(4+0j), 0j, 0j]
    """
    x = _real("rfft", x)
    axis = one_axis("rfft", axis, x.ndim)
    count = _cells("rfft", n, x.shape[axis])
    return _call("rfft", x, axis, count // 2 + 1, (count, axis, _norm("rfft", norm)))


@from_template(1)
def irfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """Return the inverse of `rfft`: n real cells along the axis (by default, 2·(m - 1) of m).

    Raises ValueRangeError for n below 1 or an unknown `norm`, AxisError if x lacks the axis, DTypeError for bools.

    >>> import weft
    >>> weft.fft.irfft(weft.asarray([4.0, 0.0, 0.0])).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    x = _complex("irfft", x)
    axis = one_axis("irfft", axis, x.ndim)
    count = _cells("irfft", n, 2 * (x.shape[axis] - 1))
    return _call("irfft", x, axis, count, (count, axis, _norm("irfft", norm)))


def hfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """Return the n real cells of the transform of conjugate-symmetric cells, given x, their first half.

    Raises ValueRangeError for n below 1 or an unknown `norm`, AxisError if x lacks the axis, DTypeError for bools.

    >>> import weft
    >>> weft.fft.hfft(weft.asarray([1.0, 0.0, 0.0])).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return irfft(conj(_complex("hfft", x)), n=n, axis=axis, norm=SWAPPED[_norm("hfft", norm)])


def ihfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Tensor:
    """Return the inverse of `hfft`: n//2 + 1 complex cells from n real ones.

    Raises DTypeError, ValueRangeError and AxisError as `rfft` does.

    >>> import weft
    >>> weft.fft.ihfft(weft.asarray([1.0, 1.0, 1.0, 1.0])).tolist()
    [(1-0j), -0j, -0j]
    """
    return conj(rfft(_real("ihfft", x), n=n, axis=axis, norm=SWAPPED[_norm("ihfft", norm)]))


# ---- transforms along several
Sizes = Sequence[int] | None


def _repeated(name: str, x: Tensor, axes: Sequence[int], sizes: Sequence[Any], norm: Any, inverse: bool) -> Tensor:
    """Return x transformed along one axis after the other, the last axis first.

    `sizes` has the cells along each axis. Raises ValueRangeError for sizes below 1 or an unknown `norm`.
    """
    for axis, n in zip(reversed(axes), reversed(sizes), strict=True):
        x = _along(name, x, n, axis, norm, inverse)
    return x


def _several(name: str, x: Any, s: Sizes, axes: Sizes, norm: Any, inverse: bool) -> Tensor:
    """Return the complex transform of x along several axes.

    Steps are computed in at least single precision, and the result has the precision of x. Raises the errors of `fftn`.
    """
    x = _complex(name, x)
    found = _repeated(name, wide(x), *_axes(name, x, s, axes), norm, inverse)
    return astype(found, x.dtype, copy=False)


def fftn(x: Any, /, s: Sizes = None, axes: Sizes = None, norm: str | None = "backward") -> Tensor:
    """Return `fft` along several axes (default: all; the last ones if only `s` is given), complex.

    Raises AxisError for axes that x lacks, ShapeError for axes named twice or too many sizes, ValueRangeError for sizes
    below 1 or an unknown `norm`, DTypeError for bools and for axes that are no integers.

    >>> import weft
    >>> weft.fft.fftn(weft.asarray([[1.0, 0.0], [0.0, 0.0]])).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return _several("fftn", x, s, axes, norm, False)


def ifftn(x: Any, /, s: Sizes = None, axes: Sizes = None, norm: str | None = "backward") -> Tensor:
    """Return the inverse of `fftn`; raises AxisError, ShapeError, ValueRangeError and DTypeError as `fftn` does.

    >>> import weft
    >>> weft.fft.ifftn(weft.asarray([[4.0, 0.0], [0.0, 0.0]])).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return _several("ifftn", x, s, axes, norm, True)


def rfftn(x: Any, /, s: Sizes = None, axes: Sizes = None, norm: str | None = "backward") -> Tensor:
    """Return `rfft` along the last of several axes, then `fft` along the others, complex.

    Raises DTypeError for complex cells, ShapeError for no axis, and AxisError, ValueRangeError and others as `fftn`
    does.

    >>> import weft
    >>> weft.fft.rfftn(weft.asarray([[1.0, 0.0], [0.0, 0.0]])).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    x = _real("rfftn", x)
    along, sizes = _axes("rfftn", x, s, axes)
    _some("rfftn", along)
    half = rfft(wide(x), n=sizes[-1], axis=along[-1], norm=norm)
    found = _repeated("rfftn", half, along[:-1], sizes[:-1], norm, False)
    return astype(found, dt.weak(complex, x.dtype), copy=False)


def irfftn(x: Any, /, s: Sizes = None, axes: Sizes = None, norm: str | None = "backward") -> Tensor:
    """Return the inverse of `rfftn`, real.

    Raises ShapeError for no axis, and AxisError, ValueRangeError and DTypeError as `fftn` does.

    >>> import weft
    >>> weft.fft.irfftn(weft.asarray([[4.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    x = _complex("irfftn", x)
    along, sizes = _axes("irfftn", x, s, axes)
    _some("irfftn", along)
    whole = _repeated("irfftn", wide(x), along[:-1], sizes[:-1], norm, True)
    return astype(irfft(whole, n=sizes[-1], axis=along[-1], norm=norm), x.dtype.real, copy=False)


def fft2(x: Any, /, s: Sizes = None, axes: Sizes = (-2, -1), norm: str | None = "backward") -> Tensor:
    """Return `fftn` over two axes, by default the last ones.

    Raises AxisError, ShapeError, ValueRangeError and DTypeError as `fftn` does.

    >>> import weft
    >>> weft.fft.fft2(weft.asarray([[1.0, 0.0], [0.0, 0.0]])).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return fftn(x, s=s, axes=axes, norm=norm)


def ifft2(x: Any, /, s: Sizes = None, axes: Sizes = (-2, -1), norm: str | None = "backward") -> Tensor:
    """Return the inverse of `fft2`; raises AxisError, ShapeError, ValueRangeError and DTypeError as `fftn` does.

    >>> import weft
    >>> weft.fft.ifft2(weft.asarray([[4.0, 0.0], [0.0, 0.0]])).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return ifftn(x, s=s, axes=axes, norm=norm)


def rfft2(x: Any, /, s: Sizes = None, axes: Sizes = (-2, -1), norm: str | None = "backward") -> Tensor:
    """Return `rfftn` over two axes, by default the last ones.

    Raises DTypeError for complex cells, and AxisError, ShapeError and ValueRangeError as `fftn` does.

    >>> import weft
    >>> weft.fft.rfft2(weft.asarray([[1.0, 0.0], [0.0, 0.0]])).tolist()
    [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return rfftn(x, s=s, axes=axes, norm=norm)


def irfft2(x: Any, /, s: Sizes = None, axes: Sizes = (-2, -1), norm: str | None = "backward") -> Tensor:
    """Return the inverse of `rfft2`, real; raises AxisError, ShapeError, ValueRangeError and DTypeError as `fftn` does.

    >>> import weft
    >>> weft.fft.irfft2(weft.asarray([[4.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return irfftn(x, s=s, axes=axes, norm=norm)


def _some(name: str, axes: Sequence[int]) -> None:
    """Raise ShapeError, naming `name`, if `axes` is empty."""
    if not axes:
        raise ShapeError(f"{name}: no axis; real cells become complex along the last of them; name one")


# ---- frequencies and shifts
def _frequencies(name: str, first: int, n: Any, d: Any, dtype: Any, device: Any) -> Tensor:
    """Return the frequencies, from integer `first` on, of a transform of n cells at distance d.

    Raises DTypeError if `dtype` is no float dtype, ValueRangeError if d is 0.
    """
    found: DType = dt.float64 if dtype is None else dt.spelled(dtype)[0]
    if found.kind != "float":
        raise DTypeError(f"{name}: frequencies of {found.name}; they are real; name a float dtype")
    spacing = number(name, d)
    if not spacing:
        raise ValueRangeError(f"{name}: a spacing of {spacing}; cells lie apart; give another")
    step = 1.0 / (n * spacing)
    whole = arange(first, first + (n if first else n // 2 + 1), device=device)
    return astype(whole * step, found, copy=False)


def fftfreq(n: int, /, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the n frequencies of a transform of cells at distance d: 0, 1, ..., -2, -1 over n·d, in float64 or
    `dtype`.

    Raises ValueRangeError for n below 1 or d = 0, DTypeError for a dtype that is not floating.

    >>> import weft
    >>> weft.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    n = _cells("fftfreq", n, 0)
    if n == 1:
        return _frequencies("fftfreq", 0, n, d, dtype, device)
    return ifftshift(_frequencies("fftfreq", -(n // 2), n, d, dtype, device))


def rfftfreq(n: int, /, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the n//2 + 1 frequencies of `rfft` of n cells at distance d: 0, 1, ..., n//2 over n·d.

    Raises ValueRangeError for n below 1 or d = 0, DTypeError for a dtype that is not floating.

    >>> import weft
    >>> weft.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    return _frequencies("rfftfreq", 0, _cells("rfftfreq", n, 0), d, dtype, device)


def fftshift(x: Any, /, axes: Any = None) -> Tensor:
    """Return x rolled along axes (by default, all) so that frequency 0 is in the middle: a selection of x.

    Raises AxisError for axes that x lacks, ShapeError for axes named twice, DTypeError for axes that are no integers.

    >>> import weft
    >>> weft.fft.fftshift(weft.fft.fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    x = as_tensor(x)
    along = many_axes("fftshift", axes, x.ndim)
    return roll(x, tuple([x.shape[a] // 2 for a in along]), axis=along)


def ifftshift(x: Any, /, axes: Any = None) -> Tensor:
    """Return the inverse of `fftshift`: frequency 0 comes first along axes (by default, all).

    Raises AxisError for axes that x lacks, ShapeError for axes named twice, DTypeError for axes that are no integers.

    >>> import weft
    >>> weft.fft.ifftshift(weft.asarray([-2, -1, 0, 1])).tolist()
    [0, 1, -2, -1]
    """
    x = as_tensor(x)
    along = many_axes("ifftshift", axes, x.ndim)
    return roll(x, tuple([-(x.shape[a] // 2) for a in along]), axis=along)


__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
accept_habits(globals())
