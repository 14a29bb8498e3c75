"""Products along one long axis, as sums: of multiplied cells, or of products of blocks along that axis.

The one idea: if a product has few cells of its own, its operands need not be held along the summed axis.  A row times a
column is a product of cells and a sum; for matrices, blocks of the inner axis make a stack of products, whose sum is a
reduction like any other.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import lcm, prod

from weft.ir.atoms import selections as se
from weft.ir.atoms.selections import reshaped
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.graph.node import Node, apply, astype
from weft.ir.kernels.sum_order import BLOCK
from weft.passes.fuse import below, is_stored, over_files
from weft.passes.gradient.gradient_steps import product_of
from weft.sources.stream.consumers import MemoryWriter
from weft.sources.stream.folds import part_along, reduced
from weft.sources.stream.footprints import Footprint
from weft.sources.stream.products import large_products, tiled_products
from weft.sources.stream.sorts import row_major
from weft.sources.stream.sweep import Sweep

SHARE = 8  # a product with a cut inner axis may take 1 / SHARE of the memory limit
COPIES = 4  # times that cells of rows and columns may be copied for all tiles
PART = 16  # rows and columns of a block take at least 1 / PART of the limit, if chunks allow


def summed_products(nodes: Sequence[Node], limit: int) -> dict[int, Node]:
    """Return the large products over files below `nodes` that have few cells, as sums along the inner axis.

    The sums are given by the ids of the products.
    """
    over = over_files(nodes)
    tiled = tiled_products(nodes, over)
    made = [
        (id(n), summed(n, limit))
        for n in large_products(nodes, over)
        if n.traits is None and _are_tiled(n, over, tiled)
    ]
    return {k: total for k, total in made if total is not None}


def _are_tiled(n: Node, over_files: Container[int], tiled: Container[int]) -> bool:
    """True if all routines over files below product n are computed tile by tile.

    `over_files` has the ids of nodes over files, `tiled` those of tiled products.
    """
    return all(
        id(i) in tiled for i in below(n.inputs) if i.op.kind == "call" and id(i) in over_files and not is_stored(i)
    )


def summed(n: Node, limit: int) -> Node | None:
    """Return a product of few cells as a sum along its inner axis.

    None if it takes too much of `limit`, if tiles of its rows and columns read as little, or if one block spans the
    axis.
    """
    if n.desc.nbytes > limit // SHARE or _are_cut(n, limit):
        return None
    shape, n = n.desc.shape, _of_joined_rows(n)
    x, y = n.inputs
    rows = 1 if x.desc.ndim == 1 else x.desc.shape[-2]
    columns = 1 if y.desc.ndim == 1 else y.desc.shape[-1]
    fixed = n.attrs == FIXED_ORDER
    if rows == columns == 1 and n.desc.dtype.kind != "bool" and not fixed:
        made = _dots(n)
    elif (
        n.desc.size == rows * columns
        and (size := BLOCK if fixed else _block(n, rows + columns, limit)) < x.desc.shape[-1]
    ):
        made = _blocks(n, size)
    else:
        return None
    made = astype(made, n.desc.dtype)
    return made if made.desc.shape == shape else se.reshape(made, shape)


def _of_joined_rows(n: Node) -> Node:
    """Return a product of a stack by one matrix, or vector, as one of two matrices; another product unchanged."""
    x, y = n.inputs
    if x.desc.ndim < 3 or y.desc.ndim > 2:
        return n
    return product_of(se.reshape(x, (prod(x.desc.shape[:-1]), x.desc.shape[-1])), y, n.attrs)


def _are_cut(n: Node, limit: int) -> bool:
    """True if tiles of rows by columns of a product fit into the limit and read the files about once, in long runs.

    Each tile copies its rows and columns together from chunks, so small tiles take longer than blocks.
    """
    sweep = Sweep([MemoryWriter([n])], n.desc.shape, range(n.desc.ndim), limit)
    if id(n) not in sweep.products or not (sweep.fits and sweep.are_read_once and sweep.run_share(sweep.tiling) == 1):
        return False
    of_tile = sum([b.cells * f.desc.dtype.itemsize for f, b in sweep.footprint.boxes(sweep.tiling.middle())])
    return sweep.tiling.count * of_tile <= COPIES * sweep.nbytes


def _dots(n: Node) -> Node:
    """Return the dot products of rows and columns as sums of multiplied cells; partial sums are not rounded."""
    wide, k = n.desc.dtype.compute, n.inputs[0].desc.shape[-1]
    lines = [(x, x.desc.shape[:-2] if x.desc.ndim > 1 else ()) for x in n.inputs]
    x, y = [astype(reshaped(row_major(x), (*stack, k)), wide) for x, stack in lines]
    product = apply("multiply", x, y)
    return reduced("sum", product, (product.desc.ndim - 1,))


def _block(n: Node, row_count: int, limit: int) -> int:
    """Return the length of a block of the inner axis of product n, so that few cells remain behind the blocks.

    It is if possible a multiple of the operands' chunk lengths. `row_count` is the number of rows and columns of its
    operands; blocks fit into `limit` bytes.
    """
    x, y = n.inputs
    inner = [(x, x.desc.ndim - 1), (y, max(y.desc.ndim - 2, 0))]
    regular = []
    for operand, axis in inner:
        parts = tiled_products([operand], over_files([operand]))
        cuts = Footprint([operand], limit, parts=parts).cuts(operand.desc.shape)[axis]
        if len(cuts) > 2:
            regular.append((operand.desc.nbytes, cuts[1]))
    unit = lcm(*[c for _, c in regular])
    if regular and unit * regular[0][1] > x.desc.shape[-1]:
        unit = max(regular)[1]
    least = limit // (PART * row_count * n.desc.dtype.compute.itemsize)
    units = x.desc.shape[-1] // unit
    return unit * max(1, units // -(-units // max(1, least // unit)))


def _blocks(n: Node, block_size: int) -> Node:
    """Return product n as the sum over blocks of `block_size` along the inner axis, plus the remainder."""
    wide, rank = n.desc.dtype.compute, max([2, *[i.desc.ndim for i in n.inputs]])
    x, y = [astype(i, wide) for i in n.inputs]
    y = y if y.desc.ndim > 1 else se.expand_dims(y, [1])
    x, y = [se.expand_dims(i, range(rank - i.desc.ndim)) if i.desc.ndim < rank else i for i in (x, y)]
    k = x.desc.shape[-1]
    count = k // block_size
    whole = count * block_size
    inner = [(x, x.desc.ndim - 1), (y, y.desc.ndim - 2)]
    stacked = [_in_blocks(part_along(i, a, 0, whole), a, count) for i, a in inner]
    op = "sum" if n.attrs == FIXED_ORDER else "chained_sum"  # in any order: its state is one value, not eight lanes
    made = reduced(op, product_of(*stacked, n.attrs), (0,))
    made = astype(made, wide)
    if whole == k:
        return made
    return apply("add", made, product_of(*[part_along(i, a, whole, k - whole) for i, a in inner], n.attrs))


def _in_blocks(x: Node, axis: int, count: int) -> Node:
    """Return x with an axis cut into `count` equal blocks along a new first axis."""
    shape = x.desc.shape
    split = reshaped(x, (*shape[:axis], count, shape[axis] // count, *shape[axis + 1 :]))
    return se.permute(split, [axis, *[a for a in range(x.desc.ndim + 1) if a != axis]])
