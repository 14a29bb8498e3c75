"""`explain` foretells a save without writing: chunks decoded, walks, scratch bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.sources.stream.large_files import noted_sweeps, units_read
from weft.errors import ArgumentError, DTypeError, FileFormatError, ValueRangeError
from weft.sources.stream.sweep import Sweep
from weft.sources.write.scratch_file import ScratchFile
from weft.tensors.tensor import Tensor

LIMIT = 600_000
VALUES = np.random.default_rng(2).random((120, 60, 50)).astype("f4")  # 1.4 MB
SAVES: dict[str, tuple[str, dict[str, Any], Callable[[Tensor], Tensor]]] = {
    "same chunks": ("y.zarr", {"chunks": (20, 30, 50)}, lambda x: x * 2),
    "whole lines": ("y.zarr", {"chunks": (120, 5, 5)}, lambda x: x * 2),
    "odd chunks": ("y.zarr", {"chunks": (50, 17, 23), "compressor": "gzip"}, lambda x: x[3:] + 1),
    "hdf5": ("y.h5", {"chunks": (120, 5, 5), "compression": "gzip"}, lambda x: x * 2),
    "no chunks": ("y.npy", {}, lambda x: x * 2),
    "lines": ("y.zarr", {"chunks": (20, 30, 50)}, lambda x: weft.sort(x, axis=0)),
    "sort": ("y.npy", {}, lambda x: weft.sort(x.reshape(-1))),
    "argsort": ("y.npy", {}, lambda x: weft.argsort(x.reshape(-1))),
    "anomaly": ("y.zarr", {"chunks": (20, 30, 50)}, lambda x: x - x.mean(axis=0)),
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    weft.save(tmp_path / "x.zarr", VALUES, chunks=(20, 30, 50), compressor="zstd")
    return tmp_path / "x.zarr"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, int], int]:
    """The bytes at each place of a scratch file; some places are written again."""
    found: dict[tuple[int, int], int] = {}
    write = ScratchFile.write

    def noted(self: ScratchFile, at: int, cells: Any) -> None:
        found[id(self), at] = cells.nbytes
        write(self, at, cells)

    monkeypatch.setattr(ScratchFile, "write", noted)
    return found


@pytest.mark.parametrize("case", SAVES)
def test_a_save_does_what_was_said(
    case: str, source: Path, tmp_path: Path, written: dict[Any, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, options, value = SAVES[case]
    before = sorted(os.listdir(tmp_path))
    e = weft.explain(value(weft.open(source)), path=tmp_path / name, memory=LIMIT, **options)
    assert sorted(os.listdir(tmp_path)) == before and not written
    assert f"{e.scratch_bytes} bytes of scratch, peak {max([s.peak for s in e.sweeps])} bytes" in str(e)
    assert all(s.peak <= LIMIT for s in e.sweeps) or "sort" in case  # whose counts take a megabyte
    sweeps: list[Sweep[Any]] = noted_sweeps(monkeypatch, lambda sweep: sweep)
    weft.save(tmp_path / name, value(weft.open(source)), memory=LIMIT, **options)
    ahead = {"anomaly": 2 * 120_000, "lines": 6 * 120_000}.get(case, 0)  # chunks decoded before others have gone
    assert 0 <= sum(written.values()) - e.scratch_bytes <= ahead
    if case == "sort":
        assert e.scratch_bytes == VALUES.nbytes
    if case not in ("lines", "sort", "argsort", "anomaly"):  # of which sweeps are made in other ways, too
        assert sum([s.reads for s in e.sweeps]) == sum([u.chunks for u in units_read(sweeps)])
        assert [s.tiles for s in e.sweeps] == [s.tiling.count for s in sweeps]


def test_the_bytes_read_are_those_of_the_files(source: Path, tmp_path: Path) -> None:
    files = sum([f.stat().st_size for f in (source / "c").rglob("*") if f.is_file()])
    (line,) = weft.explain(weft.open(source) * 2, path=tmp_path / "y.npy", memory=LIMIT).sweeps
    assert line.reads == line.units == 12 and line.read == files < line.bytes == VALUES.nbytes


def test_options_are_those_of_save(source: Path) -> None:
    x = weft.open(source)
    with pytest.raises(ArgumentError, match="explain: chunks, memory without path; they are those of a save"):
        weft.explain(x, chunks=(1, 1, 1), memory="1MiB")
    with pytest.raises(ArgumentError, match="explain: 2 tensors with path; a save of one is explained"):
        weft.explain(x, x, path="y.npy")
    with pytest.raises(FileFormatError, match="names no known format"):
        weft.explain(x, path="y.what")
    with pytest.raises(ValueRangeError, match="option 'chunk' is unknown"):
        weft.explain(x, path="y.zarr", chunk=3)
    with pytest.raises(DTypeError):
        weft.explain(x, path="y.npy", dtype="float999")


def test_what_a_library_takes_while_it_writes_is_left_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("h5py")
    np.save(tmp_path / "x.npy", np.zeros((400, 300)))
    x = weft.open(tmp_path / "x.npy")

    def limit(**options):
        return weft.explain(x, path=tmp_path / "y.h5", memory="200KiB", **options).sweeps[0].limit

    chunk, several = 20 * 50 * 8, (200 << 10) // 8  # the latter for tiles that are written beside others
    assert limit() - limit(chunks=(20, 50), compression="lzf") == 5 * chunk
    monkeypatch.setattr("weft.sources.formats.hdf5_write.get_num_threads", lambda: 2)
    assert limit() - limit(chunks=(20, 50), compression="gzip") == 3 * 2 * chunk + several
