"""Units that are needed again: each chunk is decoded once, whatever the disk does the values are the same."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.sources.stream.large_files import same
from weft.errors import WriteError
from weft.runtime.memory.limits import limited
from weft.sources.read.byte_ranges import Meter
from weft.sources.stream import reading_ahead
from weft.sources.write.scratch_file import ScratchFile
from weft.tensors.tensor import Tensor

SHAPE, CHUNK = (300, 70, 70), (20, 64, 32)
CHUNKS = 15 * 2 * 3
LIMIT = 2_300_000  # bytes: a column of chunks takes 2 460 000, a row of them 980 000

PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "deviation": lambda x: weft.std(x, axis=0),
    "residuals": lambda x: weft.abs(x - weft.mean(x, axis=0)).sum(),
    "both ways": lambda x: (x[:, :70, :70] + weft.matrix_transpose(x)).sum(axis=0),
}


def opened(tmp_path: Path, compressor: str | None = "zstd") -> Tensor:
    array = (np.random.default_rng(0).standard_normal(SHAPE) * 100).astype("f4")
    weft.save(tmp_path / "x.zarr", array, chunks=CHUNK, compressor=compressor)
    return weft.open(tmp_path / "x.zarr")


def whole(tmp_path: Path, program: Callable[[Tensor], Tensor]) -> Any:
    return program(weft.asarray(weft.open(tmp_path / "x.zarr").numpy())).numpy()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_chunk_is_decoded_once(tmp_path: Path, name: str, scratch: Path, decoded: Counter[Any]) -> None:
    x = opened(tmp_path)
    with limited(LIMIT):
        explained = weft.explain(PROGRAMS[name](x)).sweeps
        got = PROGRAMS[name](x).numpy()
    assert decoded and set(decoded.values()) == {1} and len(decoded) == CHUNKS
    assert sum([s.reads for s in explained]) == CHUNKS and sum([s.scratch for s in explained]) > 0
    assert same(got, whole(tmp_path, PROGRAMS[name])) and os.listdir(scratch) == []


def test_a_sum_of_residuals_goes_by_bands_of_rows(tmp_path: Path, scratch: Path, decoded: Counter[Any]) -> None:
    """Two bands of four columns of chunks: the second band's chunks take the places of the first one's."""
    array = (np.random.default_rng(0).standard_normal((100, 128, 256)) * 100).astype("f4")
    weft.save(tmp_path / "x.zarr", array, chunks=(10, 64, 64), compressor="zstd")
    x = weft.open(tmp_path / "x.zarr")
    with limited(6_500_000):
        said = sum([s.scratch for s in weft.explain(PROGRAMS["residuals"](x)).sweeps])
        got = PROGRAMS["residuals"](x).numpy()
    assert 0 < said <= array.nbytes // 2
    assert set(decoded.values()) == {1} and len(decoded) == 10 * 2 * 4
    assert same(got, whole(tmp_path, PROGRAMS["residuals"])) and os.listdir(scratch) == []


def test_a_bar_fills_where_chunks_are_compressed_and_come_back(tmp_path: Path, scratch: Path, meter: Meter) -> None:
    x = opened(tmp_path)
    with limited(LIMIT):
        PROGRAMS["deviation"](x).numpy()
    assert meter.reached == meter.planned >= 2 * prod(SHAPE) * 4


def test_plain_chunks_are_read_again(tmp_path: Path, decoded: Counter[Any]) -> None:
    x = opened(tmp_path, compressor=None)
    with limited(LIMIT):
        assert sum([s.scratch for s in weft.explain(weft.std(x, axis=0)).sweeps]) == 0
        weft.std(x, axis=0).numpy()
    assert max(decoded.values()) == 2


def _no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_ahead, "spill_room", lambda: 0)


def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object) -> None:
        raise WriteError("no file")

    monkeypatch.setattr(reading_ahead, "ScratchFile", fails)


def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    left, write = [5], ScratchFile.write

    def until_full(self: ScratchFile, at: int, cells: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise WriteError("the disk is full")
        write(self, at, cells)

    monkeypatch.setattr(ScratchFile, "write", until_full)


@pytest.mark.parametrize("fault", [_no_room, _no_file, _full_disk])
def test_chunks_are_decoded_again_where_the_disk_takes_them_no_longer(
    tmp_path: Path, fault: Callable[[pytest.MonkeyPatch], None], decoded: Counter[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, program = opened(tmp_path), PROGRAMS["residuals"]
    fault(monkeypatch)
    with limited(LIMIT):
        got = program(x).numpy()
    assert max(decoded.values()) > 1
    assert same(got, whole(tmp_path, program))
