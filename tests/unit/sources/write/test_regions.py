"""Regions of arrays that files have, and cells behind their end: written as NumPy assigns and concatenates."""

from __future__ import annotations

import gc
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weft
from tests.shares import in_turn
from weft.errors import AxisError, DTypeError, FileFormatError, ShapeError, ValueRangeError, WriteError
from weft.sources.formats import hdf5_write
from weft.sources.read.byte_ranges import LocalFile
from weft.sources.write.regions import RegionSink
from weft.sources.write.scratch_file import ScratchFile

WHOLE = np.arange(70.0).reshape(10, 7)
LAYOUTS: dict[str, tuple[str, dict[str, Any]]] = {
    "npy": ("a.npy", {}),
    "big": ("a.npy", {"byteorder": "big"}),
    "plain": ("a.zarr", {"chunks": (3, 2)}),
    "zstd": ("a.zarr", {"chunks": (3, 2), "compressor": "zstd"}),
    "version 2": ("a.zarr", {"chunks": (3, 2), "compressor": "blosc", "version": 2, "order": "F"}),
    "shards": ("a.zarr", {"chunks": (1, 2), "shards": (3, 4), "compressor": "gzip", "order": "F"}),
    "contiguous": ("a.h5", {}),
    "hdf5": ("a.h5", {"chunks": (3, 2), "compression": "gzip", "maxshape": (None, 7)}),
}
LONGER = [name for name in LAYOUTS if name != "contiguous"]


def saved(folder: Path, layout: str) -> Path:
    name, options = LAYOUTS[layout]
    weft.save(folder / name, WHOLE, **options)
    return folder / name


def content(path: Path) -> dict[str, bytes]:
    """Return the bytes of a file, or of all files below a folder."""
    return {str(p): p.read_bytes() for p in [path, *path.rglob("*")] if p.is_file()}


REGIONS: list[Any] = [
    (slice(2, 6), slice(1, 4)),
    slice(3, 9),
    (..., 6),
    3,
    -1,
    (slice(None), slice(-3, None)),
    ...,
    (2, 3),
    slice(4, 4),
]


@pytest.mark.parametrize(("layout", "region"), in_turn(LAYOUTS, REGIONS, every=4), ids=str)
def test_a_region_is_written_as_numpy_assigns(tmp_path: Path, layout: str, region: Any) -> None:
    path, wanted = saved(tmp_path, layout), WHOLE.copy()
    new = -1.0 - np.arange(wanted[region].size).reshape(wanted[region].shape)
    wanted[region] = new
    weft.save(path, new, region=region)
    assert np.array_equal(weft.open(path), wanted)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("layout", LONGER)
def test_appending_twice_concatenates(tmp_path: Path, layout: str) -> None:
    path = saved(tmp_path, layout)
    weft.save(path, WHOLE[:1] + 100, append=0)
    weft.save(path, weft.arange(35).reshape(5, 7), append=-2, dtype="f8")
    assert np.array_equal(weft.open(path), np.concatenate([WHOLE, WHOLE[:1] + 100, np.arange(35.0).reshape(5, 7)]))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_tiles_of_a_region_that_begins_inside_a_chunk(tmp_path: Path) -> None:
    big = np.arange(4000 * 300, dtype="f4").reshape(4000, 300)
    weft.save(tmp_path / "big.npy", big)
    weft.save(tmp_path / "a.zarr", np.zeros((4003, 301), "f4"), chunks=(100, 70), compressor="zstd")
    weft.save(
        tmp_path / "a.zarr", weft.open(tmp_path / "big.npy") * 2, region=(slice(3, None), slice(1, None)), memory="1MiB"
    )
    found = weft.open(tmp_path / "a.zarr").numpy()
    assert np.array_equal(found[3:, 1:], big * 2) and not found[:3].any() and not found[:, 0].any()


