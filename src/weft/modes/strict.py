"""Strict mode: verdicts (allow, warn, forbid) on implicit acts, and a report of them.

The one idea: while a verdict or a report is in force, every new node is examined when its handle is made, as if every
operation were computed at once; otherwise nothing is examined, at no cost.  A forbidden act raises on the user's line,
before anything is written.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import local
from typing import Any, NamedTuple
from weakref import ref

from weft.errors import (
    DTypeError,
    ImplicitActWarning,
    StrictDTypeError,
    StrictError,
    StrictShapeError,
    ValueRangeError,
)
from weft.ir.graph.node import Node, user_frame
from weft.modes import implicit_conversions
from weft.modes.implicit_conversions import ACTS, Act
from weft.runtime.scoped_setting import Setting, SettingBlock
from weft.tensors import pending_limits
from weft.tensors.tensor import Tensor, node_of

VERDICTS = ("allow", "warn", "forbid")
_ERRORS = {"dtype": StrictDTypeError, "broadcast": StrictShapeError, "domain": StrictShapeError}
_WITHIN = {
    "weft.api.argument_errors",
    "weft.api.destination",
    "weft.api.habits",
    "weft.api.methods",
    "weft.interop.numpy.functions",
    "weft.interop.numpy.ufuncs",
    "weft.interop.numpy.values",
    "weft.modes.math_modes",
    "weft.tensors.elementwise",
    "weft.tensors.in_place",
    "weft.tensors.operators",
    "weft.tensors.tensor",
    "weft.tensors.pending_limits",
    "weft.modes.strict",
    "weft.tensors.writing",
}

Verdicts = dict[str, str]


class Report(list[Act]):
    """The implicit acts of a block, in order; as text, one line for each."""

    def __str__(self) -> str:
        return "\n".join(f"{a.line}: {a.act}: {a}" for a in self)


class _StrictState(local):
    def __init__(self) -> None:
        self.last: Any = None


_STATE = _StrictState()


class StrictScope(NamedTuple):
    """The verdict on each implicit act in a block, and the report that the block yields.

    The verdicts of the whole process have no report (None).
    """

    verdicts: Verdicts
    report: Report | None

    def watches(self) -> bool:
        """True if operations must be watched: there is a report, or an act that is not allowed."""
        return self.report is not None or any(v != "allow" for v in self.verdicts.values())


_STRICT = Setting(
    "strict",
    StrictScope(dict.fromkeys(ACTS, "allow"), None),
    StrictScope.watches,
    lambda on: pending_limits.set_watcher(StrictWatcher() if on else None),
)


def _given(name: str, default: str | None, chosen: Verdicts) -> Verdicts:
    """Return verdicts by act: those in `chosen`, and `default` for all others.

    Without a default the others are left out; with neither, every act is forbidden.
    Raises ValueRangeError for unknown acts or verdicts.
    """
    unknown = [a for a in chosen if a not in ACTS]
    if unknown:
        raise ValueRangeError(f"{name}: {unknown[0]!r} is no implicit act; acts are {', '.join(ACTS)}; name these")
    for verdict in (*chosen.values(), *([] if default is None else [default])):
        if verdict not in VERDICTS:
            raise ValueRangeError(f"{name}: {verdict!r}; an act is one of {', '.join(VERDICTS)}; choose one of these")
    if default is None and not chosen:
        default = "forbid"
    return chosen if default is None else dict.fromkeys(ACTS, default) | chosen


class Strict:
    """A context manager that yields a `Report` and puts verdicts in force in this thread or task."""

    def __init__(self, chosen: Verdicts) -> None:
        self.chosen = chosen
        self._entered: list[SettingBlock[StrictScope]] = []

    def __enter__(self) -> Report:
        report = Report()
        _STRICT.enter(self._entered, StrictScope(_STRICT.get().verdicts | self.chosen, report))
        return report

    def __exit__(self, *error: Any) -> None:
        _STRICT.leave(self._entered)

    def __repr__(self) -> str:
        return f"weft.strict({', '.join(f'{a}={v!r}' for a, v in self.chosen.items())})"


def strict(default: str | None = None, /, **acts: str) -> Strict:
    """Return a context manager that allows, warns of or forbids implicit acts, and yields a report of them.

    Acts: dtype (an operand or a written value is cast), device (it is moved), broadcast (a shape that differs is
    broadcast; numbers always may be), byteorder (bytes are swapped), domain (operands at different coordinates are
    paired), copy (a reshape cannot be a view), numpy (NumPy computes a function that weft lacks, at once).  Each is
    "allow", "warn" or "forbid"; `default` applies to all acts, and `strict()` forbids all.  Acts that are not named
    keep their verdict from outside the block.  Raises ValueRangeError for unknown acts or verdicts.

    >>> import weft
    >>> x = weft.asarray([1, 2], dtype=weft.int16)
    >>> with weft.strict("allow") as report:
    ...     y = x + 3.2
    >>> print(report[0].act, "|", report[0])
    dtype | add: int16 beside 3.2; 3.2 needs float64, so int16 of shape (2,) would be cast
    >>> with weft.strict(dtype="forbid"):
    ...     x + 3.2
    Traceback (most recent call last):
    weft.errors.StrictDTypeError: add: int16 beside 3.2; 3.2 needs float64, so int16 of shape (2,) would be cast; write
    astype(weft.float64), or allow dtype
    """
    return Strict(_given("strict", default, acts))


def set_strict(default: str | None = None, /, **acts: str) -> None:
    """Set the verdicts on implicit acts in all threads outside of `with weft.strict(...)` blocks.

    A verdict is "allow", which all are at first, "warn" or "forbid"; `weft.strict` names the acts.  Raises
    ValueRangeError for unknown acts or verdicts.

    >>> import weft
    >>> weft.set_strict(device="forbid")
    >>> weft.set_strict("allow")
    """
    _STRICT.set(StrictScope(_STRICT.value.verdicts | _given("set_strict", default, acts), None))


def get_strict() -> Verdicts:
    """Return the verdict in force in this thread or task on each implicit act, as a dict.

    >>> import weft
    >>> with weft.strict(dtype="forbid"):
    ...     weft.get_strict()["dtype"], weft.get_strict()["broadcast"]
    ('forbid', 'allow')
    """
    return dict(_STRICT.get().verdicts)


def implicit_acts(x: Tensor) -> Report:
    """Return the implicit acts in a tensor's pending expression, as a list that prints a line for each.

    A conversion that was a tensor of its own counts as explicit; acts below stored values are no longer known.  Raises
    DTypeError if x is no tensor.

    >>> import weft
    >>> x = weft.asarray([[1.0, 2.0]])
    >>> print(weft.implicit_acts(x + weft.asarray([1.0]))[0])
    add: shapes (1, 2) and (1,) differ, so float64 of shape (1,) would be broadcast
    """
    if not isinstance(x, Tensor):
        raise DTypeError(f"implicit_acts: {type(x).__name__} is no tensor; one is asked about; pass an expression")
    return Report(implicit_conversions.of_pending(node_of(x)))


class StrictWatcher:
    """The observer that applies the verdicts to operations; see `weft.tensors.pending_limits.Watcher`."""

    def built(self, n: Node) -> None:
        """Report, once, the implicit acts of the operation that built node n.

        Warns or raises StrictError according to the verdicts.
        """
        if _STRICT.get().watches() and (_STATE.last is None or _STATE.last() is not n):
            _STATE.last = ref(n)
            _judge(implicit_conversions.of_operation(n))

    def judge(self, found: Sequence[Act]) -> None:
        """Report implicit acts that no node shows.

        Warns or raises StrictError according to the verdicts.
        """
        if _STRICT.get().watches():
            _judge(found)


def _is_users() -> bool:
    """True if the user's program called the operation itself, not through another function of weft."""
    frame = sys._getframe(3)
    modules: list[str] = []
    by_operation = False  # True once a frame of operators or element-wise functions was seen
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("weft"):
        name, function = frame.f_globals["__name__"], frame.f_code.co_name
        by_operation |= name == "weft.tensors.elementwise" and function in ("binary", "unary")
        if name not in _WITHIN and name not in modules[-1:] and not name.startswith("weft.ocean"):
            modules.append(name)
        frame = frame.f_back  # type: ignore[assignment]
    return modules in ([], ["weft.api.standard.elementwise_functions"]) if by_operation else len(modules) <= 1


