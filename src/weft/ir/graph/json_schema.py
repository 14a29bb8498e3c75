"""JSON schemas: checks of data against a schema that report every deviation with its path.

The one idea: a schema is itself data, so a file's form is defined once, for weft's readers and for other programs.
Only those keywords of the draft that weft's schemas use are supported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from weft.errors import Fault

Schema = Mapping[str, Any]
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
    "array": (list,), "object": (dict,),
}  # fmt: skip


def objects(properties: Schema, *optional: str) -> dict[str, Any]:
    """Return the schema of objects with exactly these properties; only those named `optional` may be missing."""
    needed = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def lists(items: Schema) -> dict[str, Any]:
    """Return the schema of lists whose items fit the schema `items`."""
    return {"type": "array", "items": items}


def loaded(text: str) -> tuple[Any, list[Fault]]:
    """Return (data, []) for a JSON text, or (None, [fault]) if it is not JSON."""
    try:
        return json.loads(text), []
    except (ValueError, RecursionError) as error:
        return None, [Fault("$", f"no JSON: {error}")]


def faults(data: Any, schema: Schema, path: str, definitions: Mapping[str, Schema]) -> list[Fault]:
    """Return all deviations of data from a schema.

    `path` is the path of the data, for the faults; `definitions` maps the names in the schema's references to schemas.

    >>> form = objects({"shape": lists({"type": "integer"})})
    >>> faults({"shape": [2, "3"], "size": 6}, form, "$", {})
    [Fault(path='$.size', fact='an unknown name; known are shape'), Fault(path='$.shape[1]', fact="'3' is no integer")]
    """
    if "$ref" in schema:
        return faults(data, definitions[schema["$ref"].rpartition("/")[2]], path, definitions)
    if "anyOf" in schema:
        found = [faults(data, s, path, definitions) for s in schema["anyOf"]]
        return [] if not all(found) else [Fault(path, f"{_cut(data)} is {' and '.join([_mismatch(f) for f in found])}")]
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if choices is not None and not any(type(data) is type(c) and data == c for c in choices):
        return [Fault(path, f"{_cut(data)} is none of {', '.join(map(str, choices))}")]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and type(data) not in [t for kind in kinds for t in _TYPES[kind]]:
        return [Fault(path, f"{_cut(data)} is no {' or '.join(kinds)}")]
    if "minimum" in schema and data < schema["minimum"]:
        return [Fault(path, f"{data} is less than {schema['minimum']}")]
    if type(data) is list:
        return [f for k, x in enumerate(data) for f in faults(x, schema.get("items", {}), f"{path}[{k}]", definitions)]
    return _of_object(data, schema, path, definitions) if type(data) is dict else []


def _of_object(data: dict[str, Any], schema: Schema, at: str, named: Mapping[str, Schema]) -> list[Fault]:
    properties = schema.get("properties", {})
    found = [Fault(at, f"{name!r} is missing") for name in schema.get("required", ()) if name not in data]
    others, more = schema.get("additionalProperties", True), [n for n in data if n not in properties]
    if others is False:
        known = ", ".join(properties) or "none"
        found += [Fault(f"{at}.{n}", f"an unknown name; known are {known}") for n in more]
    elif others is not True:
        found += [f for n in more for f in faults(data[n], others, f"{at}.{n}", named)]
    for name in properties.keys() & data.keys():
        found += faults(data[name], properties[name], f"{at}.{name}", named)
    return found


def _mismatch(deviations: list[Fault]) -> str:
    """Return a short text on why data do not fit one of several schemas, from the first of its deviations."""
    fact = deviations[0].fact
    return fact[fact.index(" is no") + 4 :] if " is no" in fact else fact


def _cut(data: Any) -> str:
    text = repr(data)
    return text if len(text) < 80 else f"{text[:80]}..."
