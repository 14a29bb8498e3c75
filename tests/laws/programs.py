"""Random programs over the public API, and two machines that run them: weft, and NumPy arrays with weft's arithmetic.

The one idea: a program is a list of plain steps, so one program can be run under every setting and the results
compared bit for bit.  The model takes aliasing, views and writes from NumPy and the value of every other function from
the reference transformer, so what it says of sharing is NumPy's word.  `Author` runs the model while it writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

import weft
from tests.oracle import samples
from weft import dtypes as dt
from weft.errors import WeftError
from weft.ir.pieces.lattice import box, self_overlap

Pick = Callable[[int, int], int]  # an integer of low..high
ORDER = {"bool": 0, "int": 1, "uint": 1, "float": 2, "complex": 3}


@dataclass(frozen=True)
class Step:
    """One line of a program: what is done to which handles, and the number of the handle it makes."""

    do: str
    on: tuple[int, ...] = ()
    args: tuple[Any, ...] = ()
    out: int = -1

    def __repr__(self) -> str:
        made = f"h{self.out} = " if self.out >= 0 else ""
        return f"{made}{self.do}({', '.join([f'h{h}' for h in self.on] + [repr(a) for a in self.args])})"


@dataclass(frozen=True)
class Memory:
    """A NumPy array of the outside: cells in one row, maybe unaligned, maybe big-endian."""

    dtype: dt.DType
    n: int
    big: bool
    shift: int
    seed: int

    def make(self) -> np.ndarray:
        raw = np.zeros(self.n * self.dtype.itemsize + self.shift, np.uint8)
        array = raw[self.shift :].view(dt.to_numpy(self.dtype, "big" if self.big else "little"))
        array[...] = samples.values(self.dtype, (self.n,), self.seed)
        return array


@dataclass
class Program:
    memories: list[Memory] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    exact: bool = True  # every function used has the same bits in the reference

    def __str__(self) -> str:
        return "\n".join([*(f"m{i} = {m}" for i, m in enumerate(self.memories)), *map(repr, self.steps)])


class Machine:
    """Handles, exports and foreign memory; what was looked at, in order."""

    def __init__(self, program: Program) -> None:
        self.memories = [m.make() for m in program.memories]
        self.handles: dict[int, Any] = {}
        self.exports: list[np.ndarray] = []
        self.seen: list[Any] = []

    def run(self, step: Step) -> None:
        try:
            made = getattr(self, step.do)(*[self.handles[h] for h in step.on], *step.args)
        except WeftError as error:
            self.seen.append(type(error).__name__)
            return
        if step.out >= 0:
            self.handles[step.out] = made

    def cells(self, memory: int, start: int, step: int, shape: tuple[int, ...], order: tuple[int, ...]) -> np.ndarray:
        """Part of a foreign array: every step-th cell, as a box, its axes permuted."""
        n = int(np.prod(shape))
        stop = start + n * step
        line = self.memories[memory][start : stop if stop >= 0 else None : step][:n]
        view = as_strided(line, shape, [line.itemsize * step * int(np.prod(shape[d + 1 :])) for d in range(len(shape))])
        return view.transpose(order)

    def results(self) -> list[Any]:
        """Return all results that a program shows: values read on the way, handles, exports, foreign memory."""
        return [*self.seen, *[self.value(h) for h in self.handles.values()], *[e.copy() for e in self.exports],
                *[m.copy() for m in self.memories]]  # fmt: skip

    def value(self, handle: Any) -> np.ndarray:
        raise NotImplementedError


class Weft(Machine):
    """The program as a user would write it."""

    def share(self, *cells: Any) -> weft.Tensor:
        return weft.asarray(self.cells(*cells))

    def snapshot(self, *cells: Any) -> weft.Tensor:
        return weft.array(self.cells(*cells))

    def apply(self, *args: Any) -> weft.Tensor:
        operands, (name, more, named) = args[:-3], args[-3:]
        return attrgetter(name)(weft)(*([list(operands)] if name in LISTS else operands), *more, **named)

    view = apply

    def read(self, x: weft.Tensor, key: Any) -> weft.Tensor:
        return x[key]

    def masked(self, x: weft.Tensor, mask: weft.Tensor) -> weft.Tensor:
        return x[mask]

    def write(self, x: weft.Tensor, value: Any, key: Any) -> None:
        x[key] = value

    def fill(self, x: weft.Tensor, key: Any, value: Any) -> None:
        x[key] = value

    def write_masked(self, x: weft.Tensor, mask: weft.Tensor, value: Any) -> None:
        x[mask] = value

    def in_place(self, x: weft.Tensor, y: Any, name: str) -> None:
        getattr(x, name)(y)

    def destination(self, x: weft.Tensor, y: weft.Tensor, to: weft.Tensor, name: str) -> None:
        assert getattr(weft, name)(x, y, out=to) is to

    def drop(self, number: int) -> None:
        del self.handles[number]

    def export(self, x: weft.Tensor) -> None:
        self.exports.append(x.numpy())

    def look(self, x: weft.Tensor) -> None:
        self.seen.append(np.array(x.numpy()))

    def compute(self, *xs: weft.Tensor) -> None:
        weft.compute(*xs)

    def poke(self, which: int, value: Any) -> None:
        """A write by the outside: everything pending is computed first, for what it would see is open."""
        weft.compute(*self.handles.values())
        _poke([*self.memories, *self.exports], which, value)

    def value(self, handle: weft.Tensor) -> np.ndarray:
        return np.array(handle.numpy())


def _poke(arrays: list[np.ndarray], which: int, value: Any) -> None:
    array = arrays[which % len(arrays)]
    if array.flags.writeable:
        array[...] = value


LISTS = {"concat", "stack", "interleave"}


class Value(np.ndarray):
    """A number of rank 0, or a view of one: no write reaches it, and operators in place make another."""


CREATED = {"ones", "full", "zeros", "random.uniform", "random.integers", "asarray"}  # at rank 0, too, they are written


def as_value(x: np.ndarray) -> np.ndarray:
    made = np.array(x).view(Value)
    made.flags.writeable = False
    return made


class Model(Machine):
    """NumPy's views and writes; values by the reference."""

    def share(self, *cells: Any) -> np.ndarray:
        return self.cells(*cells)

    def snapshot(self, *cells: Any) -> np.ndarray:
        return self.cells(*cells).copy()

    def apply(self, *args: Any) -> np.ndarray:
        operands = [a if isinstance(a, (bool, int, float, complex)) else weft.array(np.asarray(a)) for a in args[:-3]]
        with weft.transformer("reference"):
            made = np.array(Weft.apply(self, *operands, *args[-3:]).numpy())  # type: ignore[arg-type]
        name = args[-3]
        if not made.ndim and name not in (*CREATED, "constant"):
            return made if name == "astype" and not isinstance(args[0], Value) else as_value(made)
        made.flags.writeable = name != "constant"
        return made

    def view(self, x: np.ndarray, name: str, more: tuple[Any, ...], named: dict[str, Any]) -> np.ndarray:
        return VIEWS[name](x, *more, **named)

    def read(self, x: np.ndarray, key: Any) -> np.ndarray:
        found = self.selected(x, key)
        names_cell = is_basic(key) and not any(p is Ellipsis for p in (key if isinstance(key, tuple) else (key,)))
        return found if found.ndim or not names_cell else as_value(found)

    def selected(self, x: np.ndarray, key: Any) -> np.ndarray:
        parts = key if isinstance(key, tuple) else (key,)
        if is_basic(key) and not any(p is Ellipsis for p in parts):
            parts = (*parts, Ellipsis)  # an array, never a scalar
        found = x[parts]
        return found if is_basic(key) else native(found)

    def masked(self, x: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return native(x[mask])

    def _converted(self, value: Any, like: np.ndarray) -> Any:
        if isinstance(value, (bool, int, float, complex)):
            return value
        return self.apply(value, "astype", (dt.from_numpy(like.dtype)[0],), {})

    def write(self, x: np.ndarray, value: Any, key: Any) -> None:
        if not self._refused(self.selected(x, key) if is_basic(key) else x):
            x[key] = self._converted(value, x)

    def fill(self, x: np.ndarray, key: Any, value: Any) -> None:
        self.write(x, value, key)

    def write_masked(self, x: np.ndarray, mask: np.ndarray, value: Any) -> None:
        if not self._refused(x):
            x[mask] = self._converted(value, x)

    def in_place(self, x: np.ndarray, y: Any, name: str) -> None:
        if not (isinstance(x, Value) and not x.ndim) and not self._refused(x):
            made = self.apply(x, y, IN_PLACE[name], (), {})
            x[...] = self._converted(made, x)

    def destination(self, x: np.ndarray, y: np.ndarray, to: np.ndarray, name: str) -> None:
        to[...] = self._converted(self.apply(x, y, name, (), {}), to)

    def _refused(self, x: np.ndarray) -> bool:
        refused = not is_writable(x)
        if refused:
            self.seen.append("WriteError")
        return refused

    def drop(self, number: int) -> None:
        del self.handles[number]

    def export(self, x: np.ndarray) -> None:
        self.exports.append(np.array(x) if isinstance(x, Value) else x)

    def look(self, x: np.ndarray) -> None:
        self.seen.append(np.array(x))

    def compute(self, *xs: np.ndarray) -> None:
        pass

    def poke(self, which: int, value: Any) -> None:
        _poke([*self.memories, *self.exports], which, value)

    def value(self, handle: np.ndarray) -> np.ndarray:
        return np.array(handle)


IN_PLACE = {
    "__iadd__": "add", "__isub__": "subtract", "__imul__": "multiply", "__iand__": "bitwise_and",
    "__ior__": "bitwise_or",
    "__ixor__": "bitwise_xor", "__ifloordiv__": "floor_divide", "__imod__": "remainder",
}  # fmt: skip


def native(x: np.ndarray) -> np.ndarray:
    return x.astype(dt.from_numpy(x.dtype)[0].np)


def is_basic(key: Any) -> bool:
    return not any(isinstance(p, (list, np.ndarray)) for p in (key if isinstance(key, tuple) else (key,)))


def is_writable(x: np.ndarray) -> bool:
    if any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True)):
        return False
    return x.flags.writeable and self_overlap(box(0, x.strides, x.shape, x.itemsize)) is None


