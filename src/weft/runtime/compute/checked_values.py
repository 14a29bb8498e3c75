"""Checked values: their checks run before any value that depends on them is computed or written.

The one idea: a check is a separate bool node, computed over the whole domain whatever part of the value is needed; so
the expression alone decides whether an error is raised, not passes, selections or transformers.  Nodes whose checks
have not run are kept in `CHECKED`; while it is empty, the stage does nothing.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import count
from threading import local
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.errors import (
    ConversionError,
    DivisionByZero,
    DomainError,
    IndexOutOfBounds,
    MathError,
    MathWarning,
    WeftError,
)
from weft.ir.atoms import selections
from weft.ir.graph.node import Node, line_of, make, result, walk
from weft.ir.graph.ops import BARRIERS, OPS, Undefined
from weft.ir.graph.undefined import POSITION, check_of, condition, without_checks
from weft.passes.fuse import DEAR, HUGE, cost_of, is_stored
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import Work
from weft.runtime.compute.stages import Verdict
from weft.runtime.devices import placement
from weft.runtime.references import LooseTable

_REGISTRIES: dict[str, dict[Any, Any]] = {}  # the warning registries of Python's filters, by file
CHECKED: LooseTable[Node, int] = LooseTable()  # serial numbers of nodes whose checks have not passed
_NUMBERS = count()  # serial numbers in the order of building


class _CheckState(local):
    busy: bool = False  # whether this thread runs checks


_STATE = _CheckState()


def add_checks(n: Node) -> Node:
    """Add a "checked" node, and the "checked" nodes directly below it, to the pending checks; return the node."""
    links = [n] if n.op.name == "checked" else []
    while links and links[-1].inputs[0].op.name == "checked":
        links.append(links[-1].inputs[0])
    if not CHECKED:
        stages.use("checks", _checked)
    for link in reversed(links):
        CHECKED[link] = next(_NUMBERS)
    return n


def _checked(work: Work) -> Verdict | None:
    """Run the stage "checks" on some work: run the pending checks below its nodes.

    Returns None, so the next stage follows. Raises the MathError of the first check that fails in mode "error".
    """
    verify(work.nodes)
    return None


def verify(nodes: Sequence[Node]) -> None:
    """Run the pending checks below `nodes`, oldest first.

    For a failing check of mode "error" its MathError (IndexOutOfBounds for a position) is raised; other modes warn.
    """
    if _STATE.busy or not CHECKED:
        return
    with engine.GRAPH:  # a node computed by another thread drops its inputs
        found = sorted(_pending(nodes))
    if not found:
        return
    _STATE.busy = True
    try:
        while found:
            together = _independent(found) if len(found) > 1 else found
            stages.compute([*[p.bad for p in together], *dear_operands([p.value for p in together])])
            for p in together:
                _judge(p)
            found = found[len(together) :]
    finally:
        _STATE.busy = False


class Pending(NamedTuple):
    """A check to run: its serial number, its node, the value it guards, and the bool node of bad cells.

    `mode` is "error" or another word for a warning; `check` is the index of the op's check.
    """

    number: int
    node: Node
    value: Node
    bad: Node
    mode: str
    check: int


def _pending(nodes: Sequence[Node]) -> Iterator[Pending]:
    """Yield the checks below some nodes that have not run yet."""
    for n in walk(nodes):
        if n.op.name == "checked" and (number := CHECKED.get(n)) is not None:
            yield Pending(number, n, without_checks(n), n.inputs[1], *n.attrs)


def _independent(checks: Sequence[Pending]) -> list[Pending]:
    """Return the longest prefix of `checks` in which no check reads a value guarded by an earlier check.

    The checks of the prefix can be computed together.
    """
    chosen: dict[int, Pending] = {}
    for p in checks:
        if any(id(i) in chosen for i in walk([p.value, p.bad])):
            break
        chosen[id(p.node)] = p
    return list(chosen.values())


def dear_operands(guarded: Sequence[Node]) -> list[Node]:
    """Return the pending operands of guarded values that cost more to compute twice than to store."""
    operands = {id(i): i for n in guarded for i in n.inputs}
    return [i for i in operands.values() if not is_stored(i) and i.desc.nbytes < HUGE and _is_costly(i)]


def _is_costly(n: Node) -> bool:
    """True if computing a node costs more than storing it; always False for a node that reads a file."""
    cost = 0
    for i in walk([n]):
        if i.op.name == "file":
            return False
        if i.value is None:
            cost += DEAR if i.op.kind in BARRIERS else cost_of(i)
    return cost >= DEAR


def _judge(pending: Pending) -> None:
    """Raise or warn, by the check's mode, if any cell is bad; otherwise remove the node from `CHECKED`.

    The error is a MathError, or IndexOutOfBounds for a position.
    """
    if _cells(pending.bad).any():
        error, says = _blame(pending)
        if pending.mode == "error":
            raise error(says)
        _warn(pending.node, says)
    CHECKED.pop(pending.node)


def _cells(n: Node) -> np.ndarray:
    """Return a node's cells as a host array, computing a pending node first."""
    if n.traits is not None and n.traits.device is not None:
        return placement.host_value(n)
    if n.value is None:
        stages.compute([n])
    return n.value  # type: ignore[no-any-return]


