"""Checked values: their checks run before anything below which they stand is computed or written.

The one idea: a check is a bool of its own, worked out over the whole domain whatever part of the value is asked for; so
whether an error comes depends on the expression alone, not on passes, selections or transformers.  The nodes that
still have something to say are noted in `engine.CHECKED`; while there are none, nothing is looked at.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from itertools import count
from threading import local
from typing import Any
from weakref import ref

import numpy as np

from weft import dtypes as dt
from weft.errors import ConversionError, DivisionByZero, DomainError, MathError, MathWarning
from weft.ir import selection
from weft.ir.checks import CHECKS, Check, condition, plain
from weft.ir.node import Node, line_of, make, result, walk
from weft.ir.ops import OPS
from weft.passes.fuse import DEAR, HUGE, cost_of, is_stored
from weft.runtime import engine

_REGISTRIES: dict[str, dict[Any, Any]] = {}  # what Python's filters have let through, by file


_NUMBERS = count()  # of checked nodes, in the order in which they were built


class _State(local):
    busy: bool = False  # whether this thread works out checks


_STATE = _State()


def note(n: Node) -> Node:
    """Have the checks between a node and its plain value run before it is computed; gives the node."""
    links = [n] if n.op.name == "checked" else []
    while links and links[-1].inputs[0].op.name == "checked":
        links.append(links[-1].inputs[0])
    for link in reversed(links):
        number = next(_NUMBERS)
        engine.CHECKED[id(link)] = number, ref(link, partial(_gone, id(link), number))
    return n


def _gone(key: int, number: int, r: object) -> None:
    if engine.CHECKED.get(key, (-1,))[0] == number:
        del engine.CHECKED[key]


def verify(nodes: Sequence[Node]) -> None:
    """Run the checks below some nodes, in the order in which they were built; the first that fails raises."""
    if _STATE.busy:
        return
    known = engine.CHECKED
    numbered = {known[id(n)][0]: n for n in walk(nodes) if n.op.name == "checked" and id(n) in known}
    found = [numbered[number] for number in sorted(numbered)]
    if not found:
        return
    _STATE.busy = True
    try:
        while found:
            together = _independent(found)
            engine.compute([*[n.inputs[1] for n in together], *_dear_operands(together)])
            for n in together:
                _judge(n)
            found = found[len(together) :]
    finally:
        _STATE.busy = False


engine.CHECK = verify


def _independent(found: Sequence[Node]) -> list[Node]:
    """The first of some nodes, as far as their checks read none of them: what is not found right is not computed."""
    chosen: list[Node] = []
    for n in found:
        if any(i is c for i in walk(n.inputs) for c in chosen):
            break
        chosen.append(n)
    return chosen


def _dear_operands(found: Sequence[Node]) -> list[Node]:
    """What both a check and the value read, where computing it twice is worse than keeping it."""
    operands = {id(i): i for n in found for i in plain(n).inputs}
    return [i for i in operands.values() if not is_stored(i) and i.desc.nbytes < HUGE and _is_dear(i)]


def _is_dear(n: Node) -> bool:
    """Whether working a value out costs more than a trip through memory (what reads files may be too large for it)."""
    cost = 0
    for i in walk([n]):
        if i.op.name == "file":
            return False
        if i.value is None:
            cost += DEAR if i.op.kind in ("reduce", "scan", "call") else cost_of(i)
    return cost >= DEAR


def _judge(n: Node) -> None:
    """Raise or warn where the check of a node found something; in a warning, once."""
    if _cells(n.inputs[1]).any():
        error, says = blame(n)
        if n.attrs[0] == "error":
            raise error(says)
        warn(n, says, MathWarning)
    engine.CHECKED.pop(id(n), None)


def _cells(n: Node) -> np.ndarray:
    """The cells of a node that is no view, when they are there."""
    if n.traits is not None and n.traits.device is not None:
        cells: np.ndarray = engine.PLACEMENT.host_value(n)
        return cells
    engine.compute([n])
    return n.value  # type: ignore[no-any-return]


def warn(n: Node, says: str, category: type[Warning]) -> None:
    """A Python warning at the user's line of a node."""
    file, _, line = line_of(n).rpartition(":")
    file = file or sys.executable
    warnings.warn_explicit(says, category, file, int(line or 0), registry=_REGISTRIES.setdefault(file, {}))


def blame(n: Node) -> tuple[type[MathError], str]:
    """The error of a checked node whose check failed, and what it says: the first bad cell in row-major order."""
    value = plain(n)
    name, check = value.op.name, CHECKS[value.op.name][n.attrs[1]]
    bad = condition(check, value)
    assert bad is not None
    axes = tuple(range(bad.desc.ndim))
    first = int(_number(make(OPS["argmax"], (bad,), (axes, False), result(dt.int64, ()))))
    at = np.unravel_index(first, bad.desc.shape) if bad.desc.shape else ()
    cell = (0,) * (n.desc.ndim - len(at)) + tuple([int(i) for i in at])
    where = tuple([i + o for i, o in zip(cell, n.desc.domain.origin, strict=True)])
    error, fact, advice = _story(name, check, value, cell)
    line = line_of(n)
    return error, f"{name}: {fact} at {where}{f', built at {line}' if line else ''}; {advice}"


def _story(name: str, check: Check, value: Node, cell: tuple[int, ...]) -> tuple[type[MathError], str, str]:
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
    """An operand's number at a coordinate of the result, as the user gave it."""
    while x.op.name == "astype" and x.place is None and not is_stored(x):
        x = x.inputs[0]
    last = cell[len(cell) - x.desc.ndim :]
    at = [(d, 0 if size == 1 else i) for d, (i, size) in enumerate(zip(last, x.desc.shape, strict=True))]
    return _number(selection.index(x, at) if at else x)


def _number(x: Node) -> Any:
    """The number of a node of rank 0."""
    number = _cells(make(OPS["positive"], (x,), (), result(x.desc.dtype, ())))[()]
    return dt.widened(np.asarray(number)).item()
