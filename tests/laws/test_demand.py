"""Laws of demand: the cells demanded alone give the same bits, and parts demand no more than all.

The one idea: every cell that is not demanded is overwritten with another value before its readers are computed, so a
cell that is missing from the demand shows in the result.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.laws.test_rules import Grower
from tests.laws.test_selection_laws import Forest
from tests.oracle.compare import same_bits
from tests.shares import examples
from weft.backends.reference import transformer as reference
from weft.ir.graph.node import Node, walk
from weft.ir.pieces.box import Box, box_of
from weft.passes.fuse import is_stored
from weft.passes.narrowing.needs import demand_of_box, needs
from weft.tensors.tensor import node_of, values_of


def a_box(rng: random.Random, shape: tuple[int, ...]) -> Box:
    """A strided box with a cell at least."""
    runs = []
    for n in shape:
        size = rng.randint(1, n)
        step = rng.randint(1, (n - 1) // (size - 1)) if size > 1 else 1
        runs.append((rng.randint(0, n - 1 - step * (size - 1)), step, size))
    return Box(*zip(*runs, strict=True)) if runs else Box((), (), ())


def poisoned(array: np.ndarray, boxes: list[Box]) -> np.ndarray:
    """The array with other cells outside some boxes: NaN, or its own values in another order."""
    out = np.full_like(array, np.nan) if array.dtype.kind in "fc" else array.ravel()[::-1].reshape(array.shape).copy()
    for box in boxes:
        out[box.slices] = array[box.slices]
    return out


def computed(roots: list[Node], leaves: dict[Node, np.ndarray], known: dict[int, Any] | None) -> np.ndarray:
    """The value of the last root by the reference; `known` has what is needed of every node, None: all."""
    values: dict[Node, np.ndarray] = {}
    for n in walk(roots):
        if n in leaves:
            array = leaves[n]
        elif is_stored(n) or not n.inputs:
            array = np.asarray(values_of(n)) if is_stored(n) else reference.evaluate(n, [])
        else:
            array = reference.evaluate(n, [values[i] for i in n.inputs])
        if known is not None:
            array = poisoned(array, known[id(n)].boxes if id(n) in known else [])
        values[n] = array
    return values[roots[-1]]


def check(n: Node, box: Box, leaves: dict[Node, np.ndarray]) -> None:
    """Hold the demand of a box of a node against both laws."""
    with np.errstate(all="ignore"):
        plain, found = computed([n], leaves, None), computed([n], leaves, needs([n], [box]))
    assert same_bits(plain[box.slices], found[box.slices])


@for_each("seed", range(150))
def test_nothing_but_the_cells_demanded_is_read(seed):
    g = Grower(seed)
    n = node_of(g.root)
    check(n, a_box(random.Random(seed), n.desc.shape), {})


@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.data())
def test_nothing_but_the_cells_demanded_is_read_of_selections(data):
    pick = lambda low, high: data.draw(st.integers(low, high))  # noqa: E731
    forest = Forest(pick, False)
    n, array = forest.tree(pick(1, 7))
    if array.size:
        check(n, a_box(random.Random(pick(0, 1 << 30)), array.shape), forest.values)


def joined(n: Node, boxes: list[Box]) -> dict[int, Box]:
    """For every input of a node that some boxes of it read, the box that holds what is read."""
    found: dict[int, Box] = {}
    for box in boxes:
        for k, part in demand_of_box(n, box):
            found[k] = found[k].joined(part) if k in found else part
    return found


@for_each("seed", range(150))
def test_the_parts_of_a_box_demand_no_more_than_the_box(seed):
    rng = random.Random(seed)
    for n in walk([node_of(Grower(seed).root)]):
        if is_stored(n) or not n.inputs or not n.desc.size:
            continue
        box = a_box(rng, n.desc.shape)
        axis = max(range(len(box.size)), key=lambda a: box.size[a], default=None)
        if axis is None or box.size[axis] < 2:
            continue
        at = rng.randint(1, box.size[axis] - 1)
        first = box._replace(size=(*box.size[:axis], at, *box.size[axis + 1 :]))
        start = box.start[axis] + at * box.step[axis]
        rest = box.size[axis] - at
        second = box._replace(
            start=(*box.start[:axis], start, *box.start[axis + 1 :]),
            size=(*box.size[:axis], rest, *box.size[axis + 1 :]),
        )
        whole, parts = joined(n, [box]), joined(n, [first, second])
        assert parts.keys() <= whole.keys()
        assert all(whole[k].holds(part) for k, part in parts.items())


def test_a_box_holds_what_it_is_joined_with():
    rng = random.Random(1)
    for _ in range(500):
        a, b = a_box(rng, (9, 1, 7)), a_box(rng, (9, 1, 7))
        both = a.joined(b)
        marks = np.zeros((9, 1, 7), bool)
        marks[a.slices] = marks[b.slices] = True
        assert both.holds(a) and both.holds(b) and box_of((9, 1, 7)).holds(both)
        assert a.holds(b) == (marks.sum() == a.cells)
        inside = np.zeros_like(marks)
        inside[both.slices] = True
        assert (inside >= marks).all() and inside.sum() == both.cells


def test_the_demand_of_a_few_cells_visits_what_they_come_from():
    parts = [weft.asarray([float(k)] * 10) * 2 for k in range(2000)]
    n = node_of(weft.concat(parts)[42:45])
    assert len(needs([n])) < 8
