"""Chains: reductions along rows and the maps that use them, as passes over one row after another.

Terms: a *pass* goes over a row's cells once; its body has each of its steps once.  A *row value* is one number for a
whole row: the result of a reduction, or of a map of such numbers.  The one idea: a reduction belongs to the
first pass in which its operands are known, so that all reductions of the same operands share a loop, and a row stays in
the nearest cache from the first pass to the last.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import NamedTuple

from weft.backends.llvm.emit.processor import second_cache
from weft.backends.llvm.folds.laws import BLOCK, Law, law_of
from weft.backends.llvm.nest.structure import CompactBody, Leaf, compacted, leaf_of, operand_number
from weft.backends.llvm.nest.walk import OPERANDS
from weft.backends.llvm.steps.registers import lanes_for
from weft.dtypes import DType
from weft.ir.kernels.plan import Instr, MapLaunch, Operand, ReduceLaunch

MOST_BYTES = second_cache() // 4  # bytes of all that a row touches: it stays near, beside what is read ahead
ENTRIES = MOST_BYTES // BLOCK  # most blocks of a row
NO_LEAF = -1


class PassFold(NamedTuple):
    """A reduction of a pass: the step whose values it reduces, and the row value for its result."""

    step: int
    law: Law
    correction: float  # of a variance: subtracted from the divisor
    value: int
    dtype: DType  # the result's
    leaf: int  # the leaf to which the result is written, or NO_LEAF


class PassStore(NamedTuple):
    """A map of a pass: the step of its value, and the leaf to write it to, or NO_LEAF.

    `value` is the number of a row value, or -1 for a map of all cells of a row.
    """

    step: int
    leaf: int
    value: int = -1


@dataclass(slots=True)
class RowPass:
    """The steps of a pass over a row, without repeats.

    A step "row_value" (attr = its number) reads a row value of an earlier pass.
    """

    body: list[Instr] = field(default_factory=list)
    folds: list[PassFold] = field(default_factory=list)
    stored: list[PassStore] = field(default_factory=list)
    known: dict[tuple[object, ...], int] = field(default_factory=dict)  # steps by what they say

    def add(self, i: Instr) -> int:
        """Return the number of the step `i`, which is added unless an equal step exists."""
        key = (i.op, i.dtype, i.args, repr(i.attr))
        if key not in self.known:
            self.known[key] = len(self.body)
            self.body.append(i)
        return self.known[key]


class RowPlace(NamedTuple):
    """The place of an operand's cells: argument, offset, and the bytes from row to row and from cell to cell."""

    arg: int
    offset: int
    across: int
    along: int


@dataclass(slots=True)
class _Result:
    """The result of a launch in a chain: its place, with its pass and step, or its row value."""

    place: RowPlace
    at: int  # the pass that computes it
    ready: int  # the first pass that may use it
    step: int = -1
    value: int = -1


