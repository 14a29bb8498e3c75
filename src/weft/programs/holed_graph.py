"""Graphs with holes: expressions that are computed for other arrays and numbers at each call.

The one idea: graphs with filled holes have equal keys, so the program is planned and compiled once; if the program
depends on nothing else, calls run it without building a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from weft import dtypes as dt
from weft.autograd.record import is_recording, record_of
from weft.ir.graph import graph_text
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription, c_strides, describe
from weft.ir.graph.node import Node, mark_replacement, stored
from weft.ir.graph.undefined import without_checks
from weft.ir.kernels.plan import Plan
from weft.ir.kernels.plan_text import MemoryPlan, memory_plan
from weft.passes.fuse import SPARE, is_stored, over_files
from weft.runtime.compute import stages
from weft.runtime.compute.checked_values import add_checks, dear_operands
from weft.runtime.compute.recurring import RecurringWork, may_recur, recurring
from weft.runtime.compute.signature import RepeatedWork, Work
from weft.runtime.memory.access import SMALL


class HoledGraph:
    """Roots over holes, which are placeholders, and over scalars whose numbers are given at each call."""

    def __init__(self, roots: Sequence[Node], holes: Sequence[Node], scalars: Sequence[Node] = ()) -> None:
        self.holes, self.scalars = list(holes), list(scalars)
        self.roots = roots_of(roots)
        self.descs = [n.desc for n in self.roots]
        self._known: RecurringWork | None = None
        self._guard: HoledGraph | None = None  # of `_known`: one bool, true if the stage of checks has to run
        self.donors: list[tuple[int, int, bool]] = []  # see `RecurringWork.offer`

    def __str__(self) -> str:
        return graph_text.show(self.roots)

    def as_text(self, hole: str) -> tuple[str, list[tuple[Node, TensorDescription]]]:
        """Return the text of the graph, and pairs of its stored nodes and their row-major descriptions, in order.

        Holes are placeholders named `{hole} 0`, `{hole} 1`, and so on, scalars `number 0` and so on.
        """
        named = {id(h): ir.placeholder(f"{hole} {k}", h.desc) for k, h in enumerate(self.holes)}
        named |= {id(s): ir.placeholder(f"number {k}", s.desc) for k, s in enumerate(self.scalars)}
        roots = filled(self.roots, named)
        lines, leaves = graph_text.show(roots).splitlines() if roots else [], []
        for k, n in enumerate(ir.walk(roots)):
            if n.value is not None:
                d = n.desc
                plain = describe(d.dtype, d.shape, c_strides(d.shape, d.dtype.itemsize), d.big, d.origin, d.read_only)
                lines[k] = f"%{k} = leaf {graph_text.description(plain)}"
                leaves.append((n, plain))
        return "\n".join(lines), leaves

    @property
    def plan(self) -> Plan | None:
        """The plan that calls run; None if calls pass all stages."""
        known = self.known()
        return None if known is None else known.program.plan

    def memory(self) -> MemoryPlan | None:
        """Return the memory that a call allocates; None if calls pass all stages."""
        known = self.known()
        return None if known is None else memory_plan(known.program.plan, known.reused)

    def known(self) -> RecurringWork | None:
        """Return the recurring work of calls, planned over stand-ins if needed; None if calls pass all stages."""
        samples = [s.attrs[1].sample for s in self.scalars]
        at_home = all(h.traits is None or not h.traits.device for h in self.holes)
        if self._known is None and self.roots and at_home and None not in samples and self._may_recur:
            if self.checks:
                bad = reduce(partial(ir.apply, "logical_or"), [n.inputs[1] for n in self.checks])
                self._guard = HoledGraph([bad], self.holes, self.scalars)
            given = [stored(h.desc, _stand_in(h.desc)) for h in self.holes]
            scalars, made = self._filling(given, samples)
            roots = [ir.copied(r) if (n := made[id(r)]) is r else n for r in self.roots]
            work = stages.planned_work(roots, set(map(id, scalars)))
            self._known = self._recurring(work, given, scalars, made)
        return self._known

    def _recurring(
        self, work: Work, given: Sequence[Node], scalars: Sequence[Node], made: dict[int, Node]
    ) -> RecurringWork | None:
        """Return finished work with `given` in the holes as recurring work; None if that is impossible.

        `scalars` are the nodes of the numbers, `made` the images of all nodes by id.
        """
        views = {made[id(v)]: at for v, at in self._views.items()}
        known = recurring(work, views | {n: (k, 0) for k, n in enumerate(given)}, scalars)
        if known is not None and self.donors:
            known.offer(self.donors)
        return known

    def again(self, given: Sequence[Node], numbers: Sequence[Any] = (), free: Container[int] = ()) -> list[Node] | None:
        """Return the roots computed by the known program; None if there is none that fits.

        The given nodes are `ready`, and have no gradient records.  `free` holds the numbers of given nodes whose memory
        the roots may reuse.
        """
        if self._known is None or (self._guard is not None and self._guard.may_fail(given, numbers)):
            return None
        values = self._known.run(given, numbers, free)
        return None if values is None else [*map(stored, self.descs, values)]

    def ready(self, given: Sequence[Node]) -> Sequence[Node]:
        """Return nodes for the holes after computing the small ones that are pending, if calls may run by programs.

        To plan the whole graph anew for them would take longer, in each call.  Those over files are replaced by values
        of this call alone, so that files are not held. Raises the errors of computing.
        """
        waiting = [n for n in given if n.value is None and not is_stored(n) and n.desc.nbytes <= SPARE]
        if not waiting or not self._may_recur:
            return given
        over = over_files(waiting)
        read = {n: ir.copied(n) for n in waiting if id(n) in over}
        read = {n: copy for n, copy in read.items() if copy.desc == n.desc}  # views keep their strides
        stages.compute([*[n for n in waiting if id(n) not in over], *read.values()])
        return [read.get(n, n) for n in given]

    def may_fail(self, given: Sequence[Node], numbers: Sequence[Any]) -> bool:
        """True if a check may fail, unless a known program computes the only root, and that is false.

        Checks below it are skipped: the values that they guard can be computed for any operands.
        """
        known = self.known()
        found = None if known is None else known.run(given, numbers)
        return found is None or bool(found[0])

    def only(self, given: Sequence[Node], numbers: Sequence[Any]) -> Node | None:
        """Return the only root, computed like the roots of `again`; None if there is no program that fits."""
        values = None if self._known is None or self._guard else self._known.run(given, numbers)
        return None if values is None else stored(self.descs[0], values[0])

    def on_arrays(self, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray] | None:
        """Return the values of the roots for arrays laid out like the holes; None without a known program."""
        return None if self._known is None or self._guard else self._known.run_on(arrays)

    def computed(self, given: Sequence[Node], numbers: Sequence[Any] = (), free: Container[int] = ()) -> list[Node]:
        """Return the roots, computed for nodes described like the holes and for numbers.

        `free` is the argument of `again`. Raises the errors of computing.
        """
        given = self.ready(given)
        plain = all(record_of(n) is None for n in given) or not is_recording()  # otherwise results have records, too
        if plain and (made := self.again(given, numbers, free)) is not None:
            return made
        return self.computed_anew(given, numbers, plain)

    def computed_anew(self, given: Sequence[Node], numbers: Sequence[Any], plain: bool) -> list[Node]:
        """Return the roots computed through all stages, for nodes in the holes and numbers.

        With `plain` (no given node has a gradient record) the program is kept for later calls. Raises the errors of
        computing.
        """
        scalars, filled = self._filling(given, numbers)
        roots = [ir.copied(r) if (n := filled[id(r)]) is r else n for r in self.roots]
        if not roots:
            return []
        work = RepeatedWork(roots, given=set(map(id, scalars)))
        stages.perform(work)
        if plain and self._may_recur:
            if len(set(given)) == len(given) and not self.checks:
                self._known = self._recurring(work, given, scalars, filled) or self._known
            else:  # this plan holds only for equal tensors in several holes, or reads what checks have computed
                self.known()
        return roots

    def filled(self, given: Sequence[Node], numbers: Sequence[Any] = ()) -> list[Node]:
        """Return the roots, pending, with nodes in the holes and numbers in the scalars."""
        _, made = self._filling(given, numbers)
        return [made[id(r)] for r in self.roots]

    def _filling(self, given: Sequence[Node], numbers: Sequence[Any]) -> tuple[list[Node], dict[int, Node]]:
        """Return (scalar nodes of the numbers, images of all nodes by id) of the filled graph."""
        scalars = [ir.number(x, s.desc.dtype) for x, s in zip(numbers, self.scalars, strict=True)]
        holes = {id(h): n for h, n in zip((*self.holes, *self.scalars), (*given, *scalars), strict=True)}
        return scalars, _filling(self.roots, holes)

    @cached_property
    def checks(self) -> list[Node]:
        """The nodes below the roots that are checked when they are computed."""
        return [n for n in ir.walk(self.roots) if n.op.name == "checked"]

    @cached_property
    def _may_recur(self) -> bool:
        operands = dear_operands([without_checks(n) for n in self.checks])  # the guard would compute them once more
        return may_recur(self.roots) and all(n.desc.nbytes < SMALL for n in ir.walk(operands))

    @cached_property
    def _views(self) -> dict[Node, tuple[int, int]]:
        """The views of holes in the graph, each with the index of its hole and its byte offset from it."""
        number = {h: k for k, h in enumerate(self.holes)}
        return {n: (number[n.alias[0]], n.alias[1]) for n in ir.walk(self.roots) if n.alias and n.alias[0] in number}


def roots_of(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes, with copies of views, leaves, versions of places and repeated nodes."""
    roots: list[Node] = []
    for n in nodes:
        own = bool(n.inputs) and n.alias is None and n.place is None and n not in roots
        roots.append(n if own else ir.copied(n))
    return roots


