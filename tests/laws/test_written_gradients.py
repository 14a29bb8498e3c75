"""Gradients of random programs of views and writes: those of the same programs written with where()."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import GradientError

KEYS: list[Any] = [
    ..., 0, slice(1, None), slice(None, None, -2), (None, -1), [1, 0, 1], np.array([True, False]),
    (slice(None), slice(0, 2)), (..., [2, 0]), (1, [0, 0]),
]  # fmt: skip
VIEWS: list[Any] = [
    lambda x: x[1:], lambda x: x[::-1], lambda x: x[None], lambda x: x[..., ::2], lambda x: x.T, lambda x: x[0],
    lambda x: x[...],
]  # fmt: skip
OPERATIONS: list[Any] = [lambda x: x * 2, lambda x: x * x, lambda x: x / 3 + 1]


@dataclass
class Value:
    """A tensor, the array that it equals, and its cells of a place (a flat, never written value)."""

    tensor: Any
    array: np.ndarray
    place: int
    cells: np.ndarray
    detached: bool = False


class Program:
    """Values, what the places hold by now, and the leaves of both."""

    def __init__(self, seed: int) -> None:
        self.pick, self.values, self.places, self.leaves = random.Random(seed), [], [], []
        rng = np.random.default_rng(seed)
        for recorded, shape in ((True, (2, 3)), (True, (3,)), (False, (2, 3)), (False, (3, 2))):
            given = rng.uniform(-1, 1, shape)
            x, flat = weft.array(given), weft.array(given.ravel())
            if recorded:
                self.leaves.append((x.requires_grad_(), flat.requires_grad_()))
            self.add(x * 1, given.copy(), flat * 1)

    def add(self, x: Any, array: np.ndarray, flat: Any) -> None:
        self.places.append(weft.reshape(flat, (-1,)))
        self.values.append(Value(x, array, len(self.places) - 1, np.arange(array.size).reshape(array.shape)))

    def read(self, v: Value) -> Any:
        flat = weft.take(self.places[v.place], weft.asarray(v.cells.ravel()), axis=0)
        return weft.reshape(flat.detach() if v.detached else flat, v.cells.shape)

    def step(self) -> None:
        v, way = self.pick.choice(self.values), self.pick.randrange(6)
        if way == 0:
            f = self.pick.choice(OPERATIONS)
            self.add(f(v.tensor), f(v.array).copy(), f(self.read(v)))
        elif way == 1 and v.array.ndim == 2 and v.array.size:
            view = self.pick.choice(VIEWS)
            self.values.append(Value(view(v.tensor), view(v.array), v.place, view(v.cells), v.detached))
        elif way == 2:
            off = v.detached or self.places[v.place].requires_grad
            self.values.append(Value(v.tensor.detach(), v.array[...], v.place, v.cells, off))
        elif way > 2:
            self.write(v, self.pick.choice(KEYS), self.pick.choice(self.values), self.pick.random() < 0.4)

    def write(self, v: Value, key: Any, of: Value, adds: bool) -> None:
        try:
            cells = v.cells[key]
            given = self.read(of)
            array = np.broadcast_to(of.array, cells.shape) + (v.array[key] if adds else 0)
        except (IndexError, ValueError):
            return
        before = v.tensor.numpy().copy()
        try:
            if adds:
                v.tensor[key] += of.tensor
            else:
                v.tensor[key] = of.tensor
        except GradientError:
            assert np.array_equal(v.tensor.numpy(), before)
            return
        if adds:
            given = given + self.read(Value(None, array, v.place, cells, v.detached))
        if not cells.size:
            return
        v.array[key] = array
        flat = self.places[v.place]
        number = np.full(flat.size, -1)
        number[cells.ravel()] = np.arange(cells.size)
        spread = weft.reshape(weft.broadcast_to(given, cells.shape), (-1,))
        chosen = weft.take(spread, weft.asarray(np.maximum(number, 0)), axis=0)
        made = weft.where(weft.asarray(number >= 0), chosen, flat)
        self.places[v.place] = flat + (made - flat).detach() if v.detached else made


@pytest.mark.parametrize("seed", [*range(25), *[pytest.param(n, marks=pytest.mark.slow) for n in range(25, 500)]])
def test_gradients_of_written_values_are_those_of_choices(seed: int) -> None:
    with weft.eager() if seed % 3 == 0 else weft.transformer("reference" if seed % 3 == 1 else "cpu"):
        program = Program(seed)
        for _ in range(14):
            program.step()
        for v in program.values:
            same = program.read(v)
            assert np.array_equal(v.tensor.numpy(), v.array)
            assert np.allclose(same.numpy(), v.array, atol=1e-12)
            for x, flat in program.leaves:
                got, expected = (
                    weft.autograd.grad((t * t).sum(), at)[0] if t.requires_grad else None
                    for t, at in ((v.tensor, x), (same, flat))
                )
                a, b = (np.zeros(x.size) if g is None else g.numpy().ravel() for g in (got, expected))
                assert np.allclose(a, b, rtol=1e-9, atol=1e-12)
