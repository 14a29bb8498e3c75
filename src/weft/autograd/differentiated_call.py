"""A call of a function that is differentiated by some of its arguments.

The one idea: each tensor in these arguments is copied to a leaf of the tape, and the function gets a copy of the leaf,
so that it may write it.  The backward pass from its results to the leaves gives every derivative; what comes back has
records only where the caller's own tape leads to it, so nothing of the call is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from weft.api.standard.creation_functions import zeros_like
from weft.autograd.propagation import dependencies
from weft.autograd.record import Accumulator, is_recording, record_of, recording, with_record
from weft.autograd.tape import detach, requires_grad_
from weft.errors import ArgumentError, DTypeError, GradientError, ShapeError
from weft.ir.graph import node as ir
from weft.programs.entries import names_of_arguments
from weft.programs.pytrees import flattened, mapped, names_of, put_together, taken_apart
from weft.runtime.fork_safety import late_import
from weft.tensors.operators import is_operand
from weft.tensors.place import VALUE
from weft.tensors.tensor import Tensor, imported, node_of, wrap


class DifferentiatedCall:
    """A call `f(*args, **named)` with records from its results to the tensors in the arguments at `argnums`.

    With `has_aux`, f returns a pair (result, more), and only the result is differentiated. Raises ArgumentError if the
    arguments at `argnums` hold no tensor, or f returns anything but tensors (or no such pair); DTypeError for arguments
    without gradients; GradientError if no result depends on the arguments.
    """

    def __init__(
        self,
        op: str,
        f: Callable[..., Any],
        argnums: Sequence[int],
        args: tuple[Any, ...],
        named: dict[str, Any],
        has_aux: bool = False,
    ) -> None:
        whole, values = flattened(args)
        names = names_of_arguments(f, whole)
        self.op, self.engine = op, late_import("weft.autograd.backward_pass")
        self.arguments = [whole.children[k] for k in argnums]
        self.leaves: dict[int, Tensor] = {}

        def noted(k: int) -> None:
            if values[k] is not None:
                self.leaves[k] = _leaf(op, names[k], values[k])

        for structure in self.arguments:
            put_together(structure, noted)
        if not self.leaves:
            shown = ", ".join([f"{args[k]!r:.60}" for k in argnums]) or "none"
            raise ArgumentError(
                f"{op}: the arguments to differentiate by are {shown}; they hold no tensor; pass tensors there, or "
                "argnums= of other arguments"
            )
        given = list(args)
        with recording(True):
            for k, structure in zip(argnums, self.arguments, strict=True):
                given[k] = put_together(structure, self._copy)
            made = f(*given, **named)
        made, aux = _pair(op, made) if has_aux else (made, None)
        self.outputs: list[Tensor] = []
        self.results = taken_apart(made, self._output)
        self.wanted = [record_of(node_of(t)) for t in self.leaves.values()]
        self.is_outward = self._leads_outward() and is_recording()
        self.aux = mapped(aux, lambda x: self.given_back(x) if isinstance(x, Tensor) else x)

    def _copy(self, k: int) -> Tensor | None:
        """Return a recorded copy of leaf k; None for an argument that is None."""
        x = self.leaves.get(k)
        return None if x is None else wrap(ir.copied(node_of(x)), x._place.kind)

    def _output(self, x: Any) -> int | None:
        """Add a result to the outputs and return its index; None for None.

        Raises ArgumentError for anything else but a tensor.
        """
        if x is None:
            return None
        if not isinstance(x, Tensor):
            raise ArgumentError(
                f"{self.op}: the function returns {x!r:.60}, no tensor; derivatives follow what tensors compute; "
                "return a tensor, or more results with has_aux=True"
            )
        self.outputs.append(x)
        return len(self.outputs) - 1

    def _leads_outward(self) -> bool:
        """True if results depend on leaves of the caller's tape.

        Raises GradientError if no result has a record.
        """
        roots = [record_of(node_of(y)) for y, _ in self._roots(self.outputs)]
        if not roots:
            raise GradientError(
                f"{self.op}: no result depends on the arguments by recorded operations; values that Python reads "
                "(item(), numpy()), integers and detach() end records; compute results from the arguments"
            )
        return any(isinstance(r, Accumulator) and r not in self.wanted for r in dependencies(roots))

    def _roots(self, seeds: Sequence[Tensor]) -> list[tuple[Tensor, Tensor]]:
        """Return (output, seed) for each output with a record."""
        return _recorded(zip(self.outputs, seeds, strict=True))

    def given_back(self, t: Tensor) -> Tensor:
        """Return `t` for the caller: with its record if the caller's tape leads to it, else detached."""
        return t if self.is_outward else detach(t)

    def value(self) -> Any:
        """Return the results of the function in their structure."""
        return put_together(self.results, lambda k: None if k is None else self.given_back(self.outputs[k]))

    def number(self) -> Tensor:
        """Return the output of a function that computes one real number.

        Raises GradientError if there are several outputs or cells, or the number is complex.
        """
        if len(self.outputs) != 1 or type(self.results) is not int:
            raise GradientError(
                f"{self.op}: the function returns a {self.results.kind.__name__ if self.results else None}; a gradient "
                "is that of one number; return a tensor, or (number, more) with has_aux=True"
            )
        (y,) = self.outputs
        if y.size != 1:
            raise GradientError(
                f"{self.op}: the function returns shape {y.shape}; a gradient is that of one number; sum() it, or use "
                "jacobian() or vjp()"
            )
        self.check_real(y, "a gradient is that of a real number; return its real() or abs(), or use vjp()")
        return y

    def check_real(self, t: Tensor, reason: str) -> None:
        """Raise GradientError with a reason if a tensor is complex."""
        if t.dtype.kind == "complex":
            raise GradientError(f"{self.op}: {t.dtype.name}; {reason}")

    def pulled(self, seeds: Sequence[Tensor], create_graph: bool) -> list[Tensor | None]:
        """Return the gradient of each leaf, given a gradient of each output in `seeds`; None where none arrives.

        With `create_graph` the gradients have records. Raises GradientError if an operation has no gradient rule.
        """
        found: list[Tensor | None] = self.engine.execute(self._roots(seeds), self.wanted, create_graph)
        return found

    def gradients(self, seeds: Sequence[Tensor]) -> list[Tensor]:
        """Return the gradient of each leaf, in its shape, given a gradient of each output in `seeds`.

        Gradients have records if `seeds` have, or the caller's tape leads to the results; zeros stand where none
        arrives. Raises GradientError if an operation has no gradient rule.
        """
        create_graph = self.is_outward or _are_recorded(seeds)
        found = zip(self.leaves.values(), self.pulled(seeds, create_graph), strict=True)
        made = [(_filled(g, leaf), leaf) for leaf, g in found]
        return [_constant(g, leaf) if create_graph and record_of(node_of(g)) is None else g for g, leaf in made]

    def as_arguments(self, made: Sequence[Any]) -> tuple[Any, ...]:
        """Return `made`, a list with an object for each leaf, in the structure of the arguments: one part for each."""
        by_leaf = dict(zip(self.leaves, made, strict=True))
        return tuple([put_together(structure, by_leaf.get) for structure in self.arguments])

    def tangents(self, given: Any) -> list[Tensor]:
        """Return a list of tensors, one for each leaf, from a tuple with the structure of the arguments.

        Raises ArgumentError if its structure differs, ShapeError if a shape differs from that of the leaf.
        """
        return matching(self.op, "tangents", given, self.as_arguments(list(self.leaves.values())), "primals")

    def pushed(self, found: Sequence[Tensor | None], tangents: Sequence[Tensor], by: Sequence[Tensor]) -> list[Tensor]:
        """Return the gradients, by the tensors in `by`, of the sum of the products of `found` and `tangents`.

        `found` has a recorded gradient (or None) for each tensor in `tangents`. Raises GradientError if an operation
        has no gradient rule.
        """
        roots = _recorded([(g, v) for g, v in zip(found, tangents, strict=True) if g is not None])
        create_graph = self.is_outward or _are_recorded(tangents)
        wanted = [record_of(node_of(t)) for t in by]
        made = self.engine.execute(roots, wanted, create_graph)
        return [_filled(g, t) for g, t in zip(made, by, strict=True)]


