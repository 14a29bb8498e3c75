"""Writes src/weft/__init__.pyi: the public names for type checkers and editors, which do not run weft.

The one idea: imports are those of `__init__.py` and its table of what is imported later; functions that the op table
makes are declared with their signatures.  A test compares the file with what this module makes.
"""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from pathlib import Path
from textwrap import fill

import weft
from weft.api.numpy.foreign_names import SAME
from weft.api.standard import elementwise_functions
from weft.api.standard.elementwise_functions import MADE

STUB = Path(weft.__file__).with_suffix(".pyi")
HEAD = '''# ruff: noqa
"""The public names, for type checkers and editors, which do not run `weft.__getattr__`.

The one idea: `docs/stubs.py` writes this file from what the program imports.
"""

from typing import Any

'''


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
    return {module: sorted(set(names)) for module, names in sorted(found.items()) if names}


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
    for name, function in sorted(MADE.items()):
        shown = str(inspect.signature(function)).replace("'", "")
        parts.append(f"def {name}{shown}: ...\n")
    parts += ["\n", *[f"{theirs} = {ours}\n" for theirs, ours in sorted(SAME.items())]]
    parts.append("\nnewaxis: None\n__version__: str\n\n")
    parts.append(block("__all__ = [", [f'"{name}"' for name in weft.__all__], "]"))
    return "".join(parts)


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
