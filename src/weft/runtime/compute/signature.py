"""The key of pending nodes: two graphs with the same key run the same program.

The one idea: walk the graph once, number the nodes in the order met, and note of each only the facts that its program
depends on: structure, attributes, descriptions, and whether a live handle holds it.  Arrays and numbers become
arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DonatedError, TracingError, ValueRangeError
from weft.ir.atoms.selections import MAX_CELLS
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, current_place, user_frame, walk
from weft.ir.graph.ops import OPS, Op
from weft.ir.graph.traced import ArgumentName
from weft.ir.pieces.normal_form import Piece
from weft.passes.draft import Draft
from weft.passes.fuse import below, is_stored, layout, worth_keeping
from weft.passes.narrowing.anchor import is_sliced_file, over_file_views
from weft.passes.narrowing.prune import FEW as NARROW
from weft.passes.narrowing.prune import MANY, MANY_NARROW
from weft.passes.pipeline import pruned_roots
from weft.passes.simplify.key_scalars import key_scalars, note_choices
from weft.passes.simplify.value_rules import READING, SPECIAL, is_looked_at
from weft.passes.simplify.view_joins import JOINS, have_neighbours, merged
from weft.passes.switches import OPEN, has_user_passes, switches
from weft.runtime.compute.field_reads import GENERATORS, READ, fits, is_field, reads_memory

WHOLE = ("reduce", "scan", "bins", "call")  # a reader of a part computes the whole: kept for a handle
_COPY, _FILE, _LEAF, _SCALAR = OPS["positive"], OPS["file"], OPS["leaf"], OPS["scalar"]
_BOOL = dt.bool
# Costly values that a gradient is likely to read; they are kept while their records exist.
SAVED = frozenset([row for row in OPS.values() if row.kind == "call" and row.error == "library"])


def freed(n: Node) -> ValueRangeError:
    """Return the ValueRangeError for a read of cells of a deallocated storage, or of a donated tensor."""
    if n.attrs:
        return DonatedError(
            f"read: the {n.desc!r} was donated: {n.attrs[0]}; its memory may hold a result now; use what the call "
            "returned, or leave it out of donate="
        )
    return ValueRangeError(
        f"read: the {n.desc!r} lay in a storage that was deallocated; its cells are gone; copy() before dealloc()"
    )


def unfed(n: Node) -> ValueRangeError | TracingError:
    """Return the error for a read of a placeholder without a value: ValueRangeError, or TracingError inside a trace."""
    if isinstance(n.attrs[0], ArgumentName):
        frame = user_frame()
        line = f" at {frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""
        if n.attrs[0].is_over:
            return TracingError(
                f"{n.attrs[0].by}: {n.attrs[0]} is read{line} after it was traced; it stood for the values of all "
                "calls and has none; return what is needed instead of keeping it"
            )
        if n.attrs[0].by == "vmap":
            return TracingError(
                f"vmap: a value of {n.attrs[0]} is read{line}; it stands for all entries of a batch, and what is built "
                "here serves for all; choose with weft.where() or weft.cond(), or call the function in a loop"
            )
        return TracingError(
            f"compile: a value of {n.attrs[0]} is read{line}; it is there only at each call, and what is built here "
            "serves for all; choose with weft.where(), or compute what is read outside and pass it as a static argument"
        )
    return ValueRangeError(
        f"read: placeholder {n.attrs[0]!r} of {n.desc!r} has no value; a computation that has it as an input gives it "
        "one; call weft.computation(outputs, placeholder)(value)"
    )


VALUELESS = {OPS["freed"]: freed, OPS["placeholder"]: unfed}  # sources that cannot be read → maker of the error
_IOTA = OPS["iota"]
_SPECIAL = GENERATORS.union(JOINS, VALUELESS, [_IOTA])
STAGED = frozenset([OPS["checked"], OPS["transfer"]])  # ops that need stages beside the program
_CHOICE = frozenset([_IOTA, OPS["where"]])
_LOOKING = _CHOICE.union(JOINS, VALUELESS, STAGED, [_FILE])
FEW = 32  # most levels of a graph whose program is looked up without a search for values that others read, too
AT_ONCE = 128  # most nodes of a graph whose program is looked up at once


class Work:
    """Pending nodes to compute, and the results of the stages so far."""

    nodes: Sequence[Node]
    targets: Sequence[Node]  # stored nodes whose memory receives the value; empty: values get new memory
    parts: Sequence[Piece] | None  # written cells: those that piece i reads of targets[to[i]]; None: all
    to: Sequence[int]
    given: Collection[int]  # ids of scalars that have other numbers in the next call: they are equal to no other
    # Of the stage "program":
    key: tuple[Any, ...]
    roots: Sequence[Node]  # the nodes, or cheaper nodes with the same cells
    order: dict[Node, int]  # the numbers in the key of all nodes below the roots
    leaves: Any  # the list of stored nodes, views of stored ones, and files
    arguments: list[Any]  # (array, byte offset) of every leaf, flat; sources stand for arrays until they are loaded
    marked: list[Node]  # leaves whose memory others may write
    sources: Any  # numbers of the leaves whose bytes lie elsewhere
    numbers: Sequence[Any]
    live: dict[int, bool]  # numbers of nodes to be stored for a handle or a gradient; False: only for views
    first_reads: Sequence[Node]  # values with a handle, read for the first time: cheap to generate again
    repeated_reads: Sequence[Node]  # such values read before
    joins: dict[int, Node]  # by id: joins of adjacent stored views, merged into one leaf
    key_scalars: Collection[int]  # ids of scalars whose numbers are part of the key
    equal: dict[int, Node]  # by id: scalars that the key marks as equal to another
    program: Any
    transformer: Any
    epoch: object  # the epoch of writes when the arguments were read
    values: Sequence[np.ndarray]  # of the stage "run"

    __slots__ = tuple(__annotations__)
    saved: ClassVar[frozenset[Op]] = SAVED  # ops whose recorded values are stored

    def __init__(
        self,
        nodes: Sequence[Node],
        targets: Sequence[Node] = (),
        parts: Sequence[Piece] | None = None,
        to: Sequence[int] = (),
        given: Collection[int] = (),
    ) -> None:
        self.nodes, self.targets, self.parts, self.to, self.given = nodes, targets, parts, to, given

    def draft(self) -> Draft:
        """Return a draft of the graph below the roots, for the passes to plan."""
        scalars = [n for n in self.order if n.op is _SCALAR]
        ids = list(map(id, self.order))
        live = frozenset([ids[k] for k in self.live])
        held = frozenset([ids[k] for k, whole in self.live.items() if whole])
        numbers = frozenset(self.key_scalars)
        return Draft(self.roots, below(self.roots), self.leaves, scalars, live, held, numbers, self.joins, self.equal)


class GradientWork(Work):
    """Work that computes all gradients of a pass, so that values in between are not kept for others."""

    __slots__ = ()
    saved = frozenset()


class RepeatedWork(Work):
    """Work that will be run again with other operands, so it is planned at its first run."""

    __slots__ = ()


class MaskWork(Work):
    """Work whose only node is a mask, to find the cells of `value` at which the mask is true.

    A stage may find those cells without computing the mask; once the mask is stored, the node is replaced by `value`,
    which no stage computes.
    """

    __slots__ = ("cells", "mask", "value")

    cells: Node | None  # the cells found by a stage

    def __init__(self, mask: Node, value: Node) -> None:
        super().__init__((mask if mask.value is None else value,))
        self.mask, self.value, self.cells = mask, value, None


class RewriteWork(Work):
    """Work that prepares a write to some cells of a version, its first node.

    Without `put`, a stage says whether the version is too large to be computed as a whole, and computes nothing.  With
    it, the stage computes the version tile by tile, has `put` change each tile, and keeps the result as `cells`.
    """

    __slots__ = ("cells", "is_large", "put")

    cells: Node | None

    def __init__(self, version: Node, put: Callable[..., None] | None = None, mask: Sequence[Node] = ()) -> None:
        super().__init__((version, *mask))
        self.is_large, self.put, self.cells = False, put, None


# `limits` are the most nodes of a graph with narrow joins, and with wide ones; if empty, nothing is pruned
def read(work: Work, roots: Sequence[Node], limits: Sequence[int] = (MANY_NARROW, MANY)) -> Work:
    """Store in `work` the key and the arguments of the graph below `roots`, pruned if large; return the work."""
    known, live = work.order, work.live = {}, {}  # annotated dicts would take 0.4 us each
    leaves, arguments, numbers, sources = work.leaves, work.arguments, work.numbers, work.sources = [], [], [], []
    above: list[Node] = []  # nodes whose inputs follow in the key
    key: list[Any] = [switches()]
    special: set[Op] = set()
    inputs, reader = roots, roots[0]
    several, most = False, MAX_CELLS  # whether a node has several readers; nodes up to which a graph is not pruned
    while True:
        for n in inputs:
            if n in known:
                key.append(known[n])
                several = True
                continue
            known[n], alias, op = (number := len(known)), n.alias, n.op
            if (value := n.value if alias is None else alias[0].value) is not None:
                if op is _FILE or (alias is not None and alias[0].op is _FILE):
                    sources.append(len(leaves))
                leaves.append(n)
                arguments += (value, 0 if alias is None else alias[1])
                key.append(n.desc)
            elif op is _SCALAR:
                dtype, x = n.desc.dtype, n.attrs[0]
                numbers.append(x)
                if x in SPECIAL and reader.op in SPECIAL[x]:
                    special.add(op)
                key.append(dtype.name if dtype is not _BOOL else "true" if x else "false")
            elif n.value is not None:  # a view computed without its root
                leaves.append(n)
                arguments += (n.value, 0)
                key.append(layout(n))
            else:
                if (arity := len(n.inputs)) > 1 and op.kind == "selection" and limits:
                    most = min(most, limits[arity > NARROW])
                if number + arity > most:
                    return read(work, pruned_roots(roots), ())
                if op is _COPY and reader.alias is not None and is_sliced_file(n, reader) and special.isdisjoint(JOINS):
                    return read(work, over_file_views(roots), limits)
                key += (op, n.attrs, n.desc, arity)
                above.append(n)
                if op in _SPECIAL and (op not in JOINS or have_neighbours(n, n.inputs)):
                    special.add(op)
                if n.place is not None and number and (place := n.place()) is not None and place.node is n:
                    live[number] = place.held
                elif n.traits is not None and number and op in work.saved and n.traits.record is not None:
                    live[number] = True
        if not above:
            break
        inputs = (reader := above.pop()).inputs
    work.roots = roots
    work.marked = [r for n in leaves if (r := n if n.alias is None else n.alias[0]).fingerprint is not None]
    work.first_reads, work.repeated_reads, work.key_scalars, work.joins, work.equal = (), (), (), {}, {}
    if live:
        _leave_out(work, not special.isdisjoint(GENERATORS))
        key.append(tuple(live.items()))
    if special or OPEN or (several and len(set(numbers)) < len(numbers)):
        _note_special(work, special, key)
    work.key = (*key, *_target_key(work)) if work.targets else tuple(key)
    return work


def _note_special(work: Work, special: set[Op], key: list[Any]) -> None:
    """Append to the key the numbers that rewrite rules depend on, and the layout of joined adjacent views.

    `special` are the ops found in the graph. Raises the error of the first node that can have no value: ValueRangeError
    for a freed or donated one, TracingError for a placeholder of a trace.
    """
    if not special.isdisjoint(VALUELESS):
        raise next(VALUELESS[n.op](n) for n in work.order if n.op in VALUELESS)
    anchored = len(work.nodes) == 1 and work.nodes[0].alias is not None and work.roots[0] is not work.nodes[0]
    if not anchored:  # not of positions
        scalars, equal, part = _numbers_read(work.order, _SCALAR in special, work.numbers, work.given)
        key += part
        work.key_scalars, work.equal = {id(s) for s in scalars}, {id(n): f for n, f in equal.items()}
    if _IOTA in special and (numbers := _key_numbers(work)):
        key += ("numbers", numbers)
    if not special.isdisjoint(JOINS) and (joined := _joined(work)):
        key += ("joined", joined)
    if has_user_passes():  # they may look at all numbers
        key.append(tuple(map(repr, work.numbers)))
        work.key_scalars = {id(n) for n in work.order if n.op is _SCALAR}


FewNodes = tuple[tuple[Any, ...], Sequence[Any], Sequence[Any], Collection[Node]]  # key, arguments, numbers, nodes


def read_few(roots: Sequence[Node]) -> FewNodes | None:
    """Return (key, arguments, numbers, nodes in order) like `read`, of a graph of few ordinary nodes on the host.

    No nodes unless handles hold some; None for any other graph, and if others have written the operands' memory since
    the graph was built.  The caller holds the lock of graphs.
    """
    known: dict[Node, int] = {}
    key: list[Any] = [switches()]
    arguments: list[Any] = []
    numbers: list[Any] = []
    looked_at = False  # whether rules may depend on numbers
    above: list[Node] = []  # nodes whose inputs follow in the key
    live: list[tuple[int, bool]] = []
    choice: set[Op] = set()
    inputs, reader = roots, roots[0]
    while True:
        for n in inputs:
            if n in known:
                key.append(known[n])
                continue
            known[n] = number = len(known)
            op, alias = n.op, n.alias
            root = n if alias is None else alias[0]
            if root.op is _LEAF and (root is n or n.value is None):
                if (f := root.fingerprint) is not None and f.samples is not None and f.cells != f.samples:
                    return None
                key.append(n.desc)
                arguments += (root.value, 0 if alias is None else alias[1])
            elif op is _SCALAR:
                x, dtype = n.attrs[0], n.desc.dtype
                if dtype is _BOOL:
                    return None
                if x in SPECIAL and reader.op in SPECIAL[x]:
                    looked_at = True
                key.append(dtype.name)
                numbers.append(x)
            elif n.traits is not None or n.value is not None or (op in _LOOKING and _looks(n, choice)):
                return None
            else:
                key += (op, n.attrs, n.desc, len(n.inputs))
                above.append(n)
                if number and n.place is not None and (place := n.place()) is not None and place.node is n:
                    live.append((number, place.held))
        if not above:
            break
        if len(known) > AT_ONCE:
            return None
        inputs = (reader := above.pop()).inputs
    if live and not GENERATORS.isdisjoint([n.op for n in known]):
        order = list(known)
        if not all(reads_memory(order[k]) for k, _ in live):
            return None  # a field may be cheaper to make again
    key += [tuple(live)] if live else ()
    if looked_at or len(set(numbers)) < len(numbers):
        key += _numbers_read(known, looked_at, numbers)[2]
    if len(choice) > 1:
        note_choices(key, roots, known)
    return tuple(key), arguments, numbers, known if live else ()


def key_of_numbers(
    op: Op, desc: TensorDescription, dtypes: Sequence[DType], numbers: Sequence[Any]
) -> tuple[Any, ...] | None:
    """Return the key of `read_few` for an operation on numbers alone, with the result `desc`.

    None for bools, and for numbers by which the operation may be simplified.
    """
    if _BOOL in dtypes or len(set(numbers)) < len(numbers):
        return None
    for x in numbers:
        if x in SPECIAL and op in SPECIAL[x]:
            return None
    return switches(), op, (), desc, len(numbers), *[d.name for d in dtypes]


def _looks(n: Node, choice: set[Op]) -> bool:
    """True if the plan of a node of `_LOOKING` depends on more than the structure of its graph and numbers.

    That is so for joins of neighbours.  `choice` receives the ops by which numbers may decide where cells come from.
    """
    if n.op in _CHOICE:
        choice.add(n.op)
        return False
    return n.op not in JOINS or have_neighbours(n, n.inputs)


def _target_key(work: Work) -> Iterable[Any]:
    """Return the part of the key that describes the targets: their layouts, and the pieces that are written."""
    if work.parts is None:
        return work.targets[0].desc, None
    parts = [(p.sizes, p.start, p.step, p.rows, k) for p, k in zip(work.parts, work.to, strict=True)]
    return *[t.desc for t in work.targets], tuple(parts)


def _leave_out(work: Work, has_fields: bool) -> None:
    """Remove from `work.live` the nodes that are cheaper to read from a file or to generate again than to store.

    With `has_fields`, the graph has random or other generated tensors.
    """
    if work.sources:
        _keep_whole(work)
    if has_fields:
        order = list(work.order)
        if not all(reads_memory(order[k]) for k in work.live):
            _keep_fields(work)


def _keep_whole(work: Work) -> None:
    """Remove from `work.live` the nodes that depend on a file of which parts can be read."""
    order = list(work.order)
    for k in list(work.live):
        n = order[k]
        if (n.op.kind not in WHOLE or current_place(n) is None) and any(i.op is _FILE for i in walk([n])):
            del work.live[k]


def _keep_fields(work: Work) -> None:
    """Remove from `work.live` the generated fields that no earlier program has read.

    A field above a field that was read counts as read, too; fields that do not fit into their share of memory are
    removed.
    """
    fields: set[Node] = set()
    known: set[Node] = set()  # those that a program has read, and what is made of these
    passed: list[Node] = []
    again: list[Node] = []
    for n in below(work.roots):
        if is_stored(n) or n.op is _SCALAR or not ((fields or n.op in GENERATORS) and is_field(n, fields)):
            continue
        fields.add(n)
        if n in READ or not known.isdisjoint(n.inputs):
            known.add(n)
        if work.order[n] in work.live and worth_keeping(n) and n not in work.roots:
            kept = n in known and fits(n, again)
            (again if kept else passed).append(n)
            if not kept:
                del work.live[work.order[n]]
    work.first_reads, work.repeated_reads = passed, again


def _key_numbers(work: Work) -> tuple[Any, ...]:
    """Return pairs (node's number, numbers and values of scalars) for nodes whose rewrites depend on the values."""
    found = key_scalars(below(work.roots), work.order)
    work.key_scalars = {*work.key_scalars, *[id(s) for _, scalars in found for s in scalars]}
    return tuple([(k, tuple([(work.order[s], s.attrs[0]) for s in scalars])) for k, scalars in found])


def _numbers_read(
    order: dict[Node, int], has_read: bool, numbers: Sequence[Any], given: Collection[int] = ()
) -> tuple[Sequence[Node], dict[Node, Node], tuple[Any, ...]]:
    """Return (scalars whose values rules read, scalars by those that equal them, the key's part for both).

    No scalar is read without `has_read`. The first with a value counts as equal only if two operations of the graph
    become the same then; scalars with the ids `given` equal no other.
    """
    scalars, equal = [], {}
    if has_read:
        readers = [n for n in order if n.op in READING and n.value is None]
        scalars = [s for n in readers for s in n.inputs if s.op is _SCALAR and is_looked_at(n, s)]
    if len(set(numbers)) < len(numbers) and _are_twins(order):
        first: dict[Any, Node] = {}
        free = [n for n in order if n.op is _SCALAR and id(n) not in given]
        equal = {n: f for n in free if (f := first.setdefault(_value(n), n)) is not n}
    if not scalars and not equal:
        return (), {}, ()
    pairs = tuple([(order[f], order[n]) for n, f in equal.items()])
    return scalars, equal, ("numbers", tuple([(order[s], repr(s.attrs[0])) for s in scalars]), pairs)


def _are_twins(order: Iterable[Node]) -> bool:
    """True if two nodes of `order` have the same op, attributes and inputs, where equal scalars count as the same."""
    readers: dict[Node, Node | None] = {}  # nodes with a scalar, and their first other operand
    for n in order:
        if n.value is None:
            other, reads = None, False
            for i in n.inputs:
                if i.op is _SCALAR:
                    reads = True
                elif other is None:
                    other = i
            if reads:
                readers[n] = other
    if len(set(readers.values())) == len(readers):
        return False
    does = {(n.op, n.attrs, *[_value(i) if i.op is _SCALAR else i for i in n.inputs]) for n in readers}
    return len(does) < len(readers)


def _value(scalar: Node) -> tuple[str, str]:
    return scalar.desc.dtype.name, repr(scalar.attrs[0])


def _joined(work: Work) -> tuple[Any, ...]:
    """Replace each join of views that are adjacent in memory by one view; return these joins' part of the key."""
    found: list[Any] = []
    for n in sorted([n for n in work.order if n.op in JOINS and not is_stored(n)], key=attrgetter("depth")):
        join = merged(n, [work.joins.get(id(i), i) for i in n.inputs], is_stored)
        if join is None:
            continue
        work.joins[id(n)] = join
        given = (join,) if is_stored(join) else join.inputs
        for leaf in [p for p in given if is_stored(p) and p not in work.order]:
            if leaf.alias is not None and leaf.alias[0].op is _FILE:
                work.sources.append(len(work.leaves))
            work.leaves.append(leaf)
            work.arguments += argument(leaf)
        found.append((work.order[n], *[work.order.get(p, p.desc) for p in given]))
    return tuple(found)


def argument(n: Node) -> tuple[Any, int]:
    """Return a leaf's array (or the source of a file), and the byte offset of its first cell."""
    if n.alias is not None and n.alias[0].value is not None:
        return n.alias[0].value, n.alias[1]
    return n.value, 0
