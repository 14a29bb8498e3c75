"""Counts of weft's functions that everyday calls on a thousand cells run; they do not depend on the machine."""

from __future__ import annotations

import operator
from weakref import ref

import numpy as np
import pytest

import weft
from tests.call_counts import calls_of
from weft.errors import GradientError, WriteError
from weft.passes.switches import Checking
from weft.runtime.compute import stages
from weft.runtime.compute.stages import Stages
from weft.runtime.references import LooseSet

A = np.random.default_rng(0).random(1000)
X, MASK, AT = weft.asarray(A), weft.asarray(A > 0.5), weft.asarray(np.random.default_rng(1).permutation(1000))
ROWS = weft.zeros((1000, 1)).realize()
SORTED, Y, FEW = weft.asarray(np.sort(A)), weft.zeros(1000), weft.asarray(np.array([1, 3, 5]))

CEILINGS = {
    "iteration": (lambda: list(ROWS), 1100),
    "iteration over cells": (lambda: list(X), 3100),
    "histogram": (lambda: [t.realize() for t in weft.histogram(X)], 255),
    "positions": (lambda: X[AT].realize(), 65),
    "listed positions": (lambda: X[[1, 3, 5]].realize(), 54),
    "few positions": (lambda: X[FEW].realize(), 63),
    "clip": (lambda: weft.clip(X, 0.2, 0.8).realize(), 36),
    "range": (lambda: (weft.arange(1000) * 2).realize(), 34),
    "fill": (lambda: operator.setitem(Y, ..., 2.0), 50),
    "mask write": (lambda: operator.setitem(Y, MASK, 0.0), 75),
    "positions write": (lambda: operator.setitem(Y, FEW, 1.0), 82),
    "dot": (lambda: weft.dot(X, X).realize(), 45),
    "mask": (lambda: X[MASK].realize(), 62),
    "median": (lambda: weft.median(X).realize(), 50),
    "percentile": (lambda: weft.percentile(X, [10, 50]).realize(), 50),
    "interp": (lambda: weft.interp(X, SORTED, X).realize(), 96),
    "zeros like": (lambda: weft.zeros_like(X), 8),
    "many deletions": (lambda: weft.delete(X, slice(0, 1000, 3)).realize(), 110),
    "sum of a mask": (lambda: weft.sum(X, where=MASK).realize(), 80),
    "joined slices": (lambda: weft.concat([X[:3], X[5:9]]).realize(), 88),
    "one insertion": (lambda: weft.insert(X, 5, 1.0).realize(), 215),
    "one deletion": (lambda: weft.delete(X, 5).realize(), 90),
    "list of cells": (lambda: weft.asarray([X[1], X[2]]), 46),
    "convolve": (lambda: weft.convolve(X, X[:10]).realize(), 56),
}


@pytest.mark.parametrize("name", CEILINGS)
def test_a_call_takes_no_more_calls_than_this(name, monkeypatch):
    monkeypatch.delenv("WEFT_CHECK", raising=False)
    monkeypatch.setattr(Checking, "on", False)
    monkeypatch.setattr(Stages, "used", tuple([Stages.all[stage] for stage in ("program", "run", "publish")]))
    monkeypatch.setattr(stages, "UNSURE", LooseSet())  # other tests have left nodes that may raise
    f, most = CEILINGS[name]
    for _ in range(3):
        f()
    seen = calls_of(f)
    assert seen.total() <= most, (seen.total(), seen.most_common(10))


def test_rows_are_views_of_the_version_at_their_turn():
    x = weft.zeros((4, 3)) + 0
    for i, row in enumerate(x):
        row[...] = i
        assert row.shape == (3,)
    assert x.tolist() == [[i] * 3 for i in range(4)]
    kept = list(x)
    x[2] = 9
    assert kept[2].tolist() == [9] * 3 and kept[1].tolist() == [1] * 3


def test_rows_see_writes_of_others_and_of_weft_between_their_turns():
    array = np.zeros((4, 3))
    x = weft.asarray(array)
    for i, row in enumerate(x):
        array[...] = i
        assert (row + 0).tolist() == [i] * 3
        x[...] = i + 10
        assert row.tolist() == [i + 10] * 3


@pytest.mark.parametrize(
    "x",
    [
        weft.arange(12).reshape(4, 3)[::-1].T,
        weft.concat([weft.arange(3), weft.arange(2)]) * 2,
        weft.zeros((3, 0)),
        weft.broadcast_to(weft.arange(3), (2, 3)),
        weft.asarray(np.arange(4.0).astype(">f4")),
        weft.arange(5).translate(7),
        weft.pad(weft.arange(3), 1),
    ],
)
def test_rows_are_those_of_indexing(x):
    assert [r.tolist() for r in x] == [x[i].tolist() for i in range(len(x))] == x.tolist()
    assert [r.domain for r in x] == [x[i].domain for i in range(len(x))]


def test_writes_through_rows_copy_no_version():
    x = weft.zeros((4, 3)) + 0
    before = ref(x.realize()._place.node)
    for row in x:
        row[...] = 1
    assert x._place.node is before() and x.tolist() == [[1] * 3] * 4


def test_unused_rows_keep_their_place_and_see_its_writes():
    x = weft.arange(6).reshape(3, 2) * 1
    views = list(x[::2])
    assert x._place.held
    x[2] = 7
    del x
    assert [v.tolist() for v in views] == [[0, 1], [7, 7]]


def test_unused_rows_count_as_views_that_gradients_do_not_reach():
    w = weft.asarray(2.0)
    w.requires_grad_()
    x = weft.zeros((2, 1)) + 0
    first, second = x
    with pytest.raises(GradientError, match="of which there are views"):
        first[...] = w
    del second
    first[...] = w
    x.sum().backward()
    assert w.grad.item() == 1


def test_rows_of_a_tensor_that_became_read_only():
    x = weft.zeros((2, 2)) + 0
    rows = iter(x)
    next(rows)[...] = 1
    x.read_only = True
    with pytest.raises(WriteError, match="read-only"):
        next(rows)[...] = 1


def test_rows_of_a_recorded_tensor_have_gradients():
    x = weft.asarray([1.0, 2.0, 3.0])
    x.requires_grad_()
    sum((v * v for v in x), start=weft.asarray(0.0)).backward()
    assert x.grad.tolist() == [2, 4, 6]
