"""Structures: the parts of a row that a kernel is compiled for (dtypes, byte orders, stride classes), never a size.

Terms: a *body* is the list of steps that compute a row's value; a *leaf* is an operand with its numbers taken away.
The one idea: a body with its leaves is a `Structure`, the key of a kernel: its text says all of it, so that equal text
means equal code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weft.backends.llvm.jit.toolchain import masked_widths
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.steps.registers import lanes_for
from weft.dtypes import DType
from weft.ir.kernels.plan import Body, Instr, Operand

READS = ("load", "coord", "gather")  # steps whose attr is an operand
MOST_TURNS = 16  # most cells of a row that are dealt out in registers
ROWS = "rows"  # the kind of a leaf whose cells lie in rows, a row for each lane, that follow each other


class Turn(NamedTuple):
    """The place of a leaf's cells in rows of `count` cells that begin with those of leaf `first`."""

    first: int
    number: int
    count: int


class Leaf(NamedTuple):
    """An operand as compiled code sees it: dtype, byte order, and the class (`kind`) of its stride along the lanes.

    Kinds: "0" one cell for all lanes; "1" to "4", "-1" to "-4" steps in units of the cell (1 and -1 for complex
    numbers); "s" any other stride; "rows" cells of rows that follow each other, one row for each lane.  A coordinate
    has kind "0" or "s"; an operand read at computed offsets may also have "1".
    """

    dtype: DType
    swapped: bool
    kind: str
    coordinate: bool = False
    turn: Turn | None = None  # of leaves that share the loads of their rows

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def cost(self) -> float:
        """Return the nanoseconds of loading one cell into a lane, without those of moving its bytes."""
        if self.kind == "0" or self.coordinate:
            return 0.0
        if self.kind == "s":
            return cost.PACK_CELL
        if self.kind == ROWS:
            return 0.01 * self.dtype.itemsize
        return 0.005 * self.dtype.itemsize * abs(int(self.kind))

    @property
    def is_masked(self) -> bool:
        """True if one instruction can read or write some of the lanes: cells touch, and are of a fitting width."""
        return self.turn is None and self.partial_cost == cost.MASKED

    @property
    def partial_cost(self) -> float:
        """Return the nanoseconds that a partial chunk takes longer than a whole chunk."""
        if self.kind in ("0", "s"):
            return 0.0
        if self.turn:
            return cost.PARTIAL / self.turn.count
        fits = self.kind in ("1", "-1") and self.dtype.real.itemsize in masked_widths()
        return cost.MASKED if fits else cost.PARTIAL


@dataclass(frozen=True, slots=True)
class Structure:
    """The key of a kernel: a body, its leaves and the number of lanes."""

    body: Body
    leaves: Sequence[Leaf]
    lanes: int

    def __str__(self) -> str:
        # constants by their spelling, so 0.0 and -0.0 or 1 and True differ
        steps = ";".join([f"{op}.{dtype.name}{list(args)}{attr!r}" for op, dtype, args, attr in self.body])
        leaves = ",".join(
            [
                f"{'coordinate' if coordinate else dtype.name}{'~' if swapped else ''}:{kind}{[*turn] if turn else ''}"
                for dtype, swapped, kind, coordinate, turn in self.leaves
            ]
        )
        return f"|{self.lanes}|{steps}|{leaves}"


