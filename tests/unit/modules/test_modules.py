"""Modules: interfaces and tables loaded apart, contexts, and what does not fit together."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import weft
from tests.oracle.compare import same_bits
from weft.errors import DTypeError, MissingImplementation, ShapeError, ValueRangeError
from weft.modules import Module, core, implement
from weft.modules.module import REGISTRY, WAITING
from weft.runtime.compute import function_tables

_NUMBERS = itertools.count()


@pytest.fixture
def name():
    """A name of a module that no test had; what it registers is taken away."""
    made = f"dummy{next(_NUMBERS)}"
    yield made
    WAITING.pop(made, None)
    if made in REGISTRY:
        REGISTRY.pop(made).unload()


def double(out, args, attrs):
    np.multiply(args[0], 2, out=out)


def test_the_modules_of_weft():
    assert weft.modules.names()[:5] == ("core", "linalg", "fft", "random", "nn")
    assert core.interface["where"].operands == 3 and core.interface["sum"].kind == "reduce"
    assert {"add", "exp", "sum", "cumulative_sum", "sort", "concat", "gather", "astype"} <= set(core.ops)
    assert not {"leaf", "iota", "slice", "permute", "reshape", "matmul"} & set(core.ops)
    assert "matmul" in weft.modules.linalg.ops and "philox" in weft.modules.random.ops
    assert core.missing("cpu") == () and weft.modules.linalg.missing("cpu") == () and weft.modules.fft.missing() == ()
    assert core.devices == ("cpu", "thread") and core.missing("cuda") == core.ops
    assert repr(core).startswith("<weft module 'core': ") and repr(core).endswith(" ops on cpu, thread>")
    assert {"core", "linalg", "fft", "random"} <= set(weft.cpu.modules)


def test_every_op_that_computes_is_in_one_module():
    members = [op for m in REGISTRY.values() if m.name in ("core", "linalg", "fft", "random") for op in m.ops]
    computing = [
        op for op, row in weft.ir.graph.ops.OPS.items() if function_tables.can_be_replaced(row) and "." not in op
    ]
    assert sorted(members) == sorted(computing)


def test_a_declared_operation_is_lazy(name):
    calls = []

    def work(out, args, attrs):
        calls.append([a.shape for a in args])
        out[...] = sum(a * a for a in args) ** 0.5

    m = Module(name)
    hypot3 = m.declare("hypot3", doc="The length of (x, y, z).")
    implement(name, "cpu", {"hypot3": work})
    x = weft.asarray(np.arange(6, dtype=">f4").reshape(2, 3))[::-1]
    y = hypot3(x + 1, 2, [[1], [3]])
    assert (y.dtype, y.shape, y.device, calls) == (weft.float64, (2, 3), "cpu", [])
    wanted = np.sqrt((x.numpy() + 1.0) ** 2 + 4 + np.array([[1.0], [9.0]]))
    assert np.allclose((y * 2).numpy(), 2 * wanted) and calls == [[(2, 3), (), (2, 1)]]
    assert hypot3(np.float32([3.0]), 4, 0).dtype is weft.float32 and hypot3(3.0, 4, 0).item() == 5.0
    assert hypot3.__name__ == "hypot3" and "length" in hypot3.__doc__
    assert m.ops == ("hypot3",) and m.devices == ("cpu",) and m.missing("thread") == ("hypot3",)


def test_declared_operations_everywhere(name):
    m = Module(name)
    twice = m.declare("twice")
    implement(name, "cpu", {"twice": double})
    x = weft.asarray(np.arange(12.0).reshape(3, 4))
    wanted = (twice(x + 1)[1:, ::2].T + 1).numpy().copy()
    assert wanted.tolist() == [[11.0, 19.0], [15.0, 23.0]]
    for way in (weft.eager, lambda: weft.transformer("reference"), lambda: weft.without("fuse", "simplify", "anchor")):
        with way():
            assert same_bits((twice(x + 1)[1:, ::2].T + 1).numpy(), wanted)
    y = weft.zeros((3, 4))
    y[...] = twice(x)
    y[0] += twice(x)[1]
    assert y[0].tolist() == [8.0, 12.0, 16.0, 20.0]
    assert twice(weft.zeros((0, 2))).shape == (0, 2) and twice(weft.asarray(3)).item() == 6
    assert weft.explain(twice(x)).kernels == 0 and f"{name}.twice" in str(weft.show(twice(x)))
    assert twice(twice(twice(x))).sum().item() == 8 * 66.0
    with m.wrapped("twice", lambda call: call.out.fill(1)):
        assert twice(x).sum().item() == 12.0


def test_declared_operations_over_a_batch(name):
    calls = []

    def add(out, args, attrs):
        calls.append(out.shape)
        np.add(*args, out=out)

    m = Module(name)
    together, one = m.declare("together"), m.declare("one", lambda x, y: (x.dtype, x.shape))
    implement(name, "cpu", {"together": add, "one": add})
    x, y = weft.asarray(np.arange(12.0).reshape(3, 4)), weft.asarray([1.0, 2.0, 3.0])
    for f, times in ((together, 1), (one, 3)):
        assert weft.vmap(lambda x, y, f=f: f(x, y * 2))(x, y).tolist() == (x + 2 * y[:, None]).tolist()
        assert len(calls) == times and weft.vmap(f)(x[:0], y[:0]).shape == (0, 4)
        calls.clear()


def test_a_rule_says_dtype_and_shape_and_options_come_as_attrs(name):
    seen = []

    def rule(x, *, bins, low):
        return weft.int64, (bins,)

    def count(out, args, attrs):
        seen.append((attrs, args[0].dtype.isnative))
        out[...] = np.histogram(args[0], attrs[0], (attrs[1], 10))[0]

    histogram = Module(name).declare("histogram", rule, options={"bins": 5, "low": 0.0})
    implement(name, "cpu", {"histogram": count})
    x = weft.asarray(np.arange(10, dtype=">f8"))
    assert histogram(x).tolist() == [2, 2, 2, 2, 2] and histogram(x, bins=2).tolist() == [5, 5]
    assert seen == [((5, 0.0), True), ((2, 0.0), True)]
    with pytest.raises(ValueRangeError, match=r"histogram: option 'width'; it takes bins, low; name those"):
        histogram(x, width=3)
    with pytest.raises(ValueRangeError, match="they are part of what is compiled"):
        histogram(x, low=[1])


@pytest.mark.parametrize("said", [None, (weft.int64,), ("int8", (-1,)), ("int8", 3), ("int8", ("a",))])
def test_a_rule_that_says_something_else_is_named(name, said):
    odd = Module(name).declare("odd", lambda x: said)
    with pytest.raises(ValueRangeError, match=r"odd: its rule gives .*; a rule gives \(dtype, shape\) of the result"):
        odd(weft.zeros(1))


def test_missing_and_unfit_operands_raise(name):
    m = Module(name)
    add = m.declare("add")
    with pytest.raises(ShapeError, match="add: no operands"):
        add()
    with pytest.raises(ShapeError, match="do not broadcast"):
        add(weft.zeros(2), weft.zeros(3))
    with pytest.raises(DTypeError):
        add(object())
    with pytest.raises(DTypeError, match="dtype: 'none'"):
        m.declare("none", lambda x: ("none", ()))(weft.zeros(1))


def test_an_operation_without_implementation_is_named_with_its_device(name):
    f = Module(name).declare("f")
    y = f(weft.zeros(2))
    with pytest.raises(MissingImplementation) as caught:
        y.numpy()
    assert f"{name}.f: no implementation on device type 'cpu'; implementations are loaded for: none" in str(
        caught.value
    )
    implement(name, "thread", {"f": double})
    with pytest.raises(NotImplementedError, match="implementations are loaded for: thread; import the package"):
        y.numpy()
    implement(name, "cpu", {"f": double})
    assert y.tolist() == [0.0, 0.0]


def test_an_implementation_may_come_first(name):
    implement(name, "cpu", {"twice": double, "thrice": double}, version=3)
    m = Module(name, version=3)
    assert m.undeclared() == ("twice", "thrice")
    twice = m.declare("twice")
    assert twice([1, 2]).tolist() == [2, 4] and m.undeclared() == ("thrice",)
    assert m.declare("thrice")([1]).tolist() == [2] and m.missing() == ()


def test_versions_must_agree(name):
    m = Module(name, version=2)
    m.declare("f")
    with pytest.raises(ValueRangeError, match=r"for version 1 of the interface, which is 2; .* install a matching"):
        implement(name, "cpu", {"f": double})
    assert m.devices == ()


def test_an_early_implementation_of_another_version_is_left_out(name):
    implement(name, "cpu", {"f": double}, version=1)
    with pytest.warns(RuntimeWarning, match="left out: .*written for version 1 of the interface, which is 2"):
        f = Module(name, version=2).declare("f")
    with pytest.raises(MissingImplementation):
        f([1]).numpy()


def test_entries_that_do_not_fit_are_refused(name):
    m = Module(name)
    m.declare("f")
    with pytest.raises(ValueRangeError, match=f"entries g for module '{name}'; its interface declares f; leave them"):
        implement(name, "cpu", {"g": double})
    for wrong in (lambda x: x, lambda out, args: None, 3):
        with pytest.raises(ValueRangeError, match=r"f on device type 'cpu': .* is not called as f\(out, args, attrs\)"):
            implement(name, "cpu", {"f": wrong})
    implement(name, "cpu", {"f": double})
    with pytest.raises(ValueRangeError, match=r"f have an entry already; replaced\(\) lies over it in a scope"):
        implement(name, "cpu", {"f": double})


@pytest.mark.parametrize("wrong", ["core", "not a name", "", 3])
def test_names_of_modules(wrong):
    with pytest.raises(ValueRangeError, match="Module: name"):
        Module(wrong)


def test_names_of_operations(name):
    m = Module(name)
    m.declare("f")
    for wrong in ("f", "a b", 3):
        with pytest.raises(ValueRangeError, match="names are new identifiers; choose another"):
            m.declare(wrong)
    with pytest.raises(ValueRangeError, match=r"rule 'other' of .*; it says dtype and shape"):
        m.declare("g", "other")


# ---- devices


def test_one_context_for_each_device(name):
    log = []
    m = Module(name)

    def counted(out, args, attrs):
        m.context()["calls"] += 1
        double(out, args, attrs)

    def made(device):
        log.append(f"made {device}")
        return {"calls": 0, "device": device}

    def ended(context):
        log.append(f"ended {context['device']} after {context['calls']}")

    twice = m.declare("twice")
    for kind in ("cpu", "thread"):
        implement(name, kind, {"twice": counted}, context=made, finalise=ended)
    x = weft.asarray([1, 2])
    for device, count in (("cpu", 2), ("thread:0", 1), ("thread:1", 3)):
        for _ in range(count):
            assert twice(x.to_device(device)).tolist() == [2, 4]
    assert [m.context(d)["calls"] for d in ("cpu", "thread:0", "thread:1")] == [2, 1, 3]
    assert log == ["made cpu", "made thread:0", "made thread:1"]
    m.unload()
    assert log[3:] == ["ended thread:1 after 3", "ended thread:0 after 1", "ended cpu after 2"]
    with pytest.raises(MissingImplementation):
        twice(x).numpy()
    with pytest.raises(ValueRangeError, match=f"context: module '{name}' has none on 'cpu'"):
        m.context("cpu")


def test_a_context_is_made_once_by_many_threads(name):
    made, m = [], Module(name)
    f = m.declare("f")

    def context(device):
        time.sleep(0.01)
        made.append(device)
        return made

    implement(name, "cpu", {"f": lambda out, args, attrs: out.fill(len(m.context()))}, context=context)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda k: f(weft.asarray([1.0])).item(), range(16)))
    assert made == ["cpu"] and results == [1.0] * 16


def test_a_finaliser_that_fails_keeps_no_other_from_running(name):
    ended, m = [], Module(name)
    m.declare("f")

    def finalise(device):
        ended.append(device)
        if device == "thread:1":
            raise OSError("no answer")

    implement(name, "thread", {"f": double}, context=lambda d: d, finalise=finalise)
    for k in range(3):
        m.context(f"thread:{k}")
    with pytest.raises(OSError, match="no answer"):
        m.unload()
    assert ended == ["thread:2", "thread:1", "thread:0"] and m.devices == ()


def test_entries_are_replaced_for_one_type_of_device():
    seen = []

    def note(call):
        seen.append(call.device)
        call()

    x = weft.asarray([1.0, 2.0])
    with core.wrapped("add", note, device="thread"):
        assert (x + 1).tolist() == (x.to_device("thread:0") + 1).tolist() == [2.0, 3.0]
    assert seen == ["thread"]


def test_finalisers_run_at_the_end_of_the_interpreter():
    code = """
