"""Files larger than the memory granted, and what is computed of them beside the same of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import weft
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.stream.sweep import Sweep, TileConsumer
from weft.sources.write.sinks import Field, opened_sinks
from weft.tensors.tensor import Tensor

REAL = [d for d in dt.COMMON if d.kind != "complex"]


def cells(shape: tuple[int, ...], dtype: dt.DType, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape) * 3
    if dtype.kind == "complex":
        return (x + 1j * random.standard_normal(shape)).astype(dtype.np)
    return (
        (x > 0) if dtype.kind == "bool" else np.abs(x).astype(dtype.np) if dtype.kind == "uint" else x.astype(dtype.np)
    )


def tough(shape: tuple[int, ...], dtype: dt.DType, seed: int = 0) -> Any:
    """Return cells with equal ones, NaN and -0."""
    array = cells(shape, dtype, seed)
    if dtype.kind == "float":
        array[np.abs(array) < 0.3] = -0.0
        array[array > 5] = np.nan
    return array


def flat(x: Tensor) -> Tensor:
    return weft.reshape(x, (-1,))


def written(path: Path, array: Any, order: str = "C", big: bool = False) -> Path:
    dtype = dt.from_numpy(array.dtype)[0]
    with opened_sinks(path, {"": Field(dtype, big, array.shape)}, {"order": order}) as sinks:
        sinks[""].write((0,) * array.ndim, array)
    return path


def same(got: Any, want: Any) -> bool:
    """Equal dtypes, shapes and bits; any NaN equals any NaN."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind == "V":
        got, want = dt.widened(got), dt.widened(want)
    parts = [(got, want)] if got.dtype.kind != "c" else [(got.real, want.real), (got.imag, want.imag)]
    for a, b in parts:
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        nan = np.isnan(a) & np.isnan(b) if a.dtype.kind not in "biu" else np.zeros(a.shape, bool)
        if not ((a.view(f"u{a.itemsize}") == b.view(f"u{a.itemsize}")) | nan).all():
            return False
    return True


def is_as_in_memory(value: Callable[[Tensor], Tensor], array: Any, path: Path, limit: int) -> bool:
    """True if a value of a file, within the limit, equals that of the array in the file."""
    want = value(weft.asarray(array)).numpy()
    with limited(limit):
        return same(value(open_file(path)).numpy(), want)


def is_saved_as_in_memory(value: Callable[[Tensor], Tensor], array: Any, path: Path, limit: int) -> bool:
    """True if a value of a file, saved within the limit, equals that of the array in memory."""
    target = path.with_name("saved.npy")
    with limited(limit):
        weft.save(target, value(open_file(path)))
    return same(np.load(target), value(weft.asarray(array)).numpy())


def drawn_file(data: st.DataObject, folder: Path, dtypes: Sequence[dt.DType]) -> tuple[Any, Path]:
    """Return a small matrix and a file of it, in chunks of any size."""
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=2, max_size=2)))
    array = tough(shape, data.draw(st.sampled_from(dtypes)))
    weft.save(folder / "x.zarr", weft.asarray(array), chunks=tuple(data.draw(st.integers(1, n)) for n in shape))
    return array, folder / "x.zarr"


def noted_sweeps(monkeypatch: pytest.MonkeyPatch, fact: Callable[[Sweep[Any]], Any]) -> list[Any]:
    """Return a list that gets a fact of every sweep over files when it begins."""
    found: list[Any] = []
    run = Sweep.run

    def noted(self: Sweep[Any]) -> None:
        if self.over_files:
            found.append(fact(self))
        run(self)

    monkeypatch.setattr(Sweep, "run", noted)
    return found


def tiles_of(sweeps: Sequence[Sweep[Any]], consumer: type[TileConsumer]) -> list[int]:
    """Return the numbers of tiles of the sweeps for consumers of a class."""
    return [s.tiling.count for s in sweeps if isinstance(s.consumers[0], consumer)]


def units_read(sweeps: Sequence[Sweep[Any]]) -> list[Any]:
    """Return the units that sweeps read, each as often as it is read."""
    return [u for s in sweeps for step in s.steps.units for u in step.read]
