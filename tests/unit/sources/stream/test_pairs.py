"""Tiles beside those across a diagonal: a matrix and its transpose are read together, each chunk once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.sources.stream.large_files import same
from weft.runtime.memory.limits import limited
from weft.tensors.tensor import Tensor

SIDE, CHUNK = 1100, 100  # no multiple of 8 in a chunk, two blocks of 1024 in a column
LIMIT = 1_000_000  # bytes: a row of chunks takes 440 000

PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "sums of columns": lambda a: (a + a.T).sum(axis=0),
    "sums of rows": lambda a: (a - a.T * 2).sum(axis=1),
    "products": lambda a: weft.prod(a * a.T, axis=0),
    "values": lambda a: a + a.T,
    "means of stacks": lambda a: (a + a.T).reshape((1, SIDE, SIDE)).mean(axis=1),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_chunk_is_decoded_once_without_scratch(tmp_path: Path, name: str) -> None:
    cells = (np.random.default_rng(0).standard_normal((SIDE, SIDE)) + 2).astype("f4")
    weft.save(tmp_path / "a.zarr", cells, chunks=(CHUNK, CHUNK), compressor="zstd")
    a, program = weft.open(tmp_path / "a.zarr"), PROGRAMS[name]
    with limited(LIMIT):
        explained = weft.explain(program(a)).sweeps
        got = program(a).numpy()
    assert [(s.reads, s.scratch) for s in explained] == [((SIDE // CHUNK) ** 2, 0)]
    assert same(got, program(weft.asarray(cells)).numpy())


def test_a_chunk_is_decoded_once_for_a_chunked_file(tmp_path: Path, decoded: Counter[Any]) -> None:
    cells = np.random.default_rng(1).standard_normal((SIDE, SIDE)).astype("f4")
    weft.save(tmp_path / "a.zarr", cells, chunks=(CHUNK, CHUNK), compressor="zstd")
    a = weft.open(tmp_path / "a.zarr")
    with limited(LIMIT):
        weft.save(tmp_path / "b.zarr", a * a.T, chunks=(CHUNK, CHUNK), compressor="zstd")
        assert set(decoded.values()) == {1} and len(decoded) == (SIDE // CHUNK) ** 2
    assert same(weft.open(tmp_path / "b.zarr").numpy(), cells * cells.T)
