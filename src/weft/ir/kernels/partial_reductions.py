"""Reductions in portions: the state between portions, joined in the order defined by `sum_order`.

The one idea: blocks of 1024 cells fold as a binary counter does, so a counter that takes the blocks' values in portions
of any size ends with the value that folding all of them at once gives, bit for bit.  Where no order shows (extremes,
logic, integers), or none is wanted (chained sums of products), portions join in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType
from weft.ir.kernels.sum_order import BLOCK, LANES, Entry, added, mean_of, merged, multiplied, product, reduce_rows

Array = NDArray[Any]
ORDERED = ("sum", "prod", "mean", "var")  # of inexact dtypes: the order of operations shows


def is_ordered(op: str, accumulator: DType) -> bool:
    """True if the bits of reduction `op`, computed in dtype `accumulator`, depend on the order of its operations."""
    return op in ORDERED and accumulator.is_inexact


class PairwiseTree:
    """Values of blocks, folded in pairs of neighbours, level by level, as soon as both of a pair are known.

    At level n, number k stands for 2**n blocks from number k * 2**n on, of which those at the end may be missing.

    >>> c = PairwiseTree(lambda a, b: (np.char.add(np.char.add("(", a[0]), np.char.add(b[0], ")")),))
    >>> for first, part in [(0, "ab"), (3, "def"), (2, "c")]:
    ...     c.add((np.array([list(part)]),), first)
    >>> c.total()[0].item()
    '(((ab)(cd))(ef))'
    """

    def __init__(self, join: Callable[[Entry, Entry], Entry]) -> None:
        self.join, self.next = join, 0
        self.waiting: dict[tuple[int, int], Entry] = {}  # by level and number, those whose neighbour is missing

    def add(self, values: Entry, first: int | None = None) -> None:
        """Add the values of neighbouring blocks, planes of (kept, blocks).

        The first has number `first`; by default they follow the blocks added last.
        """
        first, level = self.next if first is None else first, 0
        self.next = first + values[0].shape[1]
        while (n := values[0].shape[1]) > 0:
            ahead = first & 1
            if ahead:
                self.put(level, first, tuple([v[:, :1].copy() for v in values]))
            pairs = (n - ahead) // 2
            if n - ahead > 2 * pairs:
                self.put(level, first + n - 1, tuple([v[:, n - 1 :].copy() for v in values]))
            left, right = [tuple([v[:, ahead + k : ahead + 2 * pairs : 2] for v in values]) for k in (0, 1)]
            values = self.join(left, right)
            first, level = (first + ahead) >> 1, level + 1

    def put(self, level: int, number: int, value: Entry) -> None:
        """Add the value of 2**level neighbouring blocks, the first of which is number · 2**level.

        It is planes of shape (kept, 1).
        """
        while (beside := self.waiting.pop((level, number ^ 1), None)) is not None:
            value = self.join(beside, value) if number & 1 else self.join(value, beside)
            level, number = level + 1, number >> 1
        self.waiting[level, number] = value

    def total(self) -> Entry:
        """Return the folded value of all blocks, as arrays of shape (kept, 1)."""
        found: Entry | None = None
        for _, entry in sorted(self.waiting.items(), key=lambda item: item[0]):
            found = entry if found is None else self.join(entry, found)
        assert found is not None
        return found


class OrderedReduction:
    """A sum, product, mean or variance of n cells, for each kept cell, in the dtype `acc`.

    `take` is called for each run of whole blocks, and for a shorter last block, with the parts in PARTS of every block.
    """

    def __init__(self, op: str, acc: DType, n: int, correction: float = 0.0) -> None:
        self.op, self.acc, self.n, self.correction = op, acc, n, correction
        self.counter = PairwiseTree({"prod": multiplied, "var": merged}.get(op, added))
        self.combine = product if op == "prod" else np.add  # of two lanes

    @np.errstate(all="ignore")
    def add(self, values: Entry, cells: int = BLOCK, first: int | None = None) -> None:
        """Add the values of blocks of `cells` cells each, arrays of shape (kept, blocks).

        The first block has number `first` in the row; by default the blocks follow those added last.
        """
        if self.op == "var":
            values = (np.full(values[0].shape, float(cells)), *values)
        self.counter.add(values, first)

    def state(self) -> list[tuple[int, int, list[Array]]]:
        """Return the blocks folded so far as a list of (level, number, values), which `join` accepts."""
        return [(level, number, list(entry)) for (level, number), entry in self.counter.waiting.items()]

    @np.errstate(all="ignore")
    def join(self, state: Iterable[tuple[int, int, Sequence[Array]]]) -> None:
        """Add the blocks of another partial reduction, given by its `state`."""
        for level, number, entry in state:
            self.counter.put(level, number, tuple(entry))

    @np.errstate(all="ignore")
    def result(self) -> Array:
        """Return the reduction's values, one for each kept cell."""
        total = self.counter.total()
        if self.op == "var":
            return np.divide(total[2][:, 0], self.acc.np.type(max(self.n - float(self.correction), 0.0)))
        value = total[0][:, 0]
        return mean_of(value, self.n, self.acc) if self.op == "mean" else value


