"""Choose the nodes that get stored; all others are fused into the kernels that need them.

The one idea: storing is the exception.  A node gets memory when it is asked for, when a routine or a reduction needs or
makes a whole array, when a live handle wants it and it is worth keeping, or when computing it again for every reader
would cost more than one trip through memory.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple

from weft.dtypes import float32, float64, int32, int64
from weft.ir.atoms.reshape import reshape_groups
from weft.ir.atoms.table import AFFINE, COMPOSITE
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, result, root_of, walk
from weft.ir.graph.ops import ARRAYWISE, BARRIERS, CELLWISE, OPS
from weft.passes.switches import replaced

MAX_BODY = 512  # cost of the steps fused into one kernel, in cheap ones: more code would leave its cache
MAX_LEAVES = 64  # most operands of a kernel
GATHERED = OPS["gather"].cost
HUGE = 1 << 30  # bytes of a value from which it is not stored for the sake of a few parts
SPARE = 8 << 20  # bytes that values read by several kernels may take beside a program's inputs and outputs
PART = 8  # where these take more together, each may have at most 1 / PART of the inputs' and outputs' bytes
RUN = 16  # cells of a run: views with shorter runs are copied before a product reads them
AGAIN = 1 << 20  # bytes of a left operand from which it leaves the caches before each run reads it again
FEW_BYTES = 1 << 12  # bytes of a live value up to which it is stored even if only parts are read: it costs no time
DEAR = 7  # cost (in additions) from which computing twice is worse than a trip through memory
MANY = 48  # cost (in additions) from which repeating cheap steps is worse than a trip through memory

_REORDERING = {"permute", "expand_dims", "squeeze", "translate"}
_REPEATING = {"broadcast_to", "tile", "repeat", "window", "pad"}


class Weight(NamedTuple):
    """The work that a node adds to its reader's kernel if it is fused; costs are capped at DEAR."""

    cost: int
    body: int
    leaves: int

    @property
    def share(self) -> float:
        """The part of a kernel's limits that the node takes: 1.0 fills a kernel."""
        return max(self.body / MAX_BODY, self.leaves / MAX_LEAVES)


_STORED = Weight(0, 1, 1)


def cost_of(n: Node) -> int:
    """Return the work of computing one cell of a node, in additions; 0 for ops that compute no cells."""
    if n.op.kind not in CELLWISE:
        return 0
    return n.op.cost * (3 if n.desc.dtype.kind == "complex" else 1)


def is_stored(n: Node) -> bool:
    """True if a node's cells already lie in memory."""
    return n.value is not None or (n.alias is not None and n.alias[0].value is not None)


def layout(n: Node) -> TensorDescription:
    """Return the description of the memory in which a stored node's cells lie.

    A view lies inside its root's memory if the root is stored; else it has row-major memory of its own.
    """
    if n.alias is None or n.alias[0].value is not None:
        return n.desc
    return result(n.desc.dtype, n.desc.shape, n.desc.origin)


def as_call(n: Node) -> bool:
    """True if a node is computed by a routine over whole arrays: a library's, or a replacement of its kernel."""
    return n.op.kind in ARRAYWISE or n.op.name in replaced()


def choose(
    roots: Sequence[Node],
    live: Container[int],
    must_store: Sequence[Node] = (),
    nodes: Sequence[Node] | None = None,
    fusing: bool = True,
) -> list[Node]:
    """Return the nodes below the roots that get memory, inputs before readers.

    `live` has the ids of nodes with a handle; `must_store` are nodes that a later pass found must be stored; `nodes` is
    the result of `below` for the roots, if it is known. Without `fusing`, all nodes that are computed cell by cell are
    stored.
    """
    nodes = below(roots) if nodes is None else nodes
    pending = [n for n in nodes if not is_stored(n)]
    wanted, routines = {id(r) for r in roots}, replaced()
    calls = {id(n) for n in pending if n.op.kind in ARRAYWISE or n.op.name in routines}
    arrays = _arrays(pending, calls)
    forced = arrays | wanted | calls | {*map(id, must_store)}
    readers = pending_readers(pending)
    kept = [n for n in pending if id(n) in live and id(n) not in forced and worth_keeping(n)]
    forced |= {id(n) for n in pending if n.op.kind in BARRIERS}
    joins = any(i.inputs for n in pending if n.op.name in COMPOSITE for i in n.inputs)
    again = len(forced) > 1 or joins  # several kernels, or parts of one, may compute a value
    whole = _needed_whole(pending, wanted, calls) if kept or again else set()
    few = 0 if calls else FEW_BYTES  # a call for other cells may raise, or be a user's function
    forced |= {id(n) for n in kept if id(n) in whole or n.desc.nbytes <= few}
    weights = {id(n): _STORED for n in nodes}
    chosen = {id(r): r for r in roots if is_stored(r)}  # asked for as values of their own
    apart = _stored_apart(nodes, roots, forced, whole) if again else ()
    for n in pending:
        weight = weights[id(n)] = _weigh(n, weights, chosen)
        keep = id(n) in forced or (weight.cost >= DEAR and (id(n) in apart or _shared(n, readers)))
        keep = keep or (not fusing and n.op.kind in CELLWISE)
        if keep and (n.op.kind != "source" or id(n) in wanted or id(n) in arrays):
            chosen[id(n)] = n
            weights[id(n)] = _STORED
    ordered = [n for n in nodes if id(n) in chosen]  # inputs of several readers may have been chosen after some of them
    return _siblings_together(ordered) if any(n.op.kind == "blocks" for n in pending) else ordered