@dataclass(slots=True)
class RowChain:
    """A chain: launches over the same rows, as passes over one row after the other.

    `str(chain)` is the key of its kernel.  `near` are arguments that only this chain reads: a row of them is enough,
    and row values need no memory at all.
    """

    kept: tuple[int, ...]
    reduced: tuple[int, ...]
    near: Container[int]
    passes: list[RowPass] = field(default_factory=list)
    places: list[RowPlace] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    values: int = 0
    results: dict[int, _Result] = field(default_factory=dict)
    written: set[int] = field(default_factory=set)  # numbers of the leaves that are written
    names: list[str] = field(default_factory=list)  # names of the launches, for profiles

    @property
    def rows(self) -> int:
        return prod(self.kept)

    @property
    def cells(self) -> int:
        return prod(self.reduced)

    @property
    def lanes(self) -> int:
        return lanes_for([i.dtype for p in self.passes for i in p.body])

    def __str__(self) -> str:
        leaves = [(x.dtype.name, x.swapped, x.kind, x.coordinate) for x in self.leaves]
        return f"|{leaves}|" + "|".join([_spelled(p) for p in self.passes])

    # ---- from launches
    def try_append(self, launch: MapLaunch | ReduceLaunch) -> bool:
        """Append a launch to the chain and return True; return False, with nothing changed, where it does not fit."""
        (row,), single = launch.rows, False
        if isinstance(launch, ReduceLaunch):
            out, cells = launch.out, ()
            sizes = (launch.shape[: launch.kept], launch.shape[launch.kept :])
            fits = sizes == (self.kept, self.reduced) and not law_of(launch.op, launch.acc).chained
        else:
            assert row.out is not None
            out, cells = row.out, row.sizes[len(self.kept) :]
            single = row.sizes[: len(self.kept)] == self.kept and prod(cells) == 1
            fits = single or row.sizes == self.kept + self.reduced
        if not fits:
            return False
        body = compacted(row.body)
        given = [row.operands[k] for k in body.picks]
        written = _row_place(out, (self.kept, cells))
        places = [_row_place(o, (self.kept, cells if single else self.reduced)) for o in given]
        if written is None or not self._may_read(given, places, body):
            return False
        if not isinstance(launch, ReduceLaunch) and not single and written.along != out.dtype.itemsize:
            return False
        self._add(launch, body, given, [p for p in places if p is not None], out, written, single)
        return True

    def _may_read(self, given: Sequence[Operand], places: Sequence[RowPlace | None], body: CompactBody) -> bool:
        """True if operands have one stride each, the driver has room, and results are read where they are written."""
        if body.gathered or len(self.leaves) + len(given) >= OPERANDS:  # with the result
            return False
        for o, place in zip(given, places, strict=True):
            if place is None:
                return False
            if o.arg < 0:
                continue
            if leaf_of(o, place.along).kind == "s":
                return False
            made = self.results.get(o.arg)
            if made is not None and (made.place != place or o.swapped):
                return False
        return True

    def _add(
        self, launch: MapLaunch | ReduceLaunch, body: CompactBody, given: Sequence[Operand], places: Sequence[RowPlace],
        out: Operand, written: RowPlace, single: bool,
    ) -> None:  # fmt: skip
        made = [self.results.get(o.arg) if o.arg >= 0 else None for o in given]
        at = max([r.ready for r in made if r is not None], default=0)
        while len(self.passes) <= at:
            self.passes.append(RowPass())
        here = self.passes[at]
        step = self._steps(here, at, launch.rows[0].scalars, body, given, places)
        reduces, value = isinstance(launch, ReduceLaunch), -1
        if reduces or single:
            value, self.values = self.values, self.values + 1
        leaf = NO_LEAF
        if value < 0 or out.arg not in self.near:
            leaf = self._leaf(out, written._replace(across=0) if out.arg in self.near else written)
            self.written.add(leaf)
        self.names.append(launch.op if isinstance(launch, ReduceLaunch) else "map")
        self.results[out.arg] = _Result(written, at, at + reduces, step, value)
        if isinstance(launch, ReduceLaunch):
            law = law_of(launch.op, launch.acc)
            here.folds.append(PassFold(step, law, launch.correction, value, out.dtype, leaf))
        else:
            here.stored.append(PassStore(step, leaf, value))

    def _steps(
        self, here: RowPass, at: int, scalars: int, body: CompactBody, given: Sequence[Operand],
        places: Sequence[RowPlace],
    ) -> int:  # fmt: skip
        """Add the steps of a launch to the pass `here`, which has number `at`. Return the number of the last step.

        `given` are the launch's operands, `places` those that are loaded; its scalars begin at number `scalars`.
        """
        numbers: list[int] = []
        for i in body.steps:
            made = self.results.get(given[operand_number(i)].arg) if i.op == "load" else None
            if made is not None and made.at == at and not (made.value >= 0 and made.ready > at):
                numbers.append(made.step)
                continue
            args, attr = tuple([numbers[k] for k in i.args]), i.attr
            if made is not None and made.value >= 0:
                i = Instr("row_value", i.dtype, (), made.value)
            elif i.op in ("load", "coord"):
                k = operand_number(i)
                place = places[k]
                if made is not None and given[k].arg in self.near:
                    place = place._replace(across=0)
                i = Instr(i.op, i.dtype, (), self._leaf(given[k], place))
            else:
                assert isinstance(attr, int) or i.op != "scalar"
                i = Instr(i.op, i.dtype, args, scalars + attr if i.op == "scalar" else attr)
            numbers.append(here.add(i))
        return numbers[-1]

    def _leaf(self, o: Operand, place: RowPlace) -> int:
        """Return the number of the leaf of operand `o` at `place`; the leaf is added unless it exists."""
        leaf = leaf_of(o, place.along)
        for k, known in enumerate(zip(self.places, self.leaves, strict=True)):
            if known == (place, leaf):
                return k
        self.places.append(place)
        self.leaves.append(leaf)
        return len(self.leaves) - 1

    # ---- what a kernel asks
    def row_bytes(self) -> int:
        """Return the bytes of all operands that the passes over one row touch."""
        cells = [self.cells if p.along else 1 for p in self.places]
        return sum([n * leaf.itemsize for n, leaf in zip(cells, self.leaves, strict=True)])

    @property
    def pays(self) -> bool:
        """True if the chain has a reduction, at least two results, and rows that fit the kernel's cache budget."""
        steps = sum([len(p.folds) + len(p.stored) for p in self.passes])
        return steps > 1 and any(p.folds for p in self.passes) and self.row_bytes() <= MOST_BYTES


