"""Control flow on values: loops and choices that are part of a graph.

The one idea: the function of a step is traced into a graph over its arguments, and over what it reads beside them; a
loop is one block of `map_blocks` that computes this graph again and again.  The gradient of a scan is a scan backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import integer
from weft.api.blocks.map_blocks import Projection, map_blocks
from weft.api.standard.creation_functions import zeros
from weft.api.standard.manipulation_functions import flip
from weft.autograd.recording import recording
from weft.autograd.tape import grad
from weft.errors import ArgumentError, GradientError, ShapeError, TracingError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import ArgumentName
from weft.programs.holed_graph import HoledGraph, filled
from weft.programs.pytrees import Branch, mapped, put_together, taken_apart
from weft.runtime.compute import stages
from weft.tensors.tensor import Tensor, imported, node_of, tensor_of, wrap
from weft.tensors.tracing import Trace

_SCALAR = OPS["scalar"]


class TracedStep:
    """A function of tensors as a graph over its arguments and over `outer`, the tensors that it reads beside them.

    `results` is the structure of what it returns, with a description for each tensor.
    """

    def __init__(self, name: str, f: Callable[..., Any], args: Sequence[Any]) -> None:
        if not callable(f):
            raise ArgumentError(f"{name}: a {type(f).__name__} is no function; a step is one of tensors; pass it")
        trace = Trace(0, None)
        holes: list[Node] = []

        def stand_in(x: Tensor) -> Tensor:
            label = ArgumentName(f"an argument of {name}'s function")
            trace.names.append(label)
            holes.append(ir.placeholder(label, ir.result(x.dtype, x.shape)))
            return wrap(holes[-1])

        given = [_each(a, stand_in) for a in args]
        roots: list[Node] = []

        def result(x: Any) -> Any:
            if x is None:
                return None
            roots.append(node_of(imported(x)))
            return ir.result(roots[-1].desc.dtype, roots[-1].desc.shape)

        with trace.taken():
            self.results = taken_apart(f(*given), result)
        if trace.before or trace.slots:
            raise TracingError(
                f"{name}: its function writes a tensor, or takes gradients with backward(); how often depends on "
                "values; return what changes, and take gradients with autograd.grad"
            )
        if (around := Trace.here()) is not None:
            around.looked.update(trace.looked)
        inner = set(holes)
        for n in walk(roots):
            if any(i in inner for i in n.inputs):
                inner.add(n)
        read = [i for n in walk(roots) if n in inner for i in n.inputs if i not in inner and i.op is not _SCALAR]
        outer = list(dict.fromkeys([*read, *[r for r in roots if r not in inner]]))
        more = [ir.placeholder(ArgumentName("an outer tensor"), ir.result(n.desc.dtype, n.desc.shape)) for n in outer]
        self.outer = list(map(tensor_of, outer))
        self.arguments = len(holes)
        self.graph = HoledGraph(filled(roots, {id(n): h for n, h in zip(outer, more, strict=True)}), [*holes, *more])

    def on_arrays(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the results for arrays in the places of arguments and outer tensors."""
        nodes = [_stored(a, h) for a, h in zip(arrays, self.graph.holes, strict=True)]
        return [n.value for n in self.graph.computed(nodes)]

    def on_tensors(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the results for tensors in the places of arguments and outer tensors, pending."""
        return [wrap(n) for n in self.graph.filled([node_of(t) for t in tensors])]

    def gradients(self, tensors: Sequence[Tensor], after: Sequence[Tensor]) -> list[Tensor]:
        """Return the gradients of arguments and outer tensors, of which `after` are those of the results."""
        with recording(True):
            leaves = [_leaf(t) for t in tensors]
            made = self.on_tensors(leaves)
            pairs = [(y, g) for y, g in zip(made, after, strict=True) if y.requires_grad]  # type: ignore[attr-defined]
            wanted = [t for t in leaves if t.requires_grad]  # type: ignore[attr-defined]
            found = iter(grad([y for y, _ in pairs], wanted, [g for _, g in pairs]) if pairs else [None] * len(wanted))
        given = [next(found) if t.requires_grad else None for t in leaves]  # type: ignore[attr-defined]
        return [_blank(t) if g is None else g for g, t in zip(given, tensors, strict=True)]


def _leaf(t: Tensor) -> Tensor:
    """Return a tensor of the same cells with respect to which gradients are taken, if its dtype has any."""
    made = wrap(ir.copied(node_of(t.detach())))  # type: ignore[attr-defined]
    return made.requires_grad_() if t.dtype.is_inexact and not t.dtype.storage else made  # type: ignore


def _stored(array: np.ndarray, hole: Node) -> Node:
    """Return an array, as functions over blocks get it, as a node described like a hole."""
    d = hole.desc.dtype
    if not d.extended:
        return ir.stored(hole.desc, np.ascontiguousarray(array).reshape(hole.desc.shape))
    n = ir.astype(ir.stored(ir.result(dt.from_numpy(array.dtype)[0], array.shape), np.ascontiguousarray(array)), d)
    stages.compute([n])
    return n


def _in_one_block(
    name: str, run: Callable[..., Any], inputs: Sequence[Tensor], outputs: Sequence[Any], vjp: Callable[..., Any]
) -> list[Tensor]:
    """Return the outputs of a function of whole arrays, of given descriptions, in one block; empty ones are left out.

    `vjp(after, given)` gives the gradients of all inputs, from those of all outputs.
    """
    made, given = [d for d in outputs if d.size], [x for x in inputs if x.size] or [zeros(())]

    def all_of(shape: tuple[int, ...]) -> Projection:
        return Projection([[0]] * len(shape), shape=shape)

    def block(*arrays: np.ndarray) -> Any:
        found = run(*_in_places(inputs, arrays, lambda x: np.empty(x.shape, x.dtype.np)))
        full = [(dt.widened(a) if d.dtype.extended else a) for a, d in zip(found, outputs, strict=True) if d.size]
        return full[0] if len(full) == 1 else full

    def gradients(after: Any, *tensors: Tensor) -> list[Any]:
        parts = after if isinstance(after, tuple) else (after,)
        found = vjp(_in_places(outputs, parts, _blank), _in_places(inputs, tensors, _blank))
        return [g for g, x in zip(found, inputs, strict=True) if x.size] or [None]

    if not made:
        return list(map(_blank, outputs))
    block.__name__ = name
    found = map_blocks(
        block, *given, windows=[all_of(x.shape) for x in given], out=[all_of(d.shape) for d in made], index=(1,),
        dtype=[d.dtype for d in made], shape=[d.shape for d in made], threads=1, vjp=gradients,
    )  # fmt: skip
    return _in_places(outputs, found, _blank)


def _in_places(like: Sequence[Any], values: Sequence[Any], empty: Callable[[Any], Any]) -> list[Any]:
    """Return values in the places of those of `like` that have cells, and `empty(x)` in those of the others."""
    found = iter(values)
    return [next(found) if x.size else empty(x) for x in like]


def _blank(x: Any) -> Tensor:
    """Return zeros like a tensor or a description."""
    return zeros(x.shape, dtype=x.dtype)


# ---- loops and choices


def scan(f: Callable[..., Any], init: Any, xs: Any = None, length: int | None = None) -> tuple[Any, Any]:
    """Return (carry, ys) of a loop: each step is `carry, y = f(carry, x)`, from `init`, for the rows x of `xs`.

    `init`, `xs` and what `f` returns are tensors, in containers (see `weft.compile`) or alone; ys are the results of
    all steps, stacked along a new first axis.  Without `xs`, x is None and there are `length` steps.  `f` is called
    once, on stand-ins; it keeps the shape and dtype of the carry, and decides nothing by values.  Gradients flow to
    `init`, `xs` and to what `f` reads beside them; they keep the carries of all steps.

    Raises ShapeError where rows or carries do not agree, TracingError where `f` reads values or writes tensors.

    >>> import weft
    >>> total, sums = weft.scan(lambda s, x: (s + x, s + x), weft.asarray(0.0), weft.asarray([1.0, 2.0, 3.0]))
    >>> total.item(), sums.tolist()
    (6.0, [1.0, 3.0, 6.0])
    """
    init, rows = _each(init, imported), _each(xs, imported)
    carries, lines = _leaves(init), _leaves(rows)
    steps = _length(lines, length)
    step = TracedStep("scan", f, [init, _each(rows, lambda x: zeros(x.shape[1:], dtype=x.dtype))])
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
    init = _each(init, imported)
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

    made = iter(_in_one_block("while_loop", run, [*start, *test.outer, *step.outer], start, refuse))
    return _each(init, lambda _: next(made))


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
    given = _each(list(operands), imported)
    sides = [TracedStep("cond", f, given) for f in (if_true, if_false)]
    _check_alike("cond", sides[0].results, sides[1].results)
    made = iter(_chosen(sides, chosen, _leaves(given)))
    return put_together(sides[0].results, lambda d: d and next(made))


def _each(value: Any, f: Callable[[Any], Any]) -> Any:
    """Return a value with f(x) in the place of each tensor and number in it."""
    return mapped(value, lambda x: None if x is None else f(x))


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
    """Raise ShapeError unless two structures have tensors of the same shapes and dtypes."""
    if one != other:
        raise ShapeError(
            f"{name}: {other!r:.200} for {one!r:.200}; what takes its place has the same structure, shapes and dtypes; "
            "convert with astype(), or reshape"
        )


def _scanned(
    step: TracedStep, steps: int, carries: Sequence[Tensor], lines: Sequence[Tensor], read: Sequence[Tensor] = ()
) -> list[Tensor]:
    """Return the last carries and the stacked results of a scan; `read` is what all steps read."""
    roots, count, read = [n.desc for n in step.graph.roots], len(carries), [*read, *step.outer]
    stacked = [ir.result(d.dtype, (steps, *d.shape)) for d in roots[count:]]
    if not steps:
        return [*carries, *[_blank(d) for d in stacked]]

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        now, rows, fixed = list(arrays[:count]), arrays[count:][: len(lines)], arrays[count + len(lines) :]
        ys = [np.empty(d.shape, d.dtype.np) for d in stacked]
        for k in range(steps):
            made = step.on_arrays([*now, *[x[k] for x in rows], *fixed])
            now = made[:count]
            for y, value in zip(ys, made[count:], strict=True):
                y[k] = value
        return [*now, *ys]

    def vjp(after: Sequence[Tensor], given: Sequence[Tensor]) -> list[Tensor]:
        return _backwards(step, steps, given, count, len(lines), after)

    return _in_one_block("scan", run, [*carries, *lines, *read], [*roots[:count], *stacked], vjp)


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
    sums = [*after[:count], *[_blank(x) for x in read]]
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
            return [*sides[0].gradients([*mine, *one], gs), *map(_blank, two)]

        def of_second(mine: list[Tensor], gs: list[Tensor], one: list[Tensor], two: list[Tensor]) -> list[Tensor]:
            found = sides[1].gradients([*mine, *two], gs)
            return [*found[: count - 1], *map(_blank, one), *found[count - 1 :]]

        return [None, *cond(truth, of_first, of_second, mine, list(after), list(one), list(two))]

    descs = [n.desc for n in sides[0].graph.roots]
    inputs = [condition, *given, *sides[0].outer, *sides[1].outer]
    return _in_one_block("cond", run, inputs, descs, vjp)