def matching(op: str, what: str, given: Any, like: Any, model: str) -> list[Tensor]:
    """Return the tensors in `given`, whose structure and shapes must be those of `like`.

    `what` and `model` name `given` and `like` in messages. Raises ArgumentError if the structure differs, ShapeError if
    a shape does, DTypeError for an object without numbers.
    """
    (structure, wanted), (other, found) = flattened(like), flattened(given)
    if structure != other or any((x is None) != (y is None) for x, y in zip(found, wanted, strict=True)):
        raise ArgumentError(
            f"{op}: {what} {given!r:.60}; its structure is that of {model}, with a tensor for each tensor there; give "
            "such a value"
        )
    names = names_of(structure, what)
    pairs = [(name, imported(x), y) for name, x, y in zip(names, found, wanted, strict=True) if y is not None]
    for name, x, y in pairs:
        if x.shape != y.shape:
            raise ShapeError(
                f"{op}: {name} of shape {x.shape} for shape {y.shape}; they agree cell by cell; reshape it"
            )
    return [x for _, x, _ in pairs]


def _leaf(op: str, name: str, x: Any) -> Tensor:
    """Return a copy of argument `x` as a leaf; the copy of a recorded tensor keeps its record.

    Raises DTypeError if `x` has no gradient: an integer, a bool, a float8 tensor or another object.
    """
    t = imported(x) if isinstance(x, (float, complex, np.ndarray)) or is_operand(x) else None
    if t is None or not t.dtype.is_inexact or t.dtype.storage:
        told = f"{x!r:.60}" if t is None or not t.ndim else f"of dtype {t.dtype.name}"
        raise DTypeError(
            f"{op}: {name} is {told}; only floats and complex numbers that are computed with have gradients; convert "
            "it to such, or leave it out of argnums"
        )
    made = wrap(ir.copied(node_of(t)), VALUE if t._place.kind is VALUE else None)
    return made if record_of(node_of(made)) is not None else requires_grad_(made)


