"""Gradients of block functions, from a user's function of tensors.

The one idea: passes handle nodes; the user's function takes and returns tensors, and may use map_blocks itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from weft.api.arguments import as_tensor
from weft.api.standard.creation_functions import zeros
from weft.dtypes import DType
from weft.errors import DTypeError, GradientError
from weft.ir.graph.node import Node
from weft.ir.pieces.box import box_of
from weft.tensors.tensor import Tensor, node_of, tensor_of, wrap


@dataclass(frozen=True, slots=True)
class TensorGradient:
    """A user's `vjp` as a gradient rule over nodes; `dtypes` are those of several outputs, None for one."""

    vjp: Callable[..., Any]
    dtypes: tuple[DType, ...] | None

    def __post_init__(self) -> None:
        if not callable(self.vjp):
            raise DTypeError(
                f"map_blocks: vjp {self.vjp!r:.60} is no function; it gives the gradients of the inputs; pass one"
            )

    def __call__(self, n: Node, g: Node) -> list[Node | None]:
        """Return the gradient of each input of node n, given the gradient g of its value.

        Raises GradientError if the user's function returns another number or form of gradients.
        """
        xs = n.inputs[:-1]
        found = self.vjp(self._seed(n, wrap(g)), *map(tensor_of, xs))
        parts = list(found) if isinstance(found, (tuple, list)) else [found]
        if len(parts) != len(xs):
            raise GradientError(
                f"map_blocks: vjp gives {len(parts)} gradients for {len(xs)} inputs; each has one, or None; return a "
                "tuple of them"
            )
        return [self._fitting(part, x, k) for k, (part, x) in enumerate(zip(parts, xs, strict=True))]

    def _seed(self, n: Node, g: Tensor) -> Tensor | tuple[Tensor, ...]:
        """Return the gradients of all outputs: g for the node's own output, and zeros for the others."""
        if self.dtypes is None:
            return g
        operator, number = n.attrs
        shapes: Sequence[Any] = [p.of(box_of(operator.index)).size for p in operator.outputs]
        rows = zip(shapes, self.dtypes, strict=True)
        return tuple([g if k == number else zeros(shape, dtype=dtype) for k, (shape, dtype) in enumerate(rows)])

    @staticmethod
    def _fitting(part: Any, x: Node, number: int) -> Node | None:
        if part is None:
            return None
        made = node_of(as_tensor(part))
        if made.desc.shape != x.desc.shape:
            raise GradientError(
                f"map_blocks: vjp gives shape {made.desc.shape} as gradient of input {number}, which has "
                f"{x.desc.shape}; they agree cell by cell; return that shape"
            )
        return made