def test_arrays_of_other_libraries(tmp_path: Path) -> None:
    zarr, h5py = pytest.importorskip("zarr"), pytest.importorskip("h5py")
    for version in (2, 3):
        made = zarr.create_array(
            tmp_path / f"{version}.zarr", shape=(5,), chunks=(2,), dtype=">i4", fill_value=7, zarr_format=version
        )
        made[1:3] = 5
        weft.save(tmp_path / f"{version}.zarr", [0, 0], region=slice(2, 4), dtype="i4")
        weft.save(tmp_path / f"{version}.zarr", [1, 2], append=0, dtype="i4")
        assert zarr.open(tmp_path / f"{version}.zarr")[:].tolist() == [7, 5, 0, 0, 7, 1, 2]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("g/a", (2, 3), "f4", maxshape=(None, None), chunks=(2, 2), fillvalue=9)
        file.create_dataset("other", data=[1, 2])
    weft.save(tmp_path / "a.h5", np.ones((2, 1), "f4"), append=1, name="g/a")
    assert weft.open(tmp_path / "a.h5::g/a").tolist() == [[9, 9, 9, 1]] * 2
    np.save(tmp_path / "a.npy", np.zeros((2, 3), order="F"))
    weft.save(tmp_path / "a.npy", np.ones((2, 2)), append=1)
    assert np.load(tmp_path / "a.npy").tolist() == [[0, 0, 0, 1, 1]] * 2


def test_several_arrays_and_consolidated_metadata(tmp_path: Path) -> None:
    path = tmp_path / "g.zarr"
    weft.save(path, {"a": np.zeros(3), "b/c": np.ones(3)}, chunks=2, version=2)
    arrays = {f"{n}/.zarray": json.loads((path / n / ".zarray").read_text()) for n in ("a", "b/c")}
    (path / ".zmetadata").write_text(json.dumps({"metadata": arrays, "zarr_consolidated_format": 1}))
    weft.save(path, {"a": np.ones(1), "b/c": np.zeros(1)}, append=0)
    assert weft.open(path, name="a").tolist() == [0, 0, 0, 1]
    assert weft.open(path, name="b/c").tolist() == [1, 1, 1, 0]
    assert [d["shape"] for d in json.loads((path / ".zmetadata").read_text())["metadata"].values()] == [[4], [4]]


@pytest.fixture
def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write to a region fails once its cells are written."""
    write = RegionSink.write

    def fails(self: RegionSink, start: tuple[int, ...], values: NDArray[Any]) -> None:
        write(self, start, values)
        raise WriteError("full")

    monkeypatch.setattr(RegionSink, "write", fails)


@pytest.mark.parametrize("layout", LONGER)
@pytest.mark.usefixtures("_full_disk")
def test_a_failed_append_leaves_the_array(tmp_path: Path, layout: str) -> None:
    path = saved(tmp_path, layout)
    before = content(path)
    with pytest.raises(WriteError, match="full"):
        weft.save(path, WHOLE[:8], append=0)
    assert np.array_equal(weft.open(path), WHOLE)
    assert content(path).keys() == before.keys()
    if layout in ("npy", "hdf5"):  # chunks of Zarr may have cells behind the end
        assert content(path) == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.usefixtures("_full_disk")
def test_a_failed_region_of_hdf5_leaves_its_bytes(tmp_path: Path) -> None:
    path = saved(tmp_path, "hdf5")
    before = content(path)
    with pytest.raises(WriteError, match="full"):
        weft.save(path, np.random.default_rng(0).random((10, 7)), region=...)
    assert content(path) == before


@pytest.mark.parametrize("stored", range(3))
def test_a_shorter_file_gets_its_end_back_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: int
) -> None:
    path, cells = tmp_path / "a.h5", np.random.default_rng(0).standard_normal((4, 4096))
    weft.save(path, cells, chunks=(1, 4096), compression="gzip")
    before, left, write = path.read_bytes(), [None] * stored, ScratchFile.write

    def until_full(self: ScratchFile, *arguments: Any) -> None:
        if not left:
            raise WriteError("full")
        left.pop()
        write(self, *arguments)

    monkeypatch.setattr(ScratchFile, "write", until_full)
    with pytest.raises(WriteError, match="full"):
        weft.save(path, np.zeros((4, 4096)), region=())  # which is compressed to less
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("good", "name", "by_signal"), in_turn(range(0, 20, 2), ["write_at", "some"], [False, True], every=2)
)
def test_an_interrupt_inside_the_library_leaves_the_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruptible: None, name: str, good: int, by_signal: bool
) -> None:
    path = saved(tmp_path, "hdf5")
    owner: Any = hdf5_write if name == "write_at" else LocalFile
    before, left, used = path.read_bytes(), [None] * good, getattr(owner, name)

    def interrupted(*arguments: Any) -> Any:
        if not left:
            monkeypatch.undo()
            if not by_signal:
                raise KeyboardInterrupt
            signal.raise_signal(signal.SIGINT)
        else:
            left.pop()
        return used(*arguments)

    monkeypatch.setattr(owner, name, interrupted)
    try:
        weft.save(path, WHOLE[:8] + 0.1, append=0)
    except KeyboardInterrupt:
        gc.collect()  # which closes what the library has left
        assert path.read_bytes() == before
    else:
        assert getattr(owner, name) is interrupted  # which was called too seldom
        assert np.array_equal(weft.open(path)[10:], WHOLE[:8] + 0.1)


INTERRUPTED_SAVE = """
import sys, weft
from weft.sources.formats import hdf5_write
from weft.sources.read.byte_ranges import LocalFile

