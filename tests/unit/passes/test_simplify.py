"""Every rule fires on its example, keeps every bit for every dtype, and leaves alone what only looks like it."""

import numpy as np
import pytest

import weft
from tests.oracle.compare import same_bits
from tests.oracle.samples import values
from weft import dtypes as dt
from weft.passes.config import without
from weft.passes.simplify import BY_OP, RULES, holds, simplify
from weft.runtime.signature import signature
from weft.tensor import node_of

NUMBERS = [d for d in dt.ALL if d is not dt.bool]
REALS = [d for d in NUMBERS if d.kind != "complex"]
INTEGERS = [d for d in dt.ALL if d.is_integer]


def pending(d, shape=(4, 5)):
    """A computed value that no handle is on."""
    x = weft.array(values(d, shape))
    return weft.where(x == x, x, x)


def taken_apart(x):
    return weft.interleave([x[:, 0::3], x[:, 1::3], x[:, 2::3]], axis=1)


EXAMPLES = {  # rule: (dtypes, a program whose result is read)
    "copy": (NUMBERS, lambda x: +x),
    "convert once": ([d for d in REALS if d.digits <= 53], lambda x: x.astype(weft.complex128).astype(weft.bool)),
    "undone": (NUMBERS, lambda x: weft.negative(-x)),
    "real": (REALS, lambda x: weft.conj(x)),
    "whole": (INTEGERS, lambda x: weft.round(weft.floor(x))),
    "one part": (dt.ALL, lambda x: weft.concat([x])),
    "no margin": (dt.ALL, lambda x: weft.pad(x, 0)),
    "once": (dt.ALL, lambda x: weft.tile(weft.repeat(x, 1, axis=0), (1, 1))),
    "no shift": (dt.ALL, lambda x: weft.roll(x, 5, axis=1)),
    "one cell": (
        [d for d in NUMBERS if d.is_inexact],
        lambda x: weft.sum(weft.mean(weft.reshape(x, (4, 1, 5), copy=True), axis=1, keepdims=True), axis=1),
    ),
    "taken apart": (dt.ALL, taken_apart),
    "adjacent": (dt.ALL, lambda x: weft.concat([x[1:2], x[2:2], x[2:]])),
}


def applied(x):
    _, graph = signature([node_of(x)])
    return simplify(graph.roots, graph.live).applied


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_rules_fire_and_keep_every_bit(rule):
    dtypes, program = EXAMPLES[rule.name]
    for d in dtypes:
        x = program(pending(d))
        assert rule.name in applied(x), d
        simpler = x.numpy()
        with without("simplify"):
            plain = program(pending(d)).numpy()
        assert simpler.dtype == plain.dtype and same_bits(simpler, plain), d


def test_examples_and_explanations_name_the_rules():
    assert EXAMPLES.keys() == {r.name for r in RULES}
    copied = weft.positive(weft.positive(pending(dt.float32)))
    assert "rules: copy (2)" in str(weft.explain(copied))


@pytest.mark.parametrize("name", ["logical_not", "bitwise_invert", "conj", "negative"])
def test_what_undoes_itself(name):
    d = dt.bool if name == "logical_not" else dt.complex64 if name == "conj" else dt.int16
    function = getattr(weft, name)
    twice = function(function(pending(d)))  # not inside the assertion, which keeps its parts alive
    assert applied(twice) == ["undone"]


@pytest.mark.parametrize("source", dt.ALL, ids=lambda d: d.name)
def test_conversions_through_a_wider_dtype(source):
    """Wherever the rule fires, the bits are those of both steps."""
    a = values(source, (60,))
    for wide in dt.ALL:
        for wanted in dt.ALL:
            if "complex" in (source.kind, wide.kind) and wanted.kind not in ("complex", "bool"):
                continue
            if source.kind == "complex" and wide.kind not in ("complex", "bool"):
                continue
            once = pending(source).astype(wide).astype(wanted)
            if "convert once" not in applied(once):
                continue
            assert holds(wide, source)
            with weft.transformer("reference"):
                two = weft.array(a).astype(wide).realize().astype(wanted).numpy()
                assert same_bits(weft.array(a).astype(wanted).numpy() if wanted is not source else a, two), (
                    wide,
                    wanted,
                )


NO = {
    "a scalar's value is an argument": lambda: pending(dt.float32) * 1,
    "a copy of something stored": lambda: +weft.array(np.ones(3)),
    "a view is no value of its own": lambda: +pending(dt.float32)[1:],
    "integers wrap, floats saturate": lambda: pending(dt.int16).astype(weft.float64).astype(weft.int8),
    "not every value is held": lambda: pending(dt.int32).astype(weft.float32).astype(weft.int64),
    "a product of one complex number": lambda: weft.prod(pending(dt.complex64, (3, 1)), axis=1),
    "stored slices say nothing of whose they are": lambda: taken_apart(weft.array(np.ones((2, 6)))),
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
    assert all(rules for rules in BY_OP.values())
