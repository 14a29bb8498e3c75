"""The first program that reads a generated value does not store it, even if a handle holds it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import weft
from weft.runtime.compute import field_reads
from weft.runtime.memory.limits import limited
from weft.tensors.tensor import Tensor, node_of

N = 1 << 12
FIELDS = {
    "random": lambda: weft.random.uniform((N,), seed=1, dtype="float32"),
    "normal": lambda: weft.random.normal((N,), seed=1),
    "range": lambda: weft.arange(float(N)) * 2 + 1,
    "fill": lambda: weft.full((N,), 2.0) * 3 + 1,
    "arithmetic": lambda: weft.random.uniform((N,), seed=1)[::-1] * 2 + weft.arange(float(N)),
}


def read(x: Tensor) -> float:
    return float((x * x + 1).sum().item())


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_reads, "KEPT", type(field_reads.KEPT)())


@pytest.mark.parametrize("kind", FIELDS)
def test_the_first_program_stores_no_field_and_the_second_does(kind: str) -> None:
    x = FIELDS[kind]()
    with weft.eager():
        wanted = read(FIELDS[kind]())
    assert "not stored: " in str(weft.explain(x.sum()))
    assert read(x) == wanted and node_of(x).value is None
    assert "kept: " in str(weft.explain(x.sum()))
    assert read(x) == wanted and node_of(x).value is not None
    assert np.array_equal(x, FIELDS[kind]())


def test_explaining_reads_nothing() -> None:
    x = FIELDS["random"]()
    for _ in range(3):
        assert weft.explain(x.sum()).bytes_stored == 4


def test_dear_arithmetic_over_a_field_is_stored_at_once() -> None:
    x = weft.exp(FIELDS["random"]())
    read(x)
    assert node_of(x).value is not None


def test_fields_are_kept_within_a_share_of_the_memory_limit() -> None:
    nbytes = 4 * N
    with limited(8 * 2 * nbytes):
        held = [weft.random.uniform((N,), seed=k, dtype="float32") for k in range(4)]
        for x in (*held, *held, *held):
            read(x)
        assert [node_of(x).value is not None for x in held] == [True, True, False, False]
        del held[:2], x
        read(held[1])
        assert node_of(held[1]).value is not None


SCRIPT = """
import weft

def most():
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))

def distance(n):
    x, y = (weft.random.uniform((n,), seed=k, dtype="float32") for k in (1, 2))
    return ((x - y) ** 2).sum().item()

distance(1 << 10)
before = most()
distance(1 << 24)
print(most() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_fields_of_many_cells_take_no_memory() -> None:
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 16 << 20
