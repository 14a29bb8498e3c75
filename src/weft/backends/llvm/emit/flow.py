"""Control flow as nested Python blocks: loops, branches and their values.

The one idea: `with` statements correspond to the loops and branches of the emitted code, so labels need no names.
Values that change between iterations, or depend on a branch, are phis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from weft.backends.llvm.emit.values import Instructions, Number, Type, Value

I64 = Type("i64")
Branch = Callable[[], Iterable[Value]] | Iterable[Value]  # emits what a branch does, or just its values


@dataclass(slots=True)
class Iteration:
    """One iteration of a loop: its index, the values carried into it, and for `until` the next index."""

    i: Value
    values: list[Value]
    next: Value | None = None


class Flow(Instructions):
    """The part of a builder that emits blocks and the branches between them."""

    def __init__(self) -> None:
        super().__init__()
        self.block = "entry"
        self.ended = (
            0,
            "",
            0,
        )  # of the last `when`: the line of its branch, the label behind it, the lines until there

    # ---- single steps
    def label(self, name: str) -> None:
        """Begin a block with this label."""
        self.lines.append(f"{name}:")
        self.block = name

    def branch(self, target: str) -> None:
        """Emit a branch to the block of label `target`."""
        self.emit(f"br label %{target}")

    def branch_if(self, condition: Value, yes: str, no: str, rare: str = "") -> None:
        """Emit a branch to the label `yes` if a condition is true, else to `no`.

        `rare` = "yes" or "no" marks the side that is seldom taken.
        """
        weights = {"": "", "no": ", !prof !0", "yes": ", !prof !1"}[rare]
        self.emit(f"br i1 {condition.name}, label %{yes}, label %{no}{weights}")

    def phi(self, type: Type, *incoming: tuple[Value, str]) -> Value:
        """Return a value that depends on the preceding block; `incoming` are pairs (value, label of the block)."""
        return self.value(type, f"phi {type} " + ", ".join(f"[{v.name}, %{block}]" for v, block in incoming))

    def cut(self) -> None:
        """Begin a new block.

        In long straight code LLVM then takes less time, as it looks at one block at a time.
        """
        on = self.unused_name("on")
        self.branch(on)
        self.label(on)

    # ---- loops
    @contextmanager
    def loop(
        self, start: Value | Number, stop: Value | Number, step: Value | Number = 1, opaque: bool = False
    ) -> Iterator[Value]:
        """Return a context manager that emits `for i in range(start, stop, step)` around its body, and yields i.

        i is an i64; `opaque` is that of `carrying`.
        """
        with self.carrying((), start, stop, step, opaque) as turn:
            yield turn.i

    @contextmanager
    def carrying(
        self, values: Sequence[Value], start: Value | Number, stop: Value | Number, step: Value | Number = 1,
        opaque: bool = False,
    ) -> Iterator[Iteration]:  # fmt: skip
        """Return a context manager that emits a counted loop and yields the `Iteration` with the carried values.

        The body reads `turn.values` and sets them to the values of the next iteration.  After the loop they have the
        values of the last iteration, or the first values if there was none.  If the loop is `opaque`, LLVM keeps its
        addresses as they are: looking for cheaper ones takes a fifth of the time, and finds none for loops over chunks.
        """
        head, body, done = (self.unused_name(s) for s in ("head", "body", "done"))
        before, start = self.block, self.coerce(start, I64)
        stop = self.coerce(stop, I64)
        self.branch(head)
        self.label(head)
        at = len(self.lines)
        self.lines += [""] * (len(values) + 1)
        i = Value(self, I64, f"%{self.unused_name('i')}")
        phis = [Value(self, v.type, f"%{self.unused_name('c')}") for v in values]
        self.branch_if(i < stop, body, done)
        self.label(body)
        turn = Iteration(i, list(phis))
        yield turn
        nexts = [self._unknown(i + step) if opaque else i + step, *turn.values]
        self.branch(head)
        for k, (phi, first, then) in enumerate(zip([i, *phis], [start, *values], nexts, strict=True)):
            self._close_phi(at + k, phi, (first, before), then)
        self.label(done)
        turn.values = phis

    def _unknown(self, v: Value) -> Value:
        """Return `v` as the result of assembly without an instruction, of which LLVM can assume nothing."""
        return self.value(v.type, f'call {v.type} asm "", "=r,0"({v.type} {v.name})')

    def _close_phi(self, line: int, phi: Value, first: tuple[Value, str], then: Value) -> None:
        """Write the phi of a carried value into its reserved line at the head of a loop.

        `first` is the value, and the block it comes from, before the loop; `then` is the value after each iteration.
        """
        incoming = f"[{first[0].name}, %{first[1]}], [{then.name}, %{self.block}]"
        self.lines[line] = f"  {phi.name} = phi {phi.type} {incoming}"

    @contextmanager
    def until(self, start: Value | Number, stop: Value) -> Iterator[Iteration]:
        """Return a context manager that emits a loop whose body sets the next index, `turn.next`.

        It ends at `stop` or beyond.  The index begins with `start`, and the body runs at least once.
        """
        again, done, before = self.unused_name("again"), self.unused_name("done"), self.block
        self.branch(again)
        self.label(again)
        at = len(self.lines)
        self.lines.append("")
        turn = Iteration(Value(self, I64, f"%{self.unused_name('i')}"), [])
        yield turn
        assert turn.next is not None, "internal: the body of `until` sets `next`"
        more = turn.next < stop
        self._close_phi(at, turn.i, (self.coerce(start, I64), before), turn.next)
        self.branch_if(more, again, done)
        self.label(done)

    @contextmanager
    def repeat(self) -> Iterator[Callable[[Value], None]]:
        """Return a context manager that emits an endless loop, and yields `leave_if`.

        `leave_if(condition)` emits an exit.
        """
        again, done = self.unused_name("again"), self.unused_name("done")
        self.branch(again)
        self.label(again)

        def leave_if(condition: Value) -> None:
            on = self.unused_name("on")
            self.branch_if(condition, done, on)
            self.label(on)

        yield leave_if
        self.branch(again)
        self.label(done)

    # ---- branches
    @contextmanager
    def when(self, condition: Value, rare: bool = False) -> Iterator[None]:
        """Return a context manager that emits `if condition:` around its body, which seldom runs if `rare`."""
        then, done, at = self.unused_name("then"), self.unused_name("endif"), len(self.lines)
        self.branch_if(condition, then, done, "yes" if rare else "")
        self.label(then)
        yield
        self.branch(done)
        self.label(done)
        self.ended = at, done, len(self.lines)

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """Return a context manager that emits the `else:` of the `when` that ended right before."""
        at, done, end = self.ended
        assert end == len(self.lines), "internal: `otherwise` follows a `when`"
        other = self.unused_name("else")
        self.lines[at] = self.lines[at].replace(f"label %{done}", f"label %{other}")
        self.lines.pop()
        self.label(other)
        yield
        self.branch(done)
        self.label(done)

    @contextmanager
    def unless(self, good: Value, target: str) -> Iterator[None]:
        """Return a context manager whose body is emitted to run where `good` is false, before a branch to `target`."""
        bad, on = self.unused_name("bad"), self.unused_name("good")
        self.branch_if(good, on, bad, "no")
        self.label(bad)
        yield
        self.branch(target)
        self.label(on)

    def need(self, good: Value, target: str) -> None:
        """Emit a branch to `target` where `good` is false, which is rare."""
        on = self.unused_name("good")
        self.branch_if(good, on, target, "no")
        self.label(on)

    def choose(self, condition: Value, yes: Branch, no: Branch, rare: str = "") -> tuple[Value, ...]:
        """Return the values of `yes` where the condition is true, else those of `no`.

        Each is a list of values, or a function that emits code in a branch of its own and returns its values. `rare` =
        "yes" or "no" marks the side that is seldom taken.
        """
        join, before = self.unused_name("join"), self.block
        then, other = (self.unused_name("side") if callable(way) else join for way in (yes, no))
        self.branch_if(condition, then, other, rare)
        left, left_block = self._branch(then, yes, join, before)
        right, right_block = self._branch(other, no, join, before)
        self.label(join)
        return tuple(self.phi(v.type, (v, left_block), (w, right_block)) for v, w in zip(left, right, strict=True))

    def _branch(self, label: str, way: Branch, join: str, before: str) -> tuple[Iterable[Value], str]:
        """Emit one branch of a `choose`; return its values and the label of the block in which it ends.

        A list of values needs no code: it comes from the block `before`. Code ends with a branch to `join`.
        """
        if not callable(way):
            return way, before
        self.label(label)
        values, end = way(), self.block
        self.branch(join)
        return values, end
