"""Pickles of computations: their graph as text, the cells of its leaves, and the persistent tensors that they read.

The one idea: inputs of the graph are numbered placeholders in the text.  Leaves are pickled row-major; views of them
are laid out anew when the text is parsed.  Functions of block operators are pickled by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import DTypeError
from weft.inspect.text import parse
from weft.interop.imports import snapshot
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, walk
from weft.ir.pieces.block_operator import IndexStart, start_leaf
from weft.programs.computation import Computation
from weft.programs.holed_graph import HoledGraph, filled
from weft.programs.kinds import is_trained, persistent, variable
from weft.programs.traced_call import TracedCall
from weft.runtime.compute import stages
from weft.tensors.place import cells
from weft.tensors.tensor import Tensor, node_of, wrap

Hole = tuple[str, str, Shape, Shape | None]  # name, dtype, shape, origin
Start = tuple[Any, Any, Shape]  # function, vjp and first index cell of a block operator


def reduced(traced: TracedCall, given: int) -> tuple[Any, ...]:
    """Return the pickle of a traced call with `given` inputs, as (`remade`, arguments).

    Raises DTypeError if it reads a file, draws from a generator or sets gradients.
    """
    if traced.drawn or traced.gradients:
        raise DTypeError(
            "pickle: a computation that draws from a generator, or sets gradients; these are not in the pickle; return "
            "gradients, and pass seeds"
        )
    captured = [p for p, _ in traced.captured]
    places = list(dict.fromkeys([*captured, *traced.written]))
    inputs = traced.graph.holes
    if any(n.op.name == "file" for n in walk(traced.graph.roots)):
        raise DTypeError("pickle: a computation that reads a file; it may be gone where it is loaded; realize() it")
    text, stored = traced.graph.as_text("input")
    leaves = [_leaf(n) for n, _ in stored]
    holes = [(str(h.attrs[0]), h.desc.dtype.name, h.desc.shape, h.desc.origin) for h in inputs]
    lasting = [(_kept(p.node), is_trained(p)) for p in places]
    effects = len(captured), [places.index(p) for p in traced.written], dict(traced.donated)
    return (remade, (text, leaves, holes, lasting, given, traced.results, effects))


def _leaf(n: Node) -> Tensor | Start:
    """Return the pickle of a leaf: a tensor, or the function, vjp and position of a block operator's start leaf."""
    if isinstance(n.value, IndexStart):
        return n.value.function, n.value.vjp, tuple(n.value.tolist())
    return _kept(n)


def _kept(n: Node) -> Tensor:
    """Return a tensor with a copy of a node's cells, row-major."""
    if n.value is None:
        stages.compute([n])
    return snapshot(np.array(cells(n), dt.to_numpy(n.desc.dtype, n.desc.byteorder), order="C"))


def remade(
    text: str,
    leaves: list[Tensor | Start],
    holes: list[Hole],
    lasting: list[tuple[Tensor, bool]],
    given: int,
    results: Any,
    effects: tuple[int, list[int], dict[int, str]],
) -> Computation:
    """Return the computation of a pickle, with its own persistent tensors.

    `text` describes the expression of `leaves` and inputs (`holes`), of which the first `given` are parameters;
    `results` is the structure returned. `effects`: the number of captured tensors in `lasting`, the indices there of
    those written, and the donated inputs. Raises ExpressionError if the text was damaged.
    """
    read: Any = parse(text, [wrap(start_leaf(*t)) if isinstance(t, tuple) else t for t in leaves]) if text else ()
    roots = [node_of(t) for t in (read if isinstance(read, tuple) else (read,))]
    named = {n.attrs[0]: n for n in walk(roots) if n.op.name == "placeholder"}
    inputs = [ir.placeholder(name, ir.result(dt.named(d), shape, origin)) for name, d, shape, origin in holes]
    map_ = {id(named[f"input {k}"]): n for k, n in enumerate(inputs) if f"input {k}" in named}
    places = [(variable if trained else persistent)(t.numpy())._place for t, trained in lasting]
    captured = [(p, p.node.desc) for p in places[: effects[0]]]
    graph = HoledGraph(filled(roots, map_), inputs)
    traced = TracedCall(graph, results, captured, [places[k] for k in effects[1]])
    traced.donate(effects[2])
    return Computation(traced, [wrap(n)._place for n in inputs[:given]])
