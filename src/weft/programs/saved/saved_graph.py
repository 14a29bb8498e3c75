"""Saved graphs with holes: a plan that is proven safe, and a text that is read when more is needed.

The one idea: a plan without faults stays within its arguments, so calls run it at once.  The graph is built by the
constructors of its operations and checked against the rules of graphs.  A take reads at a computed offset, so each such
offset of a plan is clamped to the bytes of its argument; valid positions do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.blocks.tensor_gradient import TensorGradient
from weft.errors import OutOfMemory, ProgramFileError
from weft.inspect.text import verify_check
from weft.ir.graph import graph_text, rebuilding
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import OPS
from weft.ir.kernels.data_reader import Faults, Path
from weft.ir.kernels.plan import BinLaunch, Body, CallStep, Instr, MapLaunch, Plan, Row, Step
from weft.ir.kernels.plan_data import read_plan
from weft.ir.kernels.plan_spec import Range, argument_bounds, bounds_of, fault
from weft.ir.pieces.block_operator import start_leaf
from weft.ir.pieces.lattice import box, extent
from weft.passes.planning.block import regrouped
from weft.programs.holed_graph import HoledGraph, filled, roots_of
from weft.programs.loops import Loop
from weft.programs.saved.saving import KEPT
from weft.runtime.compute.program import NativeCode, Program
from weft.runtime.compute.recurring import RecurringWork

_GATHER = OPS["gather"]


def damaged(what: str, error: Exception) -> ProgramFileError:
    """Return the ProgramFileError for the part `what` of a file that cannot be built, with the text of `error`."""
    return ProgramFileError(f"{what}: {type(error).__name__}: {error!s:.300}; the file is damaged; save it again")


class LoadedPlan(Program):
    """The program of a loaded plan; if native code cannot be built for it, the file is at fault."""

    __slots__ = ("what",)

    def __init__(self, what: str, plan: Plan) -> None:
        super().__init__(plan, (), False)
        self.what = what

    def make(self, build: Callable[[Plan, bool], NativeCode]) -> None:
        """Build the native code; raises ProgramFileError if that fails for these instructions."""
        try:
            super().make(build)
        except OutOfMemory:
            raise
        except Exception as error:
            raise damaged(f"{self.what}: its plan", error) from error


class SavedGraph(HoledGraph):
    """A saved graph with holes: its text is read only when a call needs more than its plan."""

    def __init__(
        self,
        what: str,
        text: str,
        holes: Sequence[Node],
        scalars: Sequence[Node],
        outputs: Sequence[TensorDescription],
        leaves: Sequence[tuple[np.ndarray, TensorDescription] | Loop],
    ) -> None:
        self.what, self.text, self.leaves = what, text, leaves
        self.holes, self.scalars, self.descs = list(holes), list(scalars), list(outputs)
        self._known: RecurringWork | None = None
        self._guard = None
        self.donors = []

    @cached_property
    def roots(self) -> list[Node]:  # type: ignore[override]
        """The roots, read from the text; raises ProgramFileError if it is no graph of these holes."""
        try:
            return self._read() if self.text or self.descs else []
        except OutOfMemory:
            raise
        except Exception as error:
            raise damaged(f"{self.what}: its graph", error) from error

    def _read(self) -> list[Node]:
        graph, faults = graph_text.read(self.text)
        if wrong := [f.op for f in graph.nodes if f.op not in KEPT]:
            raise ValueError(f"{wrong[0]!r:.40} is no operation of a saved program")
        rebuilding.check(graph, faults)
        leaves = iter(self.leaves)
        given = {f.id: _leaf(next(leaves)) for f in graph.nodes if f.op == "leaf"}
        found = rebuilding.built(graph, given)
        known = {f"hole {k}": h for k, h in enumerate(self.holes)}
        known |= {f"number {k}": s for k, s in enumerate(self.scalars)}
        replaced: dict[int, Node] = {}
        for n in walk(found):
            if n.op.name == "placeholder":
                hole = known[n.attrs[0]]
                if hole.desc != n.desc:
                    raise ValueError(f"{n.attrs[0]} of {n.desc!r}")
                replaced[id(n)] = hole
        roots = roots_of(filled(guarded(found), replaced))
        if [r.desc for r in roots] != self.descs:
            raise ValueError("outputs of other types than it names")
        for n in walk(roots):
            if n.op.name == "checked":
                verify_check(n)
        return roots

    def _recurring(self, *found: Any) -> RecurringWork | None:
        """Return the work of the plan in the file, if there is one, else of a new plan."""
        return self._known or super()._recurring(*found)

    def donate(self) -> None:
        """Let outputs of the plan reuse memory of the donors."""
        if self._known is not None and self.donors:
            self._known.offer(self.donors)

    def known_plan(self, value: Any, faults: Faults, path: Path) -> None:
        """Read the plan in data, if there is one, and use it for calls; its faults are noted."""
        if value is None:
            return
        v = faults.fields(value, path, ("plan", "sources", "numbers"))
        made, groups = read_plan(v.get("plan"), faults, (path, "plan"))
        sources = faults.items(v.get("sources"), (path, "sources"), lambda x, p: self._source(x, p, faults))
        count = len(self.scalars)
        numbers = faults.items(v.get("numbers"), (path, "numbers"), lambda x, p: _number(x, faults, p, count))
        faults.check(self.what)
        bounds = [b for _, b in sources]
        found = regrouped(made, groups)
        if found is None:
            faults.add_fault((path, "groups"), "steps that do not go block by block")
        elif (
            len(numbers) != len(made.scalars) or (wrong := fault(found, bounds)) or (wrong := self._output_fault(found))
        ):
            faults.add_fault(path, f"{wrong:.400}" if len(numbers) == len(made.scalars) else "scalars without numbers")
        else:
            self._known = RecurringWork(LoadedPlan(self.what, clamped(found, bounds)), [s for s, _ in sources], numbers)
        faults.check(self.what)

    def _source(self, value: Any, path: Path, faults: Faults) -> tuple[tuple[int, int, Node | None], Range]:
        """Return (source, bounds) of a plan's argument from data; what is wrong is added to `faults`."""
        kind, *rest = value if type(value) is list and value else [None]
        if kind == "leaf" and len(rest) == 1:
            k = faults.integer(rest[0], path, 0, len(self.leaves) - 1)
            if self.leaves and not isinstance(found := self.leaves[k], Loop):
                array, desc = found
                return (0, 0, ir.stored(desc, array)), bounds_of(desc)
        elif kind == "hole" and len(rest) == 2:
            k, offset = faults.integer(rest[0], path, 0, len(self.holes) - 1), faults.integer(rest[1], path)
            if self.holes:
                first, stop = bounds_of(self.holes[k].desc)
                return (k, offset, None), (first - offset, stop - offset)
        faults.add_fault(path, f"{value!r:.60} is no source of an argument")
        return (0, 0, None), (0, 0)

    def _output_fault(self, plan: Plan) -> str:
        """Return a text about outputs of a plan that differ from their descriptions, "" if none do."""
        buffers = [plan.buffers[k] for k in plan.outputs]
        if len(buffers) != len(self.descs):
            return f"{len(buffers)} outputs of {len(self.descs)}"
        for b, d in zip(buffers, self.descs, strict=True):
            if d.dtype is not b.dtype or d.shape != b.shape or ir.result(d.dtype, d.shape, d.origin) != d:
                return f"an output {d!r} in a buffer {b}"
        return ""


