"""Dependencies in a graph over files: the nodes that tiles can compute, and the values needed before them.

The one idea: a node that reads a reduction cell by cell waits for it, so reductions whose inputs need no other
reduction go first.  Reductions over few cells, or with large values, are not waited for: tiles compute them again.  If
there are many such reductions, as over each day of several years, a tile of their reader needs only some of them, not a
strip of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from math import prod

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.graph.ops import IN_PLACE
from weft.ir.pieces.box import Box, box_of
from weft.ir.pieces.demand import line_axis
from weft.passes.fuse import below, is_stored, over_files
from weft.sources.read.touched_boxes import overlap
from weft.sources.stream.footprints import Footprint
from weft.sources.stream.products import tiled_products
from weft.sources.stream.running_scans import is_carried
from weft.sources.stream.takes import takes_along, tiled_takes

FEW = 64  # reductions over at most FEW cells are computed again by tiles, if values take 1/8 of the limit
Shapes = tuple[Shape, Shape]  # (shape of a reduction's input, shape of its value)


def values_in_tiles(nodes: Sequence[Node], limit: int) -> list[Node]:
    """Return those of the nodes that tiles over files can compute cell by cell.

    `limit` is the memory limit in bytes.
    """
    over = over_files(nodes)
    in_tiles = over - _over_whole_files(nodes, over, limit)
    found = [n for n in nodes if id(n) in in_tiles and n.desc.size]
    alike = _bytes_alike(below(nodes), over)
    return [n for n in found if n.op.kind != "reduce" or _is_local(n, limit, True, alike)]


def are_in_tiles(nodes: Sequence[Node], limit: int) -> bool:
    """True if all nodes can be computed tile by tile, after the values that they depend on."""
    return _over_whole_files(nodes, over_files(nodes), limit).isdisjoint(map(id, nodes))


def next_reductions(nodes: Sequence[Node], limit: int) -> list[Node]:
    """Return the reductions that must be computed next, all over inputs of one shape; empty if none."""
    over, roots = over_files(nodes), set(map(id, nodes))
    whole = _over_whole_files(nodes, over, limit)
    alike = _bytes_alike(below(nodes), over)
    # of (x - mean(x)) / std(x): mean and std, as `later` has the subtraction and the division, which read them
    rounds: list[Node] = []
    later: set[int] = set()  # ids of nodes that depend on the round
    for n in below(nodes):
        if id(n) not in over or not n.inputs or is_stored(n):
            continue
        wanted = n.op.kind == "reduce" and id(n.inputs[0]) not in whole and n.desc.size and n.inputs[0].desc.size
        if any(id(i) in later for i in n.inputs):
            later.add(id(n))
        elif wanted and not _is_local(n, limit, id(n) in roots, alike):
            rounds.append(n)
            later.add(id(n))
    return [n for n in rounds if n.inputs[0].desc.shape == rounds[0].inputs[0].desc.shape]


def small_wholes(nodes: Sequence[Node], limit: int) -> list[Node]:
    """Return small values over files that other nodes need as a whole, inner ones first.

    These are routines of small operands, and small values in which takes look cells up.
    """
    over = over_files(nodes)
    in_tiles = _made_in_tiles(nodes, over, limit)
    found: dict[int, Node] = {}
    for n in below(nodes):
        if is_stored(n) or id(n) not in over or id(n) in in_tiles or n.traits is not None:
            continue
        x = n.inputs[0] if n.inputs else n
        if n.op.kind == "call" and not _has_lines(n) and _is_small([n, *n.inputs], limit):
            found[id(n)] = n
        elif n.op.kind == "take" and id(x) in over and not is_stored(x) and _is_small([x], limit):
            found[id(x)] = x
    return list(found.values())


def reading_alike(reductions: Sequence[Node], limit: int) -> list[Node]:
    """Return the first reduction, and those of its round that one walk over the files may join.

    Others read parts of the same files that none of these reads, as each month's mean does: together they would hold
    the chunks of all parts at once.  `limit` is the memory limit in bytes.
    """
    found: list[Node] = []
    known: dict[Node, list[Box]] = {}
    for n in reductions:
        prints = Footprint(n.inputs, limit)
        if prints.reaches is None:
            return list(reductions)
        read = prints.boxes(box_of(n.inputs[0].desc.shape))
        shared = [b for f, a in read for b in known.get(f, []) if overlap(a, b)]
        if shared or not any(f in known for f, _ in read):
            found.append(n)
            for f, b in read:
                known.setdefault(f, []).append(b)
    return found


def broadcast_lines(nodes: Sequence[Node], limit: int) -> list[Node]:
    """Return values of sorts, scans and transforms that are broadcast to larger ones, inner ones only.

    They are computed before the larger ones: else each tile of those would compute whole lines again.  Empty if they
    take more than half of `limit` bytes.
    """
    over = over_files(nodes)
    in_tiles = over - _over_whole_files(nodes, over, limit)
    lines, found = set[int](), dict[int, Node]()
    later: set[int] = set()  # ids of nodes that depend on those found
    for n in below(nodes):
        if id(n) not in over or is_stored(n) or n.op.kind == "reduce":  # readers of reductions wait anyway
            continue
        read = [i for i in n.inputs if id(i) in lines and id(i) not in later]
        if n.op.kind == "elementwise":
            wanted = [i for i in read if i.desc.size < n.desc.size and id(i) in in_tiles and i.traits is None]
            found.update([(id(i), i) for i in wanted])
        if line_axis(n) is not None or any(id(i) in lines for i in n.inputs):
            lines.add(id(n))
        if any(id(i) in found or id(i) in later for i in n.inputs):
            later.add(id(n))
    return list(found.values()) if sum([n.desc.nbytes for n in found.values()]) <= limit // 2 else []


def _is_small(nodes: Sequence[Node], limit: int) -> bool:
    return sum([n.desc.nbytes for n in nodes]) <= limit // 8


def _made_in_tiles(nodes: Sequence[Node], over_files: Container[int], limit: int) -> set[int]:
    """Return the ids of routines and takes over files that tiles can compute in parts.

    `over_files` has the ids of nodes over files.
    """
    found = tiled_products(nodes, over_files) | tiled_takes(nodes, over_files, limit) | takes_along(nodes, over_files)
    for n in below(nodes):
        if n.op.name in IN_PLACE or (n.op.name == "searchsorted" and id(n.inputs[0]) not in over_files):
            found.add(id(n))
    return found


def scans_at_once(nodes: Sequence[Node], limit: int) -> set[int]:
    """Return the ids of scans of one line that must be computed before their readers.

    The readers read them in another order, or twice.
    """
    found = _whole_lines(nodes, over_files(nodes), limit)
    return {id(n) for n in below(nodes) if id(n) in found and is_carried(n)}


def _over_whole_files(nodes: Sequence[Node], over_files: Container[int], limit: int) -> set[int]:
    """Return the ids of nodes that need files whole, for a routine, a take, or a scan of one line.

    `over_files` has the ids of nodes over files.
    """
    found: set[int] = set()
    lines = _whole_lines(nodes, over_files, limit) - scans_at_once(nodes, limit)
    small, cellwise = set(map(id, small_wholes(nodes, limit))), _made_in_tiles(nodes, over_files, limit)
    for n in below(nodes):
        if is_stored(n) or id(n) not in over_files:
            continue
        x = n.inputs[0] if n.inputs else n
        from_table = n.op.kind == "take" and x.op.name != "leaf" and id(x) not in small
        routine = id(n) in lines or (n.op.kind in ("bins", "call") and not _has_lines(n))
        at_once = (from_table or routine) and id(n) not in cellwise and id(n) not in small
        if at_once or any(id(i) in found for i in n.inputs):
            found.add(id(n))
    return found


def _whole_lines(nodes: Sequence[Node], over_files: Container[int], limit: int) -> set[int]:
    """Return the ids of scans of one line whose readers need cells twice or out of order.

    Tiles do not cut these.
    """
    pending = below(nodes)
    found = {id(n) for n in pending if n.op.kind == "scan" and id(n) in over_files and not _has_lines(n)}
    if not found:
        return found
    asked = set(map(id, nodes))
    alike = _bytes_alike(pending, over_files)
    reductions = [n for n in pending if n.op.kind == "reduce" and not _is_local(n, limit, id(n) in asked, alike)]
    waited = [*[n for n in pending if n.op.kind == "bins"], *reductions]
    ids = set(map(id, waited))
    roots = [*[n for n in nodes if id(n) not in ids], *[i for n in waited for i in n.inputs]]
    read = [Footprint([r], limit, ids) for r in roots if r.desc.size]
    if any(f.reaches is None and not f.reshapes for f in read):
        return found
    return (found - set().union(*[f.carried for f in read])) | {k for f in read for k in found & f.uncarried}


def _has_lines(n: Node) -> bool:
    """True if a node is a scan, sort or transform of several lines, so that tiles can hold some."""
    axis = line_axis(n)
    return axis is not None and n.desc.size > n.desc.shape[axis]


def _shapes(n: Node) -> Shapes:
    return n.inputs[0].desc.shape, n.desc.shape


def _bytes_alike(pending: Sequence[Node], over_files: Container[int]) -> Counter[Shapes]:
    """Return the total bytes of the pending reductions over files, by (input shape, result shape)."""
    found: Counter[Shapes] = Counter()
    for n in pending:
        if n.op.kind == "reduce" and id(n) in over_files and not is_stored(n):
            found[_shapes(n)] += n.desc.nbytes
    return found


def _is_local(n: Node, limit: int, is_root: bool, bytes_by_shapes: Mapping[Shapes, int]) -> bool:
    """True if tiles compute reduction n together with its readers.

    That is so if it reduces few cells and values are large, or if it is no root (`is_root`) and its value is large.
    `bytes_by_shapes` holds the bytes of all reductions by shapes, which a reader may need together; `limit` is the
    memory limit in bytes.
    """
    if 0 < prod([n.inputs[0].desc.shape[a] for a in n.attrs[0]]) <= FEW:
        return max(0 if is_root else bytes_by_shapes.get(_shapes(n), 0), n.desc.nbytes) > limit // 8
    return not is_root and n.desc.nbytes > limit // 2
