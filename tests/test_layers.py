"""The rules about the tree itself, read from the sources: imports run one way, files and functions stay small.

The one idea: every module belongs to a layer, and an import may only go to the same or a lower layer, wherever in the
file it stands.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.syntax_trees import parsed

ROOT = Path(__file__).parents[1] / "src"
LAYERS = (
    ("errors", "callbacks", "dtypes", "version"),
    ("ir",),
    ("passes",),
    ("runtime",),
    ("backends",),
    ("tensors", "modes", "settings", "typing"),
    (
        *("api", "programs", "random", "linalg", "fft", "lib", "nn"),
        *("autograd", "interop", "sources", "cluster", "inspect"),
    ),
    ("kernels", "modules"),
    ("",),  # weft itself: the public names
    ("ocean",),
    ("cli", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
# Modules that a lower layer names in a table and loads when first asked for, and frames that are told apart by module.
BY_NAME = {
    ("weft.runtime.compute.engine", "weft.backends.cpu"),
    ("weft.runtime.compute.engine", "weft.backends.reference.transformer"),
    ("weft.runtime.compute.function_tables", "weft.backends.calls.routines"),
    ("weft.runtime.compute.function_tables", "weft.backends.native"),
    ("weft.runtime.devices.device", "weft.modules.module"),
    *(("weft.modes.strict", f"weft.api.{name}") for name in ("argument_errors", "destination", "habits", "methods")),
    ("weft.modes.strict", "weft.api.standard.elementwise_functions"),
    *(("weft.modes.strict", f"weft.interop.numpy.{name}") for name in ("functions", "ufuncs", "values")),
    ("weft.modes.strict", "weft.ocean"),
    ("weft", "weft.ocean"),
}
MAX_FILE, MAX_FUNCTION = 500, 60
SHAPELESS_NAMES = {"utils", "common", "helpers", "misc"}
# What may be imported inside a function: packages that can be absent, and LLVM, which loads at the first compile.
OPTIONAL = {
    *("typer", "rich", "zarr", "tensorstore", "safetensors", "h5py", "astropy", "pyarrow", "PIL", "scipy"),
    *("dask", "distributed", "cupy", "torch", "jax", "fsspec"),
}
AT_FIRST_COMPILE = ("llvmlite", "weft.backends.llvm")

FILES = sorted((ROOT / "weft").rglob("*.py"))
SOURCES = {path: path.read_text(encoding="utf-8") for path in FILES}


def module_name(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax tree of every module by its name."""
    return parsed({module_name(path): text for path, text in SOURCES.items()})


def layer_of(module: str) -> int:
    """The rank of the layer that a weft module belongs to."""
    first = module.split(".")[1] if "." in module else ""
    assert first in RANK, f"{module}: belongs to no layer; name it in LAYERS"
    return RANK[first]


def imported(node: ast.stmt) -> list[str]:
    """The modules an import statement reaches; `from weft.ir import node` reaches the module weft.ir.graph.node."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert isinstance(node, ast.ImportFrom)
    assert node.level == 0, f"line {node.lineno}: relative import; write the full name"
    base = node.module or ""
    full = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in trees() else base for name in full]


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes of a tree that name or declare something."""
    return [n for n in ast.walk(tree) if not isinstance(n, (ast.expr_context, ast.operator, ast.cmpop, ast.arg))]


