"""The .npz source: members as they lie, streams that are cut, bent or bombs, archives that lie."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.errors import FileFormatError
from weft.sources.formats import npz


def refused(path: Path, **options: object) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options).numpy()
    return str(caught.value)


def archive(tmp_path: Path, data: bytes, method: int = zipfile.ZIP_DEFLATED, name: str = "a.npy") -> Path:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr(name, data)
    return path


def npy(shape: str = "(3,)", descr: str = "'<f8'", data: bytes = bytes(24)) -> bytes:
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


def patched(path: Path, mark: bytes, at: int, field: bytes) -> Path:
    """The archive with bytes of its last record that begins with `mark` replaced."""
    raw = bytearray(path.read_bytes())
    begin = raw.rindex(mark) + at
    raw[begin : begin + len(field)] = field
    path.write_bytes(raw)
    return path


DIRECTORY, LOCAL = b"PK\x01\x02", b"PK\x03\x04"


def test_names_with_and_without_the_ending(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", np.arange(3), b=np.ones(2))
    assert weft.open(tmp_path / "a.npz", name="arr_0").tolist() == [0, 1, 2]
    assert weft.open(tmp_path / "a.npz", name="b.npy").tolist() == [1, 1]


def test_other_members_are_no_arrays(tmp_path: Path) -> None:
    path = archive(tmp_path, npy())
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("readme.txt", "text")
    assert weft.open(path).shape == (3,)


def test_an_array_beside_a_pickle_is_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", good=np.arange(3), bad=np.array([{}], dtype=object))
    assert weft.open(tmp_path / "a.npz", name="good").tolist() == [0, 1, 2]
    assert "would run code from the file" in refused(tmp_path / "a.npz", name="bad")


def test_zip64(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as file, file.open("a.npy", "w", force_zip64=True) as member:
        member.write(npy(data=np.arange(3.0).tobytes()))
    assert weft.open(path).tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compression(tmp_path: Path, method: int) -> None:
    assert f"compressed by method {method}; stored and deflated" in refused(archive(tmp_path, npy(), method))


def test_encrypted(tmp_path: Path) -> None:
    path = patched(archive(tmp_path, npy()), DIRECTORY, 8, b"\x01\x00")
    assert "member 'a' is encrypted" in refused(path)


def test_no_archive(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"PK but no more")
    assert "is no zip archive" in refused(tmp_path / "a.npz")


def test_two_members_of_one_name(tmp_path: Path) -> None:
    path = archive(tmp_path, npy())
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as file:
        file.writestr("a.npy", npy())
    assert "2 members named 'a.npy'" in refused(path)


def test_a_member_without_a_header(tmp_path: Path) -> None:
    path = patched(archive(tmp_path, npy()), LOCAL, 0, b"XXXX")
    assert "member 'a.npy' has no header at 0" in refused(path)


def test_a_member_longer_than_the_archive(tmp_path: Path) -> None:
    path = patched(archive(tmp_path, npy()), DIRECTORY, 20, struct.pack("<I", 10_000))
    assert "member 'a' claims 10000 bytes at 35" in refused(path)


def test_a_stored_member_with_two_sizes(tmp_path: Path) -> None:
    path = patched(archive(tmp_path, npy(), zipfile.ZIP_STORED), DIRECTORY, 24, struct.pack("<I", 10_000))
    assert "but claims 10000" in refused(path)


def test_a_stored_member_whose_shape_needs_more(tmp_path: Path) -> None:
    assert "needs 32 bytes, 24 follow" in refused(archive(tmp_path, npy("(4,)"), zipfile.ZIP_STORED))
    assert "needs 32 bytes, 24 follow" in refused(archive(tmp_path, npy("(4,)")))


def test_a_claim_that_no_stream_can_keep(tmp_path: Path) -> None:
    path = patched(archive(tmp_path, npy()), DIRECTORY, 24, struct.pack("<I", 2**31))
    assert "no stream can give that" in refused(path)


def test_a_bomb_is_stopped_at_what_it_claims(tmp_path: Path) -> None:
    data = npy("(1000,)", data=bytes(8 << 20))
    path = patched(archive(tmp_path, data), DIRECTORY, 24, struct.pack("<I", len(npy("(1000,)", data=bytes(8000)))))
    assert "decompresses to more than the" in refused(path)


def test_less_than_it_claims(tmp_path: Path) -> None:
    data = npy("(2000,)", data=bytes(16000))
    short = npy("(2000,)", data=bytes(8000))
    path = patched(archive(tmp_path, short), DIRECTORY, 24, struct.pack("<I", len(data)))
    assert f"decompresses to {len(short)} bytes, it claims {len(data)}" in refused(path)


def test_a_stream_that_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz, "MAX_HEADER", 100)
    data = np.random.default_rng(0).bytes(50_000)
    path = archive(tmp_path, npy("(50000,)", "'u1'", data))
    packed = path.stat().st_size
    patched(path, DIRECTORY, 20, struct.pack("<I", packed // 2))
    assert "bytes, it claims 50" in refused(path)


def test_a_bent_stream(tmp_path: Path) -> None:
    raw = bytearray(archive(tmp_path, npy()).read_bytes())
    raw[35:45] = b"\xff" * 10
    (tmp_path / "a.npz").write_bytes(raw)
    assert "does not decompress after 0 bytes" in refused(tmp_path / "a.npz")


def test_a_wrong_checksum(tmp_path: Path) -> None:
    path = patched(archive(tmp_path, npy()), DIRECTORY, 16, b"\0\0\0\0")
    assert f"has checksum {zlib.crc32(npy()):08x}, its directory says 00000000" in refused(path)


def test_damage_is_found_when_all_is_read(tmp_path: Path) -> None:
    data = np.arange(400_000.0)
    path = patched(archive(tmp_path, npy("(400000,)", data=data.tobytes())), DIRECTORY, 16, b"\0\0\0\0")
    assert weft.open(path)[5:8].tolist() == [5, 6, 7]
    assert "has checksum" in refused(path)