def _stored_apart(
    nodes: Sequence[Node], roots: Sequence[Node], forced: Container[int], whole: Container[int]
) -> set[int]:
    """Return the ids of nodes to store as `_computed_again` finds them, all if they take at most SPARE bytes together.

    Else those that are small beside the memory that the nodes read and the roots take: large ones gain little.
    """
    pending = [n for n in nodes if not is_stored(n)]
    found = _computed_again(pending, forced, whole, SPARE)
    if sum([n.desc.nbytes for n in pending if id(n) in found]) <= SPARE:
        return found
    held = {id(m): m for n in nodes if is_stored(m := root_of(n)) and n.op.name != "file"}
    held |= {id(r): r for r in roots}
    return _computed_again(pending, forced, whole, sum([m.desc.nbytes for m in held.values()]) // PART)


def _computed_again(pending: Sequence[Node], forced: Container[int], whole: Container[int], most: int) -> set[int]:
    """Return the ids of nodes to store because several kernels would repeat dear, or many cheap, steps below them.

    `forced` has the ids of nodes that are stored in any case, `whole` those of nodes whose cells may all be read.
    Nodes of more than `most` bytes are left out.
    """
    work: dict[int, int] = {}  # by id: the additions that a further kernel repeats, counted up to MANY
    for n in pending:
        if id(n) not in forced:
            cost = cost_of(n) + sum([work.get(id(i), 0) for i in n.inputs])
            work[id(n)] = MANY if cost_of(n) >= DEAR else min(cost, MANY)
    found: set[int] = set()
    kernels: dict[int, set[int]] = {}  # by id: the nodes whose kernels compute a node, up to MANY
    for n in reversed(pending):
        by = {id(n)} if id(n) in forced else kernels.get(id(n), set())
        again = (len(by) - 1) * work.get(id(n), 0) >= MANY and n.op.kind in CELLWISE
        if again and id(n) in whole and n.desc.nbytes <= most:
            found.add(id(n))
            by = {id(n)}
        for i in n.inputs:
            known = kernels.setdefault(id(i), set())
            if len(known) < MANY:
                known |= {id(i)} if n.op.name in COMPOSITE else by  # each part has a body of its own
    return found


def _siblings_together(chosen: list[Node]) -> list[Node]:
    """Return the chosen nodes, with all outputs of a block operator side by side, since one call makes them."""
    first: dict[object, list[Node]] = {}
    for n in chosen:
        if n.op.kind == "blocks" and not is_stored(n):
            first.setdefault((n.attrs[0], n.inputs[:-1]), []).append(n)
    later = {id(n) for group in first.values() for n in group[1:]}
    if not later:
        return chosen
    groups = {id(group[0]): group for group in first.values()}
    return [m for n in chosen if id(n) not in later for m in groups.get(id(n), (n,))]


def below(roots: Sequence[Node]) -> list[Node]:
    """Return the roots and all nodes below them, inputs before readers; inputs of stored nodes are left out."""
    return walk(roots, _unstored_inputs)


def is_any_below(roots: Sequence[Node], test: Callable[[Node], bool]) -> bool:
    """True if `test` holds for one of the nodes of `below`, readers before inputs; the others are not visited."""
    seen, left = set[int](), list(roots)
    while left:
        n = left.pop()
        if id(n) not in seen:
            if test(n):
                return True
            seen.add(id(n))
            left += _unstored_inputs(n)
    return False


def over_files(roots: Sequence[Node]) -> set[int]:
    """Return the ids of those roots and nodes below them whose computation reads a file."""
    found: set[int] = set()
    for n in below(roots):
        if n.op.name == "file" or (not is_stored(n) and any(id(i) in found for i in n.inputs)):
            found.add(id(n))
    return found


def _unstored_inputs(n: Node) -> Sequence[Node]:
    return () if n.value is not None or (n.alias is not None and n.alias[0].value is not None) else n.inputs


def _arrays(pending: Sequence[Node], calls: Container[int]) -> set[int]:
    """Return the ids of nodes that must be arrays in memory: operands of routines, and arrays that gathers look up.

    `calls` has the ids of nodes that routines compute.
    """
    found: set[int] = set()
    for n in pending:
        if id(n) in calls or n.op.name == "gather":
            read = [unmerged(n, k) or i for k, i in enumerate(n.inputs)] if id(n) in calls else _looked_up(n)
            found.update([id(_memory(i)) for i in read])
    return found


def unmerged(n: Node, number: int) -> Node | None:
    """Return the view that a product reads in place of input `number`, which merges axes of that view; else None.

    It does so where windows overlap, so that a copy has several times their cells, and are read in few, long runs.
    """
    x = n.inputs[number]
    if n.op.name != "matmul" or number != 1 or x.op.name != "reshape" or x.alias is not None or is_stored(x):
        return None
    view = x.inputs[0]
    if "matmul" in replaced() or x.desc.dtype not in (float32, float64, int32, int64) or view.alias is None:
        return None
    few_runs = view.desc.shape[-1] >= RUN and n.inputs[0].desc.nbytes <= AGAIN
    pure = all(len(new) == 1 for _, new in reshape_groups(view.desc.shape, x.desc.shape))
    return view if pure and few_runs and x.desc.size > view.alias[0].desc.size else None


def _looked_up(gather: Node) -> list[Node]:
    """Return the nodes that a gather needs stored: its array, or arrays below it if single cells are cheap."""
    x = gather.inputs[0]
    ends, leaves, cost = [], 0, 0
    pending = [x]
    seen: set[int] = set()
    while pending:
        top = n = pending.pop()
        while n.op.name in AFFINE and not is_stored(n):
            n = n.inputs[0]
        cut = not is_stored(n) and n.op.kind not in (*CELLWISE, "source")  # then each slice of it is stored
        if (key := id(top if cut else n)) in seen:
            continue
        seen.add(key)
        if is_stored(n):
            leaves += 1
        elif n.op.kind in CELLWISE:
            cost += cost_of(n)
            pending.extend(n.inputs)
        elif cut:
            leaves += 1
            ends.append(top)
    again = gather.desc.size * (GATHERED * (leaves - 1) + cost)
    return [x] if again > x.desc.size * (leaves + cost + 1) else ends


def _memory(n: Node) -> Node:
    """Return the node to store so that n is an array.

    It is n's root if that has no more cells, else n, or the view of which n is the cells in another order of axes.
    """
    if n.alias is not None and n.alias[0].desc.size <= n.desc.size:
        return n.alias[0]
    while n.op.name in _REORDERING and n.alias is not None:
        n = n.inputs[0]
    return n


def pending_readers(pending: Sequence[Node]) -> dict[int, list[Node]]:
    """Return the pending nodes that read each node, by its id."""
    readers: dict[int, list[Node]] = {}
    for n in pending:
        for i in n.inputs:
            readers.setdefault(id(i), []).append(n)
    return readers


def _weigh(n: Node, weights: dict[int, Weight], chosen: dict[int, Node]) -> Weight:
    """Return the weight of one kernel that computes node n and its unstored inputs.

    While it exceeds the limits of a kernel, nodes below n are added to `chosen`, by id, to be stored. `weights` has the
    weights of nodes weighed so far, by id.
    """
    distinct = {id(i): i for i in n.inputs}
    one = n.op.kind == "selection"  # every cell comes from one input, and no step moves it
    while True:
        read = [weights[key] for key in distinct]
        cost, body, leaves = (
            [(max if one else sum)(column) for column in zip(*read, strict=True)] if read else (0, 0, 0)
        )
        if (body >= MAX_BODY or leaves > MAX_LEAVES) and not one:
            once = _counted_once(n.inputs, weights)
            body, leaves = min(body, once.body), min(leaves, once.leaves)
        if body < MAX_BODY and leaves <= MAX_LEAVES:
            break
        heavy = max(distinct.values(), key=lambda i: weights[id(i)].share)
        if weights[id(heavy)] is _STORED or len(distinct) > MAX_LEAVES:
            break
        for m in [heavy] if one or leaves > MAX_LEAVES else _narrowest(n, weights):
            chosen[id(m)] = m
            weights[id(m)] = _STORED
    own = cost_of(n)
    return Weight(min(cost, DEAR) + own, body if one else body + (own or 1), leaves)


def _narrowest(n: Node, weights: dict[int, Weight]) -> list[Node]:
    """Return the smallest set of nodes at one depth that all paths from n's inputs downwards pass through.

    Only the upper half of the depths below n counts. Storing a single input would not shorten another input that
    computes the same nodes. `weights` has the weight of each node by id.
    """
    found: dict[int, Node] = {}
    read_at: dict[int, int] = {}  # by id: the depth of the last reader
    readers = [n]
    while readers:
        reader = readers.pop()
        for i in reader.inputs:
            read_at[id(i)] = max(read_at.get(id(i), 0), reader.depth)
            if id(i) not in found and i.inputs and weights[id(i)] is not _STORED:
                found[id(i)] = i
                if i.op.kind != "selection":
                    readers.append(i)
    levels = sorted({i.depth for i in found.values()})
    through = [[i for i in found.values() if i.depth <= level < read_at[id(i)]] for level in levels[len(levels) // 2 :]]
    return min(reversed(through), key=len)


def _counted_once(nodes: Sequence[Node], weights: dict[int, Weight]) -> Weight:
    """Return the weight of one kernel for `nodes`, in which shared nodes count once.

    Nodes below a selection are computed for that selection alone.
    """
    body = leaves = 0
    seen, pending = set[int](), [*nodes]
    while pending:
        i = pending.pop()
        if id(i) in seen:
            continue
        seen.add(id(i))
        weight = weights[id(i)]
        if weight is _STORED or i.op.kind == "selection":
            body += weight.body
            leaves += weight.leaves
        else:
            body += cost_of(i) or 1
            pending += i.inputs
    return Weight(0, body, leaves)


def _needed_whole(pending: Sequence[Node], wanted: Container[int], calls: Container[int]) -> set[int]:
    """Return the ids of nodes of which readers may read all cells, by counting the cells that they request.

    `wanted` has the ids of nodes wanted as a whole, `calls` those of nodes that routines compute.
    """
    cells: dict[int, int] = {}
    whole = set()
    for n in reversed(pending):
        needed = n.desc.size if id(n) in wanted else min(cells.get(id(n), 0), n.desc.size)
        if needed == n.desc.size:
            whole.add(id(n))
        bounded = n.op.kind in (*CELLWISE, "selection") and id(n) not in calls
        for i in n.inputs:
            cells[id(i)] = max(cells.get(id(i), 0), needed if bounded else i.desc.size)
    return whole


def worth_keeping(n: Node) -> bool:
    """True if n is more than a cheap operation on stored values, as quick to repeat as to read back."""
    cheap = n.op.kind in ("selection", "source") or cost_of(n) < DEAR
    return not (cheap and all(is_stored(i) or i.op.kind == "source" for i in n.inputs))


def _through_views(n: Node, readers: Mapping[int, Sequence[Node]]) -> list[Node]:
    """Return the readers of node n, with the readers of a view of all its cells for the view."""
    found, pending = [], list(readers.get(id(n), ()))
    while pending:
        r = pending.pop()
        if r.op.name in AFFINE and r.op.name not in _REPEATING and r.desc.size == n.desc.size:
            pending += readers.get(id(r), ())
        else:
            found.append(r)
    return found


def _shared(n: Node, readers_by_id: Mapping[int, Sequence[Node]]) -> bool:
    """True if fusing n would compute its cells more than once.

    So do several readers, and a reader that repeats cells. `readers_by_id` has the readers of each node.
    """
    if n.op.kind not in CELLWISE:
        return False
    final = _through_views(n, readers_by_id)
    if any(r.op.name in _REPEATING and r.desc.size > n.desc.size for r in final):
        return True
    if any(r.op.kind in CELLWISE and r.desc.size > 2 * n.desc.size for r in final):
        return True
    readers = readers_by_id.get(id(n), ())
    if len(readers) < 2 or all(r.op.kind in CELLWISE for r in readers):
        return False
    if n.desc.nbytes < HUGE:
        return True
    read = [min(r.desc.size if r.op.kind in (*CELLWISE, "selection") else n.desc.size, n.desc.size) for r in readers]
    return sum(read) > n.desc.size  # a few parts of a value too large for memory are computed without storing it
