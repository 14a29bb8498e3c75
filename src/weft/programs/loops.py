"""Loops and choices as functions of one block: their values, their gradients, and their values over a batch.

The one idea: a loop is the graphs of its steps and a few numbers, so it is data; how it is called, and the shapes of
its inputs and outputs, follow from these.  The gradient of a scan is a scan backwards.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.blocks.map_blocks import Projection, map_blocks
from weft.api.standard.creation_functions import zeros
from weft.api.standard.elementwise_functions import where
from weft.api.standard.manipulation_functions import flip, moveaxis, reshape
from weft.errors import GradientError, ShapeError
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.programs.traced_step import LoopStep, TracedStep, for_all, over_entries, zeros_of
from weft.tensors.tensor import Tensor

Descriptions = list[TensorDescription]


class Loop(ABC):
    """A function of whole arrays that runs as one block; inputs and outputs without cells stay outside the block.

    `steps` are the graphs that it computes; `numbers` are its other parameters.
    """

    kind = ""

    def __init__(
        self, steps: Sequence[LoopStep], numbers: Sequence[int], inputs: Descriptions, outputs: Descriptions
    ) -> None:
        self.steps, self.numbers, self.inputs, self.outputs = steps, numbers, inputs, outputs
        self.__name__ = self.kind

    @abstractmethod
    def run(self, *arrays: np.ndarray) -> Sequence[np.ndarray]:
        """Return the outputs for arrays in C order, described like the inputs.

        Raises the errors of the steps, such as MathError.
        """

    @abstractmethod
    def vjp(self, after: list[Tensor], given: list[Tensor]) -> Sequence[Tensor | None]:
        """Return the gradient of each input, or None for none.

        `after` are the gradients of the outputs, `given` the values of the inputs.
        """

    @abstractmethod
    def over_batch(self, given: list[Tensor], own: list[bool], size: int) -> Sequence[Tensor]:
        """Return the outputs for a batch of `size` entries.

        The entries lie along axis 0 of the inputs with a true flag in `own`; other inputs are shared.
        """

    def tensors(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Return the outputs for tensors, as pending expressions."""
        made, given = [d for d in self.outputs if d.size], [x for x in inputs if x.size] or [zeros(())]
        if not made:
            return list(map(zeros_of, self.outputs))

        def all_of(shape: tuple[int, ...]) -> Projection:
            return Projection([[0]] * len(shape), shape=shape)

        found = map_blocks(
            self, *given, windows=[all_of(x.shape) for x in given], out=[all_of(d.shape) for d in made], index=(1,),
            dtype=[d.dtype for d in made], shape=[d.shape for d in made], threads=1, vjp=self.gradients,
        )  # fmt: skip
        return _in_places(self.outputs, found, zeros_of)

    def __call__(self, *arrays: np.ndarray) -> Any:
        """Return the non-empty outputs for the non-empty inputs, as `map_blocks` calls its function.

        Raises ShapeError for arrays that differ from the descriptions of the inputs.
        """
        given = [np.asarray(a, order="C") for a in arrays]
        for a, d in zip(given, [d for d in self.inputs if d.size], strict=False):
            if a.shape != d.shape or not (d.dtype.extended or a.dtype == d.dtype.np):
                raise ShapeError(
                    f"{self.kind}: {a.dtype} of shape {a.shape} where its steps take {d!r}; only a file that was "
                    "changed has such a loop; save the program again"
                )
        found = self.run(*_in_places(self.inputs, given, lambda d: np.empty(d.shape, d.dtype.np)))
        pairs = zip(found, self.outputs, strict=True)
        full = [(dt.widened(a) if d.dtype.extended else a) for a, d in pairs if d.size]
        return full[0] if len(full) == 1 else full

    def gradients(self, after: Any, *tensors: Tensor) -> list[Any]:
        """Return the gradients of the non-empty inputs, as `map_blocks` calls its `vjp`.

        `after` are the gradients of the outputs, `tensors` the inputs.
        """
        parts = after if isinstance(after, tuple) else (after,)
        found = self.vjp(_in_places(self.outputs, parts, zeros_of), _in_places(self.inputs, tensors, zeros_of))
        return [g for g, d in zip(found, self.inputs, strict=True) if d.size] or [None]

    def batched(self, tensors: Sequence[Tensor], own: Sequence[bool], size: int) -> list[Tensor]:
        """Return the non-empty outputs for a batch, as `batched_blocks` calls it.

        The arguments are those of `over_batch`, without empty tensors.
        """
        given = _in_places(self.inputs, tensors, zeros_of), _in_places(self.inputs, own, lambda _: False)
        found = self.over_batch(*given, size)
        return [t for t, d in zip(found, self.outputs, strict=True) if d.size]