def _leaf(found: tuple[np.ndarray, TensorDescription] | Loop) -> Node:
    """Return the node of a leaf: an array with its description, or the start leaf of a loop."""
    if isinstance(found, Loop):
        return start_leaf(
            found, TensorGradient(found.gradients, tuple([d.dtype for d in found.outputs if d.size])), (0,)
        )
    array, desc = found
    return ir.stored(desc, array)


def _number(value: Any, faults: Faults, path: Path, count: int) -> tuple[int, Any]:
    """Return (index among a call's numbers, None), or (-1, fixed number), of a plan's scalar from data.

    `count` is the number of numbers given; what is wrong is added to `faults`.
    """
    v = faults.fields(value, path, (), ("given", "fixed"))
    if "given" in v:
        return faults.integer(v["given"], (path, "given"), 0, count - 1), None
    found = faults.literal(v.get("fixed"), (path, "fixed"))
    if type(found) not in (bool, int, float, complex):
        faults.add_fault(path, f"{found!r:.40} is no number")
    return -1, found


def guarded(roots: Sequence[Node]) -> list[Node]:
    """Return the roots with the positions of all takes within bounds, clamped if they are not known to be.

    Raises ValueError if cells are taken along an axis that has none.
    """
    done: set[Node] = set()
    while True:
        found = next((n for n in walk(roots) if n.op is _GATHER and n not in done and n.value is None), None)
        if found is None:
            return list(roots)
        x, *tables = found.inputs
        if found.desc.size and any(not x.desc.shape[a] for a in found.attrs[0]):
            raise ValueError("a take of cells of an axis that has none")
        inside = [_inside(t, x.desc.shape[a]) for t, a in zip(tables, found.attrs[0], strict=True)]
        if all(a is b for a, b in zip(tables, inside, strict=True)):
            done.add(found)
            continue
        made = ir.make(_GATHER, (x, *inside), found.attrs, found.desc)
        done.add(made)
        roots = filled(roots, {id(found): made})


