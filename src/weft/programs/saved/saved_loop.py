"""Loops in files: their kinds, numbers and steps, checked against each other before a loop is built.

The one idea: a step is a saved graph without a plan; a loop's inputs and outputs follow from its steps, and a loop
refuses arrays that differ from these, so no file can make a step read beyond an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.kernels.data_reader import Faults, Path
from weft.programs.loops import Loop, loop_of
from weft.programs.saved import parts
from weft.programs.saved.saved_graph import SavedGraph
from weft.programs.traced_step import LoopStep

Leaf = Callable[[], "tuple[np.ndarray, TensorDescription] | Loop"]  # makes a leaf of a graph, once there are no faults


def read_loop(
    what: str, value: Any, faults: Faults, path: Path, leaf: Callable[[Any, Path], Leaf]
) -> Callable[[], Loop]:
    """Return a function that makes the loop in data, and raises ValueError if its steps do not fit each other.

    `leaf(value, path)` reads the leaves of its steps; faults of the data are noted with the path, `what` names the file
    in later errors.
    """

    def plain(x: Any, p: Path) -> TensorDescription:
        d = parts.read_description(x, faults, p)
        if d != ir.result(d.dtype, d.shape):
            faults.add_fault(p, "what steps take and give is row-major")
        return d

    def step(x: Any, p: Path) -> Callable[[], LoopStep]:
        v = faults.fields(x, p, ("holes", "outputs", "graph", "leaves"))
        holes, outputs = (faults.items(v.get(key), (p, key), plain) for key in ("holes", "outputs"))
        graph = faults.text(v.get("graph"), (p, "graph"))
        leaves = faults.items(v.get("leaves"), (p, "leaves"), leaf)

        def made() -> LoopStep:
            stand_ins = [ir.placeholder("an argument of a step", d) for d in holes]
            return LoopStep(SavedGraph(what, graph, stand_ins, (), outputs, [make() for make in leaves]))

        return made

    v = faults.fields(value, path, ("loop", "numbers", "steps"))
    numbers = faults.integers(v.get("numbers"), (path, "numbers"), 0)
    kind = faults.text(v.get("loop"), (path, "loop"))
    steps = faults.items(v.get("steps"), (path, "steps"), step)
    return lambda: loop_of(kind, numbers, [make() for make in steps])
