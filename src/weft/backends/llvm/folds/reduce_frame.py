"""The shared frame of reduction drivers: the head of their tables, and the output of results.

The one idea: what depends on the law of a reduction are addresses in the table.  A unit is a range of kept cells and a
group of blocks; groups of the same cell meet in `finish`, as a tree by their numbers, so the cut into units never shows
in a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.partials import finish_routine
from weft.backends.llvm.nest.frame import Table, head
from weft.backends.llvm.nest.walk import Group, decode_outer, workspace

HEAD = head("tile* fold* finish* merge* clear* close* divide* event*")


def call_finish(
    b: Builder, table: Table, group: Group, part: Value, pitch: Value | int, first: Value | int, count: Value | int,
    out: Value,
) -> None:  # fmt: skip
    """Write the results of some entries to the output."""
    finish_routine.signature.call(
        b, table["finish"], part=part, pitch=pitch, first=first, count=count, out=out, stride=group["stride"],
        n=group.real("count"), divisor=group.real("divisor"),
    )  # fmt: skip


def planes(b: Builder, group: Group) -> Iterator[tuple[int, Value]]:
    """Go over the planes that partial results have: the number of each, and the bytes of an entry in it."""
    for plane in range(2):
        with b.when(group["planes"] > plane):
            yield plane, group[f"size{plane}"]


def keep_entries(
    b: Builder, group: Group, source: Value, pitch: Value | int, count: Value, to: tuple[Value, Value]
) -> None:
    """Copy entries from planes at `source` to the scratch memory: entry k as number first + k·apart."""
    first, apart = to
    for plane, size in planes(b, group):
        base = b.gep(b["scratch"], group["scratch"] + group["pitch"] * plane)
        here = b.gep(source, pitch * plane)
        with b.loop(0, count) as k:
            b.copy(b.gep(base, (first + k * apart) * size), b.gep(here, k * size), size)


@contextmanager
def unfinished(b: Builder, table: Table) -> Iterator[tuple[Group, Value, Value]]:
    """Loop over kept cells whose blocks are not combined yet; yields (group, cell number, output address)."""
    workspace(b)
    with b.loop(0, table.count) as k:
        b.scope["group"] = table.entry(k)
        group = Group(b)
        with b.when(group["groups"] > 1), b.loop(0, group["outer_cells"]) as o:
            yield group, o, decode_outer(b, group, o * group["prefix"])
