"""The `name=FILE` arguments: which files a name stands for, opened as one tensor.

The one idea: a name given several times, or a pattern, is the concat of its files in the order given; the files of a
pattern come in the order people number them (shard-2 before shard-10).
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence

from weft.cli.expression import check_name
from weft.errors import ExpressionError, FileFormatError
from weft.sources.files import open_file
from weft.tensor import Tensor


def open_inputs(arguments: Sequence[str], axis: int) -> dict[str, Tensor]:
    """A tensor for every name."""
    return {name: open_file(paths, axis=axis) for name, paths in paths_by_name(arguments).items()}


def paths_by_name(arguments: Sequence[str]) -> dict[str, list[str]]:
    """The files of each name, in order.

    >>> paths_by_name(["a=x.npy", "b=y.npy", "a=z.npy"])
    {'a': ['x.npy', 'z.npy'], 'b': ['y.npy']}
    """
    found: dict[str, list[str]] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or not path:
            raise ExpressionError(f"eval: {argument!r} is no input; inputs are name=FILE; write, say, x={argument}")
        check_name(name)
        found.setdefault(name, []).extend(expand(path))
    return found


def expand(path: str) -> list[str]:
    """The files a pattern stands for; a path that exists is itself, whatever characters it has."""
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    matches = sorted(glob.glob(path), key=_by_number)
    if not matches:
        raise FileFormatError(f"open: {path}: no file matches the pattern; nothing can be read; check the path")
    return matches


def _by_number(path: str) -> list[tuple[bool, int, str]]:
    parts = re.split(r"(\d+)", path)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