def _pair(op: str, made: Any) -> tuple[Any, Any]:
    """Return `made`, the result of a function with has_aux=True.

    Raises ArgumentError if it is no tuple of two.
    """
    if not isinstance(made, tuple) or len(made) != 2:
        raise ArgumentError(
            f"{op}: the function returns {made!r:.60}; with has_aux=True it returns (number, more); return such a pair"
        )
    return made


def _recorded(pairs: Iterable[tuple[Tensor, Tensor]]) -> list[tuple[Tensor, Tensor]]:
    """Return the pairs whose first tensor has a record."""
    return [(y, g) for y, g in pairs if record_of(node_of(y)) is not None]


def _are_recorded(tensors: Sequence[Tensor]) -> bool:
    """True if records are kept and a tensor has one."""
    return is_recording() and any(record_of(node_of(t)) is not None for t in tensors)


def _filled(g: Tensor | None, like: Tensor) -> Tensor:
    """Return gradient `g`, or zeros like `like` if it is None."""
    return zeros_like(like) if g is None else g


def _constant(g: Tensor, leaf: Tensor) -> Tensor:
    """Return gradient `g`, which does not depend on `leaf`, with a record whose gradient by the leaf is 0."""
    with_record(node_of(g), record_of(ir.apply("floor", node_of(leaf))))
    return g
