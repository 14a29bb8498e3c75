"""Output of results: text on the terminal, or files written tile by tile.

The one idea: a result is a tensor, a number, or several of them; text and files have them in the same order.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import Any

from weft.errors import DTypeError, ExpressionError
from weft.interop.imports import asarray
from weft.sources.file_patterns import split_name
from weft.sources.paths import path_of
from weft.sources.write import save
from weft.tensors.tensor import Tensor


def text_of(value: Any) -> str:
    """Return the text of a result: a number for a 0-d tensor, else values with dtype and shape.

    One line for each of several.
    """
    if isinstance(value, (tuple, list)):
        return "\n".join(map(text_of, value))
    if isinstance(value, Tensor) and value.ndim == 0:
        return str(value.item())
    return str(value)


def json_of(value: Any) -> str:
    """Return a line of JSON for each result; nan and infinities are texts, complex numbers are pairs.

    Raises DTypeError for a Python integer beyond 64 bits.

    >>> json_of(asarray([1.5, math.inf]))
    '{"dtype": "float64", "shape": [2], "values": [1.5, "inf"]}'
    """
    if isinstance(value, (tuple, list)):
        return "\n".join(map(json_of, value))
    if isinstance(value, (Tensor, bool, int, float, complex)):
        x = as_tensor(value)
        facts = {"dtype": x.dtype.name, "shape": list(x.shape), "values": _plain(x.tolist())}
    else:
        facts = {"value": str(value)}
    return json.dumps(facts, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return nested values converted to types that JSON has."""
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, complex):
        return [_plain(value.real), _plain(value.imag)]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def check_targets(command: str, targets: Sequence[str], read: Sequence[str]) -> None:
    """Raise ExpressionError if one of the files `targets`, to be written, is also among the files `read`.

    Raises WriteError if a target is a URL. `command` is the name for messages.
    """
    inputs = {os.path.realpath(split_name(path_of("open", path))[0]) for path in read}
    for target in targets:
        if os.path.realpath(path_of("save", target)) in inputs:
            fact = f"{command}: {target} is an input, and the output would replace it"
            raise ExpressionError(f"{fact}; inputs are kept; give another name, or --force")


def write(paths: Sequence[str], value: Any) -> None:
    """Write a result to one file, or several results to a file each.

    Raises ExpressionError if there are not as many results as paths, DTypeError for a result that is no tensor or
    number, and the errors of `weft.save` (WriteError if a file cannot be written).
    """
    values = value if isinstance(value, (tuple, list)) and len(paths) > 1 else [value]
    if len(values) != len(paths):
        raise ExpressionError(f"eval: {len(values)} results for {len(paths)} files; give -o once for each result")
    save.write([(path, as_tensor(part)) for path, part in zip(paths, values, strict=True)])


def as_tensor(value: Any) -> Tensor:
    """Return a result, a tensor or a number, as a tensor.

    Raises DTypeError for other results, and for a Python integer beyond 64 bits.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float, complex)):
        return asarray(value)
    raise DTypeError(
        f"eval: the result is a {type(value).__name__}; one tensor fits a file; use stack([...]) or concat, or give -o "
        "once for each result"
    )
