"""The `name=FILE` arguments: the files of each name, opened as one tensor.

The one idea: a name given several times, or a pattern, is the concat of its files in the order given; the files of a
pattern are in natural order (shard-2 before shard-10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.cli.expression import check_name
from weft.cli.options import check_taken, for_file
from weft.errors import ExpressionError
from weft.sources.file_patterns import expand
from weft.sources.files import open_file
from weft.tensors.tensor import Tensor


def open_inputs(arguments: Sequence[str], axis: int, options: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return a dict from names to tensors for NAME=FILE arguments; each file gets the options that its format knows.

    The files of a name are joined along `axis`. Raises ExpressionError for malformed arguments and for options that no
    file accepts, and the errors of `weft.open` (FileFormatError if a file cannot be read, ShapeError if files do not
    fit).
    """
    found = paths_by_name(arguments)
    check_taken(options, [path for paths in found.values() for path in paths])
    return {name: open_file(paths, axis=axis, **for_file(paths[0], options)) for name, paths in found.items()}


def paths_by_name(arguments: Sequence[str]) -> dict[str, list[str]]:
    """Return a dict from names to files in order, for NAME=FILE arguments; FILE may be a pattern.

    Raises ExpressionError for malformed arguments, and MissingFileError if a pattern has no match.

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
