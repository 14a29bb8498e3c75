"""Math modes: the behaviour of functions outside their domain.

The one idea: the mode in force is fixed in a node when it is built.  "warn" and "error" attach a check over the whole
domain to the value, which runs when the value is computed; "complex" computes the operands at once, and builds the
complex function if a cell needs it.  While every mode is "standard" (NaN and infinities, as in IEEE), operations have
no cost.
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import ImaginaryPartWarning, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.undefined import any_true, checked, leaves_reals
from weft.runtime.compute.checked_values import add_checks
from weft.runtime.scoped_setting import Setting
from weft.tensors import elementwise
from weft.tensors.tensor import Tensor, node_of, values_of, wrap

MODES = ("standard", "warn", "error", "complex")
_MODE = Setting(
    "math_mode", "standard", lambda mode: mode != "standard", lambda on: elementwise.set_moded(_built if on else None)
)


def _known(mode: str) -> str:
    """Return `mode`.

    Raises ValueRangeError if it is no math mode.
    """
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueRangeError(f"math_mode: {mode!r} is no mode; modes are {', '.join(MODES)}; name one of these")
    return mode


def math_mode(mode: str) -> AbstractContextManager[str]:
    """Return a context manager that sets the results of functions outside their domain, in this thread or task.

    "standard": NaN and infinities (0 for integers divided by zero).  "warn", "error": the value is checked when it is
    computed, and the first bad cell is named.  "complex": roots and logarithms of negative numbers are complex if a
    cell needs it; the operand is computed when the function is called.  Raises ValueRangeError for an unknown mode.

    >>> import weft
    >>> with weft.math_mode("complex"):
    ...     weft.sqrt(weft.asarray([1.0, -1.0])).tolist()
    [(1+0j), 1j]
    """
    return _MODE.block(_known(mode))


def set_math_mode(mode: str) -> None:
    """Set the math mode of all threads outside of `with weft.math_mode(...)` blocks; initially it is "standard".

    Raises ValueRangeError for an unknown mode.

    >>> import weft
    >>> weft.set_math_mode("standard")
    """
    _MODE.set(_known(mode))


def get_math_mode() -> str:
    """Return the name of the math mode in force in this thread or task.

    >>> import weft
    >>> with weft.math_mode("error"):
    ...     weft.get_math_mode()
    'error'
    """
    return _MODE.get()


def _built(n: Node) -> Node:
    """Return node n in the math mode in force: unchanged, with checks of its values, or complex."""
    mode = get_math_mode()
    if mode == "standard":
        return n
    if mode == "complex":
        return _complex_where_needed(n)
    value = checked(n, mode)
    if value is not n:
        link = value
        while link.op.name == "checked":  # each check names the user's line if it fails
            ir.locate(link)
            link = link.inputs[0]
        add_checks(value)
    return value


def _complex_where_needed(n: Node) -> Node:
    """Return node n, or its complex counterpart if a cell lies outside the real function's domain.

    The operands of a function with such a domain are computed to find out.
    """
    outside = leaves_reals(n)
    if outside is None or not values_of(any_true(outside)).any():
        return n
    return ir.elementwise(n.op, *[ir.astype(i, dt.weak(complex, i.desc.dtype)) for i in n.inputs])


def with_room(out: Any, made: Tensor, name: str, *operands: Any) -> Tensor:
    """Return the result `made`, or only its real part if the destination `out` is real.

    A complex result of real operands, which mode "complex" makes, loses its imaginary part with a warning.  All others
    are returned unchanged.
    """
    if made.dtype.kind != "complex" or any(_is_complex(x) for x in operands) or _is_complex(out):
        return made
    warnings.warn(
        f"{name}: complex values into real cells; mode 'complex' found values outside the domain, and their imaginary "
        "parts are lost; give a complex destination to keep them",
        ImaginaryPartWarning,
        stacklevel=3,
    )
    return wrap(ir.locate(ir.apply("real", node_of(made))))


def _is_complex(x: Any) -> bool:
    """True if a tensor, array or number is complex."""
    if type(x) is Tensor:
        return x.dtype.kind == "complex"
    return np.asarray(x).dtype.kind == "c"
