"""Control flow on values: loops and choices that are part of a graph.

The one idea: the function of a step is traced into a graph over its arguments, and over what it reads beside them; a
loop is one block of `map_blocks` that computes this graph again and again.  The gradient of a scan is a scan backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from weft.api.arguments import integer
from weft.api.standard.creation_functions import zeros
from weft.api.standard.elementwise_functions import where
from weft.api.standard.manipulation_functions import flip, moveaxis, reshape
from weft.errors import ArgumentError, DTypeError, GradientError, ShapeError
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.programs.pytrees import Branch, put_together, taken_apart
from weft.programs.traced_step import TracedStep, blank, each, for_all, in_one_block, over_entries
from weft.tensors.tensor import Tensor, imported

_SCALAR = OPS["scalar"]


# ---- loops and choices


def scan(f: Callable[..., Any], init: Any, xs: Any = None, length: int | None = None) -> tuple[Any, Any]:
    """Return (carry, ys) of a loop: each step is `carry, y = f(carry, x)`, from `init`, for the rows x of `xs`.

    `init`, `xs` and what `f` returns are tensors, in containers (see `weft.compile`) or alone; ys are the results of
    all steps, stacked along a new first axis.  Without `xs`, x is None and there are `length` steps.  `f` is called
    once, on stand-ins; it keeps the shape and dtype of the carry, and decides nothing by values.  Gradients flow to
    `init`, `xs` and to what `f` reads beside them; they keep the carries of all steps.

    Raises ShapeError or DTypeError where rows or carries do not agree, TracingError where `f` reads values or writes
    tensors.

    >>> import weft
    >>> total, sums = weft.scan(lambda s, x: (s + x, s + x), weft.asarray(0.0), weft.asarray([1.0, 2.0, 3.0]))
    >>> total.item(), sums.tolist()
    (6.0, [1.0, 3.0, 6.0])
    """
    init, rows = each(init, imported), each(xs, imported)
    carries, lines = _leaves(init), _leaves(rows)
    steps = _length(lines, length)
    step = TracedStep("scan", f, [init, each(rows, lambda x: zeros(x.shape[1:], dtype=x.dtype))])
    parts = step.results.children if type(step.results) is Branch else ()
    if len(parts) != 2:
        raise ArgumentError(
            "scan: a step returns what is no pair; it gives the next carry and its result; return (carry, y), y may be "
            "None"
        )
    _check_alike("scan", _described(init), parts[0])
    made = iter(_scanned(step, steps, carries, lines))
    return put_together(parts[0], lambda d: d and next(made)), put_together(parts[1], lambda d: d and next(made))


def while_loop(condition: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Return the first of init, body(init), body(body(init))... for which `condition` is false.

    `init` is tensors, in containers (see `weft.compile`) or alone; `body` keeps their shapes and dtypes, `condition`
    gives one bool.  Both are called once, on stand-ins.  Steps are computed when a value is looked at.  There is no
    gradient, as the number of steps is not known: it raises GradientError; `scan` has one.

    >>> import weft
    >>> weft.while_loop(lambda x: x < 100, lambda x: x * 2, weft.asarray(3)).item()
    192
    """
    init = each(init, imported)
    start = _leaves(init)
    test, step = TracedStep("while_loop", condition, [init]), TracedStep("while_loop", body, [init])
    if [n.desc.shape for n in test.graph.roots] != [()]:
        raise ShapeError(
            "while_loop: the condition gives no single value; whether there is a step is one truth; reduce it "
            "with any() or all()"
        )
    _check_alike("while_loop", _described(init), step.results)

    def run(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        now, more = list(arrays[: len(start)]), arrays[len(start) :]
        while test.on_arrays([*now, *more[: len(test.outer)]])[0].item():
            now = step.on_arrays([*now, *more[len(test.outer) :]])
        return tuple(now)

    def refuse(*_: Any) -> Any:
        raise GradientError(
            "while_loop: no gradient; the number of steps depends on values; use scan(), or detach() what it is given"
        )

    def batched(given: list[Tensor], own: list[bool], size: int) -> list[Tensor]:
        """Return the loops of all entries: one that is over keeps its values while others go on."""
        count, read = len(start), given[len(start) :]
        of_test, of_step = slice(0, len(test.outer)), slice(len(test.outer), None)
        axes = [0] * count, [0 if o else None for o in own[count:]]

        def truths(now: list[Tensor]) -> Tensor:
            return over_entries(test, [*now, *read[of_test]], [*axes[0], *axes[1][of_test]])[0]

        def next_state(now: list[Tensor]) -> list[Tensor]:
            more = truths(now)
            made = over_entries(step, [*now, *read[of_step]], [*axes[0], *axes[1][of_step]])
            return [where(reshape(more, (size, *[1] * (a.ndim - 1))), a, b) for a, b in zip(made, now, strict=True)]

        whole = [for_all(x, o, size) for x, o in zip(given[:count], own, strict=False)]
        return list(while_loop(lambda now: truths(now).any(), next_state, whole))

    made = iter(in_one_block("while_loop", run, [*start, *test.outer, *step.outer], start, refuse, batched))
    return each(init, lambda _: next(made))


def cond(condition: Any, if_true: Callable[..., Any], if_false: Callable[..., Any], *operands: Any) -> Any:
    """Return if_true(*operands) where a condition of one value is true, else if_false(*operands).

    Both are called once, on stand-ins, return tensors of the same shapes and dtypes, and only one is computed.
    `weft.where` chooses cell by cell.  Gradients flow to the operands, and to what the functions read beside them.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> weft.cond(x.sum() > 2, lambda x: x * 2, lambda x: -x, x).tolist()
    [2.0, 4.0]
    """
    chosen = imported(condition)
    if chosen.shape != ():
        raise ShapeError(
            f"cond: a condition of shape {chosen.shape}; one truth chooses; reduce it with any() or all(), or "
            "use where()"
        )
    given = each(list(operands), imported)
    sides = [TracedStep("cond", f, given) for f in (if_true, if_false)]
    _check_alike("cond", sides[0].results, sides[1].results)
    made = iter(_chosen(sides, chosen, _leaves(given)))
    return put_together(sides[0].results, lambda d: d and next(made))


def _leaves(value: Any) -> list[Tensor]:
    """Return the tensors of a value, in order."""
    found: list[Tensor] = []
    taken_apart(value, lambda x: x is None or found.append(x))
    return found


def _length(lines: Sequence[Tensor], length: int | None) -> int:
    """Return the number of steps of a scan; raises ShapeError where rows differ in number."""
    counts = {x.shape[0] if x.ndim else -1 for x in lines}
    if length is not None:
        counts.add(integer("scan", "length", length))
    if len(counts) != 1 or min(counts) < 0:
        raise ShapeError(
            f"scan: {sorted(counts)} steps; all of xs have a row for each step, and length is their number; give xs of "
            "one length, or length= alone"
        )
    return counts.pop()


def _described(value: Any) -> Any:
    """Return the structure of a value, with a description for each tensor."""
    return taken_apart(value, lambda x: None if x is None else ir.result(x.dtype, x.shape))


def _check_alike(name: str, one: Any, other: Any) -> None:
    """Raise ShapeError or DTypeError unless two structures have tensors of the same shapes and dtypes."""
    if one == other:
        return
    shapes = [put_together(tree, lambda d: d and d.shape) for tree in (one, other)]
    if taken_apart(shapes[0], lambda x: x) != taken_apart(shapes[1], lambda x: x):
        raise ShapeError(
            f"{name}: {other!r:.200} for {one!r:.200}; what takes its place has the same structure, shapes and dtypes; "
            "convert with astype(), or reshape"
        )
    raise DTypeError(
        f"{name}: {other!r:.200} for {one!r:.200}; what takes its place has the same dtypes; begin with one of the "
        "wider dtype, as with 0.0 in the place of 0, or convert with astype()"
    )


def _scanned(
    step: TracedStep, steps: int, carries: Sequence[Tensor], lines: Sequence[Tensor], read: Sequence[Tensor] = ()
) -> list[Tensor]:
    """Return the last carries and the stacked results of a scan; `read` is what all steps read."""
    roots, count, read = [n.desc for n in step.graph.roots], len(carries), [*read, *step.outer]
    stacked = [ir.result(d.dtype, (steps, *d.shape)) for d in roots[count:]]
    if not steps:
        return [*carries, *[blank(d) for d in stacked]]

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        now, rows, fixed = list(arrays[:count]), arrays[count:][: len(lines)], arrays[count + len(lines) :]
        ys = [np.empty(d.shape, d.dtype.np) for d in stacked]
        for k in range(steps):
            made = step.on_arrays([*now, *[x[k, ...] for x in rows], *fixed])
            now = made[:count]
            for y, value in zip(ys, made[count:], strict=True):
                y[k] = value
        return [*now, *ys]

    def vjp(after: Sequence[Tensor], given: Sequence[Tensor]) -> list[Tensor]:
        return _backwards(step, steps, given, count, len(lines), after)

    def batched(given: list[Tensor], own: list[bool], size: int) -> list[Tensor]:
        """Return the scans of all entries: one scan whose carries and rows have an entry more."""
        first, rows = count, count + len(lines)
        now = [for_all(x, o, size) for x, o in zip(given[:first], own, strict=False)]
        xs = [moveaxis(x, 0, 1) if o else x for x, o in zip(given[first:rows], own[first:], strict=False)]
        axes = [*[0] * first, *[0 if o else None for o in own[first:]]]

        def f(now: list[Tensor], x: list[Tensor], read: list[Tensor]) -> list[Any]:
            made = over_entries(step, [*now, *x, *read], axes)
            return [made[:count], made[count:]]

        over = TracedStep("scan", f, [now, [zeros(x.shape[1:], dtype=x.dtype) for x in xs], given[rows:]])
        made = _scanned(over, steps, now, xs, given[rows:])
        return [*made[:count], *[moveaxis(y, 0, 1) for y in made[count:]]]

    return in_one_block("scan", run, [*carries, *lines, *read], [*roots[:count], *stacked], vjp, batched)


def _backwards(
    step: TracedStep, steps: int, given: Sequence[Tensor], count: int, rows: int, after: Sequence[Tensor]
) -> list[Tensor]:
    """Return the gradients of what a scan was given: a scan over its steps in reverse."""
    start, lines, read = list(given[:count]), list(given[count:][:rows]), list(given[count + rows :])

    def forward(now: list[Tensor], x: list[Tensor], read: list[Tensor]) -> list[Any]:
        return [step.on_tensors([*now, *x, *read])[:count], now]

    def back(sums: list[Tensor], now: list[Tensor], x: list[Tensor], gy: list[Tensor], read: list[Tensor]) -> list[Any]:
        found = step.gradients([*now, *x, *read], [*sums[:count], *gy])
        reads = [s + g for s, g in zip(sums[count:], found[count + rows :], strict=True)]
        return [found[:count], reads, found[count:][:rows]]

    def first_rows(tensors: Sequence[Tensor]) -> list[Tensor]:
        return [zeros(x.shape[1:], dtype=x.dtype) for x in tensors]

    run = TracedStep("scan", forward, [start, first_rows(lines), read])
    befores = _scanned(run, steps, start, lines, read)[count:]
    sums = [*after[:count], *[blank(x) for x in read]]
    turned = [[flip(x, axis=0) for x in xs] for xs in (befores, lines, after[count:])]
    undo = TracedStep("scan", back, [sums, *map(first_rows, turned), read])
    found = _scanned(undo, steps, sums, [x for xs in turned for x in xs], read)
    return [*found[:count], *[flip(g, axis=0) for g in found[len(sums) :]], *found[count : len(sums)]]


def _chosen(sides: Sequence[TracedStep], condition: Tensor, given: Sequence[Tensor]) -> list[Tensor]:
    """Return the results of the first of two steps where a condition is true, else of the second."""
    first = len(sides[0].outer)
    count = 1 + len(given)

    def run(truth: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        mine, read = arrays[: count - 1], arrays[count - 1 :]
        side = 0 if truth.item() else 1
        return tuple(sides[side].on_arrays([*mine, *(read[first:] if side else read[:first])]))

    def vjp(after: Sequence[Tensor], tensors: Sequence[Tensor]) -> list[Tensor | None]:
        truth, mine = tensors[0], list(tensors[1:count])
        one, two = tensors[count:][:first], tensors[count + first :]

        def of_first(mine: list[Tensor], gs: list[Tensor], one: list[Tensor], two: list[Tensor]) -> list[Tensor]:
            return [*sides[0].gradients([*mine, *one], gs), *map(blank, two)]

        def of_second(mine: list[Tensor], gs: list[Tensor], one: list[Tensor], two: list[Tensor]) -> list[Tensor]:
            found = sides[1].gradients([*mine, *two], gs)
            return [*found[: count - 1], *map(blank, one), *found[count - 1 :]]

        return [None, *cond(truth, of_first, of_second, mine, list(after), list(one), list(two))]

    def batched(tensors: list[Tensor], own: list[bool], size: int) -> list[Tensor]:
        """Return the choices of all entries: one choice if they share the condition, else both sides cell by cell."""
        axes, read = [0 if o else None for o in own], tensors[count:]
        reads = (read[:first], axes[count:][:first]), (read[first:], axes[count:][first:])

        def side(k: int, *mine: Tensor) -> list[Tensor]:
            made = over_entries(sides[k], [*mine, *reads[k][0]], [*axes[1:count], *reads[k][1]])
            return [for_all(t, t.ndim > n.desc.ndim, size) for t, n in zip(made, sides[k].graph.roots, strict=True)]

        mine = tensors[1:count]
        if not own[0]:
            return list(cond(tensors[0], partial(side, 0), partial(side, 1), *mine))
        pairs = zip(side(0, *mine), side(1, *mine), strict=True)
        return [where(reshape(tensors[0], (size, *[1] * (a.ndim - 1))), a, b) for a, b in pairs]

    descs = [n.desc for n in sides[0].graph.roots]
    inputs = [condition, *given, *sides[0].outer, *sides[1].outer]
    return in_one_block("cond", run, inputs, descs, vjp, batched)
