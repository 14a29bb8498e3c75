"""Index objects and domains as text and JSON, and back.

The one idea: the text is the Python expression that makes the object, parsed as data and never run; JSON has the same
parts.  Parsed parts are passed to `weft.index`, `bind` and `Domain`, which raise errors if they do not fit.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from weft.errors import ExpressionError, Fault, WeftError
from weft.ir.graph.domain import Domain
from weft.ir.graph.graph_facts import refused
from weft.ir.graph.graph_json import faults, lists, objects
from weft.tensors.index_object import Index, index
from weft.tensors.keys import expanded_shape

VERSION = 1
Selection = Index | Domain
_HINT = "they read as weft.show writes them, weft.index[1:3, [0, 2]].bind((4, 5)) or weft.Domain[2:4, 3:5]"


def show(x: Selection, level: str) -> str:
    """Return an index object or a domain as text; for level "json" as JSON.

    Raises ExpressionError for a bound index object whose cells no key selects.
    """
    if level == "json":
        return json.dumps(_domain_json(x) if isinstance(x, Domain) else _index_json(x))
    return _domain_text(x) if isinstance(x, Domain) else _index_text(x)


# ---- their parts


def _parts(i: Index) -> list[Any]:
    """Return the parts of the key that makes an index object; of a bound one, those of the bound key.

    Raises ExpressionError if the object is bound and no key selects the same cells.
    """
    if i._key is None or i._shape is None:
        return list(i._parts)
    key, out = i._key, list[Any]()
    for axis, (e, n) in enumerate(zip(key.entries, expanded_shape(key, i._shape), strict=True)):
        out += _between(i, axis)
        if axis in key.flags:
            if not isinstance(e, np.ndarray) or e.ndim != 1 or e.size > 1:
                raise ExpressionError(
                    f"show: {i!r} selects one cell several times of tensors without axes; no key says that; show what "
                    "it was made of"
                )
            out.append(bool(e.size))
        else:
            out.append(_slice(e, n) if isinstance(e, tuple) else e)
    return out + _between(i, len(key.entries))


def _between(i: Index, axis: int) -> list[Any]:
    """Return the parts of a bound key before its entry `axis`: None for new axes, perhaps an ellipsis."""
    assert i._key is not None
    return [None] * i._key.new_axes.count(axis) + [Ellipsis] * (i._key.gap == axis)


def _slice(entry: tuple[int, int, int], n: int) -> slice:
    """Return the entry (start, step, size) along an axis of n positions as a slice.

    >>> _slice((3, -1, 4), 4), _slice((1, 2, 2), 9), _slice((0, 1, 5), 5)
    (slice(3, None, -1), slice(1, 5, 2), slice(None, None, None))
    """
    start, step, size = entry
    if entry == (0, 1, n):
        return slice(None)
    stop = start + step * size
    return slice(start, stop if stop >= 0 else None, None if step == 1 else step) if size else slice(0, 0, step)


# ---- text


def _domain_text(domain: Domain) -> str:
    sides = ", ".join([f"{a}:{b}" for a, b in zip(domain.start, domain.stop, strict=True)])
    return f"weft.Domain[{sides or '()'}]"


def _index_text(i: Index) -> str:
    text = f"weft.index{'.outer' if i._outer else ''}[{', '.join(map(_part_text, _parts(i))) or '()'}]"
    if i._shape is None:
        return text
    return f"{text}.bind({i._shape}" + ("" if i._strides is None else f", {i._strides}") + ")"


def _part_text(p: Any) -> str:
    if isinstance(p, slice):
        ends = ["" if v is None else str(v) for v in (p.start, p.stop)]
        return ":".join(ends if p.step is None else [*ends, str(p.step)])
    if isinstance(p, Index):
        return _index_text(p)
    if isinstance(p, np.ndarray):
        return str(p.tolist()) if p.size else f"zeros({p.shape}, {p.dtype})"
    return "..." if p is Ellipsis else repr(p)


def is_text(source: str) -> bool:
    """True if a text begins like the text of an index object or a domain."""
    return source.lstrip().startswith(("weft.index", "weft.Domain"))


def read(source: str) -> Selection:
    """Return the index object or the domain that a text describes; raises ExpressionError if it describes neither."""
    try:
        return _selection(ast.parse(source.strip(), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, IndexError, OverflowError, RecursionError, MemoryError) as error:
        why = f": {error}" if isinstance(error, WeftError) else ""
        raise ExpressionError(f"parse: {source!r:.80} is no index object and no domain{why}; {_HINT}") from error


def _selection(node: ast.AST) -> Selection:
    """Return the object that a parsed expression makes; raises TypeError if it is no index object and no domain.

    Raises ExpressionError, ShapeError, IndexOutOfBounds or DTypeError if the key or the bound shape is wrong.
    """
    match node:
        case ast.Call(func=ast.Attribute(value=made, attr="bind"), args=[*args], keywords=[]):
            i = _selection(made)
            if isinstance(i, Index):
                return i.bind(*[_literal(a) for a in args])
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="weft"), attr="Domain"), slice=key):
            return Domain[_key(key)]  # type: ignore[misc]
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="weft"), attr="index"), slice=key):
            return index[_key(key)]
        case ast.Subscript(
            value=ast.Attribute(value=ast.Attribute(value=ast.Name(id="weft"), attr="index"), attr="outer"), slice=key
        ):
            return index.outer[_key(key)]
    raise TypeError("it is written otherwise")


def _key(node: ast.AST) -> Any:
    return tuple(map(_part, node.elts)) if isinstance(node, ast.Tuple) else (_part(node),)


def _part(node: ast.AST) -> Any:
    match node:
        case ast.Slice(lower=a, upper=b, step=c):
            return slice(*[None if v is None else _literal(v) for v in (a, b, c)])
        case ast.Call(func=ast.Name(id="zeros"), args=[shape, ast.Name(id="bool" | "int64" as dtype)]):
            return _table([], _literal(shape), dtype)
        case ast.Subscript() | ast.Call():
            return _selection(node)
    return _literal(node)


def _literal(node: ast.AST) -> Any:
    return ast.literal_eval(node)


def _table(cells: Any, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Return a table of positions (`dtype` "int64"), or a mask ("bool"), of the given shape.

    Raises ExpressionError if the number of cells is wrong.
    """
    if len(cells) != prod(shape) or min(shape, default=0) < 0:
        raise ExpressionError(f"parse: {len(cells)} positions for a table of shape {tuple(shape)}; give one for each")
    return np.array(cells, dtype).reshape(shape)


