"""The files that the programs read: random arrays of several sizes, each in .npy, Zarr and HDF5.

The one idea: cells are round numbers, so that compression has something to do, and positive with a mean far from zero,
so that no sum cancels and results of different summation orders compare.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

import numpy as np

Box = tuple[slice, ...]
FORMATS = {"npy": ".npy", "zarr": ".zarr", "hdf5": ".h5"}
FILES = 64  # that `c` is cut into


@dataclass(frozen=True)
class Layout:
    """An array in files: shape and chunks of a file, number of files along axis 0, seed of cells."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    seed: int
    files: int = 1

    @property
    def nbytes(self) -> int:
        """The bytes of all its files' cells."""
        return 4 * self.files * prod(self.shape)

    def starts(self, box: Box) -> Iterator[tuple[int, ...]]:
        """The first cells of the chunks that a box of a file touches."""
        spans = [s.indices(n) for s, n in zip(box, self.shape, strict=True)]
        return product(*(range(lo - lo % c, hi, c) for (lo, hi, _), c in zip(spans, self.chunks, strict=True)))

    def paths(self, folder: Path, name: str, format: str) -> list[Path]:
        """Its files, in order."""
        if self.files == 1:
            return [folder / f"{name}{FORMATS[format]}"]
        return [folder / f"{name}-{k:02}{FORMATS[format]}" for k in range(self.files)]


def _layouts(days: int, side: int, day: int, part: int, matrix: int, block: int, tiny: int, rows: int, columns: int):  # type: ignore[no-untyped-def]
    maps, small = (days, side, side), 50 if tiny > 100 else 10
    return {
        "u": Layout(maps, (day, part, part), 1),
        "v": Layout(maps, (day, part, part), 2),
        "w": Layout(maps, (days, part // 5, part // 5), 1),  # u in chunks of whole series
        "a": Layout((matrix, matrix), (block, block), 3),
        "b": Layout((matrix, matrix), (block, block), 4),
        "c": Layout((rows, columns), (rows, min(columns, 4000)), 5, FILES),
        "tiny": Layout((tiny, tiny), (small, small), 6),
    }


SIZES: dict[str, dict[str, Layout]] = {
    "smoke": _layouts(48, 40, 8, 20, 240, 60, 100, 8, 64),
    "quick": _layouts(365, 500, 20, 250, 8000, 1000, 2000, 125, 8000),
    "full": _layouts(730, 500, 20, 250, 12000, 1000, 4000, 250, 16000),
    "large": _layouts(2920, 500, 20, 250, 24000, 1000, 4000, 1000, 16000),
}


def made(folder: Path, layouts: dict[str, Layout], names: set[str], formats: set[str]) -> None:
    """Make the files of those arrays that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(names):
        layout = layouts[name]
        for k in range(layout.files):
            wanted = {f: layout.paths(folder, name, f)[k] for f in sorted(formats)}
            missing = {f: path for f, path in wanted.items() if not path.exists()}
            if missing:
                cells = _cells(layout, k)
                for format, path in missing.items():
                    part = path.with_name(f"part-{path.name}")  # an interrupted run leaves no file that looks whole
                    WRITERS[format](part, cells, layout)
                    os.rename(part, path)


def _cells(layout: Layout, k: int) -> np.ndarray:
    cells = np.random.default_rng([layout.seed, k]).standard_normal(layout.shape, np.float32)
    if len(layout.shape) == 2:  # a matrix: half its cells above 1
        np.clip(cells * 0.25 + 1, 1 / 64, None, out=cells)
    else:  # a temperature, say
        np.clip(cells * 2 + 16, 1 / 64, None, out=cells)
    step = np.float32(1024 if len(layout.shape) == 2 else 128)
    return np.rint(cells * step, out=cells) / step


def _npy(path: Path, cells: np.ndarray, layout: Layout) -> None:
    with path.open("wb") as file:
        np.save(file, cells)


def _zarr(path: Path, cells: np.ndarray, layout: Layout) -> None:
    import zarr

    codec = zarr.codecs.ZstdCodec(level=0)
    made = zarr.create_array(
        str(path), shape=cells.shape, chunks=layout.chunks, dtype="float32", compressors=codec, overwrite=True
    )
    made[...] = cells


def _hdf5(path: Path, cells: np.ndarray, layout: Layout) -> None:
    """Chunks of gzip, level 1, encoded by two threads."""
    import h5py

    def encoded(start: tuple[int, ...]) -> bytes:
        chunk = np.zeros(layout.chunks, np.float32)
        part = cells[tuple(slice(s, s + c) for s, c in zip(start, layout.chunks, strict=True))]
        chunk[tuple(slice(n) for n in part.shape)] = part
        return zlib.compress(chunk, 1)

    whole = tuple(slice(n) for n in layout.shape)
    starts = list(layout.starts(whole))
    with h5py.File(path, "w") as file, ThreadPoolExecutor(2) as pool:
        made = file.create_dataset("x", cells.shape, "f4", chunks=layout.chunks, compression="gzip", compression_opts=1)
        for start, data in zip(starts, pool.map(encoded, starts), strict=True):
            made.id.write_direct_chunk(start, data)


WRITERS = {"npy": _npy, "zarr": _zarr, "hdf5": _hdf5}
