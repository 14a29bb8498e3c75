"""Names of files: text, paths, the home folder, and objects that hold a file's bytes."""

from __future__ import annotations

import gc
import gzip
import io
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import FileFormatError, ShapeError, WriteError

ARRAY = np.arange(12.0).reshape(3, 4)


def written(ending: str, **options: object) -> io.BytesIO:
    buffer = io.BytesIO()
    weft.save(buffer, ARRAY, format=ending, **options)
    buffer.seek(0)
    return buffer


def test_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    weft.save("~/a.npy", ARRAY)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), ARRAY)
    assert weft.open("~/a.npy").shape == (3, 4)
    assert weft.open(Path("~/a.npy")).shape == (3, 4)
    assert weft.open(["~/a.npy", "~/*.npy"]).shape == (6, 4)
    assert weft.open_all("~/a.npy")[""].shape == (3, 4)
    weft.store({Path("~/b.npy"): ARRAY, "~/c.npz": ARRAY})
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "b.npy", "c.npz"]


@pytest.mark.parametrize("form", ["npy", "npz", "safetensors", "hdf5", "fits"])
def test_bytes_in_memory(form: str) -> None:
    x = weft.open(written(form), format=form)
    np.testing.assert_array_equal(x[1:, ::2].numpy(), ARRAY[1:, ::2])
    np.testing.assert_array_equal(x.numpy(), ARRAY)


def test_numpy_reads_what_was_written_to_memory() -> None:
    np.testing.assert_array_equal(np.load(written("npy", order="F")), ARRAY)
    with np.load(written("npz")) as found:
        np.testing.assert_array_equal(found["arr_0"], ARRAY)


def test_raw_bytes_and_several_objects() -> None:
    cells = io.BytesIO(b"head" + ARRAY.tobytes())
    assert weft.open(cells, format="raw", dtype="f8", shape=(3, -1), offset=4).tolist() == ARRAY.tolist()
    assert weft.open([written("npy"), written("npy")], format="npy", stack=True).shape == (2, 3, 4)


def test_bytes_from_a_position_on() -> None:
    cells = io.BytesIO(b"garbage" + written("npy").read())
    cells.seek(7)
    assert weft.open(cells, format="npy").tolist() == ARRAY.tolist()


def test_the_memory_lives_as_long_as_the_tensor() -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    tensors = [weft.open(written("npy"), format="npy") for _ in range(20)]
    assert [float(x.sum()) for x in tensors] == [66.0] * 20
    del tensors
    gc.collect()
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before + 2  # descriptors of headers that are remembered


def test_opened_files(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    with open(path, "wb") as file:
        weft.save(file, ARRAY)
    with open(path, "rb") as file:
        x = weft.open(file)
    assert x[2].tolist() == ARRAY[2].tolist(), "a file with a name is read by its name"
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, "inner/a.npy")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive, archive.open("inner/a.npy") as member:
        x = weft.open(member)
    assert x.tolist() == ARRAY.tolist()
    with tempfile.TemporaryFile() as unnamed:
        weft.save(unnamed, ARRAY, format="npy")
        unnamed.seek(0)
        assert weft.open(unnamed, format="npy").tolist() == ARRAY.tolist()


def test_the_format_of_a_path(tmp_path: Path) -> None:
    weft.save(tmp_path / "a.dat", ARRAY, format="npy")
    np.testing.assert_array_equal(np.load(tmp_path / "a.dat"), ARRAY)
    with pytest.raises(FileFormatError, match=r"the format 'xls' is not written; known are npy, .*; give another"):
        weft.save(tmp_path / "a.dat", ARRAY, format="xls")
    with open(tmp_path / "a.xls", "wb") as file:
        message = r"save: <BufferedWriter>: the ending '.xls' names no .* format="
        with pytest.raises(FileFormatError, match=message):
            weft.save(file, ARRAY)
    buffer = io.BytesIO()
    weft.save(buffer, ARRAY)
    assert weft.open(io.BytesIO(buffer.getvalue()), format="npy").tolist() == ARRAY.tolist(), "without a name, .npy"


