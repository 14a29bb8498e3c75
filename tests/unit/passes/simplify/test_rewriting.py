"""Every rule fires on its example, keeps every bit for every dtype, and leaves alone what only looks like it."""

import numpy as np
import pytest

import weft
from tests.drafts import signature
from tests.oracle.compare import same_bits
from tests.oracle.samples import values
from tests.shares import in_turn
from weft import dtypes as dt
from weft.ir.atoms import selections as se
from weft.ir.graph.node import scalar
from weft.ir.graph.ops import OPS
from weft.passes.draft import Draft
from weft.passes.simplify.rewriting import NAMES, TABLE, simplify
from weft.passes.simplify.rule import can_represent
from weft.passes.switches import without
from weft.tensors.tensor import node_of, wrap

NUMBERS = [d for d in dt.COMMON if d is not dt.bool]
REALS = [d for d in NUMBERS if d.kind != "complex"]
INTEGERS = [d for d in dt.COMMON if d.is_integer]


def pending(d, shape=(4, 5)):
    """A computed value that no handle is on."""
    x = weft.array(values(d, shape))
    return weft.where(x == x, x, x)


def taken_apart(x):
    return weft.interleave([x[:, 0::3], x[:, 1::3], x[:, 2::3]], axis=1)


VALUES = {  # rule: (dtypes, a program whose result is read)
    "copy": (NUMBERS, lambda x: +x),
    "convert once": ([d for d in REALS if d.digits <= 53], lambda x: x.astype(weft.complex128).astype(weft.bool)),
    "undone": (NUMBERS, lambda x: weft.negative(-x)),
    "real": (REALS, lambda x: weft.conj(x)),
    "whole": (INTEGERS, lambda x: weft.round(weft.floor(x))),
    "one part": (dt.COMMON, lambda x: weft.concat([x])),
    "no margin": (dt.COMMON, lambda x: weft.pad(x, 0)),
    "once": (dt.COMMON, lambda x: weft.tile(weft.repeat(x, 1, axis=0), (1, 1))),
    "no shift": (dt.COMMON, lambda x: weft.roll(x, 5, axis=1)),
    "one cell": (
        [d for d in NUMBERS if d.is_inexact],
        lambda x: weft.sum(weft.mean(weft.reshape(x, (4, 1, 5), copy=True), axis=1, keepdims=True), axis=1),
    ),
    "taken apart": (dt.COMMON, taken_apart),
    "adjacent": (dt.COMMON, lambda x: weft.concat([x[1:2], x[2:2], x[2:]])),
}


def stored(x, shape=(4, 5)):
    """A stored tensor of the dtype of x."""
    return weft.array(values(x.dtype, shape))


def placed(x, *origins):
    """An overlay of x and of stored tensors at other origins."""
    at = [se.translate(node_of(x), origins[0]), *[se.translate(node_of(stored(x)), o) for o in origins[1:]]]
    return wrap(se.overlay(at, None, scalar(x.dtype.np.type(0).item(), x.dtype)))


