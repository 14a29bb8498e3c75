"""Files of programs, damaged or made to do harm: an error of their own, never an access beyond memory.

A changed file that loads all the same runs in a process of its own, on arrays between protected pages: an access beyond
them ends it, and the last line that it wrote is the change that did so.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import random
import resource
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ProgramFileError
from weft.runtime.memory import allocator

ROOT = Path(__file__).parents[3]
X = np.linspace(-1.0, 1.0, 96).reshape(8, 12)
NUMBERS = (0, 1, -1, 2, 3, 7, 8, 13, 64, 96, 97, 1 << 20, 1 << 40, 1 << 61, 1 << 62, -(1 << 62), 1 << 70)


def softmax(x: Any) -> Any:
    e = weft.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


FUNCTIONS: list[Callable[..., Any]] = [
    lambda x, r: weft.exp(x[::-1] * r) + weft.pad(x, 1)[1:-1, 1:-1],
    lambda x, r: [x.sum(axis=0), x.var(axis=1), weft.argmax(x * r), weft.concat([x, x[:3]]).max(axis=0)],
    lambda x, r: weft.cumulative_sum(x * r, axis=0, include_initial=True),
    lambda x, r: [weft.histogram(x, bins=5, range=(-1, 1), weights=x)[0], weft.sort(x, axis=0) * r],
    lambda x, r: weft.take(x, weft.asarray([11, 0, 3]), axis=1) * r,
    lambda x, r: [x @ x.T * r, weft.linalg.svd(x)[1], weft.fft.rfft(x).real],
    lambda x, r: softmax(weft.broadcast_to(x.reshape(1, 8, 12), (1500, 8, 12)).reshape(12000, 12) * r),
    lambda x, r: [*weft.scan(lambda c, v: (c * 2 + v, v[:3]), x[0], x[:, ::-1]), weft.cond(x[0, 0] > r, abs, abs, x)],
    lambda x, r: [weft.random.permutation(5000, seed=4) * 2, weft.interp(x, X[0], X[1])],
]


def file_of(f: Callable[..., Any], path: Path) -> dict[str, Any]:
    """Save a function that was called, and return its structure."""
    compiled = weft.compile(f)
    compiled(weft.asarray(X), 2.0)
    weft.save_program(compiled, path)
    with zipfile.ZipFile(path) as archive:
        return dict(json.loads(archive.read("program.json")))


def rewritten(path: Path, text: str) -> None:
    """Replace the structure in a file, with the right checksums."""
    with zipfile.ZipFile(path) as archive:
        weights = archive.read("weights.safetensors")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("program.json", text)
        archive.writestr("weights.safetensors", weights)


# ---- what is refused


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f.weft"


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "version": (lambda d: d.update(version=2), "version 2 of the format"),
    "format": (lambda d: d.update(format="weft"), "it is no program"),
    "no calls": (lambda d: d.pop("calls"), "no 'calls'"),
    "unknown key": (lambda d: d.update(more=1), "an unknown key 'more'"),
    "dtype": (lambda d: plan(d)["buffers"][0].update(dtype="float65"), r"buffers\[0\].dtype: 'float65' is no dtype"),
    "op": (lambda d: plan(d)["bodies"][0][-1].update(op="system"), "no such instruction"),
    "later value": (lambda d: plan(d)["bodies"][0][-1].update(args=[99]), "not computed before"),
    "body": (lambda d: row(d).update(body=99), r"rows\[0\].body: 99 is no integer from 0"),
    "offset": (lambda d: row(d)["operands"][0].update(offset=8 * 96), "of argument 0, which has 0 to 768"),
    "stride": (lambda d: row(d)["operands"][0].update(strides=[-96, 8]), "of argument 0, which has 0 to 768"),
    "output": (lambda d: row(d)["out"].update(offset=8), "of argument 1, which has 0 to 768"),
    "input": (lambda d: row(d)["out"].update(arg=0), "it writes an input"),
    "argument": (lambda d: row(d)["operands"][0].update(arg=5), "2 arguments"),
    "size": (lambda d: row(d).update(sizes=[1 << 40, 1 << 40]), "loops count to"),
    "rank": (lambda d: row(d).update(sizes=[96]), "an operand with strides"),
    "buffer": (lambda d: plan(d)["buffers"][0].update(shape=[1 << 50, 1 << 20]), "no memory is as large"),
    "arena": (lambda d: plan(d)["buffers"][0].update(arena=0), "of an arena of 0"),
    "outputs": (lambda d: plan(d).update(outputs=[1]), r"outputs \(1,\) of 1 buffers"),
    "described": (lambda d: d["calls"][0]["outputs"][0].update(shape=[8, 13]), "in a buffer"),
    "kind": (lambda d: d["calls"][0]["arguments"][0]["tensor"].update(shape=[4, 12]), "which has 0 to 384"),
    "group": (lambda d: plan(d).update(groups=[[0, 2]]), "block by block"),
    "step": (lambda d: plan(d)["steps"].append({"kind": "call", "name": "os.system"}), "no 'args'"),
    "number": (lambda d: d["calls"][0]["numbers"][0]["number"].update(function="eval"), "'eval' is none of"),
    "type": (lambda d: d["calls"][0].update(results={"of": "os.system", "items": []}), "the type os.system"),
}  # fmt: skip


def plan(d: dict[str, Any]) -> Any:
    return d["calls"][0]["plan"]["plan"]


def row(d: dict[str, Any]) -> Any:
    return plan(d)["steps"][0]["rows"][0]


@pytest.mark.parametrize("name", CHANGES)
def test_changed_structures_are_refused_with_the_path(name: str, path: Path) -> None:
    data = file_of(lambda x, r: x * r, path)
    change, message = CHANGES[name]
    change(data)
    rewritten(path, json.dumps(data))
    with pytest.raises(ProgramFileError, match=message) as error:
        weft.load_program(path)
    assert isinstance(error.value, ValueError)


def test_all_faults_are_in_one_report(path: Path) -> None:
    data = file_of(lambda x, r: x * r, path)
    row(data)["sizes"] = ["a"]
    row(data)["more"] = 1
    plan(data)["buffers"][0]["dtype"] = 5
    rewritten(path, json.dumps(data))
    with pytest.raises(ProgramFileError, match="3 faults") as error:
        weft.load_program(path)
    assert "calls[0].plan.plan.steps[0].rows[0].more" in str(error.value) or "unknown key" in str(error.value)


@pytest.mark.parametrize("text", ["[" * 100_000, "{}", "", "nul", '{"a":' * 5000, "9" * 5000, "[]", '"weft-program"'])
def test_texts_that_are_no_structure(text: str, path: Path) -> None:
    file_of(lambda x, r: x * r, path)
    rewritten(path, text)
    with pytest.raises(ProgramFileError):
        weft.load_program(path)


@pytest.mark.parametrize("change", [
    lambda t: t.replace("multiply(", "system("), lambda t: t.replace("%0 =", "%9 ="), lambda t: t + "\nreturn %0",
    lambda t: t.replace("float64", "float32"), lambda t: t.replace("hole 0", "hole 7"), lambda t: "(" * 10_000,
    lambda t: t.replace("[8, 12]", "[9999, 12]"), lambda t: t.replace("%0, ", "%1, "), lambda t: "",
])  # fmt: skip
def test_graphs_are_held_against_the_rules_when_they_are_needed(change: Callable[[str], str], path: Path) -> None:
    data = file_of(lambda x, r: x * r, path)
    data["calls"][0] |= {"plan": None, "graph": change(data["calls"][0]["graph"])}
    rewritten(path, json.dumps(data))
    f = weft.load_program(path)
    try:
        assert f(weft.asarray(X), 2.0).tolist() == (X * 2).tolist()
    except ProgramFileError as error:
        assert "its graph" in str(error)


def test_takes_of_strangers_stay_inside(path: Path) -> None:
    data = file_of(FUNCTIONS[4], path)
    raw = path.read_bytes()
    table = np.array([11, 0, 3]).tobytes()
    assert raw.count(table) == 1
    for p in (data["calls"][0]["plan"], None):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("program.json", json.dumps(data | {"calls": [data["calls"][0] | {"plan": p}]}))
            with zipfile.ZipFile(_kept(raw, path)) as old:
                weights = old.read("weights.safetensors").replace(table, np.array([1 << 40, -(1 << 40), 5]).tobytes())
            archive.writestr("weights.safetensors", weights)
        found = weft.load_program(path)(weft.asarray(X), 1.0).numpy()
        assert np.isin(found, X).all() and np.array_equal(found[:, 2], X[:, 5])


def _kept(raw: bytes, path: Path) -> Path:
    (path.parent / "kept.weft").write_bytes(raw)
    return path.parent / "kept.weft"


def test_files_that_are_cut_or_changed_in_a_bit(path: Path) -> None:
    file_of(lambda x, r: weft.exp(x) * r + weft.constant(X), path)
    raw, random_ = path.read_bytes(), random.Random(1)
    for k in range(400):
        if k % 4:
            at = random_.randrange(len(raw) * 8)
            changed = bytearray(raw)
            changed[at // 8] ^= 1 << at % 8
        else:
            changed = bytearray(raw[: random_.randrange(len(raw))])
        path.write_bytes(changed)
        try:
            found = weft.load_program(path)(weft.asarray(X), 2.0)  # a bit that nothing reads, such as a date's
            assert found.tolist() == (weft.exp(weft.asarray(X)) * 2.0 + X).tolist()
        except ProgramFileError:
            pass


# ---- random changes, run


def leaves(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Iterate over the paths of all values in some JSON."""
    for key, value in data.items() if type(data) is dict else enumerate(data):
        yield (*at, key)
        if type(value) in (dict, list):
            yield from leaves(value, (*at, key))


