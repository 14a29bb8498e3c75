"""Graphs as messages: the JSON form of a graph, and beside it, as data, the parts that JSON omits.

The one idea: a process that gets the message makes the same nodes as this one.  Files are opened by their paths, and
checked against the size and time of change that they had here; cells of stored tensors go as arrays; functions of
`map_blocks` go as Dask sends functions, and only they are code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from weft.errors import ClusterError
from weft.inspect.text import file_leaf, nodes_of
from weft.ir.graph import graph_json, rebuilding
from weft.ir.graph.description import c_strides, describe
from weft.ir.graph.graph_facts import GraphFacts, facts_of
from weft.ir.graph.node import Node, stored, walk
from weft.ir.pieces.block_operator import start_leaf
from weft.sources.formats.cell_run import Identity
from weft.sources.remote.remote_path import is_url
from weft.tensors.place import cells as cells_of

Message = dict[str, Any]
EMBEDDED = 1 << 12  # most bytes of a stored tensor inside the JSON form
Reader = Callable[[Mapping[str, Any]], Node]  # returns the leaf for a declaration of cells that workers hold


class NotSendable(Exception):
    """Raised for a graph that no message can hold; it is computed in this process."""


def message_of(roots: Sequence[Node], dumps: Callable[[Any], bytes]) -> Message:
    """Return the message of a graph; `dumps` converts functions to bytes.

    Raises NotSendable if a value is on a device, or a part is no data.
    """
    nodes = walk(roots)
    if any(n.traits is not None and n.traits.device is not None for n in nodes):
        raise NotSendable
    facts = facts_of(roots, EMBEDDED)
    try:
        text = graph_json.show(roots, EMBEDDED)
    except Exception as error:  # some attributes are no data
        raise NotSendable from error
    leaves, files, functions, held = {}, {}, {}, {}
    for f, n in zip(facts.nodes, nodes, strict=True):
        if f.op == "file":
            source = n.attrs[0]
            if hasattr(source, "holders"):
                held[f.id] = source.declaration()
            elif not isinstance(getattr(source, "name", None), str) or _identity(source) is None:
                raise NotSendable  # an array of another library, or an opened object
            else:
                files[f.id] = _path(source.name), _identity(source)
        elif f.op == "function":
            functions[f.id] = _function(n.value, dumps)
        elif f.op == "leaf":
            leaves[f.id] = np.ascontiguousarray(cells_of(n))
    return {"graph": text, "leaves": leaves, "files": files, "functions": functions, "held": held}


def _function(start: Any, dumps: Callable[[Any], bytes]) -> tuple[bytes, list[int]]:
    """Return (bytes of a function of `map_blocks`, its first index cell); raises NotSendable if it has no bytes.

    `start` is the value of the function's leaf, `dumps` converts the function.
    """
    try:
        return dumps((start.function, start.vjp)), start.tolist()
    except Exception as error:
        raise NotSendable from error


def _identity(source: Any) -> list[int] | None:
    """Return [size, time of change] of a source's file; None for a source without file."""
    known: Identity | None = getattr(getattr(source, "metadata", source), "identity", None)
    return None if known is None else list(known[2:])


def digest_of(message: Message) -> str:
    """Return a digest of a message in 32 hexadecimal digits: equal for equal graphs and data."""
    found = sha256(message["graph"].encode())
    for cells in message["leaves"].values():
        found.update(cells.tobytes())
    for function, first in message["functions"].values():
        found.update(function + repr(first).encode())
    found.update(
        json.dumps([message["files"], message["held"], message["deterministic"]], default=repr, sort_keys=True).encode()
    )
    return found.hexdigest()[:32]


def nodes_of_message(message: Message, loads: Callable[[bytes], Any], make_leaf: Reader) -> list[Node]:
    """Return the nodes of a message.

    `loads` restores functions; `make_leaf` makes leaves from declarations of cells on workers. Raises ClusterError for
    files that differ from the declared ones, FileFormatError for missing ones, and ExpressionError for a damaged graph.
    """
    graph, faults = graph_json.read(json.loads(message["graph"]))
    return nodes_of(graph, faults, lambda facts: _leaves_of(facts, message, loads, make_leaf))


def _leaves_of(graph: GraphFacts, message: Message, loads: Callable[[bytes], Any], held: Reader) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for f in graph.nodes:
        if f.op not in rebuilding.GIVEN:
            continue
        if f.id in message["held"]:
            found[f.id] = held(message["held"][f.id])
        elif f.op == "file":
            path, identity = message["files"][f.id]
            assert f.attrs is not None
            found[f.id] = file_leaf(f._replace(attrs=(path, *f.attrs[1:])))
            _check_same(path, found[f.id], identity)
        elif f.op == "function":
            data, first = message["functions"][f.id]
            found[f.id] = start_leaf(*loads(data), tuple(first))
        else:
            cells, d = message["leaves"][f.id], f.desc
            assert d is not None
            strides = c_strides(d.shape, d.dtype.itemsize)
            found[f.id] = stored(describe(d.dtype, d.shape, strides, d.big, d.origin, d.read_only), cells)
    return found


def _path(name: str) -> str:
    """Return a source's name in a form that processes in other folders can open."""
    return name if is_url(name) else os.path.abspath(name)


def _check_same(path: str, leaf: Node, identity: Sequence[int]) -> None:
    """Raise ClusterError if the file of `leaf` differs in size or time of change from `identity`, the declared pair."""
    if _identity(leaf.attrs[0]) != list(identity):
        fact = f"cluster: {path} differs between machines, or has changed since it was opened"
        raise ClusterError(f"{fact}; workers open files by their paths; use a folder that all share, and open it again")
