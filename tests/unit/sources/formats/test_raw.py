"""Raw binary files: what the caller says is held against what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, FileFormatError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    np.arange(12, dtype="<i4").tofile(tmp_path / "a.bin")
    return tmp_path / "a.bin"


@pytest.mark.parametrize(
    ("options", "shape", "first"),
    [
        ({"dtype": "i4"}, (12,), 0),
        ({"dtype": weft.int32, "shape": 3}, (3,), 0),
        ({"dtype": "<i4", "shape": (-1, 4)}, (3, 4), 0),
        ({"dtype": "int32", "shape": [3, -1], "offset": 24}, (3, 2), 6),
        ({"dtype": "i4", "shape": (), "offset": 44}, (), 11),
        ({"dtype": ">i4", "shape": (2,), "offset": 4}, (2,), 1 << 24),
        ({"dtype": "u1", "shape": (0, 5), "offset": 48}, (0, 5), None),
    ],
)
def test_what_the_caller_says(path: Path, options: dict[str, Any], shape: tuple[int, ...], first: int | None) -> None:
    x = weft.open(path, **options)
    assert x.shape == shape
    assert first is None or x.numpy().reshape(-1)[0] == first


def test_order(path: Path) -> None:
    wanted = np.arange(12).reshape(3, 4, order="F")
    assert weft.open(path, dtype="i4", shape=(3, 4), order="F").tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "its bytes do not say what they are; give dtype="),
        ({"dtype": "i4", "order": "K"}, "order 'K' is unknown"),
        ({"dtype": "i4", "offset": 49}, "offset 49 is outside its 48 bytes"),
        ({"dtype": "i4", "offset": -1}, "offset -1 is outside"),
        ({"dtype": "i4", "offset": 1.5}, "offset 1.5 is outside"),
        ({"dtype": "i4", "shape": (-1, -1)}, "leaves several sizes open"),
        ({"dtype": "i4", "shape": (-1, 5)}, "48 bytes are no whole number of 20"),
        ({"dtype": "i4", "shape": (-1, 0)}, "48 bytes are no whole number of 0"),
        ({"dtype": "i4", "shape": (-2,)}, "negative size"),
        ({"dtype": "i4", "shape": (2.0,)}, "a shape is a tuple of integers"),
        ({"dtype": "i4", "shape": (13,)}, "needs 52 bytes, 48 follow"),
        ({"dtype": "i8", "shape": (2**40, 2**40)}, "more than any memory holds"),
        ({"dtype": "i4", "shape": (1,) * 65}, "65 axes"),
    ],
)
def test_faults(path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"raw: {path}: ")


@pytest.mark.parametrize("dtype", ["O", "U3", "f16", "nonsense"])
def test_dtypes_that_weft_does_not_hold(path: Path, dtype: str) -> None:
    with pytest.raises(DTypeError):
        weft.open(path, dtype=dtype)
