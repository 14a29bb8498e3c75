"""Window functions of signals, by NumPy's names.

The one idea: NumPy computes their cells, which are few.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.api.arguments import integer, number
from weft.errors import OutOfMemory, ValueRangeError
from weft.interop.imports import own
from weft.tensors.tensor import Tensor


def _cells(name: str, n: int) -> int:
    """Return a number of cells as an integer.

    Raises ValueRangeError for a negative number, OutOfMemory for more than 2**40, DTypeError for no integer.
    """
    size = integer(name, "n", n)
    if size < 0:
        raise ValueRangeError(f"{name}: {size} cells; there are 0 or more; give another number")
    if size > 1 << 40:
        raise OutOfMemory(f"{name}: {size} cells; they are stored at once; give a smaller number")
    return size


def _window(name: str, what: str, shown: str) -> Callable[..., Tensor]:
    def function(n: int, /) -> Tensor:
        return own(np.array(getattr(np, name)(_cells(name, n))))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Return the {what} window of n cells: float64, symmetric.\n\nRaises ValueRangeError for a negative n, "
        "DTypeError for an n that is no integer.\n\n>>> import weft\n"
        f">>> weft.round(weft.{name}(3), 6).tolist()\n{shown}\n"
    )
    return function


bartlett = _window("bartlett", "triangular", "[0.0, 1.0, 0.0]")
blackman = _window("blackman", "Blackman", "[-0.0, 1.0, -0.0]")
hamming = _window("hamming", "Hamming", "[0.08, 1.0, 0.08]")
hanning = _window("hanning", "Hann", "[0.0, 1.0, 0.0]")


def kaiser(n: int, beta: float, /) -> Tensor:
    """Return the symmetric Kaiser window of n cells, of float64; a greater `beta` makes it narrower.

    Raises ValueRangeError for a negative n, DTypeError for numbers of other types.

    >>> import weft
    >>> weft.kaiser(3, 0.0).tolist()
    [1.0, 1.0, 1.0]
    """
    return own(np.array(np.kaiser(_cells("kaiser", n), float(number("kaiser", beta)))))
