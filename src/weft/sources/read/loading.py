"""Files as tensors: a leaf node for a file, and loading of only those bytes that a program reads.

The one idea: a program's plan tells which strided boxes of each argument its kernels touch.  Before it runs, a file's
argument becomes memory with a place for every cell, and only the boxes touched are read into it.  The memory is freed
when the program has run; `realize()` keeps the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.errors import OutOfMemory, WeftError
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, copied, file_leaf, line_of, locate, make, result, root_of, walk
from weft.ir.graph.ops import OPS
from weft.runtime.compute import stages
from weft.runtime.compute.engine import publish
from weft.runtime.compute.signature import MaskWork, RewriteWork, Work
from weft.runtime.compute.stages import AGAIN, DONE, Verdict
from weft.runtime.devices.placement import is_held_elsewhere
from weft.runtime.memory.limits import available_memory, granted, limit_of_sweeps, warn_beyond
from weft.sources.formats.cell_run import strides_of
from weft.sources.read.address_space import addresses
from weft.sources.read.byte_ranges import METERS
from weft.sources.read.fetching import ByBoxes, Fetch, fetches_of
from weft.sources.read.kept_chunks import keep_at_most
from weft.sources.source import Addressed, AnySource, Gathering
from weft.sources.stream import rounds
from weft.sources.stream.appending import rewritten_cells, selected_cells
from weft.tensors.tensor import Tensor, wrap

LARGE_READ = 256 << 20  # bytes from which a read is compared with free memory
SMALL_READ = 1 << 20  # bytes up to which no warning is given


def look_for_sources() -> None:
    """Register the stage that reads sources, for all later computations."""
    stages.use("sources", _loaded)


def open_source(source: AnySource) -> Tensor:
    """Return a tensor of a source's values, with its dtype and shape; values are read when they are needed."""
    if stages.Stages.all["sources"] is None:
        look_for_sources()
    if hasattr(source, "load"):  # to ask the protocol Addressed would take a quarter of the time that opening does
        strides = cast(Addressed, source).strides
    else:
        strides = strides_of(source.shape, source.dtype.itemsize, cast(Gathering, source).order)
    file = file_leaf(source, describe(source.dtype, source.shape, strides, source.big, None, True))
    # A value of its own over the file's layout: it is computed, kept and viewed row-major and native like any other.
    return wrap(locate(make(OPS["positive"], (locate(file),), (), result(source.dtype, source.shape))))


def _loaded(work: Work) -> Verdict | None:
    """Run the stage "sources": read the files that a program needs into its arguments.

    If memory cannot hold them, values are computed in tiles, and the verdict is AGAIN or DONE.  Raises OutOfMemory if
    even that does not fit.
    """
    if isinstance(work, RewriteWork) and work.put is not None:
        work.cells = rewritten_cells(work.nodes, work.put)
        return DONE
    if not work.sources:
        return None
    if isinstance(work, MaskWork):
        if rounds.is_swept(work.nodes[0]):
            work.cells = selected_cells(work.mask, work.value)
        if work.cells is not None or work.mask.value is not None:
            return DONE
    if isinstance(work, RewriteWork):
        work.is_large = work.nodes[0].desc.nbytes > limit_of_sweeps() and rounds.is_swept(work.nodes[0])
        return DONE
    stays = isinstance(work, stages.UnreadWork)
    is_large = rounds.are_needed(work)
    if is_large and work.targets:  # all cells are read before the first is written, and dropped after the write
        warn_beyond(work.nodes[0].op.name, sum([n.desc.nbytes for n in work.nodes]))
        work.nodes = [copied(n) for n in work.nodes]
    if is_large and rounds.stream(work.nodes, stays):
        if not work.targets:
            work.nodes = [n for n in work.nodes if n.value is None and not (stays and is_held_elsewhere(n))]
        return AGAIN if work.nodes else DONE
    fetches = fetches_of(work)
    is_value = work.nodes[0].op.name == "positive" and _is_value(work, fetches)
    _announce(sum([fetch.nbytes for _, fetch in fetches]), work, is_value)
    memory = {f: _load(f, fetch) for f, fetch in fetches}
    if is_value:
        publish(work.nodes[0], *memory.values())
        return DONE
    for k in work.sources:
        f = root_of(work.leaves[k])
        if f not in memory:  # none of its cells is read
            memory[f] = _cells(f, addresses(f.desc.nbytes, f.attrs[0].name))
        work.arguments[2 * k] = memory[f]
    return None


def _is_value(work: Work, fetches: Sequence[tuple[Node, Fetch]]) -> bool:
    """True if what is read is the value itself, a copy of all cells of a file in the same layout."""
    if work.targets or len(work.nodes) != 1 or len(fetches) != 1:
        return False
    n, (file, fetch) = work.nodes[0], fetches[0]
    is_whole = isinstance(fetch, ByBoxes) and [b.size for b in fetch.boxes] == [n.desc.shape]
    return is_whole and n.inputs == (file,) and (n.desc.strides, n.desc.big) == (file.desc.strides, file.desc.big)


def _announce(nbytes: int, work: Work, is_value: bool) -> None:
    """Add `nbytes` to the meters' expected reads, and check memory; with `is_value` they are the value itself.

    Raises OutOfMemory if free memory cannot hold all that `work` needs. Warns (MemoryLimitWarning) if that is more than
    a limit set by a user.
    """
    for meter in METERS:
        meter.wanted += nbytes
    peak = 0 if is_value else work.program.peak
    if nbytes + peak <= min(SMALL_READ, LARGE_READ):
        return
    limit, results = granted(), 0 if work.targets else sum([n.desc.nbytes for n in work.nodes])
    beside = 0 if is_value else nbytes + max(peak - results, 0)
    if limit is not None:
        keep_at_most(max(0, limit - beside))
    warn_beyond(_reader(work), beside)
    free = available_memory() if nbytes > LARGE_READ else None
    if free is None or nbytes < free // 4:
        return
    need = nbytes + peak
    if need > free:
        raise OutOfMemory(
            f"{_reader(work)}: {nbytes} bytes to read, {free} bytes of memory are free; {need} are needed with "
            "temporaries and results; compute a slice at a time, or write the result with weft.save"
        )


def _reader(work: Work) -> str:
    """Return the name, for messages, of the operation that needs files as a whole."""
    pending = [n for n in walk(work.nodes) if n.value is None]
    return next((n.op.name for n in pending if n.op.kind in ("call", "scan", "take")), "file")


def _load(f: Node, fetch: Fetch) -> NDArray[Any]:
    """Return the cells of a file leaf with the fetched parts read; errors note the line that opened the file.

    Raises FileFormatError if the file is damaged or changed.
    """
    try:
        memory = fetch.memory(f.desc.nbytes)
        cells = _cells(f, memory)
        fetch.into(memory, cells)
    except WeftError as e:
        line = line_of(f)
        if line and not getattr(e, "__notes__", None):
            e.add_note(f"opened at {line}")
        raise
    return cells


def _cells(f: Node, memory: NDArray[np.uint8]) -> NDArray[Any]:
    return np.ndarray(f.desc.shape, dt.to_numpy(f.desc.dtype, f.desc.byteorder), memory, 0, f.desc.strides)
