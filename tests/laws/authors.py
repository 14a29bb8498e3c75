"""Writes random programs: every choice is drawn, and fits because the model runs along and knows all shapes.

The one idea: an author tries a step on the model; what does not fit is not written down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.laws.programs import IN_PLACE, ORDER, Memory, Model, Pick, Program, Step, is_basic, is_writable
from weft import dtypes as dt

MAX_CELLS = 3000

EXACT_2 = {
    "add": "numeric", "subtract": "numeric", "multiply": "real", "maximum": "ordered", "minimum": "ordered",
    "less": "ordered", "greater_equal": "ordered", "equal": "all", "not_equal": "all", "bitwise_and": "bits",
    "bitwise_xor": "bits", "floor_divide": "integer", "remainder": "integer", "pow": "integer", "divide": "real",
    "bitwise_left_shift": "integer", "bitwise_right_shift": "integer", "logical_or": "bool", "fmod": "real",
    "trunc_divide": "integer", "fmax": "ordered", "fmin": "ordered",
}  # fmt: skip
EXACT_1 = {
    "negative": "numeric", "positive": "numeric", "abs": "real", "sign": "real", "square": "real", "floor": "real",
    "round": "numeric", "trunc": "real", "logical_not": "bool", "bitwise_invert": "bits", "isnan": "numeric",
    "isfinite": "numeric", "sqrt": "real", "reciprocal": "float", "conj": "numeric", "copy": "all",
}  # fmt: skip
ROUNDED = {
    "exp": "real",
    "log": "real",
    "sin": "numeric",
    "tanh": "real",
    "cos": "real",
    "square": "complex",
    "log1p": "real",
    "exp2": "real",
    "cbrt": "real",
}
KINDS = {
    "all": ("bool", "int", "uint", "float", "complex"), "numeric": ("int", "uint", "float", "complex"),
    "real": ("int", "uint", "float"), "ordered": ("bool", "int", "uint", "float"), "integer": ("int", "uint"),
    "bits": ("bool", "int", "uint"), "float": ("float",), "complex": ("complex",), "bool": ("bool",),
}  # fmt: skip
REDUCTIONS = {
    "sum": "numeric", "prod": "real", "min": "ordered", "max": "ordered", "mean": "numeric", "var": "real",
    "any": "all", "all": "all", "count_nonzero": "all", "argmin": "ordered", "argmax": "ordered",
    "nanmin": "float", "nanmax": "float",
}  # fmt: skip


class Author:
    """Draws steps one by one and runs each on the model."""

    def __init__(self, pick: Pick, steps: int, exact: bool, long: int = 0) -> None:
        self.pick, self.long = pick, long
        self.dtypes = [dt.COMMON[pick(0, len(dt.COMMON) - 1)] for _ in range(3)]
        self.program = Program(exact=exact)
        self.program.memories.extend(self.memory() for _ in range(pick(1, 2)))
        self.model = Model(self.program)
        self.next = 0
        for _ in range(2):
            self.source()
        for _ in range(steps):
            self.step()

    # ---- choices
    def chance(self, n: int) -> bool:
        return self.pick(1, n) == 1

    def one(self, xs: Sequence[Any]) -> Any:
        return xs[self.pick(0, len(xs) - 1)]

    def memory(self) -> Memory:
        d, n = self.one(self.dtypes), self.long or self.one([12, 40, 120])
        return Memory(d, n, bool(self.pick(0, 1)) and d is not dt.bfloat16, self.pick(0, 1), self.pick(0, 999))

    def dtype(self, h: int) -> dt.DType:
        return dt.from_numpy(self.array(h).dtype)[0]

    def array(self, h: int) -> np.ndarray:
        return self.model.handles[h]

    def handle(self, fits: Callable[[int], bool] = lambda h: True) -> int | None:
        found = [h for h in self.model.handles if fits(h)]
        return found[-1 - min(self.pick(0, 2 * len(found)) // 2, len(found) - 1)] if found else None

    def of_kind(self, accepts: str) -> int | None:
        return self.handle(lambda h: self.dtype(h).kind in KINDS[accepts])

    def axis(self, a: np.ndarray) -> int:
        return self.pick(-a.ndim, a.ndim - 1)

    def number(self, d: dt.DType) -> Any:
        if d.kind == "bool":
            return bool(self.pick(0, 1))
        if d.is_integer or self.chance(3):
            return self.pick(0, 3)
        return self.one([0.5, -1.5, -0.0, float("inf"), 2.0]) if d.kind == "float" or self.chance(2) else 1 - 2j

    # ---- writing down
    def add(self, do: str, on: Sequence[int | None], *args: Any, makes: bool = False) -> bool:
        """Run the step on the model, and keep it if its result is small enough."""
        if any(h is None for h in on):
            return False
        step = Step(do, tuple(on), args, self.next if makes else -1)  # type: ignore[arg-type]
        seen = len(self.model.seen)
        self.model.run(step)
        if makes:
            made = self.model.handles.get(self.next)
            if made is None or made.size > max(MAX_CELLS, 2 * self.long) or made.ndim > 5:
                self.model.handles.pop(self.next, None)
                del self.model.seen[seen:]
                return False
            self.next += 1
        self.program.steps.append(step)
        return True

    def apply(self, name: str, on: Sequence[int | None], *more: Any, **named: Any) -> bool:
        return self.add("apply", on, name, more, named, makes=True)

    def view(self, name: str, on: int | None, *more: Any, **named: Any) -> bool:
        return self.add("view", [on], name, more, named, makes=True)

    def source(self) -> None:
        m = self.pick(0, len(self.program.memories) - 1)
        n = self.program.memories[m].n
        shape = self.one([(n,), (n // 2,), (3, n // 6), (2, 2, n // 8), (), (n // 4, 2), (1, 5), (0, 3)])
        cells = max(int(np.prod(shape)), 1)
        step = self.one([1, 1, 1, 2, -1])
        room = n - 1 - (cells - 1) * abs(step)
        if room < 0:
            step, room = 1, n - cells
        start = self.pick(0, room) + (cells - 1 if step < 0 else 0)
        order = tuple(range(len(shape))[::-1]) if self.chance(3) else tuple(range(len(shape)))
        self.add("share" if self.chance(2) else "snapshot", [], m, start, step, shape, order, makes=True)

    def step(self) -> None:
        name = STEPS[self.pick(0, len(STEPS) - 1)]
        if len(self.model.handles) < 2:
            name = "source"
        getattr(self, name)()

    # ---- values
    def binary(self) -> None:
        name = self.one(list(EXACT_2))
        h = self.of_kind(EXACT_2[name])
        if h is None:
            return
        if self.chance(3) and name not in ("divide", "logical_or", "bitwise_and", "bitwise_xor"):
            self.add("apply", [h], self.number(self.dtype(h)), name, (), {}, makes=True)
            return
        kinds, shape = KINDS[EXACT_2[name]], self.array(h).shape
        self.apply(name, self.shuffled(h, self.handle(lambda o: self.dtype(o).kind in kinds and self.fits(o, shape))))

    def fits(self, h: int, shape: tuple[int, ...]) -> bool:
        try:
            np.broadcast_shapes(self.array(h).shape, shape)
        except ValueError:
            return False
        return True

    def shuffled(self, a: Any, b: Any) -> list[Any]:
        return [b, a] if self.chance(2) else [a, b]

    def unary(self) -> None:
        table = EXACT_1 if self.program.exact or self.chance(2) else ROUNDED
        name = self.one(list(table))
        self.apply(name, [self.of_kind(table[name])])

    def where(self) -> None:
        c = self.of_kind("bool")
        if c is not None:
            a = self.handle(lambda h: self.fits(h, self.array(c).shape))
            shape = np.broadcast_shapes(self.array(a).shape, self.array(c).shape)
            self.apply("where", [c, a, self.handle(lambda h: self.fits(h, shape))])

    def compare(self) -> None:
        """Something to be a mask."""
        h = self.of_kind("ordered")
        if h is not None:
            self.add("apply", [h], self.number(self.dtype(h)), self.one(["less", "greater_equal"]), (), {}, makes=True)

    def astype(self) -> None:
        h, wanted = self.handle(), self.one(self.dtypes)
        if self.dtype(h).kind != "complex" or wanted.kind in ("complex", "bool"):
            self.apply("astype", [h], wanted)

    def reduction(self) -> None:
        name = self.one(list(REDUCTIONS))
        h = self.of_kind(REDUCTIONS[name])
        if h is None:
            return
        a = self.array(h)
        axis: Any = None if not a.ndim or self.chance(2) else self.axis(a)
        if axis is not None and self.chance(3) and not name.startswith("arg"):
            axis = tuple(d for d in range(a.ndim) if self.pick(0, 1))
        self.apply(name, [h], axis=axis, keepdims=bool(self.pick(0, 1)))

    def scan(self) -> None:
        h = self.handle(lambda h: self.array(h).ndim > 0 and self.dtype(h).kind in KINDS["real"])
        if h is not None:
            name = self.one(["cumulative_sum", "cumulative_prod"])
            self.apply(name, [h], axis=self.axis(self.array(h)), include_initial=bool(self.pick(0, 1)))

    def sort(self) -> None:
        h = self.handle(lambda h: self.array(h).ndim > 0 and self.dtype(h).kind in KINDS["ordered"])
        if h is not None:
            name = self.one(["sort", "argsort"])
            self.apply(name, [h], axis=self.axis(self.array(h)), descending=bool(self.pick(0, 1)))

    def matmul(self) -> None:
        numbers = KINDS["numeric"]
        a = self.handle(lambda h: self.array(h).ndim in (1, 2) and self.dtype(h).kind in numbers)
        if a is not None:
            n = self.array(a).shape[-1]
            b = self.handle(
                lambda h: (
                    self.array(h).ndim in (1, 2) and self.dtype(h).kind in numbers and self.array(h).shape[-2:][0] == n
                )
            )
            self.apply("matmul", [a, b])

    def creation(self) -> None:
        d = self.one(self.dtypes)
        shape = self.one([(5,), (3, 4), (2, 3, 2), (), (0, 2)])
        floats = self.one([f for f in (*self.dtypes, dt.float32) if f.kind == "float"])
        name, more, named = self.one([
            ("ones", (shape,), {"dtype": d}),
            ("full", (shape, self.number(d)), {"dtype": d}),
            ("arange", (self.pick(0, 9),), {}),
            ("eye", (3, 4), {"k": self.pick(-1, 1), "dtype": d}),
            ("linspace", (0, 1, self.pick(0, 7)), {}),
            ("random.uniform", (shape,), {"seed": self.pick(0, 99), "dtype": floats}),
            ("random.integers", (shape,), {"seed": 7, "low": -3, "high": 9}),
            ("zeros", (shape,), {"dtype": f">{d.name}"}),
        ])  # fmt: skip
        self.add("apply", [], name, more, named, makes=True)

    def library(self) -> None:
        """Functions made of others, and those that look at values."""
        name = self.one([
            "clip", "diff", "tril", "triu", "tensordot", "vecdot", "moveaxis", "std", "searchsorted", "take",
            "unique_values", "isin", "matrix_transpose", "asarray", "constant",
        ])  # fmt: skip
        needs = {
            "clip": "real", "diff": "numeric", "std": "real", "searchsorted": "ordered", "tensordot": "integer",
            "vecdot": "integer", "unique_values": "ordered", "isin": "integer",
        }  # fmt: skip
        h = self.of_kind(needs.get(name, "all"))
        if h is None or not self.array(h).ndim or (name == "unique_values" and not self.program.exact):
            return
        a = self.array(h)
        if name in ("diff", "std"):
            self.apply(name, [h], axis=self.axis(a))
        elif name in ("tensordot", "vecdot", "isin"):
            other = self.of_kind("integer")
            self.apply(name, [h, other], **({"axes": 1} if name == "tensordot" else {}))
        elif name == "searchsorted":
            self.apply(name, [h, self.of_kind("ordered")])
        elif name == "clip":
            self.apply(name, [h], *sorted([self.pick(0, 4), self.pick(0, 4)]))
        elif name == "moveaxis":
            self.view(name, h, self.axis(a), self.axis(a))
        elif name == "matrix_transpose":
            self.view(name, h if a.ndim > 1 else None)
        elif name == "take":
            indices = self.handle(lambda o: self.dtype(o) is dt.int64 and self.array(o).ndim == 1)
            self.apply(name, [h, indices], axis=self.axis(a))
        else:
            self.apply(name, [h], **({"copy": True} if name == "asarray" else {}))

    # ---- selections
    def read(self) -> None:
        h = self.handle()
        self.add("read", [h], self.key(self.array(h), self.chance(4)), makes=True)

    def key(self, a: np.ndarray, advanced: bool) -> Any:
        parts: list[Any] = []
        for n in a.shape[: self.pick(0, a.ndim)]:
            choice = self.pick(0, 9)
            if choice < 2 and n:
                parts.append(self.pick(-n, n - 1))
            elif choice == 2:
                parts.append(slice(None))
            elif advanced and n and choice > 5:
                parts.append([self.pick(-n, n - 1) for _ in range(3)])
            else:
                parts.append(slice(self.pick(-n, n), self.one([None, self.pick(-n, n)]), self.one([1, 1, 2, -1, -2])))
        if self.chance(5):
            parts.insert(self.pick(0, len(parts)), None)
        if self.chance(4):
            parts.append(Ellipsis)
        return parts[0] if len(parts) == 1 and self.chance(2) else tuple(parts)

    def masked(self) -> None:
        m = self.of_kind("bool") if self.program.exact else None
        if m is not None and self.array(m).ndim:
            shape = self.array(m).shape
            self.add("masked", [self.handle(lambda h: self.array(h).shape[: len(shape)] == shape), m], makes=True)

    def view_step(self) -> None:
        h = self.handle()
        a = self.array(h)
        name = self.one(
            ["permute_dims", "flip", "expand_dims", "squeeze", "broadcast_to", "windows", "diagonal", "reshape", "part"]
        )
        if name == "permute_dims":
            rest = list(range(a.ndim))
            self.view(name, h, tuple(rest.pop(self.pick(0, len(rest) - 1)) for _ in range(a.ndim)))
        elif name == "flip":
            self.view(name, h, axis=tuple(d for d in range(a.ndim) if self.pick(0, 1)))
        elif name == "expand_dims":
            self.view(name, h, axis=self.pick(0, a.ndim))
        elif name == "squeeze":
            self.view(name, h, axis=tuple(d for d in range(a.ndim) if a.shape[d] == 1 and self.pick(0, 1)))
        elif name == "broadcast_to":
            self.view(
                name, h, (*((2,) if self.pick(0, 1) else ()), *(self.pick(1, 3) if n == 1 else n for n in a.shape))
            )
        elif name == "windows" and a.ndim and min(a.shape):
            axes = [d for d in range(a.ndim) if self.pick(0, 1)] or [0]
            self.view("sliding_window_view", h, tuple(self.pick(1, min(a.shape[d], 3)) for d in axes), tuple(axes))
        elif name == "diagonal" and a.ndim > 1:
            first = self.pick(0, a.ndim - 1)
            second = (first + self.pick(1, a.ndim - 1)) % a.ndim
            self.view(name, h, offset=self.pick(-1, 1), axis1=first, axis2=second)
        elif name == "part" and (kind := dt.from_numpy(a.dtype)[0].kind) != "bool":
            self.view("imag" if kind == "complex" and self.pick(0, 1) else "real", h)
        elif name == "reshape":
            self.view(name, h, self.shape_of(a.size))

    def shape_of(self, size: int) -> tuple[int, ...]:
        if not size:
            return (0,)
        divisors = [d for d in range(1, size + 1) if size % d == 0]
        n = self.one(divisors)
        return self.one([(size,), (n, size // n), (n, -1)])

    def composite(self) -> None:
        h = self.handle(lambda h: self.array(h).ndim > 0)
        if h is None:
            return
        a = self.array(h)
        axis = self.axis(a)
        name = self.one(["concat", "stack", "interleave", "tile", "repeat", "roll", "pad"])
        if name == "concat":
            rest = lambda s: s[: axis % a.ndim] + s[axis % a.ndim + 1 :]  # noqa: E731
            same = self.handle(lambda o: self.array(o).ndim == a.ndim and rest(self.array(o).shape) == rest(a.shape))
            self.apply(name, self.one([[h, same], [same, h, h], [h]]), axis=axis)
        elif name in ("stack", "interleave"):
            same = self.handle(lambda o: self.array(o).shape == a.shape)
            named = {"axis": axis if name == "stack" else axis % a.ndim}
            self.apply(name, [h, same], **named)
        elif name == "tile":
            self.apply(name, [h], tuple(self.pick(0, 2) if self.chance(3) else 1 for _ in a.shape))
        elif name == "repeat":
            self.apply(name, [h], self.pick(0, 3), axis=axis)
        elif name == "roll":
            self.apply(name, [h], self.pick(-3, 3), axis=self.one([None, axis]))
        else:
            mode = "constant" if 0 in a.shape else self.one(["constant", "edge", "wrap", "reflect", "symmetric"])
            self.apply(name, [h], tuple((self.pick(0, 3), self.pick(0, 2)) for _ in a.shape), mode)

    # ---- writes
    def write(self) -> None:
        h = self.handle(self.predictable)
        if h is None:
            return
        key = self.key(self.array(h), self.chance(4))
        at = self.model.selected(self.array(h), key)
        if is_basic(key) and (not at.size or not (is_writable(at) or at.base is not None)):
            return
        kind, shape = ORDER[self.dtype(h).kind], at.shape
        if self.chance(3):
            self.add("fill", [h], key, self.number(self.dtype(h)))
            return
        value = self.handle(lambda v: ORDER[self.dtype(v).kind] <= kind and self.into(v, shape))
        self.add("write", [h, value], key)

    def predictable(self, h: int) -> bool:
        """True if a broadcast is whole, so that it may be filled; NumPy's strides do not show it."""
        a = self.array(h)
        return a.size > 0 and not any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape, strict=True))

    def into(self, h: int, shape: tuple[int, ...]) -> bool:
        return self.fits(h, shape) and np.broadcast_shapes(self.array(h).shape, shape) == shape

    def write_masked(self) -> None:
        m = self.of_kind("bool") if self.program.exact else None
        if m is not None and self.array(m).ndim:
            shape = self.array(m).shape
            h = self.handle(lambda h: self.predictable(h) and self.array(h).shape[: len(shape)] == shape)
            if h is not None:
                self.add("write_masked", [h, m], self.number(self.dtype(h)))

    def in_place(self) -> None:
        h = self.handle(self.predictable)
        if h is None:
            return
        d = self.dtype(h)
        names = [n for n, f in IN_PLACE.items() if d.kind in KINDS[EXACT_2.get(f, "integer")]]
        names = [n for n in names if d.kind != "complex" or n in ("__iadd__", "__isub__")]
        if not names:
            return
        name = self.one(names)
        if self.chance(2):
            self.add("in_place", [h], self.number(d), name)
            return
        kinds = KINDS[EXACT_2.get(IN_PLACE[name], "integer")]
        value = self.handle(lambda v: self.dtype(v).kind in kinds and self.into(v, self.array(h).shape)
                            and ORDER[dt.promote(d, self.dtype(v)).kind] <= ORDER[d.kind])  # fmt: skip
        self.add("in_place", [h, value], name)

    def destination(self) -> None:
        """An operation with out=, which may be an operand or overlap one."""
        name = self.one(["add", "subtract", "maximum", "fmin", "less"])
        kinds, a = KINDS[EXACT_2[name]], self.of_kind(EXACT_2[name])
        b = self.handle(lambda h: a is not None and self.dtype(h).kind in kinds and self.fits(h, self.array(a).shape))
        if a is None or b is None:
            return
        shape = np.broadcast_shapes(self.array(a).shape, self.array(b).shape)
        made = ORDER["bool" if name == "less" else dt.promote(self.dtype(a), self.dtype(b)).kind]
        to = self.handle(lambda h: self.array(h).shape == shape and self.predictable(h) and is_writable(self.array(h))
                         and made <= ORDER[self.dtype(h).kind])  # fmt: skip
        self.add("destination", [a, b, to], name)

    # ---- handles
    def drop(self) -> None:
        if len(self.model.handles) > 2:
            self.add("drop", [], self.handle())

    def export(self) -> None:
        self.add("export", [self.handle()])

    def look(self) -> None:
        self.add("look", [self.handle()])

    def compute(self) -> None:
        self.add("compute", [self.handle(), self.handle()])

    def poke(self) -> None:
        self.add("poke", [], self.pick(0, 5), self.pick(0, 1))


STEPS = [
    *["binary"] * 9, *["unary"] * 4, "where", "compare", *["astype"] * 2, *["reduction"] * 2, "scan", "sort", "matmul",
    "creation", "creation", "library", "library", *["read"] * 4, "masked", *["view_step"] * 4, *["composite"] * 4,
    *["write"] * 4, "write_masked", *["in_place"] * 3, *["destination"] * 3, "drop", "drop",
    "export", "look", "compute", "poke", "source",
]  # fmt: skip
