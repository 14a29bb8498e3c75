"""A pending value whose views are read repeatedly is stored, once that pays and where it is allowed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from weft.errors import LinAlgError
from weft.runtime.compute import engine, field_reads, view_reads
from weft.runtime.memory.limits import limited
from weft.tensors.tensor import Tensor, node_of

N = 1 << 12
A = np.arange(float(N))
PENDING: dict[str, Callable[[Tensor], Tensor]] = {
    "arithmetic": lambda x: x * 2 + 1,
    "of a scan": lambda x: weft.sin(weft.cumulative_sum(x)),
    "of a sort": lambda x: weft.sort(-x) * 2,
    "concat": lambda x: weft.concat([x, x * 2]),
    "less the mean": lambda x: x - weft.mean(x),
}


def is_stored(x: Tensor) -> bool:
    return node_of(x).value is not None


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_reads, "KEPT", type(field_reads.KEPT)())


@pytest.mark.parametrize("kind", PENDING)
def test_a_value_whose_cells_are_read_one_by_one_is_stored(kind: str) -> None:
    make = PENDING[kind]
    y, wanted = make(weft.asarray(A)), make(weft.asarray(A)).tolist()
    assert y[0].item() == wanted[0] and not is_stored(y)
    assert [y[i].item() for i in range(1, 40)] == wanted[1:40]
    assert is_stored(y) and y.tolist() == wanted


PARTS: dict[str, Callable[[Tensor], float]] = {
    "cell": lambda x: float(x[1]),
    "slice": lambda x: float(x[1:].sum()),
    "slice of an expression": lambda x: float((x * 2)[1:].sum()),
}


@pytest.mark.parametrize("make", [lambda n: weft.asarray(np.ones(n)), weft.ones], ids=["stored", "field"])
@pytest.mark.parametrize("size", [10, N])
@pytest.mark.parametrize("part", PARTS)
def test_states_of_loops_of_which_parts_are_read_need_no_program_each(part, size, make) -> None:
    x, programs, found = make(size), [], []
    for _ in range(40):
        found.append(PARTS[part](x))
        programs.append(len(engine.current().programs.kept))
        x = x * 0.5
    assert programs[-1] == programs[12]
    assert found == [found[0] * 0.5**k for k in range(40)]


def test_large_values_that_are_written_between_reads_need_no_program_each() -> None:
    x, mask = weft.asarray(np.zeros(10 * view_reads.CELLS)), weft.asarray(np.arange(10 * view_reads.CELLS) % 2 == 0)
    programs = []
    for k in range(150):
        x[mask] = float(k)
        assert x[2].item() == k
        programs.append(len(engine.current().programs.kept))
    assert programs[-1] == programs[70]


def test_large_values_are_stored_when_reads_have_cost_as_much() -> None:
    y = weft.asarray(np.zeros(16 * view_reads.CELLS)) + 1
    stored = [i for i in range(200) if is_stored(y) or y[i].item() != 1]
    assert stored[0] in (32, 64)  # a power of two that is no less than the cells of both operands by CELLS


def test_values_beyond_the_share_of_the_limit_stay_pending() -> None:
    y = weft.asarray(A) * 2 + 1
    with limited(8 * A.nbytes // 2):
        assert [y[i].item() for i in range(40)] == (2 * A[:40] + 1).tolist()
    assert not is_stored(y)


def test_values_over_files_stay_pending(tmp_path) -> None:
    np.save(tmp_path / "a.npy", A)
    y = weft.open(tmp_path / "a.npy") * 2
    assert [y[i].item() for i in range(40)] == (2 * A[:40]).tolist() and not is_stored(y)


def test_routines_that_may_fail_run_only_for_requested_values() -> None:
    good, bad = weft.asarray([[2.0, 0.0], [0.0, 4.0]]), weft.asarray([[1.0, 1.0], [1.0, 1.0]])
    y = weft.concat([weft.linalg.inv(good), weft.linalg.inv(bad)])
    assert {y[0, 0].item() for _ in range(40)} == {0.5} and not is_stored(y)
    with pytest.raises(LinAlgError):
        y[2, 0].item()


def test_cells_of_other_devices_stay_there() -> None:
    x = weft.asarray(A, device="thread:0")
    y = weft.concat([x.to("cpu"), x.to("cpu") + 1])
    assert [y[i].item() for i in range(40)] == A[:40].tolist() and not is_stored(y)


def test_writes_between_reads_are_seen() -> None:
    x = weft.asarray(A, copy=True)
    y = x * 2
    for i in range(20):
        x[i] = -1.0
        assert y[i].item() == 2 * A[i]
        assert (x * 2)[i].item() == -2


def test_comparisons_of_cells_count_as_reads() -> None:
    y = weft.sin(weft.cumulative_sum(weft.asarray(A)))
    assert max(y).item() == weft.max(y).item() and is_stored(y)
    y = weft.asarray(A) * 2
    assert not any(y[i] > 2 * i for i in range(40)) and is_stored(y)


def test_what_a_read_computes_whole_counts_with_it() -> None:
    x = weft.asarray(np.random.default_rng(0).random(16 * view_reads.CELLS))
    y = weft.sort(x) * 2
    for i in range(8):
        y[i].item()
    assert is_stored(y)
