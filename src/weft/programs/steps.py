"""Steps: expressions and functions without arguments that are evaluated in order, each once.

The one idea: a step acts like a line of a program: an expression is read over the current versions of persistent
tensors, and a function is called.  So only functions write, in a trace as without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from weft.api.arguments import sequence, tensor_given
from weft.errors import DTypeError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.programs.holed_graph import filled
from weft.programs.kinds import lasts
from weft.programs.pytrees import mapped
from weft.tensors.place import Place
from weft.tensors.tensor import Tensor, node_of, wrap, wrap_result

Step = Tensor | Callable[[], Any]


class Steps:
    """A list of steps, run by calling it; made by `sequential` and `doall`."""

    def __init__(self, name: str, steps: Sequence[Step], gives_last: bool) -> None:
        for k, step in enumerate(steps):
            if type(step) is not Tensor and not callable(step):
                raise DTypeError(
                    f"{name}: step {k} is {step!r:.60}; a step is a tensor, or a function of nothing; for a write give "
                    "lambda: weft.assign(x, v)"
                )
        self.steps, self.gives_last, self._name = tuple(steps), gives_last, name

    def __call__(self) -> Any:
        return StepRun().done(self)

    def __repr__(self) -> str:
        return f"<weft.{self._name} of {len(self.steps)} steps>"

    def named(self) -> Iterator[Step]:
        """Iterate over all steps in order; nested `Steps` come before their own steps."""
        for step in self.steps:
            yield step
            if type(step) is Steps:
                yield from step.named()


class StepRun:
    """One run of steps in order, with the results so far."""

    def __init__(self) -> None:
        self._given: dict[int, tuple[Step, Any]] = {}  # by id: step and result
        self._read: dict[int, tuple[Node, Node]] = {}  # by id: nodes of expressions, and the nodes read for them

    def done(self, step: Step) -> Any:
        """Return the result of a step with the current values; a step evaluated before returns its earlier result.

        Raises the errors of a step that is a function.
        """
        if type(step) is Tensor and lasts(step._place):
            return self._now(step)
        if id(step) not in self._given:
            self._given[id(step)] = step, self._done(step)
        return self._given[id(step)][1]

    def _done(self, step: Step) -> Any:
        if type(step) is Tensor:
            return self._now(step)
        if type(step) is not Steps:
            return as_values(step())
        given = [self.done(s) for s in step.steps]
        return given[-1] if given and step.gives_last else None

    def _now(self, tensor: Tensor) -> Tensor:
        """Return an expression rebuilt over known results and the current versions of persistent tensors."""
        n = node_of(tensor)
        known = {k: now for k, (_, now) in self._read.items()}
        made = filled([n], {id(v): p.node for v, p in versions([n], known)} | known)[0]
        if not lasts(tensor._place):
            self._read[id(n)] = n, made
        own = made.inputs and made.place is None and made.alias is None
        return wrap(made if own else ir.copied(made))


def as_values(made: Any) -> Any:
    """Return a function's result, with tensors in containers copied, so that later writes do not change it."""
    return mapped(made, lambda x: wrap_result(ir.copied(node_of(x))) if type(x) is Tensor else x)


def versions(roots: Sequence[Node], beside: Any = ()) -> list[tuple[Node, Place]]:
    """Return (version, place) of every persistent tensor that the roots read, except below nodes with ids in `beside`.

    Expressions behind versions are left out.
    """
    found: list[tuple[Node, Place]] = []

    def below(n: Node) -> Sequence[Node]:
        place = ir.place_of(n)
        if id(n) in beside:
            return ()
        if place is not None and lasts(place):
            found.append((n, place))
            return ()
        return n.inputs if n.value is None else ()

    ir.walk(roots, below)
    return found


def sequential(steps: Sequence[Step]) -> Steps:
    """Return steps that are evaluated in order, each once; their value is that of the last step.

    A step is a tensor, read over the current values of persistent tensors and variables, or a function without
    arguments, which is called and may write.  The steps are evaluated when the result is called, and at each call of a
    `computation` with them among its outputs.  A tensor that is named again, or is part of another step, keeps the
    value that it had in its turn.  Raises DTypeError for other steps.

    >>> import weft
    >>> x = weft.persistent(0)
    >>> x0, x1 = x + x, x + x
    >>> steps = weft.sequential([x0, lambda: weft.assign(x, 2), x1, x0])
    >>> [t.item() for t in weft.computation([x0, x1, steps])()]
    [0, 4, 0]
    """
    return Steps("sequential", sequence("sequential", "steps", steps), True)


def doall(steps: Sequence[Step]) -> Steps:
    """Return steps that are all evaluated, each once, and return None; see `sequential`.

    Raises DTypeError for a step that is no tensor and no function.

    >>> import weft
    >>> x, y = weft.persistent(0), weft.persistent(0)
    >>> weft.computation(weft.doall([lambda: weft.assign(x, 1), lambda: weft.assign(y, 2)]))()
    >>> x.item(), y.item()
    (1, 2)
    """
    return Steps("doall", sequence("doall", "steps", steps), False)


def value_of(x: Tensor) -> Tensor:
    """Return a tensor with the current value of x; among `sequential` steps, the value at its turn.

    Raises DTypeError if x is no tensor.

    >>> import weft
    >>> count = weft.persistent(1)
    >>> before = weft.value_of(count)
    >>> steps = weft.sequential([before, lambda: weft.assign(count, count * 3)])
    >>> again = weft.computation([steps, before, count])
    >>> [[None if t is None else t.item() for t in again()] for _ in range(2)]
    [[None, 1, 3], [None, 3, 9]]
    """
    return wrap(ir.locate(ir.copied(node_of(tensor_given("value_of", x)))))
