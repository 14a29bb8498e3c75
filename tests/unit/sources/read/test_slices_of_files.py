"""Slices of files in larger expressions: all of one shape are one program, whatever the layout of the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

X = np.random.default_rng(5).standard_normal((90, 7, 12)).astype(np.float32)


def npy(path: Path, x: np.ndarray) -> weft.Tensor:
    np.save(path.with_suffix(".npy"), x)
    return weft.open(path.with_suffix(".npy"))


FILES: dict[str, Callable[[Path], weft.Tensor]] = {
    "plain": lambda path: npy(path, X),
    "big-endian": lambda path: npy(path, X.astype(">f4")),
    "Fortran order": lambda path: npy(path, np.asfortranarray(X)),
    "Zarr": lambda path: weft.open(
        weft.save(path.with_suffix(".zarr"), X, chunks=(20, 7, 5)) or path.with_suffix(".zarr")
    ),
    "HDF5": lambda path: weft.open(
        weft.save(path.with_suffix(".h5"), X, chunks=(16, 4, 12)) or path.with_suffix(".h5")
    ),
}
SLICES: dict[str, Callable[[Any, int], Any]] = {
    "rows": lambda x, k: x[k : k + 8],
    "row": lambda x, k: x[k],
    "steps": lambda x, k: x[k : k + 20 : 3, ::2],
    "backwards": lambda x, k: x[k + 9 : k + 1 : -2, :, ::-1],
    "slice of a slice": lambda x, k: x[k : k + 30][5:13, 1:, 3],
    "new axis": lambda x, k: x[k : k + 8, None, 2],
    "moved axes": lambda x, k: (x.mT if isinstance(x, weft.Tensor) else np.swapaxes(x, 1, 2))[k : k + 4],
    "two": lambda x, k: x[k + 1 : k + 9] - x[k : k + 8],
    "flat": lambda x, k: x[k : k + 6].reshape((-1, 6)),
}
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "map": lambda x: x * 2 + 1,
    "standardised": lambda x: (x - x.mean(0)) / (x.std(0) + 1),
    "sum": lambda x: x.sum(),
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("taken", SLICES)
def test_other_positions_are_the_same_program(tmp_path: Path, file: str, taken: str, planned: list[int]) -> None:
    x = FILES[file](tmp_path / "x")
    for name, f in PROGRAMS.items():
        for k in (3, 11):
            np.testing.assert_allclose(f(SLICES[taken](x, k)).numpy(), f(SLICES[taken](X, k)), 2e-5, 1e-5, err_msg=name)
    planned.clear()
    for f in PROGRAMS.values():
        for k in (20, 41, 58):
            np.testing.assert_allclose(f(SLICES[taken](x, k)).numpy(), f(SLICES[taken](X, k)), 2e-5, 1e-5)
    assert planned == []


def test_a_step_of_training_reads_its_rows_once(tmp_path: Path, reads: list[int]) -> None:
    rng = np.random.default_rng(3)
    x = npy(tmp_path / "x", rng.standard_normal((400, 8)))
    arrays = [rng.standard_normal((8, 16)), rng.standard_normal((16, 2))]
    leaves = [weft.asarray(a).requires_grad_() for a in arrays]  # others see their memory, so each is written at once
    loss = (weft.tanh(x[100:200] @ leaves[0]) @ leaves[1]).sum()
    loss.backward()
    with weft.no_grad():
        for p in leaves:
            p -= 0.05 * p.grad
    loss.item()
    assert sum(reads) == 100 * 8 * 8
