"""Files are written as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weft.errors import DTypeError, DurabilityWarning, WriteError
from weft.sources.write import atomic_write, unfinished
from weft.sources.write.atomic_write import atomic_file, atomic_path
from weft.sources.write.save import save


@pytest.mark.parametrize("dtype", ["?", "<i4", ">i4", ">f8", "<c16", "f2"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (0, 3), (4,), (2, 3, 4)])
def test_same_bytes_as_numpy(tmp_path: Path, dtype: str, order: Any, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype, order=order)
    save(tmp_path / "weft.npy", array, dtype=dtype, order="C" if array.flags.c_contiguous else "F")
    np.save(tmp_path / "numpy.npy", array)
    assert (tmp_path / "weft.npy").read_bytes() == (tmp_path / "numpy.npy").read_bytes()


def test_strided_arrays_go_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.sources.write.sink.BLOCK", 100)
    array = np.arange(600).reshape(20, 30)[::-2, ::3]
    save(tmp_path / "a.npy", array)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), array)


def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "a.npy"
    path.write_bytes(b"old")
    return path


def unchanged(path: Path) -> bool:
    return path.read_bytes() == b"old" and os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_failure_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    path = old_file(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(WriteError, match="no space left on device; nothing was changed"):
        save(path, np.zeros(10))
    assert unchanged(path)


def test_the_disk_begins_before_the_file_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    def begin(fd: int, first: int, nbytes: int) -> None:
        begun.append((first, nbytes))
        atomic_write.begin_sync(fd, first, nbytes)

    monkeypatch.setattr("weft.sources.write.sink.begin_sync", begin)
    save(tmp_path / "small.npy", np.zeros(1000))
    assert not begun
    save(tmp_path / "large.npy", np.arange(100_000.0))
    assert begun == [(128, 800_000)]
    np.testing.assert_array_equal(np.load(tmp_path / "large.npy"), np.arange(100_000.0))


def test_systems_that_begin_no_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_write, "_sync_file_range", lambda: None)
    save(tmp_path / "a.npy", np.arange(100_000.0))
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.arange(100_000.0))


def test_interrupt_changes_nothing(tmp_path: Path) -> None:
    path = old_file(tmp_path)
    with pytest.raises(KeyboardInterrupt), atomic_file(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert unchanged(path)


def test_links_are_followed(tmp_path: Path) -> None:
    path, link = old_file(tmp_path), tmp_path / "link.npy"
    link.symlink_to(path)
    save(link, np.zeros(2))
    assert link.is_symlink()
    assert np.load(path).tolist() == [0, 0]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(WriteError, match="not a regular file"):
        save(tmp_path / "folder.npy", np.zeros(2))
    with pytest.raises(WriteError, match="no such file or directory"):
        save(tmp_path / "none" / "a.npy", np.zeros(2))
    with pytest.raises(DTypeError):
        save(tmp_path / "a.npy", np.array(["text"]))
    assert os.listdir(tmp_path) == ["folder.npy"]


@pytest.mark.parametrize("mode", [0o640, 0o400, 0o777])
def test_what_is_replaced_gives_its_mode(tmp_path: Path, mode: int) -> None:
    path, folder = old_file(tmp_path), store(tmp_path / "x", "mark")
    path.chmod(mode)
    folder.chmod(mode | 0o100)
    save(path, np.zeros(2))
    with atomic_path(folder, ("mark",)) as temporary:
        os.mkdir(temporary)
    assert (path.stat().st_mode & 0o7777, folder.stat().st_mode & 0o7777) == (mode, mode | 0o100)


def test_what_is_replaced_gives_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, calls = old_file(tmp_path), list[tuple[int, int]]()
    own, group = path.stat().st_uid, path.stat().st_gid

    def chown(_: object, owner: int, group: int) -> None:
        calls.append((owner, group))
        if owner != -1:
            raise PermissionError(1, "Operation not permitted")

    status = os.stat

    def of_another(path: Any, **options: Any) -> Any:
        found = status(path, **options)
        other = os.stat_result((0o104755, *found[1:4], own + 1, group + 1, *found[6:]))
        return found if ".partial" in str(path) else other

    (tmp_path / "new.partial").touch()
    with monkeypatch.context() as patch:
        patch.setattr(os, "chown", chown)
        patch.setattr(os, "stat", of_another)
        atomic_write._keep_owner(str(tmp_path / "new.partial"), str(path))
    assert calls == [(own + 1, group + 1), (-1, group + 1)]
    assert (tmp_path / "new.partial").stat().st_mode & 0o7777 == 0o755  # no program of another user's


def test_a_folder_that_cannot_be_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = atomic_write._sync_one

    def refused(path: str) -> None:
        if path == str(tmp_path):
            raise OSError(22, "Invalid argument")
        sync(path)

    monkeypatch.setattr(atomic_write, "_sync_one", refused)
    with pytest.warns(DurabilityWarning, match=r"a\.npy: written, but not known to be durable: .*: invalid arg"):
        save(tmp_path / "a.npy", np.arange(3))
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2]


# ---- folders


def store(path: Path, *names: str) -> Path:
    path.mkdir()
    for name in names:
        (path / name).write_text("old")
    return path


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_takes_the_place_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool) -> None:
    if not exchange:
        monkeypatch.setattr(atomic_write, "_exchanged", lambda a, b: False)
    path = store(tmp_path / "x", "mark", "old chunk")
    with atomic_path(path, ("mark",)) as temporary:
        os.makedirs(os.path.join(temporary, "inner"))
        Path(temporary, "inner", "chunk").write_text("new")
    assert os.listdir(tmp_path) == ["x"]
    assert os.listdir(path) == ["inner"]
    assert (path / "inner" / "chunk").read_text() == "new"


def test_names_are_exchanged_where_the_system_can(tmp_path: Path) -> None:
    a, b = store(tmp_path / "a", "1"), store(tmp_path / "b", "2")
    if atomic_write._exchanged(str(a), str(b)):
        assert (os.listdir(a), os.listdir(b)) == (["2"], ["1"])
    assert not atomic_write._exchanged(str(a), str(tmp_path / "none"))


def test_a_store_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, rename = store(tmp_path / "x", "mark"), os.rename
    monkeypatch.setattr(atomic_write, "_exchanged", lambda a, b: False)

    def refused(a: str, b: str) -> None:
        if ".partial" in a:
            raise OSError(5, "Input/output error")
        rename(a, b)

    monkeypatch.setattr(os, "rename", refused)
    with (
        pytest.raises(WriteError, match="input/output error; nothing was changed"),
        atomic_path(path, ("mark",)) as new,
    ):
        os.mkdir(new)
    assert os.listdir(tmp_path) == ["x"]
    assert os.listdir(path) == ["mark"]


def test_what_is_no_store_is_not_replaced(tmp_path: Path) -> None:
    path = store(tmp_path / "x", "letters from home")
    with (
        pytest.raises(WriteError, match="the folder has none of mark; it is no store that may be replaced"),
        atomic_path(path, ("mark",)),
    ):
        pytest.fail("opened")
    file = old_file(tmp_path)
    with pytest.raises(WriteError, match="it is a file; a folder is to be written there"), atomic_path(file, ("mark",)):
        pytest.fail("opened")
    assert file.read_bytes() == b"old"
    empty = store(tmp_path / "empty")
    with atomic_path(empty, ("mark",)) as temporary:
        os.mkdir(temporary)
    assert os.listdir(empty) == []


def test_a_half_written_folder_goes(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), atomic_path(tmp_path / "x", ("mark",)) as temporary:
        os.mkdir(temporary)
        Path(temporary, "half").write_text("half")
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_an_interrupt_while_the_old_store_goes_stays_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rmtree(path: str, ignore_errors: bool) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            os.close(-1)  # as `shutil.rmtree` closes twice what it had just closed

    (tmp_path / "x.zarr").mkdir()
    monkeypatch.setattr(unfinished.shutil, "rmtree", rmtree)
    with pytest.raises(KeyboardInterrupt), atomic_path(tmp_path / "x.zarr", ("zarr.json",)) as folder:
        os.mkdir(folder)


def many_files(folder: str) -> None:
    for k in range(atomic_write.MANY + 1):
        Path(folder, str(k)).write_text("cells")


@pytest.mark.parametrize("system", [True, False])
def test_many_files_are_synced_together_where_the_system_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: bool
) -> None:
    together, alone = list[int](), list[int]()
    monkeypatch.setattr(atomic_write, "_sync_file_system", lambda: together.append if system else None)
    monkeypatch.setattr(os, "fsync", alone.append)
    with atomic_write.atomic_path(tmp_path / "a.store", ("0",)) as folder:
        os.mkdir(folder)
        many_files(folder)
    assert (len(together), len(alone)) == ((1, 1) if system else (0, atomic_write.MANY + 3))
    assert len(os.listdir(tmp_path / "a.store")) == atomic_write.MANY + 1


def test_a_file_system_that_cannot_be_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = atomic_write._sync_file_system()
    if call is None:
        pytest.skip("this system syncs file by file")
    monkeypatch.setattr(atomic_write, "_sync_file_system", lambda: lambda fd: call(-1))
    with pytest.raises(WriteError, match="bad file descriptor; nothing was changed; check the folder"):  # noqa: SIM117
        with atomic_write.atomic_path(tmp_path / "a.store", ("0",)) as folder:
            os.mkdir(folder)
            many_files(folder)
    assert os.listdir(tmp_path) == []
