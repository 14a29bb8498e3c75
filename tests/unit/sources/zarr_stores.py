"""Zarr stores for tests: written by zarr-python, changed, opened."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from weft.sources.read.loading import open_source
from weft.sources.zarr.zarr_array import open_zarr
from weft.tensors.tensor import Tensor

zarr = pytest.importorskip("zarr")

DTYPES = ["?", "i1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16"]
V3_CODECS = ["none", "zstd", "gzip", "blosc", "crc32c"]
V2_CODECS: list[Any] = [None, {"id": "zlib"}, {"id": "zstd"}, {"id": "blosc"}, {"id": "lz4"}, {"id": "bz2"}]


def create(path: Path, array: Any, **options: Any) -> Path:
    """A store that zarr-python wrote."""
    options.setdefault("compressors", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = zarr.create_array(str(path), shape=array.shape, dtype=array.dtype, filters=None, **options)
        made[...] = array
    return path


def metadata_of(path: Path, name: str = "zarr.json") -> Any:
    return json.loads((path / name).read_text())


def change(path: Path, name: str = "zarr.json", **fields: Any) -> None:
    """Other metadata for a store."""
    (path / name).write_text(json.dumps(metadata_of(path, name) | fields))


def opened(path: Path, name: str = "") -> Tensor:
    return open_source(open_zarr(str(path), name))


def codec3(name: str) -> Any:
    import zarr.codecs as c

    return {
        "none": None, "zstd": c.ZstdCodec(level=1, checksum=True), "gzip": c.GzipCodec(), "blosc": c.BloscCodec(),
        "crc32c": c.Crc32cCodec(),
    }[name]  # fmt: skip
