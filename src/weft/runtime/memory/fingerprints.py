"""Fingerprints: tests whether shared memory still holds the cells that pending expressions read.

The one idea: when an operation is built over such memory, a few cells spread over it are sampled, and compared before
the expression runs.  Nothing else is copied, and weft's own writes take a new fingerprint.  While checks are on
(`weft.passes.switches.Checking`), a digest of all cells replaces the samples.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from weft.errors import OverwrittenError
from weft.ir.graph.node import Node, line_of, walk
from weft.passes.switches import Checking

SMALL = 64  # bytes up to which all cells are compared
SAMPLES = 8  # cells sampled of larger memory in each of two rows: from the first cell on, and up to the last
_WORDS = {n: np.dtype(f"u{n}") for n in (1, 2, 4, 8)}  # dtypes whose memory views are compared fastest
_BYTE = _WORDS[1]


class Fingerprint:
    """Samples of shared memory: `cells` views it, and `samples` is a copy of them (None: not taken yet); immutable.

    `is_digest`: they are a digest of all cells.  `references`: how many references to the memory the fingerprint holds.
    """

    __slots__ = ("cells", "is_digest", "references", "samples")

    def __init__(self, cells: Any, samples: Any, is_digest: bool = False, references: int = 1) -> None:
        self.cells, self.samples, self.is_digest, self.references = cells, samples, is_digest, references


UNSEEN = Fingerprint(b"", None, False, 0)  # the fingerprint of memory that was just shared
CHANGED = Fingerprint(b"", b"others", False, 0)  # the fingerprint of memory whose cells are known to be lost


class _Digest:
    """A digest of an array's cells, computed anew at each comparison."""

    def __init__(self, memory: np.ndarray) -> None:
        self.memory = memory

    def now(self) -> int:
        """Return the digest of the current cells, of 64 bits."""
        return hash(self.memory.tobytes())

    def __eq__(self, earlier: object) -> bool:
        return self.now() == earlier

    __hash__ = None  # type: ignore[assignment]


def fingerprint_of(memory: np.ndarray) -> Fingerprint:
    """Return a new fingerprint of an array, sampled now."""
    if Checking.on:
        digest = _Digest(memory)
        return Fingerprint(digest, digest.now(), True)
    cells = _sample_view(memory)
    return Fingerprint(cells.data, cells.copy().data)


_UNREAD = 4  # references to a version without readers: its place, a variable, an argument, getrefcount


def watch_export(n: Node) -> None:
    """Watch a node whose memory is exported: sample its cells now if expressions read it, else later.

    Later is when an expression first reads the node.
    """
    n.fingerprint = UNSEEN if sys.getrefcount(n) <= _UNREAD else fingerprint_of(n.value)


def fingerprint_again(earlier: Fingerprint, memory: np.ndarray) -> Fingerprint:
    """Return a new fingerprint of an array, sampled now.

    `earlier`, one of the same memory, is reused where possible.
    """
    if earlier.is_digest or Checking.on or not earlier.references:
        return fingerprint_of(memory)
    return Fingerprint(earlier.cells, memoryview(earlier.cells.obj.copy()))


def forgotten(earlier: Fingerprint | None) -> Fingerprint | None:
    """Return a fingerprint of the same memory as `earlier` without samples, or None for None."""
    return None if earlier is None else Fingerprint(earlier.cells, None, earlier.is_digest, earlier.references)


def _sample_view(memory: np.ndarray) -> np.ndarray:
    """Return a view of sample cells as unsigned words: along the memory if it is row-major, else along the diagonal."""
    itemsize = memory.itemsize
    word = min(itemsize, 8)
    pair = (2,) if itemsize > 8 else ()
    if memory.flags.c_contiguous:
        raw = memory if memory.dtype.isbuiltin == 1 else memory.reshape(-1).view(np.uint8)
        nbytes = memory.nbytes
        if nbytes <= SMALL:
            return np.ndarray((nbytes,), _BYTE, raw)
        step, shift = _steps(nbytes // itemsize)
        if pair:
            return np.ndarray((2, SAMPLES, 2), _WORDS[8], raw, 0, (shift * itemsize, step * itemsize, 8))
        return np.ndarray((2, SAMPLES), _WORDS[word], raw, 0, (shift * itemsize, step * itemsize))
    shape, strides = memory.shape, memory.strides
    if memory.nbytes > SMALL:
        steps = [_steps(n) for n in shape]
        strides = (
            sum([shift * s for (_, shift), s in zip(steps, strides, strict=True)]),
            sum([step * s for (step, _), s in zip(steps, strides, strict=True)]),
        )
        shape = (2, SAMPLES)
    words = (memory.real if pair else memory).view(_WORDS[word])
    return as_strided(words, (*shape, *pair), (*strides, word) if pair else strides, writeable=False)


def _steps(n: int) -> tuple[int, int]:
    """Return the step between samples of n cells, and the offset of the second row of samples."""
    step = (n - 1) // (SAMPLES - 1)
    return step, n - 1 - step * (SAMPLES - 1)


def differs(n: Node) -> bool:
    """True if code outside weft has written sampled cells of a stored node."""
    f = n.fingerprint
    while f is not None and f.samples is not None and f.cells != f.samples:
        if n.fingerprint is f:
            return True
        f = n.fingerprint  # weft itself wrote meanwhile, and took a new fingerprint before
    return False


def references(n: Node) -> int:
    """Return how many references to a node's memory its fingerprint holds."""
    return 0 if n.fingerprint is None else n.fingerprint.references


def copied_fingerprint(n: Node) -> Fingerprint | None:
    """Return the fingerprint for a copy of a node's cells: CHANGED if others have written the cells, else None."""
    return CHANGED if differs(n) else None


def compare(nodes: list[Node], roots: list[Node]) -> None:
    """Raise OverwrittenError if others have written the memory of stored `nodes`, which the pending `roots` read."""
    for n in nodes:
        if differs(n):
            raise _overwritten(n, roots)


def _overwritten(n: Node, roots: list[Node]) -> OverwrittenError:
    """Return the OverwrittenError for a stored node written by others; it names the op that reads it, and its line."""
    reads = (r for r in walk(roots) if any(i is n or (i.alias is not None and i.alias[0] is n) for i in r.inputs))
    reader = next((r for r in reads if r.alias is None), roots[0])
    line = line_of(reader) or line_of(roots[0])
    return OverwrittenError(
        f"{reader.op.name}: its operand {n.desc!r} lies in memory that others share, and they have written it since "
        f"the expression was built{f' at {line}' if line else ''}; the cells that it had to read are gone; realize() "
        "the result before they write, or import the operand with copy=True"
    )