def _judge(found: Sequence[Act]) -> None:
    """Add acts of the user's current line to the open reports, then warn or raise StrictError by the verdicts.

    Broadcasts, pairings and copies inside weft's own functions are left out.
    """
    if found and not _is_users():
        found = [a for a in found if a.act not in ("broadcast", "domain", "copy")]
    if not found:
        return
    frame = user_frame(2)
    line = f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""
    judge_again([replace(a, line=line) for a in found])


def judge_again(found: Sequence[Act]) -> None:
    """Add acts, with the lines that they have, to the open reports; then warn or raise by the verdicts.

    A forbidden act raises StrictDTypeError (dtype), StrictShapeError (broadcast, domain) or StrictError.
    """
    in_force = _STRICT.get()
    if not in_force.watches():
        return
    for block in _STRICT.open():
        if block.report is not None:
            block.report.extend(found)
    for a in found:
        if in_force.verdicts[a.act] == "allow":
            continue
        says = f"{a}; {a.advice}, or allow {a.act}"
        if in_force.verdicts[a.act] == "forbid":
            raise _ERRORS.get(a.act, StrictError)(says)
        file, _, number = a.line.rpartition(":")
        frame = user_frame(2)
        module = sys.modules.get(str(frame.f_globals.get("__name__"))) if frame is not None else None
        registry = {} if module is None else module.__dict__.setdefault("__warningregistry__", {})
        warnings.warn_explicit(says, ImplicitActWarning, file or "weft", int(number or 0), registry=registry)


def watched() -> AbstractContextManager[Report]:
    """Return a context manager that yields a report of the acts in its block, judged by the verdicts in force."""
    return Strict({})
