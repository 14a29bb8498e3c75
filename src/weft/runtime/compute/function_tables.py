"""Function tables: for every type of device, which implementation computes an operation over whole arrays.

The one idea: an entry is a function `f(out, args, attrs)` on plain arrays, found by device type and name when a
program runs.  Scopes lie over the tables: inside a `with` block an entry is replaced, or wrapped by a function that
may call what lies below it.  While such a function runs, only the scopes below its own are in force, so whatever it
computes with weft itself ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from weft.errors import MissingImplementation, ValueRangeError
from weft.ir.atoms.table import AFFINE
from weft.ir.graph.ops import ARRAYWISE, OPS, Op
from weft.passes import switches
from weft.runtime.fork_safety import late_import
from weft.runtime.scoped_setting import SettingBlock

Implementation = Callable[[np.ndarray, Sequence[np.ndarray], tuple[Any, ...]], object]
TABLES: dict[str, dict[str, Implementation]] = {"cpu": {}, "thread": {}}  # device type → op → registered implementation
BUILT_IN = ("cpu", "thread")  # device types of which weft has the entries of all ops
CPU = "cpu"
DEVICE: ContextVar[str] = ContextVar("device", default=CPU)  # name of the device that computes in this context
VIEWS = {*AFFINE, "reshape", "real", "imag"}  # most are views of the same cells, so nothing is called
PLACED = {"transfer"}  # done by streams, not by a device


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """A function that replaces or wraps the entries of one op (None: all) on one device type (None: all).

    `below` is the next scope outwards; `names` are the ops covered by this scope or by any scope below it.
    """

    op: str | None
    device: str | None
    function: Callable[..., object]
    wraps: bool
    below: Scope | None
    names: frozenset[str]
    block: SettingBlock[None]  # the block that opened it; it may be left in another thread

    def covers(self, op: str, device: str) -> bool:
        """True if the scope applies to an op on a type of device."""
        return self.op in (None, op) and self.device in (None, device)


_SCOPE: ContextVar[Scope | None] = ContextVar("scope", default=None)  # the innermost scope open in this context
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Call:
    """The call of an op that a wrapper receives; calling it runs the function below, once or several times.

    `out` is the array to fill, `args` are the operands (read-only), `attrs` the attributes of the op's node.  The
    arrays are weft's memory: copy what is kept after the call.
    """

    op: str
    device: str
    out: np.ndarray
    args: Sequence[np.ndarray]
    attrs: tuple[Any, ...]
    _below: Scope | None = field(repr=False)

    def __call__(self) -> None:
        """Run the function below on the same arrays; raises MissingImplementation if there is none."""
        _descend(self._below, self.op, self.device, self.out, self.args, self.attrs)


def can_be_replaced(op: Op) -> bool:
    """True if an op is computed by an entry of a function table.

    Sources, transfers and views of the same cells are not.
    """
    return op.kind != "source" and op.name not in VIEWS and op.name not in PLACED


def device_type() -> str:
    """Return the type ("cpu", "thread") of the device that computes in this thread or task."""
    return DEVICE.get().partition(":")[0]


def invoke(op: str, device: str, out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Compute an op into `out` by the innermost scope that covers it, else by the device type's entry for it.

    `attrs` are the op's attributes. Raises MissingImplementation if there is neither, and the errors of the function
    called.
    """
    _descend(_SCOPE.get(), op, device, out, args, attrs)


def _descend(
    scope: Scope | None, op: str, device: str, out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]
) -> None:
    """Compute an op into `out` by the first scope, from `scope` outwards, that covers it, else by its entry.

    Raises MissingImplementation if there is neither.
    """
    later = DEVICE.get() != CPU  # a device runs work under the scopes that were open at its submission
    while scope is not None and not (scope.covers(op, device) and (scope.block.is_open or later)):
        scope = scope.below
    if scope is None:
        entry(op, device)(out, args, attrs)
        return
    below = scope.below
    names, token = _opened(below)
    try:
        if scope.wraps:
            scope.function(Call(op, device, out, args, attrs, below))
        else:
            scope.function(out, args, attrs)
    finally:
        _SCOPE.reset(token)
        switches.REPLACED.reset(names)


