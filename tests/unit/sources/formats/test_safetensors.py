"""The safetensors source: what its own library writes is read, headers that lie are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

import weft
from weft.errors import FileFormatError


def crafted(tmp_path: Path, header: Any, data: bytes = bytes(24), length: int | None = None) -> Path:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = tmp_path / "a.safetensors"
    path.write_bytes((len(raw) if length is None else length).to_bytes(8, "little") + raw + data)
    return path


def entry(dtype: Any = "F64", shape: Any = (3,), first: Any = 0, end: Any = 24) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [first, end]}


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options)
    assert str(caught.value).startswith(f"safetensors: {path}: ")
    return str(caught.value)


def test_a_checkpoint(tmp_path: Path) -> None:
    arrays = {
        "layer.0.weight": np.arange(6, dtype="f4").reshape(2, 3),
        "layer.0.bias": np.array([1.5, -2]).astype(ml_dtypes.bfloat16),
        "step": np.array(7),
        "empty": np.zeros((0, 3), "u1"),
    }
    safetensors.numpy.save_file(arrays, tmp_path / "m.safetensors", metadata={"format": "np"})
    found = weft.open_all(tmp_path / "m.safetensors")
    assert found.keys() == arrays.keys()
    for name, a in arrays.items():
        assert found[name].dtype.np == a.dtype
        np.testing.assert_array_equal(found[name].numpy(), a)


def test_a_dtype_that_weft_does_not_hold_hides_no_other(tmp_path: Path) -> None:
    path = crafted(tmp_path, {"a": entry("F4", (8,), 0, 8), "b": entry("F64", (2,), 8, 24)})
    assert weft.open(path, name="b").shape == (2,)
    assert "tensor 'a' has dtype 'F4'; weft holds BOOL" in refused(path, name="a")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"[1]", "a header that is b'[1]'; it must be a JSON object"),
        (b"{", "an unreadable header"),
        (b"\xff\xfe", "an unreadable header"),
        (b"[" * 200_000 + b"]" * 200_000, "an unreadable header"),
        (b'{"a": {}, "a": {}}', "the key 'a' occurs twice"),
        ({"a": 3}, "tensor 'a' is described by 3"),
        ({"a": {"dtype": "F64"}}, "wanted are dtype, shape and data_offsets"),
        ({"a": entry(dtype=3)}, "wanted are"),
        ({"a": entry(shape=[-3])}, "wanted are"),
        ({"a": entry(shape=[3.0])}, "wanted are"),
        ({"a": entry(end=24.0)}, "wanted are"),
        ({"a": {**entry(), "data_offsets": [0]}}, "wanted are"),
        ({"a": entry(first=8)}, "the range 8 to 24 of tensor 'a' leaves a hole (0 wanted)"),
        ({"a": entry(), "b": entry(first=16, end=24)}, "tensor 'b' overlaps the one before"),
        ({"a": entry(end=16), "b": entry(first=16, end=8)}, "is negative"),
        ({"a": entry(end=16)}, "its tensors take 16 bytes, 24 follow"),
        ({"a": entry(end=32)}, "its tensors take 32 bytes, 24 follow"),
        ({"a": entry(shape=[4])}, "needs 32 bytes, its range has 24"),
        ({"a": entry(shape=[2**40, 2**40])}, "more than any memory holds"),
        ({"a": entry(shape=[1] * 65)}, "65 axes"),
    ],
)
def test_headers_that_lie(tmp_path: Path, header: Any, message: str) -> None:
    assert message in refused(crafted(tmp_path, header))


@pytest.mark.parametrize("length", [100, 2**40, 2**64 - 1])
def test_lengths_that_lie(tmp_path: Path, length: int) -> None:
    path = crafted(tmp_path, b"{}", b"", length)
    assert f"claims a header of {length} bytes, 2 follow" in refused(path)


def test_too_short(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(b"123")
    assert "has 3 bytes; it is truncated" in refused(tmp_path / "a.safetensors")
