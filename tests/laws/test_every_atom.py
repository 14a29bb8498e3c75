"""Laws over random trees of every atom, dtype, byte order, origin and kind of source, drawn together with NumPy's word.

The one idea: `cells[numbers]` is the value, whoever computes it and whatever rule is off; the same numbers say what is
read twice, what the adjoint is and where a write goes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.laws.every_atom import STEPS, VIEWS, Orchard, Tree
from tests.laws.test_selection_laws import places
from tests.oracle.compare import same_bits
from tests.shares import examples
from weft import dtypes as dt
from weft.errors import WriteError
from weft.ir.atoms.adjoints import RULES, adjoint
from weft.ir.graph.node import Node, elementwise, root_of, walk
from weft.ir.graph.ops import OPS
from weft.ir.pieces.lattice import UNDECIDED
from weft.ir.pieces.normal_form import Piece, collision, pieces
from weft.ir.pieces.request import NotAView
from weft.passes.switches import PASSES, rules
from weft.tensors.tensor import node_of, wrap

LINEAR = tuple(s for s in STEPS if s not in ("where", "extreme"))
FLOATS = (dt.int64, dt.float16, dt.float32, dt.float64, dt.bfloat16, dt.complex64, dt.complex128)


def drawn(seed: int, folder: Path | None = None, **options: Any) -> tuple[Orchard, Tree]:
    orchard = Orchard(seed, folder, options.get("dtypes", dt.COMMON))
    return orchard, orchard.tree(orchard.rng.randint(1, 9), options.get("steps"))


# ---- values


def setting(seed: int) -> Callable[[], AbstractContextManager[Any]]:
    """One rule or pass off, one rule alone, all off, or everything, in turn, each over its own trees."""
    names = rules()
    settings: list[Callable[[], AbstractContextManager[Any]]] = [
        weft.eager,
        lambda: weft.without("simplify"),
        lambda: weft.without(*PASSES),
        *[lambda name=name: weft.without(name) for name in (*names, *PASSES)],
        *[lambda name=name: weft.without(*[n for n in names if n != name]) for name in names],
    ]
    return settings[seed % len(settings)]


def check_value(seed: int, folder: Path) -> Counter[str]:
    used: Counter[str] = Counter()
    for how in (nullcontext, lambda: weft.transformer("reference"), setting(seed)):
        with how():
            orchard, (tree, numbers) = drawn(seed, folder)
            assert tree.shape == numbers.shape
            assert tree.dtype is orchard.dtype
            found, wanted = np.asarray(tree.numpy()), orchard.cells[numbers]
            assert same_bits(found.astype(wanted.dtype), wanted), (seed, orchard.dtype, orchard.used)
            used = Counter(orchard.used)
    return used


# ---- pieces


def storing(node: Node) -> list[Piece]:
    """The pieces; what is no selection, and a reshape that is no view here, is a leaf."""
    stop: set[Node] = set()
    while True:
        try:
            return pieces(node, None, stop)
        except NotAView as error:
            stop.add(error.node)


def check_pieces(seed: int) -> None:
    """The pieces place every cell once; a collision is reported just where they read a cell of a source twice."""
    orchard, (tree, numbers) = drawn(seed, steps=LINEAR)
    found = storing(node_of(tree))
    count = np.zeros(tree.shape, np.int64)
    for p in found:
        count[places(p.start, p.step, p.sizes)] += 1
    assert (count == 1).all()
    own = {root_of(node_of(x)) for x in orchard.sources if x is not None}
    if any(_is_stored_on_the_way(p.leaf, own) for p in found):
        return  # its cells are its own
    hit = collision([p for p in found if p.leaf.op.name != "scalar"])
    named = numbers[np.isin(numbers, stored_cells(orchard))]
    if hit is None:
        assert np.unique(named).size == named.size, (seed, orchard.used)
    else:
        assert hit is not UNDECIDED
        assert numbers[hit[0]] == numbers[hit[1]], (seed, orchard.used, hit)


def _is_stored_on_the_way(leaf: Node, own: set[Node]) -> bool:
    """True for cells by a table or a reshape, also where they were taken at once; `own` are the roots of sources."""
    root = root_of(leaf)
    return leaf.op.name in ("gather", "reshape") or (root.op.name == "leaf" and root not in own)


def stored_cells(orchard: Orchard) -> np.ndarray:
    spans = zip(orchard.writable, orchard.first, orchard.first[1:], strict=False)
    return np.concatenate([np.arange(a, b) for held, a, b in spans if held] or [np.zeros(0, np.int64)])


# ---- adjoints


def gradients(node: Node, g: Node) -> dict[Node, Node]:
    """The gradient of every node below a tree of selections and takes."""
    found = {node: g}
    for n in reversed(list(walk([node], lambda n: n.inputs))):
        if n in found and n.op.name in RULES and n.value is None:
            for x, part in zip(n.inputs, adjoint(n, found[n]), strict=True):
                if part is not None:
                    found[x] = elementwise(OPS["add"], found[x], part) if x in found else part
    return found


def check_adjoint(seed: int) -> int:
    """⟨Lu, g⟩ = ⟨u, Lᵀg⟩ for every u: a source cell's gradient sums g over the cells that read it."""
    orchard, (tree, numbers) = drawn(seed, steps=LINEAR, dtypes=FLOATS)
    few = orchard.dtype in (dt.float16, dt.bfloat16)  # whose sums are exact below 257
    weights = np.array([random.Random(seed).randint(0, 1 if few else 9) for _ in range(tree.size)], np.int64)
    summed = np.bincount(numbers.reshape(-1), weights, len(orchard.cells))
    if few and weights.sum() > 256:
        return 0
    g = weft.asarray(weights.reshape(tree.shape).astype(orchard.dtype.np)).translate(tree.domain.origin)
    found, compared = gradients(node_of(tree), node_of(g)), 0
    for x, a, b in zip(orchard.sources, orchard.first, orchard.first[1:], strict=False):
        part = found.get(node_of(x)) if x is not None and x.size else None
        if part is not None:
            compared += 1
            assert part.shape == x.shape and part.dtype is x.dtype
            got = wrap(part).numpy().astype(np.complex128).reshape(-1)
            np.testing.assert_array_equal(got, summed[a:b], err_msg=f"{seed} {orchard.used}")
    return compared