def changed(data: Any, r: random.Random) -> list[Any]:
    """Change a few values of a structure; return what was changed."""
    done = []
    for _ in range(r.choice([1, 1, 2, 3])):
        where = r.choice([p for p in leaves(data) if r.random() < 0.2 or "plan" in p] or [("name",)])
        inner = data
        for key in where[:-1]:
            inner = inner[key]
        old, key = inner[where[-1]], where[-1]
        if type(old) is int and type(old) is not bool:
            new: Any = r.choice([old + r.choice([1, -1, 8, -8]), old * 2, r.choice(NUMBERS)])
        elif type(old) is list and old and r.random() < 0.7:
            new = r.choice([old[:-1], [*old, old[-1]], old[::-1]])
        elif type(old) is str:
            new = r.choice(
                ["float32", "int64", "bool", "complex128", "add", "maximum", "gather", "load", "sqrt", "sum", "map"]
            )
        else:
            new = r.choice([None, True, 0, [], {}, "x"])
        inner[key] = new
        done.append((where, new))
    return done


def fenced(nbytes: int) -> np.ndarray:
    """Return memory that ends where a protected page begins."""
    size = -(-max(nbytes, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
    pages = np.frombuffer(mmap.mmap(-1, size + 2 * mmap.PAGESIZE), np.uint8)
    for at in (0, mmap.PAGESIZE + size):
        address = ctypes.c_void_p(pages.ctypes.data + at)
        assert ctypes.CDLL(None).mprotect(address, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    return pages[mmap.PAGESIZE + size - nbytes : mmap.PAGESIZE + size]


def fuzz(seed: int, count: int, folder: Path) -> None:
    """Load and run programs that were changed at random."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError()))
    r, path = random.Random(seed), folder / f"{seed}.weft"
    files = [(file_of(f, path), path.read_bytes()) for f in FUNCTIONS]
    allocator.empty = lambda dtype, shape: np.ndarray(shape, dtype, fenced(int(np.prod(shape)) * dtype.itemsize))
    x = weft.asarray(np.ndarray(X.shape, X.dtype, fenced(X.nbytes)))
    x[...] = X
    ran = 0
    for _ in range(count):
        data, raw = r.choice(files)
        path.write_bytes(raw)
        data = json.loads(json.dumps(data))
        done = changed(data, r)
        rewritten(path, json.dumps(data))
        sys.stdout.write(f"{done}\n")
        sys.stdout.flush()
        try:
            f = weft.load_program(path)
            for _, call in f.calls():
                if (known := call.graph._known) is not None:
                    known.program.make(known.transformer.build)
                    known.program.brief, known.program.quick, known.program.brisk = False, None, None
        except ProgramFileError:
            continue
        try:
            signal.alarm(5)
            f(x, 2.0)
            ran += 1
        except Exception as error:
            assert not isinstance(error, AssertionError), error
        finally:
            signal.alarm(0)
    sys.stdout.write(f"ran {ran}\n")


@pytest.mark.parametrize("seed", [0, *[pytest.param(n, marks=pytest.mark.slow) for n in range(1, 20)]])
def test_no_change_makes_a_step_beyond_memory(seed: int, tmp_path: Path) -> None:
    code = f"from tests.unit.programs.test_damaged_programs import *\nfuzz({seed}, 250, Path({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-2000:])
    assert int(lines[-1].split()[1]) > 3