class ScanLoop(Loop):
    """A loop over rows: a step maps carries, rows of the inputs and shared values to carries and ys."""

    kind = "scan"

    def __init__(self, step: LoopStep, length: int, carries: int, lines: int) -> None:
        holes, roots = step.holes, step.roots
        rows = [ir.result(d.dtype, (length, *d.shape)) for d in holes[carries : carries + lines]]
        ys = [ir.result(d.dtype, (length, *d.shape)) for d in roots[carries:]]
        numbers = (length, carries, lines)
        super().__init__([step], numbers, [*holes[:carries], *rows, *holes[carries + lines :]], [*holes[:carries], *ys])
        self.length, self.carries, self.lines, self.step = *numbers, step

    def run(self, *arrays: np.ndarray) -> Sequence[np.ndarray]:
        """Return the last carries and the results of all steps.

        `arrays` are the initial carries, rows and shared values.
        """
        count, step = self.carries, self.step
        now, rows, fixed = arrays[:count], arrays[count:][: self.lines], arrays[count + self.lines :]
        ys = [np.empty(d.shape, d.dtype.np) for d in self.outputs[count:]]
        for k in range(self.length):
            made = step.on_arrays([*now, *[x[k, ...] for x in rows], *fixed])
            now = tuple(made[:count])
            for y, value in zip(ys, made[count:], strict=True):
                y[k] = value
        return [*now, *ys]

    def vjp(self, after: list[Tensor], given: list[Tensor]) -> Sequence[Tensor | None]:
        """Return the gradients of initial carries, rows and shared values, by a scan over the steps in reverse.

        Arguments are those of `Loop.vjp`. Raises GradientError if an operation of the step has no gradient.
        """
        count, rows, step = self.carries, self.lines, self.step
        start, lines, read = given[:count], given[count:][:rows], given[count + rows :]

        def forward(now: list[Tensor], x: list[Tensor], read: list[Tensor]) -> list[Any]:
            return [step.on_tensors([*now, *x, *read])[:count], now]

        def back(
            sums: list[Tensor], now: list[Tensor], x: list[Tensor], gy: list[Tensor], read: list[Tensor]
        ) -> list[Any]:
            found = step.gradients([*now, *x, *read], [*sums[:count], *gy])
            reads = [s + g for s, g in zip(sums[count:], found[count + rows :], strict=True)]
            return [found[:count], reads, found[count:][:rows]]

        traced = TracedStep("scan", forward, [start, _first_rows(lines), read])
        befores = scanned(traced, self.length, start, lines, read)[count:]
        sums = [*after[:count], *[zeros_of(x) for x in read]]
        turned = [[flip(x, axis=0) for x in xs] for xs in (befores, lines, after[count:])]
        undo = TracedStep("scan", back, [sums, *map(_first_rows, turned), read])
        found = scanned(undo, self.length, sums, [x for xs in turned for x in xs], read)
        return [*found[:count], *[flip(g, axis=0) for g in found[len(sums) :]], *found[count : len(sums)]]

    def over_batch(self, given: list[Tensor], own: list[bool], size: int) -> Sequence[Tensor]:
        """Return the scans of all entries, as one scan whose carries and rows have an axis of entries."""
        count, first, step = self.carries, self.carries + self.lines, self.step
        now = [for_all(x, o, size) for x, o in zip(given[:count], own, strict=False)]
        xs = [moveaxis(x, 0, 1) if o else x for x, o in zip(given[count:first], own[count:], strict=False)]
        axes = [*[0] * count, *[0 if o else None for o in own[count:]]]

        def f(now: list[Tensor], x: list[Tensor], read: list[Tensor]) -> list[Any]:
            made = over_entries(step, [*now, *x, *read], axes)
            return [made[:count], made[count:]]

        over = TracedStep("scan", f, [now, _first_rows(xs), given[first:]])
        made = scanned(over, self.length, now, xs, given[first:])
        return [*made[:count], *[moveaxis(y, 0, 1) for y in made[count:]]]


