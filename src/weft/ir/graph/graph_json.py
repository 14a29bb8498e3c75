"""The JSON form of graphs: an object with a list of nodes, each with its facts by name.

The one idea: JSON holds the same facts as the text form.  Its schema is generated from the op table, and data that is
read is checked against it, so all deviations are found at once, each with its path.  Only those keywords of schemas
that weft uses are supported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from weft import dtypes as dt
from weft.errors import ExpressionError, Fault
from weft.ir.graph import attributes
from weft.ir.graph.attributes import shortened
from weft.ir.graph.description import TensorDescription, c_strides
from weft.ir.graph.graph_facts import GraphFacts, NodeFacts, described, facts_of
from weft.ir.graph.node import NONE, Label, Node
from weft.ir.graph.ops import OPS

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
        return (
            []
            if not all(found)
            else [Fault(path, f"{shortened(repr(data))} is {' and '.join([_mismatch(f) for f in found])}")]
        )
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if choices is not None and not any(type(data) is type(c) and data == c for c in choices):
        return [Fault(path, f"{shortened(repr(data))} is none of {', '.join(map(str, choices))}")]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and type(data) not in [t for kind in kinds for t in _TYPES[kind]]:
        return [Fault(path, f"{shortened(repr(data))} is no {' or '.join(kinds)}")]
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


FORMAT, VERSION = "weft-graph", 1
_TEXT, _INTEGER = {"type": "string"}, {"type": "integer"}


def show(roots: Sequence[Node], embed: int = 0) -> str:
    """Return the graph below the nodes `roots` as JSON, one node per line, with cells of up to `embed` bytes.

    Raises ExpressionError if an attribute is not plain data.
    """
    graph = facts_of(roots, embed)
    nodes = ",\n  ".join([json.dumps(as_json(f) | _labelled(f.label)) for f in graph.nodes])
    head = f'"format": "{FORMAT}", "version": {VERSION}'
    return f'{{{head}, "nodes": [\n  {nodes}\n], "outputs": {json.dumps(graph.outputs)}}}'


def as_json(facts: NodeFacts) -> dict[str, Any]:
    """Return the facts of a node as JSON data.

    Raises ExpressionError if an attribute is not plain data.
    """
    assert facts.inputs is not None and facts.attrs is not None and facts.desc is not None
    made: dict[str, Any] = {"id": facts.id, "op": facts.op, "inputs": list(facts.inputs)}
    return made | {"attributes": attributes.as_json(facts.op, facts.attrs), "description": _described(facts.desc)}


def _labelled(label: Label) -> dict[str, Any]:
    """Return the non-empty fields of a label by name."""
    return {name: x for name, x in (("name", label.name), ("metadata", dict(label.metadata))) if x}


def _described(desc: TensorDescription) -> dict[str, Any]:
    return {
        "dtype": desc.dtype.name,
        "shape": list(desc.shape),
        "strides": None if desc.strides is None else list(desc.strides),
        "origin": list(desc.domain.origin),
        "byte_order": desc.byteorder,
        "read_only": desc.read_only,
    }


def digest(roots: Sequence[Node]) -> str:
    """Return a digest of the graph below the nodes `roots` in 64 hexadecimal digits, the same in every process.

    Labels do not change it. Raises ExpressionError if an attribute is not plain data.
    """
    graph = facts_of(roots)
    lines = [json.dumps([VERSION, graph.outputs]), *[json.dumps(as_json(f), sort_keys=True) for f in graph.nodes]]
    return sha256("\n".join(lines).encode()).hexdigest()


def read(data: Any) -> tuple[GraphFacts, list[Fault]]:
    """Return the facts stated in JSON data, and every deviation of the data from the schema."""
    found = faults(data, _form(), "$", _form()["$defs"])
    graph = data if isinstance(data, dict) else {}
    wrong = [f.path for f in found]
    nodes, given = [], graph.get("nodes")
    for k, x in enumerate(given if isinstance(given, list) else ()):
        if type(x) is dict and type(x.get("id")) is str and type(x.get("op")) is str:
            nodes.append(_node(x, f"$.nodes[{k}]", [p for p in wrong if p.startswith(f"$.nodes[{k}]")], found))
    outputs = graph.get("outputs", []) if not any(p.startswith("$.outputs") for p in wrong) else []
    return GraphFacts(nodes, outputs, "$"), found


def _node(data: dict[str, Any], path: str, faulty: Sequence[str], found: list[Fault]) -> NodeFacts:
    """Return the facts of a node from its JSON data at `path`, without the fields at the paths `faulty`.

    Appends further faults to `found`.
    """
    right = {name for name in data if not any(p.startswith(f"{path}.{name}") for p in faulty)}
    op, attrs, desc = data["op"], None, None
    if "attributes" in right and (op in attributes.DATA or op in OPS):
        misfits = faults(data["attributes"], _attributes_form(op), f"{path}.attributes", _defs())
        found += misfits
        if not misfits:
            attrs = tuple([t.read(data["attributes"][name]) for name, t in attributes.types_of(op).items()])
    try:
        desc = _read_description(data["description"]) if "description" in right else None
    except ExpressionError as error:
        found.append(Fault(f"{path}.description", str(error)))
    label = Label(data["name"] if "name" in right else "", data["metadata"] if "metadata" in right else {})
    inputs = tuple(data["inputs"]) if "inputs" in right else None
    return NodeFacts(data["id"], op, inputs, attrs, desc, NONE if label == NONE else label, path)


def _read_description(data: dict[str, Any]) -> TensorDescription:
    dtype, shape = dt.BY_NAME[data["dtype"]], tuple(data["shape"])
    strides = data.get("strides", c_strides(shape, dtype.itemsize))
    origin, steps = tuple(data.get("origin", ())), None if strides is None else tuple(strides)
    return described(dtype, shape, steps, data.get("byte_order") == "big", origin, data.get("read_only", False))


# ---- the schema


def schema() -> dict[str, Any]:
    """Return the JSON schema of graphs of weft's own operations; modules may add others."""
    alike: dict[str, list[str]] = {}
    for name in (*attributes.DATA, *[name for name in OPS if "." not in name]):
        alike.setdefault(json.dumps(_attributes_form(name)), []).append(name)
    nodes = [_node_form({"enum": names}, _attributes_form(names[0])) for names in alike.values()]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A graph of weft"}
    return head | _graph_form({"oneOf": nodes})