ORDERED = [d for d in dt.COMMON if d.kind != "complex"]
FLOATS = [d for d in NUMBERS if d.kind == "float"]
SELECTIONS = {
    "part of concat": (dt.COMMON, lambda x: weft.concat([x, stored(x), pending(x.dtype)])[1:7]),
    "part of interleave": (dt.COMMON, lambda x: weft.interleave([x, stored(x), x, stored(x)], axis=1)[:, 2::4]),
    "part of pad": (dt.COMMON, lambda x: weft.pad(x, 3, mode="reflect")[4:6, 4:5]),
    "part of tile": (dt.COMMON, lambda x: weft.tile(x, (3, 2))[5:7, 6:9]),
    "part of repeat": (dt.COMMON, lambda x: weft.repeat(x, 3, axis=1)[:, 4]),
    "part of roll": (dt.COMMON, lambda x: weft.roll(x, 2, axis=0)[:2, ::-1]),
    "part of overlay": (dt.COMMON, lambda x: weft.copy(placed(x, (0, 0), (2, 2), (6, 1))[:2])),
    "flat concat": (dt.COMMON, lambda x: weft.concat([weft.concat([x, stored(x)]), stored(x)])),
    "flat interleave": (
        dt.COMMON,
        lambda x: weft.interleave([weft.interleave([x, stored(x)]), weft.interleave([x, stored(x)])]),
    ),
    "join in another shape": (dt.COMMON, lambda x: weft.reshape(weft.stack([x, stored(x)], axis=2), (4, 10))),
    "covered": (dt.COMMON, lambda x: placed(x, (1, 1), (7, 1), (0, 1), (2, 1))),
    "constant mask": (dt.COMMON, lambda x: weft.where(weft.full((4, 5), True), x, stored(x))),
    "mask in runs": (dt.COMMON, lambda x: weft.where(weft.arange(5) * 2 < 5, stored(x), stored(x))),
}
LARGE = (40, 60)
REDUCTIONS = {
    "interleave of reductions": (
        FLOATS,
        lambda x: weft.mean(weft.interleave([stored(x, LARGE), stored(x, LARGE)]), axis=1, keepdims=True),
    ),
    "copies of reductions": (NUMBERS, lambda x: weft.sum(weft.tile(stored(x, LARGE), (3, 1)), axis=1)),
    "extremum of copies": (ORDERED, lambda x: weft.max(weft.pad(stored(x, LARGE), 3, mode="symmetric"))),
    "sum of copies": (
        INTEGERS,
        lambda x: weft.sum(weft.broadcast_to(stored(x, LARGE), (300, *LARGE)), axis=0, keepdims=True),
    ),
    "rolled": (ORDERED, lambda x: weft.min(weft.roll(x, 2, axis=1), axis=1)),
    "reduced in turn": (
        ORDERED,
        lambda x: weft.max(weft.interleave([stored(x, LARGE), stored(x, LARGE)]), axis=0),
    ),
    "few cells": (
        [d for d in FLOATS if d.compute is d],
        lambda x: weft.mean(stored(x, (3, 30, 3, 40)), axis=(0, 2)) + weft.max(stored(x, (30, 40, 7)), axis=2),
    ),
    "few integers": (
        [dt.uint8, dt.int16],
        lambda x: (
            weft.sum(stored(x, (1100, 7)), axis=1, dtype=x.dtype) + weft.prod(x[:9], dtype=x.dtype, keepdims=True)
        ),
    ),
    "broadcast last": (FLOATS, lambda x: weft.exp(weft.broadcast_to(stored(x, (1, 60)), LARGE))),
    "wide product": ([dt.float16, dt.bfloat16], lambda x: weft.matmul(weft.sin(x), weft.sin(x).T)),
    "computed once": (
        REALS,
        lambda x: (a := stored(x, LARGE), weft.var(a, axis=1) + weft.flip(weft.var(a, axis=1)))[1],
    ),
    "part of a reduction": (NUMBERS, lambda x: weft.sum(stored(x, LARGE), axis=0)[3::7]),
    "part of a scan": (
        NUMBERS,
        lambda x: weft.cumulative_sum(stored(x, LARGE), axis=1, include_initial=True)[1:9, 2:7],
    ),
    "never read": (
        NUMBERS,
        lambda x: weft.abs(weft.concat([weft.sum(x, axis=0, dtype=x.dtype), x[0]]))[5:],
    ),
    "part of blocks": (
        dt.COMMON,
        lambda x: weft.map_blocks(
            np.flip, stored(x, LARGE), out=weft.Projection([[-1, 0], [0, -1]], (39, 59)), dtype=x.dtype
        )[3:7, ::7],
    ),
    "part of a sort": (
        [d for d in dt.COMMON if d.kind != "complex"],
        lambda x: (lambda s, a: weft.concat([s[3:5], s[500:501], weft.astype(a[-2:], x.dtype)]))(
            weft.sort(weft.reshape(stored(x, LARGE), (-1,))), weft.argsort(weft.reshape(x, (-1,)), descending=True)
        ),
    ),
}
WITH_NUMBERS = {
    "neutral number": (REALS, lambda x: x * 1 - 0),
    "negated": ([d for d in REALS if d.kind != "uint"], lambda x: x * -1),
    "constant": (INTEGERS, lambda x: x * 0),
    "products": (INTEGERS, lambda x: x**7),
}
EXAMPLES = VALUES | WITH_NUMBERS | SELECTIONS | REDUCTIONS


