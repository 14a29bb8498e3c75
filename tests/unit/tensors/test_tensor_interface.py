"""What type checkers and editors are told: the same as the program has, name by name."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import weft
from weft.api.habits import TWO_READINGS

SOURCE = Path(weft.__file__).parent
INHERENT = {"__module__", "__doc__", "__slots__", "__weakref__", "__annotations__", "__hash__", "_place", "_view"}
UNTOLD = {  # what every object has, and what only programs ask for
    "__repr__", "__str__", "__format__", "__reduce_ex__", "__dir__", "__array_priority__", "__array_ufunc__",
    "__array_function__",
}  # fmt: skip


def class_in(path, name):
    tree = ast.parse((SOURCE / path).read_text())
    return next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)


def functions(path, name):
    return [n for n in class_in(path, name).body if isinstance(n, ast.FunctionDef)]


DECLARED = {f.name: f for f in functions("tensors/tensor_interface.pyi", "TensorInterface")}


def test_all_that_is_installed_is_declared_and_nothing_else():
    own = {f.name for f in functions("tensors/tensor.py", "Tensor")}
    assert set(vars(weft.Tensor)) - own - INHERENT - UNTOLD == set(DECLARED)


@pytest.mark.parametrize("name", DECLARED)
def test_declared_parameters_are_those_there_are(name):
    member = vars(weft.Tensor)[name]
    decorated = DECLARED[name].decorator_list
    if isinstance(member, property):
        assert [ast.unparse(d) for d in decorated] == [f"{name}.setter" if member.fset else "property"]
        return
    a = DECLARED[name].args
    told = [*a.posonlyargs, *a.args, *filter(None, [a.vararg]), *a.kwonlyargs, *filter(None, [a.kwarg])]
    taken = list(inspect.signature(member).parameters)[1:]
    habits = [h for h in getattr(member, "habits", {}) if (name, h) not in TWO_READINGS or "correction" in taken]
    assert [p.arg for p in told][1:] == [*taken, *habits]
    assert decorated == []


def test_every_public_name_is_told_of_where_it_is():
    told = {}
    for statement in ast.parse((SOURCE / "__init__.pyi").read_text()).body:
        if isinstance(statement, ast.ImportFrom) and statement.module not in ("typing", "builtins", "collections.abc"):
            for alias in statement.names:
                if (alias.asname or alias.name)[0].isupper() and alias.name not in weft.__all__:  # of annotations
                    continue
                module = import_module(statement.module)
                told[alias.asname or alias.name] = getattr(module, alias.name)
        elif isinstance(statement, ast.FunctionDef):
            told[statement.name] = getattr(weft, statement.name)
        elif isinstance(statement, ast.AnnAssign):
            told[ast.unparse(statement.target)] = getattr(weft, ast.unparse(statement.target))
    assert {name for name in told if told[name] is not getattr(weft, name)} == set()
    assert set(told) == set(weft.__all__)


PROGRAM = """
import weft
from weft import Tensor

def layer(x: Tensor, weight: Tensor) -> Tensor:
    y = weft.nn.relu(x @ weight + 1 - [1, 2])
    y[0] = 3
    y += 1
    for row in y:
        row.T.sum(0, keepdims=True)
    return (y == 2).astype(weft.float32) if 2 in y else -y.reshape(2, -1).mT

u: Tensor = weft.linalg.svd(weft.median(weft.ones((2, 2)), axis=0)).U.to("cpu").real
value: float = float(u[0, 0]) + u.max().item()
with weft.strict(dtype="forbid") as report, weft.math_mode("error"):
    print(report, weft.random.normal((3,), seed=1), weft.fft.fft(u), weft.open("x.npy"))
u.shape.count(1)
"""


@pytest.mark.slow
def test_a_typed_program_is_accepted_and_a_wrong_one_is_not(tmp_path):
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text("import weft\nweft.issubdtype\nweft.ones(2).abs()\n")
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache")]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "right.py", "wrong.py"],
        cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": str(SOURCE.parent), "PATH": ""}, check=False,
    )  # fmt: skip
    told = [line for line in run.stdout.splitlines() if "error" in line]
    assert [line.split(":")[0] for line in told if ": error" in line] == ["wrong.py"] * 2, run.stdout + run.stderr
