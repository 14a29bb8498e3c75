"""Rows that write between each other's cells are taken band by band, with the same cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import weft
from weft.backends.cpu import CpuTransformer
from weft.backends.llvm.nest import map_tables
from weft.runtime.compute import engine

PARTS = [np.arange(k, k + 3000, dtype=np.float32) for k in range(0, 50_000, 10_000)]


@pytest.fixture
def bands(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A transformer of fresh programs with narrow bands; gives the numbers of rows after cutting."""
    made: list[int] = []
    cut = map_tables._in_bands

    def noted(rows: object) -> object:
        made.append(len(found := cut(rows)))  # type: ignore[arg-type]
        return found

    monkeypatch.setattr(map_tables, "BAND", 1000)
    monkeypatch.setattr(map_tables, "_in_bands", noted)
    with engine.using(CpuTransformer()):
        yield made


INTERLEAVED: dict[str, tuple[Callable[[list[weft.Tensor]], weft.Tensor], Callable[[], np.ndarray]]] = {
    "cells": (lambda t: weft.stack(t, axis=1), lambda: np.stack(PARTS, axis=1)),
    "computed": (lambda t: weft.stack([x * 2 for x in t], axis=1), lambda: np.stack(PARTS, axis=1) * 2),
    "flipped": (lambda t: weft.flip(weft.stack(t, axis=1)), lambda: np.flip(np.stack(PARTS, axis=1))),
    "short runs": (
        lambda t: weft.concat([x.reshape((-1, 5)) for x in t], axis=1),
        lambda: np.concatenate([x.reshape(-1, 5) for x in PARTS], axis=1),
    ),
    "coordinates": (
        lambda t: weft.stack([weft.arange(3000) * k for k in range(5)], axis=1),
        lambda: np.arange(3000)[:, None] * np.arange(5),
    ),
}


@pytest.mark.parametrize("name", INTERLEAVED)
def test_interleaved_rows_are_cut(bands: list[int], name: str) -> None:
    program, wanted = INTERLEAVED[name]
    got = weft.copy(program([weft.asarray(p) for p in PARTS])).numpy()
    assert np.array_equal(got, wanted()) and max(bands) > 12


def test_other_rows_stay_whole(bands: list[int]) -> None:
    parts = [weft.asarray(p) for p in PARTS]
    assert np.array_equal(weft.copy(weft.concat(parts)).numpy(), np.concatenate(PARTS))
    wide = weft.concat([p.reshape((-1, 100)) for p in parts], axis=1)  # runs longer than cache lines
    assert np.array_equal(weft.copy(wide).numpy(), np.concatenate([p.reshape(-1, 100) for p in PARTS], axis=1))
    assert max(bands) == 5