def test_faults_of_objects(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"open: <BytesIO>: the ending '' names no known format; .* give format="):
        weft.open(written("npy"))
    with pytest.raises(FileFormatError, match=r"no bytes follow its position; .*; seek\(0\) first"):
        weft.open(io.BytesIO(), format="npy")
    with pytest.raises(FileFormatError, match=r"npy: <BytesIO>: begins with b'nothin'"):
        weft.open(io.BytesIO(b"nothing of the kind"), format="npy")
    with pytest.raises(FileFormatError, match="reads text; files are bytes; open it in mode 'rb'"):
        weft.open(io.StringIO("1,2"), format="npy")
    with open(tmp_path / "b.npy", "wb") as file:
        file.write(b"x")
        with pytest.raises(FileFormatError, match=r"cannot be read: .*; open it for reading bytes"):
            weft.open(file)
    with pytest.raises(WriteError, match=r"a StringIO does not take bytes: .*; open it in mode 'wb'"):
        weft.save(io.StringIO(), ARRAY, format="npy")
    with pytest.raises(FileFormatError, match="zarr: <BytesIO>: is a file; a Zarr store is a folder"):
        weft.open(io.BytesIO(b"x"), format="zarr")


def test_nothing_is_written_to_an_object_after_a_failure() -> None:
    buffer = io.BytesIO()
    with pytest.raises(ShapeError, match="save: <BytesIO>: 0 axes"):
        weft.save(buffer, ARRAY[0, 0], format="fits")
    assert buffer.getvalue() == b""


@pytest.mark.parametrize("name", ["a\0b.npy", "a\ud800.npy", ""])
def test_names_that_no_file_has(name: str) -> None:
    with pytest.raises(FileFormatError, match=r"open: the path .*; no file has that name; give another one"):
        weft.open(name)
    with pytest.raises(WriteError, match=r"save: the path .*; no file has that name; give another one"):
        weft.save(name, ARRAY, format="npy")


@pytest.mark.parametrize("thing", [3, None, 2.5, {"a": 1}])
def test_what_is_no_name(thing: object) -> None:
    with pytest.raises(FileFormatError, match=r"a file is named by text or pathlib.Path, or is an object with bytes"):
        weft.open(thing)  # type: ignore[arg-type]


def test_a_compressed_file_is_read_through_its_object(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.npy", "wb") as file:
        file.write(written("npy").read())
    with gzip.open(tmp_path / "a.npy") as file:
        assert weft.open(file).tolist() == ARRAY.tolist()


@pytest.mark.parametrize(
    "name", ["none.npy", "none.h5", "none.zarr", "none-*.npy", "none/a.npy", "none.csv", "none.png"]
)
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match=str(tmp_path)) as caught:
        weft.open(tmp_path / name)
    assert isinstance(caught.value, FileFormatError)
    with pytest.raises(FileNotFoundError):
        weft.open_all(tmp_path / name.replace("*", "1"))


def test_a_file_that_is_missing_when_it_is_read(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", ARRAY)
    x = weft.open(tmp_path / "a.npy")
    os.unlink(tmp_path / "a.npy")
    with pytest.raises(FileNotFoundError, match=r"a\.npy: cannot be opened: no such file"):
        x.numpy()
    with pytest.raises(FileNotFoundError, match=r"a\.npy: cannot be opened: no such file"):
        weft.save(tmp_path / "b.npy", x + 1)
    assert os.listdir(tmp_path) == []


class Slow(io.RawIOBase):
    """A target that takes 100 bytes at a time, and `room` in all."""

    def __init__(self, room: int) -> None:
        self.held, self.room = b"", room

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        taken = bytes(data[: min(100, self.room - len(self.held))])
        self.held += taken
        return len(taken)


def test_targets_that_take_a_part_at_a_time() -> None:
    target, values = Slow(100_000), np.arange(1000.0)
    weft.save(target, values, format="npy")  # type: ignore[call-overload]
    np.testing.assert_array_equal(np.load(io.BytesIO(target.held)), values)
    with pytest.raises(WriteError, match="a Slow does not take bytes: it takes no more; open it"):
        weft.save(Slow(1000), values, format="npy")  # type: ignore[call-overload]


def test_no_room_for_the_bytes_of_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **named: Any) -> Any:
        raise OSError(28, "No space left on device")

    file = io.BytesIO()
    np.save(file, np.arange(3))
    file.seek(0)
    monkeypatch.setattr("os.memfd_create", full)
    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(FileFormatError, match=r"open: <BytesIO>: no file can be made .*: no space left on device"):
        weft.open(file, format="npy")
    with pytest.raises(WriteError, match=r"save: <BytesIO>: the file cannot be made .*: no space left on device; make"):
        weft.save(io.BytesIO(), np.arange(3), format="npy")
