"""Module: a group of operations with an interface, and a table of implementations per type of device.

The one idea: an interface declares operations and their operands; a table, loaded independently, before or after, has
the implementations for one type of device.  Entries are added to tables here and nowhere else, and scopes lie over them
(`weft.runtime.compute.function_tables`).  Modules of other packages are found by their entry points in the group
"weft.modules", and imported only when they are accessed by name; a broken package causes a warning that names it.
"""

from __future__ import annotations

import atexit
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph.ops import ACCEPTS, OPS
from weft.modules.declared import Rule, declare
from weft.runtime.compute import function_tables
from weft.runtime.compute.function_tables import TABLES, Implementation
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock

_LOCK = held_over_forks(ReentrantLock())  # held while a context is made
REGISTRY: dict[str, Module] = {}
WAITING: dict[str, list[Loaded]] = {}  # implementations loaded before the interface of their module


@dataclass(frozen=True, slots=True)
class Declaration:
    """A row of an interface: the operation, its kind, the number of its operands (-1: any), and its dtypes.

    `takes` are kinds of operands' dtypes; `result` is the rule of the result's dtype.
    """

    name: str
    kind: str
    operands: int
    takes: tuple[str, ...]
    result: str


@dataclass(slots=True, eq=False)
class Loaded:
    """The implementation of a module for one type of device: entries, version, and contexts by device."""

    device: str
    entries: dict[str, Implementation]
    version: object
    make_context: Callable[[str], Any] | None
    finalise: Callable[[Any], None] | None
    contexts: dict[str, Any] = field(default_factory=dict)