def _inside(table: Node, size: int) -> Node:
    """Return `table`, positions along an axis of `size`, clamped unless they are stored and within bounds."""
    cells = table.value if table.alias is None else None
    if cells is not None and (not cells.size or (cells.min() >= 0 and cells.max() < size)):
        return table
    least, most = ir.scalar(0, dt.int64), ir.scalar(max(size - 1, 0), dt.int64)
    return ir.apply("minimum", ir.apply("maximum", table, least), most)


def clamped(plan: Plan, leaves: Sequence[Range]) -> Plan:
    """Return a faultless plan with the offsets of its takes clamped; `leaves` are the byte ranges of its inputs."""
    bounds = argument_bounds(plan, leaves)
    bodies: dict[Body, Body] = {}
    steps = tuple([_step(s, bounds, bodies) for s in plan.steps])
    return plan if all(map(lambda a, b: a is b, steps, plan.steps)) else replace(plan, steps=steps)


def _step(s: Step, bounds: Sequence[Range], bodies: dict[Body, Body]) -> Step:
    if isinstance(s, CallStep) or not any(i.op == "gather" for r in s.rows for i in r.body):
        return s
    if isinstance(s, BinLaunch):
        return replace(s, numbers=_rows(s.numbers, bounds, bodies), weights=_rows(s.weights, bounds, bodies))
    rows = _rows(s.rows, bounds, bodies)
    return MapLaunch(rows) if isinstance(s, MapLaunch) else replace(s, rows=rows)


def _rows(rows: Sequence[Row], bounds: Sequence[Range], bodies: dict[Body, Body]) -> tuple[Row, ...]:
    """Return rows with their takes clamped to `bounds`, the byte range of each argument.

    Equal bodies become one object, kept in `bodies`.
    """
    found = [r._replace(body=_body(r, bounds)) for r in rows if 0 not in r.sizes]
    return tuple([r._replace(body=bodies.setdefault(r.body, r.body)) for r in found])


def _body(row: Row, bounds: Sequence[Range]) -> Body:
    made: list[Instr] = []
    number: list[int] = []  # what each instruction has become
    for i in row.body:
        args = tuple([number[a] for a in i.args])
        if i.op == "gather":
            o = row.operands[i.attr]  # type: ignore[call-overload]
            low, high = extent(box(o.offset, o.strides, row.sizes, o.dtype.itemsize))
            first, stop = bounds[o.arg]
            for op, most in (("maximum", first - low), ("minimum", stop - high)):
                made += [Instr("const", dt.int64, (), most), Instr(op, dt.int64, (args[0], len(made)))]
                args = (len(made) - 1,)
        number.append(len(made))
        made.append(i._replace(args=args))
    return tuple(made)
