"""Sorts of one line by a scratch file: the bits of those in memory, within the limit."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples, in_turn
from tests.unit.sources.stream.large_files import (
    REAL,
    drawn_file,
    flat,
    is_as_in_memory,
    is_saved_as_in_memory,
    tough,
    written,
)
from weft import dtypes as dt
from weft.backends.calls.sorting import order_of_lines
from weft.errors import WriteError
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.read.byte_ranges import Meter
from weft.sources.stream.sorted_cells import SortedCells
from weft.tensors.tensor import Tensor

SORTS: dict[str, Callable[[Tensor], Any]] = {
    "sort": lambda x: weft.sort(flat(x)),
    "falling": lambda x: weft.sort(flat(x), descending=True),
    "argsort": lambda x: weft.argsort(flat(x)),
    "falling positions": lambda x: weft.argsort(flat(x), descending=True),
    "of a sum": lambda x: weft.sort(flat(x + x)),
    "sum": lambda x: weft.sum(weft.sort(flat(x * 0 + 1))),
    "steps": lambda x: weft.sort(flat(x))[::3] * 2,
    "turned": lambda x: weft.sort(flat(x.T)),
    "twice": lambda x: weft.sort(weft.argsort(flat(x))),
    "other axes": lambda x: weft.sort(weft.reshape(x, (1, -1, 1)), axis=1),
}


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The numbers of chunks of scratch files that were sorted."""
    found: list[int] = []
    block = SortedCells.block

    def noted(self: SortedCells, index: tuple[int, ...]) -> Any:
        found.append(index[0])
        return block(self, index)

    monkeypatch.setattr(SortedCells, "block", noted)
    yield found


@pytest.mark.parametrize("limit", [230_000, pytest.param(210_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "order"), in_turn(SORTS, "CF", every=2))
def test_same_bits_as_the_whole(tmp_path: Path, name: str, order: str, limit: int, chunks: list[int]) -> None:
    array = tough((300, 200), dt.float32)
    assert is_as_in_memory(SORTS[name], array, written(tmp_path / "x.npy", array, order), limit)
    assert max(chunks) > 3


@pytest.mark.parametrize("limit", [None, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("dtype", "name"), in_turn(REAL, ("sort", "falling", "argsort", "falling positions"), every=4), ids=str
)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, name: str, limit: int | None, chunks: list[int]) -> None:
    limit = limit or max(10_000, 5000 * dtype.itemsize)  # of 7000 cells
    array = tough((100, 70), dtype)
    assert is_as_in_memory(SORTS[name], array, written(tmp_path / "x.npy", array, big=True), limit)
    assert max(chunks) > 3


@settings(max_examples=examples(80, quick=8))
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("any")
    dtypes = [dt.float32, dt.float64, dt.float16, dt.int8]
    array, path = drawn_file(data, folder, dtypes)
    name = data.draw(st.sampled_from(sorted(SORTS)))
    assert is_saved_as_in_memory(SORTS[name], array, path, data.draw(st.integers(3000, 20_000)))


def test_zeros_and_nans_keep_their_bits_and_order(tmp_path: Path, chunks: list[int]) -> None:
    array = np.random.default_rng(0).choice(np.array([0.0, -0.0, 1.0, np.nan], np.float32), (4000,))
    array.view(np.uint32)[::3] |= 0x80000000
    path = written(tmp_path / "x.npy", array)
    for descending in (False, True):
        want = weft.sort(weft.asarray(array), descending=descending).numpy()
        with limited(6000):
            got = weft.sort(open_file(path), descending=descending).numpy()
        assert np.array_equal(got.view("u4"), want.view("u4"))
    assert chunks


def test_a_sort_is_read_again_from_its_file(tmp_path: Path, chunks: list[int]) -> None:
    array = tough((300, 200), dt.float32)
    with limited(100_000):
        x = weft.sort(flat(weft.open(written(tmp_path / "x.npy", array))))
        weft.save(tmp_path / "y.npy", x)
        (tmp_path / "x.npy").unlink()
        weft.save(tmp_path / "z.npy", x)
    assert (tmp_path / "y.npy").read_bytes() == (tmp_path / "z.npy").read_bytes()
    assert chunks


def test_no_scratch_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    x = weft.sort(weft.open(written(tmp_path / "x.npy", tough((50_000,), dt.float32))))
    for name in ("posix_fallocate", "pwrite"):
        with monkeypatch.context() as patch, limited(100_000):
            patch.setattr(os, name, full)
            with pytest.raises(WriteError, match=r"^scratch: .*; no space left on device; raise the memory limit"):
                x.numpy()
    with limited(100_000):
        assert x[0].item() == weft.nanmin(x).item()


def test_orders_of_keys_are_stable() -> None:
    for word in ("u1", "u4", "u8"):
        keys = np.random.default_rng(0).integers(0, 9, 1000).astype(word)
        assert np.array_equal(order_of_lines(keys, False), np.argsort(keys, kind="stable"))


def test_a_bar_knows_that_a_sort_was_read(tmp_path: Path, chunks: list[int], meter: Meter) -> None:
    with limited(100_000):
        weft.save(tmp_path / "y.npy", weft.sort(open_file(written(tmp_path / "x.npy", tough((50_000,), dt.float32)))))
    assert chunks and meter.done > 0.9 * meter.planned  # the last chunk is planned as a whole one
