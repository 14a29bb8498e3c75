"""Writes of few cells into versions in a scratch file: in place, while the old version has no reader.

The one idea: a large version that was rewritten is a file of its own.  As an expression on top of it, each write would
be computed again for every tile, and after some of them the whole version again.  While the cells are written, that
expression is the version: it takes them from the value, whatever the file has, so that readers, forked processes and
interrupts in between find all of them new.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from weft.ir.atoms.adjoints import is_followed, views_of
from weft.ir.atoms.atom import strides_of
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.runtime.fork_safety import Forks
from weft.runtime.memory.limits import limit_of_sweeps
from weft.runtime.references import extra_references_each
from weft.tensors.place import Place

_COPY, _FILE, _RESHAPE, _WINDOW = OPS["positive"], OPS["file"], OPS["reshape"], OPS["window"]
MOST_RUNS = 4096  # most runs of neighbouring cells that are written one by one
FEW = 8  # most of the memory limit that a value may take, as 1 / FEW


class ScratchRuns(NamedTuple):
    """Cells of a scratch file: runs of neighbouring ones from the numbers `starts` on."""

    scratch: Any
    starts: np.ndarray

    def write(self, values: np.ndarray) -> None:
        """Write values, the cells of all runs in their order; raises WriteError if the file cannot be written to."""
        rows = np.ascontiguousarray(values, self.scratch.dtype.np).reshape(len(self.starts), -1)
        for start, row in zip(self.starts.tolist(), rows, strict=True):
            self.scratch.overwrite(start, row)


def own(place: Place, version: Node) -> None:
    """Make a place the owner of the scratch file that `version`, made by rewriting, copies.

    Does nothing for a version that copies no such file.
    """
    if (scratch := _scratch_of(version)) is not None:
        scratch.owner = ref(place), Forks.count


def scratch_runs(place: Place, view: Node, value: Node) -> ScratchRuns | None:
    """Return the cells of a view of a place's version in the scratch file that it owns; else None.

    None if it copies none, for views of all cells, of another dtype or with repeated cells, and if the value is large
    or goes to many short runs.
    """
    version = place.node
    scratch, itemsize = _scratch_of(version), view.desc.dtype.itemsize
    if scratch is None or view is version or not _is_owner(place, scratch):
        return None
    if view.desc.dtype is not version.desc.dtype or value.desc.nbytes > limit_of_sweeps() // FEW:
        return None
    if view.alias is None or not is_followed(view, version) or any(v.op is _WINDOW for v in views_of(view)):
        return None
    starts = _run_starts(view.alias[1], view.desc.shape, strides_of(view), itemsize)
    return None if starts is None else ScratchRuns(scratch, starts // itemsize)


def is_sole_reader(place: Place, scratch: Any) -> bool:
    """True if a place owns a scratch file, and only the place's version reads it, directly or through one copy.

    The caller must hold no reference to the copy.
    """
    return _is_owner(place, scratch) and not _is_read_below(place.node)


def _is_owner(place: Place, scratch: Any) -> bool:
    """True if a place owns a scratch file; copies read it as well, and forked processes."""
    return bool(scratch.owner == (ref(place), Forks.count))


def _scratch_of(n: Node) -> Any:
    """Return the scratch file whose cells, in row-major order, a version copies; None if there is none."""
    if n.op is not _COPY:
        return None
    while n.op is _COPY or n.op is _RESHAPE:
        n = n.inputs[0]
    return n.attrs[0] if n.op is _FILE and hasattr(n.attrs[0], "overwrite") else None


def _is_read_below(version: Node) -> bool:
    """True if a node below a version has references beyond those of the version's own chain.

    The chain refers to each node once as an input, and once more for each view on it. A reduction that was rewritten
    for tiles, and then interrupted, refers to such nodes and not to the version.
    """
    chain = [version]
    while chain[-1].inputs:
        chain.append(chain[-1].inputs[-1])
    views = Counter([id(n.alias[0]) for n in chain if n.alias is not None])
    extra = extra_references_each(chain)
    return any(extra[k] > 1 + views[id(n)] for k, n in enumerate(chain) if n is not version)


def _run_starts(first: int, shape: Shape, strides: Shape, itemsize: int) -> np.ndarray | None:
    """Return the offset in bytes of each run of neighbouring cells, in row-major order.

    The cells lie from byte `first` on with `strides` in bytes. None if there are over 4096 runs.

    >>> _run_starts(8, (2, 3), (40, 8), 8).tolist()
    [8, 48]
    """
    outer = len(shape)
    while outer and (shape[outer - 1] == 1 or strides[outer - 1] == itemsize * prod(shape[outer:])):
        outer -= 1
    if prod(shape[:outer]) > MOST_RUNS:
        return None
    starts = np.array([first])
    for n, step in zip(shape[:outer], strides[:outer], strict=True):
        starts = (starts[:, None] + np.arange(n) * step).reshape(-1)
    return starts