def turns_of(operands: Sequence[Operand]) -> dict[int, Turn]:
    """Return the turns of operands that together read whole rows of 2 to MOST_TURNS cells, which follow each other."""
    found: dict[int, Turn] = {}
    alike: dict[object, dict[int, int]] = {}
    for k, o in enumerate(operands):
        if o.arg >= 0:
            alike.setdefault((o.arg, o.strides, o.dtype, o.swapped), {})[o.offset] = k
    for (_, strides, dtype, _), places in alike.items():  # type: ignore[misc]
        item = dtype.itemsize
        counts = sorted({s // item for s in strides if item < s <= MOST_TURNS * item and s % item == 0}, reverse=True)
        for count in counts if len(places) > 1 else ():
            for offset in sorted(places):
                members = [places.get(offset + t * item, -1) for t in range(count)]
                if -1 not in members and found.keys().isdisjoint(members):
                    found |= {k: Turn(members[0], t, count) for t, k in enumerate(members)}
    return found


def leaf_of(o: Operand, stride: int, computed: bool = False, packed: bool = False, turn: Turn | None = None) -> Leaf:
    """Return an operand as compiled code sees it if its cells lie `stride` bytes apart along the lanes.

    With `computed`, "gather" reads it at computed offsets; with `packed`, it is read from a buffer, where its cells
    touch.  `turn` is its place in rows that it shares with others.
    """
    dtype, real = o.dtype, o.dtype.real
    if turn and stride == turn.count * dtype.itemsize and not computed:
        return Leaf(dtype, o.swapped and real.itemsize > 1, ROWS, turn=turn)
    coordinate = o.arg < 0 and not packed
    if coordinate or computed:
        kind = "0" if not stride else "1" if computed and stride == dtype.itemsize else "s"
    elif packed:
        kind = "1"
    else:
        steps, rest = divmod(stride, dtype.itemsize)
        kind = "s" if rest or abs(steps) > (4 if real is dtype else 1) else str(steps)
    return Leaf(dtype, o.swapped and o.arg >= 0 and real.itemsize > 1, kind, coordinate)


# ---- bodies


class CompactBody(NamedTuple):
    """A body without the steps that its value does not need, and facts about it that plans use."""

    steps: Body
    picks: tuple[int, ...]  # numbers in the row of the operands that it reads; `steps` count just these
    gathered: frozenset[int]  # operands that "gather" reads at computed offsets, numbered as in `steps`
    lanes: int  # lanes of a kernel of its dtypes
    cost: float  # nanoseconds per cell, without loading the operands

    @property
    def width(self) -> int:
        """Return the number of cells that the body writes next to each other: those its last step interleaves, or 1."""
        last = self.steps[-1]
        return len(last.args) if last.op == "interleave" else 1


def compacted(body: Body) -> CompactBody:
    """Return a body with only its needed steps, which number the needed operands anew, in their order."""
    kept = sorted(needed_steps(body))
    picks = tuple(sorted(used_operands([body[k] for k in kept])))
    if len(kept) < len(body) or picks != tuple(range(len(picks))):
        steps = {k: new for new, k in enumerate(kept)}
        operands = {k: new for new, k in enumerate(picks)}
        body = tuple([_renumbered(body[k], steps, operands) for k in kept])
    gathered = frozenset([i.attr for i in body if i.op == "gather" and isinstance(i.attr, int)])
    lanes = lanes_for([i.dtype for i in body])
    if body[-1].op == "interleave" and len(body[-1].args) > 4:  # as many registers as for four
        lanes //= 2
    return CompactBody(body, picks, gathered, lanes, cost.of_body(body))


def _renumbered(i: Instr, steps: dict[int, int], operands: dict[int, int]) -> Instr:
    attr = operands[operand_number(i)] if i.op in READS else i.attr
    return Instr(i.op, i.dtype, tuple([steps[k] for k in i.args]), attr)


def operand_number(i: Instr) -> int:
    """Return the number of the operand that a load, coord or gather step reads."""
    assert i.op in READS and isinstance(i.attr, int), f"internal: {i}"
    return i.attr


def used_operands(steps: Sequence[Instr]) -> frozenset[int]:
    """Return the numbers of the operands that the given steps read."""
    return frozenset([i.attr for i in steps if i.op in READS and isinstance(i.attr, int)])


def needed_steps(body: Body, results: Sequence[int] = ()) -> set[int]:
    """Return the numbers of the steps that the body's value, or those `results`, depend on."""
    needed = set(results) or {len(body) - 1}
    for k in reversed(range(len(body))):
        if k in needed:
            needed.update(body[k].args)
    return needed
