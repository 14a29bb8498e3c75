"""One operation as a compiled kernel on given memory: the entries of function tables, and the raw kernels.

The one idea: an op over leaves of given descriptions is planned and lowered like any step of a program, so its bits are
those of a program; the finished entry is cached by description, and called with nothing but addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.backends.cpu import lower
from weft.backends.llvm.jit.entry import Entry, make_entry
from weft.backends.program_tables import ProgramTable
from weft.errors import ShapeError, WriteError
from weft.ir.graph import node as ir
from weft.ir.graph import spec
from weft.ir.graph.description import TensorDescription, describe
from weft.ir.graph.ops import OPS
from weft.ir.kernels.plan import CallStep
from weft.passes.planning.site import CellLocation, Site
from weft.passes.planning.split import dividing, launch

_UNKNOWN: Any = object()
_ENTRIES: ProgramTable[Entry | None] = ProgramTable()


def entry_of(
    op: str, attrs: tuple[Any, ...], given: tuple[TensorDescription, ...], made: TensorDescription
) -> Entry | None:
    """Return a function `f(array, offset, ..., out, offset)` that computes an op on arrays of these descriptions.

    `attrs` are the op's attributes, `given` describes the operands, `made` the result. Returns None if the result has
    no cells. Raises ShapeError if the result's description does not follow from the operands'.
    """
    key = (op, attrs, given, made)
    entry = _ENTRIES.get(key, _UNKNOWN)
    if entry is _UNKNOWN:
        entry = _ENTRIES.keep(key, _new_entry(*key))
    return entry


def _new_entry(
    op: str, attrs: tuple[Any, ...], given: tuple[TensorDescription, ...], made: TensorDescription
) -> Entry | None:
    n = _checked_node(op, attrs, given, made)
    if not prod(made.shape):
        return None
    places = {
        id(leaf): CellLocation(k, 0, d.strides or (), d.big)
        for k, (leaf, d) in enumerate(zip(n.inputs, given, strict=True))
    }
    site = Site(places, {}, dividing([n], places))
    step = launch(n, CellLocation(len(given), 0, made.strides or (), made.big), site)
    assert not isinstance(step, CallStep), "internal: a routine is not compiled"
    return make_entry(len(given) + 1, {}, (), lower(step), interruptible=False)


def _checked_node(
    op: str, attrs: tuple[Any, ...], given: Sequence[TensorDescription], made: TensorDescription
) -> ir.Node:
    """Return a node of an op over leaves `given`; raises ShapeError if the result `made` does not follow from them."""
    leaves = tuple([ir.make(OPS["leaf"], (), (), d) for d in given])
    n = ir.make(OPS[op], leaves, attrs, ir.result(made.dtype, made.shape))
    if wrong := spec.fault(n):
        operands = ", ".join(map(repr, given))
        raise ShapeError(f"{op}: operands {operands} into {made!r}; {wrong}; give arrays that the op is defined for")
    return n


def described(a: np.ndarray) -> TensorDescription:
    """Return the tensor description of an array: dtype, shape, strides and byte order.

    Raises DTypeError for a dtype that weft lacks.
    """
    dtype, order = dt.from_numpy(a.dtype)
    return describe(dtype, a.shape, a.strides, order == "big")


@lru_cache(maxsize=512)
def native(op: str) -> Callable[[np.ndarray, Sequence[np.ndarray], tuple[Any, ...]], None]:
    """Return a function kernel(out, args, attrs) that computes an op with compiled code, for arrays of any layout.

    The function raises WriteError if `out` is read-only, ShapeError if `out` does not fit the operands, and DTypeError
    for dtypes that weft lacks.
    """

    def kernel(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...] = ()) -> None:
        plain, given, made = _operands(op, out, args)
        run = entry_of(op, attrs, tuple(given), made)
        if run is not None:
            run(*[x for a in plain for x in (a, 0)])

    kernel.__name__ = kernel.__qualname__ = op
    return kernel


def checked(op: str, routine: Callable[..., object]) -> Callable[..., object]:
    """Return a library routine of an op as a function that raises the errors of those that `native` returns."""

    @wraps(routine)
    def called(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...] = ()) -> None:
        plain, given, made = _operands(op, out, args)
        _checked_node(op, attrs, given, made)
        routine(out, plain[:-1], attrs)

    return called


def _operands(
    op: str, out: np.ndarray, args: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], list[TensorDescription], TensorDescription]:
    """Return (operands and result as plain arrays, descriptions of the operands, that of the result).

    Raises WriteError if the result is read-only, DTypeError for dtypes that weft lacks.
    """
    if not out.flags.writeable:
        raise WriteError(f"{op}: a read-only array as the result; it is written; give one that can be")
    plain = [a if type(a) is np.ndarray else np.asarray(a) for a in (*args, out)]
    *given, made = map(described, plain)
    return plain, given, made
