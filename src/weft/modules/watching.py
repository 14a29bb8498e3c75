"""Wrappers of all operations: counting, timing, and computing by the reference with a log line for every call.

The one idea: these are wrappers like those of users, over all operations on all devices.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np

from weft.backends import native
from weft.backends.reference import transformer
from weft.ir.graph import node as ir
from weft.ir.graph.graph_text import description
from weft.ir.graph.ops import ARRAYWISE, OPS
from weft.runtime.compute import function_tables
from weft.runtime.compute.function_tables import Call


def through(function: Callable[[Call], object], *, device: str | None = None) -> AbstractContextManager[None]:
    """Return a context manager that passes each call of an operation to `function` (see `Module.wrapped`).

    `device`: a type of device, None for all. Inside the block nothing is fused or rewritten: every operation of an
    expression is called once. Raises ValueRangeError if no table is loaded for `device`, or `function` is not callable.

    >>> import weft
    >>> ops = []
    >>> def trace(call):
    ...     ops.append(call.op)
    ...     call()
    >>> with through(trace):
    ...     weft.sum(weft.exp(weft.asarray([0.0, 0.0, 0.0])) * 2).item(), ops
    (6.0, ['exp', 'multiply', 'sum'])
    """
    return function_tables.over(None, device, function, True)


@contextmanager
def counting(*, device: str | None = None) -> Iterator[Counter[str]]:
    """Return a context manager that yields a Counter of the calls of every operation inside the block.

    `device`: a type of device, None for all; raises ValueRangeError if no table is loaded for it.

    >>> import weft
    >>> with counting() as n:
    ...     _ = (weft.asarray([1, 2]) + 1 + 1).numpy()
    >>> n
    Counter({'add': 2})
    """
    counts: Counter[str] = Counter()

    def count(call: Call) -> None:
        counts[call.op] += 1
        call()

    with through(count, device=device):
        yield counts


@contextmanager
def timing(*, device: str | None = None) -> Iterator[dict[str, float]]:
    """Return a context manager that yields a dict from each operation to the seconds of its calls in the block.

    `device`: a type of device, None for all; raises ValueRangeError if no table is loaded for it.

    >>> import weft
    >>> with timing() as seconds:
    ...     _ = weft.sort(weft.asarray([2, 1])).numpy()
    >>> list(seconds), seconds["sort"] > 0
    (['sort'], True)
    """
    seconds: dict[str, float] = {}

    def measure(call: Call) -> None:
        begin = time.perf_counter()
        call()
        seconds[call.op] = seconds.get(call.op, 0.0) + time.perf_counter() - begin

    with through(measure, device=device):
        yield seconds


def debugging(log: Callable[[str], object] = print, *, device: str | None = None) -> AbstractContextManager[None]:
    """Return a context manager in which NumPy computes every operation separately.

    `log` is called with a line of text for each call. `device`: a type of device, None for all; raises ValueRangeError
    if no table is loaded for it.

    >>> import weft
    >>> with debugging():
    ...     (weft.asarray([1, 2]) + 0.5).tolist()
    astype float64[2] = int64[2]
    add float64[2] = float64[2], float64[]
    [1.5, 2.5]
    """

    def by_reference(call: Call) -> None:
        given = ", ".join([_text(a) for a in call.args])
        log(f"{call.op} {_text(call.out)} = {given}")
        row = OPS[call.op]
        if row.kind in ARRAYWISE:  # the reference would call the same library routine
            call()
            return
        leaves = tuple([ir.make(OPS["leaf"], (), (), native.described(a)) for a in call.args])
        d = native.described(call.out)
        with np.errstate(all="ignore"):
            parts = [a.astype(a.dtype.newbyteorder("=")) if not a.dtype.isnative else a for a in call.args]
            call.out[...] = transformer.evaluate(ir.make(row, leaves, call.attrs, ir.result(d.dtype, d.shape)), parts)

    return through(by_reference, device=device)


def _text(a: np.ndarray) -> str:
    return description(native.described(a))