def _strided(x: np.ndarray, shape: Any, strides: Any) -> np.ndarray:
    return as_strided(x, shape, strides, writeable=x.flags.writeable).view(type(x))


def _broadcast_to(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return _strided(x, shape, np.broadcast_to(x, shape).strides)


def _windows(x: np.ndarray, widths: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    view = np.lib.stride_tricks.sliding_window_view(x, widths, axes)
    return _strided(x, view.shape, view.strides)


def _diagonal(x: np.ndarray, *, offset: int, axis1: int, axis2: int) -> np.ndarray:
    view = np.diagonal(x, offset, axis1, axis2)
    if x.flags.writeable:
        view.flags.writeable = True
    return view


def _reshape(x: np.ndarray, made: np.ndarray) -> np.ndarray:
    return made if np.shares_memory(x, made) else native(made)


VIEWS: dict[str, Callable[..., np.ndarray]] = {
    "permute_dims": lambda x, axes: x.transpose(axes),
    "flip": lambda x, *, axis: x[(*(slice(None, None, -1 if d in axis else 1) for d in range(x.ndim)), ...)],
    "expand_dims": lambda x, *, axis: np.expand_dims(x, axis),
    "squeeze": lambda x, *, axis: np.squeeze(x, axis),
    "broadcast_to": _broadcast_to,
    "sliding_window_view": _windows,
    "diagonal": _diagonal,
    "moveaxis": np.moveaxis,
    "matrix_transpose": lambda x: x.swapaxes(-1, -2),
    "real": lambda x: x.real if x.dtype.kind == "c" else x[...],
    "imag": lambda x: x.imag,
    "reshape": lambda x, shape: _reshape(x, x.reshape(shape)),
}
