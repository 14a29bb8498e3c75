"""A counted loop that carries values from turn to turn in registers.

The one idea: the phis at the head are written when the loop is left, since only then are the values of the next turn
known; after the loop `values` holds what the last turn gave, or the first values if there was none.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from weft.backends.llvm.text import Builder, Type, Value


class Carried:
    """`for i in range(start, stop, step)` over i64; set `values` to the new ones before the body ends.

    >>> b = Builder()
    >>> with Carried(b, b.const("i64", 0), b.named("i64", "%n"), 1, [b.const("i64", 0)]) as loop:
    ...     loop.values = [loop.values[0] + loop.i]
    """

    def __init__(self, b: Builder, start: Value, stop: Value, step: int, values: Sequence[Value]) -> None:
        self.b, self.start, self.stop, self.step = b, start, stop, step
        self.first = list(values)
        self.values = list(values)

    def __enter__(self) -> Carried:
        b = self.b
        self.head, self.body, self.done = (b.fresh(s) for s in ("head", "body", "done"))
        self.before = b.block
        b.branch(self.head)
        b.label(self.head)
        self.at = len(b.lines)
        b.lines += [""] * (len(self.first) + 1)
        self.i = Value(b, Type("i64"), f"%{b.fresh('i')}")
        self.phis = [Value(b, v.type, f"%{b.fresh('c')}") for v in self.first]
        b.branch_if(self.i < self.stop, self.body, self.done)
        b.label(self.body)
        self.values = list(self.phis)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            return
        b = self.b
        following = self.i + self.step
        b.branch(self.head)
        firsts, nexts = [self.start, *self.first], [following, *self.values]
        for k, (phi, first, then) in enumerate(zip([self.i, *self.phis], firsts, nexts, strict=True)):
            incoming = f"[{first.name}, %{self.before}], [{then.name}, %{b.block}]"
            b.lines[self.at + k] = f"  {phi.name} = phi {phi.type} {incoming}"
        b.label(self.done)
        self.values = self.phis