def scanned(
    step: TracedStep, length: int, carries: Sequence[Tensor], lines: Sequence[Tensor], read: Sequence[Tensor] = ()
) -> list[Tensor]:
    """Return the last carries and the stacked results of a scan of `length` steps.

    `carries` are the initial carries, `lines` have a row for each step, and every step reads the tensors `read` whole.
    """
    if not length:
        return [*carries, *[zeros((0, *d.shape), dtype=d.dtype) for d in step.roots[len(carries) :]]]
    return ScanLoop(step, length, len(carries), len(lines)).tensors([*carries, *lines, *read, *step.outer])


def _first_rows(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [zeros(x.shape[1:], dtype=x.dtype) for x in tensors]


class WhileLoop(Loop):
    """A loop that runs while a condition of its state holds.

    Both steps take the state, followed by their own captured values.
    """

    kind = "while_loop"

    def __init__(self, test: LoopStep, step: LoopStep, states: int) -> None:
        state = test.holes[:states]
        super().__init__([test, step], (states,), [*test.holes, *step.holes[states:]], state)
        self.states, self.test, self.step = states, test, step

    def run(self, *arrays: np.ndarray) -> Sequence[np.ndarray]:
        """Return the first state for which the condition is false."""
        now, of_test = arrays[: self.states], arrays[self.states : len(self.test.holes)]
        of_step = arrays[len(self.test.holes) :]
        while self.test.on_arrays([*now, *of_test])[0].item():
            now = tuple(self.step.on_arrays([*now, *of_step]))
        return now

    def vjp(self, after: list[Tensor], given: list[Tensor]) -> Sequence[Tensor | None]:
        """Raise GradientError, as the number of steps is not known."""
        raise GradientError(
            "while_loop: no gradient; the number of steps depends on values; use scan(), or detach() what it is given"
        )

    def over_batch(self, given: list[Tensor], own: list[bool], size: int) -> Sequence[Tensor]:
        """Return the final states of all entries; an entry whose loop has ended keeps its state."""
        count, end = self.states, len(self.test.holes)
        axes = [0 if o else None for o in own]

        def truths(now: list[Tensor]) -> Tensor:
            return over_entries(self.test, [*now, *given[count:end]], [*[0] * count, *axes[count:end]])[0]

        def is_any(now: list[Tensor]) -> Tensor:
            return truths(now).any()  # type: ignore[attr-defined, no-any-return]

        def next_state(now: list[Tensor]) -> list[Tensor]:
            more = truths(now)
            made = over_entries(self.step, [*now, *given[end:]], [*[0] * count, *axes[end:]])
            return [where(reshape(more, (size, *[1] * (a.ndim - 1))), a, b) for a, b in zip(made, now, strict=True)]

        whole = [for_all(x, o, size) for x, o in zip(given[:count], own, strict=False)]
        return repeated(TracedStep("while_loop", is_any, [whole]), TracedStep("while_loop", next_state, [whole]), whole)


def repeated(test: TracedStep, step: TracedStep, state: Sequence[Tensor]) -> list[Tensor]:
    """Return the first state, from `state` on by `step`, for which the step `test` is false."""
    return WhileLoop(test, step, len(state)).tensors([*state, *test.outer, *step.outer])


class ChoiceLoop(Loop):
    """A choice between two steps by a condition; both take the operands, followed by their own captured values."""

    kind = "cond"

    def __init__(self, one: LoopStep, two: LoopStep, operands: int) -> None:
        inputs = [ir.result(dt.bool, ()), *one.holes, *two.holes[operands:]]
        super().__init__([one, two], (operands,), inputs, one.roots)
        self.operands, self.first = operands, len(one.holes) - operands

    def _parts(self, values: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Split values of all inputs into the operands, the first step's and the second step's captured values."""
        mine, read = values[1 : 1 + self.operands], values[1 + self.operands :]
        return mine, read[: self.first], read[self.first :]

    def run(self, *arrays: np.ndarray) -> Sequence[np.ndarray]:
        """Return the results of the first step if the condition is true, else of the second."""
        mine, one, two = self._parts(arrays)
        side, read = (0, one) if arrays[0].item() else (1, two)
        return self.steps[side].on_arrays([*mine, *read])

    def vjp(self, after: list[Tensor], given: list[Tensor]) -> Sequence[Tensor | None]:
        """Return the gradients of the inputs: a choice between the gradients of both steps.

        Arguments are those of `Loop.vjp`. Raises GradientError if an operation of a step has no gradient.
        """
        mine, one, two = self._parts(given)
        count = self.operands

        def of_first(mine: list[Tensor], gs: list[Tensor], one: list[Tensor], two: list[Tensor]) -> list[Tensor]:
            return [*self.steps[0].gradients([*mine, *one], gs), *map(zeros_of, two)]

        def of_second(mine: list[Tensor], gs: list[Tensor], one: list[Tensor], two: list[Tensor]) -> list[Tensor]:
            found = self.steps[1].gradients([*mine, *two], gs)
            return [*found[:count], *map(zeros_of, one), *found[count:]]

        operands = [mine, list(after), one, two]
        sides = [TracedStep("cond", f, operands) for f in (of_first, of_second)]
        return [None, *chosen(given[0], sides, [x for part in operands for x in part])]

    def over_batch(self, given: list[Tensor], own: list[bool], size: int) -> Sequence[Tensor]:
        """Return the choices of all entries: one choice if they share the condition, else both steps cell by cell."""
        axes = self._parts([0 if o else None for o in own])
        mine, *reads = self._parts(given)

        def side(k: int, *mine: Tensor) -> list[Tensor]:
            made = over_entries(self.steps[k], [*mine, *reads[k]], [*axes[0], *axes[k + 1]])
            return [for_all(t, t.ndim > d.ndim, size) for t, d in zip(made, self.outputs, strict=True)]

        if not own[0]:
            return chosen(given[0], [TracedStep("cond", partial(side, k), mine) for k in (0, 1)], mine)
        pairs = zip(side(0, *mine), side(1, *mine), strict=True)
        return [where(reshape(given[0], (size, *[1] * (a.ndim - 1))), a, b) for a, b in pairs]


def chosen(condition: Tensor, sides: Sequence[TracedStep], operands: Sequence[Tensor]) -> list[Tensor]:
    """Return the results of the first step of `sides` if `condition` is true, else of the second.

    `condition` is a bool of rank 0; both steps get `operands`.
    """
    loop = ChoiceLoop(sides[0], sides[1], len(operands))
    return loop.tensors([condition, *operands, *sides[0].outer, *sides[1].outer])


def loop_of(kind: str, numbers: Sequence[int], steps: Sequence[LoopStep]) -> Loop:
    """Return the loop of a kind with the given numbers and steps; raises ValueError if they do not fit."""
    one, two = steps if len(steps) == 2 else (*steps, None)
    match kind, tuple(numbers), two:
        case "scan", (length, carries, lines), None:
            fits = length > 0 and carries + lines <= len(one.holes) and one.roots[:carries] == one.holes[:carries]
            if fits and carries <= len(one.roots):
                return ScanLoop(one, length, carries, lines)
        case "while_loop", (states,), LoopStep():
            fits = states <= len(one.holes) and [d.shape for d in one.roots] == [()]
            if fits and one.holes[:states] == two.holes[:states] == two.roots:
                return WhileLoop(one, two, states)
        case "cond", (operands,), LoopStep():
            if operands <= len(one.holes) and one.holes[:operands] == two.holes[:operands] and one.roots == two.roots:
                return ChoiceLoop(one, two, operands)
    raise ValueError(f"a loop {kind!r:.40} of {numbers!r:.40} and {len(steps)} steps that do not fit")


def _in_places(like: Sequence[Any], values: Sequence[Any], empty: Callable[[Any], Any]) -> list[Any]:
    """Return `values` at the places where `like` has cells, and `empty(x)` at the others."""
    found = iter(values)
    return [next(found) if x.size else empty(x) for x in like]
