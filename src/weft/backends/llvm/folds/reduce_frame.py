"""Shared code of the drivers of reductions: the head of their tables, and the writing of results.

Terms: a *kept cell* is a cell of the result; its *blocks* are cut into *groups*, each reduced by one unit.  The one
idea: whatever depends on the law of a reduction is a routine, whose address is in the table's head.  Where a kept cell
has several groups of blocks, their partial results wait in the scratch memory until the finish driver merges them as a
tree by their numbers, so the cut into units never shows in a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.partials import finish_routine
from weft.backends.llvm.jit.kernel_task import Table, head
from weft.backends.llvm.nest.walk import Group, decode_outer, workspace

HEAD = head("tile* fold* finish* merge* clear* close* divide* event*")


def call_finish(
    b: Builder, table: Table, group: Group, part: Value, pitch: Value | int, first: Value | int, count: Value | int,
    out: Value,
) -> None:  # fmt: skip
    """Emit a call of the law's `finish`, which turns `count` partial results into results at `out`.

    The first is number `first` at address `part`; `pitch` is the bytes from plane to plane.
    """
    finish_routine.signature.call(
        b, table["finish"], part=part, pitch=pitch, first=first, count=count, out=out, stride=group["stride"],
        n=group.real("count"), divisor=group.real("divisor"),
    )  # fmt: skip


def planes(b: Builder, group: Group) -> Iterator[tuple[int, Value]]:
    """Emit a branch for each plane of a partial result; yield (number of the plane, bytes of an element)."""
    for plane in range(2):
        with b.when(group["planes"] > plane):
            yield plane, group[f"size{plane}"]


def keep_entries(
    b: Builder, group: Group, source: Value, pitch: Value | int, count: Value, to: tuple[Value, Value]
) -> None:
    """Emit code that copies `count` partial results from `source` to the group's scratch memory.

    `pitch` is the bytes between planes at `source`.  With to = (first, apart), partial result k becomes number first +
    k·apart there.
    """
    first, apart = to
    for plane, size in planes(b, group):
        base = b.gep(b["scratch"], group["scratch"] + group["pitch"] * plane)
        here = b.gep(source, pitch * plane)
        with b.loop(0, count) as k:
            b.copy(b.gep(base, (first + k * apart) * size), b.gep(here, k * size), size)


@contextmanager
def unfinished(b: Builder, table: Table) -> Iterator[tuple[Group, Value, Value]]:
    """Return a context manager that emits a loop over outer kept cells whose blocks were cut into several groups.

    The body merges their results.  Yields (group, number of the outer cell, address of its output).
    """
    workspace(b)
    with b.loop(0, table.count) as k:
        b.scope["group"] = table.entry(k)
        group = Group(b)
        with b.when(group["groups"] > 1), b.loop(0, group["outer_cells"]) as o:
            yield group, o, decode_outer(b, group, o * group["prefix"])
