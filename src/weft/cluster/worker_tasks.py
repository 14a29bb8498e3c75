"""Tasks: the work of a worker for a program of another process, from messages that are data.

The one idea: a message tells what is computed, and where the result goes: it stays here, goes into a file that others
write too, or is joined with other workers' results.  The computation runs like any program in this process.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.cluster.graph_messages import nodes_of_message
from weft.cluster.holder import check_version, holder_here
from weft.cluster.partitions import box_nodes
from weft.cluster.sharded_source import declared_source, sharded_leaf
from weft.cluster.shared_sinks import box_jobs, reopened
from weft.errors import FileFormatError
from weft.ir.graph.description import c_strides
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.runtime.compute import stages
from weft.runtime.deterministic import deterministic
from weft.runtime.memory import limits
from weft.sources.stream.appending import selected_cells
from weft.sources.stream.consumers import AxisCut, BinTotals, Mergeable, Reductions
from weft.sources.stream.dependent_sweeps import over_values
from weft.sources.stream.distinct_cells import DistinctCells
from weft.sources.stream.sweep import Sweep, run_tiles
from weft.sources.stream.sweep_chain import SweepChain
from weft.sources.stream.tiling import Tiling
from weft.sources.write.save import write_jobs
from weft.tensors.place import cells as cells_of

Message = Mapping[str, Any]
OF_FILE = ", which opens files by the same paths as the client; use a folder that all share"


def common_message(shared: Message) -> Message:
    """Return the common message of tasks, so that workers pass it on to each other."""
    return shared


def run_task(shared: Message, task: Message) -> Any:
    """Run a task: `shared` is the message common to all tasks of a program, `task` the message of this task.

    Returns the result of the function in KINDS for the message's kind. Raises ClusterError if the worker has another
    version of weft or files differ, and the errors of computing, with a note that names the worker.
    """
    holder = holder_here()
    check_version(shared["weft"], holder.worker.address)
    key = holder.worker.get_current_task()
    try:
        with holder.running.task(key), limits.limited(shared["limit"]), deterministic(shared["deterministic"]):
            roots = nodes_of_message(shared, pickle.loads, lambda d: sharded_leaf(declared_source(d, holder.link)))
            return KINDS[shared["kind"]](roots, shared, task)
    except Exception as error:
        error.add_note(f"on worker {holder.worker.address}{OF_FILE if isinstance(error, FileFormatError) else ''}")
        raise


def hold(roots: Sequence[Node], shared: Message, task: Message) -> list[NDArray[Any]]:
    """Return the cells of a box of the values `roots`; the box is in the message `task`.

    Raises the errors of computing.
    """
    nodes = box_nodes(roots, Box(*task["box"]))
    stages.compute(nodes)
    return [np.ascontiguousarray(cells_of(n)) for n in nodes]


def select(roots: Sequence[Node], shared: Message, task: Message) -> list[NDArray[Any]]:
    """Return the cells of a box that a mask selects, or their positions in the whole if there is only the mask.

    `roots` are the mask, and perhaps the cells; the box is in the message `task`. Raises the errors of computing.
    """
    box, strides = Box(*task["box"]), c_strides(roots[0].desc.shape, 1)
    mask, *cells = box_nodes(roots, box)
    found = selected_cells(mask, cells[0] if cells else None)
    stages.compute([found])
    if cells:
        return [np.ascontiguousarray(cells_of(found))]
    return [cells_of(found) + sum([a * s for a, s in zip(box.start, strides, strict=True)])]


def cell_count(found: Sequence[NDArray[Any]]) -> int:
    """Return the number of cells of a task's result that is one array."""
    (cells,) = found
    return cells.size


def write(roots: Sequence[Node], shared: Message, task: Message) -> int:
    """Write a box of the values `roots` into existing files, and return its bytes.

    `shared` declares the files, `task` the box. Raises ClusterError if a file does not exist here, OSError if the
    system refuses, and the errors of computing.
    """
    box = Box(*task["box"])
    with ExitStack() as opened:
        sinks = [opened.enter_context(closing(reopened(d))) for d in shared["sinks"]]
        jobs = box_jobs(shared["sinks"], sinks, box_nodes(roots, box), box)
        write_jobs(jobs, shared["limit"])
    return sum([job.field.nbytes for job in jobs])


def fold(roots: Sequence[Node], shared: Message, task: Message) -> list[Any]:
    """Return the partial results of consumers over some tiles of a sweep of `roots`, or of a chain of two.

    `shared` declares the sweeps, `task` the tiles. Raises the errors of reading and computing.
    """
    nodes, sweeps, limit = iter(roots), list[Sweep[Any]](), shared["limit"]
    for data, boxes in zip(shared["sweeps"], task["boxes"], strict=True):
        cells = {id(n): out for s in sweeps for t in s.consumers for n, out in zip(t.group, t.outs, strict=True)}
        sweeps.append(_declared_sweep(data, nodes, limit, cells))
        sweeps[-1].boxes = [Box(*b) for b in boxes]
    first, *behind = sweeps
    for t, means in zip(first.consumers, task["means"], strict=True):
        t.means = {Box(*kept): found for kept, found in means}
    if behind:
        behind[0].groups = first.groups
        chain = SweepChain([first], *behind)
        chain.take_steps()
        chain.run()
    else:
        with holder_here().reading_halos(first, shared["program"], task["halos"]) as halos:
            tiles = [(first, k) for k in range(len(first.boxes))]
            run_tiles(tiles, first.room, halos.read, min(len(halos.awaited), 1))
    return [t.state() for s in sweeps for t in s.consumers]


def _declared_sweep(data: Message, nodes: Iterator[Node], limit: int, cells: Mapping[int, Any]) -> Sweep[Any]:
    """Return the sweep of a declaration over the next of `nodes`; `cells` are those of reductions below, by node."""
    consumers = list[Any]()
    for kind, count, *more in data["consumers"]:
        group = [next(nodes) for _ in range(count)]
        consumers.append(CONSUMERS[kind](group, limit, *more))
    roots = over_values([r for t in consumers for r in t.roots], cells) if cells else ()
    sweep: Sweep[Any] = Sweep(consumers, tuple(data["shape"]), data["order"], limit, roots)
    spans, most = data["tiling"]
    sweep.tiling = Tiling([[tuple(s) for s in along] for along in spans], list(most))
    return sweep


CONSUMERS: dict[str, Callable[..., Mergeable]] = {
    Reductions.kind: lambda group, limit, cut, turning: Reductions(group, AxisCut(cut), turning),
    BinTotals.kind: lambda group, limit: BinTotals(*group),
    DistinctCells.kind: lambda group, limit, equal_nan: DistinctCells(*group, equal_nan, limit),
}
KINDS: dict[str, Callable[[Sequence[Node], Message, Message], Any]] = {
    "hold": hold,
    "select": select,
    "write": write,
    "fold": fold,
}
