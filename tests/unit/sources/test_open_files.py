"""Files are open while they are read, and no longer; what is held of objects goes with the last handle."""

from __future__ import annotations

import gc
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from http_server import serving
from small_files import FILES, opened

import weft

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not list open files")


def mapped(path: Path) -> bool:
    """True if a file is mapped into memory."""
    return str(path) in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("name", FILES)
def test_nothing_stays_open(tmp_path: Path, name: str) -> None:
    make, options = FILES[name]
    path = make(tmp_path)
    weft.open(path, **options).numpy()  # imports, caches of kernels
    gc.collect()
    before = opened()
    x = weft.open(path, **options)
    assert opened(before) == before
    part, every = x[:2], weft.open_all(path, **options)
    part.numpy()
    assert opened(before) == before
    x.sum().item()
    del x, part, every
    gc.collect()
    assert opened(before) == before and not mapped(path)


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith(("zarr", "mapped"))])
def test_bytes_of_an_object_go_with_the_last_handle(tmp_path: Path, name: str) -> None:
    make, options = FILES[name]
    path = make(tmp_path)
    options = {"format": path.suffix[1:], **options}
    options["format"] = {"h5": "hdf5", "nc": "netcdf", "png": "image"}.get(path.suffix[1:], path.suffix[1:])
    weft.open(io.BytesIO(path.read_bytes()), **options).numpy()
    gc.collect()
    before = opened()
    x = weft.open(io.BytesIO(path.read_bytes()), **options)
    y = x[:2] * 2
    del x
    gc.collect()
    y.numpy()
    del y
    gc.collect()
    assert opened(before) == before


def test_a_save_that_fails_leaves_nothing_open(tmp_path: Path) -> None:
    before = opened()
    for ending in ("npy", "h5", "npz"):
        with pytest.raises(weft.errors.WeftError):
            weft.save(tmp_path / "missing" / f"a.{ending}", weft.ones(3))
    gc.collect()
    assert opened(before) == before


def test_copies_of_remote_files_go_with_the_last_handle(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")
    pytest.importorskip("PIL")
    weft.save(tmp_path / "a.png", np.zeros((4, 4), "u1"))
    with serving(tmp_path) as server:
        weft.open(f"{server.url}/a.png").numpy()
        gc.collect()
        before = opened()
        x: Any = weft.open(f"{server.url}/a.png")
        assert len(opened()) == len(before) + 1  # in memory
        x.numpy()
        del x
        gc.collect()
        assert opened(before) == before
