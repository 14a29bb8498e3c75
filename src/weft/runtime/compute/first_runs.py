"""Small work that is new: the reference computes it once, since planning and compiling take longer than its cells.

The one idea: operations that are exact, or have a defined order, give the same bits however they are computed.  So an
expression that is computed once, or over slices of ever new lengths, needs no native code; the second time it gets it.
"""

from __future__ import annotations

from weft.dtypes import DType
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS, Op
from weft.passes.fuse import is_stored
from weft.passes.switches import OPEN, Checking
from weft.runtime.compute.field_reads import is_field
from weft.runtime.compute.signature import MaskWork, RepeatedWork, RewriteWork, Work

NODES = 32  # in the graph of such work
MOST = 1 << 16  # cells that its nodes compute and read: NumPy takes less time for them than their planning takes
_PLANNED = (RepeatedWork, RewriteWork, MaskWork)  # kinds of work whose programs are used otherwise than by one run
_READERS = ("reduce", "scan", "bins", "call")  # kinds of ops that read more cells than they compute
_MATMUL, _POW = OPS["matmul"], OPS["pow"]  # native programs call the same kernels for products
_SOURCES = ("scalar", "iota")


def _is_exact(op: Op) -> bool:
    """True if the reference and native code compute the same bits, at least for some dtypes."""
    if op.kind == "source":
        return op.name in _SOURCES
    computed = op.kind in ("elementwise", "selection", "take", "reduce", "scan", "bins")
    return (computed and not op.error.startswith("1 / 2")) or op is _MATMUL


_EXACT = frozenset([op for op in OPS.values() if _is_exact(op)])
_REAL = frozenset([op for op in _EXACT if "c" in op.error.split()])  # exact for real dtypes alone
_WHOLE = frozenset([OPS[name] for name in ("floor_divide", "remainder", "trunc_divide")])  # exact for integers alone


def is_exact(op: Op, dtype: DType) -> bool:
    """True if the reference and native code compute the same bits of an op whose first operand has this dtype."""
    if op not in _EXACT:
        return op is _POW and dtype.is_integer
    return not ((op in _REAL and dtype.kind == "complex") or (op in _WHOLE and dtype.is_inexact))


def suits_reference(work: Work) -> bool:
    """True if the reference transformer computes work in less time than its planning takes, with the same bits."""
    order = work.order
    if OPEN or Checking.on or work.sources or work.targets or len(order) > NODES or isinstance(work, _PLANNED):
        return False
    cells, fields = 0, set[Node]()
    for n, k in reversed(order.items()):  # inputs mostly come before their readers
        if n.value is not None or (n.alias is not None and is_stored(n)):
            continue
        if n.traits is not None or not is_exact(n.op, (n.inputs[0] if n.inputs else n).desc.dtype):
            return False
        if is_field(n, fields):
            fields.add(n)
            if k in work.live:  # it may be cheaper to make again than to store
                return False
        cells += _cells(n)
        if cells > MOST:
            return False
    return True


def _cells(n: Node) -> int:
    """Return roughly how many cells a node takes to compute. Cells of operands count as often as they are read."""
    if n.op is _MATMUL:
        return n.desc.size * n.inputs[0].desc.shape[-1]
    return n.desc.size + (sum([i.desc.size for i in n.inputs]) if n.op.kind in _READERS else 0)
