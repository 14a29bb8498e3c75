"""The limit of the machine: every chunk that a program needs is read and decoded once, by all its threads.

The one idea: nothing is done with the cells, so no library that decodes can be faster.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
from numcodecs.zstd import Zstd

from benchmarks.larger.inputs import Box, Layout

PIECE = 1 << 22  # bytes of a plain file that are read at a time


def decode(paths: list[Path], layout: Layout, box: Box, threads: int) -> None:
    """Decode the chunks of files that a box of each touches."""
    whole = all(s.indices(n)[1] - s.indices(n)[0] == n for s, n in zip(box, layout.shape, strict=True))
    jobs = [job for path in paths for job in JOBS[path.suffix](path, layout, box, whole)]

    def work(first: int) -> None:
        for job in jobs[first::threads]:
            job()

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))


Jobs = list[Callable[[], object]]


def _npy(path: Path, layout: Layout, box: Box, whole: bool) -> Jobs:
    if not whole:
        return [lambda: np.load(path, mmap_mode="r")[box].copy()]

    def read(start: int) -> None:
        with path.open("rb", buffering=0) as file:
            file.seek(start)
            file.read(PIECE)

    return [lambda start=start: read(start) for start in range(0, path.stat().st_size, PIECE)]  # type: ignore[misc]


def _zarr(path: Path, layout: Layout, box: Box, whole: bool) -> Jobs:
    codec = Zstd()

    def chunk(start: tuple[int, ...]) -> Path:
        return path.joinpath("c", *(str(s // c) for s, c in zip(start, layout.chunks, strict=True)))

    return [lambda start=start: codec.decode(chunk(start).read_bytes()) for start in layout.starts(box)]  # type: ignore[misc]


def _hdf5(path: Path, layout: Layout, box: Box, whole: bool) -> Jobs:
    held = h5py.File(path, "r")["x"].id
    return [lambda start=start: zlib.decompress(held.read_direct_chunk(start)[1]) for start in layout.starts(box)]  # type: ignore[misc]


JOBS: dict[str, Callable[[Path, Layout, Box, bool], Jobs]] = {".npy": _npy, ".zarr": _zarr, ".h5": _hdf5}
