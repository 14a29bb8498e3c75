"""NumPy's named rules for the number of bins of a histogram.

The one idea: a rule is a function from cells to the width of a bin; the number of bins follows from the range.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, isqrt
from typing import Any

import numpy as np

from weft.api.arguments import one_of
from weft.api.numpy.bin_numbers import Ends, bin_numbers, counted, even_bounds
from weft.api.numpy.quantiles import percentile
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.manipulation_functions import reshape
from weft.tensors.tensor import Tensor


def bins_by_rule(name: str, rule: str, x: Tensor, ends: Ends, clipped: bool) -> int:
    """Return the number of bins between the two `ends` that a rule chooses for the cells of x.

    `clipped`: cells outside the ends do not count. Raises ValueRangeError, naming function `name`, for an unknown rule.
    """
    one_of(name, "bins", rule, WIDTHS, f"the rules are {', '.join(sorted(WIDTHS))}")
    low, high = ends
    x = reshape(x, (-1,))
    if clipped:
        x = x[el.logical_and(el.greater_equal(x, low), el.less_equal(x, high))]  # type: ignore[index]
    width = WIDTHS[rule](x, ends) if x.size else 0.0
    if width and x.dtype.kind in ("int", "uint"):
        width = max(width, 1.0)
    delta = high - low if x.dtype.kind == "float" else float(high) - float(low)
    return ceil(delta / width) if width else 1


# The formulas are NumPy's, on scalars of its dtypes: a width that is rounded otherwise may give one bin more.


def _scalar(x: Tensor) -> Any:
    """Return the only cell of a tensor as a NumPy scalar; integers as Python ints, which do not wrap."""
    return x.item() if x.dtype.kind in ("int", "uint") else x.numpy()[()]


def _extent(x: Tensor) -> Any:
    """Return the distance between the greatest and the least cell."""
    return _scalar(st.max(x)) - _scalar(st.min(x))


def _sqrt(x: Tensor, ends: Ends) -> Any:
    return _extent(x) / np.sqrt(x.size)


def _sturges(x: Tensor, ends: Ends) -> Any:
    return _extent(x) / (np.log2(x.size) + 1.0)


def _rice(x: Tensor, ends: Ends) -> Any:
    return _extent(x) / (2.0 * x.size ** (1.0 / 3))


def _scott(x: Tensor, ends: Ends) -> Any:
    return (24.0 * np.pi**0.5 / x.size) ** (1.0 / 3.0) * _scalar(st.std(x))


def _freedman_diaconis(x: Tensor, ends: Ends) -> Any:
    upper, lower = percentile(x, [75, 25]).numpy()
    return 2.0 * (upper - lower) * x.size ** (-1.0 / 3.0)


def _auto(x: Tensor, ends: Ends) -> Any:
    """Return the smaller of two widths: that of "sturges", and that of "fd" but at least half that of "sqrt"."""
    return min(max(_freedman_diaconis(x, ends), _sqrt(x, ends) / 2), _sturges(x, ends))


def _doane(x: Tensor, ends: Ends) -> Any:
    n, sigma = x.size, _scalar(st.std(x))
    if n < 3 or not sigma > 0.0:
        return 0.0
    skewness = _scalar(st.mean(((x - st.mean(x)) / sigma) ** 3))
    spread = np.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return _extent(x) / (1.0 + np.log2(n) + np.log2(1.0 + np.absolute(skewness) / spread))


def _stone(x: Tensor, ends: Ends) -> Any:
    """Return the width with the least estimated error of the density (Stone 1984)."""
    n, extent = x.size, _extent(x)
    if n < 2 or not extent:
        return 0.0

    def error(bins: int) -> Any:
        share = counted(bin_numbers(x, even_bounds(x, ends, bins), True), bins).numpy() / n
        return (2 - (n + 1) * share.dot(share)) / (extent / bins)

    return extent / min(range(1, max(100, isqrt(n)) + 1), key=error)


WIDTHS: dict[str, Callable[[Tensor, Ends], Any]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}
