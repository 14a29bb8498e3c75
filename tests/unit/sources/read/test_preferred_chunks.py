"""`x.chunks`: the chunks of the source behind a value, through views and element-wise functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

SHAPE, CHUNKS = (20, 30, 7), (5, 10, 4)

EXPRESSIONS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...] | None]] = {
    "itself": (lambda x: x, (5, 10, 4)),
    "slice with a step": (lambda x: x[3:, ::-2], (5, 5, 4)),
    "step beyond a chunk": (lambda x: x[:, :, ::6], (5, 10, 1)),
    "slice shorter than a chunk": (lambda x: x[:3], (3, 10, 4)),
    "index": (lambda x: x[3, :, 1], (10,)),
    "one cell": (lambda x: x[3, 2, 1], ()),
    "permuted axes": (lambda x: weft.permute_dims(x, (2, 0, 1)), (4, 5, 10)),
    "new axis": (lambda x: x[:, None], (5, 1, 10, 4)),
    "broadcast": (lambda x: weft.broadcast_to(x, (3, *SHAPE)), (3, 5, 10, 4)),
    "element-wise": (lambda x: weft.where(x > 1, x.astype("float32"), 0) * 2 - weft.ones(SHAPE), (5, 10, 4)),
    "beside its transpose": (lambda x: x[:, :20, 0] + x[:, :20, 0].T, None),
    "sum": (lambda x: x.sum(axis=0), None),
    "joined": (lambda x: weft.concat([x, x]), None),
    "windows": (lambda x: weft.sliding_window_view(x[:, 0, 0], 3), None),
    "no cells": (lambda x: x[:0], (1, 10, 4)),
}


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    weft.save(tmp_path / "a.zarr", weft.zeros(SHAPE), chunks=CHUNKS)
    return weft.open(tmp_path / "a.zarr")


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_chunks_of_expressions(stored: Any, name: str) -> None:
    make, wanted = EXPRESSIONS[name]
    assert make(stored).chunks == wanted


def test_memory_has_no_chunks(stored: Any) -> None:
    assert weft.zeros(3).chunks is None and (weft.zeros(3) + 1).chunks is None
    assert weft.asarray(np.zeros(3)).chunks is None and weft.asarray(2.5).chunks is None
    assert stored.realize().chunks is None and stored[2:].chunks is None


def test_plain_files_have_no_chunks(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(SHAPE))
    assert weft.open(tmp_path / "a.npy").chunks is None


def test_an_operand_in_a_plain_file_counts_for_nothing(stored: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(SHAPE))
    assert (stored - weft.open(tmp_path / "a.npy")).chunks == CHUNKS


def test_chunks_of_hdf5(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("chunked", data=np.zeros(SHAPE), chunks=CHUNKS, compression="gzip")
        file["plain"] = np.zeros(SHAPE)
    assert weft.open(tmp_path / "a.h5", name="chunked").chunks == CHUNKS
    assert weft.open(tmp_path / "a.h5", name="plain").chunks is None


def test_a_value_of_many_steps_is_followed_once(stored: Any) -> None:
    x = stored
    for _ in range(40):  # 2 ** 40 paths lead to the file
        x = x + x
    assert x.chunks == CHUNKS
