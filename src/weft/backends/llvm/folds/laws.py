"""The laws of reductions: one `Law` for each operation and accumulation dtype, as code on registers.

Terms: a *state* is what a reduction carries, a tuple of values with one lane for each running result; a *partial
result* is the state of one block, all lanes folded; the *identity* is the state of no cells.
The one idea: a reduction is a start, a step, a way to join the lanes, a way to merge partial results and a finish; the
loops around it know nothing else.  `weft.ir.kernels.sum_order` says the same in NumPy, cell by cell, and is the test
of this.

Extremes are found on *keys*: integers in the order of the values, with NaN below all and -0 below +0, so that every
minimum is a signed integer minimum; a maximum is a minimum of inverted keys.  Where NaN is passed over, it has the
greatest key, which nothing else has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder, Complex, Type, Value
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import Reg, elem, encode, real_parts, swap
from weft.dtypes import DType

LANES = 8  # lanes of an ordered reduction, whatever the vectors of the processor
BLOCK, FREE_BLOCK = 1024, 8192  # cells of a block; where no order matters, longer ones save folding
ALL_CELLS = 1 << 40  # more cells than any array has: one block for all

State = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers of cells behind the left and the right operand of a merge, as doubles."""

    left: Value
    right: Value


@dataclass(frozen=True)
class Law:
    """One reduction in one accumulation dtype: how its state starts, takes a value, is merged and finished."""

    op: str
    acc: DType

    def __str__(self) -> str:
        return f"{self.op} {self.acc.name}"

    @cached_property
    def ordered(self) -> bool:
        """True if the result depends on the order in which the cells are combined."""
        return self.op in ("sum", "prod", "mean", "var") and self.acc.is_inexact

    @cached_property
    def chained(self) -> bool:
        """True if the cells are combined one after the other, in one block with one lane."""
        return self.op in ("chained_sum", "chained_prod")

    @cached_property
    def is_product(self) -> bool:
        return self.op in ("prod", "chained_prod")

    @cached_property
    def block(self) -> int:
        return BLOCK if self.ordered else ALL_CELLS if self.chained else FREE_BLOCK

    @cached_property
    def by_key(self) -> bool:
        return self.op in ("min", "max", "nanmin", "nanmax", "argmin", "argmax")

    @cached_property
    def inverted(self) -> bool:
        """True if keys are inverted, so that their minimum is the maximum of the values."""
        return self.op in ("max", "nanmax", "argmax")

    @cached_property
    def indexed(self) -> bool:
        return self.op in ("argmin", "argmax")

    @cached_property
    def key_elem(self) -> str:
        e = elem(self.acc)
        return {"float": "i32", "double": "i64", "i1": "i8"}.get(e, e)

    @cached_property
    def lane(self) -> tuple[str, ...]:
        """Return the LLVM element types of the values that a reduction carries while it reduces a block."""
        if self.op == "count_nonzero":
            return ("i32",)
        if self.indexed:
            return self.key_elem, "i32"
        return (elem(self.acc),) if self.op == "var" else self.part_types

    @cached_property
    def part_types(self) -> tuple[str, ...]:
        """Return the LLVM element types of a partial result; each is stored in a plane of its own."""
        if self.by_key:
            return (self.key_elem, "i64") if self.indexed else (self.key_elem,)
        if self.op in ("any", "all"):
            return ("i8",)
        if self.op == "count_nonzero":
            return ("i64",)
        return (elem(self.acc),) * (2 if self.acc.kind == "complex" or self.op == "var" else 1)

    @cached_property
    def lane_bytes(self) -> list[int]:
        """Return the bytes in memory of each element type of `lane`."""
        return list(map(cell_bytes, self.lane))

    @cached_property
    def part_bytes(self) -> list[int]:
        """Return the bytes in memory of each element type of `part_types`."""
        return list(map(cell_bytes, self.part_types))

    def lanes(self, evaluated: int) -> int:
        """Return the number of lanes of the state, if `evaluated` cells are evaluated at a time.

        It is 8 for laws that depend on the order, else `evaluated`.
        """
        return LANES if self.ordered else evaluated

    @property
    def result(self) -> DType:
        """Return the dtype of the register that `finish` returns, before it is converted to that of the output.

        It is int64 for positions and counts, bool for any and all, else the dtype of the accumulator.
        """
        if self.indexed or self.op == "count_nonzero":
            return dt.int64
        return dt.bool if self.op in ("any", "all") else self.acc

    # ---- lanes
    def start(self, b: Builder, lanes: int, elems: Sequence[str] | None = None) -> State:
        """Return a state that holds the identity in every lane; the element types `elems` replace those of `lane`."""
        return tuple(b.const(Type(e, lanes), n) for e, n in zip(elems or self.lane, self._identity(), strict=False))

    def numbered(self, lanes: int) -> tuple[str, ...]:
        """Return the element types of a state of `lanes` lanes while one segment is reduced.

        There argmin and argmax number chunks of lanes, not cells; chunk numbers are integers as wide as the keys, but
        at least 8 bits, or 16 where a block has 128 chunks or more.
        """
        bits = Type(self.key_elem).bits if self.indexed else 0
        enough = FREE_BLOCK // lanes < 1 << 7
        return (self.key_elem, f"i{max(bits, 8 if enough else 16)}") if self.indexed else self.lane

    def _identity(self) -> tuple[float, ...]:
        """Return the state of no cells: joining it to another state changes nothing."""
        if self.by_key:
            return (1 << (int(self.key_elem[1:]) - 1)) - 1, 0
        if self.is_product or self.op == "all":
            return 1, 0
        return (-0.0, -0.0) if self.acc.is_inexact and self.op != "any" else (0, 0)

    def lift(self, b: Builder, reg: Reg) -> State:
        """Return evaluated cells in the form that `step` takes.

        These are real parts, for extremes keys, and for any, all and count_nonzero 1 for true and 0 for false.
        """
        if self.by_key:
            assert isinstance(reg, Value)
            return (self._key(b, reg),)
        if self.op in ("any", "all", "count_nonzero"):
            (holds,) = real_parts(convert(b, reg, self.acc, dt.bool))
            return (b.cast("zext", holds, self.lane[0]),)
        return tuple(real_parts(reg))

    def _key(self, b: Builder, x: Value) -> Value:
        if self.acc is dt.bool:
            x = b.cast("zext", x, "i8")
        if self.acc.kind == "uint":
            x = x ^ (-1 << (x.type.bits - 1))
        if self.acc.kind != "float":
            return ~x if self.inverted else x
        bits = b.bitcast(x + 0.0 if self.indexed else x, self.key_elem)  # -0 + 0 is +0: for positions the two tie
        key = self._mirrored(bits)
        return b.select(x.is_nan(), self._of_nan(key.type), ~key if self.inverted else key)

    def _of_nan(self, type: Type) -> int:
        """Return the key of NaN, an integer of `type`.

        It is the greatest for nanmin and nanmax, which ignore NaN, else the least.
        """
        least = -1 << (type.bits - 1)
        return ~least if self.op in ("nanmin", "nanmax") else least

    @staticmethod
    def _mirrored(bits: Value) -> Value:
        """Return a float's bits as a signed integer with the order of the floats.

        The function is its own inverse.
        """
        width = bits.type.bits
        return bits ^ ((bits >> (width - 1)) & ((1 << (width - 1)) - 1))

    def _unkey(self, b: Builder, key: Value) -> Value:
        plain = ~key if self.inverted else key
        if self.acc is dt.bool:
            return plain.ne(0)
        if self.acc.kind == "uint":
            return plain ^ (-1 << (key.type.bits - 1))
        if self.acc.kind != "float":
            return plain
        x = b.bitcast(self._mirrored(plain), elem(self.acc))
        return b.select(key.eq(self._of_nan(key.type)), b.const(x.type, float("nan")), x)

    def step(self, b: Builder, state: State, x: State, index: Value | None = None) -> State:
        """Return the state after each lane has taken one more value of `x`.

        `index` holds the position or chunk number of the values; only argmin and argmax need it.
        """
        if self.indexed:
            assert index is not None
            better = x[0] < state[0]
            return b.intrinsic("smin", state[0], x[0]), b.select(better, index, state[1])
        return self._combine(b, state, x)

    def join(self, b: Builder, low: State, high: State) -> State:
        """Return two states combined lane by lane; cells of `low` come before those of `high`."""
        if self.indexed:
            better = (high[0] < low[0]) | (high[0].eq(low[0]) & (high[1] < low[1]))
            return chosen(b, better, high, low)
        return self._combine(b, low, high)

    def _combine(self, b: Builder, x: State, y: State) -> State:
        if self.by_key:
            return (b.intrinsic("smin", x[0], y[0]),)
        if self.op in ("any", "all"):
            return (x[0] | y[0] if self.op == "any" else x[0] & y[0],)
        if not self.is_product:
            return tuple(p + q for p, q in zip(x, y, strict=True))
        if self.acc.kind != "complex":
            return (x[0] * y[0],)
        (p, q), (r, s) = x, y
        return self._unless_one(b, x, y, self._unless_one(b, y, x, (p * r - q * s, p * s + q * r)))

    @staticmethod
    def _unless_one(b: Builder, x: State, other: State, product: State) -> State:
        """Return `product`, a complex x·other, but `other` itself in lanes where x is exactly 1.

        The textbook formula would turn 1·(inf + 0i) into inf + NaN·i, and change signs of zeros.
        """
        bits = b.bitcast(x[1], f"i{x[1].type.bits}")
        one = x[0].eq(1.0) & bits.eq(0)
        return chosen(b, one, other, product)

    def fold(self, b: Builder, state: State, left: int = 1) -> State:
        """Return the state with its lanes folded by joining halves: lane i with lane i + half.

        That goes on until at most `left` lanes, a power of two, are left.
        """
        while (half := state[0].type.lanes // 2) >= left:
            low, high = (tuple(b.shuffle(s, range(at, at + half)) for s in state) for at in (0, half))
            state = self.join(b, low, high)
        return state

    def join_all(self, b: Builder, states: list[State]) -> State:
        """Return the states, those of lanes 0, 1, ... of the order of sums, joined to one."""
        while half := len(states) // 2:
            states = [self.join(b, low, high) for low, high in zip(states[:half], states[half:], strict=True)]
        return states[0]

    def widen(self, b: Builder, state: State, base: Value) -> State:
        """Return a folded state as a partial result, in which positions and counts are i64.

        `base` is the position of the segment's first cell, added to the positions of argmin and argmax.
        """
        if self.indexed:
            return state[0], b.cast("sext", state[1], "i64") + b.splat(base, state[1].type.lanes)
        if self.op == "count_nonzero":
            return (b.cast("zext", state[0], "i64"),)
        return state

    # ---- partial results
    def merge(self, b: Builder, left: State, right: State, weights: Weights | None) -> State:
        """Return the partial result of two neighbouring runs of cells, `left` before `right`.

        `weights` are their numbers of cells, which a variance needs; None for other laws.
        """
        if self.indexed:
            better = right[0] < left[0]
            return chosen(b, better, right, left)
        if self.op != "var":
            return self._combine(b, left, right)
        assert weights is not None
        ratio, weight = chan_factors(b, weights, left[0].type)
        d = right[0] - left[0]
        return left[0] + d * ratio, (left[1] + right[1]) + (d * d) * weight

    def finish(self, b: Builder, part: State, n: Value, divisor: Value) -> Reg:
        """Return the result of a reduction, of dtype `result`, from the partial result of all cells.

        `n` is the number of cells as a double; `divisor` is that of a variance.
        """
        if self.indexed:
            return part[1]
        if self.op in ("any", "all"):
            return part[0].ne(0)
        if self.op == "var":
            return part[1] / spread(b, divisor, part[1].type)
        if self.op == "mean":
            part = tuple(p / spread(b, n, p.type) for p in part)
        return self.cell(b, part)

    def cell(self, b: Builder, state: State) -> Reg:
        """Return the state of a sum, product or extreme as a cell of the accumulation dtype."""
        if self.by_key:
            return self._unkey(b, state[0])
        return Complex(*state) if len(state) == 2 else state[0]


@cache
def law_of(op: str, acc: DType) -> Law:
    """Return the law of an operation in an accumulation dtype; equal arguments give the same object."""
    return Law(op, acc)


class Planes:
    """An array of states in memory: one plane for each element of a state, `pitch` bytes from plane to plane.

    Partial results lie one after the other in a plane.  The accumulators of a panel lie in rows of columns, `row_bytes`
    from row to row; methods then take the row as well as the column.
    """

    def __init__(self, b: Builder, elems: Sequence[str], base: Value, pitch: Value, row_bytes: Value | int = 0) -> None:
        self.b, self.elems, self.base, self.pitch, self.row_bytes = b, elems, base, pitch, row_bytes

    def _address(self, plane: int, entry: Value, row: Value | int) -> Value:
        b, start = self.b, self.base
        if isinstance(row, Value):
            start = b.gep(start, row * self.row_bytes + self.pitch * plane)
        elif plane:
            start = b.gep(start, self.pitch * plane)
        return b.gep(start, entry * cell_bytes(self.elems[plane]))

    def load(self, entry: Value, lanes: int, row: Value | int = 0) -> State:
        """Return a state of `lanes` lanes, loaded from the partial results (or columns of a row) from `entry` on."""
        return tuple(self.b.load(Type(e, lanes), self._address(p, entry, row)) for p, e in enumerate(self.elems))

    def store(self, state: State, entry: Value, row: Value | int = 0) -> None:
        """Emit a store of a state's lanes to the partial results (or columns of a row) from `entry` on."""
        for plane, v in enumerate(state):
            self.b.store(v, self._address(plane, entry, row))


def parts_of(b: Builder, law: Law, base: str = "part") -> Planes:
    """Return the partial results at the parameter `base` of the function that `b` emits.

    The function's parameter `pitch` is the bytes between planes.
    """
    return Planes(b, law.part_types, b[base], b["pitch"])


def panel_of(b: Builder, law: Law) -> Planes:
    """Return the accumulators at the parameter `acc` of the function that `b` emits.

    The function's parameters `lane` and `plane` are the bytes between rows and between planes.
    """
    return Planes(b, law.lane, b["acc"], b["plane"], b["lane"])


def chosen(b: Builder, condition: Value, x: State, y: State) -> State:
    """Return the state x in the lanes where `condition` is true, and y in the others."""
    return tuple(b.select(condition, v, w) for v, w in zip(x, y, strict=True))


def chan_factors(b: Builder, weights: Weights, type: Type) -> tuple[Value, Value]:
    """Return n_right / n and n_left · (n_right / n), where n = n_left + n_right, in float type `type`.

    They are the factors by which a variance is merged (Chan, Golub, LeVeque 1979), computed in double.
    """
    ratio = weights.right / (weights.left + weights.right)
    return spread(b, ratio, type), spread(b, weights.left * ratio, type)


def spread(b: Builder, x: Value, type: Type) -> Value:
    """Return a scalar double rounded to the float type `type`, in every lane."""
    return b.splat(b.cast("fptrunc", x, type.elem), type.lanes)


def cell_bytes(elem_name: str) -> int:
    """Return the bytes that an LLVM element type, such as "i64", takes in memory."""
    return Type(elem_name).bits // 8


def encoded(b: Builder, reg: Reg, source: DType, target: DType, swapped: bool) -> tuple[Value, ...]:
    """Return a register of dtype `source` as the raw integers of dtype `target` in memory.

    Bytes are exchanged if `swapped`.
    """
    return swap(b, encode(b, convert(b, reg, source, target), target), swapped)
