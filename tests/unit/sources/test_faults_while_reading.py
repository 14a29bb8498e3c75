"""Systems and libraries that fail in the midst of reading: one clear error or the right values, and nothing kept."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_files import EIO, FILES, Act, copied, disturbed, opened, read, refused, short

import weft
from weft.errors import FileFormatError
from weft.sources.read.mapped_files import Mapped

Check = Callable[[Path, Exception], None]


def each_call(path: Path, options: dict[str, Any], act: Act, check: Check, only: Any = ()) -> int:
    """Read copies of the file, with the fault in another call each time. Return the number of calls of one read."""
    wanted = read(copied(path, path.parent / "0"), options)
    allocator, before = weft.Heap("read"), opened()
    for n in range(1, 500):
        copy = copied(path, path.parent / str(n))
        found: Any = None
        with weft.using_allocator(allocator), disturbed(n, act, only) as made:
            try:
                found = read(copy, options)
            except FileFormatError as e:
                check(copy, e)
        if found is not None:
            np.testing.assert_array_equal(found, wanted, err_msg=f"call {n} of {made}")
        del found
        assert opened(before) == before, f"call {n} of {made}"
        if len(made) < n:
            gc.collect()
            assert allocator.in_use == 0
            return len(made)
    pytest.fail("no end")


def names_the_file(path: Path, error: Exception) -> None:
    assert str(path) in str(error), error
    assert str(error).count(";") >= 1, error


@pytest.mark.parametrize("name", FILES)
def test_each_call_fails(tmp_path: Path, name: str) -> None:
    make, options = FILES[name]
    assert each_call(make(tmp_path), options, refused(EIO), names_the_file) > 5


@pytest.mark.parametrize("name", FILES)
def test_each_read_is_short(tmp_path: Path, name: str) -> None:
    def fail(path: Path, error: Exception) -> None:
        raise error

    make, options = FILES[name]
    each_call(make(tmp_path), options, short, fail, ("pread", "preadv"))


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("zarr")])
def test_a_file_that_changes_behind_each_call(tmp_path: Path, name: str) -> None:
    make, options = FILES[name]
    path = make(tmp_path)
    long_ago = time.time() - 100
    os.utime(path, (long_ago, long_ago))
    wanted = []

    def act(call: Callable[[], Any], called: str, arguments: Any) -> Any:
        found = call()
        newest = max(path.parent.glob(f"*/{path.name}"), key=lambda p: int(p.parent.name))
        newest.write_bytes(newest.read_bytes())  # as another program does that writes in place
        wanted.append(called)
        return found

    def check(path: Path, error: Exception) -> None:
        names_the_file(path, error)
        assert "has changed" in str(error), error
        wanted.append("error")

    each_call(path, options, act, check)
    assert wanted.count("error") > 1


@pytest.mark.parametrize("change", [lambda path: os.truncate(path, 50_000), lambda path: os.utime(path, (1, 1))])
def test_a_mapped_file_that_changes_while_a_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    path, pages = tmp_path / "x.npy", Mapped.map
    np.save(path, np.arange(10_000.0))
    x = weft.open(path, mmap=True)
    assert (x[:3] + 1).tolist() == [1, 2, 3]

    def later(self: Mapped) -> Any:
        found = pages(self)
        change(path)  # behind the pages that are read, which would end the process
        return found

    monkeypatch.setattr(Mapped, "map", later)
    with pytest.raises(FileFormatError, match=r"x\.npy: has changed since it was opened; open it again"):
        (x[:3] + 2).numpy()
    monkeypatch.undo()
    with pytest.raises(FileFormatError, match="has changed since it was opened"):
        (x[:3] + 3).numpy()
