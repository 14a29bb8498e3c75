"""Files as tensors: right values, and no more read than computing needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.api.standard import manipulation_functions, statistical_functions
from weft.errors import FileFormatError, MemoryLimitWarning, OutOfMemory
from weft.runtime.compute import engine
from weft.runtime.compute.footprint import touch
from weft.runtime.memory import limits
from weft.runtime.memory.limits import limited
from weft.sources.formats.npy import NpyFile
from weft.sources.read import loading
from weft.sources.read.extents import extents_of, merged
from weft.sources.read.loading import open_source
from weft.tensors.tensor import Tensor, node_of
from weft.tensors.versions import live_readers


def opened(tmp_path: Path, array: Any, name: str = "a") -> Tensor:
    np.save(tmp_path / f"{name}.npy", array)
    return open_source(NpyFile(tmp_path / f"{name}.npy"))


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("dtype", ["?", "<i2", ">i4", "<f2", ">f4", "<f8", ">c16", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_values(tmp_path: Path, dtype: str, order: Any) -> None:
    array = np.arange(60).reshape(3, 4, 5).astype(dtype, order=order)
    x = opened(tmp_path, array)
    assert x.numpy().dtype == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(x.numpy(), array)
    x = opened(tmp_path, array)
    np.testing.assert_array_equal(x[1:, ::-2, 3].numpy(), array[1:, ::-2, 3])
    np.testing.assert_array_equal(
        manipulation_functions.concat([x, x], axis=1)[:, 2:6].numpy(), np.concat([array, array], 1)[:, 2:6]
    )


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_empty_and_single(tmp_path: Path, shape: tuple[int, ...]) -> None:
    x = opened(tmp_path, np.full(shape, 7.0))
    assert x.numpy().tolist() == np.full(shape, 7.0).tolist()


@pytest.mark.usefixtures("_transformer")
def test_only_what_is_needed_is_read(tmp_path: Path, reads: list[int]) -> None:
    array = np.arange(2_000_000.0).reshape(200, 10_000)
    x = opened(tmp_path, array)
    y = x * 2 + 1
    assert reads == []
    np.testing.assert_array_equal(y[5, 100:110].numpy(), array[5, 100:110] * 2 + 1)
    assert sum(reads) == 80
    reads.clear()
    np.testing.assert_array_equal(y[::50, :10].numpy(), array[::50, :10] * 2 + 1)
    assert reads == [80] * 4
    reads.clear()
    assert statistical_functions.sum(x[10:12]).item() == array[10:12].sum()
    assert sum(reads) == 160_000


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("take", [Tensor.numpy, np.asarray, Tensor.tolist, Tensor.realize, weft.compute])
def test_a_large_part_is_read_without_the_rest(tmp_path: Path, take: Callable[[Tensor], Any], reads: list[int]) -> None:
    array = np.arange(40_000.0).reshape(400, 100)
    part = opened(tmp_path, array)[100:390]
    reads.clear()
    take(part)
    assert sum(reads) == part.nbytes
    np.testing.assert_array_equal(part.numpy(), array[100:390])


@pytest.mark.usefixtures("_transformer")
def test_a_value_over_a_file_is_reduced_once_for_its_large_parts(tmp_path: Path, reads: list[int]) -> None:
    array = np.arange(40_000.0).reshape(400, 100)
    x = opened(tmp_path, array)
    centred = x - statistical_functions.mean(x, axis=0)
    for rows in (slice(100, 390), slice(0, 200)):
        np.testing.assert_allclose(centred[rows].numpy(), (array - array.mean(axis=0))[rows])
    assert sum(reads) == array.nbytes


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_chains_along_rows(tmp_path: Path, rows: int, reads: list[int]) -> None:
    array = np.sin(np.arange(rows * 300.0)).reshape(rows, 300)
    x = opened(tmp_path, array)
    e = weft.exp(x - weft.max(x, axis=1, keepdims=True))
    got = (e / weft.sum(e, axis=1, keepdims=True)).numpy()
    e = np.exp(array - array.max(axis=1, keepdims=True))
    np.testing.assert_allclose(got, e / e.sum(axis=1, keepdims=True), rtol=1e-14)
    assert sum(reads) == array.nbytes


@pytest.mark.usefixtures("_transformer")
def test_realize_keeps_the_values(tmp_path: Path, reads: list[int]) -> None:
    x = opened(tmp_path, np.arange(5.0)).realize()
    reads.clear()
    assert (x + 1).tolist() == [1, 2, 3, 4, 5]
    assert reads == []


@pytest.mark.usefixtures("_transformer")
def test_writing_changes_the_tensor_never_the_file(tmp_path: Path) -> None:
    x = opened(tmp_path, np.arange(5.0))
    x[1:3] = 9
    assert x.tolist() == [0, 9, 9, 3, 4]
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("_transformer")
def test_a_value_may_be_written_from_a_file(tmp_path: Path) -> None:
    x, y = opened(tmp_path, np.arange(5.0)), opened(tmp_path, np.ones(5), "b").realize()
    y[1:] = x[:-1] * 2
    assert y.tolist() == [1, 0, 2, 4, 6]


def test_more_than_memory_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = opened(tmp_path, np.arange(5.0))
    monkeypatch.setattr(loading, "LARGE_READ", 0)
    monkeypatch.setattr(loading, "available_memory", lambda: 39)
    with engine.using(engine.transformer("reference")), pytest.raises(OutOfMemory, match="40 bytes to read, 39 bytes"):
        x.numpy()


@pytest.mark.parametrize("limit", [None, 1 << 30, 4 << 20])
def test_a_small_part_of_a_large_file_does_not_ask_for_free_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int | None
) -> None:
    x = opened(tmp_path, array := np.arange(2_000_000.0).reshape(-1, 100))
    monkeypatch.setattr(limits, "available_memory", lambda: pytest.fail("free memory was asked for"))
    with limited(limit) if limit else nullcontext():
        assert x[7].tolist() == array[7].tolist() and x[3, 5].item() == 305.0


@pytest.mark.usefixtures("_transformer")
def test_a_changed_file_is_refused_and_the_line_is_named(tmp_path: Path) -> None:
    x = opened(tmp_path, np.arange(5.0))
    np.save(tmp_path / "a.npy", np.zeros(4))
    with pytest.raises(FileFormatError, match="has changed since it was opened") as caught:
        x.numpy()
    assert "test_loading.py" in caught.value.__notes__[0]


def ranges_of(offset: int, strides: Any, sizes: Any, itemsize: int) -> list[list[int]]:
    t = touch(offset, strides, sizes, itemsize)
    return extents_of([] if t is None else [t]).tolist()


def test_extents() -> None:
    assert ranges_of(8, (-4, 0), (3, 9), 4) == [[0, 12]]
    assert ranges_of(0, (8, 8), (5, 3), 8) == [[0, 56]]
    assert ranges_of(0, (4,), (0,), 4) == []
    assert ranges_of(0, (40, 8), (2, 2), 4) == [[0, 4], [8, 12], [40, 44], [48, 52]]
    parts = [np.array([[o, o + 4], [o + (1 << 20), o + (1 << 20) + 4]]) for o in (0, 1000, 1 << 21)]
    assert merged(parts, 1000).tolist() == [
        [0, 1004],
        [1 << 20, (1 << 20) + 1004],
        [1 << 21, (1 << 21) + 4],
        [3 << 20, (3 << 20) + 4],
    ]


def test_who_writes_what_a_computation_reads_does_not_compute_its_copies(tmp_path: Path, monkeypatch: Any) -> None:
    x, w = opened(tmp_path, np.arange(1000.0)), weft.ones(1000).realize()
    s = (x * w).sum()
    t, found, load = s + 1, [], loading._load

    def loading_meanwhile(*args: Any) -> Any:
        found.extend(live_readers(node_of(w)))
        return load(*args)

    monkeypatch.setattr(loading, "_load", loading_meanwhile)
    assert t.item() == 499501 and s.item() == 499500
    assert len(found) == 2 and all(n is node_of(s) or n is node_of(t) for n in found)


def test_more_than_the_limit_is_announced_before_it_is_read(tmp_path: Path) -> None:
    x = opened(tmp_path, np.zeros((2, 1 << 22), np.float32))
    with limited("8MiB"):
        assert weft.sum(x).item() == 0
        with pytest.warns(MemoryLimitWarning, match=r"^rfft: \d{8} bytes are read .* of a memory limit of 8388608; .*"):
            weft.fft.rfft(x[0])[5].item()
    assert weft.fft.rfft(x[0])[5].item() == 0
