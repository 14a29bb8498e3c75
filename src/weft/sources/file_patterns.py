"""The files named by paths, patterns and URLs, and the array named after "::".

The one idea: a path to an existing file is never a pattern; numbers in names are sorted by value.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from typing import Any, BinaryIO

from weft.errors import FileFormatError, MissingFileError
from weft.interop.foreign_types import is_lazy
from weft.sources.paths import HeldPath, Path, path_of
from weft.sources.remote.remote_path import RemotePath, has_pattern, is_url, matching, split_url


def expand_all(paths: Sequence[Path | BinaryIO | Any], storage_options: Any = None) -> list[Any]:
    """Return the files named by paths and patterns, in order; arrays of other libraries are returned unchanged.

    `storage_options` are those of fsspec for URLs. Raises FileFormatError if there are none, or a path can name no
    file.
    """
    found = [each for path in paths for each in ([path] if _is_array(path) else expand(path, storage_options))]
    if not found:
        raise FileFormatError("open: no paths; a tensor needs one file at least; give a path")
    return found


def _is_array(thing: object) -> bool:
    """True if an object is an array of another library, which is read by slicing."""
    return not isinstance(thing, (str, bytes, os.PathLike)) and is_lazy(thing)


def expand(path: Path | BinaryIO, storage_options: Any = None) -> list[str]:
    """Return the files that match a pattern, ordered by the numbers in their names; an existing path is no pattern.

    A "::name" after a pattern is appended to every file. Raises FileFormatError if nothing matches, or the path can
    name no file.
    """
    path = path_of("open", path)
    pattern, name = split_name(path)
    if is_url(pattern):
        found = matching("open", pattern, storage_options) if has_pattern(pattern) else [pattern]
    else:
        found = (
            glob.glob(pattern, recursive=True) if glob.has_magic(pattern) and not os.path.exists(pattern) else [pattern]
        )
    if found == [pattern]:
        return [path]
    matches = sorted(found, key=by_number)
    if not matches:
        raise MissingFileError(f"open: {path}: no file matches the pattern; nothing can be read; check the path", path)
    return matches if name is None else [f"{m}::{name}" for m in matches]


def by_number(path: str) -> list[tuple[bool, int, str]]:
    """Return a sort key of a name that orders numbers by their value.

    >>> sorted(["shard-10", "shard-2"], key=by_number)
    ['shard-2', 'shard-10']
    """
    parts = re.split(r"(\d+)", path)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def split_name(path: str) -> tuple[str, str | None]:
    """Split "file::name" into the file and the name of its array.

    A URL is split at its last "::" unless a URL follows, a path at the first "::" with an existing file before it, else
    at the first. Gives (path, None) for existing, held and remote paths, and without a name.

    >>> split_name("a.npz::weights"), split_name("a.npy")
    (('a.npz', 'weights'), ('a.npy', None))
    """
    if "::" not in path or isinstance(path, (HeldPath, RemotePath)):
        return path, None
    if is_url(path):
        return split_url(path)
    if os.path.exists(path):
        return path, None
    cuts = [m.start() for m in re.finditer("::", path)]
    cut = next((c for c in cuts if os.path.exists(path[:c])), cuts[0])  # files and arrays may have :: in their names
    return path[:cut], path[cut + 2 :]
