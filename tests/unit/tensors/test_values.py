"""Results of rank 0 are values, as NumPy's scalars; tensors of rank 0 that users make are written like any other."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import WriteError

RESULTS = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "max": lambda x: weft.max(x),
    "argmax": lambda x: x.argmax(),
    "any": lambda x: weft.any(x > 0),
    "product": lambda x: x @ x,
    "operator": lambda x: x.sum() * 2,
    "of a tensor": lambda x: weft.asarray(3.0) + 1,
    "plus": lambda x: +weft.asarray(3.0),
    "negative": lambda x: -weft.asarray(3.0),
    "function": lambda x: weft.sin(weft.asarray(3.0)),
    "where": lambda x: weft.where(weft.asarray(True), x.sum(), 0.0),
    "take": lambda x: weft.take(x, 1),
    "index": lambda x: x[weft.argmax(x)],
    "median": lambda x: weft.median(x),
    "norm": lambda x: weft.linalg.norm(x),
    "det": lambda x: weft.linalg.det(weft.eye(2) * x[1]),
    "trace": lambda x: weft.trace(weft.outer(x, x)),
    "converted": lambda x: x.sum().astype(weft.float32),
    "compiled": lambda x: weft.compile(lambda x: x.sum())(x),
    "computation": lambda x: weft.computation(x.sum())(),
    "template": lambda x: [weft.var(x) for _ in range(3)][-1],
    "grad": lambda x: weft.grad(lambda a: a * a)(x.sum()),
    "vmap": lambda x: weft.vmap(lambda v: v.sum(), out_axes=0)(weft.outer(x, x)).sum(),
    "scan": lambda x: weft.scan(lambda c, v: (c + v, None), 0.0, x)[0],
    "cond": lambda x: weft.cond(x.sum() > 1, lambda: x.sum(), lambda: x.mean()),
    "while": lambda x: weft.while_loop(lambda v: v < 100, lambda v: v * 2, x.sum()),
    "item of rows": lambda x: next(iter(x + 1)),
}
MADE = {
    "number": lambda: weft.asarray(3.0),
    "number of a dtype": lambda: weft.asarray(3, dtype=weft.float32),
    "array": lambda: weft.asarray(np.array(3.0)),
    "array of a dtype": lambda: weft.asarray(np.array(3), dtype=weft.float32),
    "array's copy": lambda: weft.asarray(np.array(3.0), copy=True),
    "zeros": lambda: weft.zeros(()),
    "ones": lambda: weft.ones((), dtype=weft.int64),
    "full": lambda: weft.full((), 2.0),
    "full of a tensor": lambda: weft.full((), weft.asarray([1.0]).sum()),
    "empty": lambda: weft.empty(()),
    "like a value": lambda: weft.zeros_like(weft.asarray([1.0]).sum()),
    "copy": lambda: weft.asarray([1.0, 2.0]).sum().copy(),
    "clone": lambda: weft.asarray([1.0, 2.0]).sum().clone(),
    "asarray's copy": lambda: weft.asarray(weft.asarray([1.0, 2.0]).sum(), copy=True),
    "asarray of a dtype": lambda: weft.asarray(weft.asarray([1.0, 2.0]).sum(), dtype=weft.float32),
    "converted": lambda: weft.asarray(3.0).astype(weft.float32),
    "variable": lambda: weft.variable(2.0),
    "persistent": lambda: weft.persistent(2.0),
    "temporary": lambda: weft.temporary(()),
    "view": lambda: weft.asarray([1.0, 2.0])[0, ...],
    "reshaped": lambda: weft.reshape(weft.asarray([1.0]), ()),
    "leaf": lambda: weft.asarray(3.0).detach(),
}


@for_each("name", RESULTS)
def test_a_result_is_a_value(name: str) -> None:
    s = RESULTS[name](weft.asarray([1.0, 2.0, 4.0]))
    assert s.shape == ()
    before, t = s.item(), s
    with pytest.raises(WriteError, match="rank 0"):
        s[...] = before
    s += 1
    assert t.item() == before
    assert s.item() == before + 1
    u = s
    s *= 2
    assert (u.item(), s.item()) == (before + 1, 2 * (before + 1))
    with pytest.raises(WriteError, match="copy"):
        weft.assign(s, 3)


@for_each("name", MADE)
def test_a_tensor_that_users_make_is_written(name: str) -> None:
    s = MADE[name]()
    assert s.shape == ()
    t = s
    s[...] = 5
    assert t.item() == 5
    s += 1
    assert s is t
    assert t.item() == 6
    weft.assign(s, 7)
    assert t.item() == 7


def test_arrays_of_a_value_are_their_own() -> None:
    s = weft.asarray([1.0, 2.0]).sum()
    a = np.asarray(s)
    a[...] = 9
    assert s.item() == 3.0
    assert s.numpy().flags.writeable
    cell = weft.asarray([1.0, 2.0])[1]
    cell.numpy()[...] = 9
    assert cell.item() == 2.0


def test_an_out_of_a_value_is_refused() -> None:
    s = weft.asarray([1.0, 2.0]).sum()
    with pytest.raises(WriteError, match="copy"):
        weft.add(1.0, 2.0, out=s)
    assert s.item() == 3.0


def test_entries_of_rank_0_are_values() -> None:
    x = weft.asarray([1.0, 2.0, 3.0])

    def f(v):
        before = v
        v += 1
        return before * 10 + v

    assert weft.vmap(f)(x).tolist() == [f(v).item() for v in x] == [12.0, 23.0, 34.0]
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_arguments_of_steps_are_values() -> None:
    def step(c, v):
        before = c
        c += v
        return c, before

    last, befores = weft.scan(step, 0.0, weft.asarray([1.0, 2.0, 3.0]))
    assert (last.item(), befores.tolist()) == (6.0, [0.0, 1.0, 3.0])


def test_a_compiled_function_makes_a_new_number_of_a_value() -> None:
    @weft.compile
    def step(total, x):
        before = total
        total += x.sum()
        return total, before

    x = weft.asarray([1.0, 2.0])
    total = x.sum()
    for k in range(1, 4):
        old = total
        total, before = step(total, x)
        assert (total.item(), before.item(), old.item()) == (3.0 * (k + 1), 3.0 * k, 3.0 * k)
    assert len(step.explain().splitlines()) == 2  # traced, and not run as it stands
    made = weft.zeros(())
    step(made, x)
    assert made.item() == 3.0  # a tensor that a user made is written
    step(made, x)
    assert made.item() == 6.0
    assert len(step.explain().splitlines()) == 2