def _opened(scope: Scope | None) -> tuple[Token[frozenset[str]], Token[Scope | None]]:
    """Make a scope, and the scopes below it, current; return the tokens that reset the covered names and the scope."""
    return switches.REPLACED.set(_NOTHING if scope is None else scope.names), _SCOPE.set(scope)


def entry(op: str, device: str) -> Implementation:
    """Return the table's entry of an op on a device type, ignoring scopes.

    Raises MissingImplementation if there is none.
    """
    found = TABLES.get(device, {}).get(op) or built_in(op, device)
    if found is None:
        raise _missing(op, device)
    return found


@cache
def built_in(op: str, device: str) -> Implementation | None:
    """Return weft's own entry of an op on a device type, a library routine or a compiled kernel.

    Returns None if there is none.
    """
    row = OPS.get(op)
    if row is None or device not in BUILT_IN or not can_be_replaced(row):
        return None
    if row.kind in ARRAYWISE:
        return _named("weft.backends.calls.routines", "ROUTINES").get(op)  # type: ignore[no-any-return]
    return _named("weft.backends.native", "native")(op)  # type: ignore[no-any-return]


@cache
def checked_entry(op: str, device: str) -> Implementation | None:
    """Return weft's own entry of an op on a device type, which checks its arrays; None if there is none."""
    found = built_in(op, device)
    if found is None or OPS[op].kind not in ARRAYWISE:
        return found
    return _named("weft.backends.native", "checked")(op, found)  # type: ignore[no-any-return]


@cache
def _named(module: str, name: str) -> Any:
    """Import a module, and return its attribute of this name."""
    return getattr(late_import(module), name)


def _missing(op: str, device: str) -> MissingImplementation:
    """Return the MissingImplementation error for an op without an entry on a device type."""
    loaded = ", ".join(sorted(d for d, t in TABLES.items() if op in t)) or "none"
    return MissingImplementation(
        f"{op}: no implementation on device type {device!r}; implementations are loaded for: {loaded}; import the "
        f"package that has one, or register one with weft.modules.implement"
    )


def _names(op: str | None, inner: Scope | None) -> frozenset[str]:
    """Return the names of the ops that a scope covers: `op` (None: all replaceable ones) and those of `inner`."""
    own = [op] if op is not None else [row.name for row in OPS.values() if can_be_replaced(row)]
    return frozenset(own) | (_NOTHING if inner is None else inner.names)


@contextmanager
def over(op: str | None, device: str | None, function: Callable[..., object], wraps: bool) -> Iterator[None]:
    """Return a context manager that replaces or (with `wraps`) wraps the entries of an op by a function.

    It acts in this thread or task.  Raises ValueRangeError if the op has no entries, the device type has no table, or
    `function` is not callable.
    """
    what = "wrapped" if wraps else "replaced"
    row = OPS.get(op) if op is not None else None
    if op is not None and (row is None or not can_be_replaced(row)):
        why = (
            "no op has this name" if row is None else f"a {row.kind} gives cells that lie elsewhere, nothing is called"
        )
        raise ValueRangeError(f"{what}: {op!r}; {why}; name an op of the module's interface that computes")
    if device is not None and device not in TABLES:
        raise ValueRangeError(f"{what}: device type {device!r}; tables are loaded for {sorted(TABLES)}; name one")
    if not callable(function):
        raise ValueRangeError(f"{what}: {function!r} as the entry of {op}; it is called; give a function")
    below = _SCOPE.get() if switches.OPEN else None
    block = SettingBlock(None)
    switches.opened(block)
    _opened(Scope(op, device, function, wraps, below, _names(op, below), block))
    try:
        yield
    finally:
        block.is_open = False
        _opened(_without_scope(_SCOPE.get(), block))  # generators end in any order
        switches.OPEN.remove(block)


def _without_scope(scope: Scope | None, block: SettingBlock[None]) -> Scope | None:
    """Return the chain of scopes without the scope that `block` opened; the rest is unchanged."""
    if scope is None or scope.block is block:
        return scope and scope.below
    below = _without_scope(scope.below, block)
    return scope if below is scope.below else replace(scope, below=below, names=_names(scope.op, below))
