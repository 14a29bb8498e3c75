"""Pickles of computations: their graph as text, the cells of its leaves, and the persistent tensors that they read.

The one idea: holes of the graph are placeholders, so the text with numbered placeholders says where inputs go.  Leaves
are pickled row-major; views of them are laid out anew when the text is read.  Functions of blocks are pickled by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import DTypeError
from weft.inspect.text import parse
from weft.interop.imports import snapshot
from weft.ir.graph import graph_text
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, c_strides, describe
from weft.ir.graph.node import Node, walk
from weft.ir.pieces.block_operator import IndexStart, start_leaf
from weft.programs.computation import Computation
from weft.programs.holed_graph import filled
from weft.programs.kinds import is_trained, persistent, variable
from weft.runtime.compute import stages
from weft.tensors.place import Place, cells
from weft.tensors.tensor import Tensor, node_of, wrap

Hole = tuple[str, str, Shape, Shape | None]  # name, dtype, shape, origin
Start = tuple[Any, Any, Shape]  # function, vjp and first index cell of a block operator


def reduced(roots: Sequence[Node], inputs: Sequence[Node], places: Sequence[Place], single: bool) -> tuple[Any, ...]:
    """Return the pickle of a computation by its parts; raises DTypeError if it reads a file."""
    numbered = {id(h): ir.placeholder(f"input {k}", h.desc) for k, h in enumerate(inputs)}
    roots = filled(roots, numbered)
    lines, leaves = graph_text.show(roots).splitlines(), []
    for k, n in enumerate(walk(roots)):
        if n.op.name == "file":
            raise DTypeError("pickle: a computation that reads a file; it may be gone where it is loaded; realize() it")
        if n.value is not None:
            d = n.desc
            plain = describe(d.dtype, d.shape, c_strides(d.shape, d.dtype.itemsize), d.big, d.origin, d.read_only)
            lines[k] = f"%{k} = leaf {graph_text.description(plain)}"
            leaves.append(_leaf(n))
    holes = [(str(h.attrs[0]), h.desc.dtype.name, h.desc.shape, h.desc.origin) for h in inputs]
    lasting = [(_kept(p.node), is_trained(p)) for p in places]
    return (remade, ("\n".join(lines), leaves, holes, lasting, single))


def _leaf(n: Node) -> Tensor | Start:
    """Return the pickle of a leaf: a tensor, or what makes the start leaf of a block operator."""
    if isinstance(n.value, IndexStart):
        return n.value.function, n.value.vjp, tuple(n.value.tolist())
    return _kept(n)


def _kept(n: Node) -> Tensor:
    """Return a tensor with a node's cells, row-major."""
    if n.value is None:
        stages.compute([n])
    return snapshot(np.array(cells(n), dt.to_numpy(n.desc.dtype, n.desc.byteorder), order="C"))


def remade(
    text: str, leaves: list[Tensor | Start], holes: list[Hole], lasting: list[tuple[Tensor, bool]], single: bool
) -> Computation:
    """Return the computation of a pickle, with persistent tensors of its own."""
    found = parse(text, [wrap(start_leaf(*t)) if isinstance(t, tuple) else t for t in leaves])
    roots = [node_of(t) for t in (found if isinstance(found, tuple) else (found,))]
    named = {n.attrs[0]: n for n in walk(roots) if n.op.name == "placeholder"}
    inputs = [ir.placeholder(name, ir.result(dt.named(d), shape, origin)) for name, d, shape, origin in holes]
    map_ = {id(named[f"input {k}"]): n for k, n in enumerate(inputs) if f"input {k}" in named}
    tensors = [(variable if trained else persistent)(t.numpy()) for t, trained in lasting]
    return Computation.of_graph(filled(roots, map_), inputs, tensors, single)
