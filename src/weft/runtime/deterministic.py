"""The order of additions in matrix products: that of the library, or a fixed order of weft's own.

The one idea: the mode is fixed in a product when it is built, so the product keeps its bits wherever, and in whatever
parts, it is computed later.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from weft.errors import switch
from weft.runtime.scoped_setting import Setting

_MODE = Setting("deterministic", False, bool)


def is_deterministic() -> bool:
    """True if products that are built here have weft's own order of additions.

    >>> import weft
    >>> with weft.deterministic():
    ...     weft.is_deterministic()
    True
    """
    return _MODE.active > 0 and _MODE.get()


def set_deterministic(on: bool) -> None:
    """Give products in all threads, outside of `deterministic` blocks, weft's own order if `on`, else the library's.

    Raises DTypeError unless `on` is a bool.

    >>> import weft
    >>> weft.set_deterministic(True)
    >>> weft.is_deterministic(), weft.set_deterministic(False)
    (True, None)
    """
    _MODE.set(switch("set_deterministic", "on", on))


def deterministic(on: bool = True) -> AbstractContextManager[bool]:
    """Return a context manager: matrix products built inside its block have the same bits however they are computed.

    A cell of such a product depends on its row and its column alone: not on the number of threads or workers, the tiles
    that are computed separately, the layout of operands, or the processor.  So do the gradients of the product.  Sums
    along the inner axis are cut into blocks of 1024 cells.  `deterministic(False)` returns products to the library
    inside its block.  Factorisations, solvers and transforms always call the library; if they are computed inside the
    block, the library uses one thread.  Raises DTypeError unless `on` is a bool.

    >>> import weft
    >>> x, y = weft.random.normal((50, 3000), seed=1), weft.random.normal((3000, 40), seed=2)
    >>> with weft.deterministic():
    ...     whole, part = x @ y, x[3:17] @ y[:, ::2]
    >>> weft.all(whole[3:17, ::2] == part).item()
    True
    """
    return _MODE.block(switch("deterministic", "on", on))
