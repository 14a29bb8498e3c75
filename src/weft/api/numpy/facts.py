"""Facts of an object: its shape and sizes, whether it is real, complex or a scalar.

The one idea: questions about a description read no cell; those about cells are comparisons, except `real_if_close`,
whose dtype depends on values.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integers, number, one_axis
from weft.api.standard import elementwise_functions as el
from weft.tensors.tensor import Tensor, read


def shape(x: Any, /) -> tuple[int, ...]:
    """Return the shape of a tensor, a number or nested lists.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.shape([[1, 2, 3]])
    (1, 3)
    """
    return as_tensor(x).shape


def ndim(x: Any, /) -> int:
    """Return the rank of a tensor, a number or nested lists.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.ndim([[1, 2, 3]])
    2
    """
    return as_tensor(x).ndim


def size(x: Any, /, axis: Any = None) -> int:
    """Return the number of cells, or of positions along axes.

    Raises AxisError for an axis that x lacks, DTypeError for one that is no integer.

    >>> import weft
    >>> weft.size([[1, 2, 3]]), weft.size([[1, 2, 3]], 1)
    (3, 3)
    """
    x = as_tensor(x)
    return (
        x.size if axis is None else prod([x.shape[one_axis("size", i, x.ndim)] for i in integers("size", "axis", axis)])
    )


def isscalar(x: object, /) -> bool:
    """True if x is a number or a text; False for tensors, also of rank 0.

    >>> import weft
    >>> weft.isscalar(3.0), weft.isscalar(weft.asarray(3.0))
    (True, False)
    """
    return not isinstance(x, Tensor) and bool(np.isscalar(x))


def iterable(x: Any, /) -> bool:
    """True if an object can be iterated over; False for a tensor of rank 0.

    >>> import weft
    >>> weft.iterable(weft.ones(2)), weft.iterable(weft.asarray(1.0))
    (True, False)
    """
    return bool(x.ndim) if isinstance(x, Tensor) else bool(np.iterable(x))


def iscomplexobj(x: Any, /) -> bool:
    """True if the cells are of a complex dtype, whatever their values.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.iscomplexobj([1, 2]), weft.iscomplexobj([1, 2 + 0j])
    (False, True)
    """
    return as_tensor(x).dtype.kind == "complex"


def isrealobj(x: Any, /) -> bool:
    """True if the cells are of no complex dtype.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.isrealobj([1, 2])
    True
    """
    return not iscomplexobj(x)


def iscomplex(x: Any, /) -> Tensor:
    """Return True for each cell whose imaginary part is not 0.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.iscomplex([1, 2j]).tolist()
    [False, True]
    """
    return el.not_equal(el.imag(x), 0)  # type: ignore[attr-defined, no-any-return]


def isreal(x: Any, /) -> Tensor:
    """Return True for each cell whose imaginary part is 0.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.isreal([1, 2j]).tolist()
    [True, False]
    """
    return el.equal(el.imag(x), 0)  # type: ignore[attr-defined, no-any-return]


def real_if_close(x: Any, /, tol: float = 100) -> Tensor:
    """Return the real parts if no imaginary part is larger than `tol`, else x itself; values are computed at once.

    A `tol` above 1 counts units of the dtype, as NumPy's does. Raises DTypeError for one that is no number.

    >>> import weft
    >>> weft.real_if_close([1 + 1e-20j, 2]).tolist(), weft.real_if_close([1j]).tolist()
    ([1.0, 2.0], [1j])
    """
    x, tol = as_tensor(x), number("real_if_close", tol)
    if x.dtype.kind != "complex":
        return x
    bound = tol * dt.float_limits(x.dtype.real).eps if tol > 1 else tol
    return el.real(x) if bool((np.abs(read(el.imag(x))) < bound).all()) else x