# ---- JSON

_INTEGER, _OPEN = {"type": "integer"}, {"type": ["integer", "null"]}
_SIZES, _FLAG = lists(_INTEGER | {"minimum": 0}), {"type": "boolean"}
_SHAPE = {"anyOf": [_SIZES, {"type": "null"}]}
_STRIDES = {"anyOf": [lists(_INTEGER), {"type": "null"}]}
_FIELDS = {"outer": _FLAG, "parts": lists({"$ref": "#/$defs/part"}), "shape": _SHAPE, "strides": _STRIDES}
_PARTS = (
    {"type": ["integer", "null", "boolean"]},
    {"enum": ["..."]},
    objects({"start": _OPEN, "stop": _OPEN, "step": _OPEN}),
    objects({"positions": lists(_INTEGER), "shape": _SIZES}),
    objects({"mask": lists(_FLAG), "shape": _SIZES}),
    objects({"index": objects(_FIELDS)}),
)
_DEFS = {"part": {"anyOf": list(_PARTS)}}


def _head(name: str) -> dict[str, Any]:
    return {"format": {"const": name}, "version": {"const": VERSION}}


SCHEMAS = {
    "weft-domain": objects(_head("weft-domain") | {"start": lists(_INTEGER), "stop": lists(_INTEGER)}),
    "weft-index": objects(_head("weft-index") | _FIELDS),
}


def _domain_json(domain: Domain) -> dict[str, Any]:
    return {"format": "weft-domain", "version": VERSION, "start": list(domain.start), "stop": list(domain.stop)}


def _index_json(i: Index) -> dict[str, Any]:
    return {"format": "weft-index", "version": VERSION, **_fields(i)}


def _fields(i: Index) -> dict[str, Any]:
    shape, strides = (None if v is None else list(v) for v in (i._shape, i._strides))
    return {"outer": i._outer, "parts": list(map(_part_json, _parts(i))), "shape": shape, "strides": strides}


def _part_json(p: Any) -> Any:
    if isinstance(p, slice):
        return {"start": p.start, "stop": p.stop, "step": p.step}
    if isinstance(p, Index):
        return {"index": _fields(p)}
    if isinstance(p, np.ndarray):
        return {"mask" if p.dtype == np.bool_ else "positions": p.ravel().tolist(), "shape": list(p.shape)}
    return "..." if p is Ellipsis else p


def of_json(data: dict[str, Any]) -> Selection:
    """Return the index object or the domain in JSON data.

    Raises ExpressionError, with all faults, if the data are wrong.
    """
    name = data["format"]
    if found := faults(data, SCHEMAS[name], "$", _DEFS):
        raise refused(found)
    make: Callable[[dict[str, Any]], Selection] = _domain_of if name == "weft-domain" else _index_of
    try:
        return make(data)
    except (WeftError, ValueError, OverflowError) as error:
        raise refused([Fault("$", str(error).removeprefix("parse: "))]) from error


def _domain_of(data: dict[str, Any]) -> Domain:
    start, stop = data["start"], data["stop"]
    if len(start) != len(stop):
        raise ExpressionError(f"start {start} and stop {stop} differ in rank; give one of each for each axis")
    return Domain[tuple([slice(a, b) for a, b in zip(start, stop, strict=True)])]  # type: ignore[misc]


def _index_of(data: dict[str, Any]) -> Index:
    parts = tuple(map(_part_of, data["parts"]))
    made = (index.outer if data["outer"] else index)[parts]
    return made if data["shape"] is None else made.bind(data["shape"], data["strides"])


def _part_of(data: Any) -> Any:
    if type(data) is not dict:
        return Ellipsis if data == "..." else data
    if "index" in data:
        return _index_of(data["index"])
    if "shape" in data:
        return _table(data.get("mask", data.get("positions")), data["shape"], "bool" if "mask" in data else "int64")
    return slice(data["start"], data["stop"], data["step"])
