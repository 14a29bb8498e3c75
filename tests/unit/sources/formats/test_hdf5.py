"""The HDF5 source: layouts, filters and types of datasets; what lies elsewhere or is no number is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pytest

import weft
from weft.errors import FileFormatError
from weft.ir.pieces.box import box_of
from weft.sources.formats.cell_run import CellRun
from weft.sources.formats.hdf5 import open_hdf5
from weft.sources.formats.hdf5_array import Hdf5Array, Hdf5Chunks
from weft.sources.read.byte_ranges import Meter


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.h5"


def made(path: Path, **how: Any) -> Any:
    with h5py.File(path, "w") as file:
        file.create_dataset("a", **how)
    return path


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options).numpy()
    return str(caught.value)


def test_contiguous_datasets_are_runs_whatever_lies_before(path: Path) -> None:
    with h5py.File(path, "w", userblock_size=1024) as file:
        file["deep/er/a"] = np.arange(100.0)
    source = open_hdf5(str(path), "/deep/er/a")
    assert isinstance(source, CellRun)
    assert weft.open(path)[5:8].tolist() == [5, 6, 7]


@pytest.mark.parametrize("userblock", [0, 512])
@pytest.mark.parametrize("how", [{}, {"chunks": (2,)}, {"chunks": (2,), "compression": "gzip"}])
def test_cells_never_written_have_the_fill_value(path: Path, userblock: int, how: dict[str, Any]) -> None:
    with h5py.File(path, "w", userblock_size=userblock) as file:
        a = file.create_dataset("a", shape=(5,), dtype=">i4", fillvalue=7, **how)
        if how:
            a[1] = 3
    assert isinstance(open_hdf5(str(path), "a"), Hdf5Array)
    assert weft.open(path).tolist() == ([7, 3, 7, 7, 7] if how else [7] * 5)


def test_compact_and_scalar(path: Path) -> None:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    with h5py.File(path, "w") as file:
        space = h5py.h5s.create_simple((3,))
        made = h5py.h5d.create(file.id, b"compact", h5py.h5t.STD_I16BE, space, plist)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(3, dtype=">i2"))
        file["scalar"] = 2.5
    assert weft.open(path, name="compact").tolist() == [0, 1, 2]
    assert weft.open(path, name="scalar").item() == 2.5


@pytest.mark.parametrize("how", [{"compression": "lzf"}, {"fletcher32": True}, {"scaleoffset": 0}, {"shuffle": True}])
def test_filters(path: Path, how: dict[str, Any]) -> None:
    array = np.arange(3000).reshape(60, 50)
    made(path, data=array, chunks=(7, 9), **how)
    assert weft.open(path)[::7, ::-3].tolist() == array[::7, ::-3].tolist()
    np.testing.assert_array_equal(weft.open(path).numpy(), array)


@pytest.mark.parametrize("how", [{"shuffle": True}, {"shuffle": True, "fletcher32": True}, {"fillvalue": 5}])
def test_chunks_with_usual_filters_are_decoded_without_the_library(
    path: Path, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.arange(230.0 * 40).reshape(230, 40)
    made(path, shape=array.shape, dtype=">f8", chunks=(50, 16), compression="gzip", **how)
    with h5py.File(path, "r+") as file:
        file["a"][:200] = array[:200]
        array[200:] = file["a"].fillvalue
        array[50:100, :16] = 3
        file["a"].id.write_direct_chunk((50, 0), np.full((50, 16), 3, ">f8").tobytes(), filter_mask=7)
    monkeypatch.setattr(Hdf5Chunks, "_cells", None)
    for key in (np.s_[:], np.s_[20:180, 3:33], np.s_[::-7, ::3], np.s_[60:61, 5]):
        assert np.array_equal(weft.open(path)[key].numpy(), array[key])


@pytest.mark.parametrize(("compression", "calls"), [("gzip", 0), ("lzf", 1)])
def test_a_box_of_chunks_that_only_the_library_decodes_is_read_by_one_call(
    path: Path, compression: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.arange(100_000.0)
    made(path, data=array, chunks=(2000,), compression=compression)
    cells, through = Hdf5Chunks._cells, list[Any]()
    monkeypatch.setattr(Hdf5Chunks, "_cells", lambda *args: through.append(args) or cells(*args))
    source = open_hdf5(str(path), "a")
    assert np.array_equal(weft.open(path).numpy(), array)
    assert len(through) == calls
    assert np.array_equal(source.blocks(box_of((90_000,), (10_000,))), array[10_000:])
    assert len(through) == 2 * calls


@pytest.mark.parametrize(("compression", "cells"), [("gzip", 2000), ("gzip", 20_000), ("lzf", 2000)])
@pytest.mark.parametrize("key", [np.s_[:], np.s_[::3]])
def test_bytes_of_chunks_are_counted_once(path: Path, compression: str, cells: int, key: slice, meter: Meter) -> None:
    made(path, data=np.random.default_rng(0).random(100_000), chunks=(cells,), compression=compression)
    with h5py.File(path) as file:
        stored = file["a"].id.get_storage_size()
    weft.open(path)[key].numpy()
    assert meter.done == stored


@pytest.mark.parametrize("how", [{}, {"compression": "gzip"}])
def test_an_inner_unlimited_axis_in_the_newest_format(path: Path, how: dict[str, Any]) -> None:
    array = np.arange(17.0 * 40).reshape(17, 40)
    with h5py.File(path, "w", libver="latest") as file:
        file.create_dataset("a", data=array, chunks=(9, 21), maxshape=(17, None), **how)
    for key in (np.s_[:], np.s_[:, 30:], np.s_[10:, :3], np.s_[16, 25]):
        assert np.array_equal(weft.open(path)[key].numpy(), array[key])


def test_types_that_are_no_type_in_memory_are_converted(path: Path) -> None:
    kind = h5py.h5t.STD_I32LE.copy()
    kind.set_precision(24)
    with h5py.File(path, "w") as file:
        h5py.h5d.create(file.id, b"a", kind, h5py.h5s.create_simple((4,)))
        file["a"][...] = [1, -2, 3, -4]
    assert isinstance(open_hdf5(str(path), "a"), Hdf5Array)
    assert weft.open(path).tolist() == [1, -2, 3, -4]


@pytest.mark.parametrize("how", [{}, {"chunks": (7, 9)}, {"chunks": (7, 9), "compression": "gzip"}])
def test_bfloat16_in_parts(path: Path, how: dict[str, Any]) -> None:
    array = np.arange(3000).astype(ml_dtypes.bfloat16).reshape(60, 50)
    made(path, data=array, **how)
    for key in (np.s_[:], np.s_[3:40:11], np.s_[5, ::-7]):
        assert (weft.open(path) + 0)[key].tolist() == array[key].tolist()
    made(path, shape=(20, 30), dtype="V2", **how)
    assert (weft.open(path) + 0)[2:9:3, 5].tolist() == [0, 0, 0]


def test_enumerations_are_their_numbers(path: Path) -> None:
    made(path, data=[2, 1, 2], dtype=h5py.enum_dtype({"ONE": 1, "TWO": 2}, basetype="i2"))
    x = weft.open(path)
    assert (x.dtype, x.tolist()) == (weft.int16, [2, 1, 2])


def test_links_inside_the_file(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["a"] = np.arange(3)
        file["soft"] = h5py.SoftLink("/a")
        file["broken"] = h5py.SoftLink("/none")
        file["b"] = np.zeros(1)
    assert weft.open(path, name="soft").tolist() == [0, 1, 2]
    assert "has no array 'broken'; holds 2 arrays: a, b" in refused(path, name="broken")
    assert "has no array '/'" in refused(path, name="/")
    assert "has no array 3" in refused(path, name=3)


def test_cells_in_other_files(tmp_path: Path, path: Path) -> None:
    made(tmp_path / "other.h5", data=np.arange(3))
    with h5py.File(path, "w") as file:
        file["link"] = h5py.ExternalLink("other.h5", "/a")
        file.create_dataset("raw", shape=(3,), dtype="i4", external=[("cells.bin", 0, 12)])
        layout = h5py.VirtualLayout((3,), "i8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "a", (3,))
        file.create_virtual_dataset("virtual", layout)
    assert "is a link to" in refused(path, name="link")
    assert "the cells of dataset 'raw' lie in cells.bin" in refused(path, name="raw")
    assert "dataset 'virtual' is put together from others" in refused(path, name="virtual")


def test_what_is_no_number(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["text"] = "words"
        file["fixed"] = np.array([b"abc"])
        file["record"] = np.zeros(2, "i4,f4")
        file["null"] = h5py.Empty("f4")
        file["opaque"] = np.zeros(2, "V7")
        file["wide"] = np.zeros(2, np.longdouble)
        file["ref"] = file["text"].ref
        file["good"] = np.arange(2)
    assert weft.open(path).tolist() == [0, 1]
    for name in ("text", "fixed", "record", "opaque", "wide", "ref"):
        assert f"dataset '{name}' has type " in refused(path, name=name)
    assert "dataset 'null' has no cells" in refused(path, name="null")


def test_no_hdf5(path: Path) -> None:
    path.write_bytes(b"text" * 1000)
    assert f"hdf5: {path}: h5py cannot read it: " in refused(path)


def test_a_lost_chunk(path: Path) -> None:
    made(path, data=np.random.default_rng(0).random(1000), chunks=(100,), compression="gzip")
    with h5py.File(path) as file:
        info = file["a"].id.get_chunk_info(5)
    raw = bytearray(path.read_bytes())
    raw[info.byte_offset : info.byte_offset + 50] = b"\xff" * 50
    path.write_bytes(raw)
    assert weft.open(path)[:100].shape == (100,)
    assert "h5py cannot read it" in refused(path)


def test_a_chunk_shorter_than_its_cells(path: Path) -> None:
    with h5py.File(path, "w") as file:
        a = file.create_dataset("a", shape=(20,), dtype="i4", chunks=(10,))
        a.id.write_direct_chunk((0,), b"1234")
        a.id.write_direct_chunk((10,), bytes(40))
    assert "the chunk at (0,) has 4 bytes, 40 are wanted" in refused(path)


def test_a_chunk_longer_than_its_cells(path: Path) -> None:
    with h5py.File(path, "w") as file:
        a = file.create_dataset("a", shape=(20,), dtype="i4", chunks=(10,))
        a.id.write_direct_chunk((0,), np.arange(11, dtype="i4").tobytes())
    x = weft.open(path)
    assert x[:11].tolist() == [*range(10), 0] and x[3:5].tolist() == [3, 4]
    assert open_hdf5(str(path), "a").block((0,)).tolist() == [*range(10)]  # type: ignore[union-attr]


def test_chunks_that_no_file_could_fill(path: Path) -> None:
    made(path, shape=(2**33,), dtype="u1", chunks=(2**31,), compression="gzip")
    assert "has chunks of 2147483648 bytes, the file has" in refused(path)


def test_a_shape_beyond_all_memory_reads_its_parts(path: Path) -> None:
    made(path, shape=(2**20, 2**20), dtype="f8", chunks=(100, 100), fillvalue=2.0)
    assert weft.open(path)[2**19 : 2**19 + 2, 5].tolist() == [2, 2]


def test_netcdf4_dimensions_are_no_arrays(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["x"] = np.zeros(3)
        file["x"].attrs["NAME"] = np.bytes_("This is a netCDF dimension but not a netCDF variable         3")
        file["a"] = np.arange(3)
    assert weft.open(path, format="netcdf").tolist() == [0, 1, 2]


DAMAGE = """
import random, sys, weft, warnings
from pathlib import Path
from weft.errors import WeftError
path, whole = Path(sys.argv[1]), Path(sys.argv[1]).read_bytes()
chance, failed = random.Random(0), 0
for _ in range(int(sys.argv[2])):
    raw = bytearray(whole)
    for _ in range(chance.randint(1, 4)):
        raw[chance.randrange(len(raw))] = chance.choice([0, 1, 127, 128, 255, chance.randrange(256)])
    path.write_bytes(raw)
    try:
        weft.open(path, name="a").numpy()
    except WeftError:
        failed += 1
