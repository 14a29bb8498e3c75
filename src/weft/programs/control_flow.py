"""Control flow on values: loops and choices that are part of a graph.

The one idea: the function of a step is traced into a graph over its arguments and the tensors that it captures; a loop
is one block of `map_blocks` that computes this graph repeatedly.  The gradient of a scan is a scan backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import integer
from weft.api.standard.creation_functions import zeros
from weft.errors import ArgumentError, DTypeError, ShapeError
from weft.ir.graph import node as ir
from weft.programs.loops import chosen, repeated, scanned
from weft.programs.pytrees import Branch, flattened, put_together, taken_apart
from weft.programs.traced_step import TracedStep, map_leaves
from weft.tensors.tensor import Tensor, imported

# ---- loops and choices


def scan(f: Callable[..., Any], init: Any, xs: Any = None, length: int | None = None) -> tuple[Any, Any]:
    """Return (carry, ys) of a loop of steps `carry, y = f(carry, x)`, from `init`, for the rows x of `xs`.

    `init`, `xs` and the results of `f` are tensors, in containers (see `weft.compile`) or alone; ys are the results of
    all steps, stacked along a new first axis. Without `xs`, x is None and there are `length` steps. `f` is called once,
    on stand-ins; it must keep the shape and dtype of the carry, and must not depend on values. Gradients flow to
    `init`, `xs` and captured tensors; they keep the carries of all steps. Raises ShapeError or DTypeError if rows or
    carries do not agree, ArgumentError if `f` is no function or returns no pair, TracingError if `f` reads values or
    writes tensors.

    >>> import weft
    >>> total, sums = weft.scan(lambda s, x: (s + x, s + x), weft.asarray(0.0), weft.asarray([1.0, 2.0, 3.0]))
    >>> total.item(), sums.tolist()
    (6.0, [1.0, 3.0, 6.0])
    """
    init, rows = map_leaves(init, imported), map_leaves(xs, imported)
    carries, lines = _leaves(init), _leaves(rows)
    steps = _length(lines, length)
    step = TracedStep("scan", f, [init, map_leaves(rows, lambda x: zeros(x.shape[1:], dtype=x.dtype))])
    parts = step.results.children if type(step.results) is Branch else ()
    if len(parts) != 2:
        raise ArgumentError(
            "scan: a step returns what is no pair; it gives the next carry and its result; return (carry, y), y may be "
            "None"
        )
    _check_alike("scan", _described(init), parts[0])
    made = iter(scanned(step, steps, carries, lines))
    return put_together(parts[0], lambda d: d and next(made)), put_together(parts[1], lambda d: d and next(made))


def while_loop(condition: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Return the first of init, body(init), body(body(init))... for which `condition` is false.

    `init` is tensors, in containers (see `weft.compile`) or alone; `body` keeps their shapes and dtypes, `condition`
    returns one bool. Both are called once, on stand-ins. Steps are computed when a value is looked at. Differentiating
    it raises GradientError, as the number of steps is not known; use `scan` for that. Raises ShapeError or DTypeError
    if `body` changes a shape or dtype or `condition` gives no single bool, ArgumentError for objects that are no
    functions, TracingError if they read values or write tensors.

    >>> import weft
    >>> weft.while_loop(lambda x: x < 100, lambda x: x * 2, weft.asarray(3)).item()
    192
    """
    init = map_leaves(init, imported)
    start = _leaves(init)
    test, step = TracedStep("while_loop", condition, [init]), TracedStep("while_loop", body, [init])
    if [d.shape for d in test.roots] != [()]:
        raise ShapeError(
            "while_loop: the condition gives no single value; whether there is a step is one truth; reduce it "
            "with any() or all()"
        )
    _check_alike("while_loop", _described(init), step.results)

    made = iter(repeated(test, step, start))
    return map_leaves(init, lambda _: next(made))


def cond(condition: Any, if_true: Callable[..., Any], if_false: Callable[..., Any], *operands: Any) -> Any:
    """Return if_true(*operands) if the condition, a single value, is true, else if_false(*operands).

    Both are called once, on stand-ins, and return tensors of the same shapes and dtypes; only one is computed.
    `weft.where` chooses cell by cell. Gradients flow to the operands, and to captured tensors. Raises ShapeError if the
    condition is no single value, ShapeError or DTypeError if results differ in shape or dtype, ArgumentError for
    objects that are no functions, TracingError if they read values or write tensors.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> weft.cond(x.sum() > 2, lambda x: x * 2, lambda x: -x, x).tolist()
    [2.0, 4.0]
    """
    truth = imported(condition)
    if truth.shape != ():
        raise ShapeError(
            f"cond: a condition of shape {truth.shape}; one truth chooses; reduce it with any() or all(), or "
            "use where()"
        )
    given = map_leaves(list(operands), imported)
    sides = [TracedStep("cond", f, given) for f in (if_true, if_false)]
    _check_alike("cond", sides[0].results, sides[1].results)
    made = iter(chosen(truth.astype(dt.bool), sides, _leaves(given)))
    return put_together(sides[0].results, lambda d: d and next(made))


def _leaves(value: Any) -> list[Tensor]:
    """Return the tensors inside a value, in order."""
    return [x for x in flattened(value)[1] if x is not None]


def _length(lines: Sequence[Tensor], length: int | None) -> int:
    """Return the number of steps of a scan: the number of rows of `lines`, or `length` without any.

    Raises ShapeError if inputs differ in their number of rows or from `length`, DTypeError if `length` is no integer.
    """
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
    """Raise ShapeError or DTypeError unless two structures hold tensors of the same shapes and dtypes.

    `name` is named in errors.
    """
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
