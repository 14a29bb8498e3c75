"""Structures: the parts of a row that a kernel is compiled for (dtypes, byte orders, stride classes), never a size.

Terms: a *body* is the list of steps that compute a row's value; a *leaf* is an operand with its numbers taken away.
The one idea: a body with its leaves is a `Structure`, the key of a kernel: its text says all of it, so that equal text
means equal code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.backends.llvm.steps.registers import parts, raw_elem
from weft.dtypes import DType, complex32
from weft.ir.kernels.plan import Body, Instr, Operand

READS = ("load", "coord", "gather")  # steps whose attr is an operand


@dataclass(frozen=True, slots=True)
class Leaf:
    """An operand as compiled code sees it: dtype, byte order, and the class (`kind`) of its stride along the lanes.

    Kinds: "0" one cell for all lanes; "1" to "4", "-1" to "-4" steps in units of the cell (1 and -1 for complex
    numbers); "s" any other stride.  A coordinate has kind "0" or "s".
    """

    dtype: DType
    swapped: bool
    kind: str
    coordinate: bool = False

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def text(self) -> str:
        where = "coordinate" if self.coordinate else self.dtype.name
        return f"{where}{'~' if self.swapped else ''}:{self.kind}"


@dataclass(frozen=True, slots=True)
class Structure:
    """The key of a kernel: a body, its leaves and the number of lanes."""

    body: Body
    leaves: Sequence[Leaf]
    lanes: int

    def __str__(self) -> str:
        # constants by their spelling, so 0.0 and -0.0 or 1 and True differ
        steps = ";".join(f"{i.op}.{i.dtype.name}{list(i.args)}{i.attr!r}" for i in self.body)
        return f"|{self.lanes}|{steps}|{','.join(leaf.text for leaf in self.leaves)}"


def stride_kind(stride: int, dtype: DType) -> str:
    """Return the kind (see `Leaf`) of a byte stride between cells of a dtype."""
    item = dtype.itemsize
    if stride == 0:
        return "0"
    steps, rest = divmod(abs(stride), item)
    if rest or steps > (4 if parts(dtype) == 1 else 1):
        return "s"
    return str(stride // item)


def leaf_of(o: Operand, stride: int, computed: bool = False, packed: bool = False) -> Leaf:
    """Return an operand as compiled code sees it where its cells lie `stride` bytes apart along the lanes.

    `computed`: "gather" reads it at computed offsets.  `packed`: it is read from a buffer, where its cells touch.
    """
    coordinate = o.arg < 0 and not packed
    if coordinate or computed:
        kind = "s" if stride else "0"
    else:
        kind = "1" if packed else stride_kind(stride, o.dtype)
    return Leaf(o.dtype, o.swapped and o.arg >= 0 and o.dtype.itemsize > parts(o.dtype), kind, coordinate)


def operand_number(i: Instr) -> int:
    """Return the number of the operand that a step reads."""
    assert i.op in READS and isinstance(i.attr, int), f"internal: {i}"
    return i.attr


def gathered(body: Body) -> frozenset[int]:
    """Return the numbers of the operands that "gather" steps read at computed offsets."""
    return frozenset(operand_number(i) for i in body if i.op == "gather")


def used_operands(body: Body) -> frozenset[int]:
    """Return the numbers of the operands that a body reads."""
    return frozenset(operand_number(i) for i in body if i.op in READS)


def needed_steps(body: Body) -> set[int]:
    """Return the numbers of the steps that the body's value depends on."""
    needed, todo = set(), [len(body) - 1]
    while todo:
        k = todo.pop()
        if k not in needed:
            needed.add(k)
            todo.extend(body[k].args)
    return needed


def compacted(body: Body) -> tuple[Body, tuple[int, ...]]:
    """Return the body without steps that its value does not need, and the numbers of the operands that are left.

    The operands are renumbered in that order.
    """
    kept = sorted(needed_steps(body))
    steps = {k: new for new, k in enumerate(kept)}
    picks = tuple(sorted(used_operands(tuple(body[k] for k in kept))))
    operands = {k: new for new, k in enumerate(picks)}
    return tuple(_renumbered(body[k], steps, operands) for k in kept), picks


def _renumbered(i: Instr, steps: dict[int, int], operands: dict[int, int]) -> Instr:
    attr = operands[operand_number(i)] if i.op in READS else i.attr
    return Instr(i.op, i.dtype, tuple(steps[k] for k in i.args), attr)


def lanes_for(dtypes: Sequence[DType]) -> int:
    """Return the number of lanes for kernels of these dtypes: 16, 32 or 64, about 128 bytes of the widest part of a
    cell.
    """
    widest = max(32 if d is complex32 else int(raw_elem(d)[1:]) for d in dtypes)
    return {64: 16, 32: 32}.get(widest, 64)


def lanes_of(body: Body, operands: Sequence[Operand], *others: DType) -> int:
    """Return the number of lanes for the kernel of a body over these operands, with `others` as further dtypes."""
    used = used_operands(body)
    dtypes = [i.dtype for i in body] + [o.dtype for k, o in enumerate(operands) if k in used]
    return lanes_for([*dtypes, *others])
