"""The .npy source: what NumPy writes is read exactly, by any strided box; what lies is refused with the reason."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from weft.errors import FileFormatError
from weft.sources.formats.npy import MAGIC, NpyFile
from weft.sources.read.loading import open_source
from weft.sources.source import Addressed, storage_dtype
from weft.sources.write.save import save

DTYPES = ["?", "i1", "<i2", ">i2", "<i4", ">i8", "u1", ">u4", "<f2", ">f4", "<f8", "<c8", ">c16"]


def saved(tmp_path: Path, array: Any) -> NpyFile:
    path = tmp_path / "a.npy"
    np.save(path, array)
    return NpyFile(path)


def values(file: NpyFile) -> Any:
    return open_source(file).numpy()


def crafted(tmp_path: Path, header: str | bytes, data: bytes = b"", version: bytes = b"\x01\x00") -> Path:
    """A file with the header as given."""
    raw = header if isinstance(header, bytes) else header.encode("latin1")
    length = len(raw).to_bytes(2 if version == b"\x01\x00" else 4, "little")
    path = tmp_path / "crafted.npy"
    path.write_bytes(MAGIC + version + length + raw + data)
    return path


def described(descr: str = "'<f8'", order: str = "False", shape: str = "(3,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def refused(path: Path) -> str:
    with pytest.raises(FileFormatError) as caught:
        NpyFile(path)
    message = str(caught.value)
    assert message.startswith(f"npy: {path}: ")
    assert message.count(";") >= 1
    return message


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_whole_files(tmp_path: Path, dtype: str, order: Any) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(dtype, order=order)
    file = saved(tmp_path, array)
    assert isinstance(file, Addressed)
    assert (file.shape, file.order, storage_dtype(file)) == (array.shape, order, array.dtype)
    got = values(file)
    assert got.dtype == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(got, array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions(tmp_path: Path, version: tuple[int, int]) -> None:
    array = np.arange(5.0)
    path = tmp_path / "v.npy"
    with path.open("wb") as f:
        np.lib.format.write_array(f, array, version=version)
    np.testing.assert_array_equal(values(NpyFile(path)), array)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 5)])
def test_small_shapes(tmp_path: Path, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    np.testing.assert_array_equal(values(saved(tmp_path, array)), array)


@pytest.mark.parametrize("order", ["<", ">"])
def test_bfloat16_is_a_two_byte_void(tmp_path: Path, order: Any) -> None:
    array = (
        np.array([1.5, -2, np.inf]).astype(ml_dtypes.bfloat16).astype(np.dtype(ml_dtypes.bfloat16).newbyteorder(order))
    )
    file = saved(tmp_path, array)
    assert (file.dtype.name, file.big) == ("bfloat16", order == ">")
    assert values(file).astype("f4").tolist() == [1.5, -2, np.inf]
    save(tmp_path / "b.npy", array)
    assert (tmp_path / "b.npy").read_bytes() == (tmp_path / "a.npy").read_bytes()


def test_integers_of_old_files(tmp_path: Path) -> None:
    path = crafted(tmp_path, described(shape="(3L, 1L)"), bytes(24))
    assert NpyFile(path).shape == (3, 1)


def test_trailing_bytes_are_tolerated(tmp_path: Path) -> None:
    file = saved(tmp_path, np.arange(3))
    with open(file.name, "ab") as f:
        f.write(b"more")
    assert values(NpyFile(file.name)).tolist() == [0, 1, 2]


def test_only_the_ranges_asked_for_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = saved(tmp_path, np.zeros((64, 65536), "f4"))
    read: list[int] = []
    plain = os.preadv

    def counting(fd: int, buffers: Any, offset: int) -> int:
        read.append(plain(fd, buffers, offset))
        return read[-1]

    monkeypatch.setattr(os, "preadv", counting)
    open_source(file)[:, 100:110].numpy()
    assert read == [40] * 64
    read.clear()
    open_source(file)[:4].numpy()
    assert read == [4 * 65536 * 4]


def test_missing(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.npy")


def test_not_a_file(tmp_path: Path) -> None:
    assert "not a regular file" in refused(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refused(tmp_path / "pipe")


def test_not_npy(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n and more of it")
    assert "it is no .npy file" in refused(path)


def test_unknown_version(tmp_path: Path) -> None:
    assert "version 9.0" in refused(crafted(tmp_path, described(), version=b"\x09\x00"))


def test_every_truncation(tmp_path: Path) -> None:
    whole = io.BytesIO()
    np.save(whole, np.arange(3.0))
    path = tmp_path / "short.npy"
    for length in range(len(whole.getvalue())):
        path.write_bytes(whole.getvalue()[:length])
        refused(path)


def test_every_flipped_byte_of_the_header(tmp_path: Path) -> None:
    whole = io.BytesIO()
    np.save(whole, np.arange(3.0))
    path = tmp_path / "flipped.npy"
    for at in range(128):
        for bits in (0x01, 0x10, 0x80, 0xFF):
            damaged = bytearray(whole.getvalue())
            damaged[at] ^= bits
            path.write_bytes(damaged)
            try:
                file = NpyFile(path)
            except FileFormatError:
                continue
            assert values(file).nbytes <= 24


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (described("'|O'"), "would run code"),
        (described("'<U4'"), "text"),
        (described("'<M8[s]'"), "dates"),
        (described("[('a', '<f4')]"), "records"),
        (described("'f4,f4'"), "weft reads bool"),
        (described("'<f16'"), "weft reads bool"),
        (described("'|V7'"), "weft reads bool"),
        (described("'<f3'"), "weft reads bool"),
        (described("8"), "records"),
        (described(shape="(-1,)"), "negative size"),
        (described(shape="(4,)"), "needs 32 bytes, 24 follow"),
        (described(shape=f"({2**31}, {2**31}, {2**31})"), "more than any memory"),
        (described(shape=f"(0, {2**63})"), "more than any memory"),
        (described(shape="(True,)"), "tuple of integers"),
        (described(shape="[3]"), "tuple of integers"),
        (described(shape="(1,)" + " + (1,)" * 3), "unreadable"),
        (described(shape="(" + "1, " * 65 + ")"), "65 axes"),
        (described(order="1"), "fortran_order is 1"),
        ("{'descr': '<f8'}", "wanted are descr"),
        ("3", "wanted are descr"),
        ("{'descr': __import__('os').system('true')}", "unreadable"),
        ("(" * 2000 + ")" * 2000, "unreadable"),
        ("-" * 9000 + "1", "unreadable"),
        ("\x00" * 20, "unreadable"),
        (" " * 20_000, "at most 10000"),
    ],
)
def test_lying_headers(tmp_path: Path, header: str, reason: str) -> None:
    assert reason in refused(crafted(tmp_path, header, bytes(24)))


def test_header_that_is_not_text(tmp_path: Path) -> None:
    assert "not text" in refused(crafted(tmp_path, b"\xff\xfe{}", version=b"\x03\x00"))


def test_a_file_changed_after_opening_is_refused(tmp_path: Path) -> None:
    file = saved(tmp_path, np.arange(100))
    np.save(file.name, np.arange(50))
    with pytest.raises(FileFormatError, match="has changed since it was opened"):
        values(file)


def test_a_file_cut_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = saved(tmp_path, np.arange(100))
    os.truncate(file.name, 500)
    monkeypatch.setattr("weft.sources.formats.cell_run.identity_of", lambda status: file.header.identity)
    with pytest.raises(FileFormatError, match="wanted 800 bytes at 128, found 372"):
        values(file)
