"""The interface for type checkers and editors agrees with the program, name by name."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import weft
from tests.cases import for_each
from weft.api.habits import TWO_READINGS, spellings
from weft.interop.numpy.names import AS_THEY_ARE, CALLED

SOURCE = Path(weft.__file__).parent
INHERENT = {"__module__", "__doc__", "__slots__", "__weakref__", "__annotations__", "__hash__", "_place", "_view"}
INHERENT |= {"__firstlineno__", "__static_attributes__"}  # from Python 3.13 on
UNTOLD = {  # what every object has, what only programs ask for, and what type checkers refuse, too
    "__repr__", "__str__", "__format__", "__reduce_ex__", "__dir__", "__array_priority__", "__array_ufunc__",
    "__array_function__", "__delitem__",
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


def test_operators_are_called_by_their_names_in_errors():
    with pytest.raises(TypeError, match=r"Tensor\.__pow__\(\) takes 2 positional arguments"):
        pow(weft.ones(3), 2, 3)
    for short in ("rsub", "lt", "neg"):
        assert getattr(weft.Tensor, f"__{short}__").__qualname__ == f"Tensor.__{short}__"


@for_each("name", DECLARED)
def test_declared_parameters_are_those_there_are(name):
    member = vars(weft.Tensor)[name]
    decorated = DECLARED[name].decorator_list
    if isinstance(member, property):
        assert [ast.unparse(d) for d in decorated] == [f"{name}.setter" if member.fset else "property"]
        return
    a = DECLARED[name].args
    told = [*a.posonlyargs, *a.args, *filter(None, [a.vararg]), *a.kwonlyargs, *filter(None, [a.kwarg])]
    found = spellings(member) if hasattr(member, "name_in_numpy") else None
    own = inspect.signature(member).parameters.values() if found is None else found.taken
    parameters = {p.name: p.kind for p in own}
    taken = list(parameters)[1:]
    habits = {} if found is None else found.names
    named = [h for h, ours in habits.items() if parameters[ours]]  # not of one taken by place
    habits = [h for h in named if (name, h) not in TWO_READINGS or "correction" in taken]
    assert [p.arg for p in told][1:] == [*taken, *habits]
    assert decorated == []


FOR_ANNOTATIONS = ("typing", "builtins", "collections.abc", "contextlib", "os", "types", "weft.typing")


def test_the_stub_imports_every_public_name_from_its_module():
    told = {}
    for statement in ast.parse((SOURCE / "__init__.pyi").read_text()).body:
        if isinstance(statement, ast.ImportFrom) and statement.module not in FOR_ANNOTATIONS:
            for alias in statement.names:
                thing = getattr(import_module(statement.module), alias.name)
                if alias.name in weft.__all__ or not inspect.isclass(thing):  # others are of annotations
                    told[alias.asname or alias.name] = thing
        elif isinstance(statement, ast.FunctionDef):
            told[statement.name] = getattr(weft, statement.name)
        elif isinstance(statement, ast.AnnAssign):
            told[ast.unparse(statement.target)] = getattr(weft, ast.unparse(statement.target))
    assert {name for name in told if told[name] is not getattr(weft, name)} == set()
    of_numpy = {*CALLED, *[name for name in AS_THEY_ARE if not inspect.isclass(getattr(weft, name))]}
    assert set(told) == {*weft.__all__, *of_numpy}


PROGRAM = """
import numpy as np
import weft
from weft.typing import ArrayLike
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
mixed = weft.add(np.ones(3), [1, 2, 3]) + np.float32(2) + weft.concat([u, np.ones((2, 2)), [[1, 2]]], dim=0)
weft.zeros((2, 3), dtype=np.float64, device="cpu").sum(dim=1).std(ddof=1)
weft.where(u > 0, u, 0.0).argsort()


def centred(x: ArrayLike) -> weft.Tensor:
    return weft.subtract(x, weft.mean(x))


centred(np.ones(3)), centred([[1, 2.5], (3, 4)]), centred(2), centred(u)
"""
WRONG = """
import weft
u = weft.ones(2)
weft.busday_count
u.abs()
weft.sum(u, axsi=0)
weft.zeros((2, 3), dtyp="float32")
weft.concat(3)
u.mean(axes=0)
weft.random.normal((3,), sed=1)
weft.linalg.solve(u)
weft.fft.rfft(u, length=3)
weft.nn.softmax(u, axes=1)
weft.add(object(), 1)
"""


@pytest.mark.slow
def test_a_typed_program_is_accepted_and_a_wrong_one_is_not(tmp_path):
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache")]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "right.py", "wrong.py"],
        cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": str(SOURCE.parent), "PATH": ""}, check=False,
    )  # fmt: skip
    told = [line for line in run.stdout.splitlines() if "error" in line]
    assert [line.split(":")[0] for line in told if ": error" in line] == ["wrong.py"] * len(WRONG.splitlines()[3:]), (
        run.stdout + run.stderr
    )