print(failed)
"""


@pytest.mark.parametrize("turns", [45, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("how", [{}, {"chunks": (5,)}, {"chunks": (5,), "compression": "gzip"}])
def test_damaged_bytes_in_a_process_of_their_own(path: Path, how: dict[str, Any], turns: int) -> None:
    made(path, data=np.arange(12), **how)
    command = [sys.executable, "-c", DAMAGE, str(path), str(turns)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > turns // 15


def test_many_runs_are_read_through_in_all_chunks_alike(path: Path) -> None:
    cells = np.arange(1024 * 64, dtype="i4").reshape(1024, 64)
    with h5py.File(path, "w") as file:
        file.create_dataset("a", data=cells, chunks=(128, 16))
    x = weft.open(path)
    column, few = weft.explain(x[:, 5]).sources, weft.explain(x[:200, 5]).sources
    assert [(s.reads, s.bytes) for s in column] == [(8, 8 * (127 * 64 + 4))]  # 1024 runs: a read for every chunk
    assert [(s.reads, s.bytes) for s in few] == [(200, 800)]
    np.testing.assert_array_equal(x[:, 5].numpy(), cells[:, 5])
    np.testing.assert_array_equal(x[3::5, 60:2:-3].numpy(), cells[3::5, 60:2:-3])


@pytest.mark.parametrize("how", [{}, {"compression": "gzip"}])
def test_a_file_replaced_while_the_library_opens_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
) -> None:
    for name, value in (("b.h5", 2), (path.name, 1)):
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("a", data=np.full((40, 40), value), chunks=(8, 8), **how)
    x, opens = weft.open(path), h5py.File

    def late(*arguments: Any, **options: Any) -> Any:
        if (tmp_path / "b.h5").exists():
            (tmp_path / "b.h5").rename(path)
        return opens(*arguments, **options)

    monkeypatch.setattr(h5py, "File", late)
    with pytest.raises(FileFormatError, match="has changed since it was opened; open it again"):
        x.numpy()
