"""Attributes of nodes as data: their names, their types, and the JSON form of each type.

The one idea: a row of the op table names the attributes of its nodes with their types, and each type is a row here: a
test of its values, their JSON form, and the reading of that form.  Numbers that JSON lacks are texts: "inf", "-inf" and
"nan".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ExpressionError
from weft.ir.graph.ops import OPS

# Nodes of a graph as data that are no operations: cells that are part of the graph, and a function over blocks.
DATA = {"constant": "cells: text", "function": "name: text, first: ints"}
_SPECIAL = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
_COMPLEX = {"real", "imag"}


class AttributeType(NamedTuple):
    """A type of attributes.

    `says` describes it in words; `fits(value)` is True for its values; `json(value)` converts a value to JSON data,
    `read` converts it back, and `schema` is the JSON schema of that data.  A result of `read` may still fail `fits`.
    """

    says: str
    fits: Callable[[Any], bool]
    schema: Mapping[str, Any]
    json: Callable[[Any], Any] = lambda value: value
    read: Callable[[Any], Any] = lambda data: data


def _is_int(x: Any) -> bool:
    return type(x) is int


def _are(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda x: type(x) is tuple and all(map(fits, x))


def _is_nest(x: Any) -> bool:
    return x is None or type(x) is int or (type(x) is tuple and all(map(_is_nest, x)))


def _is_number(x: Any) -> bool:
    return type(x) in (bool, int, float, complex)


def _is_literal(x: Any) -> bool:
    plain = x is None or isinstance(x, (str, DType)) or _is_number(x)
    return plain or (type(x) is tuple and all(map(_is_literal, x)))


def _lists(x: Any) -> Any:
    return list(map(_lists, x)) if type(x) is tuple else x


def _tuples(data: Any) -> Any:
    return tuple(map(_tuples, data)) if type(data) is list else data


def _number(x: Any) -> Any:
    """Return a number as JSON data: infinities and NaN as texts, complex numbers as objects of two parts."""
    if type(x) is complex:
        return {"real": _number(x.real), "imag": _number(x.imag)}
    return x if type(x) is not float or isfinite(x) else repr(x)


def _read_number(data: Any) -> Any:
    if type(data) is dict and data.keys() == _COMPLEX:
        parts = _read_number(data["real"]), _read_number(data["imag"])
        return complex(*parts) if {type(p) for p in parts} <= {int, float} else data
    return _SPECIAL.get(data, data) if type(data) is str else data


def _literal(x: Any) -> Any:
    """Return any literal as JSON data.

    A tuple becomes a list; a dtype, or a number that JSON lacks, an object with one key.
    """
    if type(x) is tuple:
        return list(map(_literal, x))
    if isinstance(x, DType):
        return {"dtype": x.name}
    return {"number": _number(x)} if _is_number(x) and _number(x) is not x else x


def _read_literal(data: Any) -> Any:
    if type(data) is list:
        return tuple(map(_read_literal, data))
    if type(data) is dict and data.keys() == {"dtype"}:
        return dt.BY_NAME.get(data["dtype"], data)
    return _read_number(data["number"]) if type(data) is dict and data.keys() == {"number"} else data


def _schema(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more}


_INTS = _schema("array", items=_schema("integer"))
TYPES = {
    "int": AttributeType("an integer", _is_int, _schema("integer")),
    "bool": AttributeType("true or false", lambda x: type(x) is bool, _schema("boolean")),
    "text": AttributeType("a text", lambda x: isinstance(x, str), _schema("string"), str),
    "ints": AttributeType("integers", _are(_is_int), _INTS, list, _tuples),
    "rows": AttributeType("rows of integers", _are(_are(_is_int)), _schema("array", items=_INTS), _lists, _tuples),
    "nest": AttributeType("nested lists of integers", _is_nest, {"$ref": "#/$defs/nest"}, _lists, _tuples),
    "number": AttributeType("a number", _is_number, {"$ref": "#/$defs/number"}, _number, _read_number),
    "dtype": AttributeType("a dtype", lambda x: isinstance(x, DType), {"$ref": "#/$defs/dtype"},
                           lambda d: d.name, lambda data: dt.BY_NAME.get(data, data) if type(data) is str else data),
    "literal": AttributeType("a literal", _is_literal, {"$ref": "#/$defs/literal"}, _literal, _read_literal),
}  # fmt: skip


@cache
def types_of(op: str) -> dict[str, AttributeType]:
    """Return the types of an op's attributes by name, in order.

    >>> {name: kind.says for name, kind in types_of("sum").items()}
    {'axes': 'integers', 'keepdims': 'true or false'}
    """
    spec = DATA[op] if op in DATA else OPS[op].attrs
    pairs = [part.split(": ") for part in spec.split(", ") if part]
    return {name: TYPES[kind] for name, kind in pairs}


def faults(op: str, attrs: tuple[Any, ...]) -> list[tuple[str, str]]:
    """Return the faults of a node's attributes as pairs (attribute's name or "", fact); empty if there are none.

    >>> faults("sum", ((0,), 1))
    [('keepdims', '1 is not true or false')]
    """
    types = types_of(op)
    if len(attrs) != len(types):
        return [("", f"{len(attrs)} attributes; it has {', '.join(types) or 'none'}")]
    pairs = zip(types.items(), attrs, strict=True)
    return [(name, f"{shortened(repr(x))} is not {kind.says}") for (name, kind), x in pairs if not kind.fits(x)]


def shortened(text: str) -> str:
    """Return the first 80 characters of a text, for an error."""
    return text if len(text) < 80 else f"{text[:80]}..."


def as_json(op: str, attrs: tuple[Any, ...]) -> dict[str, Any]:
    """Return a node's attributes by name as JSON data.

    Raises ExpressionError if a value is not plain data.
    """
    for name, says in faults(op, attrs):
        raise ExpressionError(f"show: attribute {name!r} of {op}: {says}; it cannot be sent; show it as a graph")
    return {name: kind.json(x) for (name, kind), x in zip(types_of(op).items(), attrs, strict=True)}
