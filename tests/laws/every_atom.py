"""Random trees of every atom over every dtype and kind of source, each with NumPy's account of its reads.

The one idea: every cell of every source, every fill and every generated value has a number.  NumPy takes the same steps
on an array of numbers, so the value of a tree is `cells[numbers]`, where it writes is `numbers`, what repeats there is
read twice, and its adjoint adds up the gradients of equal numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import weft
from tests.laws.trees import Moves
from tests.oracle.samples import laid_out, values
from weft import dtypes as dt

MAX_CELLS = 3000
FILES = count()  # every file has a name of its own
NUMPY = [d for d in dt.COMMON if d is not dt.bfloat16]  # what NumPy itself can store and lay out
PARTS = {dt.float32: dt.complex64, dt.float64: dt.complex128}
Tree = tuple[Any, np.ndarray]


class Orchard(Moves):
    """Draws trees of one dtype; `sources` are the tensors (None for a fill), `first` their first cells' numbers."""

    def __init__(self, seed: int, folder: Path | None = None, dtypes: Sequence[dt.DType] = dt.COMMON) -> None:
        self.rng, self.seed, self.folder = random.Random(seed), seed, folder
        self.dtype = self.rng.choice(dtypes)
        self.cells = np.zeros(0, self.dtype.np)
        self.sources: list[Any] = []
        self.first: list[int] = [0]
        self.writable: list[bool] = []
        self.kept: list[Any] = []
        self.used: list[str] = []

    def tree(self, depth: int, steps: Sequence[str] | None = None) -> Tree:
        x, a = self.source(self.shape())
        for _ in range(depth):
            name = self.rng.choice(STEPS if steps is None else steps)
            y, b = getattr(self, name)(x, a)
            if b.size <= MAX_CELLS and b.ndim <= 6 and (b.size or self.rng.random() < 0.05):
                x, a = y, b
                self.used.append(name)
        return x, a

    # ---- choices

    def shape(self) -> tuple[int, ...]:
        r = self.rng
        return tuple(r.randint(0 if r.random() < 0.05 else 1, 5) for _ in range(r.choice((0, 1, 1, 2, 2, 2, 3))))

    def mask_of(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.array([self.rng.random() < 0.6 for _ in range(int(np.prod(shape)))], bool).reshape(shape)

    def positions(self, n: int) -> list[int]:
        """A table of positions: with repeats, without, a run backwards, one cell again and again, runs one by one."""
        r = self.rng
        few: list[Callable[[], list[int]]] = [
            lambda: [r.randrange(-n, n) for _ in range(r.randint(1, 6))],
            lambda: r.sample(range(n), r.randint(1, n)),
            lambda: list(range(n))[::-1] * r.randint(1, 2),
            lambda: [r.randrange(n)] * 5,
            lambda: list(range(r.randrange(n), n)) * 3,
        ]
        return r.choice(few)()

    # ---- sources

    def source(self, shape: tuple[int, ...]) -> Tree:
        """A tensor at some origin: owned, imported in some layout, pending, generated, a file, a part of complex."""
        a = values(self.dtype, shape, 31 * self.seed + len(self.sources))
        x, writable = getattr(self, "of_" + self.rng.choice(KINDS))(a)
        with weft.transformer("reference"):
            known = a if writable else weft.copy(x).numpy()
        return self.moved(self.note(x, known, writable)), self.numbers[-1]

    def note(self, x: Any, array: np.ndarray, writable: bool) -> Any:
        self.numbers = [np.arange(array.size).reshape(array.shape) + len(self.cells)]
        self.cells = np.concatenate([self.cells, array.astype(self.dtype.np).reshape(-1)])
        self.sources.append(x)
        self.first.append(len(self.cells))
        self.writable.append(writable)
        return x

    def moved(self, x: Any) -> Any:
        return x if self.rng.randint(0, 1) else x.translate(tuple(self.rng.randint(-4, 4) for _ in x.shape))

    def fill(self) -> tuple[Any, int]:
        """A number of the dtype, and the number of its cell."""
        v = values(self.dtype, (4,), self.rng.randrange(99))[self.rng.randrange(4)]
        self.note(None, np.asarray(v), False)
        return (float(v) if self.dtype is dt.bfloat16 else v.item()), len(self.cells) - 1

    def of_array(self, a: np.ndarray) -> tuple[Any, bool]:
        return weft.array(a), True

    def of_import(self, a: np.ndarray) -> tuple[Any, bool]:
        """Shared memory, a matrix in some layout, other arrays rarely in the other byte order."""
        if self.dtype not in NUMPY:
            return weft.asarray(a), True
        layout = self.rng.choice(("plain", "strided", "reversed", "transposed", "big", "unaligned"))
        a = laid_out(a, layout if a.ndim == 2 and a.size else "big" if self.rng.randint(0, 1) else "plain")
        return weft.asarray(a), True

    def of_pending(self, a: np.ndarray) -> tuple[Any, bool]:
        x = weft.array(a)
        self.kept.append(x)
        return weft.copy(x), True

    def of_part(self, a: np.ndarray) -> tuple[Any, bool]:
        wide = PARTS.get(self.dtype)
        if wide is None:
            return self.of_array(a)
        both = np.empty(a.shape, wide.np)
        side = self.rng.choice(("real", "imag"))
        both.real, both.imag = (a, np.flip(a)) if side == "real" else (np.flip(a), a)
        whole = weft.asarray(both.astype(both.dtype.newbyteorder(self.rng.choice("<>"))))
        self.kept.append(whole)
        return getattr(weft, side)(whole), True

    def of_file(self, a: np.ndarray) -> tuple[Any, bool]:
        if self.folder is None or self.dtype not in NUMPY:
            return self.of_array(a)
        path = self.folder / str(next(FILES))
        if a.ndim and a.size < 100 and self.rng.randint(0, 1):
            chunks = tuple(self.rng.randint(1, 3) for _ in a.shape)
            weft.save(f"{path}.zarr", weft.asarray(a), chunks=chunks)
            return weft.open(f"{path}.zarr"), False
        a = a.astype(a.dtype.newbyteorder(self.rng.choice("<>")))
        np.save(f"{path}.npy", a if not a.ndim or self.rng.randint(0, 1) else np.asfortranarray(a))
        return weft.open(f"{path}.npy"), False

    def of_generator(self, a: np.ndarray) -> tuple[Any, bool]:
        r, shape, random_ = self.rng, a.shape, weft.random
        field = {"seed": r.randrange(1 << 64), "origin": tuple(r.randint(-9, 9) for _ in shape)}
        floats = {**field, "dtype": self.dtype}
        made = [lambda: weft.full(shape, 1, dtype=self.dtype), lambda: weft.zeros(shape, dtype=self.dtype)]
        if len(shape) == 2:
            made.append(lambda: weft.eye(*shape, k=r.randint(-2, 2), dtype=self.dtype))
        if len(shape) > 1:
            made.append(lambda: weft.one_hot(weft.iota(shape[:-1], axis=0), shape[-1], dtype=self.dtype))
        if self.dtype.kind in ("float", "complex"):
            made += [lambda: random_.uniform(shape, **floats), lambda: random_.normal(shape, **floats)]
        if self.dtype.kind == "float":
            made += [lambda: random_.gumbel(shape, **floats), lambda: random_.exponential(shape, **floats)]
        if self.dtype.is_integer:
            made.append(lambda: random_.integers(shape, low=0, high=100, **floats))
        if self.dtype is dt.bool:
            made.append(lambda: random_.bernoulli(shape, p=0.3, **field))
        if self.dtype is dt.int64 and len(shape) == 1:
            made += [lambda: random_.permutation(shape[0], seed=7), lambda: weft.iota(shape, origin=-3)]
        return r.choice(made)(), False

    # ---- views

    def slice(self, x: Any, a: np.ndarray) -> Tree:
        r = self.rng
        key = tuple(
            slice(r.choice((None, r.randint(-n - 1, n + 1))), r.choice((None, None, r.randint(-n - 1, n + 1))), step)
            for n, step in [(n, r.choice((1, 1, 2, 3, -1, -2, None, 7, -5))) for n in a.shape]
        )
        return x[(*key, ...)], a[key]

    def at(self, x: Any, a: np.ndarray) -> Tree:
        """Slices, integers and rarely a list, in coordinates."""
        r, listed = self.rng, False
        pairs: list[tuple[Any, Any]] = []
        for n, low in zip(a.shape, x.domain.start, strict=True):
            choice = r.randint(0, 7) if n else 7
            p, (first, stop), step = (
                r.randrange(n or 1),
                sorted((r.randint(0, n), r.randint(0, n))),
                r.choice((1, 2, 3)),
            )
            if choice < 2:
                pairs.append((low + p, p))
            elif choice == 2 and not listed:
                table, listed = [r.randrange(n) for _ in range(3)], True
                pairs.append(([low + t for t in table], table))
            else:
                pairs.append((slice(low + first, low + stop, step), slice(first, stop, step)))
        return x.at[tuple(k for k, _ in pairs)], a[tuple(p for _, p in pairs)]

    def index(self, x: Any, a: np.ndarray) -> Tree:
        r = self.rng
        key: list[Any] = [r.randrange(-n, n) if n and r.randint(0, 2) == 0 else slice(None) for n in a.shape]
        if r.randint(0, 3) == 0:
            key.insert(r.randint(0, len(key)), None)
        return x[(*key, ...)], a[tuple(key)]  # the view also where no axis is left

    def broadcast(self, x: Any, a: np.ndarray) -> Tree:
        shape = tuple(self.rng.randint(0 if self.rng.random() < 0.05 else 1, 3) if n == 1 else n for n in a.shape)
        shape = (self.rng.randint(1, 3), *shape) if self.rng.randint(0, 1) else shape
        return weft.broadcast_to(x, shape), np.broadcast_to(a, shape)

    def window(self, x: Any, a: np.ndarray) -> Tree:
        """Windows `stride` apart of cells `dilation` apart."""
        if not a.size or not a.ndim:
            return x, a
        r, axis = self.rng, self.axis(a)
        width, stride = r.randint(1, a.shape[axis]), r.randint(1, 4)
        dilation = r.randint(1, (a.shape[axis] - 1) // (width - 1)) if width > 1 else r.randint(1, 9)
        view = np.lib.stride_tricks.sliding_window_view(a, (width - 1) * dilation + 1, axis)
        key = [slice(None)] * view.ndim
        key[axis], key[-1] = slice(None, None, stride), slice(None, None, dilation)
        return weft.sliding_window_view(x, width, axis, stride=stride, dilation=dilation), view[tuple(key)]

    def diagonal(self, x: Any, a: np.ndarray) -> Tree:
        if a.ndim < 2:
            return x, a
        k, (i, j) = self.rng.randint(-2, 2), self.rng.sample(range(a.ndim), 2)
        return weft.diagonal(x, offset=k, axis1=i, axis2=j), np.diagonal(a, k, i, j)

    def reshape(self, x: Any, a: np.ndarray) -> Tree:
        shape, left = [], a.size
        while left > 1 and len(shape) < 3:
            shape.append(self.rng.choice([d for d in range(1, left + 1) if left % d == 0]))
            left //= shape[-1]
        return weft.reshape(x, (*shape, left)), a.reshape((*shape, left))

    def translate(self, x: Any, a: np.ndarray) -> Tree:
        return x.translate([self.rng.randint(-5, 5) for _ in a.shape]), a

    # ---- composites

    def concat(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        r, axis = self.rng, self.axis(a)
        parts = [self.beside(a, axis, r.randint(0, 3)) if r.randint(0, 3) else (x, a) for _ in range(r.randint(0, 3))]
        parts.insert(r.randint(0, len(parts)), (x, a))
        return weft.concat([p for p, _ in parts], axis=axis), np.concatenate([b for _, b in parts], axis)

    def interleave(self, x: Any, a: np.ndarray) -> Tree:
        """Ragged at times: parts after `short` are one cell shorter, or those before x one longer."""
        if not a.ndim:
            return x, a
        r, axis, k = self.rng, self.axis(a), self.rng.randint(1, 4)
        at, n = r.randrange(k), a.shape[axis]
        short = r.randint(at, k - 1) if r.randint(0, 1) and n else k - 1
        longer = r.randint(0, 1) if at and short == k - 1 else 0
        sizes = [n + (longer if i < at else 0) - (1 if i > short else 0) for i in range(k)]
        parts = [(x, a) if i == at else self.beside(a, axis, m) for i, m in enumerate(sizes)]
        out = np.empty((*a.shape[:axis], sum(sizes), *a.shape[axis + 1 :]), np.int64)
        for i, (_, b) in enumerate(parts):
            out[(slice(None),) * axis + (slice(i, None, k),)] = b
        return weft.interleave([p for p, _ in parts], axis=axis), out

    def tile(self, x: Any, a: np.ndarray) -> Tree:
        reps = tuple(self.rng.choice((1, 1, 1, 2, 3)) for _ in range(a.ndim + self.rng.randint(0, 1)))
        return weft.tile(x, reps), np.tile(a, reps)

    def repeat(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axis, count = self.axis(a), self.rng.choice((1, 1, 2, 3))
        if self.rng.randint(0, 3) == 0:
            counts = np.array([self.rng.randint(0, 3) for _ in range(a.shape[axis])], np.int64)
            return weft.repeat(x, weft.asarray(counts), axis=axis), np.repeat(a, counts, axis)
        return weft.repeat(x, count, axis=axis), np.repeat(a, count, axis)

    def roll(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        axes = [self.axis(a) for _ in range(self.rng.randint(1, 2))]
        shifts = [self.rng.randint(-9, 9) for _ in axes]
        return weft.roll(x, tuple(shifts), axis=tuple(axes)), np.roll(a, shifts, axes)

    def pad(self, x: Any, a: np.ndarray) -> Tree:
        """Margins in every mode, up to several times as wide as what they surround."""
        if not a.ndim:
            return x, a
        r, mode = self.rng, self.rng.choice(("constant", "constant", "edge", "wrap", "reflect", "symmetric"))
        widths = [(r.choice((0, 0, 1, 3, 7)), r.choice((0, 0, 1, 2, 11))) for _ in a.shape]
        if mode == "constant":
            v, number = self.fill()
            return weft.pad(x, widths, constant_values=v), np.pad(a, widths, constant_values=number)
        widths = [w if n else (0, 0) for w, n in zip(widths, a.shape, strict=True)]
        return weft.pad(x, widths, mode=mode), np.pad(a, widths, mode=mode)

    def overlay(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim or a.ndim > 3 or 0 in a.shape:
            return x, a
        parts, r = [(x, a)], self.rng
        for _ in range(r.randint(0, 3)):
            y, b = self.source(tuple(r.randint(1, 4) for _ in a.shape))
            near = [o + r.randint(-3, n) for o, n in zip(x.domain.origin, a.shape, strict=True)]
            move = tuple(p - o for p, o in zip(near, y.domain.origin, strict=True))
            parts.insert(r.randint(0, len(parts)), (y.translate(move), b))
        v, number = self.fill()
        made = weft.overlay([p for p, _ in parts], fill=weft.asarray(v, dtype=self.dtype))
        out = np.full(made.shape, number, np.int64)
        for y, b in parts:
            low = [o - s for o, s in zip(y.domain.origin, made.domain.origin, strict=True)]
            out[tuple(slice(p, p + n) for p, n in zip(low, b.shape, strict=True))] = b
        return made, out

    # ---- tables

    def take(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim or 0 in a.shape:
            return x, a
        axis, form = self.axis(a), self.rng.randint(0, 3)
        table, key = self.positions(a.shape[axis]), (slice(None),) * axis
        array = np.array(table, self.rng.choice((np.int64, np.int32, np.int16)))
        if form == 0:
            return weft.take(x, weft.asarray(array % a.shape[axis]), axis=axis), np.take(a, array, axis)
        if form == 1:
            return x[(*key, table)], a[(*key, table)]
        if form == 2:
            return x[(*key, weft.asarray(array))], a[(*key, table)]
        return x[weft.index[(*key, table)].bind(x.shape)], a[(*key, table)]

    def mask(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim:
            return x, a
        m = self.mask_of(a.shape[: self.rng.randint(1, a.ndim)])
        form = self.rng.randint(0, 2 if m.ndim == a.ndim else 1)  # what find gives is bound to the mask's shape
        key = (m, weft.asarray(m))[form] if form < 2 else weft.find(weft.asarray(m))
        return x[key], a[m]

    def points(self, x: Any, a: np.ndarray) -> Tree:
        """Index arrays for two axes at once, rarely one against the other, with a slice between."""
        if a.ndim < 2 or 0 in a.shape:
            return x, a
        count, (i, j) = self.rng.randint(1, 4), self.rng.sample(range(a.ndim), 2)
        key: list[Any] = [slice(None, None, self.rng.choice((1, -1))) for _ in a.shape]
        for d in (i, j):
            key[d] = [self.rng.randrange(-a.shape[d], a.shape[d]) for _ in range(count)]
        if self.rng.randint(0, 2) == 0:
            key[j] = [[k] for k in key[j]]
        return x[tuple(key)], a[tuple(key)]

    def outer(self, x: Any, a: np.ndarray) -> Tree:
        if a.ndim < 2 or 0 in a.shape:
            return x, a
        tables = [[self.rng.randrange(n) for _ in range(self.rng.randint(1, 3))] for n in a.shape]
        return x[weft.index.outer[tuple(tables)]], a[np.ix_(*tables)]

    def along(self, x: Any, a: np.ndarray) -> Tree:
        if not a.ndim or 0 in a.shape:
            return x, a
        axis, count = self.axis(a), self.rng.randint(1, 3)
        shape = (*a.shape[:axis], count, *a.shape[axis + 1 :])
        table = np.array([self.rng.randrange(a.shape[axis]) for _ in range(int(np.prod(shape)))]).reshape(shape)
        return weft.take_along_axis(x, weft.asarray(table), axis=axis), np.take_along_axis(a, table, axis)

    # ---- routed by values

    def other(self, a: np.ndarray) -> Tree:
        y, b = self.source(a.shape)
        z, c = getattr(self, self.rng.choice(("flip", "roll", "permute", "take")))(y, b)
        return (z, c) if c.shape == a.shape else (y, b)

    def where(self, x: Any, a: np.ndarray) -> Tree:
        """By a mask of values, or of coordinates."""
        (y, b), r = self.other(a), self.rng
        if a.ndim and r.randint(0, 1):
            n, c, step = a.shape[-1], r.randint(-1, a.shape[-1] + 1), r.choice((1, -1))
            m, chosen = (np.arange(n) < c)[::step], (weft.arange(n) < c)[::step]
        else:
            m = self.mask_of(a.shape)
            chosen = weft.asarray(m)
        return (weft.where(chosen, x, y), np.where(m, a, b)) if r.randint(0, 1) else (
            weft.where(chosen, y, x), np.where(m, b, a))  # fmt: skip

    def extreme(self, x: Any, a: np.ndarray) -> Tree:
        """The greater or smaller cell; -0 lies below +0, a NaN wins, of equal cells the first."""
        if self.dtype.kind == "complex":
            return x, a
        y, b = self.other(a)
        name = self.rng.choice(("maximum", "minimum"))
        u, v = self.cells[a], self.cells[b]
        if self.dtype.kind == "float":
            u, v = u.astype(np.float64), v.astype(np.float64)
        low, high = (u, v) if name == "maximum" else (v, u)
        second = low < high
        if self.dtype.kind == "float":
            second |= (low == high) & np.signbit(low) & ~np.signbit(high)
            second = np.where(np.isnan(u), False, np.isnan(v) | second)
        return getattr(weft, name)(x, y), np.where(second, b, a)


KINDS = ("array", "array", "import", "import", "pending", "part", "file", "generator")
VIEWS = (
    *("permute", "flip", "slice", "slice", "at", "at", "index", "expand_dims", "squeeze", "broadcast", "window"),
    *("window", "diagonal", "reshape", "translate"),
)
COMPOSITES = (
    "concat",
    "concat",
    "interleave",
    "interleave",
    "stack",
    "tile",
    "repeat",
    "roll",
    "pad",
    "pad",
    "overlay",
)
TABLES = ("take", "take", "mask", "points", "outer", "along")
ROUTED = ("where", "where", "extreme")
STEPS = VIEWS + COMPOSITES + ("overlay",) + TABLES + ROUTED
