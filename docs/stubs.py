"""Writes src/weft/__init__.pyi: the public names for type checkers and editors, which do not run weft.

The one idea: imports are those of `__init__.py` and its table of what is imported later; functions that the op table
makes are declared with their signatures.  A test compares the file with what this module makes.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import weft
from weft.api.habits import TWO_READINGS
from weft.api.numpy.foreign_names import SAME
from weft.api.standard import elementwise_functions
from weft.api.standard.elementwise_functions import MADE

HOMES = {"Axis": "weft.api.standard.statistical_functions"}  # of aliases, which do not know it
STUB = Path(weft.__file__).with_suffix(".pyi")
HEAD = '''# ruff: noqa
# fmt: off
"""The public names, for type checkers and editors, which do not run `weft.__getattr__`.

The one idea: `docs/stubs.py` writes this file from what the program imports.
"""

from builtins import bool as _bool
from collections.abc import Sequence
from typing import Any

'''


def accustomed() -> dict[str, Any]:
    """The public functions that take names of habit for some arguments."""
    found = {name: getattr(weft, name) for name in weft.__all__}
    return {name: thing for name, thing in found.items() if hasattr(thing, "habits")}


def declaration(name: str, function: Any) -> str:
    """A function as a stub declares it, with its names of habit as further keywords."""
    shown = inspect.signature(function)
    own, more = dict(shown.parameters), []
    for habit, ours in getattr(function, "habits", {}).items():
        if (name, habit) not in TWO_READINGS or "correction" in own:
            if own[ours].default is inspect.Parameter.empty:  # it may be given by habit
                own[ours] = own[ours].replace(default=...)
            more.append(own[ours].replace(name=habit, kind=inspect.Parameter.KEYWORD_ONLY))
    text = str(shown.replace(parameters=[*own.values(), *more])).replace("Ellipsis", "...")
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    text = re.sub(r"\bbool\b", "_bool", text)  # `bool` is a dtype of weft's
    return f"def {name}{text}: ...\n"


def of_annotations(functions: Mapping[str, Any]) -> dict[str, str]:
    """The classes and aliases that are named in annotations but are not public, with their modules."""
    found = {}
    for function in functions.values():
        inner = inspect.unwrap(function)
        for name in re.findall(r"\b[A-Z]\w+", " ".join(map(str, inner.__annotations__.values()))):
            thing = inner.__globals__.get(name)
            if thing is not None and name not in weft.__all__ and getattr(thing, "__module__", "") != "typing":
                found[name] = HOMES.get(name) or thing.__module__
    return {name: home for name, home in sorted(found.items()) if home != "collections.abc"}


def imports() -> dict[str, list[str]]:
    """The names that are imported, by module, as import statements spell them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for statement in ast.parse(Path(weft.__file__).read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom):
            names = [ast.unparse(alias) for alias in statement.names]
            found[str(statement.module)] += [n for n in names if n != "*" and (" as _" not in n or n.endswith("__"))]
    for name, module in weft._LATER.items():
        if module == f"weft.{name}":
            found["weft"].append(name)
        else:
            found[module].append("open_file as open" if name == "open" else name)
    found[elementwise_functions.__name__] += [n for n in elementwise_functions.__all__ if n not in MADE]
    declared = accustomed()
    for name, module in of_annotations(declared).items():
        found[module].append(name)
    return {m: sorted(kept) for m, names in sorted(found.items()) if (kept := set(names) - declared.keys())}


def block(begin: str, names: list[str], end: str) -> str:
    """Names between brackets, in one line where they fit."""
    line = f"{begin}{', '.join(names)}{end}"
    if len(line) <= 120 and "(" not in begin:
        return line + "\n"
    text = fill(", ".join(names) + ",", 120, initial_indent="    ", subsequent_indent="    ")
    opened, closed = (begin, end) if begin[-1] in "([" else (begin + "(", ")")
    return f"{opened}\n{text}\n{closed}  # fmt: skip\n"


def text() -> str:
    """The text of the stub."""
    parts = [HEAD, *[block(f"from {module} import ", names, "") for module, names in imports().items()], "\n"]
    parts += [declaration(name, function) for name, function in sorted((MADE | accustomed()).items())]
    parts += ["\n", *[f"{theirs} = {ours}\n" for theirs, ours in sorted(SAME.items())]]
    parts.append("\nnewaxis: None\n__version__: str\n\n")
    parts.append(block("__all__ = [", [f'"{name}"' for name in weft.__all__], "]"))
    return "".join(parts)


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