@cache
def _form() -> dict[str, Any]:
    """Return the schema of graphs of any operations, with attributes as arbitrary objects."""
    return _graph_form(_node_form(_TEXT, {"type": "object"}))


def _graph_form(node: dict[str, Any]) -> dict[str, Any]:
    nodes, outputs = lists({"$ref": "#/$defs/node"}), lists(_TEXT) | {"minItems": 1}
    top = {"format": {"const": FORMAT}, "version": {"const": VERSION}, "nodes": nodes, "outputs": outputs}
    return objects(top) | {"$defs": {"node": node} | _defs()}


def _node_form(op: dict[str, Any], attrs: dict[str, Any]) -> dict[str, Any]:
    description = {"$ref": "#/$defs/description"}
    needed = {"id": _TEXT, "op": op, "inputs": lists(_TEXT), "attributes": attrs, "description": description}
    metadata = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}}
    return objects(needed | {"name": _TEXT, "metadata": metadata}, "name", "metadata")


def _attributes_form(op: str) -> dict[str, Any]:
    return objects({name: kind.schema for name, kind in attributes.types_of(op).items()})


@cache
def _defs() -> dict[str, Any]:
    number = {"anyOf": [{"type": ["number", "boolean"]}, {"enum": ["inf", "-inf", "nan"]}]}
    pair = objects({"real": number, "imag": number})
    tagged = [objects({"dtype": {"$ref": "#/$defs/dtype"}}), objects({"number": {"$ref": "#/$defs/number"}})]
    plain = {"type": ["number", "boolean", "string", "null"]}
    description = {
        "dtype": {"$ref": "#/$defs/dtype"},
        "shape": lists(_INTEGER | {"minimum": 0}),
        "strides": {"anyOf": [lists(_INTEGER), {"type": "null"}]},
        "origin": lists(_INTEGER),
        "byte_order": {"enum": ["little", "big"]},
        "read_only": {"type": "boolean"},
    }
    return {
        "description": objects(description, "strides", "origin", "byte_order", "read_only"),
        "dtype": {"enum": list(dt.BY_NAME)},
        "number": {"anyOf": [*number["anyOf"], pair]},
        "nest": {"anyOf": [{"type": ["integer", "null"]}, lists({"$ref": "#/$defs/nest"})]},
        "literal": {"anyOf": [plain, lists({"$ref": "#/$defs/literal"}), *tagged]},
    }
