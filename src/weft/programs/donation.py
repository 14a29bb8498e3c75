"""Donation: memory of arguments and of written tensors, which a call may reuse for its results.

The one idea: a call knows which holes have memory that nothing else uses; the plan tells which outputs can lie there.
A tensor donated by name cannot be used after the call, wherever the results lie; a written tensor has its next version.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from weft.api.storages.resizing import release
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node
from weft.programs.holed_graph import HoledGraph
from weft.runtime.memory.access import SMALL
from weft.runtime.memory.fingerprints import forgotten
from weft.tensors.place import Place
from weft.tensors.tensor import Tensor
from weft.tensors.versions import is_sole

Donors = list[tuple[int, int, bool]]  # see `RecurringWork.offer`


def donors(graph: HoledGraph, written: Sequence[tuple[int, int]], donated: Collection[int]) -> Donors:
    """Return (output, hole, is written) for each output that may reuse the memory of a hole.

    `written` holds pairs of an output and the hole whose next version it is.  `donated` are further holes, which any
    output may reuse.
    """
    found = [(k, h, True) for k, h in written if _is_alike(graph.descs[k], graph.holes[h])]
    for h in donated:
        found += [(k, h, False) for k, d in enumerate(graph.descs) if _is_alike(d, graph.holes[h])]
    return found


def _is_alike(desc: TensorDescription, hole: Node) -> bool:
    """True if output `desc` can reuse the memory of a hole: large, row-major, of the same shape and dtype."""
    like = hole.desc
    plain = ir.result(like.dtype, like.shape, like.origin) is like
    return plain and desc.nbytes >= SMALL and desc.dtype is like.dtype and desc.shape == like.shape


def free_holes(graph: HoledGraph, places: Sequence[Place], nodes: Sequence[Node]) -> set[int]:
    """Return the indices of holes whose memory a call may overwrite: large, and referenced only by their tensor.

    `nodes` are the operands of the call, to which only `places` refer. The caller holds the places' locks.
    """
    found = {h for h in {h for _, h, _ in graph.donors} if places[h].node is nodes[h] and is_sole(places[h], 1)}
    for h in found:
        forget(nodes[h])
    return found


def forget(n: Node) -> None:
    """Drop the fingerprint of the stored node n, whose memory weft itself is about to write."""
    n.fingerprint, n.tree = forgotten(n.fingerprint), None


def mark_donated(tensors: Sequence[tuple[Tensor, str]]) -> None:
    """Mark tensors so that later uses raise DonatedError with the name of the argument.

    `tensors` are pairs of a tensor and that name; views and read-only tensors are not marked.
    """
    for t, name in tensors:
        if t._view is None and not t._place.node.desc.read_only:
            release(t._place, name)
