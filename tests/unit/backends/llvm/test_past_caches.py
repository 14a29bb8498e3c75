"""Results too large for the caches are written past them: the same bits, whatever is aligned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.backends import cpu
from weft.backends.cpu import CpuTransformer
from weft.backends.llvm.jit.kernel_task import KernelTask
from weft.backends.llvm.nest import map_tables as loops
from weft.runtime.compute import engine


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[KernelTask]]:
    """A transformer of fresh programs in which every result counts as large; gives its tasks."""
    made: list[KernelTask] = []
    task = loops._task

    def noted(*given: object) -> KernelTask:
        made.append(task(*given))
        return made[-1]

    monkeypatch.setattr(loops, "STREAM", 0)
    monkeypatch.setattr(loops, "_task", noted)
    lower = cpu.lower_chain
    monkeypatch.setattr(cpu, "lower_chain", lambda *given: made.append(lower(*given)) or made[-1])
    with engine.using(CpuTransformer()):
        yield made


@for_each("dtype", ["bool", "int8", "float16", "bfloat16", "float32", "float64", "complex128"])
@for_each("shape", [(), (1,), (63,), (4096,), (5, 37), (3, 1024), (7, 11, 64)])
def test_the_bits_are_the_same(streamed: list[KernelTask], dtype: str, shape: tuple[int, ...]) -> None:
    d = getattr(weft, dtype)
    values = np.random.default_rng(3).integers(0, 2, shape)
    x = weft.asarray(values, dtype=d)
    assert np.array_equal(weft.copy(x).numpy(), x.numpy())
    assert streamed and streamed[0].table[streamed[0].table == loops.PAST_CACHES].size == 1
    expression = weft.concat([weft.flip(x.reshape(-1)), x.reshape(-1)])
    assert np.array_equal(
        weft.copy(expression).numpy(), np.concatenate([x.numpy().reshape(-1)[::-1], x.numpy().reshape(-1)])
    )


@for_each("cells", [3, 15, 16, 17, 47, 48, 1000])
@for_each("shift", [0, 1, 4, 8, 30, 60, 64])
def test_writes_into_memory_of_any_alignment(streamed: list[KernelTask], shift: int, cells: int) -> None:
    raw = np.zeros(1 << 14, np.uint8)
    start, size = -raw.ctypes.data % 64 + shift, 4 * cells
    target = weft.asarray(raw[start : start + size].view(np.float32))
    target[...] = weft.arange(cells, dtype=weft.float32) + 1
    assert np.array_equal(target.numpy(), np.arange(cells, dtype=np.float32) + 1)
    target[...] = target * 2 + 1  # each cell is read once, before it is written
    assert np.array_equal(target.numpy(), np.arange(cells, dtype=np.float32) * 2 + 3)
    assert raw[:start].sum() == raw[start + size :].sum() == 0


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(5,), (16,), (3, 1024), (33, 37), (40, 1040), (2, 3000)])
def test_running_sums_past_the_caches(streamed: list[KernelTask], dtype: str, shape: tuple[int, ...]) -> None:
    x = weft.asarray(np.random.default_rng(6).integers(0, 9, shape), dtype=getattr(weft, dtype))
    for y in (x, x[..., 1:]):
        got = weft.cumulative_sum(y, axis=-1).numpy()
        with weft.transformer("reference"):
            assert np.array_equal(got, weft.cumulative_sum(y, axis=-1).numpy())


@for_each("dtype", ["int8", "float16", "float32", "complex128"])
@for_each("cells", [9, 65, 129, 900, 3330])
def test_rows_that_begin_and_end_within_cache_lines(streamed: list[KernelTask], cells: int, dtype: str) -> None:
    values = np.random.default_rng(8).integers(0, 9, (7, cells)).astype(dtype)
    x = weft.asarray(values)
    assert np.array_equal((x[:, 1:] + x[:, :-1]).numpy(), values[:, 1:] + values[:, :-1])
    assert np.array_equal((x[:, 1:] * 2 + x[:, :-1] * x[:, 1:]).numpy(), values[:, 1:] * (2 + values[:, :-1]))


def softmax(x: weft.Tensor) -> weft.Tensor:
    y = weft.exp(x - weft.max(x, axis=1, keepdims=True))
    return y / weft.sum(y, axis=1, keepdims=True)


def test_what_steps_in_blocks_of_rows_read_again_stays_in_the_caches(streamed: list[KernelTask]) -> None:
    x = weft.asarray(np.random.default_rng(4).random((3000, 200)))
    assert np.allclose(softmax(x).numpy().sum(axis=1), 1) and streamed
    for task in streamed:  # for full blocks, and for the rows left over
        assert task.name == "max + map + sum + map" and (task.table == loops.PAST_CACHES).sum() == 1


@pytest.mark.parametrize("held", [True, False])
def test_temporaries_stay_in_the_caches(streamed: list[KernelTask], held: bool) -> None:
    x = np.random.default_rng(5).random((300, 200))
    y = weft.exp(weft.asarray(x))
    z = (y[1:] + y[:-1]) * (y @ weft.ones((200, 200)))[1:]
    kept = y if held else None
    del y
    e = np.exp(x)
    assert np.allclose(z.numpy(), (e[1:] + e[:-1]) * e[1:].sum(axis=1)[:, None])
    past = {task.name: bool((task.table == loops.PAST_CACHES).any()) for task in streamed}
    assert past["map exp"] == (kept is not None) and past["map add multiply"]
