"""Loops in files: their kinds, numbers and steps, checked against each other before a loop is built.

The one idea: a step is a saved graph without a plan; a loop's inputs and outputs follow from its steps, and a loop
refuses arrays that differ from these, so no file can make a step read beyond an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.kernels.data_reader import Faults, Path
from weft.programs.loops import Loop, loop_of
from weft.programs.saved import parts
from weft.programs.saved.saved_graph import SavedGraph
from weft.programs.traced_step import LoopStep

LeafParts = Any  # (name, description) of cells, or the parts of a loop
Descriptions = Sequence[TensorDescription]


class StepParts(NamedTuple):
    """The data of a step: the descriptions of its inputs and outputs, its graph, and the graph's leaves."""

    holes: Descriptions
    outputs: Descriptions
    graph: str
    leaves: Sequence[LeafParts]


class LoopParts(NamedTuple):
    """The data of a loop."""

    kind: str
    numbers: Sequence[int]
    steps: Sequence[StepParts]


def read_loop(value: Any, faults: Faults, path: Path, leaf: Any) -> LoopParts:
    """Return the parts of a loop in data; `leaf(value, path)` reads the leaves of its steps."""

    def plain(x: Any, p: Path) -> TensorDescription:
        d = parts.read_description(x, faults, p)
        if d != ir.result(d.dtype, d.shape):
            faults.add_fault(p, "what steps take and give is row-major")
        return d

    def step(x: Any, p: Path) -> StepParts:
        v = faults.fields(x, p, ("holes", "outputs", "graph", "leaves"))
        holes, outputs = (faults.items(v.get(key), (p, key), plain) for key in ("holes", "outputs"))
        return StepParts(
            holes,
            outputs,
            faults.text(v.get("graph"), (p, "graph")),
            faults.items(v.get("leaves"), (p, "leaves"), leaf),
        )

    v = faults.fields(value, path, ("loop", "numbers", "steps"))
    numbers = faults.integers(v.get("numbers"), (path, "numbers"), 0)
    return LoopParts(
        faults.text(v.get("loop"), (path, "loop")), numbers, faults.items(v.get("steps"), (path, "steps"), step)
    )


def leaf_of(
    what: str, found: LeafParts, cells: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, TensorDescription] | Loop:
    """Return a leaf of a graph: (its cells, their description), or the loop; raises ValueError if it does not fit."""
    if not isinstance(found, LoopParts):
        name, desc = found
        return parts.in_order(cells[name], desc), desc
    steps = []
    for holes, outputs, graph, leaves in found.steps:
        stand_ins = [ir.placeholder("an argument of a step", d) for d in holes]
        given = [leaf_of(what, x, cells) for x in leaves]
        steps.append(LoopStep(SavedGraph(what, graph, stand_ins, (), outputs, given)))
    return loop_of(found.kind, found.numbers, steps)