def chained(
    steps: Sequence[MapLaunch | ReduceLaunch], temporaries: Container[int]
) -> Iterator[RowChain | MapLaunch | ReduceLaunch]:
    """Iterate over the launches, with a chain in the place of each run of launches that can be one.

    `temporaries` are the arguments that no other launches read.
    """
    at = 0
    while at < len(steps):
        chain = _longest(steps[at:], frozenset())
        end = at + len(chain.names)
        if chain.pays:
            others = {o.arg for s in (*steps[:at], *steps[end:]) for o in s.rows[0].operands}
            near = frozenset([arg for arg in chain.results if arg in temporaries and arg not in others])
            yield _longest(steps[at:end], near)
        else:
            end = at + 1
            yield steps[at]
        at = end


def _longest(steps: Sequence[MapLaunch | ReduceLaunch], near: Container[int]) -> RowChain:
    """Return the longest chain that the first of `steps` form; `near` are arguments that only the chain reads."""
    shape = next(((s.shape[: s.kept], s.shape[s.kept :]) for s in steps if isinstance(s, ReduceLaunch)), ((), ()))
    chain = RowChain(*shape, near)
    for s in steps:
        if not shape[0] or not chain.try_append(s):
            break
    return chain


def _spelled(p: RowPass) -> str:
    steps = ";".join([f"{op}.{dtype.name}{list(args)}{attr!r}" for op, dtype, args, attr in p.body])
    folds = [(f.step, str(f.law), f.correction, f.value, f.dtype.name, f.leaf) for f in p.folds]
    return f"{steps} {folds} {[tuple(s) for s in p.stored]}"


def _row_place(o: Operand, sizes: tuple[Sequence[int], Sequence[int]]) -> RowPlace | None:
    """Return the place of an operand with the axes `sizes` = (rows, cells); None if it has no single strides."""
    kept = len(sizes[0])
    across, along = _stride(sizes[0], o.strides[:kept]), _stride(sizes[1], o.strides[kept:])
    return None if across is None or along is None else RowPlace(o.arg, o.offset, across, along)


def _stride(sizes: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the single stride by which some axes are walked in row-major order; None if there is none.

    >>> _stride((2, 1, 3), (12, 7, 4)), _stride((2, 3), (16, 4)), _stride((1,), (5,))
    (4, None, 0)
    """
    axes = [(n, s) for n, s in zip(sizes, strides, strict=True) if n != 1]
    for (_, far), (n, near) in pairwise(axes):
        if far != n * near:
            return None
    return axes[-1][1] if axes else 0