import weft
m = weft.modules.Module("ends")
f = m.declare("f")
def work(out, args, attrs):
    m.context(); out[...] = 1
weft.modules.implement("ends", "cpu", {"f": work}, context=lambda d: d, finalise=lambda c: print("ended", c))
print(f(weft.zeros(1)).item())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["1.0", "ended cpu", ""] and not done.stderr


# ---- packages of others


def installed(folder: Path, package: str, source: str, entry: str) -> None:
    """A distribution as it lies in a folder of packages."""
    (folder / f"{package}.py").write_text(source)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[weft.modules]\n{entry}\n")


def test_a_package_brings_a_module(tmp_path, monkeypatch):
    source = """
import weft
module = weft.modules.Module("brought")
triple = module.declare("triple")
def work(out, args, attrs):
    out[...] = 3 * args[0]
weft.modules.implement("brought", "cpu", {"triple": work})
"""
    installed(tmp_path, "weft_brought", source, "brought = weft_brought:module")
    monkeypatch.syspath_prepend(tmp_path)
    assert "brought" in weft.modules.names() and "weft_brought" not in sys.modules
    assert weft.modules.brought.ops == ("triple",)
    assert sys.modules["weft_brought"].triple([1, 2]).tolist() == [3, 6]
    REGISTRY.pop("brought").unload()


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise OSError('no library')", "OSError: no library"),
        ("import not_there_at_all", "ModuleNotFoundError"),
        ("module = 3", "TypeError: .* is a int, not a weft.modules.Module"),
        ("import weft; module = weft.modules.core", "ValueError: .* is the module 'core'"),
        ("import weft; module = weft.modules.Module('broken', version=1); 1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_broken_package_costs_a_warning_that_names_it(tmp_path, monkeypatch, source, why):
    package = f"weft_broken{next(_NUMBERS)}"
    installed(tmp_path, package, source, f"broken = {package}:module")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(RuntimeWarning, match=f"broken of the distribution {package} cannot be loaded .*{why}"):
        assert not hasattr(weft.modules, "broken")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(weft.modules, "broken")  # once is enough
    assert (weft.asarray([1]) + 1).tolist() == [2]


def test_a_module_that_no_package_provides():
    with pytest.raises(AttributeError, match=r"'weft.modules' has no attribute 'nowhere'; modules are core, linalg"):
        _ = weft.modules.nowhere