@np.errstate(all="ignore")
def sum_of(parts: Iterable[Array]) -> Array:
    """Return the sum of at least one array, added cell by cell like a sum along an axis.

    The arrays are overwritten; at most 8 are held at a time, beside the binary counter.

    >>> sum_of(np.array([[1.0, 2.0]]) for _ in range(3000))
    array([[3000., 6000.]])
    """
    counter, parts = PairwiseTree(added), iter(parts)
    shape: tuple[int, ...] = ()
    while lanes := list(islice(parts, LANES)):
        shape = lanes[0].shape
        for k, part in enumerate(islice(parts, BLOCK - LANES)):
            lanes[k % LANES] += part
        while len(lanes) > 1:
            half = 4 if len(lanes) > 4 else 2 if len(lanes) > 2 else 1
            lanes = [*map(np.add, lanes, lanes[half:]), *lanes[len(lanes) - half : half]]
        counter.add((lanes[0].reshape(-1, 1),))
    return counter.total()[0].reshape(shape)


class UnorderedReduction:
    """A reduction that does not depend on the order; `take` adds a portion's values, an array of shape (kept,)."""

    def __init__(self, op: str, acc: DType) -> None:
        self.op, self.acc = op, acc
        self.value: Array | None = None

    @np.errstate(all="ignore")
    def add(self, value: Array) -> None:
        """Combine the values of one more portion with the values so far."""
        if self.value is None:
            self.value = value
        elif join := JOINS.get(self.op):
            self.value = join(self.value, value)
        else:
            self.value = reduce_rows(self.op, np.stack([self.value, value], axis=1), self.acc)

    def result(self) -> Array:
        """Return the reduction's values, one for each kept cell."""
        assert self.value is not None
        return self.value

    def state(self) -> list[Array]:
        """Return the arguments for the `take` of another partial reduction: the values so far."""
        return [self.result()]


class PartialPosition:
    """A partial argmin or argmax; among equal extremes the one with the lowest index counts."""

    def __init__(self, op: str) -> None:
        self.greatest = op == "argmax"
        self.index: Array | None = None
        self.value: Array | None = None

    @np.errstate(invalid="ignore")
    def add(self, index: Array, value: Array) -> None:
        """Add the extreme values of a portion, and their indices among all cells."""
        if self.index is None or self.value is None:
            self.index, self.value = index, value
            return
        better = value > self.value if self.greatest else value < self.value
        equal = value == self.value
        if value.dtype.kind not in "biu":
            new, old = np.isnan(value), np.isnan(self.value)
            better, equal = (better | new) & ~old, equal | (new & old)
        better |= equal & (index < self.index)
        self.index = np.where(better, index, self.index)
        self.value = np.where(better, value, self.value)

    def result(self) -> Array:
        """Return the index of the extreme for each kept cell."""
        assert self.index is not None
        return self.index

    def state(self) -> list[Array]:
        """Return the arguments for the `take` of another partial reduction: the indices and extreme values so far."""
        assert self.value is not None
        return [self.result(), self.value]


JOINS: dict[str, np.ufunc] = {  # of two portions' values; the others are reduced like two cells
    **dict.fromkeys(("sum", "chained_sum", "count_nonzero"), np.add),
    "prod": np.multiply,
    "any": np.logical_or,
    "all": np.logical_and,
}
