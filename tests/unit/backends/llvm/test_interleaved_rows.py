"""Rows that write cells in turns run as one, with the same cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.backends.cpu import CpuTransformer
from weft.backends.llvm.nest import map_tables
from weft.backends.llvm.nest.map_tables import LEAST
from weft.runtime.compute import engine

SIZES = (LEAST, LEAST + 1, 1000)
DTYPES = ("bool", "int8", "float16", "bfloat16", "float32", "int64", "float64")


@pytest.fixture(params=[False, True], ids=["near", "past the caches"])
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A transformer of fresh programs; gives the numbers of rows after those in turns were joined."""
    made: list[int] = []
    joined = map_tables.interleaved_rows

    def noted(given: object) -> object:
        made.append(len(found := joined(given)))  # type: ignore[arg-type]
        return found

    monkeypatch.setattr(map_tables, "interleaved_rows", noted)
    if request.param:
        monkeypatch.setattr(map_tables, "STREAM", 0)
    with engine.using(CpuTransformer()):
        yield made


def _parts(count: int, size: int, dtype: str) -> list[weft.Tensor]:
    cells = np.random.default_rng(size).integers(0, 2 if dtype == "bool" else 100, (count, size))
    return [weft.astype(weft.asarray(c), getattr(weft, dtype)).realize() for c in cells]


def _in_turns(parts: list[np.ndarray]) -> np.ndarray:
    return np.stack(parts, axis=1).reshape(-1)


@pytest.mark.parametrize(("dtype", "size", "count"), in_turn(DTYPES, SIZES, [2, 3, 4], every=9))
def test_parts_in_turns_are_one_row(rows: list[int], count: int, size: int, dtype: str) -> None:
    parts = _parts(count, size, dtype)
    made = weft.copy(weft.interleave(parts)).numpy()
    assert np.array_equal(made, _in_turns([p.numpy() for p in parts])) and rows[-1] == 1


EXPRESSIONS: dict[str, Callable[[list[weft.Tensor]], list[weft.Tensor]]] = {
    "different": lambda p: [p[0] + 1, p[1] * p[2], weft.exp(p[3] / 100), p[0]],
    "numbers": lambda p: [p[0] * 2, p[1] * 3, p[2] - 4, weft.full(p[0].shape, 7, dtype=weft.float32)],
    "strided": lambda p: [weft.flip(p[0]), weft.interleave([p[1], p[1]])[::2], p[2], weft.flip(p[3])],
    "taken": lambda p: [p[0], weft.take(p[1], weft.astype(p[2], weft.int64), axis=0), p[2], p[3]],
    "ranges": lambda p: [weft.arange(p[0].size, dtype=weft.float32), p[1], p[2], p[3]],
    "truths": lambda p: [weft.where(p[0] > 50, p[0], p[1]), p[1], p[2], p[3]],
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_computed_parts(rows: list[int], name: str) -> None:
    parts = _parts(4, 1003, "float32")
    computed = EXPRESSIONS[name](parts)
    made = weft.interleave(computed).numpy()
    with weft.transformer("reference"):
        wanted = weft.interleave(EXPRESSIONS[name](parts)).numpy()
    assert 1 in rows and (np.allclose if name == "different" else np.array_equal)(made, wanted)


@pytest.mark.parametrize("shift", [0, 4, 8, 16, 60])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_writes_into_memory_of_any_alignment(rows: list[int], count: int, shift: int) -> None:
    raw, size = np.zeros(1 << 15, np.uint8), 1001
    start = -raw.ctypes.data % 64 + shift
    cells = raw[start : start + 4 * count * size].view(np.float32)
    parts = _parts(count, size, "float32")
    weft.asarray(cells)[...] = weft.interleave(parts)
    assert np.array_equal(cells, _in_turns([p.numpy() for p in parts])) and rows[-1] == 1
    assert raw[:start].sum() == raw[start + cells.nbytes :].sum() == 0
    target = weft.asarray(cells)
    target[...] = weft.interleave([target[k::count] * (k + 1) for k in range(count)])
    assert np.array_equal(cells, _in_turns([p.numpy() * np.float32(k + 1) for k, p in enumerate(parts)]))


def test_other_rows_stay_apart(rows: list[int]) -> None:
    five, short, wide = _parts(5, 1000, "float32"), _parts(4, LEAST - 1, "float32"), _parts(4, 1000, "complex64")
    for parts in (five, short, wide):
        made = weft.copy(weft.interleave(parts)).numpy()
        assert np.array_equal(made, _in_turns([p.numpy() for p in parts])) and rows[-1] == len(parts)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("count", [3, 4])
def test_channels_of_images(rows: list[int], count: int, dtype: str) -> None:
    image = np.random.default_rng(0).integers(0, 255, (40, 300, count)).astype(dtype)
    parts = [weft.asarray(np.ascontiguousarray(image[..., k])) for k in range(count)]
    assert np.array_equal(weft.copy(weft.stack(parts, axis=2)).numpy(), image) and rows[-1] == 1
    wide = weft.zeros((40, 302, count), dtype=getattr(weft, dtype))
    wide[:, 1:-1] = weft.stack(parts, axis=2)
    assert np.array_equal(wide.numpy()[:, 1:-1], image) and wide.numpy()[:, [0, -1]].sum() == 0


def test_single_neighbours_behind_rows_in_turns_are_all_written(rows: list[int]) -> None:
    parts = _parts(4, LEAST, "float32")
    cells = np.full(2 * LEAST + 2, -1, np.float32)
    weft.asarray(cells)[...] = weft.concat([weft.interleave(parts[:2]), parts[2][:1], parts[3][:1]])
    given = [p.numpy() for p in parts]
    assert np.array_equal(cells, np.concatenate([_in_turns(given[:2]), given[2][:1], given[3][:1]])) and rows[-1] == 3
