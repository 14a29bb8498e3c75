"""Writing through trees: `assign(tree, value)` stores a value in the tensors that the tree's cells come from.

The one idea: a tree that reads every cell at most once is a map from its coordinates to memory, so a kernel can write
along it.  The tree's pieces are the destinations; all checks run before anything is written.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

from weft.api.habits import MISSING, reread
from weft.errors import DTypeError
from weft.ir.graph.node import Node, root_of, walk
from weft.modes.implicit_conversions import of_transfer
from weft.runtime.compute import stages
from weft.runtime.memory.access import byte_range
from weft.runtime.memory.limits import warn_of_wholes
from weft.tensors import place, tensor
from weft.tensors.pending_limits import Limits
from weft.tensors.place import change, lock_of
from weft.tensors.tensor import Tensor, node_of, with_values
from weft.tensors.tracing import Trace
from weft.tensors.versions import prepare_write
from weft.tensors.write_routes import WriteRoute
from weft.tensors.write_targets import Ends, Numbers, by_target, last_of_each
from weft.tensors.writing import check_kind, computed, fit, is_large, write, write_cells_traced


def assign(tree: Tensor = MISSING, value: Any = MISSING, *beyond: Any, last_wins: bool = False, **habits: Any) -> None:
    """Write a value through a tree of selections, into the tensors that its cells come from.

    `tree` is a tensor made by selections alone; `value` is anything that broadcasts to its shape, and is narrowed as in
    `x[...] = value` and read completely first.  The current versions of the inputs are written; the tree itself, like
    all expressions built before, keeps its values.  Raises DTypeError if `tree` is no tensor, the value's kind is
    higher or `last_wins` is no bool, ShapeError if the value does not broadcast.  Raises WriteError, and writes
    nothing, if a cell is generated (a margin, a fill), comes from a value without a tensor, is read-only, or is read
    twice; with last_wins=True a cell read twice gets the value of the last coordinate in row-major order.

    >>> import weft
    >>> a, b = weft.asarray([1, 2, 3]), weft.asarray([4, 5])
    >>> weft.assign(weft.concat([a, b])[::2], [10, 30, 50])
    >>> a.tolist(), b.tolist()
    ([10, 2, 30], [4, 50])
    """
    if habits or beyond or tree is MISSING or value is MISSING:  # read here, as a wrapper would keep the tree
        reread(assign, (tree, value, last_wins), beyond, habits)
        return
    _check(tree, last_wins)
    if Trace.active and (trace := Trace.here()) is not None:
        _assign_traced(trace, tree, value, last_wins)
        return
    route = WriteRoute(node_of(tree))
    given = tensor.operand(value, route.desc.dtype, "assign")
    check_kind("assign", given, route.desc.dtype)
    if not last_wins and _is_view(tree) and is_large(tree._place):
        route.check(last_wins)
        write(tree, given, "assign")
        return
    if Limits.watcher is not None:
        for p in {p.node.traits and p.node.traits.device: p for p in route.ends.places}.values():
            Limits.watcher.judge(of_transfer("assign", given, p.node))
    given = fit("assign", given, route.desc)
    del tree, value  # free the tree, so that its old values are kept only for other references
    with ExitStack() as locks:
        for p in sorted(route.ends.places, key=id):
            locks.enter_context(lock_of(p))
        route.check(last_wins)
        for p in route.ends.places:
            place.recorded_write("assign", p.node, given, False, None)
        if not route.desc.size:
            return
        if stages.UNSURE and given.traits is not None:
            stages.make_sure(given)
        pending, reads = [p.node for p in route.ends.places if p.node.value is None], _reads(given, route.ends)
        warn_of_wholes("assign", [*pending, *([given] if reads else [])])
        stages.compute(pending)
        if reads:
            given = computed(given)
        del pending  # which would count as readers
        roots = {id(p): prepare_write(_Whole(p)) for p in route.ends.places}
        if route.numbers is None:
            to = [route.ends.code(p.leaf) for p in route.found]
            stages.scatter(given, route.found, to, [t.cells(roots[id(t.place)]) for t in route.ends.targets])
        else:
            _write_cells(given, route.numbers, route.ends, roots)


def _check(tree: Any, last_wins: Any) -> None:
    """Raise DTypeError unless `tree` is a tensor and `last_wins` a bool, WriteError for a value that never changes."""
    if type(tree) is not Tensor:
        raise DTypeError(f"assign: a {type(tree).__name__} is no tensor; only tensors are written; use weft.asarray(x)")
    if type(last_wins) not in (bool, int):
        raise DTypeError(f"assign: last_wins={last_wins!r:.60}; who wins is one truth; pass True or False")
    if tree._place.kind is place.VALUE:
        raise place.value_refused("assign")


def _assign_traced(trace: Trace, tree: Tensor, value: Any, last_wins: bool) -> None:
    """Write a value through a tree of selections while a function is traced, as new versions of the tree's places.

    Raises what `assign` raises, and TracingError for parts of complex cells, or if another thread writes a place.
    """
    trace.hold(tree._place)  # so that no other thread's trace replaces its version
    n = node_of(tree)
    given = tensor.operand(value, n.desc.dtype, "assign")
    check_kind("assign", given, n.desc.dtype)
    if _is_view(tree):
        write(tree, given, "assign")
        return
    route = WriteRoute(n)
    given = fit("assign", given, route.desc)
    for p in route.ends.places:
        place.recorded_write("assign", p.node, given, False, None)
    write_cells_traced(trace, route, given, "assign", last_wins)


def _is_view(tree: Tensor) -> bool:
    """True if a tree is one place's value, or a view of it."""
    root = root_of(node_of(tree))
    return root is tree._place.node and root.op.kind != "selection"


class _Whole:
    """A stand-in for a tensor of a whole place, with only the two attributes that writing uses."""

    __slots__ = ("_place", "_view")

    def __init__(self, place: Any) -> None:
        self._place, self._view = place, None


def _reads(value: Node, ends: Ends) -> bool:
    """True if the expression of `value` reads memory of a place in `ends`, which is about to be written."""
    roots = {id(p.node) for p in ends.places}
    shared = sorted({(p.region.low, p.region.high) for p in ends.places if p.region is not None})
    lows = [low for low, _ in shared]
    for n in walk([value]):
        if id(n) in roots:
            return True
        if shared and isinstance(n.value, np.ndarray):  # no file
            start, stop = byte_range(n.value)
            last = bisect_left(lows, stop) - 1
            if last >= 0 and shared[last][1] > start:
                return True
    return False


def _write_cells(value: Node, numbers: Numbers, ends: Ends, roots: dict[int, Node]) -> None:
    """Write each cell of `value` to the memory cell with its number; of equal numbers, the last one wins.

    `numbers` has a number for each cell of the value, as `Ends` defines it; `roots` has the stored version of each
    place, by the id of the place.
    """
    last = last_of_each(numbers, ends)
    given = with_values(value, lambda values: values.reshape(-1)[last])
    for target, chosen, positions in by_target(numbers.reshape(-1)[last], ends):
        change(target.cells(roots[id(target.place)]), partial(_put, positions or ..., given[chosen]))


def _put(positions: Any, values: np.ndarray, memory: np.ndarray) -> None:
    """Write values at positions of an array."""
    memory[positions] = values
