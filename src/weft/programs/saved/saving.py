"""Saving programs: traced calls as data, and the cells of tensors that they read beside arguments.

The one idea: a call is a graph over holes, so its text is complete; its plan is saved with it if the plan can be proven
to stay within its arguments when it is read again, and otherwise made anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.autograd.record import record_of
from weft.dtypes import DType
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import ROWS
from weft.ir.kernels.data_reader import Faults, literal_data
from weft.ir.kernels.plan import Plan
from weft.ir.kernels.plan_data import digest, plan_data, read_plan
from weft.ir.kernels.plan_spec import Range, bounds_of, fault
from weft.ir.pieces.block_operator import IndexStart
from weft.passes.planning.block import regrouped
from weft.programs.compiled_function import CompiledFunction
from weft.programs.computation import Computation
from weft.programs.holed_graph import HoledGraph
from weft.programs.kind_texts import SETTINGS
from weft.programs.kinds import role
from weft.programs.loops import Loop
from weft.programs.saved.archive import write_program
from weft.programs.saved.parts import argument_data, description_data, number_data, refusal, tree_data
from weft.programs.traced_call import Result, TracedCall
from weft.random.generator import Generator
from weft.runtime.compute import engine, stages
from weft.runtime.compute.recurring import RecurringWork
from weft.sources.write.atomic_write import Path
from weft.tensors.place import Place, cells

FORMAT, VERSION = "weft-program", 1
KEPT = frozenset([r.name for r in ROWS]) - {"file", "transfer", "freed"}  # ops that files may hold
_WHY = {
    "file": "reads a file, which may be gone where it is loaded; realize() it, or pass it as an argument",
    "transfer": "moves tensors between devices; programs on the host are saved",
    "map_blocks": "calls functions of Python (weft.map_blocks), which are no data",
}
Cells = dict[str, tuple[DType, np.ndarray]]


def save_program(function: CompiledFunction | Computation, path: Path) -> None:
    """Save a compiled function or method, with all kinds of calls made so far, or a computation to one file.

    The file has graphs and plans as text, and as safetensors the tensors that are read beside the arguments:
    `load_program` returns these as new tensors.  Raises ArgumentError for parts that are no data: functions of Python,
    files, devices, gradients that are set, objects among arguments and results; WriteError if the system refuses.

    >>> import weft, tempfile, os
    >>> w = weft.variable([1.0, 2.0])
    >>> predict = weft.compile(lambda x: (x * w).sum())
    >>> predict(weft.asarray([1.0, 1.0])).item()
    3.0
    >>> path = os.path.join(tempfile.mkdtemp(), "model.weft")
    >>> weft.save_program(predict, path)
    >>> weft.load_program(path)(weft.asarray([2.0, 1.0])).item()
    4.0
    """
    writer = ProgramData()
    write_program(path, writer.program(function), writer.cells)


def program_digest(function: CompiledFunction | Computation) -> str:
    """Return a digest of the data that `save_program` would write, without the cells of tensors.

    It is the same in every process. Raises ArgumentError for parts that are no data, as `save_program` does.

    >>> import weft
    >>> x = weft.placeholder((2,), name="x")
    >>> f, g = weft.computation(x * 2, x), weft.computation(x * 3, x)
    >>> weft.program_digest(f) == weft.program_digest(weft.computation(x * 2, x))
    True
    """
    return digest(ProgramData().program(function) | {"generators": []})


class ProgramData:
    """Collects the data of one program: tensors and generators shared by its calls, and cells by name."""

    def __init__(self) -> None:
        self.cells: Cells = {}
        self.places: list[Place] = []
        self.generators: list[Generator] = []

    def program(self, f: Any) -> dict[str, Any]:
        """Return a function or computation as data; raises ArgumentError if it cannot be saved."""
        if isinstance(f, partial) and isinstance(f.func, CompiledFunction) and not f.keywords:
            made = self._function(f.func, f.args)
        elif isinstance(f, CompiledFunction):
            made = self._function(f, ())
        elif isinstance(f, Computation):
            made = self._computation(f)
        else:
            raise refusal(f"a {type(f).__name__}", "compiled functions and computations are saved; pass one")
        tensors = [self._tensor(k, p) for k, p in enumerate(self.places)]
        states = [g.state for g in self.generators]
        generators = [{"seed": seed, "calls": calls} for seed, calls in states]
        return {"format": FORMAT, "version": VERSION, **made, "tensors": tensors, "generators": generators}

    def _function(self, function: CompiledFunction, bound: tuple[Any, ...]) -> dict[str, Any]:
        """Return a function as data; `bound` are the leading arguments of a bound method.

        Raises ArgumentError if it has no call that still holds.
        """
        first = tuple([function.static_part(k, x) for k, x in enumerate(bound)])
        start, end = len(SETTINGS), len(SETTINGS) + len(bound)
        known = [((*k[:start], *k[end:]), t) for k, t in function.calls() if k[start:end] == first]
        calls = [(kind, t) for kind, t in known if t.serves()]
        if not calls:
            gone = [f"whose calls no longer hold: {t.what_changed()}" for _, t in known]
            fact = gone[-1] if gone else "that was not called"
            raise refusal(f"a function {fact}", "the kinds of calls that were made are saved; call it before")
        return {
            "kind": "function", "name": str(getattr(function, "__name__", "function")),
            "parameters": list(function.parameters[len(bound) :]),
            "static": sorted(function.static),
            "calls": [self._kind(function, kind) | self._call(t) for kind, t in calls],
        }  # fmt: skip

    def _kind(self, function: CompiledFunction, kind: Sequence[Any]) -> dict[str, Any]:
        """Return the arguments of a kind of call, and its settings, as data.

        Raises ArgumentError for settings that cannot be saved.
        """
        (off, dtype, fixed, recording, device, mode), parts = kind[: len(SETTINGS)], kind[len(SETTINGS) :]
        if len(off) > 1:
            raise refusal("a call that was traced with passes off or operations replaced", "call it without these")
        if device != "cpu":
            raise refusal(f"a call that was traced with the default device {device}", "call it without that")
        named = [p for p in parts if type(p) is tuple and type(p[0]) is str]
        return {
            "dtype": None if dtype is None else dtype.name, "recording": recording,
            **({"deterministic": True} if fixed else {}), **({"math_mode": mode} if mode != "standard" else {}),
            "arguments": [_argument(p, f"argument {k}") for k, p in enumerate(parts[: len(parts) - len(named)])],
            "named": [[name, _argument(p, f"argument {name}")] for name, p in named],
        }  # fmt: skip

    def _computation(self, f: Computation) -> dict[str, Any]:
        traced = f.traced()
        names = [str(h.attrs[0]) for h in f.inputs]
        inputs = [description_data(h.desc) for h in f.inputs]
        return {"kind": "computation", "names": names, "inputs": inputs, "calls": [self._call(traced)]}

    def _call(self, call: TracedCall) -> dict[str, Any]:
        """Return a traced call as data; raises ArgumentError if it cannot be saved."""
        if call.gradients or call.reads_gradients:
            raise refusal("a function that reads or sets gradients", "use weft.autograd.grad, and return what it gives")
        captured = [self._number(p) for p, _ in call.captured]
        if call.written and any(p.region is not None and p.region.is_shared() for p in self.places):
            raise refusal("a function that writes, over tensors that share memory", "copy() one of them")
        graph, leaves, cells = self._graph(call.graph)
        numbers = [number_data(x, "a number") for x in call.numbers]
        return {
            "captured": captured,
            "written": [{"argument": p} if type(p) is int else {"tensor": self._number(p)} for p in call.written],
            "looked": [self._number(p) for p in call.read.values() if p in self.places],
            "results": tree_data(call.results, _result), "recorded": list(call.recorded),
            "numbers": [
                {"number": x, "dtype": s.desc.dtype.name} for x, s in zip(numbers, call.graph.scalars, strict=True)
            ],
            "donated": [[h, name] for h, name in call.donated.items()],
            "drawn": [self._generator(d) for d in call.drawn],
            "outputs": [description_data(d) for d in call.graph.descs], "graph": graph,
            "leaves": leaves,
            "plan": self._plan(call, cells) if len(cells) == len(leaves) else None,
        }  # fmt: skip

    def _number(self, p: Any) -> int:
        """Return the index of tensor p in `places`, the tensors beside the arguments; adds p if it is new.

        Raises ArgumentError for an accumulator of gradients.
        """
        if not isinstance(p, Place):
            raise refusal("a function that reads gradients", "use weft.autograd.grad, and return what it gives")
        if p not in self.places:
            self.places.append(p)
        return self.places.index(p)

    def _generator(self, draw: Any) -> int:
        generator = getattr(draw, "__self__", None)
        if not isinstance(generator, Generator):
            raise refusal(f"numbers that {draw!r:.60} draws", "generators of weft.random are saved")
        if generator not in self.generators:
            self.generators.append(generator)
        return self.generators.index(generator)

    def _tensor(self, number: int, place: Place) -> dict[str, Any]:
        """Return a tensor that calls read or write as data, with its current cells.

        Raises ArgumentError for tensors on devices, or with an origin.
        """
        n, name = place.node, f"tensor {number}"
        if n.traits is not None and n.traits.device is not None:
            raise refusal(f"a tensor on {n.traits.device}", "programs on the host are saved; move it there")
        if n.desc.origin is not None:
            raise refusal(f"a tensor with the origin {n.desc.origin}", "translate() it to 0")
        self.cells[name] = n.desc.dtype, _cells(n)
        recorded = {"recorded": True} if record_of(n) is not None else {}
        return {"cells": name, "role": role(place), **description_data(n.desc), **recorded}

    def _graph(self, graph: HoledGraph) -> tuple[str, list[Any], dict[int, tuple[str, TensorDescription]]]:
        """Return (text, leaves as data, (name, description) of cells by node id) of a graph.

        Raises ArgumentError for an op that cannot be saved.
        """
        for n in walk(graph.roots):
            if n.op.name not in KEPT or (n.op.kind == "blocks" and not isinstance(n.inputs[-1].value.function, Loop)):
                raise refusal(f"a function that {_WHY.get(n.op.name, f'uses {n.op.name}')}", "leave it out")
        text, stored = graph.as_text("hole")
        leaves: list[Any] = []
        known: dict[int, tuple[str, TensorDescription]] = {}
        for n, d in stored:
            if isinstance(n.value, IndexStart):
                leaves.append(self._loop(n.value.function))
                continue
            name = f"leaf {len(self.cells)}"
            known[id(n)] = name, d
            self.cells[name] = d.dtype, _cells(n)
            leaves.append([name, description_data(d)])
        return text, leaves, known

    def _loop(self, loop: Any) -> dict[str, Any]:
        """Return a loop or a choice as data: its kind, its numbers, and the graphs of its steps.

        Raises ArgumentError for an op that cannot be saved.
        """
        steps = []
        for step in loop.steps:
            text, leaves, _ = self._graph(step.graph)
            holes, outputs = ([description_data(d) for d in descs] for descs in (step.holes, step.roots))
            steps.append({"holes": holes, "outputs": outputs, "graph": text, "leaves": leaves})
        return {"loop": loop.kind, "numbers": list(loop.numbers), "steps": steps}

    def _plan(self, call: TracedCall, leaves: Mapping[int, tuple[str, TensorDescription]]) -> Any:
        """Return the plan of a call, with the sources of its arguments. None if it cannot be proven safe when read.

        `leaves` maps ids of the graph's leaves to (name of the cells, description).
        """
        known = call.graph.known() if engine.current().name == "cpu" and not call.graph.checks else None
        sources = None if known is None else _sources(known, [h.desc for h in call.graph.holes], leaves)
        if known is None or sources is None:
            return None
        made, bounds = known.program.plan, [b for _, b in sources]
        try:
            data = plan_data(made)
            numbers = [{"given": k} if k >= 0 else {"fixed": literal_data(x)} for k, x in known.numbers]
        except TypeError:
            return None
        if fault(made, bounds) or not _returns(data, made):
            return None
        return {"plan": data, "sources": [s for s, _ in sources], "numbers": numbers}


def _sources(
    known: RecurringWork, holes: Sequence[TensorDescription], leaves: Mapping[int, tuple[str, TensorDescription]]
) -> list[tuple[list[Any], Range]] | None:
    """Return (source, bounds) of each argument of a plan: ["hole", number, offset], or ["leaf", number].

    None if one is a leaf that is not saved in its layout.
    """
    found: list[tuple[list[Any], Range]] = []
    order = list(leaves)
    for k, offset, fixed in known.leaves:
        if fixed is None:
            first, stop = bounds_of(holes[k])
            found.append((["hole", k, offset], (first - offset, stop - offset)))
        elif id(fixed) in leaves and fixed.desc.strides == leaves[id(fixed)][1].strides and not known.marked:
            found.append((["leaf", order.index(id(fixed))], bounds_of(fixed.desc)))
        else:
            return None
    return found


def _returns(data: Any, plan: Plan) -> bool:
    """True if reading the data gives the plan `plan` again."""
    faults = Faults()
    found, groups = read_plan(data, faults)
    return not faults.found and regrouped(found, groups) == plan


def _argument(part: Any, where: str) -> Any:
    return tree_data(part, lambda x: argument_data(x, where))


def _result(r: Result) -> Any:
    return {"output": r.number} if r.number >= 0 else number_data(r.fixed, "a result")


def _cells(n: Node) -> np.ndarray:
    """Return the cells of a node, row-major, in native byte order."""
    if n.op.name == "file":
        n = ir.copied(n)
    if n.value is None:
        stages.compute([n])
    return np.array(cells(n), dt.to_numpy(n.desc.dtype), order="C")
