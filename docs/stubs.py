"""Writes the stubs of the public namespaces for type checkers and editors, which do not run weft.

The one idea: a function is declared with its own signature; where that leaves the type of a parameter open, the table
`TYPES` says what the library accepts under that name.  A test compares the files with what this module makes.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from types import ModuleType
from typing import Any

import weft
from weft.api.habits import TWO_READINGS, spellings
from weft.api.numpy.foreign_names import SAME
from weft.interop.numpy.names import AS_THEY_ARE, CALLED

NAMESPACES = ("", "fft", "linalg", "nn", "random")
HEAD = '''# ruff: noqa
# fmt: off
"""The public names of {name}, for type checkers and editors, which do not run `__getattr__`.

The one idea: `docs/stubs.py` writes this file from what the program imports.
"""

'''
_ARRAYS = """x x1 x2 a b c y operands weights weight pos_weight bias min max bound low high f xp fp left right condition
value fill_value q bins constant_values mean std var loc p logits target query key mask indices table start stop step
choices values beta alpha prepend append v data rtol scale spacing vectors conditions zeros_ u w dx fill default a_min
a_max"""
TYPES = dict.fromkeys(_ARRAYS.split(), "ArrayLike") | {
    "dtype": "DTypeLike", "device": "DeviceLike", "shape": "ShapeLike", "size": "ShapeLike", "axes": "Axes",
    "out": "Tensor | np.ndarray", "origin": "int | Sequence[int]", "strides": "int | Sequence[int]",
    "arrays": "Sequence[ArrayLike]", "arrays_and_dtypes": "ArrayLike | DTypeLike", "shift": "int | Sequence[int]",
    "shifts": "int | Sequence[int]",
    "stride": "int | Sequence[int]", "dilation": "int | Sequence[int]", "output_padding": "int | Sequence[int]",
    "window_shape": "int | Sequence[int]",
    "kind": "DTypeLike | tuple[DTypeLike, ...]", "repetitions": "int | Sequence[int]", "to": "DTypeLike",
    "type": "DTypeLike | ArrayLike", "from_": "DTypeLike | ArrayLike", "obj": "object",
    "initial": "ArrayLike | Callable[..., ArrayLike]", "axis": "Axes", "dim": "Axes", "dims": "Axes",
    "source": "int | Sequence[int]", "destination": "int | Sequence[int]", "offset": "int | Sequence[int]",
    "kth": "int | Sequence[int]", "positions": "int | slice | ArrayLike", "repeats": "int | ArrayLike",
    "padding": "int | str | Sequence[int | Sequence[int]]", "pad_width": "int | Sequence[int | Sequence[int]]",
    "ord": "int | float | str", "file": "str | PathLike[str] | IO[Any] | Iterable[str]", "order": "int | Sequence[int]",
    "range": "tuple[float, float]", "keys": "ArrayLike | Sequence[ArrayLike]", "d": "DeviceLike", "k": "ArrayLike",
    "other_shape": "ShapeLike", "other_strides": "int | Sequence[int]", "mode": "str | Sequence[str]",
}  # fmt: skip
OPEN = {
    "",
    "Any",
    "Any | None",
    "Tensor",
    "Tensor | None",
    "Sequence[Tensor]",
    "Initial",
}  # annotations that the table makes exact
# What declarations name, by module; the classes that a function's own module knows are found there.
IMPORTS = {
    "builtins": "bool", "contextlib": "AbstractContextManager", "numpy": "np", "os": "PathLike",
    "collections.abc": "Callable Generator Hashable Iterable Iterator Mapping MutableMapping Sequence",
    "types": "ModuleType",
    "typing": "Any BinaryIO IO Literal", "weft.typing": "ArrayLike Axes DTypeLike DeviceLike ShapeLike",
    "weft.tensors.tensor": "Tensor", "weft.inspect.progress": "Progress",
}  # fmt: skip
KNOWN = {name: module for module, names in IMPORTS.items() for name in names.split()}


class Text(str):
    """Text that a signature shows without quotes."""

    def __repr__(self) -> str:
        return str(self)


def namespace(space: str) -> Any:
    """Return a public namespace; "" is weft itself."""
    return getattr(weft, space) if space else weft


# ---- functions


def parameter(p: inspect.Parameter, shape_may_be_none: bool) -> inspect.Parameter:
    """Return a parameter with the type that the table has for its name, if its own is open."""
    shown = "" if p.annotation is p.empty else str(p.annotation)
    if shown in OPEN and p.kind is not p.VAR_KEYWORD:
        known = TYPES.get(p.name, shown or "Any")
        known = known[len("Sequence[") : -1] if p.kind is p.VAR_POSITIONAL and known.startswith("Sequence[") else known
        optional = p.default is None or "None" in shown or (p.name == "shape" and shape_may_be_none)
        shown = f"{known} | None" if optional and known not in ("Axes", "Any", "Any | None") else known
    elif shown == "Axis":
        shown = "Axes"
    default = p.default if p.default is p.empty else Text(literal(p.default))
    return p.replace(annotation=Text(shown), default=default)


def literal(default: Any) -> str:
    """Return a default as a literal, or dots where it has none."""
    try:
        return repr(default) if ast.literal_eval(repr(default)) == default else "..."
    except (SyntaxError, ValueError):
        return "..."


def declaration(name: str, function: Any) -> str:
    """Return a function as a stub declares it, with its names of habit as further keywords."""
    shown = inspect.signature(function)
    taken, habits = shown.parameters.values(), {}
    if hasattr(function, "name_in_numpy"):
        taken, habits, *_ = spellings(function)
    own, more = {p.name: p for p in taken}, []
    for habit, ours in habits.items():
        if own[ours].kind is inspect.Parameter.POSITIONAL_ONLY:
            continue  # which one of them is given no declaration says
        if (name, habit) not in TWO_READINGS or "correction" in own:
            if own[ours].default is inspect.Parameter.empty:  # it may be given by habit
                own[ours] = own[ours].replace(default=...)
            more.append(own[ours].replace(name=habit, kind=inspect.Parameter.KEYWORD_ONLY))
    is_field = inspect.unwrap(function).__module__ == "weft.random.fields"  # None: the shape of its parameters
    made = [parameter(p, is_field) for p in (*own.values(), *more)]
    text = str(shown.replace(parameters=made, return_annotation=Text(result(function, shown))))
    for alias, meaning in named(function).items():
        if not inspect.isclass(meaning) and alias not in KNOWN:
            text = re.sub(rf"\b{alias}\b", re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", str(meaning)), text)
    return f"def {name}{text}: ...\n"


def named(function: Any) -> dict[str, Any]:
    """Return what the names in a function's annotations stand for in its module."""
    function = inspect.unwrap(function)
    names = re.findall(r"\b[A-Za-z_]\w+", " ".join(map(str, function.__annotations__.values())))
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def result(function: Any, shown: inspect.Signature) -> str:
    """Return the type of a function's result: of a scope, that of the context manager."""
    text = "Any" if shown.return_annotation is shown.empty else str(shown.return_annotation)
    is_scope = is_of_contextlib(inspect.unwrap(function, stop=is_of_contextlib))
    return re.sub(r"^\w+\[(.*?)(, None)*\]$", r"AbstractContextManager[\1]", text) if is_scope else text


