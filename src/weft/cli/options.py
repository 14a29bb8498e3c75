"""KEY=VALUE options that belong to a file format: `--open dtype=float32 --open shape=3,4`, `--save chunks=64,64`.

The one idea: values are parsed as Python literals if possible and are plain text otherwise, so a format's options mean
the same here as in `weft.open` and `weft.save`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from weft.errors import ExpressionError
from weft.sources.file_patterns import split_name
from weft.sources.files import FORMATS, format_of


def options_of(flag: str, given: Sequence[str] | None) -> dict[str, Any]:
    """Return the options of KEY=VALUE texts by key, with values parsed as Python literals if possible.

    Raises ExpressionError for other texts and for a key given twice; `flag` is the option's name in messages.

    >>> options_of("--open", ["dtype=>f4", "shape=3,4", "offset=16"])
    {'dtype': '>f4', 'shape': (3, 4), 'offset': 16}
    """
    found: dict[str, Any] = {}
    for text in given or ():
        key, equals, value = text.partition("=")
        if not equals or not key.isidentifier():
            raise ExpressionError(f"{flag}: {text!r} is no option; options are KEY=VALUE; write, say, {flag} name=x")
        if key in found:
            raise ExpressionError(f"{flag}: {key} is given twice; an option has one value; leave one out")
        found[key] = _value(value)
    return found


def _value(text: str) -> Any:
    """Return a text parsed as a Python literal, or the text if it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def for_file(path: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of `options` that the format of this file knows; raises FileFormatError for an unknown format."""
    named = options.get("format")
    row = format_of(split_name(path)[0], named if isinstance(named, str) else None)
    known = {*row.options, "format", *((row.pick,) if row.names else ())}
    return {key: value for key, value in options.items() if key in known}


def check_taken(options: Mapping[str, Any], paths: Iterable[str]) -> None:
    """Raise ExpressionError for options that no format knows, or that the format of none of the files knows.

    Raises FileFormatError if the option "format" names no format.
    """
    known = {"format"} | {key for row in FORMATS.values() for key in (*row.options, row.pick)}
    paths = list(paths)
    for key in options:
        if key not in known:
            raise ExpressionError(f"--open: no format has the option {key}; known are {', '.join(sorted(known))}")
    taken = {key for path in paths for key in for_file(path, options)}
    for key in options:
        if key not in taken:
            shown = ", ".join(paths[:3]) + (", ..." if len(paths) > 3 else "")
            raise ExpressionError(f"--open: {key} is no option of the format of {shown or 'no file'}; leave it out")
