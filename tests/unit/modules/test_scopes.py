"""Entries of function tables, replaced and wrapped: the same bits, one call for each operation, undone after."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import numpy as np
import pytest

import weft
from tests.oracle.compare import same_bits
from tests.oracle.samples import LAYOUTS, takes, tensor
from weft import dtypes as dt
from weft.errors import ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.modules import core, linalg
from weft.passes import switches
from weft.runtime.compute import function_tables
from weft.tensors.tensor import node_of, values_of, wrap


class Count:
    """A wrapper that counts."""

    def __init__(self):
        self.calls = []

    def __call__(self, call):
        self.calls.append(call.op)
        call()


def tenfold(out, args, attrs):
    out[...] = args[0] * 10


def test_counting_gives_the_same_result():
    x, count = weft.asarray([1.0, 2.0]), Count()
    with core.wrapped("add", count, device="cpu"):
        assert ((x + 1) * 2).tolist() == [4.0, 6.0]
        assert count.calls == ["add"]
        assert (x + x).sum().item() == 6.0
    assert (x + 1).tolist() == [2.0, 3.0] and count.calls == ["add", "add"]


def test_a_replacement_holds_in_its_block_only():
    x = weft.asarray([1, 2])
    y = x + 1  # pending: what computes it is found when its value is needed
    with core.replaced("add", tenfold):
        assert y.tolist() == [10, 20] and (x + 1).tolist() == [10, 20]
    assert (x + 1).tolist() == [2, 3]


def test_scopes_nest_and_end_with_exceptions():
    x, inner, outer = weft.asarray([1, 2]), Count(), Count()
    with pytest.raises(ZeroDivisionError), core.wrapped("add", outer):
        with core.replaced("add", tenfold):
            with core.wrapped("add", inner):
                assert (x + 1).tolist() == [10, 20]
            assert (inner.calls, outer.calls) == (["add"], [])
        assert (x + 1).tolist() == [2, 3] and outer.calls == ["add"]
        raise ZeroDivisionError
    assert (x + 1).tolist() == [2, 3] and outer.calls == ["add"]
    assert function_tables._SCOPE.get() is None and not switches.OPEN


def within(block):
    with block:
        yield


def test_scopes_of_generators_end_in_any_order():
    x, lower, upper = weft.asarray([1, 2]), Count(), Count()
    a, b = within(core.wrapped("add", lower)), within(core.wrapped("add", upper))
    next(a), next(b)
    a.close()
    assert (x + 1).tolist() == [2, 3] and (lower.calls, upper.calls) == ([], ["add"])
    b.close()
    assert (x + 1).tolist() == [2, 3] and upper.calls == ["add"]
    assert function_tables._SCOPE.get() is None and not switches.REPLACED.get()


def test_a_scope_that_a_generator_leaves_in_another_thread_is_left():
    x, count = weft.ones((2, 2)).realize(), Count()
    a = within(linalg.wrapped("matmul", count))
    next(a)
    t = threading.Thread(target=a.close)
    t.start(), t.join()
    assert (x @ x).tolist() == [[2, 2], [2, 2]] and not count.calls and not switches.OPEN
    with weft.without("flat concat"):
        assert switches.enabled("prune") and not switches.replaced()
    with core.wrapped("add", Count()):
        assert (x @ x + x).tolist() == [[3, 3], [3, 3]] and not count.calls


def test_work_of_a_device_is_done_under_the_scopes_where_it_was_submitted():
    d, gate = weft.device("thread:8"), threading.Event()
    x = weft.asarray([1, 2]).to(d).sync()
    s = d.create_stream()
    s.run(lambda cells: gate.wait(), writes=[x])
    with core.replaced("add", tenfold):
        y = (x + 1).realize()
    gate.set()
    assert y.tolist() == [10, 20] and (x + 1).tolist() == [2, 3]


def test_wrappers_of_wrappers_call_down():
    x, log = weft.asarray([1, 2]), []

    def layer(name):
        def wrapper(call):
            log.append(name)
            call()

        return wrapper

    with core.wrapped("add", layer("lower")), core.wrapped("add", layer("upper")):
        assert (x + 1).tolist() == [2, 3]
    assert log == ["upper", "lower"]


def test_what_a_wrapper_computes_with_weft_ends_below_it():
    x, count = weft.asarray([1.0, 2.0]), Count()

    def with_weft(out, args, attrs):
        out[...] = (weft.asarray(args[0]) + weft.asarray(args[1]) + 1).numpy()

    with core.wrapped("add", count), core.replaced("add", with_weft):
        assert (x + x).tolist() == [3.0, 5.0]
    assert count.calls == ["add", "add"]


def test_a_call_may_be_run_again_and_elsewhere():
    x, lower = weft.asarray([1.0, 2.0]), Count()

    def twice_in_a_thread(call):
        thread = threading.Thread(target=lambda: (call(), call()))
        thread.start()
        thread.join()

    with core.wrapped("add", lower), core.wrapped("add", twice_in_a_thread):
        assert (x + 1).tolist() == [2.0, 3.0]
    assert lower.calls == ["add", "add"]


def test_other_threads_see_nothing_of_it():
    x, seen = weft.asarray([1, 2]), []
    with core.replaced("add", tenfold):
        thread = threading.Thread(target=lambda: seen.append((x + 1).tolist()))
        thread.start()
        thread.join()
        assert (x + 1).tolist() == [10, 20]
    assert seen == [[2, 3]]


def test_threads_with_scopes_of_their_own():
    x, wrong = weft.asarray(np.arange(50.0)), []

    def work(k):
        def by(out, args, attrs):
            out[...] = args[0] * k

        for _ in range(50):
            with core.replaced("multiply", by):
                if (x * 2).tolist() != [v * k for v in range(50)]:
                    wrong.append(k)
            if (x * 2).tolist() != [2.0 * v for v in range(50)]:
                wrong.append(-k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == [] and not switches.OPEN


def test_an_error_of_an_entry_leaves_values_as_they_were():
    x = weft.asarray([1.0, 2.0])
    a = x.numpy()

    def fails(call):
        raise ZeroDivisionError

    with core.wrapped("add", fails):
        with pytest.raises(ZeroDivisionError):
            x += 1
            x.tolist()
        with pytest.raises(ZeroDivisionError):
            x[0] = (x + 1)[1]
    assert a.tolist() == [1.0, 2.0] and (x * 1).shape == (2,)


def test_operands_are_read_only_and_lie_as_they_do():
    a = np.arange(6, dtype=">i2").reshape(2, 3)[::-1]
    seen = []

    def look(call):
        seen.append((call.args[0].dtype.str, call.args[0].strides, call.args[0].flags.writeable, call.attrs))
        call()

    with core.wrapped("sum", look):
        assert weft.asarray(a).sum(axis=1).tolist() == [12, 3]
    assert seen == [(">i2", (-6, 2), False, ((1,), False))]


def test_writes_and_views():
    x, count = weft.asarray(np.arange(12.0).reshape(3, 4)), Count()
    with core.wrapped("multiply", count):
        x[1:, ::2] *= 10
        x[0] = (x * 2)[2]
        y = weft.concat([x[:1] * 3, x[1:]])
        assert y[::-1, 1].tolist() == [9.0, 5.0, 54.0]
    assert x.tolist() == [[160.0, 18.0, 200.0, 22.0], [40.0, 5.0, 60.0, 7.0], [80.0, 9.0, 100.0, 11.0]]
    assert set(count.calls) == {"multiply"} and len(count.calls) == 3


def test_rules_do_not_take_a_replaced_operation_away():
    x = weft.asarray([1, 2])
    with core.replaced("add", tenfold):
        assert (x + 0).tolist() == [10, 20]
        assert weft.flip(x + 0).tolist() == [20, 10]
        assert weft.sum(weft.concat([x + 0, x])).item() == 33


def test_eager_and_large_and_empty():
    count = Count()
    with core.wrapped("add", count), weft.eager():
        (weft.asarray([1]) + 1) * 2
    assert count.calls == ["add"]
    with core.replaced("add", tenfold):
        assert (weft.zeros((0, 3)) + 1).tolist() == []
        assert (weft.asarray(3) + 1).item() == 30
        x = weft.asarray(np.ones(100_000))
        assert float((x + 1)[::7].sum()) == 10.0 * len(range(0, 100_000, 7))


def expressions():
    """Values that use every kind of operation."""
    x = weft.random.uniform((5, 6), seed=3)
    i = weft.asarray(np.arange(30).reshape(5, 6) % 7)
    yield weft.where(x > 0.5, x, -x)
    yield weft.concat([x, weft.flip(x, axis=0)])[2:7, ::2] + weft.arange(3)
    yield weft.pad(x, ((1, 2), (0, 1)), mode="constant", constant_values=2.0).sum(axis=0)
    yield weft.pad(x, ((1, 2), (0, 1)), mode="reflect")
    yield weft.tile(x, (2, 1)) / weft.repeat(x, 2, axis=0)
    yield weft.roll(x, (1, 2), axis=(0, 1))
    yield weft.interleave([x, x * 2], axis=1)
    yield weft.overlay([x, weft.translate(x * 2, (2, 3))], fill=0)
    yield weft.cumulative_sum(x, axis=1)
    yield weft.stack([weft.mean(x, axis=1), weft.var(x, axis=1), weft.max(x, axis=1)])
    yield weft.take(x, weft.asarray([4, 0, 4]), axis=0)
    yield weft.take_along_axis(x, weft.argsort(x, axis=1), axis=1)
    yield weft.sort(i, axis=0) @ weft.permute_dims(i, (1, 0))
    yield (weft.asarray([1, 2], dtype=weft.int8) + 1).astype(weft.complex64) * 2j
    yield weft.searchsorted(weft.asarray([0.2, 0.6]), x[0])
    yield weft.exp(x).reshape(6, 5).T.reshape(30)
    yield weft.random.normal((4, 3), seed=1)
    yield weft.all(x < 2) & weft.any(i == 3)
    yield weft.argmax(i, axis=1) + weft.count_nonzero(i, axis=1)


@pytest.mark.parametrize("number", range(len(list(expressions()))))
def test_called_one_by_one_the_bits_are_the_same(number):
    wanted = list(expressions())[number].numpy().copy()
    count = Count()
    with weft.modules.through(count):
        made = list(expressions())[number].numpy()
    assert same_bits(made, wanted) and count.calls


def test_every_expression_by_the_reference():
    for number, wanted in enumerate(expressions()):
        lines = []
        with weft.modules.debugging(lines.append):
            made = list(expressions())[number]
            assert np.allclose(made.numpy(), wanted.numpy(), rtol=1e-13), lines
        assert lines and all(" = " in line for line in lines)


NATIVE = {
    r: [d for d in dt.COMMON if takes(r, d)] for r in OPS.values()
    if r.kind == "elementwise" and r.arity in (1, 2) and r.name not in ("astype", "complex", "checked")
    and function_tables.can_be_replaced(r)
}  # fmt: skip
LAID = [n for n in LAYOUTS if n != "long"]


def check_entry(op, dtype, layout):
    operands = [tensor(dtype, layout, i) for i in range(op.arity)]
    n = ir.elementwise(op, *map(node_of, operands))
    wanted = values_of(n)
    args = [values_of(i) for i in ir.elementwise(op, *map(node_of, operands)).inputs]
    out = np.empty(wanted.shape, wanted.dtype)
    core.table("cpu")[op.name](out, args, ())
    assert same_bits(out, wanted), (op, dtype)


@pytest.mark.parametrize("turn", range(len(LAID)), ids=LAID.__getitem__)
def test_table_entries_give_the_bits_of_kernels(turn):
    for number, (op, dtypes) in list(enumerate(NATIVE.items()))[turn % 4 :: 4]:
        check_entry(op, dtypes[(number + turn) % len(dtypes)], LAID[turn])


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAID)
def test_more_table_entries_give_the_bits_of_kernels(layout):
    pairs = [(op, dtype) for op, dtypes in NATIVE.items() for dtype in dtypes]
    for op, dtype in pairs[sum(map(ord, layout)) % 19 :: 19]:
        check_entry(op, dtype, layout)


def test_entries_check_what_they_are_given():
    add = core.table("cpu")["add"]
    with pytest.raises(weft.errors.ShapeError, match=r"add: operands .* the shape follows as"):
        add(np.empty(3), [np.ones(2), np.ones(2)], ())
    with pytest.raises(weft.errors.ShapeError, match=r"add: operands .* the dtype follows as float64"):
        add(np.empty(2, np.float32), [np.ones(2), np.ones(2)], ())
    locked = np.empty(2)
    locked.flags.writeable = False
    with pytest.raises(weft.errors.WriteError, match="add: a read-only array as the result"):
        add(locked, [np.ones(2), np.ones(2)], ())
    out = np.ones((2, 2))
    add(out, [[1.0, 2.0], np.ones((2, 1))], ())
    assert out.tolist() == [[2.0, 3.0], [2.0, 3.0]]


def test_entries_of_routines_check_what_they_are_given():
    table, square, number = weft.modules.linalg.table("cpu"), np.asarray([[2.0, 1.0], [1.0, 2.0]]), np.empty(())
    table["det"](number, [square[::-1].tolist()], ())
    assert np.isclose(number, -3.0)
    with pytest.raises(weft.errors.ShapeError, match=r"det: operands float64\[2, 3\] into float64\[\]"):
        table["det"](number, [np.ones((2, 3))], ())
    with pytest.raises(weft.errors.ShapeError, match=r"solve: .*; 1 inputs where the op takes 2"):
        table["solve"](np.empty((2, 2)), [square], ())
    with pytest.raises(weft.errors.ShapeError, match=r"sort: .* attributes \(\) do not fit"):
        core.table("cpu")["sort"](np.empty(3), [np.ones(3)], ())
    square.flags.writeable = False
    with pytest.raises(weft.errors.WriteError, match="inv: a read-only array as the result"):
        table["inv"](square, [square], ())


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda: core.replaced("nothing", tenfold), "replaced: 'nothing' is no op of module 'core'; it declares "),
        (lambda: core.wrapped("slice", tenfold), "wrapped: 'slice' is no op of module 'core'"),
        (lambda: core.wrapped("add", tenfold, device="gpu").__enter__(), "device type 'gpu'; tables are loaded for"),
        (lambda: core.replaced("add", 3).__enter__(), "replaced: 3 as the entry of add; it is called"),
        (
            lambda: function_tables.over("flip", None, tenfold, True).__enter__(),
            "a selection gives cells that lie elsewhere",
        ),
        (lambda: function_tables.over("no", None, tenfold, True).__enter__(), "no op has this name"),
    ],
)
def test_scopes_that_mean_nothing_are_refused(act, text):
    with pytest.raises(ValueRangeError) as caught:
        act()
    assert text in str(caught.value)
    assert not switches.OPEN


def test_open_ended_scopes():
    stack, x = ExitStack(), weft.asarray([1])
    stack.enter_context(core.replaced("add", tenfold))
    assert (x + 1).tolist() == [10]
    stack.close()
    assert (x + 1).tolist() == [2]


def test_programs_are_kept_by_which_ops_are_replaced():
    transformer, x = weft.runtime.compute.engine.transformer("cpu"), weft.asarray([1.0, 2.0])
    for k in range(3):
        with core.replaced("subtract", lambda out, args, attrs, k=k: out.fill(k)):
            assert (x - 1 - 1).tolist() == [k, k]
        if not k:
            known = len(transformer.programs)
    assert len(transformer.programs) == known


def test_plans_say_call():
    x = weft.asarray([1.0, 2.0])
    with core.replaced("exp", tenfold), weft.profile() as p:
        (weft.exp(x * 2) + 1).numpy()
    assert (p.calls, p.kernels_run) == (1, 2)


def test_the_reference_has_tables_for_calls_only():
    x, count = weft.asarray([2, 1]), Count()
    with weft.transformer("reference"), weft.modules.through(count):
        assert weft.sort(x + 1).tolist() == [2, 3]
    assert count.calls == ["sort"]


def test_math_modes_and_wrappers_compose():
    count = Count()
    x = weft.asarray([1.0, -1.0])
    with core.wrapped("sqrt", count), pytest.raises(weft.errors.WeftError):
        weft.sqrt(x, mode="error").numpy()
    assert wrap(node_of(x)).tolist() == [1.0, -1.0]
