"""Writes at masks and positions in functions that are traced: compiled ones, steps of loops, functions of entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError, TracingError

N, M = 5, 4


def _written(key: Any, value: Any) -> Any:
    """Return a function that writes into a copy of x, at a key of what is in `at`."""

    def f(x: Any, *at: Any) -> Any:
        y = x * 1
        y[key(*at)] = value(*at) if callable(value) else value
        return y

    return f


def _array(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=float).reshape(shape)


def _vector(*values: Any) -> Any:
    return weft.asarray(np.array(values))


KEYS: list[tuple[Any, Any, tuple[Any, ...]]] = [  # key, value, what is given beside x of shape (N, M)
    (lambda m: m, -1.0, (_array(N, M) % 3 == 0,)),
    (lambda m: m, -1.0, (_array(N) % 2 == 0,)),
    (lambda m: m, lambda m: _array(1, M) - 7, (_array(N) % 2 == 0,)),
    (lambda m: m, lambda m: _array(M) - 7, (np.zeros(N, bool),)),
    (lambda i: i, -1.0, (np.array(3),)),
    (lambda i: i, lambda i: _array(M) - 9, (np.array(-1),)),
    (lambda i: i, 5.0, (np.array([1, 3, 1]),)),
    (lambda i: i, lambda i: _array(3, M) - 50, (np.array([4, 0, -1]),)),  # row 4 twice: the last one wins
    (lambda i: i, lambda i: _array(2, 2, M) - 50, (np.array([[4, 0], [0, 2]], np.int8),)),
    (lambda i: i, 5.0, (np.array([], int),)),
    (lambda i: (slice(None), i), lambda i: _array(3) - 9, (np.array([0, 3, 0]),)),
    (lambda i: (i, 2), lambda i: _array(3) - 9, (np.array([0, 3, 0]),)),
    (lambda i: (2, i), -9.0, (np.array(1, np.uint64),)),
    (lambda i, j: (i, j), lambda i, j: _array(3) - 9, (np.array([0, 3, 0]), np.array([1, 2, 1]))),
    (lambda i, j: (i, j), lambda i, j: _array(2, 3) - 9, (np.array([[0], [3]]), np.array([1, 2, -1]))),
    (lambda i: (..., i), 2.5, (np.array([2]),)),
    (lambda i: (None, i, slice(1, 3)), 2.5, (np.array([2, 2]),)),
    (lambda i: [0, 2], lambda i: i * 1.5, (np.arange(M) * 1.0,)),
    (lambda i: ([0, 2], [1, 1]), lambda i: i[:2] * 1.5, (np.arange(M) * 1.0,)),
    (lambda i: np.arange(N) > 2, lambda i: i * 1.5, (np.arange(M) * 1.0,)),
    (lambda i: np.zeros(N, bool), 3.0, (np.arange(M) * 1.0,)),
    (lambda i: (slice(0, 0), [1, 2]), 3.0, (np.arange(M) * 1.0,)),
    (lambda i: (slice(0, 0), i), 3.0, (np.array([1, 2]),)),
    (lambda i: (slice(1, None, 2), [3, 0, 3]), 4.0, (np.arange(M) * 1.0,)),
    (lambda i: weft.index.outer[[0, 2], [1, 3]], lambda i: i[:2], (np.arange(M) * 1.0,)),
]


@pytest.mark.parametrize(("number", "name"), in_turn(range(len(KEYS)), ["cpu", "reference"], every=2))
def test_compiled_functions_write_as_without(number: int, name: str) -> None:
    key, value, at = KEYS[number]
    f = _written(key, value)
    with weft.transformer(name):
        compiled = weft.compile(f)
        for k in range(3):
            x = weft.asarray(_array(N, M) + 100 * k)
            given = [weft.asarray(np.roll(a, k, axis=0) if a.ndim else a) for a in at]
            assert compiled(x, *given).tolist() == f(x, *given).tolist()
    assert compiled.traces == 1


@pytest.mark.parametrize("key, value, at", KEYS)
def test_functions_of_entries_write_as_in_a_loop(key: Any, value: Any, at: tuple[Any, ...]) -> None:
    f, x = _written(key, value), weft.asarray(_array(3, N, M))
    given = [weft.asarray(np.stack([np.roll(a, k, axis=0) if a.ndim else a for k in range(3)])) for a in at]
    expected = [f(x[k], *[g[k] for g in given]).tolist() for k in range(3)]
    assert weft.vmap(f)(x, *given).tolist() == expected
    assert weft.compile(weft.vmap(f))(x, *given).tolist() == expected


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float8_e5m2", "complex64", ">f4"])
def test_cells_of_any_dtype(dtype: str) -> None:
    x = weft.asarray(np.arange(6.0) % 2).astype(dtype) if dtype != ">f4" else weft.asarray(np.arange(6, dtype=dtype))

    def f(x: Any, i: Any, mask: Any) -> Any:
        y, z = x[::-1], weft.asarray(x, copy=True)
        z[i] = y[:2]
        z[mask] = True
        return z

    i, mask = _vector(1, 4), _vector(False, False, True, False, False, True)
    found, expected = weft.compile(f)(x, i, mask), f(x, i, mask)
    assert found.dtype is expected.dtype and found.tolist() == expected.tolist()


def test_variables_and_arguments_are_written() -> None:
    def step(w: Any, table: Any, i: Any) -> Any:
        table[i] = w[i] + 1
        w[w > 2] = 0
        w[i] += 10
        return table.sum()

    made = [[weft.variable(np.arange(6.0)), weft.asarray(np.zeros(6))] for _ in range(2)]
    compiled = weft.compile(step)
    for k in range(3):
        i = _vector(k, 5 - k)
        assert compiled(*made[0], i).item() == step(*made[1], i).item()
        assert [t.tolist() for t in made[0]] == [t.tolist() for t in made[1]]


def test_views_are_written_through() -> None:
    def f(x: Any, i: Any) -> Any:
        y = x * 1
        y[1:, ::2][i] = -1
        y.T[i, 0] = -2
        return y

    x, i = weft.asarray(_array(N, M)), _vector(0, 2)
    assert weft.compile(f)(x, i).tolist() == f(x, i).tolist()


@pytest.mark.parametrize("count", [1, 3])
def test_gradients_flow_to_what_is_written_and_what_is_left(count: int) -> None:
    def f(x: Any, v: Any, i: Any) -> Any:
        y = x * 1
        y[i] = v
        y[y > 3] = 0
        return (y * y).sum()

    i = weft.asarray([1, 1, 3][:count])
    given = [weft.asarray(np.arange(5.0)).requires_grad_(), weft.asarray([2.0, 2.5, 0.5][:count]).requires_grad_()]
    gradients = weft.compile(lambda x, v, i: weft.autograd.grad(f(x, v, i), [x, v]))(*given, i)
    expected = weft.autograd.grad(f(*given, i), given)
    assert [g.tolist() for g in gradients] == [g.tolist() for g in expected]


def test_steps_of_loops_write_what_they_make_and_their_arguments() -> None:
    def step(c: Any, x: Any) -> Any:
        row = weft.zeros(3)
        row[0] = x
        c[1:] = c[:-1] * 1
        c[0] = x
        row[c > 2] = 9
        return c, row

    start = weft.zeros(3)
    last, rows = weft.scan(step, start, weft.asarray([1.0, 2.0, 3.0]))
    assert last.tolist() == [3.0, 2.0, 1.0] and start.tolist() == [0.0] * 3
    assert rows.tolist() == [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [9.0, 0.0, 0.0]]

    def marked(state: Any) -> Any:
        seen, k = state
        seen[(3 * k) % 7] = k
        return seen, k + 1

    found, _ = weft.while_loop(lambda s: s[1] < 5, marked, (weft.full(7, -1), 0))
    assert found.tolist() == [0, -1, 3, 1, -1, 4, 2]
    w = weft.variable([1.0])

    def writes(c: Any, x: Any) -> Any:
        w[0] = x
        return c, x

    with pytest.raises(TracingError, match="scan: its function writes a tensor outside"):
        weft.scan(writes, 0.0, weft.asarray([1.0, 2.0]))
    assert w.tolist() == [1.0]


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x * 1, lambda x: x[[1, 0]], lambda x: x[::-1]])
def test_writes_of_parts_of_complex_cells_are_refused(make: Any) -> None:
    x = weft.asarray([1 + 2j, 3 + 4j])

    def f(x: Any) -> None:
        make(x).imag[...] = 5

    with pytest.raises(TracingError, match=r"setitem to the real or imaginary part of complex128\[2\]"):
        weft.compile(f)(x)
    assert x.tolist() == [1 + 2j, 3 + 4j]


@pytest.mark.parametrize("f, error, what", [
    (lambda x, m, i: x.__setitem__(m, weft.zeros(3)), TracingError, "how many there are is known only at each call"),
    (lambda x, m, i: x.__setitem__(m[:2], 1), IndexOutOfBounds, r"a mask of shape \(2,\)"),
    (lambda x, m, i: x.__setitem__(m, 1j), DTypeError, "setitem: complex128 values"),
    (lambda x, m, i: x.__setitem__(i, weft.zeros(3)), ShapeError, "setitem: a value of shape"),
    (lambda x, m, i: x.__setitem__(i + 5, 1), IndexOutOfBounds, "position 6 along an axis of size 5"),
])  # fmt: skip
def test_errors(f: Any, error: type, what: str) -> None:
    x = weft.asarray(np.arange(5.0))
    with pytest.raises(error, match=what):
        weft.compile(f)(x, x > 2, _vector(1, 2))
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
