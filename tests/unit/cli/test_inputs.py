"""Names and files: repeated names, patterns in the order of their numbers, faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from weft.cli.inputs import expand, paths_by_name
from weft.errors import ExpressionError, FileFormatError


def test_patterns_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for n in (10, 2, 1):
        np.save(tmp_path / f"part-{n}.npy", np.zeros(n))
    names = [Path(p).name for p in expand(str(tmp_path / "part-*.npy"))]
    assert names == ["part-1.npy", "part-2.npy", "part-10.npy"]


def test_a_file_with_magic_characters_in_its_name_is_itself(tmp_path: Path) -> None:
    np.save(tmp_path / "a[1].npy", np.zeros(1))
    assert expand(str(tmp_path / "a[1].npy")) == [str(tmp_path / "a[1].npy")]


def test_names_keep_their_order() -> None:
    assert paths_by_name(["b=2.npy", "a=1.npy", "b=a=b.npy"]) == {"b": ["2.npy", "a=b.npy"], "a": ["1.npy"]}


@pytest.mark.parametrize("argument", ["x", "x=", "--explian", "=a.npy"])
def test_what_is_no_input(argument: str) -> None:
    with pytest.raises(ExpressionError, match=r"name=FILE|cannot be a name"):
        paths_by_name([argument])


def test_a_pattern_without_files(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no file matches"):
        expand(str(tmp_path / "*.npy"))