def _stand_in(desc: TensorDescription) -> np.ndarray:
    """Return an array with this description over dummy memory, for planning only."""
    dtype = dt.to_numpy(desc.dtype, desc.byteorder)
    cells = np.empty(0, f"V{dtype.itemsize}")  # NumPy has no views of some dtypes by their names
    return as_strided(cells, desc.shape, desc.strides, writeable=False).view(dtype)


def over(n: Node, inputs: tuple[Node, ...]) -> Node:
    """Return a copy of node n over other inputs, with the same description."""
    copy = ir.make(n.op, inputs, n.attrs, n.desc)
    if n.alias is not None:
        before, after = n.inputs[0].alias, inputs[0].alias
        step = n.alias[1] - (0 if before is None else before[1])
        copy.alias = (inputs[0], step) if after is None else (after[0], after[1] + step)
        copy.depth = inputs[0].depth
    return copy


def filled(
    roots: Sequence[Node], holes: dict[int, Node], remade: Callable[[Node, tuple[Node, ...]], Node] = over
) -> list[Node]:
    """Return the roots with the nodes whose ids are in `holes` replaced; parts without holes are shared.

    `remade(node, inputs)` returns the copy of a node over other inputs.
    """
    made = _filling(roots, holes, remade)
    return [made[id(r)] for r in roots]


def _filling(
    roots: Sequence[Node], holes: dict[int, Node], remade: Callable[[Node, tuple[Node, ...]], Node] = over
) -> dict[int, Node]:
    """Return the images, by id, of all nodes below the roots after replacing the nodes with ids in `holes`.

    `remade(node, inputs)` returns the copy of a node over other inputs.
    """
    made: dict[int, Node] = dict(holes)
    for n in ir.walk(roots):
        if id(n) in holes:
            continue
        inputs = tuple([made[id(i)] for i in n.inputs]) if n.value is None else ()
        if n.value is not None or all(a is b for a, b in zip(inputs, n.inputs, strict=True)):
            made[id(n)] = n
            continue
        copy = remade(n, inputs)
        mark_replacement(copy, n)
        if n.op.name == "checked" and copy.depth < ir.WAITING:
            add_checks(copy)
        made[id(n)] = copy
    return made