# ---- writing


def check_assign(seed: int) -> str:
    """Writing through a tree is NumPy's scatter, or is refused and writes nothing."""
    orchard, (tree, numbers) = drawn(seed, steps=(*VIEWS, "concat", "interleave", "overlay", "take", "roll"))
    last_wins = orchard.rng.randint(0, 3) == 0
    value = np.arange(tree.size).reshape(tree.shape) % 100
    value = (value % 2 == 0 if orchard.dtype is dt.bool else value).astype(orchard.dtype.np)
    before, known = orchard.cells.copy(), orchard.cells[numbers]
    kept = weft.copy(tree)
    try:
        weft.assign(tree, value if orchard.rng.randint(0, 1) else weft.asarray(value), last_wins=last_wins)
        came = "last" if np.unique(numbers).size < numbers.size else "written"
        before[numbers.reshape(-1)] = value.reshape(-1)
        assert last_wins or came == "written", (seed, orchard.used)
    except WriteError:
        came = "refused"
        repeats = np.unique(numbers).size < numbers.size
        assert (repeats and not last_wins) or not np.isin(numbers, stored_cells(orchard)).all(), (seed, orchard.used)
    assert same_bits(kept.numpy().astype(known.dtype), known), (seed, orchard.used)
    for x, a, b in zip(orchard.sources, orchard.first, orchard.first[1:], strict=False):
        if x is not None:
            assert same_bits(x.numpy().astype(before.dtype).reshape(-1), before[a:b]), (seed, orchard.used)
    return came


# ---- how many


def test_some_values(tmp_path: Path) -> None:
    used: Counter[str] = Counter()
    for seed in range(90):
        used += check_value(seed, tmp_path)
    assert set(used) == set(STEPS)


def test_some_pieces_adjoints_and_writes() -> None:
    for seed in range(examples(100, 50)):
        check_pieces(seed)
    many = examples(40, 20)
    assert sum(check_adjoint(seed) for seed in range(many)) > many * 3 // 2
    assert {check_assign(seed) for seed in range(examples(60, 30))} == {"refused", "last", "written"}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(44))
def test_many_values(part: int, tmp_path: Path) -> None:
    for seed in range(10_000 + 500 * part, 10_500 + 500 * part):
        check_value(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(22))
def test_many_pieces_adjoints_and_writes(part: int) -> None:
    for seed in range(100_000 + 1000 * part, 101_000 + 1000 * part):
        check_pieces(seed)
        check_assign(seed)
        if seed % 4 == 0:
            check_adjoint(seed)
