"""Small work that is new is computed by the reference; what comes again has a program. The cells are the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.oracle.compare import same_bits
from weft.errors import OverwrittenError
from weft.passes.switches import Checking
from weft.runtime.compute import first_runs, stages
from weft.tensors.tensor import known_node

RNG = np.random.default_rng(7)
A, B, M = RNG.normal(size=50), RNG.normal(size=50), RNG.normal(size=(20, 30)).astype(np.float32)
C = (RNG.normal(size=40) + 1j * RNG.normal(size=40)).astype(np.complex64)
WORK = {
    "chain": lambda a, b, m, c: -0.3 / (0.2 * a[1:] + 1.5) - b[:-1],
    "choice": lambda a, b, m, c: weft.where(a > b, a, -b).astype(weft.float16) * 3,
    "sums": lambda a, b, m, c: m.sum(axis=0) / m.max(axis=0) + m.mean(axis=0) - m.std(axis=0),
    "all": lambda a, b, m, c: (a * b).sum(),
    "products": lambda a, b, m, c: m @ m.T + (m[:20, :20] @ m[:20, :20]),
    "dot": lambda a, b, m, c: a @ b,
    "complex": lambda a, b, m, c: (c * c[::-1]).sum() + c.prod(),
    "integers": lambda a, b, m, c: (weft.arange(40) * 7 // 3 % 5).sum(),
    "layout": lambda a, b, m, c: weft.concat([m.T, weft.pad(m.T, ((0, 0), (1, 1)))[:, 1:-1]], axis=1)[::2].copy(),
    "scan": lambda a, b, m, c: weft.cumulative_sum(m, axis=1)[:, -3:] * 2,
}


@pytest.fixture
def planned(planned, monkeypatch):
    """The works planned so far, without checks, which have everything planned."""
    monkeypatch.setattr(Checking, "on", False)
    stages.engine.transformer("cpu").programs.kept.clear()
    return planned


@for_each("name", WORK)
def test_the_first_run_has_no_program_and_the_bits_of_later_ones(name, planned):
    operands = [*map(weft.asarray, (A, B, M, C))]
    made = []
    planned.clear()
    for count in (0, 1, 1):
        made.append(WORK[name](*operands).numpy())
        assert len(planned) == count, name
    assert same_bits(made[0], made[1]) and same_bits(made[1], made[2]), name


OTHER = {
    "an op that is rounded otherwise": lambda: weft.exp(weft.asarray(A)),
    "the modulus of complex numbers": lambda: weft.abs(weft.asarray(C)),
    "many cells": lambda: (weft.zeros((300, 300)) + 1)[::2] * 2,
    "many nodes": lambda: sum([weft.asarray(A) * k for k in range(20)]),
    "many cells that are read": lambda: weft.asarray(np.ones((300, 300))).sum(),
}


@for_each("name", OTHER)
def test_other_work_has_a_program_at_once(name, planned):
    planned.clear()
    OTHER[name]().numpy()
    assert planned, name


def test_values_with_a_handle_are_stored_on_the_way(planned):
    x = weft.asarray(A)
    y = x * 2
    z = (y + 1).sum()
    z.item()
    assert known_node(y).value is not None and not planned


def test_values_that_are_cheap_to_make_are_not_stored(planned):
    x = weft.arange(100) * 2
    assert (x + 1).sum().item() == 10_000 and known_node(x).value is None


def test_a_compiled_function_has_a_program_at_its_first_call(planned):
    f = weft.compile(lambda x: x * 2 + 1)
    assert f(weft.asarray(A)).numpy().shape == (50,) and planned


def test_memory_that_others_have_written_is_refused_as_ever(planned):
    array = np.arange(5.0)
    x = weft.asarray(array)
    y = x * 2 + 1
    array[:] = 7
    with pytest.raises(OverwrittenError):
        y.numpy()


def test_slices_of_new_lengths_are_never_planned(planned):
    x = weft.asarray(A)
    sums = [(x[:k] * 2).sum().item() for k in range(1, 50)]
    assert not planned and sums == pytest.approx(list(np.cumsum(2 * A)[:-1]))


def test_work_for_the_reference_is_found_by_its_operations():
    ops = first_runs.OPS
    assert first_runs.is_exact(ops["add"], weft.complex64) and not first_runs.is_exact(ops["divide"], weft.complex64)
    assert not first_runs.is_exact(ops["sin"], weft.float32)