def applied(x):
    _, graph = signature([node_of(x)])
    return [a.name for a in simplify(graph).applied]


@pytest.mark.parametrize(("name", "part"), in_turn(NAMES, range(3), every=3))
def test_rules_fire_and_keep_every_bit(name, part):
    dtypes, program = EXAMPLES[name]
    for d in dtypes[part::3] or dtypes:
        x = program(pending(d))
        assert name in applied(x), d
        simpler = x.numpy()
        with without("simplify"):
            plain = program(pending(d)).numpy()
        assert simpler.dtype == plain.dtype and same_bits(simpler, plain), d


def test_certificates_of_values_that_are_never_read_have_no_cells():
    x = stored(pending(dt.int64))
    for never in (weft.sum(x), weft.sum(x, axis=0)):
        cells = weft.abs(weft.concat([weft.reshape(never, (-1,)), x[0]]))[never.size :]
        _, graph = signature([node_of(cells)])
        uses = {use.name: use for use in simplify(Draft(graph.roots, graph.nodes)).applied}
        assert uses["never read"].before.shape == uses["never read"].after.shape == (0,)


def test_examples_and_explanations_name_the_rules():
    assert tuple(EXAMPLES) == NAMES
    copied = weft.positive(weft.positive(pending(dt.float32)))
    assert "  copy (2 times): 80 -> 80 bytes; +x = x in the same byte order" in str(weft.explain(copied))


@pytest.mark.parametrize(
    ("axis", "shape", "kernels"),
    [
        (0, (6, 4), 1), (0, (24,), 1), (1, (6, 4), 1), (1, (3, 8), 1), (2, (3, 8), 1), (2, (24,), 1),
        (2, (3, 1, 8), 1), (1, (2, 12), None), (1, (24,), None), (2, (12, 2), None),
    ],
)  # fmt: skip
def test_a_reshaped_stack_is_joined_where_it_lies(axis: int, shape: tuple[int, ...], kernels: int | None) -> None:
    x = np.arange(12).reshape(3, 4)
    y = weft.asarray(x)
    made = weft.reshape(weft.stack([y + 1, y * 2], axis=axis), shape)
    assert kernels is None or weft.explain(made).kernels == kernels
    assert (made.numpy() == np.stack([x + 1, x * 2], axis).reshape(shape)).all()