def imports(module: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every import of a module, those inside functions included."""
    for node in nodes(trees()[module]):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in imported(node):
                yield node.lineno, name


def is_weft(name: str) -> bool:
    return name == "weft" or name.startswith("weft.")


def named(module: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every string that is the name of a module below weft: those are imported by name."""
    for node in nodes(trees()[module]):
        name = node.value if isinstance(node, ast.Constant) else None
        if isinstance(name, str) and "." in name and name in trees() and (module, name) not in BY_NAME:
            yield node.lineno, name


def upward(module: str) -> list[str]:
    """The imports of a module that go up."""
    rank = layer_of(module)
    reached = [*imports(module), *named(module)]
    found = [(line, name) for line, name in reached if is_weft(name) and layer_of(name) > rank]
    return [f"{module}:{line} imports {name}, a layer above" for line, name in found]


def test_imports_run_one_way() -> None:
    assert [line for module in trees() for line in upward(module)] == []


def test_an_upward_import_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def late():\n    from weft.runtime.compute import engine\n"
    monkeypatch.setitem(trees(), "weft.ir.graph.node", ast.parse(text))
    assert upward("weft.ir.graph.node") == ["weft.ir.graph.node:2 imports weft.runtime.compute.engine, a layer above"]


def test_no_cycles() -> None:
    graph = {m: {n for _, n in imports(m) if n in trees() and n != m} for m in trees()}
    while True:
        free = {m for m, needs in graph.items() if not needs & graph.keys()}
        if not free:
            break
        graph = {m: needs for m, needs in graph.items() if m not in free}
    assert sorted(graph) == [], "these modules import each other, or hang on those that do"


MAX_CALLBACKS = 5


def test_calls_upward_are_declared_in_one_place() -> None:
    """A module sets names of `weft.callbacks` at most, and each of them is set by one module."""
    setters: list[str] = []
    for module, tree in trees().items():
        modules = {a.asname or a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
        for node in nodes(tree):
            for target in node.targets if isinstance(node, ast.Assign) else ():
                for t in target.elts if isinstance(target, ast.Tuple) else (target,):
                    if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.attr.isupper():
                        if t.value.id == "callbacks":
                            setters.append(t.attr)
                        else:
                            known = (module, f"{t.value.id}.{t.attr}") == (
                                "weft.runtime.devices.races",
                                "stream.DETECTOR",
                            )
                            assert known or t.value.id not in modules, f"{module}:{node.lineno} sets {t.attr}"
    declared = [n.target.id for n in trees()["weft.callbacks"].body if isinstance(n, ast.AnnAssign)]  # type: ignore
    assert sorted(setters) == sorted(declared) and len(declared) <= MAX_CALLBACKS


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def may_be_late(name: str) -> bool:
    return name.split(".")[0] in OPTIONAL or name.startswith(AT_FIRST_COMPILE)


def test_imports_stand_at_the_top() -> None:
    late = set()
    for module, tree in trees().items():
        for function in functions(tree):
            for node in ast.walk(function):
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    late |= {f"{module}:{node.lineno} {n}" for n in imported(node) if not may_be_late(n)}
    assert sorted(late) == []


def test_functions_are_short() -> None:
    sizes = {f"{m}:{f.name}": (f.end_lineno or 0) - f.lineno + 1 for m, t in trees().items() for f in functions(t)}
    assert {name: n for name, n in sizes.items() if n > MAX_FUNCTION} == {}


def test_files_are_short() -> None:
    sizes = {str(path.relative_to(ROOT)): text.count("\n") for path, text in SOURCES.items()}
    assert {name: n for name, n in sizes.items() if n > MAX_FILE} == {}


def test_every_module_says_what_it_is_for() -> None:
    assert [m for m, tree in trees().items() if not ast.get_docstring(tree)] == []


def test_every_file_is_named_for_what_it_holds() -> None:
    assert [str(path) for path in FILES if path.stem in SHAPELESS_NAMES] == []


def test_docstrings_say_what_is_done_not_a_riddle() -> None:
    riddle = re.compile(r"(What|Who|Whoever|Whether|Whatever|Which|Where|Of|That|How|Why)\b")
    found = []
    for module, tree in trees().items():
        for node in nodes(tree):
            documented = isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module))
            if documented and (text := ast.get_docstring(node)) and riddle.match(text):
                found.append(f"{module}:{getattr(node, 'name', '')}: {text.splitlines()[0]}")
    assert found == []


def test_class_names_are_unique() -> None:
    classes: dict[str, list[str]] = {}
    for module, tree in trees().items():
        for node in nodes(tree):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(module)
    assert {name: found for name, found in classes.items() if len(found) > 1} == {}
