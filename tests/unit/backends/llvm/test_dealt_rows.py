"""Rows of a few cells: dealt out to the lanes where they are read, joined where they are written."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.backends.cpu import CpuTransformer
from weft.backends.llvm.folds import reduce_tables
from weft.backends.llvm.nest import map_tables
from weft.backends.llvm.nest.map_tables import COUNTS, LEAST
from weft.runtime.compute import engine

DTYPES = ("bool", "uint8", "int16", "float16", "float32", "float64", "complex64")
OPS = ("sum", "prod", "max", "any", "count_nonzero")


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """A transformer of fresh programs; gives which reductions are short, leaves take turns, rows are joined."""
    found: list[object] = []

    def watch(module: Any, name: str, fact: Callable[..., object]) -> None:
        plain = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: found.append(fact(made := plain(*given), *given)) or made)

    watch(reduce_tables, "cheapest", lambda plan, *_: plan.short and "short")
    watch(map_tables, "turns_of", lambda turns, *_: turns and "turns")
    watch(map_tables, "_short_axis_rows", lambda rows, *_: len(rows) > 1 and "joined")
    with engine.using(CpuTransformer()):
        yield found


def _cells(dtype: str, *shape: int) -> weft.Tensor:
    cells = np.random.default_rng(sum(shape)).normal(size=shape) * 3
    return weft.asarray((np.abs(cells) if dtype[0] == "u" else cells).astype(dtype))


def _check(program: Callable[[], weft.Tensor]) -> None:
    with weft.transformer("reference"):
        wanted = program().numpy()
    for _ in range(2):  # the first time, small work is left to NumPy
        assert np.array_equal(program().numpy(), wanted, equal_nan=wanted.dtype.kind in "fc")


@pytest.mark.parametrize(("op", "dtype", "count"), in_turn(OPS, DTYPES, range(2, 17), every=18))
def test_reductions_of_few_neighbours(op: str, dtype: str, count: int) -> None:
    if dtype == "complex64" and op == "max":
        pytest.skip("not defined")
    for size in (3, 64, 1500):
        x = _cells(dtype, size, count)
        _check(lambda x=x: getattr(weft, op)(x, axis=1))
        _check(lambda x=x: getattr(weft, op)(x[::-1], axis=1))
        _check(lambda x=x: getattr(weft, op)(weft.stack([x, x])[:, :-1], axis=2))


def test_results_of_few_neighbours_lie_in_the_lanes(noted: list[object]) -> None:
    x, y = _cells("float32", 2000, 12), _cells("float32", 12)
    swapped = weft.asarray(x.numpy().astype(">f4"))
    _check(lambda: weft.sum((x - y) ** 2, axis=1) + weft.mean(swapped, axis=1))
    assert noted.count("short") == 2


def test_sums_of_few_cells_read_whole_rows(noted: list[object]) -> None:
    x = _cells("float32", 40, 60, 7)
    _check(lambda: weft.max(x, axis=2) * weft.sum(x, axis=2))
    assert "turns" in noted
    noted.clear()
    pictures = _cells("float32", 3, 5, 40, 60)
    _check(lambda: weft.nn.max_pool(pictures, 2))
    assert "turns" in noted


@pytest.mark.parametrize(("dtype", "count"), in_turn(DTYPES, COUNTS, every=4))
def test_short_axes_along_which_cells_repeat(noted: list[object], dtype: str, count: int) -> None:
    for size in (LEAST, 2 * LEAST + 1):
        x, y, z = _cells(dtype, 3, size, count), _cells(dtype, 3, size, 1), _cells(dtype, count)
        _check(lambda x=x, z=z: weft.where(z == x, z, x))
        _check(lambda x=x, y=y, z=z: weft.where(y != z, x, y))
        _check(lambda x=x, y=y: (x == y)[:, ::-1])
        _check(lambda y=y: weft.repeat(y.reshape(-1), count))
        _check(lambda x=x: weft.add(x, weft.arange(count, dtype=weft.int8)))
    assert "joined" in noted  # where cells are complex, comparisons alone


def test_a_tensor_is_written_through_rows_of_few_cells(noted: list[object]) -> None:
    x, y = _cells("float32", 1000, 4), _cells("float32", 1000, 1)
    wanted = x.numpy() * y.numpy()
    x *= y
    assert np.array_equal(x.numpy(), wanted) and "joined" in noted


@pytest.mark.parametrize("count", [3, 8, 16])
def test_no_byte_behind_the_cells_is_read(count: int) -> None:
    memory = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert not protect(address + 2 * mmap.PAGESIZE, mmap.PAGESIZE, 0)
    for dtype in ("uint8", "float64"):
        cells = np.frombuffer(memory, dtype, 2 * mmap.PAGESIZE // np.dtype(dtype).itemsize)
        size = cells.size // count
        x = weft.asarray(cells[cells.size - size * count :].reshape(size, count))
        for op in ("sum", "max"):
            _check(lambda op=op, x=x: getattr(weft, op)(x, axis=1))
        _check(lambda x=x: x + weft.arange(count, dtype=x.dtype))
        del cells, x
    protect(address + 2 * mmap.PAGESIZE, mmap.PAGESIZE, 3)
