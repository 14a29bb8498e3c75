"""Parts of calls as data: kinds of arguments, containers, descriptions and numbers.

The one idea: each part has a writer and a reader side by side, and unknown data are a fault with a path.  Types are
looked up by name among those given to the loader: no name is ever imported.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ArgumentError
from weft.ir.graph.description import TensorDescription, describe
from weft.ir.graph.traced import FUNCTIONS, TracedNumber, number_of_call, traced_result
from weft.ir.kernels.data_reader import NESTED, Faults, Path, literal_data
from weft.programs.pytrees import REGISTERED, Branch
from weft.programs.traced_call import Static

PLAIN = {"list": list, "tuple": tuple, "dict": dict, "OrderedDict": OrderedDict, "deque": deque}
NUMBERS = {"int": int, "float": float, "complex": complex}
Types = Mapping[str, type]


def refusal(what: str, why: str) -> ArgumentError:
    """Return the ArgumentError for an object that cannot be saved; `what` names it, `why` is the reason."""
    return ArgumentError(f"save_program: {what}; {why}")


def type_name(kind: type) -> str:
    """Return the name of a type in files."""
    return f"{kind.__module__}.{kind.__qualname__}"


# ---- descriptions


def description_data(desc: TensorDescription) -> dict[str, Any]:
    """Return a tensor description as data."""
    made: dict[str, Any] = {"dtype": desc.dtype.name, "shape": list(desc.shape), "strides": list(desc.strides or ())}
    made |= {"big": True} if desc.big else {}
    made |= {"origin": list(desc.origin)} if desc.origin is not None else {}
    return made | ({"read_only": True} if desc.read_only else {})


def read_description(value: Any, faults: Faults, path: Path, more: tuple[str, ...] = ()) -> TensorDescription:
    """Return the tensor description in data, which may have the keys in `more`, too.

    What is wrong is added to `faults` with the path.
    """
    v = faults.fields(value, path, ("dtype", "shape", "strides"), ("big", "origin", "read_only", *more))
    shape, strides = (
        faults.integers(v.get(k), (path, k), least) for k, least in (("shape", 0), ("strides", -(1 << 62)))
    )
    origin = faults.integers(v["origin"], (path, "origin")) if "origin" in v else None
    if len(strides) != len(shape) or (origin is not None and len(origin) != len(shape)) or len(shape) > 64:
        faults.add_fault(path, f"shape {shape}, strides {strides} and origin {origin} of several ranks, or above 64")
        shape = strides = ()
        origin = None
    big, read_only = (faults.flag(v[k], (path, k)) if k in v else False for k in ("big", "read_only"))
    return describe(faults.dtype(v.get("dtype"), (path, "dtype")), shape, strides, big, origin, read_only)


def in_order(cells: np.ndarray, desc: TensorDescription) -> np.ndarray:
    """Return cells in the byte order of a description."""
    return cells.astype(dt.to_numpy(desc.dtype, desc.byteorder)) if desc.big else cells


# ---- containers


def tree_data(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return a structure of containers as data, with `leaf(x)` in place of its leaves.

    Raises ArgumentError for keys that are no plain data.
    """
    if type(tree) is not Branch:
        return leaf(tree)
    kind, extra, children = tree
    made: dict[str, Any] = {"of": kind.__name__ if kind in PLAIN.values() else type_name(kind)}
    if extra is not None:
        made["extra"] = _plain(extra, f"the keys or fields {extra!r:.60} of a {kind.__name__}")
    return made | {"items": [tree_data(c, leaf) for c in children]}


def _plain(x: Any, what: str) -> Any:
    try:
        return literal_data(x)
    except TypeError as error:
        raise refusal(what, "only numbers, texts, dtypes and None are saved; pass these") from error


def read_tree(
    value: Any, faults: Faults, path: Path, leaf: Callable[[Any, Path], Any], types: Types, depth: int = 0
) -> Any:
    """Return the structure of containers in data; `leaf(value, path)` reads its leaves.

    `types` are the types by name, `depth` the number of containers outside. What is wrong is added to `faults`.
    """
    if type(value) is not dict or "of" not in value:
        return leaf(value, path)
    v = faults.fields(value, path, ("of", "items"), ("extra",))
    name = faults.text(v["of"], (path, "of"))
    kind = PLAIN.get(name) or types.get(name) or _own_type(name)
    if kind is None or depth > NESTED * 5:
        faults.add_fault(path, f"the type {name}, which is not known here; name it: load_program(path, types=[...])")
        return None
    extra: Hashable = faults.literal(v["extra"], (path, "extra")) if "extra" in v else None
    children = faults.items(
        v.get("items"), (path, "items"), lambda c, p: read_tree(c, faults, p, leaf, types, depth + 1)
    )
    if not _fits(kind, extra, len(children)):
        faults.add_fault(path, f"{len(children)} parts of a {name} with {extra!r:.60}")
        return None
    return Branch(kind, extra, children)