def is_of_contextlib(function: Any) -> bool:
    """True for what `contextmanager` made of a function."""
    return getattr(function, "__code__", is_of_contextlib.__code__).co_filename.endswith("contextlib.py")


# ---- everything else


def members(space: str) -> dict[str, Any]:
    """Return the public names of a namespace, with what they name."""
    return {name: getattr(namespace(space), name) for name in namespace(space).__all__}


def others(things: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Iterate over what is no function: (the module to import it from, its name there), or ("", a declaration)."""
    for name, thing in sorted(things.items()):
        if inspect.isclass(thing):
            there = thing.__qualname__
            yield thing.__module__, there if there == name else f"{there} as {name}"
        elif isinstance(thing, ModuleType):
            home, _, there = thing.__name__.rpartition(".")
            yield home, there
        elif not inspect.isfunction(thing):
            kind = type(thing)
            yield "", f"{name}: {'None' if thing is None else kind.__name__}\n"
            if kind.__module__ != "builtins":
                yield kind.__module__, kind.__name__


def named_in(text: str, functions: dict[str, Any]) -> dict[str, str]:
    """Return the names that declarations need from elsewhere, with their modules."""
    found = {name: module for name, module in KNOWN.items() if re.search(rf"\b{name}\b", text)}
    for function in functions.values():
        classes = {
            name: thing for name, thing in named(function).items() if inspect.isclass(thing) and name not in KNOWN
        }
        found |= {name: thing.__module__ for name, thing in classes.items() if re.search(rf"\b{name}\b", text)}
    return found


def block(begin: str, names: list[str], end: str) -> str:
    """Return names between brackets, in one line where they fit."""
    line = f"{begin}{', '.join(names)}{end}"
    if len(line) <= 120 and "(" not in begin:
        return line + "\n"
    text = fill(", ".join(names) + ",", 120, initial_indent="    ", subsequent_indent="    ")
    opened, closed = (begin, end) if begin[-1] in "([" else (begin + "(", ")")
    return f"{opened}\n{text}\n{closed}\n"


def text(space: str) -> str:
    """Return the text of a namespace's stub."""
    things = members(space)
    functions = {name: thing for name, thing in sorted(things.items()) if inspect.isfunction(thing)}
    declared = "".join(declaration(name, function) for name, function in functions.items())
    rest = list(others(things))
    declared += "".join(declaration for module, declaration in rest if not module)
    imported: defaultdict[str, set[str]] = defaultdict(set)
    for module, name in rest:
        if module:
            imported[module].add(name)
    for name, module in named_in(declared, functions).items():
        if name not in things or name == "bool":
            imported[module].add(name)
    if not space:  # `bool` is a dtype of weft's
        declared = re.sub(r"(?<!\n)\bbool\b", "_bool", declared)
        declared += "".join(f"{theirs} = {ours}\n" for theirs, ours in sorted(SAME.items()))
        declared += "".join(f"def {name}(*args: Any, **named: Any) -> Any: ...\n" for name in sorted(CALLED))
        imported["builtins"] = {"bool as _bool"}
    else:
        imported.pop("builtins", None)
    numpy = "import numpy as np\n" if imported.pop("numpy", None) else ""
    if not space:
        numpy += block("from numpy import ", [f"{name} as {name}" for name in sorted(AS_THEY_ARE)], "")
    numpy += "\n" if numpy else ""
    parts = [HEAD.format(name=namespace(space).__name__), numpy]
    parts += [block(f"from {module} import ", sorted(names), "") for module, names in sorted(imported.items())]
    return "".join([*parts, "\n", declared, "\n", block("__all__ = [", [f'"{name}"' for name in things], "]")])


def stubs() -> dict[Path, str]:
    """Return the texts of all stubs by their paths."""
    return {Path(namespace(space).__file__).with_suffix(".pyi"): text(space) for space in NAMESPACES}


if __name__ == "__main__":
    for path, made in stubs().items():
        path.write_text(made, encoding="utf-8")
