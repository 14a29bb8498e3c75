"""Systems and libraries that fail while writing: the old file or the whole new one, nothing beside it."""

from __future__ import annotations

import gc
import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_files import EIO, ENOSPC, VALUES, Act, copied, disturbed, opened, refused, short

import weft
from tests.shares import in_turn
from weft.errors import DurabilityWarning, WriteError
from weft.sources.write.sink import Field
from weft.sources.write.sinks import opened_sinks

FILES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "npy": ("x.npy", VALUES, {}),
    "npz": ("x.npz", {"a": VALUES, "b": VALUES + 1}, {}),
    "raw": ("x.raw", VALUES, {}),
    "safetensors": ("x.safetensors", {"a": VALUES, "b": VALUES + 1}, {}),
    "hdf5": ("x.h5", {"a": VALUES, "b": VALUES + 1}, {}),
    "hdf5 gzip": ("x.h5", VALUES, {"chunks": (2, 5), "compression": "gzip"}),
    "netcdf": ("x.nc", {"a": VALUES, "b": VALUES + 1}, {}),
    "fits": ("x.fits", {"a": VALUES, "b": VALUES + 1}, {}),
    "zarr": ("x.zarr", VALUES, {"chunks": (3, 10)}),
    "zarr gzip": ("x.zarr", {"a": VALUES, "b/c": VALUES + 1}, {"chunks": (3, 10), "compressor": "gzip"}),
    "zarr zstd": ("x.zarr", VALUES, {"chunks": (3, 10), "compressor": "zstd"}),
    "zarr shards": ("x.zarr", VALUES, {"chunks": (3, 5), "shards": (6, 10)}),
    "png": ("x.png", VALUES.astype("u1"), {}),
    "parquet": ("x.parquet", {"a": VALUES[0]}, {}),
    "arrow": ("x.arrow", {"a": VALUES[0]}, {}),
    "csv": ("x.csv", {"a": VALUES[0]}, {}),
}


def bytes_of(path: Path) -> Any:
    """Return the bytes of a file, or those of all files of a folder by their names."""
    if path.is_file():
        return path.read_bytes()
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


def each_call(folder: Path, name: str, act: Act, only: Any = ()) -> int:
    """Save over an old file, with the fault in another call each time. Return the number of calls of one save."""
    file, values, options = FILES[name]
    if name in ("parquet", "arrow", "csv"):
        pytest.importorskip("pyarrow")
    older = {key: v * 0 for key, v in values.items()} if isinstance(values, dict) else values * 0
    weft.save(folder / file, values, **options)
    (folder / "old").mkdir()
    weft.save(folder / "old" / file, older, **options)
    new, old, before = bytes_of(folder / file), bytes_of(folder / "old" / file), opened()
    for n in range(1, 1000):
        path = copied(folder / "old" / file, folder / str(n))
        error: Any = None
        with disturbed(n, act, only) as made, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                weft.save(path, values, **options)
            except WriteError as e:
                error = str(e)
        where = f"call {n} of {made}: {error}"
        assert os.listdir(path.parent) == [file], where
        if error is not None and name.startswith("hdf5"):  # what the library did not close goes with its objects
            gc.collect()
        assert opened(before) == before, where
        assert [w.category for w in said] in ([], [DurabilityWarning]), where
        if error is None:
            assert bytes_of(path) == new or name.startswith("hdf5"), where  # which keeps times
            np.testing.assert_array_equal(_first(path), _first(folder / file), err_msg=where)
        else:
            assert bytes_of(path) == old, where
            assert str(path) in error and ".partial" not in error, where
            assert error.count(";") >= 2, where
        shutil.rmtree(path.parent)
        if len(made) < n:
            assert error is None
            return len(made)
    pytest.fail("no end")


def _first(path: Path) -> Any:
    return (
        next(iter(weft.open_all(path).values())).numpy() if path.suffix not in (".png", ".raw") else path.read_bytes()
    )


@pytest.mark.parametrize(("name", "number"), in_turn(FILES, [EIO, ENOSPC], every=2))
def test_each_call_fails(tmp_path: Path, name: str, number: int) -> None:
    assert each_call(tmp_path, name, refused(number)) > 10


@pytest.mark.parametrize("name", FILES)
def test_each_write_is_short(tmp_path: Path, name: str) -> None:
    def act(call: Any, called: str, arguments: Any) -> Any:
        made.append(called)
        return short(call, called, arguments)

    made: list[str] = []
    count = each_call(tmp_path, name, act, ("pwrite", "pread", "preadv"))
    assert len(made) == count


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".csv", ".png"])
def test_what_is_broken_off_is_not_encoded(tmp_path: Path, ending: str) -> None:
    if ending in (".parquet", ".csv"):
        pytest.importorskip("pyarrow")
    done: list[object] = []
    field = Field(weft.uint8, False, (4, 4) if ending == ".png" else (4,))
    with (
        pytest.raises(KeyboardInterrupt),
        opened_sinks(str(tmp_path / f"x{ending}"), {"": field}, {}) as sinks,
    ):
        sinks[""].finish = done.append  # type: ignore[attr-defined]
        raise KeyboardInterrupt
    assert not done and not os.listdir(tmp_path)


def test_tables_are_written_some_rows_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("weft.sources.formats.table_write.GROUP", 20)
    monkeypatch.setattr("weft.sources.formats.table_write.TEXT", 20)
    cells = np.arange(50.0)
    for name in ("x.parquet", "x.arrow", "x.csv"):
        weft.save(tmp_path / name, {"a": cells, "b": cells * 2})
        assert np.array_equal(weft.open(tmp_path / name, name="b").numpy(), cells * 2)
    assert parquet.read_metadata(tmp_path / "x.parquet").num_row_groups == 5
    weft.save(tmp_path / "none.parquet", {"a": cells[:0]})
    assert weft.open(tmp_path / "none.parquet").shape == (0,)