path, name, left = sys.argv[1], sys.argv[2], [None] * int(sys.argv[3])
owner = hdf5_write if name == "write_at" else LocalFile
used = getattr(owner, name)

def interrupted(*arguments):
    if not left:
        setattr(owner, name, used)
        raise KeyboardInterrupt
    left.pop()
    return used(*arguments)

setattr(owner, name, interrupted)
try:
    weft.save(path, weft.zeros((8, 7)), append=0)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("name", "good"),
    [("some", 4), ("write_at", 2), *[pytest.param("some", n, marks=pytest.mark.slow) for n in (0, 8)]],
)
def test_the_interpreter_ends_after_an_interrupt_inside_the_library(tmp_path: Path, name: str, good: int) -> None:
    command = [sys.executable, "-c", INTERRUPTED_SAVE, str(saved(tmp_path, "hdf5")), name, str(good)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def test_a_closed_file_takes_the_last_calls_of_the_library(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    path.write_bytes(b"1234")
    file = hdf5_write.RestorableFile(str(path))
    file.close()
    file.seek(0)
    file.write(b"56")
    file.truncate(1)
    file.flush()
    assert path.read_bytes() == b"1234"


def test_a_tensor_opened_before_is_refused(tmp_path: Path) -> None:
    for layout in ("npy", "zstd", "hdf5"):
        path = saved(tmp_path, layout)
        x = weft.open(path)
        weft.save(path, np.zeros(7), region=0)
        with pytest.raises(FileFormatError, match="has changed"):
            x.numpy()


@pytest.mark.parametrize("layout", ["npy", "zstd", "hdf5"])
@pytest.mark.parametrize(
    ("x", "how", "error", "message"),
    [
        (np.ones((3, 7)), {"region": slice(0, 2)}, ShapeError, r"shape \(3, 7\) for a region of shape \(2, 7\)"),
        (np.ones((3, 7)), {"region": "auto"}, ValueRangeError, "takes a slice of step 1"),
        (np.ones((3, 7)), {"region": {"x": slice(3)}}, ValueRangeError, "takes a slice of step 1"),
        (np.ones((3, 7)), {"region": slice(0, 6, 2)}, ValueRangeError, "takes a slice of step 1"),
        (np.ones((3, 7)), {"region": slice(9, 12)}, ValueRangeError, "axis 0 has 10 cells"),
        (np.ones((3, 7)), {"region": (0, 0, 0)}, ValueRangeError, r"has the shape \(10, 7\)"),
        (np.ones((3, 7)), {"region": True}, ValueRangeError, "axis 0 has 10 cells"),
        (np.ones((3, 7)), {"append": True}, AxisError, "append=True"),
        (np.ones((3, 7)), {"append": 2}, AxisError, "append=2"),
        (np.ones((3, 7)), {"append": 1}, ShapeError, "behind axis 1"),
        (np.ones(7), {"append": 0}, ShapeError, "behind axis 0"),
        (np.ones((3, 7)), {"append": 0, "region": 0}, ValueRangeError, "both given"),
        (np.ones((3, 7)), {"append": 0, "chunks": 2}, ValueRangeError, "leave it out"),
        (np.ones((3, 7), "f4"), {"append": 0}, DTypeError, "float32 for an array of float64"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(
    tmp_path: Path, layout: str, x: NDArray[Any], how: dict[str, Any], error: type[Exception], message: str
) -> None:
    path = saved(tmp_path, layout)
    before = content(path)
    with pytest.raises(error, match=message):
        weft.save(path, x, **how)
    assert content(path) == before


def test_values_of_the_same_array_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, "zstd")
    with pytest.raises(ValueRangeError, match="realize"):
        weft.save(path, weft.open(path)[1:], region=slice(0, 9))
    weft.save(path, weft.open(path)[1:].realize(), region=slice(0, 9))
    assert np.array_equal(weft.open(path)[:9], WHOLE[1:])


def test_arrays_that_cannot_grow(tmp_path: Path) -> None:
    with pytest.raises(ValueRangeError, match="only axis 0 can grow"):
        weft.save(saved(tmp_path, "npy"), np.ones((10, 1)), append=1)
    with pytest.raises(ValueRangeError, match=r"may grow to \(10, 7\)"):
        weft.save(saved(tmp_path, "contiguous"), np.ones((1, 7)), append=0)
    with (tmp_path / "a.npy").open("ab") as file:
        file.write(b"more")
    with pytest.raises(ValueRangeError, match="4 bytes follow"):
        weft.save(tmp_path / "a.npy", np.ones((1, 7)), append=0)
    np.save(tmp_path / "b.npy", np.ones((9,) * 5))
    text = (tmp_path / "b.npy").read_bytes()
    at = text.index(b"}") + 1
    (tmp_path / "b.npy").write_bytes(text[:8] + (at - 9).to_bytes(2, "little") + text[10:at] + b"\n" + text[128:])
    with pytest.raises(ValueRangeError, match="no room for the shape"):
        weft.save(tmp_path / "b.npy", np.ones((1, 9, 9, 9, 9)), append=0)
    with pytest.raises(FileFormatError, match=r"write into \.npy"):
        weft.save(tmp_path / "c.npz", np.ones(1), append=0)
    with pytest.raises(FileNotFoundError):
        weft.save(tmp_path / "none.npy", np.ones(1), append=0)


@pytest.mark.parametrize("place", [{}, {"location": "start"}, {"location": "end"}])
def test_checksums_are_written_where_they_are_read(tmp_path: Path, place: dict[str, str]) -> None:
    path = tmp_path / "a.zarr"
    weft.save(path, np.zeros(4), chunks=4, version=2)
    metadata = json.loads((path / ".zarray").read_text())
    (path / ".zarray").write_text(json.dumps(metadata | {"compressor": {"id": "crc32c"} | place}))
    weft.save(path, np.arange(4.0), region=())
    stored = (path / "0").read_bytes()
    assert (stored[4:] if place == {"location": "start"} else stored[:-4]) == np.arange(4.0).tobytes()
    assert weft.open(path).tolist() == [0, 1, 2, 3]


def test_a_codec_that_is_only_read_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, "version 2")
    metadata = json.loads((path / ".zarray").read_text())
    (path / ".zarray").write_text(json.dumps({**metadata, "filters": [{"id": "shuffle", "elementsize": 8}]}))
    with pytest.raises(ValueRangeError, match="encoded by shuffle"):
        weft.save(path, np.zeros(7), region=0)
