"""Laws of rules over random expressions: the same bits with each rule off, each alone and all off. Every use of a rule
is checked by its certificate, never raises the cost, and rewriting ends.

The one idea: expressions are grown by the number of a seed, so the same one can be built again under every setting.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import weft
from tests.drafts import signature
from tests.oracle.compare import same_bits
from tests.oracle.samples import values
from tests.shares import examples
from weft import dtypes as dt
from weft.backends.reference import transformer
from weft.ir.atoms import selections as se
from weft.ir.graph import spec
from weft.ir.graph.node import Node, scalar, walk
from weft.passes.draft import Draft
from weft.passes.fuse import is_stored
from weft.passes.simplify.rewriting import MAX_APPLIED, NAMES, Simplified, simplify
from weft.passes.switches import without
from weft.tensors.tensor import Tensor, node_of, wrap

MAX_CELLS = 600
DTYPES = [dt.bool, dt.int8, dt.uint16, dt.int64, dt.float32, dt.float64, dt.bfloat16, dt.complex64]


class Grower:
    """Grows one expression over a few stored tensors of one dtype; `held` are handles that stay."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.dtype = self.one(DTYPES)
        self.leaves = [weft.array(values(self.dtype, (self.rng.randint(1, 5), 6), seed + k)) for k in range(3)]
        self.leaves.append(weft.broadcast_to(self.leaves[0][:, :1], (len(self.leaves[0]), 6)))
        self.held: list[Tensor] = []
        self.root = self.expression(self.rng.randint(2, 6))

    def one(self, xs):
        return xs[self.rng.randrange(len(xs))]

    def leaf(self) -> Tensor:
        x = self.one(self.leaves)
        return x if self.rng.random() < 0.5 else +x if self.dtype is not dt.bool else weft.copy(x)

    def expression(self, depth: int) -> Tensor:
        x = self.leaf()
        for _ in range(depth):
            y = self.one(STEPS)(self, x)
            if 0 < y.size <= MAX_CELLS and 0 < y.ndim <= 4:
                x = y
                if self.rng.random() < 0.12:
                    self.held.append(x)
        return x

    def axis(self, x: Tensor) -> int:
        return self.rng.randrange(x.ndim)

    def like(self, x: Tensor) -> Tensor:
        """Another expression of the shape of x."""
        other = self.expression(1)
        if x.dtype.kind == "bool":
            other = other == other
        else:
            other = (weft.real(other) if other.dtype.kind == "complex" else other).astype(x.dtype)
        for a in range(x.ndim):
            if other.ndim <= a:
                other = weft.expand_dims(other, axis=-1)
        while other.ndim > x.ndim:
            other = weft.max(other, axis=0) if other.dtype.kind != "complex" else weft.sum(other, axis=0, dtype=x.dtype)
        return weft.pad(other, [(0, n) for n in x.shape], "edge")[tuple([slice(n) for n in x.shape])]

    # ---- steps
    def view(self, x: Tensor) -> Tensor:
        key = []
        for n in x.shape:
            a, b = sorted([self.rng.randint(0, n), self.rng.randint(0, n)])
            key.append(
                self.one([slice(None), slice(a, b), slice(a, None, self.rng.randint(1, 3)), slice(None, None, -1)])
            )
        x = x[tuple(key)]
        return self.one([lambda: x, lambda: x.mT if x.ndim > 1 else x, lambda: weft.flip(x)])()

    def composite(self, x: Tensor) -> Tensor:
        a, k = self.axis(x), self.rng.randint(1, 3)
        return self.one([
            lambda: weft.concat([x, self.like(x), x][: k + 1], axis=a),
            lambda: weft.interleave([x, self.like(x), x][:k], axis=a),
            lambda: weft.tile(x, tuple([k if d == a else 1 for d in range(x.ndim)])),
            lambda: weft.repeat(x, k, axis=a),
            lambda: weft.roll(x, k, axis=a),
            lambda: weft.pad(x, k, self.one(["constant", "edge", "wrap", "reflect", "symmetric"])),
            lambda: weft.broadcast_to(x, (k, *x.shape)),
            lambda: self.overlay(x),
        ])()  # fmt: skip

    def overlay(self, x: Tensor) -> Tensor:
        parts = [se.translate(node_of(x), [self.rng.randint(-2, 2) for _ in x.shape]) for _ in range(3)]
        return wrap(se.overlay(parts, None, scalar(x.dtype.np.type(0).item(), x.dtype)))

    def reduction(self, x: Tensor) -> Tensor:
        names = ["any", "all", "count_nonzero"]
        names += ["sum", "sum", "mean", "prod"] if x.dtype.kind != "bool" else []
        names += ["min", "max", "max"] if x.dtype.kind != "complex" else []
        y = getattr(weft, self.one(names))(x, axis=self.axis(x), keepdims=bool(self.rng.randint(0, 1)))
        return y if y.ndim else weft.expand_dims(y, axis=0)

    def scan(self, x: Tensor) -> Tensor:
        if x.dtype.kind == "bool":
            return x
        return weft.cumulative_sum(x, axis=self.axis(x), include_initial=bool(self.rng.randint(0, 1)))

    def masked(self, x: Tensor) -> Tensor:
        n = x.shape[-1]
        line = weft.arange(n) * self.one([1, 2, -1]) + self.rng.randint(-3, 3)
        mask = self.one([
            lambda: line < self.rng.randint(-2, 4),
            lambda: line == self.rng.randint(-2, 4),
            lambda: (line >= 1)[::-1],
            lambda: weft.full((n,), bool(self.rng.randint(0, 1))),
            lambda: weft.concat([weft.zeros((n // 2,), dtype=weft.bool), line[n // 2 :] > 2]),
        ])()  # fmt: skip
        return weft.where(mask, x, self.like(x))

    def arithmetic(self, x: Tensor) -> Tensor:
        if x.dtype.kind == "bool":
            return ~x
        bounded = x.dtype.kind == "float"
        return self.one([
            lambda: x + self.like(x), lambda: -x, lambda: x * x, lambda: +x,
            lambda: x * self.one([0, 1, 2]), lambda: self.one([0, -0.0 if bounded else 0]) + x, lambda: 0 - x,
            lambda: x ** self.one([0, 1, 3]) if x.dtype.is_integer else x * -1 - 0,
            lambda: weft.maximum(x, -weft.inf) if bounded else x - x,
            lambda: self.again(x),
            lambda: x + weft.flip(weft.sum(x, axis=0, keepdims=True, dtype=x.dtype)) + weft.sum(
                x, axis=0, keepdims=True, dtype=x.dtype),
        ])()  # fmt: skip

    def again(self, x: Tensor) -> Tensor:
        """The same work twice, with numbers that may be equal."""
        a, b = (weft.cumulative_sum(x * self.one([3, 5]) + 2, axis=0) for _ in range(2))
        return a - b * self.one([2, 3])


STEPS: list[Callable[[Grower, Tensor], Tensor]] = [
    *[Grower.view] * 4, *[Grower.composite] * 3, *[Grower.reduction] * 2, Grower.scan, Grower.masked, Grower.arithmetic,
]  # fmt: skip


def computed(seed: int, off: tuple[str, ...]) -> list[np.ndarray]:
    """The root and the handles that stay, looked at in this order, with some rules off."""
    grown = Grower(seed)
    with without(*off):
        return [grown.root.numpy(), *[h.numpy() for h in grown.held]]


def simplified(seed: int) -> tuple[Grower, Simplified]:
    grown = Grower(seed)
    graph = signature([node_of(grown.root)])[1]
    return grown, simplify(graph)


def check_settings(seed: int, settings: list[tuple[str, ...]]) -> None:
    plain = computed(seed, ("simplify",))
    for off in settings:
        found = computed(seed, off)
        assert len(found) == len(plain)
        for a, b in zip(found, plain, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape and same_bits(a, b), (seed, off)


def value(n: Node) -> np.ndarray:
    with np.errstate(all="ignore"):
        known: dict[int, np.ndarray] = {}
        for i in walk([n]):
            stored = transformer.stored_value(i)
            known[id(i)] = transformer.evaluate(i, [known[id(k)] for k in i.inputs]) if stored is None else stored
    return known[id(n)]


def check_certificates(seed: int, used: Counter[str]) -> None:
    _, simpler = simplified(seed)
    assert len(simpler.applied) < MAX_APPLIED // 10
    spec.check(simpler.roots)
    for a in simpler.applied:
        used[a.name] += 1
        before, after = value(a.before), value(a.after)
        assert before.shape == after.shape and same_bits(before, after), (seed, a)
        assert simpler.costs.of([a.after]).paid <= simpler.costs.of([a.before]).paid, (seed, a)


ALONE = [tuple([n for n in NAMES if n != name]) for name in NAMES]


@pytest.mark.parametrize("seed", range(examples(60, len(NAMES))))
def test_rules_change_no_bit(seed: int) -> None:
    check_settings(seed, [(), (NAMES[seed % len(NAMES)],), ALONE[seed % len(NAMES)]])


def test_every_use_of_a_rule_is_right_and_pays() -> None:
    used: Counter[str] = Counter()
    for seed in range(examples(400, 200)):
        check_certificates(seed, used)
    assert len(used) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_each_rule_off_and_alone(seed: int) -> None:
    for k in range(5):
        check_settings(1000 + 40 * k + seed, [(), NAMES, *[(n,) for n in NAMES], *ALONE])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_certificates(seed: int) -> None:
    for k in range(500):
        check_certificates(10_000 + 500 * seed + k, Counter())


def test_simple_forms_stay_as_they_are() -> None:
    """Rewriting what was rewritten is soon at an end."""
    for seed in range(100):
        _, first = simplified(seed)
        again = simplify(Draft(first.roots, first.nodes, live=first.live, held=first.live))
        assert len(again.applied) <= max(len(first.applied), 4), seed
        assert all(is_stored(n) or n.op is not None for n in again.roots)
