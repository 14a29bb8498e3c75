"""The cache on disk: private folders only, whole and sound entries only, bounded in size."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import dtypes
from weft.backends.llvm.jit import cache
from weft.backends.llvm.jit.cache import DiskCache, ObjectCode, pack, unpack
from weft.backends.llvm.jit.private_folder import Refusal, open_private
from weft.backends.llvm.steps import registers
from weft.errors import CacheWarning, InternalError, WeftWarning

ENTRY = ObjectCode(b"machine code" * 10, ("run", "finish"), ("exp_rest",))
DIGEST = "ab" * 32

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="the cache needs owners and modes of files")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "cache"
    made.mkdir(mode=0o700)
    return made


def test_an_entry_comes_back(folder: Path) -> None:
    cache = DiskCache(str(folder))
    assert cache.load(DIGEST) is None
    cache.store(DIGEST, ENTRY)
    assert DiskCache(str(folder)).load(DIGEST) == ENTRY
    assert [p.name for p in folder.iterdir()] == [DIGEST]
    assert (folder / DIGEST).stat().st_mode & 0o777 == 0o600


def test_the_folder_is_made_private(tmp_path: Path) -> None:
    cache = DiskCache(str(tmp_path / "a" / "b"))
    assert not cache.reason
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


@given(st.integers(0, len(pack(DIGEST, ENTRY)) - 1), st.integers(1, 255))
def test_a_changed_byte_is_a_miss(at: int, flip: int) -> None:
    data = bytearray(pack(DIGEST, ENTRY))
    data[at] ^= flip
    assert unpack(bytes(data), DIGEST) is None


@given(st.integers(0, len(pack(DIGEST, ENTRY)) - 1))
def test_a_truncated_entry_is_a_miss(size: int) -> None:
    assert unpack(pack(DIGEST, ENTRY)[:size], DIGEST) is None


@given(st.binary(max_size=200))
def test_foreign_bytes_are_a_miss(data: bytes) -> None:
    assert unpack(data, DIGEST) is None


def test_an_entry_under_another_name_is_a_miss(folder: Path) -> None:
    cache = DiskCache(str(folder))
    (folder / ("cd" * 32)).write_bytes(pack(DIGEST, ENTRY))
    assert cache.load("cd" * 32) is None


def test_a_link_in_place_of_an_entry_is_a_miss(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(pack(DIGEST, ENTRY))
    (folder / DIGEST).symlink_to(tmp_path / "elsewhere")
    assert DiskCache(str(folder)).load(DIGEST) is None


def test_an_entry_that_others_may_write_is_a_miss(folder: Path) -> None:
    cache = DiskCache(str(folder))
    cache.store(DIGEST, ENTRY)
    (folder / DIGEST).chmod(0o666)
    assert cache.load(DIGEST) is None


def test_a_folder_in_place_of_an_entry_is_a_miss(folder: Path) -> None:
    (folder / DIGEST).mkdir()
    cache = DiskCache(str(folder))
    assert cache.load(DIGEST) is None
    cache.store(DIGEST, ENTRY)  # cannot replace it, and says nothing
    assert cache.load(DIGEST) is None


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o750])
def test_a_folder_open_to_others_is_refused(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"its mode is {mode:04o}, not 0700.*WEFT_CACHE_DIR"):
        cache = DiskCache(str(folder))
    cache.store(DIGEST, ENTRY)
    assert cache.load(DIGEST) is None
    assert not list(folder.iterdir())


def test_a_link_on_the_path_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(tmp_path)
    with pytest.warns(RuntimeWarning, match="way is a symbolic link"):
        assert DiskCache(str(tmp_path / "way" / "cache")).reason


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.warns(CacheWarning, match=r"cache: .*/cache is not used; .*/cache is no folder; compiled kernels"):
        assert DiskCache(str(tmp_path / "cache")).reason
    with pytest.warns(CacheWarning, match=r"is not used; .*/cache/deeper: Not a directory; compiled kernels"):
        assert DiskCache(str(tmp_path / "cache" / "deeper")).reason
    assert issubclass(CacheWarning, WeftWarning)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_below_one_that_others_may_write_is_refused(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    with pytest.warns(CacheWarning, match=f"is not used; others may write {folder}, its mode is {mode:04o}; compiled"):
        assert DiskCache(str(folder / "deeper")).reason
    assert not (folder / "deeper").exists()


def test_a_folder_below_a_sticky_one_is_used(folder: Path) -> None:
    folder.chmod(0o1777)
    assert not DiskCache(str(folder / "deeper")).reason


def test_what_is_made_on_the_way_is_private(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        assert not DiskCache(str(tmp_path / "a" / "b")).reason
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_in_place_of_an_entry_is_a_miss(folder: Path) -> None:
    os.mkfifo(folder / DIGEST, 0o600)
    text = f"from weft.backends.llvm.jit.cache import DiskCache; print(DiskCache({str(folder)!r}).load({DIGEST!r}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "None\n"
    cache = DiskCache(str(folder))
    cache.store(DIGEST, ENTRY)
    assert cache.load(DIGEST) == ENTRY


def test_the_folder_that_was_checked_is_used_whatever_takes_its_name(folder: Path, tmp_path: Path) -> None:
    cache = DiskCache(str(folder), limit=0)
    folder.rename(tmp_path / "moved")
    folder.mkdir(0o777)
    (folder / DIGEST).write_bytes(pack(DIGEST, ENTRY))
    assert cache.load(DIGEST) is None
    cache.limit = 1 << 20
    cache.store("cd" * 32, ENTRY)
    assert os.listdir(tmp_path / "moved") == ["cd" * 32] and os.listdir(folder) == [DIGEST]
    cache.limit = 0
    cache.sweep()
    assert os.listdir(tmp_path / "moved") == [] and os.listdir(folder) == [DIGEST]


def test_a_descriptor_that_was_closed_or_became_another_is_opened_again(folder: Path, tmp_path: Path) -> None:
    """Daemons close all descriptors, whose numbers others get."""
    cache = DiskCache(str(folder))
    cache.store(DIGEST, ENTRY)
    os.close(cache._fd)
    assert cache.load(DIGEST) == ENTRY
    (tmp_path / "other").mkdir(mode=0o700)
    other = os.open(tmp_path / "other", os.O_RDONLY)
    os.dup2(other, cache._fd)
    cache.store("cd" * 32, ENTRY)
    assert cache.load("cd" * 32) == ENTRY and not os.listdir(tmp_path / "other")
    os.close(other)


def test_a_closed_descriptor_whose_folder_may_no_longer_be_used_is_only_a_miss(folder: Path) -> None:
    cache = DiskCache(str(folder))
    cache.store(DIGEST, ENTRY)
    os.close(cache._fd)
    folder.chmod(0o755)
    cache.store("cd" * 32, ENTRY)
    assert cache.load(DIGEST) is None and os.listdir(folder) == [DIGEST]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_forked_child_uses_the_folder_beside_its_parent(folder: Path) -> None:
    cache = DiskCache(str(folder), limit=10 * len(pack(DIGEST, ENTRY)))
    children = []
    for child in range(4):
        if not (pid := os.fork()):
            for k in range(100):
                cache.store(f"{child:02x}{k:062x}", ENTRY)
                cache.sweep()
            os._exit(0 if cache.load(f"{child:02x}{99:062x}") in (ENTRY, None) else 1)
        children.append(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * 4
    cache.sweep()
    assert 0 < len(os.listdir(folder)) <= 10


def test_a_folder_named_from_here_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = DiskCache("here")
    monkeypatch.chdir("/")
    cache.store(DIGEST, ENTRY)
    assert cache.load(DIGEST) == ENTRY
    assert (tmp_path / "here" / DIGEST).is_file()


@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() != 0, reason="needs to change owners")
def test_a_folder_of_another_user_is_refused(folder: Path) -> None:
    os.chown(folder, 12345, 12345)
    with pytest.warns(RuntimeWarning, match="it belongs to user 12345, not to 0"):
        assert DiskCache(str(folder)).reason


def test_the_least_recently_used_go_first(folder: Path) -> None:
    size = len(pack(DIGEST, ENTRY))
    cache = DiskCache(str(folder))
    names = [f"{k:064x}" for k in range(5)]
    for k, name in enumerate(names):
        cache.store(name, ENTRY)
        os.utime(folder / name, (k, k))
    assert cache.load(names[0]) is not None  # used now
    cache.limit = 3 * size
    cache.sweep()
    assert sorted(p.name for p in folder.iterdir()) == [names[0], names[3], names[4]]


def test_the_folder_stays_about_its_limit_whoever_stores(folder: Path) -> None:
    limit = 128 * len(pack(DIGEST, ENTRY))
    for k in range(600):  # each in a process that stores no more
        DiskCache(str(folder), limit=limit).store(f"{k:064x}", ENTRY)
    assert 0 < len(os.listdir(folder)) < 192


def test_storing_little_seldom_looks_at_all_entries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[DiskCache] = []
    monkeypatch.setattr(DiskCache, "sweep", lambda cache: looks.append(cache))  # a builtin is no method of a class
    for k in range(300):
        DiskCache(str(folder)).store(f"{k:064x}", ENTRY)
    assert len(looks) < 3 and len(os.listdir(folder)) == 300


def test_an_entry_removed_by_another_process_during_the_look_is_passed_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = DiskCache(str(folder))
    for name in ("gone", "kept"):
        cache.store(name, ENTRY)
    cache.limit = 0
    scandir = os.scandir

    @contextlib.contextmanager
    def racing(path: str) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(path) as found:
            entries = list(found)
        (folder / "gone").unlink()
        yield entries

    monkeypatch.setattr(os, "scandir", racing)
    cache.sweep()
    assert not os.listdir(folder)


def test_a_folder_that_vanished_is_only_a_miss(folder: Path) -> None:
    cache = DiskCache(str(folder))
    folder.rmdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.store(DIGEST, ENTRY)
        assert cache.load(DIGEST) is None


def test_the_digest_covers_all_that_the_generator_reads() -> None:
    """Else code made of one version of it is run by another."""
    package = Path(cache.__file__).parents[3]
    covered = tuple(name.removesuffix(".py").replace("/", ".") for name in cache.EMITTERS)
    for path in Path(cache.__file__).parents[1].rglob("*.py"):
        for module in re.findall(r"^\s*(?:from|import) weft\.([\w.]+)", path.read_text(), re.MULTILINE):
            assert module.startswith((*covered, "runtime.", "errors")), f"{path}: {module}"
    assert all((package / name).exists() for name in cache.EMITTERS)


@pytest.mark.parametrize("changed", ["dtypes.py", "ir/kernels/sum_order.py", "backends/llvm/nest/evaluator.py"])
def test_another_source_gives_another_digest(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, digest = Path(cache.__file__), partial(cache.source_digest.__wrapped__, cache.EMITTERS)
    package, copy = own.parents[3], tmp_path / "weft"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "__file__", str(copy / own.relative_to(package)))
    assert digest() == cache.source_digest(cache.EMITTERS)
    (copy / changed).write_text((copy / changed).read_text() + "# another\n")
    assert digest() != cache.source_digest(cache.EMITTERS)


def test_without_its_sources_a_process_knows_no_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "weft" / "backends" / "llvm" / "jit" / "cache.py"))
    cache.source_digest.cache_clear()
    first = cache.source_digest(cache.EMITTERS)
    cache.source_digest.cache_clear()
    assert first != cache.source_digest(cache.EMITTERS)
    cache.source_digest.cache_clear()
    monkeypatch.undo()


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if not (d.is_integer or d.storage)])
def test_data_types_of_another_copy_of_the_package_are_refused(dtype: dtypes.DType) -> None:
    """A reloaded module has data types of its own: taken for integers, they would leave wrong code on the disk."""
    stranger = dtypes.DType(dtype.name, dtype.kind, dtype.bits, dtype.digits, dtype.np)
    assert registers.elem(dtype)
    with pytest.raises(InternalError, match=f"registers: weft.{dtype.name} is none of this package's data types"):
        registers.elem(stranger)


def test_a_folder_that_another_process_makes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken if it is private, and refused if others may write to it."""
    make = os.mkdir

    def made_by_another(name: str, mode: int, *, dir_fd: int) -> None:
        make(name, 0o777 if name == "open" else mode, dir_fd=dir_fd)
        if name == "open":
            os.chmod(name, 0o777, dir_fd=dir_fd)
        make(name, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "mkdir", made_by_another)
    os.close(open_private(str(tmp_path / "kernels")))
    with pytest.raises(Refusal, match="mode is 0777"):
        open_private(str(tmp_path / "open"))