def _warn(n: Node, message: str) -> None:
    """Issue a Python warning with this message, at the user's line that built node n."""
    file, _, line = line_of(n).rpartition(":")
    file = file or sys.executable
    warnings.warn_explicit(message, MathWarning, file, int(line or 0), registry=_REGISTRIES.setdefault(file, {}))


def _blame(failed: Pending) -> tuple[type[WeftError], str]:
    """Return the error class and message of a failed check, which name the first bad cell in row-major order.

    The class is IndexOutOfBounds for a position, else a MathError.
    """
    n, value = failed.node, failed.value
    name, check = value.op.name, check_of(value, failed.check)
    bad = condition(check, value)
    assert bad is not None
    axes = tuple(range(bad.desc.ndim))
    first = int(_number(make(OPS["argmax"], (bad,), (axes, False), result(dt.int64, ()))))
    at = np.unravel_index(first, bad.desc.shape) if bad.desc.shape else ()
    cell = (0,) * (n.desc.ndim - len(at)) + tuple([int(i) for i in at])
    where = tuple([i + o for i, o in zip(cell, n.desc.domain.origin, strict=True)])
    line = line_of(n)
    built = f", built at {line}" if line else ""
    if check is POSITION:
        position, size = [_cell(i, cell) for i in value.inputs]
        valid = f"positions run from {-size} to {size - 1}; give one inside"
        return IndexOutOfBounds, f"index: position {position} along an axis of size {size}{built}; {valid}"
    error, fact, advice = _story(name, check, value, cell)
    return error, f"{name}: {fact} at {where}{built}; {advice}"


def _story(name: str, check: Undefined, value: Node, cell: tuple[int, ...]) -> tuple[type[MathError], str, str]:
    """Return (error class, fact with its numbers, advice) for a check that fails at index `cell` of a value.

    `name` is the op's.
    """
    numbers = [_cell(i, cell) for i in value.inputs]
    if name == "astype":
        dtype = value.attrs[0]
        advice = f"{dtype.name} holds {dtype.min} to {dtype.max}; convert to a wider dtype, or clip first"
        return ConversionError, f"{numbers[0]!r} as {dtype.name}", advice
    beside = f"{numbers[0]!r}" if len(numbers) == 1 else f"{numbers[0]!r} and {numbers[1]!r}"
    if check.zero:
        return DivisionByZero, beside, f"{check.says} is needed; replace zeros first, or use mode 'standard'"
    return DomainError, beside, f"the domain is {check.says}; clip the operand first, or use mode 'complex'"


def _cell(x: Node, cell: tuple[int, ...]) -> Any:
    """Return operand `x`'s value at index `cell` of the result, before any conversion of dtype."""
    while x.op.name == "astype" and x.place is None and not is_stored(x):
        x = x.inputs[0]
    last = cell[len(cell) - x.desc.ndim :]
    at = [(d, 0 if size == 1 else i) for d, (i, size) in enumerate(zip(last, x.desc.shape, strict=True))]
    return _number(selections.index(x, at) if at else x)


def _number(x: Node) -> Any:
    """Compute a node of rank 0, and return it as a Python number."""
    number = _cells(make(OPS["positive"], (x,), (), result(x.desc.dtype, ())))[()]
    return dt.widened(np.asarray(number)).item()