class Module:
    """A named group of operations with an interface and, per type of device, a function table.

    `version` is the interface's; an implementation for another version is refused. Raises ValueRangeError if `name` is
    no identifier or the name of another module.

    >>> import weft
    >>> weft.modules.core.interface["add"]
    Declaration(name='add', kind='elementwise', operands=2, takes=('int', 'uint', 'float', 'complex'), result='same')
    >>> with weft.modules.core.replaced("add", lambda out, args, attrs: out.fill(7), device="cpu"):
    ...     (weft.asarray([1, 2]) + 1).tolist()
    [7, 7]
    """

    def __init__(self, name: str, *, version: object = 1) -> None:
        known = isinstance(name, str) and name in REGISTRY
        if known or not (isinstance(name, str) and name.isidentifier()):
            why = "another module has this name" if known else "it becomes an attribute of weft.modules"
            raise ValueRangeError(f"Module: name {name!r}; {why}; choose an identifier that is free")
        self.name, self.version = name, version
        self._ops: dict[str, str] = {}  # the interface's names → names in the op table
        self._loaded: list[Loaded] = []
        self._order: list[tuple[Loaded, str]] = []  # contexts in the order in which they were made
        REGISTRY[name] = self
        for waiting in WAITING.pop(name, []):
            try:
                self._load(waiting)
            except ValueRangeError as error:
                warnings.warn(f"weft.modules: left out: {error}", RuntimeWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f"<weft module {self.name!r}: {len(self.ops)} ops on {', '.join(self.devices) or 'no device'}>"

    # ---- the interface
    @property
    def ops(self) -> tuple[str, ...]:
        """Return the names of the operations that the interface declares."""
        return tuple(self._ops)

    @property
    def interface(self) -> Mapping[str, Declaration]:
        """Return a mapping from each operation to its declaration."""
        rows = {name: OPS[known] for name, known in self._ops.items()}
        return {n: Declaration(n, r.kind, r.arity, ACCEPTS[r.accepts], r.rule) for n, r in rows.items()}

    def declare(
        self, op: str, rule: Rule = "elementwise", *, options: Mapping[str, Any] | None = None, doc: str = ""
    ) -> Callable[..., Any]:
        """Add an operation to the interface; return its function on tensors, lazy like every other.

        `rule`: "elementwise" (shapes broadcast, operands are converted to their common dtype, which the result has), or
        a function of the operands' descriptions (`.dtype`, `.shape`) and the options that returns (dtype, shape).
        `options`: names and defaults of the function's keywords; implementations get the values as `attrs`.  Raises
        ValueRangeError for names that are taken or no identifiers, and for another rule.

        >>> import weft
        >>> hypot3 = weft.modules.Module("spatial").declare("hypot3")
        >>> def on_host(out, args, attrs):
        ...     out[...] = sum(a * a for a in args) ** 0.5
        >>> weft.modules.implement("spatial", "cpu", {"hypot3": on_host})
        >>> hypot3(weft.asarray([2.0, 1.0]), 3, 6).tolist()
        [7.0, 6.782329983125268]
        """
        if not (isinstance(op, str) and op.isidentifier()) or op in self._ops:
            raise ValueRangeError(f"declare: {op!r} in module {self.name}; names are new identifiers; choose another")
        row, function = declare(f"{self.name}.{op}", rule, dict(options or {}), doc)
        self._ops[op] = row.name
        for loaded in self._loaded:
            if op in loaded.entries:
                TABLES[loaded.device][row.name] = loaded.entries[op]
        return function

    # ---- the tables
    @property
    def devices(self) -> tuple[str, ...]:
        """Return the types of device that have entries for this module's operations."""
        return tuple([d for d in TABLES if self.table(d) or any(x.device == d for x in self._loaded)])

    def table(self, device: str = "cpu") -> dict[str, Implementation]:
        """Return a dict from each operation to its entry `f(out, args, attrs)` for a type of device.

        Replacements and wrappers in open scopes are left out, as are operations without an entry.
        """
        loaded = TABLES.get(device, {})
        found = {n: loaded.get(k) or function_tables.checked_entry(k, device) for n, k in self._ops.items()}
        return {name: f for name, f in found.items() if f is not None}

    def missing(self, device: str = "cpu") -> tuple[str, ...]:
        """Return the declared operations without an entry for a type of device."""
        have = self.table(device)
        return tuple([op for op in self._ops if op not in have])

    def undeclared(self, device: str = "cpu") -> tuple[str, ...]:
        """Return the operations with an entry for a type of device but no declaration, which are never called."""
        return tuple([op for x in self._loaded if x.device == device for op in x.entries if op not in self._ops])

    def _load(self, loaded: Loaded) -> None:
        """Add an implementation to the tables of the interface's operations.

        Raises ValueRangeError if it is for another version of the interface, or an operation has an entry on its device
        type.
        """
        where = f"implementation of module {self.name!r} for device type {loaded.device!r}"
        if loaded.version != self.version:
            raise ValueRangeError(
                f"{where}: written for version {loaded.version!r} of the interface, which is {self.version!r}; "
                "its entries may take other arguments; install a matching release of both"
            )
        taken = [op for x in self._loaded if x.device == loaded.device for op in x.entries if op in loaded.entries]
        if taken:
            raise ValueRangeError(
                f"{where}: {', '.join(taken)} have an entry already; replaced() lies over it in a scope"
            )
        self._loaded.append(loaded)
        table = TABLES.setdefault(loaded.device, {})
        table.update({self._ops[op]: f for op, f in loaded.entries.items() if op in self._ops})

    # ---- contexts
    def context(self, device: Any = None) -> Any:
        """Return the implementation's state for a device ("thread:1"; None: the device that computes now).

        It is made at the first call.  Raises ValueRangeError if no implementation for that type of device has one.
        """
        name = function_tables.DEVICE.get() if device is None else str(device)
        for loaded in self._loaded:
            if loaded.device == name.partition(":")[0] and loaded.make_context is not None:
                with _LOCK:
                    if name not in loaded.contexts:
                        loaded.contexts[name] = loaded.make_context(name)
                        self._order.append((loaded, name))
                    return loaded.contexts[name]
        raise ValueRangeError(
            f"context: module {self.name!r} has none on {name!r}; no implementation of that type of device makes one; "
            "pass context= to weft.modules.implement"
        )

    def unload(self) -> None:
        """Finalise all contexts, the last made first, and remove the module's entries; declared functions stay."""
        with ExitStack() as ends:  # all are ended, even if one raises
            for loaded, name in self._order:
                context = loaded.contexts.pop(name)
                if loaded.finalise is not None:
                    ends.callback(loaded.finalise, context)
            self._order.clear()
            for loaded in self._loaded:
                for op in loaded.entries:
                    TABLES[loaded.device].pop(self._ops.get(op, ""), None)
            self._loaded.clear()

    # ---- scopes
    def replaced(self, op: str, function: Implementation, *, device: str | None = None) -> AbstractContextManager[None]:
        """Return a context manager in which `function(out, args, attrs)` on plain arrays computes an operation.

        The operation is then called on whole arrays instead of being fused. The scope applies to the computations of
        this thread (or task) while it is open, on one type of device or on all; of nested scopes, the innermost
        applies. Raises ValueRangeError for an operation that the module does not declare, a device type without tables,
        or a function that is not callable.
        """
        return function_tables.over(self._known(op, "replaced"), device, function, False)

    def wrapped(
        self, op: str, function: Callable[[function_tables.Call], object], *, device: str | None = None
    ) -> AbstractContextManager[None]:
        """Return a context manager that passes each call of an operation to `function`, as an object `call`.

        `call()` runs the wrapped implementation; `call.op`, `call.device`, `call.out`, `call.args` and `call.attrs`
        describe the call. Raises ValueRangeError for an operation that the module does not declare, a device type
        without tables, or a function that is not callable.

        >>> import weft
        >>> seen = []
        >>> def count(call):
        ...     seen.append((call.op, call.out.shape))
        ...     call()
        >>> with weft.modules.core.wrapped("add", count):
        ...     (weft.ones(3) + 1).tolist(), seen
        ([2.0, 2.0, 2.0], [('add', (3,))])
        """
        return function_tables.over(self._known(op, "wrapped"), device, function, True)

    def _known(self, op: str, what: str) -> str:
        """Return the op table's name of operation `op` of this module.

        Raises ValueRangeError if the module does not declare it; `what` names the caller in the message.
        """
        found = self._ops.get(op)
        if found is None:
            known = ", ".join(self._ops)
            raise ValueRangeError(f"{what}: {op!r} is no op of module {self.name!r}; it declares {known}; name one")
        return found


def implement(
    module: str,
    device: str,
    entries: Mapping[str, Implementation],
    *,
    version: object = 1,
    context: Callable[[str], Any] | None = None,
    finalise: Callable[[Any], None] | None = None,
) -> None:
    """Load a table for a type of device: a dict from a module's operations to `f(out, args, attrs)` on plain arrays.

    It may be loaded before the module itself. `context(device name)` makes the state of the functions for one device
    (see `Module.context`), `finalise(context)` ends it, in reverse order. Raises ValueRangeError for undeclared or
    taken operations, another version of the interface, and entries that cannot be called so; DTypeError if the names
    are no strings or `entries` is no mapping.

    >>> import weft
    >>> weft.modules.implement("later", "cpu", {"zero": lambda out, args, attrs: out.fill(0)})
    >>> weft.modules.Module("later").declare("zero")(weft.ones(2)).tolist()
    [0.0, 0.0]
    """
    if not isinstance(module, str) or not isinstance(device, str) or not isinstance(entries, Mapping):
        raise DTypeError(
            f"implement: module {module!r:.40}, device {device!r:.40}, entries {entries!r:.40}; two names and a "
            "mapping of operations to functions are needed; pass these"
        )
    for op, f in entries.items():
        _check_entry(module, device, op, f)
    loaded = Loaded(device, dict(entries), version, context, finalise)
    known = REGISTRY.get(module)
    if known is None:
        WAITING.setdefault(module, []).append(loaded)
        return
    if undeclared := [op for op in entries if op not in known._ops]:
        raise ValueRangeError(
            f"implement: entries {', '.join(undeclared)} for module {module!r}; its interface declares "
            f"{', '.join(known.ops)}; leave them out, or declare them first"
        )
    known._load(loaded)


def _check_entry(module: str, device: str, op: str, f: Any) -> None:
    """Raise ValueRangeError unless `f` can be called as f(out, args, attrs)."""
    try:
        inspect.signature(f).bind(None, (), ())
    except ValueError:  # a built-in function without a signature
        pass
    except TypeError:
        raise ValueRangeError(
            f"implement: {module}.{op} on device type {device!r}: {f!r} is not called as f(out, args, attrs); an entry "
            "fills `out` from the arrays `args`; give such a function"
        ) from None


def built_in(name: str, ops: Iterable[str]) -> Module:
    """Return a new module of weft itself, `name`, whose operations `ops` are rows of the op table."""
    made = Module(name)
    made._ops.update({op: op for op in ops})
    return made


def on_device(device: str) -> tuple[str, ...]:
    """Return the names of the modules that have entries for a type of device, such as "cpu"."""
    return tuple([name for name, m in REGISTRY.items() if device in m.devices])


@atexit.register
def _end() -> None:
    with ExitStack() as ends:
        for module in REGISTRY.values():
            ends.callback(module.unload)


GROUP = "weft.modules"
_BROKEN: set[tuple[str, str]] = set()  # (name, value) of entry points that failed to load


def names() -> tuple[str, ...]:
    """Return the names of all modules: loaded ones, then those provided by installed packages.

    >>> names()[:5]
    ('core', 'linalg', 'fft', 'random', 'nn')
    """
    return tuple(dict.fromkeys([*REGISTRY, *sorted(e.name for e in entry_points(group=GROUP))]))


def find(name: str) -> Module | None:
    """Return the module `name`, importing its package if needed.

    Returns None if there is none; warns and returns None if the package cannot be imported.
    """
    if name in REGISTRY:
        return REGISTRY[name]
    if name.startswith("_"):
        return None
    for point in entry_points(group=GROUP, name=name):
        if (point.name, point.value) not in _BROKEN and (found := _loaded(point)) is not None:
            return found
    return None


def _loaded(point: EntryPoint) -> Module | None:
    """Return the module of an entry point; warns and returns None if it cannot be loaded."""
    before = dict(REGISTRY)
    try:
        found = point.load()
        if not isinstance(found, Module):
            raise TypeError(f"{point.value} is a {type(found).__name__}, not a weft.modules.Module")
        if found.name != point.name:
            raise ValueError(f"{point.value} is the module {found.name!r}")
        return found
    except Exception as error:  # a foreign package may raise anything
        for name in REGISTRY.keys() - before.keys():
            del REGISTRY[name]
        _BROKEN.add((point.name, point.value))
        package = point.dist.name if point.dist is not None else "an unknown package"
        warnings.warn(
            f"weft.modules: {point.name} of the distribution {package} cannot be loaded ({type(error).__name__}: "
            f"{error}); it is left out; repair or remove that package",
            RuntimeWarning,
            stacklevel=4,
        )
        return None
