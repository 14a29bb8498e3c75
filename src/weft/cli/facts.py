"""`weft info`: the contents of files, from their headers alone.

The one idea: in every format, an array has a name, dtype, shape, byte order, and a layout in its file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from weft.cli.options import for_file
from weft.ir.graph.node import walk
from weft.sources.file_attributes import attributes
from weft.sources.file_patterns import expand, split_name
from weft.sources.files import open_all, open_file
from weft.tensors.tensor import Tensor, node_of


def describe(patterns: list[str], options: Mapping[str, Any], as_json: bool) -> Iterator[str]:
    """Yield a line of text, or of JSON if `as_json`, for every array of the files that match the patterns.

    Raises FileFormatError if a pattern has no match or a file cannot be read.
    """
    for pattern in patterns:
        for path in expand(pattern):
            for facts in facts_of(path, options):
                yield json.dumps(facts) if as_json else line_of(facts)


def facts_of(path: str, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the facts about each array of a file: name, dtype, shape, byte order, bytes, layout.

    `options` are options of formats, those that this format lacks are ignored. Raises FileFormatError if the file
    cannot be read.
    """
    file, inner = split_name(path)
    own = for_file(path, options)
    arrays = open_all(file, **own) if inner is None else {inner: open_file(path, **own)}
    for name, tensor in arrays.items():
        source = _source(tensor)
        facts = {
            "file": file,
            "name": name,
            "dtype": tensor.dtype.name,
            "shape": list(tensor.shape),
            "byteorder": "big" if getattr(source, "big", False) else "little",
            "bytes": tensor.nbytes,
            "order": getattr(source, "order", None),
            "chunks": _chunks(source),
            "offset": getattr(source, "offset", None),
            "attributes": attributes(file, name or None, format=own.get("format")) or None,
        }
        yield {key: value for key, value in facts.items() if value is not None and (key, value) != ("name", "")}


def _source(tensor: Tensor) -> Any:
    """Return the only file or other source that a tensor reads; None if it reads none or several."""
    found = [n.attrs[0] for n in walk([node_of(tensor)]) if n.op.name == "file"]
    return found[0] if len(found) == 1 else None


def _chunks(source: Any) -> list[int] | None:
    chunks = getattr(source, "chunks", None)
    return None if chunks is None else list(chunks)


def line_of(facts: Mapping[str, Any]) -> str:
    """Return facts about an array, as `facts_of` yields them, as one line of text."""
    name = f"::{facts['name']}" if "name" in facts else ""
    order = f"{facts['order']} order, " if "order" in facts else ""
    chunks = f"chunks {facts['chunks']}, " if "chunks" in facts else ""
    offset = f" from byte {facts['offset']}" if "offset" in facts else ""
    return (
        f"{facts['file']}{name}: {facts['dtype']}{facts['shape']}, {facts['byteorder']}-endian, {order}{chunks}"
        f"{facts['bytes']} bytes{offset}"
    )