def _own_type(name: str) -> type | None:
    """Return the named tuple of weft's own functions with that name; None for other names."""
    module, _, found = name.rpartition(".")
    if not module.startswith("weft.api."):
        return None
    with suppress(ImportError):
        kind = getattr(import_module(module), found, None)
        return kind if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields") else None
    return None


def _fits(kind: type, extra: Any, count: int) -> bool:
    """True if a container of type `kind` can have `count` parts and the keys or fields in `extra`."""
    if kind is dict or kind is OrderedDict:
        return type(extra) is tuple and len(set(extra)) == len(extra) == count
    if kind is deque:
        return extra is None or (type(extra) is int and extra >= count)
    if kind in REGISTERED:
        return True
    if is_dataclass(kind):
        return bool(extra == tuple([x.name for x in fields(kind) if x.init]) and len(extra) == count)
    names = getattr(kind, "_fields", None)
    return extra is None and (names is None or len(names) == count)


# ---- kinds of arguments


def argument_data(part: Any, where: str) -> Any:
    """Return one part of a kind of call as data.

    Raises ArgumentError, which names the argument `where`, for devices and values that cannot be saved.
    """
    if type(part) is TensorDescription:
        return {"tensor": description_data(part)}
    if type(part) is Static:
        return {"value": _plain(part.value, f"{where} with the value {part.value!r:.60}")}
    if type(part) is tuple:
        desc, device, recorded = part
        if device is not None:
            raise refusal(f"{where} on {device}", "programs on the host are saved; call it with tensors there")
        return {"tensor": description_data(desc), "recorded": recorded}
    return {"number": part.__name__}


def read_argument(value: Any, faults: Faults, path: Path) -> Any:
    """Return the part of a kind of call in data; what is wrong is added to `faults` with the path."""
    v = faults.fields(value, path, (), ("tensor", "recorded", "value", "number"))
    if "tensor" in v:
        desc = read_description(v["tensor"], faults, (path, "tensor"))
        return (desc, None, faults.flag(v["recorded"], (path, "recorded"))) if "recorded" in v else desc
    if "value" in v:
        found = faults.literal(v["value"], (path, "value"))
        return Static(type(found), found)
    return NUMBERS[faults.one_of(v.get("number"), (path, "number"), tuple(NUMBERS))]


# ---- numbers


def number_data(x: Any, what: str) -> Any:
    """Return a traced number, or a fixed value, as data; raises ArgumentError for other objects."""
    if type(x) is not TracedNumber:
        return {"fixed": _plain(x, what)}
    if isinstance(x.form, int):
        return {"given": x.form}
    name, operands = x.form
    return {"function": name, "operands": [number_data(o, what) for o in operands]}


def read_number(value: Any, faults: Faults, path: Path, count: int, depth: int = 0) -> Any:
    """Return the traced number, or fixed value, in data; `count` is the number of numbers given to a call.

    What is wrong is added to `faults` with the path.
    """
    v = faults.fields(value, path, (), ("fixed", "given", "function", "operands"))
    if "fixed" in v:
        return faults.literal(v["fixed"], (path, "fixed"))
    if "given" in v:
        return number_of_call(None, faults.integer(v["given"], (path, "given"), 0, count - 1), "an argument")
    name = faults.one_of(v.get("function"), (path, "function"), tuple(FUNCTIONS))
    if depth > NESTED * 5:
        faults.add_fault(path, "functions nested too deep")
        return 0
    operands = faults.items(
        v.get("operands"), (path, "operands"), lambda o, p: read_number(o, faults, p, count, depth + 1)
    )
    return traced_result(name, operands)


def dtype_or_none(value: Any, faults: Faults, path: Path) -> DType | None:
    """Return the dtype in data; None for null; an unknown name is added to `faults`."""
    return None if value is None else faults.dtype(value, path)