@pytest.mark.parametrize("sizes", [(1, 3), (0, 2), (2, 2), (4, 1)])
@pytest.mark.parametrize("axis", range(3))
def test_a_reshaped_concat_keeps_its_cells(axis: int, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    parts = [rng.integers(0, 99, [n if d == axis else 2 for d in range(3)]) for n in sizes]
    wanted = np.concatenate(parts, axis)
    a, b, c = wanted.shape
    for shape in [(a * b, c), (a, b * c), (a * b * c,), (c, b, a)]:
        made = weft.reshape(weft.concat([weft.asarray(p) * 1 for p in parts], axis=axis), shape)
        assert (made.numpy() == wanted.reshape(shape)).all()


FOLDS = ("sum", "prod", "mean", "max", "min", "nanmax", "nanmin")


@pytest.mark.parametrize(("op", "size"), in_turn(FOLDS, range(2, 10), every=4))
def test_few_cells_are_reduced_in_the_order_of_sums(op, size):
    for keepdims in (False, True):
        x = weft.array(values(dt.float32, (size, 1100)))
        y = getattr(weft, op)(x, axis=0, keepdims=keepdims)
        assert "few cells" in applied(y)
        found = y.numpy()
        with without("simplify"):
            assert same_bits(found, getattr(weft, op)(x, axis=0, keepdims=keepdims).numpy())


def opened(d, folder):
    np.save(folder / "x.npy", values(d, (4, 5)))
    return weft.open(folder / "x.npy")


LEAVES = {
    "stored": lambda d, folder: weft.array(values(d, (4, 5))),
    "pending": lambda d, folder: pending(d),
    "file": opened,
    "generator": lambda d, folder: (weft.random.uniform((4, 5), seed=1) * 99).astype(d),
}
ALWAYS = [rule.name for rule in TABLE if not rule.saves]


@pytest.mark.parametrize(("name", "leaf"), in_turn(ALWAYS, LEAVES, every=4))
def test_what_is_always_done_is_done_over_every_leaf(name, leaf, tmp_path):
    dtypes, program = EXAMPLES[name]
    d = next(d for d in (dt.float32, dt.int32, *dtypes) if d in dtypes)
    x = LEAVES[leaf](d, tmp_path)
    read = weft.isfinite(program(x))
    assert name in [r.name for r in weft.explain(read).rules]
    with without("simplify"):
        plain = weft.isfinite(program(x)).numpy()
    assert np.array_equal(read.numpy(), plain)


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize(
    ("join", "pieces"),
    [
        (lambda x: weft.concat([x[:2], x[2:]]), 1),
        (lambda x: weft.concat([x[3:1:-1], x[1::-1]]), 1),
        (lambda x: weft.stack([x[k] for k in range(4)]), 1),
        (lambda x: weft.stack([x[1], x[2]]), 1),
        (lambda x: weft.concat([x[:1].T, x[1:2].T, x[2:2].T, x[2:].T], axis=1), 1),
        (lambda x: weft.concat([x[:1], x[1:3], x[:2], x[2:]]), 2),
        (lambda x: weft.concat([weft.concat([x[:1], x[1:3]]), x[3:]]), 1),
        (lambda x: weft.interleave([x[0::2], x[1::2]]), 1),
        (lambda x: weft.interleave([x[:, 0::3], x[:, 1::3], x[:, 2::3]], axis=1), 1),
        (lambda x: weft.interleave([x[1, 0:4:2], x[1, 1:4:2]]), 1),
    ],
)
def test_neighbouring_views_are_one(leaf, join, pieces, tmp_path):
    x = LEAVES[leaf](dt.float32, tmp_path)
    e = weft.explain(join(x))
    assert sum(len(part.rows) for part in e.plan[-1:]) == pieces, str(e)
    simpler = join(x).numpy()
    with without("simplify"):
        assert same_bits(simpler, join(x).numpy())


def test_programs_of_neighbours_do_not_serve_what_lies_apart():
    """A program is used again only for stored views that are equally far apart."""
    a, b = weft.array(np.arange(8.0)), weft.array(np.arange(8.0) + 10)
    for _ in range(2):
        assert weft.concat([a[:4], a[4:]]).tolist() == list(range(8))
        assert weft.concat([a[:4], b[4:]]).tolist() == [0, 1, 2, 3, 14, 15, 16, 17]
        assert weft.concat([a[4:], a[:4]]).tolist() == [4, 5, 6, 7, 0, 1, 2, 3]
        assert (weft.concat([b[:4], b[4:]]) + a).tolist() == [10 + 2 * k for k in range(8)]
        assert (weft.concat([b[4:], b[:4]]) + a).tolist() == [14, 16, 18, 20, 14, 16, 18, 20]


@pytest.mark.parametrize("leaf", LEAVES)
def test_views_without_cells_have_no_neighbours(leaf, tmp_path):
    x = LEAVES[leaf](dt.float32, tmp_path)
    a, none = x.numpy(), x[:0]
    for join in (weft.concat, weft.interleave):
        assert join([none, none[::-1], none]).shape == (0, *x.shape[1:])
        assert join([none[:, 1::-1], none[:, :2]], axis=1).numpy().size == 0
    assert weft.stack([none[:, 0], none[::-1, 0]]).numpy().shape == (2, 0)
    assert same_bits(weft.concat([none[::-1], x[:1], none, x[1:], none]).numpy(), a)
    assert same_bits(weft.concat([none, none[::-1], x[:1]]).numpy(), a[:1])


def test_a_join_of_neighbours_is_a_value_of_its_own():
    x = weft.array(np.arange(4.0))
    y = weft.concat([x[:2], x[2:]])
    weft.assign(y, y * 2)
    assert x.tolist() == [0, 2, 4, 6]
    y = weft.concat([x[:2], x[2:]]).realize()
    y[0] = 9
    assert x.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("name", ["logical_not", "bitwise_invert", "conj", "negative"])
def test_what_undoes_itself(name):
    d = dt.bool if name == "logical_not" else dt.complex64 if name == "conj" else dt.int16
    function = getattr(weft, name)
    twice = function(function(pending(d)))  # not inside the assertion, which keeps its parts alive
    assert applied(twice) == ["undone"]


@pytest.mark.parametrize("source", dt.COMMON, ids=lambda d: d.name)
def test_conversions_through_a_wider_dtype(source):
    """Wherever the rule fires, the bits are those of both steps."""
    a = values(source, (60,))
    for wide in dt.COMMON:
        for wanted in dt.COMMON:
            if "complex" in (source.kind, wide.kind) and wanted.kind not in ("complex", "bool"):
                continue
            if source.kind == "complex" and wide.kind not in ("complex", "bool"):
                continue
            once = pending(source).astype(wide).astype(wanted)
            if "convert once" not in applied(once):
                continue
            assert can_represent(wide, source)
            with weft.transformer("reference"):
                two = weft.array(a).astype(wide).realize().astype(wanted).numpy()
                assert same_bits(weft.array(a).astype(wanted).numpy() if wanted is not source else a, two), (
                    wide,
                    wanted,
                )


NO = {
    "a scalar's value is an argument": lambda: pending(dt.float32) * 3,
    "-0.0 + 0 is 0": lambda: pending(dt.float32) + 0,
    "a product with 0 is none for infinities": lambda: pending(dt.float64) * 0,
    "a product with 1 is another for complex infinities": lambda: pending(dt.complex64) * 1,
    "a power is rounded once, products twice": lambda: pending(dt.float16) ** 3,
    "a copy of something stored": lambda: +weft.array(np.ones(3)),
    "a view is no value of its own": lambda: +pending(dt.float32)[1:],
    "integers wrap, floats saturate": lambda: pending(dt.int16).astype(weft.float64).astype(weft.int8),
    "not every value is held": lambda: pending(dt.int32).astype(weft.float32).astype(weft.int64),
    "a product of one complex number": lambda: weft.prod(pending(dt.complex64, (3, 1)), axis=1),
    "stored slices of two arrays": lambda: weft.interleave([stored(pending(dt.int8))[k::2] for k in (0, 1)]),
    "stored slices with a gap": lambda: (x := weft.array(np.ones((5, 6))), weft.concat([x[:2], x[3:]]))[1],
    "stored slices along another axis": lambda: (x := weft.array(np.ones((6, 6))), weft.concat([x[:, :3], x[:, 3:]]))[
        1
    ],
    "residues in another order": lambda: (x := weft.array(np.ones(6)), weft.interleave([x[1::2], x[0::2]]))[1],
    "slices in another order": lambda: _swapped(pending(dt.float32)),
    "conversions of integers": lambda: weft.sum(pending(dt.int8, (3, 1)), axis=1),
}


def _swapped(x):
    return weft.concat([x[2:], x[:2]])


@pytest.mark.parametrize("why", NO)
def test_what_only_looks_like_a_rule(why):
    assert applied(NO[why]()) == []


def test_values_with_handles_stay_values_of_their_own():
    x = weft.array(np.arange(3.0)) * 2
    y, z = +x, weft.concat([x])
    weft.compute(x, y, z)
    y[0] = 7
    z[1] = 8
    assert (x.tolist(), y.tolist(), z.tolist()) == ([0, 2, 4], [7, 2, 4], [0, 8, 4])


def test_two_copies_of_one_value_are_two_values():
    x = weft.array(np.arange(3.0)) * 2
    y, z = +x, +x
    del x
    weft.compute(y, z)
    y[0] = 7
    assert (y.tolist(), z.tolist()) == ([7, 2, 4], [0, 2, 4])


def test_every_op_with_a_rule_is_an_op():
    assert {op for rule in TABLE for op in (*rule.ops, *rule.over)} <= set(OPS)


def test_equal_views_of_a_value_are_one_operand():
    x = weft.array(values(dt.float32, (40, 6))) * 2
    pairs = (x[3:].mT @ x[3:], weft.concat([x, x])[5:].mT @ weft.concat([x, x])[5:])
    assert [weft.explain(y).kernels for y in pairs] == [1, 1]
    for y in pairs:
        assert "computed once" in applied(y)
