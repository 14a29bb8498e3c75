"""A small file of every format, a program that reads it, and faults in calls of reading and writing."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from netcdf_classic import classic

import weft
from weft.runtime.compute import stages
from weft.runtime.compute.engine import SourceRead
from weft.sources.read.fetching import fetches_of
from weft.tensors.tensor import Tensor, node_of

VALUES = np.arange(1, 61, dtype=np.float32).reshape(6, 10)


def reads(x: Tensor) -> list[SourceRead]:
    """The read of each file that computing a tensor would need, without reading values."""
    return [fetch.account() for _, fetch in fetches_of(stages.planned_work([node_of(x)]))]


def _saved(name: str, values: Any = VALUES, **options: Any) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        weft.save(folder / name, values, **options)
        return folder / name

    return make


def _deflated(folder: Path) -> Path:
    np.savez_compressed(folder / "x.npz", a=VALUES)
    return folder / "x.npz"


def _records(folder: Path) -> Path:
    classic(folder / "x.nc", {"a": VALUES, "b": VALUES[:, 0]}, records=True, attributes=False)
    return folder / "x.nc"


def _tiled(folder: Path) -> Path:
    fits = pytest.importorskip("astropy.io.fits")
    fits.CompImageHDU(VALUES.astype("i4"), compression_type="GZIP_1", tile_shape=(2, 10)).writeto(folder / "x.fits")
    return folder / "x.fits"


def _picture(folder: Path) -> Path:
    pytest.importorskip("PIL")
    return _saved("x.png", VALUES.astype("u1"))(folder)


def _table(ending: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        pytest.importorskip("pyarrow")
        return _saved(f"x{ending}", VALUES[0])(folder)

    return make


FILES: dict[str, tuple[Callable[[Path], Path], dict[str, Any]]] = {
    "npy": (_saved("x.npy"), {}),
    "mapped": (_saved("x.npy"), {"mmap": True}),
    "npz": (_saved("x.npz"), {}),
    "npz deflated": (_deflated, {}),
    "raw": (_saved("x.raw"), {"dtype": "float32", "shape": (6, 10)}),
    "safetensors": (_saved("x.safetensors"), {}),
    "hdf5": (_saved("x.h5"), {}),
    "hdf5 chunks": (_saved("x.h5", chunks=(2, 5)), {}),
    "hdf5 gzip": (_saved("x.h5", chunks=(2, 5), compression="gzip"), {}),
    "netcdf": (_saved("x.nc"), {}),
    "netcdf records": (_records, {"name": "a"}),
    "fits": (_saved("x.fits"), {}),
    "fits tiles": (_tiled, {}),
    "zarr": (_saved("x.zarr", chunks=(3, 10)), {}),
    "zarr gzip": (_saved("x.zarr", chunks=(3, 10), compressor="gzip"), {}),
    "zarr shards": (_saved("x.zarr", chunks=(3, 5), shards=(6, 10)), {}),
    "zarr 2": (_saved("x.zarr", chunks=(3, 10), version=2), {}),
    "png": (_picture, {}),
    "parquet": (_table(".parquet"), {}),
    "arrow": (_table(".arrow"), {}),
    "csv": (_table(".csv"), {}),
}
SYSTEM = (
    "open fstat stat pread preadv close pwrite fsync mkdir makedirs listdir rename replace unlink rmdir rename",
    "posix_fallocate ftruncate truncate chmod chown",
)
LIBRARIES = (
    "h5py:File.__init__ h5py:Dataset.__getitem__ h5py:Dataset.__setitem__ h5py:Dataset.read_direct h5py:Group.get",
    "h5py:Group.create_dataset h5py:File.close astropy.io.fits:open numcodecs.zstd:compress numcodecs.zstd:decompress",
    "PIL.Image:open PIL.Image:Image.load pyarrow.parquet:ParquetFile.__init__ pyarrow.parquet:write_table",
    "pyarrow.parquet:ParquetFile.read_row_group pyarrow.ipc:open_file pyarrow.ipc:new_file pyarrow:OSFile",
    "pyarrow.csv:read_csv pyarrow.csv:write_csv zlib:crc32 zlib:decompressobj fcntl:flock",
)


def copied(path: Path, folder: Path) -> Path:
    """Return a copy of the file, of which nothing is known yet."""
    folder.mkdir()
    copy = shutil.copytree if path.is_dir() else shutil.copy2
    return Path(copy(path, folder / path.name))


def read(path: Path, options: dict[str, Any]) -> Any:
    """Open the file and read all of it."""
    return weft.open(path, **options).numpy()


def touchable() -> Iterator[tuple[Any, str]]:
    """Iterate over the calls to the system and to libraries, as (owner, name)."""
    yield from [(os, name) for name in " ".join(SYSTEM).split()]
    for place in " ".join(LIBRARIES).split():
        module, _, names = place.partition(":")
        try:
            owner: Any = import_module(module)
        except ImportError:
            continue
        *outer, name = names.split(".")
        for each in outer:
            owner = getattr(owner, each)
        yield owner, name


Act = Callable[..., Any]


@contextmanager
def disturbed(nth: int, act: Act, only: Sequence[str] = ()) -> Iterator[list[str]]:
    """Have the nth call that weft's files make `act(call, arguments)` instead; yield the names of the calls made."""
    made: list[str] = []

    def wrapped(name: str, real: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            if f"weft{os.sep}sources" in sys._getframe(1).f_code.co_filename:
                made.append(name)
                if len(made) == nth:
                    return act(lambda: real(*arguments, **named), name, arguments)
            return real(*arguments, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in touchable():
            if not only or name in only:
                patch.setattr(owner, name, wrapped(name, getattr(owner, name)))
        yield made


def refused(number: int) -> Act:
    """Return the act of a system that refuses a call; what is to be closed is closed all the same."""

    def act(call: Callable[[], Any], name: str, arguments: Any) -> Any:
        if name == "close":
            call()
        raise OSError(number, os.strerror(number))

    return act


def short(call: Callable[[], Any], name: str, arguments: Any) -> Any:
    """Read or write half of the bytes that were asked for, one at least."""
    fd, part, *rest = arguments
    if name == "preadv":
        return os.preadv(fd, [part[0][: max(1, len(part[0]) // 2)]], *rest)
    return getattr(os, name)(fd, part // 2 or 1 if isinstance(part, int) else part[: len(part) // 2 or 1], *rest)


_settled: list[str] = []  # what was found last when nothing had changed for a while


def opened(wanted: list[str] | None = None) -> list[str]:
    """Return what the open files of this process are, but for sockets, pipes, polls and the cache of kernels.

    Threads of libraries close files a moment after the call that opened them: given the wanted files, waits for these
    for at most 5 s; otherwise, until nothing has changed for 50 ms, or what is open is what such a wait found before.
    """
    until, found, since = time.monotonic() + 5, _open_files(), time.monotonic()
    if wanted is None and found == _settled:
        return found
    while time.monotonic() < until and found != wanted and (wanted is not None or time.monotonic() < since + 0.05):
        time.sleep(0.001)
        before, found = found, _open_files()
        since = since if found == before else time.monotonic()
    if wanted is None:
        _settled[:] = found
    return found


def _open_files() -> list[str]:
    found = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{fd}")
        except FileNotFoundError:  # that of the list itself
            continue
        if not target.startswith(("socket:", "pipe:", "anon_inode:")) and "kernels" not in target:
            found.append(target)
    return sorted(found)


EIO, ENOSPC = errno.EIO, errno.ENOSPC
