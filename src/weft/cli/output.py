"""Where results go: text on the terminal, or a file written block by block.

The one idea: a result larger than a block is computed a block of rows at a time, so writing takes memory for one
block; what all blocks share (reductions, routines) is computed once before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from weft.errors import DTypeError, ValueRangeError
from weft.interop.imports import asarray
from weft.ir.node import walk
from weft.runtime import engine
from weft.sources.write import write_npy
from weft.tensor import Tensor, node_of

BLOCK = 64 << 20  # bytes of a result computed at a time
SHARED = ("reduce", "scan", "call")


def text_of(value: Any) -> str:
    """What is printed: a number for a 0-d tensor, else the values with dtype and shape; a line for each of several."""
    if isinstance(value, (tuple, list)):
        return "\n".join(map(text_of, value))
    if isinstance(value, Tensor) and value.ndim == 0:
        return str(value.item())
    return str(value)


def write(path: str, value: Any, told: Callable[[int, int], None] = lambda done, total: None) -> Tensor:
    """Write a result as .npy; `told` hears how many bytes of how many are done."""
    if not path.endswith(".npy"):
        raise ValueRangeError(f"eval: cannot write {path}; results are written as .npy; name a file that ends in .npy")
    tensor = as_tensor(value)
    write_npy(path, blocks(tensor, told), tensor.dtype.np, tensor.shape)
    return tensor


def as_tensor(value: Any) -> Tensor:
    """A result as one tensor."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float, complex)):
        return asarray(value)
    raise DTypeError(
        f"eval: the result is a {type(value).__name__}; one tensor fits a file; use stack([...]) or concat"
    )


def blocks(tensor: Tensor, told: Callable[[int, int], None]) -> Iterator[np.ndarray]:
    """The values in consecutive blocks of rows."""
    if tensor.nbytes <= BLOCK or tensor.ndim == 0:
        yield tensor.numpy()
        told(tensor.nbytes, tensor.nbytes)
        return
    engine.compute([n for n in walk([node_of(tensor)]) if n.op.kind in SHARED])
    rows = max(1, BLOCK * tensor.shape[0] // tensor.nbytes)
    for first in range(0, tensor.shape[0], rows):
        yield tensor[first : first + rows].numpy()
        told(min((first + rows) * tensor.nbytes // tensor.shape[0], tensor.nbytes), tensor.nbytes)
