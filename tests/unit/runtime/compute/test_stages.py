"""Values for the host that are not published, and work that passes no stages once its program is known."""

from pathlib import Path

import numpy as np
import pytest

import weft
from weft.errors import ValueRangeError
from weft.interop.imports import share
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import Work, read, read_few
from weft.tensors.tensor import node_of


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_values_for_the_host_are_those_of_their_nodes(name):
    """A stored node's value comes in native order, in its own place."""
    cells = np.arange(6, dtype=">u8").reshape(2, 3)
    x = share(cells)
    nodes = [node_of(t) for t in (x, x + 1, x[:, ::-1])]
    with engine.using(engine.transformer(name)):
        found = stages.on_host(Work(nodes))
    for value, expected in zip(found, (cells, cells + 1, cells[:, ::-1]), strict=True):
        assert value.dtype == weft.uint64.np
        assert np.array_equal(value, expected)
    assert nodes[1].value is None


def test_equal_numbers_and_lone_runs_are_looked_up_at_once():
    """Two equal numbers are two arguments, unless their operations become one: then the key says so."""
    a, b = weft.asarray([1.0, 2.0, 3.0]), weft.asarray([3.0, 2.0, 1.0])
    values = (a * 0.5 + b) * 0.5 + b, a * 0.5 + a * 0.5 + b, a * 0.5 + a * 0.25 + b, a[weft.asarray([0, 2])]
    found = [read_few((node_of(x),)) for x in values]
    assert [None if x is None else "numbers" in x[0] for x in found] == [False, True, False, False]
    assert [x[0] for x in found if x] == [read(Work((n,)), (n,)).key for n in map(node_of, values)]


def test_numbers_that_rules_read_of_several_operations_are_looked_up_at_once():
    a = weft.asarray([1.0, 2.0, 3.0])
    values = [1 / (1 + weft.exp(-a * x)) - a**2 * y for x, y in ((1.0, 0.0), (1.0, 0.5), (3.0, 0.0), (3.0, -0.0))]
    keys = [found[0] for x in values if (found := read_few((node_of(x),))) is not None]
    assert keys == [read(Work((n,)), (n,)).key for n in map(node_of, values)] and len(set(keys)) == 2


def test_states_of_many_steps_are_looked_up_at_once(monkeypatch: pytest.MonkeyPatch):
    """Also beside numbers that are spread, where states have handles: these read memory, so they are no fields."""
    for k in range(6):
        if k == 4:
            monkeypatch.setattr(stages, "perform", lambda *_: pytest.fail("a known program passes no stages"))
        m, v = weft.asarray([0.1, 0.2, 0.3]), weft.asarray([1.0, 0.5, 0.25])
        for _ in range(13):
            m, v = m * 0.5 + v * 0.25, v * 0.75 - m
        w = 1 - m / (v + weft.full(3, 0.5))
        assert w.numpy().shape == (3,) and node_of(v).value is not None


def test_values_with_handles_are_stored_by_the_program_that_reads_them(monkeypatch: pytest.MonkeyPatch):
    """A known program does so without the stages; here a state and a number that is read of each step."""
    x, step, means = weft.zeros(5).realize(), weft.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), []
    for k in range(4):
        if k == 2:
            monkeypatch.setattr(stages, "perform", lambda *_: pytest.fail("a known program passes no stages"))
        x = x + step * 0.5
        means.append(float(x.mean()))
        assert node_of(x).value is not None
    assert means == [1.5, 3.0, 4.5, 6.0] and x.tolist() == [2.0, 4.0, 6.0, 8.0, 10.0]


def test_long_programs_that_are_known_pass_no_stages(monkeypatch: pytest.MonkeyPatch):
    """They give up the interpreter's lock, with the memory that they read pinned."""
    cells = np.linspace(0.0, 1.0, 200_000)
    x, found = weft.asarray(cells), []
    for k in range(3):
        if k == 2:
            monkeypatch.setattr(stages, "perform", lambda *_: pytest.fail("a known program passes no stages"))
        found.append(weft.sin(weft.exp(x)).realize())
    np.testing.assert_allclose(found[2], np.sin(np.exp(cells)))
    assert found[0].tolist() == found[2].tolist()


def test_bounds_coordinates_spread_numbers_and_joins_are_looked_up_at_once():
    """Unless rules look at places: held coordinates, neighbours."""
    x, count = weft.asarray([1.0, 2.0, 3.0]), weft.arange(3)
    found = [
        weft.maximum(x, 0.0), weft.maximum(x, float("-inf")), weft.arange(3) * 2,
        weft.where(weft.arange(3) < 2, x, 0.0), weft.where(count < 2, x, 0.0),
        weft.where(x < 2, x, 0.0), x + weft.full(3, 2.0), weft.full(3, 2.0) * weft.full(3, 2.0),
        weft.concat([x, x + 1]), weft.stack([x, x]), weft.concat([x[:1], x[1:]]) + 1,
    ]  # fmt: skip
    expected = [True, True, True, True, False, True, True, True, True, False, False]
    assert [read_few((node_of(t),)) is not None for t in found] == expected


def test_a_mapped_file_leaves_other_programs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    np.save(tmp_path / "a.npy", np.arange(3.0))
    mapped, given, f = weft.open(tmp_path / "a.npy", mmap=True), weft.ones(3).realize(), weft.compile(lambda x: x + 1)
    assert f(given).tolist() == [2.0, 2.0, 2.0]
    assert f(mapped).tolist() == [1.0, 2.0, 3.0]
    monkeypatch.setattr(stages, "perform", lambda *_: pytest.fail("a known program passes no stages"))
    assert f(given).tolist() == [2.0, 2.0, 2.0]


def test_a_program_without_native_code_is_not_run() -> None:
    work = stages.planned_work([node_of(weft.ones(3) + 1)])
    assert work.program is not None and work.program.built is None
    with pytest.raises(ValueRangeError, match="native code"):
        work.program.run(work.arguments, work.numbers)
