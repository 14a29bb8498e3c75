"""Random trees of selections over the public API, each drawn together with a NumPy array that says what it reads.

The one idea: every cell of every source has a number; the array holds, for each cell of the tree, the number of the
cell it is read from, or a negative one where no source has it.  What a tree means is then NumPy's word on integers.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import weft

FILL, TEMPORARY = -1, -2  # numbers of cells that are generated, or read from a value without a name
MAX_CELLS = 3000
Tree = tuple[Any, np.ndarray]


class Moves:
    """Steps that every grower of trees takes alike; `rng` decides."""

    rng: random.Random

    def axis(self, a: np.ndarray) -> int:
        return self.rng.randrange(a.ndim)

    def permute(self, x: Any, a: np.ndarray) -> Tree:
        axes = self.rng.sample(range(a.ndim), a.ndim)
        return weft.permute_dims(x, axes), a.transpose(axes)

    def flip(self, x: Any, a: np.ndarray) -> Tree:
        axes = tuple(i for i in range(a.ndim) if self.rng.randint(0, 1))
        return weft.flip(x, axis=axes), np.flip(a, axes)

    def expand_dims(self, x: Any, a: np.ndarray) -> Tree:
        axis = self.rng.randint(0, a.ndim)
        return weft.expand_dims(x, axis=axis), np.expand_dims(a, axis)

    def squeeze(self, x: Any, a: np.ndarray) -> Tree:
        axes = tuple(i for i, n in enumerate(a.shape) if n == 1 and self.rng.randint(0, 1))
        return weft.squeeze(x, axis=axes), np.squeeze(a, axes)

    def beside(self, a: np.ndarray, axis: int, size: int) -> Tree:
        y, b = self.source((*a.shape[:axis], size, *a.shape[axis + 1 :]))
        return (weft.flip(y, axis=axis), np.flip(b, axis)) if self.rng.randint(0, 2) == 0 else (y, b)

    def stack(self, x: Any, a: np.ndarray) -> Tree:
        y, b = self.source(a.shape)
        axis = self.rng.randint(0, a.ndim)
        return weft.stack([x, y], axis=axis), np.stack([a, b], axis)


class Garden(Moves):
    """Draws trees; `sources` are the named tensors, `first` the number of each one's first cell."""

    def __init__(self, seed: int, temporaries: bool = True) -> None:
        self.rng = random.Random(seed)
        self.sources: list[Any] = []
        self.first: list[int] = [0]
        self.temporaries = temporaries

    def source(self, shape: tuple[int, ...]) -> Tree:
        """A named tensor (owned, imported, big-endian, pending), or rarely one without a name, at some origin."""
        n, kind = int(np.prod(shape)), self.rng.randint(0, 7)
        values = np.arange(n, dtype=np.int64).reshape(shape) + 1000
        numbers = np.arange(n, dtype=np.int64).reshape(shape) + self.first[-1]
        if kind == 0 and self.sources and self.temporaries:  # a tree that is a view of one would give it a name
            return self.moved(weft.asarray(values) * 1), np.full(shape, TEMPORARY, np.int64)
        if kind == 1:
            x = weft.asarray(values.astype(">i8"))
        elif kind == 2:
            x = weft.asarray(np.concatenate([values[None]] * 2)[1])
        elif kind == 3:
            x = weft.zeros(shape, dtype=weft.int64)
        elif kind == 4 and shape:  # a result of rank 0 is not written
            x = weft.array(values) + 1
        else:
            x = weft.array(values)
        self.sources.append(x)
        self.first.append(self.first[-1] + n)
        return self.moved(x), numbers

    def moved(self, x: Any) -> Any:
        if self.rng.randint(0, 1):
            return x
        return x.translate(tuple(self.rng.randint(-4, 4) for _ in x.shape))

    def shape(self) -> tuple[int, ...]:
        r = self.rng
        return tuple(r.randint(0 if r.random() < 0.05 else 1, 4) for _ in range(r.randint(1, 3)))

    def tree(self, depth: int) -> Tree:
        x, a = self.source(self.shape())
        for _ in range(depth):
            y, b = getattr(self, self.rng.choice(STEPS))(x, a)
            if b.size <= MAX_CELLS and b.ndim <= 5:
                x, a = y, b
        return x, a

    # ---- views

    def slice(self, x: Any, a: np.ndarray) -> Tree:
        r = self.rng
        key = tuple(slice(r.randint(-n, n), None, r.choice((1, 1, 2, 3, -1, -2))) for n in a.shape)
        return x[(*key, ...)], a[key]

    def at(self, x: Any, a: np.ndarray) -> Tree:
        """Slices and integers in coordinates, of either direction."""
        key: list[Any] = []
        plain: list[Any] = []
        for n, low in zip(a.shape, x.domain.start, strict=True):
            if n and self.rng.randint(0, 4) == 0:
                p = self.rng.randrange(n)
                key.append(low + p)
                plain.append(p)
                continue
            first, stop = sorted((self.rng.randint(0, n), self.rng.randint(0, n)))
            step = self.rng.choice((1, 1, 2, 3))
            key.append(slice(low + first, low + stop, step))
            plain.append(slice(first, stop, step))
        return x.at[tuple(key)], a[tuple(plain)]

    def index(self, x: Any, a: np.ndarray) -> Tree:
        key = tuple(self.rng.randrange(-n, n) if n and self.rng.randint(0, 2) == 0 else slice(None) for n in a.shape)
        return x[(*key, ...)], a[key]  # the view also where no axis is left

    def broadcast(self, x: Any, a: np.ndarray) -> Tree:
        if self.rng.randint(0, 2):
            return x, a
        shape = (self.rng.randint(1, 2), *a.shape)
        return weft.broadcast_to(x, shape), np.broadcast_to(a, shape)

    def window(self, x: Any, a: np.ndarray) -> Tree:
        if not a.size or not a.ndim:
            return x, a
        axis = self.axis(a)
        width = self.rng.randint(1, min(2, a.shape[axis]))
        view = np.lib.stride_tricks.sliding_window_view(a, width, axis)
        return weft.sliding_window_view(x, width, axis), view

    def diagonal(self, x: Any, a: np.ndarray) -> Tree:
        if a.ndim < 2:
            return x, a
        k = self.rng.randint(-1, 1)
        return weft.diagonal(x, offset=k, axis1=0, axis2=a.ndim - 1), np.diagonal(a, k, 0, a.ndim - 1)

    def reshape(self, x: Any, a: np.ndarray) -> Tree:
        divisors = [d for d in range(1, a.size + 1) if a.size % d == 0] or [1]
        shape = (self.rng.choice(divisors), -1) if a.size else (0, 2)
        return weft.reshape(x, shape), a.reshape(shape)

    # ---- values of their own

    def concat(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis = self.axis(a)
        parts = [self.beside(a, axis, self.rng.randint(0, 3)) for _ in range(self.rng.randint(0, 2))]
        parts.insert(self.rng.randint(0, len(parts)), (x, a))
        return weft.concat([p for p, _ in parts], axis=axis), np.concatenate([b for _, b in parts], axis)

    def interleave(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis, k = self.axis(a), self.rng.randint(1, 3)
        at = self.rng.randrange(k)
        parts = [(x, a) if i == at else self.beside(a, axis, a.shape[axis]) for i in range(k)]
        out = np.empty((*a.shape[:axis], k * a.shape[axis], *a.shape[axis + 1 :]), np.int64)
        for i, (_, b) in enumerate(parts):
            out[(slice(None),) * axis + (slice(i, None, k),)] = b
        return weft.interleave([p for p, _ in parts], axis=axis), out

    def tile(self, x: Any, a: np.ndarray) -> Tree:
        reps = tuple(self.rng.choice((1, 1, 1, 2)) for _ in a.shape)
        return weft.tile(x, reps), np.tile(a, reps)

    def repeat(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis, count = self.axis(a), self.rng.choice((1, 1, 2))
        return weft.repeat(x, count, axis=axis), np.repeat(a, count, axis)

    def roll(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis, shift = self.axis(a), self.rng.randint(-3, 3)
        return weft.roll(x, shift, axis=axis), np.roll(a, shift, axis)

    def pad(self, x: Any, a: np.ndarray) -> Tree:
        mode = self.rng.choice(("constant", "edge", "wrap", "reflect", "symmetric"))
        widths = [(self.rng.choice((0, 0, 0, 1)), self.rng.choice((0, 0, 1))) for _ in a.shape]
        if not a.ndim or (mode != "constant" and not a.size):
            return x, a
        if mode == "constant":
            return weft.pad(x, widths, constant_values=77), np.pad(a, widths, constant_values=FILL)
        return weft.pad(x, widths, mode=mode), np.pad(a, widths, mode=mode)

    def take(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim or 0 in a.shape:
            return x, a
        axis = self.axis(a)
        n = a.shape[axis]
        few = self.rng.randint(1, n)
        table = self.rng.sample(range(n), few) if self.rng.randint(0, 2) else self.rng.choices(range(n), k=few)
        return weft.take(x, weft.asarray(table), axis=axis), np.take(a, table, axis)

    def points(self, x: Any, a: np.ndarray) -> Tree:
        """Index arrays for two axes at once."""
        if a.ndim < 2 or 0 in a.shape:
            return x, a
        count = self.rng.randint(1, 4)
        i, j = ([self.rng.randrange(n) for _ in range(count)] for n in a.shape[:2])
        return x[i, j], a[i, j]

    def overlay(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim or a.ndim > 3 or 0 in a.shape:
            return x, a
        parts = [(x, a)]
        for _ in range(self.rng.randint(0, 2)):
            y, b = self.source(tuple(self.rng.randint(1, 3) for _ in a.shape))
            near = [o + self.rng.randint(-2, n) for o, n in zip(x.domain.origin, a.shape, strict=True)]
            move = tuple(p - o for p, o in zip(near, y.domain.origin, strict=True))
            parts.insert(self.rng.randint(0, len(parts)), (y.translate(move), b))
        made = weft.overlay([p for p, _ in parts], fill=77)
        out = np.full(made.shape, FILL, np.int64)
        for y, b in parts:
            low = [o - s for o, s in zip(y.domain.origin, made.domain.origin, strict=True)]
            out[tuple(slice(p, p + n) for p, n in zip(low, b.shape, strict=True))] = b
        return made, out


STEPS = (
    *("permute", "flip", "slice", "at", "at", "index", "expand_dims", "squeeze", "broadcast", "window", "diagonal"),
    *("reshape", "concat", "concat", "interleave", "stack", "tile", "repeat", "roll", "pad", "take", "points"),
    *("overlay", "overlay"),
)
