"""Python's operators on tensors.

The one idea: each operator is the element-wise operation of its row in a table here; other objects get NotImplemented.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.errors import DTypeError
from weft.ir.graph.ops import OPS, Op
from weft.ir.graph.weak_scalars import SCALARS
from weft.tensors.elementwise import binary, unary
from weft.tensors.foreign_rows import is_foreign
from weft.tensors.tensor import Tensor

OPERATORS: dict[str, str] = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
_COMPARISONS = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}  # fmt: skip
_UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}
OPERANDS: set[type] = {*SCALARS, np.ndarray, list, tuple, Tensor}
_TIMES = OPS["multiply"]


def is_operand(x: object) -> bool:
    """True if an operator accepts `x` as the operand beside a tensor."""
    return isinstance(x, (Tensor, np.generic)) or is_foreign(x)


def _operator(op: Op, swapped: bool) -> Callable[[Tensor, Any], Any]:
    """Return the method of Python's operator for `op`: `self op other`, with `swapped` `other op self`."""

    def forward(self: Tensor, other: Any) -> Any:
        if type(other) in OPERANDS or is_operand(other):
            return binary(op, self, other)
        return _no_operand(op, self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        if type(other) in OPERANDS or is_operand(other):
            return binary(op, other, self)
        return _no_operand(op, self, other)

    return reflected if swapped else forward


def _no_operand(op: Op, x: Tensor, other: Any) -> Any:
    """Return NotImplemented, for an object `other` that is no operand beside x.

    Raises DTypeError for a text times a tensor of rank 1 or more, which Python would repeat.
    """
    if op is _TIMES and isinstance(other, (str, bytes)) and x.ndim:
        raise DTypeError(
            f"multiply: {other!r:.60} beside a tensor of shape {x.shape}; texts are no cells; convert it with int() "
            "or float()"
        )
    return NotImplemented


def _unary_operator(op: Op) -> Callable[[Tensor], Tensor]:
    """Return the method of an operator on one operand."""

    def operator(self: Tensor) -> Tensor:
        return unary(op, self)

    return operator


def _install_operators() -> None:
    """Give Tensor the methods of all operators in the tables."""
    methods: dict[str, Any] = {
        f"__{short}__": _operator(OPS[name], False) for short, name in (OPERATORS | _COMPARISONS).items()
    }
    methods |= {f"__r{short}__": _operator(OPS[name], True) for short, name in OPERATORS.items()}
    methods |= {f"__{short}__": _unary_operator(OPS[name]) for short, name in _UNARY.items()}
    for name, method in methods.items():
        method.__name__, method.__qualname__ = name, f"Tensor.{name}"
        setattr(Tensor, name, method)


_install_operators()
