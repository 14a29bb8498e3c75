"""Laws of selections over random trees of all atoms: value, exact partition, composition, addresses, adjoint.

The one idea: a tree is drawn together with the array NumPy makes of the same steps; a few lines of NumPy evaluate the
pieces, so every law is an equality of arrays of distinct integers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.shares import examples
from weft import dtypes as dt
from weft.backends.reference import transformer
from weft.errors import ShapeError
from weft.ir.atoms import selections as se
from weft.ir.atoms.adjoints import adjoint
from weft.ir.graph.domain import Domain
from weft.ir.graph.node import Node, elementwise, make, result, scalar, stored, walk
from weft.ir.graph.ops import OPS
from weft.ir.pieces.lattice import UNDECIDED
from weft.ir.pieces.normal_form import Piece, collision, pieces
from weft.ir.pieces.request import NotAView, Request, whole

Pick = Callable[[int, int], int]  # an integer of low..high
Tree = tuple[Node, np.ndarray]
MAX_CELLS = 4000


class Forest:
    """Draws trees; leaves hold distinct numbers, stored ones (views are then leaves) and placeholders in turn."""

    def __init__(self, pick: Pick, views_are_leaves: bool | None = None) -> None:
        self.pick, self.values, self.next = pick, {}, 1
        self.stored = views_are_leaves

    def leaf(self, shape: tuple[int, ...]) -> Tree:
        n = int(np.prod(shape))
        array = np.arange(self.next, self.next + n, dtype=np.int64).reshape(shape)
        self.next += n
        held = self.pick(0, 1) if self.stored is None else self.stored
        desc = result(dt.int64, shape)
        node = stored(desc, array) if held else make(OPS["leaf"], (), (), desc)
        self.values[node] = array
        return node, array

    def shape(self) -> tuple[int, ...]:
        return tuple(self.pick(0 if self.pick(0, 19) == 0 else 1, 4) for _ in range(self.pick(1, 3)))

    def tree(self, depth: int) -> Tree:
        node, array = self.leaf(self.shape())
        for _ in range(depth):
            name = STEPS[self.pick(0, len(STEPS) - 1)]
            after, values = getattr(self, name)(node, array)
            small = 0 < values.size <= MAX_CELLS and values.ndim <= 5
            if small or (values.size == 0 and self.pick(0, 30) == 0):
                node, array = after, values
        return node, array

    def axis(self, a: np.ndarray) -> int:
        return self.pick(0, a.ndim - 1)

    def like(self, a: np.ndarray, axis: int, size: int) -> Tree:
        """A part to put beside a: its own leaf, sometimes flipped."""
        node, b = self.leaf((*a.shape[:axis], size, *a.shape[axis + 1 :]))
        if self.pick(0, 2) == 0:
            return se.flip(node, (axis,)), np.flip(b, axis)
        return node, b

    def fill(self) -> tuple[Node, int]:
        """A run-time scalar, or a cell of its own leaf (which then has a gradient)."""
        if self.pick(0, 1):
            return scalar(-7, dt.int64), -7
        node, array = self.leaf(())
        return node, int(array)

    # ---- affine atoms

    def permute(self, x: Node, a: np.ndarray) -> Tree:
        rest = list(range(a.ndim))
        axes = [rest.pop(self.pick(0, len(rest) - 1)) for _ in range(a.ndim)]
        return se.permute(x, axes), a.transpose(axes)

    def flip(self, x: Node, a: np.ndarray) -> Tree:
        axes = tuple(i for i in range(a.ndim) if self.pick(0, 1))
        return se.flip(x, axes), np.flip(a, axes)

    def slice(self, x: Node, a: np.ndarray) -> Tree:
        chosen, parts = [], []
        for n in a.shape:
            step = (1, 1, 2, 3, -1, -2)[self.pick(0, 5)]
            s = slice(self.pick(-n, n), None, step)
            start, _, _ = s.indices(n)
            size = len(range(*s.indices(n)))
            chosen.append(s)
            parts.append((start, step, size))
        return se.slice_(x, parts), a[tuple(chosen)]

    def index(self, x: Node, a: np.ndarray) -> Tree:
        axes = [i for i in range(a.ndim) if a.shape[i] and self.pick(0, 2) == 0]
        at = {i: self.pick(-a.shape[i], a.shape[i] - 1) for i in axes}
        return se.index(x, list(at.items())), a[tuple(at.get(i, slice(None)) for i in range(a.ndim))]

    def expand_dims(self, x: Node, a: np.ndarray) -> Tree:
        axes = tuple({self.pick(0, a.ndim) for _ in range(2)}) if a.ndim else (0,)
        return se.expand_dims(x, axes), np.expand_dims(a, axes)

    def squeeze(self, x: Node, a: np.ndarray) -> Tree:
        axes = tuple(i for i, n in enumerate(a.shape) if n == 1 and self.pick(0, 1))
        return se.squeeze(x, axes), np.squeeze(a, axes)

    def broadcast_to(self, x: Node, a: np.ndarray) -> Tree:
        shape = tuple(self.pick(0, 3) if n == 1 else n for n in a.shape)
        shape = (self.pick(1, 3), *shape) if self.pick(0, 1) else shape
        return se.broadcast_to(x, shape), np.broadcast_to(a, shape)

    def window(self, x: Node, a: np.ndarray) -> Tree:
        axes = [i for i in range(a.ndim) if a.shape[i] and self.pick(0, 1)]
        widths = [self.pick(1, a.shape[i]) for i in axes]
        if not axes:
            return x, a
        return se.window(x, widths, axes), np.lib.stride_tricks.sliding_window_view(a, widths, axes)

    def diagonal(self, x: Node, a: np.ndarray) -> Tree:
        if a.ndim < 2:
            return x, a
        i, j, k = self.axis(a), self.pick(1, a.ndim - 1), self.pick(-2, 2)
        j = (i + j) % a.ndim
        return se.diagonal(x, k, i, j), np.diagonal(a, k, i, j)

    def reshape(self, x: Node, a: np.ndarray) -> Tree:
        shape, left = [], a.size
        while left > 1 and len(shape) < 3:
            n = [d for d in range(1, left + 1) if left % d == 0]
            shape.append(n[self.pick(0, len(n) - 1)])
            left //= shape[-1]
        shape.append(left)
        return se.reshape_view(x, shape) or se.reshape(x, shape), a.reshape(shape)

    def translate(self, x: Node, a: np.ndarray) -> Tree:
        return se.translate(x, [self.pick(-3, 3) for _ in a.shape]), a

    # ---- composites

    def concat(self, x: Node, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis = self.axis(a)
        parts = [self.like(a, axis, self.pick(0, 3)) for _ in range(self.pick(0, 3))]
        parts.insert(self.pick(0, len(parts)), (x, a))
        return se.concat([p for p, _ in parts], axis), np.concatenate([b for _, b in parts], axis)

    def interleave(self, x: Node, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis, k, at = self.axis(a), self.pick(1, 4), self.pick(0, 3)
        n, at = a.shape[axis], at % k
        short = self.pick(at, k - 1) if self.pick(0, 1) and n else k - 1  # parts after this one are one cell shorter
        long = self.pick(0, 1) if at and short == k - 1 else 0  # or parts before x are one longer
        sizes = [n + (long if i < at else 0) - (1 if i > short else 0) for i in range(k)]
        parts = [(x, a) if i == at else self.like(a, axis, m) for i, m in enumerate(sizes)]
        out = np.empty((*a.shape[:axis], sum(sizes), *a.shape[axis + 1 :]), a.dtype)
        for i, (_, b) in enumerate(parts):
            out[(slice(None),) * axis + (slice(i, None, k),)] = b
        return se.interleave([p for p, _ in parts], axis), out

    def tile(self, x: Node, a: np.ndarray) -> Tree:
        reps = [self.pick(0 if self.pick(0, 9) == 0 else 1, 3) for _ in a.shape]
        return se.tile(x, reps), np.tile(a, reps)

    def repeat(self, x: Node, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis, count = self.axis(a), self.pick(0 if self.pick(0, 9) == 0 else 1, 4)
        return se.repeat(x, count, axis), np.repeat(a, count, axis)

    def roll(self, x: Node, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axes = [self.axis(a) for _ in range(self.pick(1, 2))]
        shifts = [self.pick(-5, 5) for _ in axes]
        return se.roll(x, shifts, axes), np.roll(a, shifts, axes)

    def overlay(self, x: Node, a: np.ndarray) -> Tree:
        if not a.ndim or a.ndim > 3:
            return x, a
        parts = [(x, a)]
        for _ in range(self.pick(0, 3)):
            node, b = self.leaf(tuple(self.pick(1, 4) for _ in a.shape))
            near = [o + self.pick(-3, n + 2) for o, n in zip(x.desc.domain.origin, a.shape, strict=True)]
            parts.insert(self.pick(0, len(parts)), (se.translate(node, near), b))
        nodes = [n for n, _ in parts]
        fill, ground = self.fill()
        filled = se.overlay(nodes, None, fill)
        domain = filled.desc.domain
        if self.pick(0, 1):  # another domain: a part of the hull and something beyond it
            start = tuple(o + self.pick(-1, 2) for o in domain.origin)
            domain = Domain(start, tuple(max(n + self.pick(-2, 1), 0) for n in domain.shape))
            filled = se.overlay(nodes, domain, fill)
        out, covered = painted(parts, domain, ground)
        if covered.all():
            return se.overlay(nodes, domain), out
        with pytest.raises(ShapeError, match="overlay: no part covers coordinate"):
            se.overlay(nodes, domain)
        return filled, out

    def pad(self, x: Node, a: np.ndarray) -> Tree:
        mode = se.PAD_MODES[self.pick(0, 4)]
        pads = [(0, 0) if not n and mode != "constant" else (self.pick(0, 6), self.pick(0, 6)) for n in a.shape]
        fill, number = self.fill()
        options = {"constant_values": number} if mode == "constant" else {}
        return se.pad(x, pads, mode, fill), np.pad(a, pads, mode, **options) if a.ndim else a


STEPS = (
    *("permute", "flip", "slice", "slice", "index", "expand_dims", "squeeze", "broadcast_to", "window", "diagonal"),
    *("reshape", "translate", "concat", "interleave", "tile", "repeat", "roll", "pad", "pad", "overlay"),
)


# ---- the oracle


def painted(parts: list[Tree], domain: Domain, ground: int) -> tuple[np.ndarray, np.ndarray]:
    """Later parts over earlier ones on a ground, cell by cell, and the cells that a part covers."""
    out, covered = np.full(domain.shape, ground, np.int64), np.zeros(domain.shape, bool)
    for node, b in parts:
        for at in np.ndindex(b.shape):
            cell = tuple(o + i for o, i in zip(node.desc.domain.origin, at, strict=True))
            if cell in domain:
                at_domain = tuple(c - o for c, o in zip(cell, domain.origin, strict=True))
                out[at_domain], covered[at_domain] = b[at], True
    return out, covered


def read(leaf: Node, values: dict[Node, np.ndarray]) -> np.ndarray:
    """The array of a leaf; a view of a stored leaf by its byte offset and strides."""
    if leaf.op.name == "scalar":
        return np.array(leaf.attrs[0], np.int64)
    if leaf in values:
        return values[leaf]
    root, offset = leaf.alias
    base = values[root]
    return np.ndarray(leaf.shape, np.int64, base.tobytes() if base.size else bytes(8), offset, leaf.desc.strides)


def places(start: tuple[int, ...], step: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(e, e + s * n, s) for e, s, n in zip(start, step, sizes, strict=True))


def gathered(p: Piece | Request, array: np.ndarray) -> np.ndarray:
    """array[rows(t)] for all t: every position is checked to lie inside."""
    t = np.indices(p.sizes) if p.sizes else np.zeros((0,), np.int64)
    positions = []
    for (o, terms), n in zip(p.rows, array.shape, strict=True):
        y = np.full(p.sizes, o, np.int64)
        for d, a in terms:
            y = y + a * t[d]
        assert y.min() >= 0 and y.max() < n
        positions.append(y)
    return array[tuple(positions)] if positions else np.broadcast_to(array, p.sizes)


def check_form(p: Piece) -> None:
    """Sizes are positive, steps at least 1; a parameter of size 1 has step 1 and moves nothing."""
    used = {d for _, terms in p.rows for d, _ in terms}
    for d, (n, s) in enumerate(zip(p.sizes, p.step, strict=True)):
        assert n > 1 or (n == 1 and s == 1 and d not in used)
        assert s >= 1
    assert all(a for _, terms in p.rows for _, a in terms)


def evaluate(found: list[Piece], shape: tuple[int, ...], values: dict[Node, np.ndarray]) -> np.ndarray:
    """The value that pieces give; every cell must come exactly once."""
    out, count = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for p in found:
        check_form(p)
        at = places(p.start, p.step, p.sizes)
        out[at] = gathered(p, read(p.leaf, values))
        count[at] += 1
    assert (count == 1).all()
    return out


def storing(node: Node, values: dict[Node, np.ndarray], request: Request | None = None) -> list[Piece]:
    """The pieces; a reshape that is no view here is stored first, as the passes do."""
    stop: set[Node] = set()
    while True:
        try:
            return pieces(node, request, stop)
        except NotAView as error:
            inner = error.node.inputs[0]
            values[error.node] = evaluate(storing(inner, values), inner.shape, values).reshape(error.node.shape)
            stop.add(error.node)


def check_value(forest: Forest, depth: int) -> None:
    node, array = forest.tree(depth)
    assert node.shape == array.shape
    np.testing.assert_array_equal(evaluate(storing(node, forest.values), node.shape, forest.values), array)


def check_composition(forest: Forest, depth: int) -> None:
    """A part asked of a tree is that part of all of it, and the pieces of the sliced tree."""
    node, array = forest.tree(depth)
    part, expected = forest.slice(node, array)
    if part.shape == node.shape or 0 in part.shape:
        return
    values = forest.values
    np.testing.assert_array_equal(evaluate(storing(part, values), part.shape, values), expected)
    ((_, asked),) = [(0, part_of(part))]
    np.testing.assert_array_equal(evaluate(storing(node, values, asked), part.shape, values), expected)


def part_of(part: Node) -> Request:
    """The request to the input of a slice."""
    r = whole(part)
    rows = []
    for (o, terms), (start, step, _) in zip(r.rows, part.attrs[0], strict=True):
        rows.append((start + step * o, tuple((p, a * step) for p, a in terms)))
    return Request(r.sizes, r.start, r.step, tuple(rows))


def value(node: Node, leaves: dict[Node, np.ndarray]) -> np.ndarray:
    """The value by the reference, node by node, with other arrays in the leaves."""
    known: dict[Node, np.ndarray] = {}
    for n in walk([node], lambda n: n.inputs):
        known[n] = leaves[n] if n in leaves else transformer.evaluate(n, [known[i] for i in n.inputs])
    return known[node]


def gradients(node: Node, g: Node) -> dict[Node, Node]:
    """The gradient of every node below a selection tree."""
    found = {node: g}
    for n in reversed(list(walk([node], lambda n: n.inputs))):
        if n.op.kind != "selection" or n not in found:
            continue
        for x, part in zip(n.inputs, adjoint(n, found[n]), strict=True):
            assert (part is None) == (x.op.name == "scalar")
            if part is not None:
                assert part.desc.domain == x.desc.domain and part.dtype is x.dtype
                found[x] = elementwise(OPS["add"], found[x], part) if x in found else part
    return found


def check_adjoint(forest: Forest, depth: int) -> None:
    """⟨Lu, g⟩ = ⟨u, Lᵀg⟩, on integers, for the linear part L of a tree."""
    node, array = forest.tree(depth)
    np.testing.assert_array_equal(value(node, forest.values), array)
    constant = value(node, {n: np.zeros_like(a) for n, a in forest.values.items()})
    weights = np.array([forest.pick(-9, 9) for _ in range(array.size)], np.int64).reshape(array.shape)
    leaf = make(OPS["leaf"], (), (), result(dt.int64, node.shape, node.desc.origin))
    found = gradients(node, leaf)
    right = sum(int((a * value(found[n], {leaf: weights})).sum()) for n, a in forest.values.items() if n in found)
    assert int(((array - constant) * weights).sum()) == right


def check_collision(forest: Forest, depth: int) -> None:
    """A collision is reported just where two cells of the tree are one of a leaf, and names these."""
    node, _ = forest.tree(depth)
    found = [p for p in storing(node, forest.values) if p.leaf.op.name != "scalar"]
    cells = np.zeros(node.shape, np.int64)  # 0 where nothing but a scalar is read
    for p in found:
        cells[places(p.start, p.step, p.sizes)] = gathered(p, read(p.leaf, forest.values))
    named = cells[cells != 0]
    if any(p.leaf.op.name == "reshape" and p.leaf in forest.values for p in found):
        return  # a reshape stored on the way holds copies: its cells are its own
    hit = collision(found)
    assert hit is not UNDECIDED and (hit is not None) == (len(set(named.tolist())) < named.size)
    if isinstance(hit, tuple):
        assert hit[0] != hit[1] and cells[hit[0]] == cells[hit[1]] != 0


fast = settings(max_examples=examples(250), deadline=None, suppress_health_check=list(HealthCheck), database=None)


@fast
@given(st.data())
def test_pieces_give_what_numpy_gives_each_cell_once(data: st.DataObject) -> None:
    check_value(Forest(lambda low, high: data.draw(st.integers(low, high))), data.draw(st.integers(1, 6)))


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(examples(250)):
        check_value(Forest(rng.randint, bool(seed % 3) if seed < 3 else None), rng.randint(1, 8))


@pytest.mark.parametrize("seed", range(3))
def test_a_part_of_a_tree_is_a_part_of_its_pieces(seed: int) -> None:
    rng = random.Random(100 + seed)
    for _ in range(200):
        check_composition(Forest(rng.randint), rng.randint(1, 7))


@pytest.mark.parametrize("seed", range(3))
def test_adjoints_are_adjoint(seed: int) -> None:
    rng = random.Random(200 + seed)
    for _ in range(120):
        check_adjoint(Forest(rng.randint), rng.randint(1, 6))


@pytest.mark.parametrize("seed", range(3))
def test_collisions_are_found_and_named(seed: int) -> None:
    rng = random.Random(300 + seed)
    for _ in range(150):
        check_collision(Forest(rng.randint), rng.randint(1, 6))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_collisions(seed: int) -> None:
    rng = random.Random(3000 + seed)
    for _ in range(1000):
        check_collision(Forest(rng.randint), rng.randint(1, 9))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_adjoints(seed: int) -> None:
    rng = random.Random(2000 + seed)
    for _ in range(500):
        check_adjoint(Forest(rng.randint), rng.randint(1, 8))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_many_random_trees(seed: int) -> None:
    rng = random.Random(1000 + seed)
    for _ in range(1000):
        check_value(Forest(rng.randint), rng.randint(1, 9))
        check_composition(Forest(rng.randint), rng.randint(1, 9))
