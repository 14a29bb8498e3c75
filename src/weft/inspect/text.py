"""Expressions as text: the graph, its picture, its plan, its kernels, and graphs parsed from text and JSON.

The one idea: text is a form of the graph itself, so it can be parsed, kept, compared and sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.api.arguments import as_tensor, integer
from weft.errors import DTypeError, Fault, FileFormatError, ValueRangeError
from weft.inspect import selection_text
from weft.inspect.labels import handle_of, names_in_plan
from weft.inspect.selection_text import Selection
from weft.ir.graph import graph_dot, graph_facts, graph_json, graph_text, rebuilding
from weft.ir.graph.domain import Domain
from weft.ir.graph.graph_facts import GraphFacts, NodeFacts
from weft.ir.graph.graph_text import line_of
from weft.ir.graph.node import Node, walk
from weft.ir.graph.undefined import numbers_of, without_checks
from weft.ir.kernels import plan_lines
from weft.ir.kernels.plan_text import show_kernels, show_plan
from weft.ir.pieces.block_operator import start_leaf
from weft.passes.fuse import is_stored
from weft.runtime.compute import stages
from weft.runtime.compute.checked_values import add_checks
from weft.sources.files import open_file
from weft.tensors.index_object import Index
from weft.tensors.tensor import Tensor, node_of

LEVELS = ("graph", "json", "dot", "plan", "program", "kernel")
GRAPHS = {"graph": graph_text.show, "json": graph_json.show, "dot": graph_dot.show}
Leaves = Sequence[Any] | Mapping[str, Any]


def show(x: Tensor | Sequence[Tensor] | Selection, level: str = "graph", *, embed: int = 0) -> str:
    """Return the text of one or several expressions, of an index object or of a domain, at a level.

    Levels are "graph" and "json" (`parse` reads both), "dot" (a picture for Graphviz), "plan" (launches, and their
    first rows), "program" (the whole plan, which can be parsed) and "kernel" (the instructions of every distinct body).
    "graph" and "json" include the cells of stored tensors of up to `embed` bytes; other tensors are leaves. Index
    objects and domains have the levels "graph" and "json". Raises ValueRangeError for other levels, ExpressionError for
    values that JSON cannot hold, and DTypeError if `embed` is no integer.

    >>> import weft
    >>> print(weft.show(weft.arange(3)))
    %0 = iota {0} int64[3]
    %1 = scalar {0} int64[]
    %2 = add(%0, %1) int64[3]
    return %2
    >>> weft.show(weft.index[..., -1].bind((3, 6))), weft.show(weft.arange(3).domain)
    ('weft.index[:, 5].bind((3, 6))', 'weft.Domain[0:3]')
    """
    if level not in LEVELS:
        raise ValueRangeError(f"show: level {level!r}; levels are {', '.join(LEVELS)}; pass one of them")
    if isinstance(x, (Index, Domain)):
        if level not in ("graph", "json"):
            raise ValueRangeError(f"show: level {level!r} of {x!r:.60}; it is computed with tensors; show these")
        return selection_text.show(x, level)
    roots = _roots(x)
    if level in GRAPHS:
        return GRAPHS[level](roots, integer("show", "embed", embed))
    if all(map(is_stored, roots)):
        return "stored: nothing to compute"
    work = stages.planned_work(roots)
    if level == "program":
        return plan_lines.show(work.program.plan)
    return (show_plan if level == "plan" else show_kernels)(work.program.plan, names_in_plan(work.draft()))


def _roots(x: Any) -> list[Node]:
    """Return the nodes of a tensor, or of a sequence of tensors.

    Raises DTypeError for an object without numbers.
    """
    return [node_of(as_tensor(t)) for t in (x if isinstance(x, (list, tuple)) else (x,))]


def leaves_of(x: Tensor | Sequence[Tensor], *, embed: int = 0) -> dict[str, Tensor]:
    """Return the stored tensors whose cells `show` omits from the text of expressions, in order.

    The keys are the names given by `named`, or the ids in the text for tensors without a unique name. Raises DTypeError
    if `embed` is no integer.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> {name: t.tolist() for name, t in weft.leaves_of(x * x + 1).items()}
    {'%0': [1.0, 2.0]}
    """
    return {
        name: handle_of(n) for name, n in graph_facts.leaves_of(_roots(x), integer("leaves_of", "embed", embed)).items()
    }


def digest(x: Tensor | Sequence[Tensor]) -> str:
    """Return a digest of expressions, equal for equal operations, attributes, numbers and descriptions.

    It is the same in every process. Cells of stored tensors and lines of the program do not change it, and functions of
    `map_blocks` only by their names. Raises ExpressionError if an attribute is not plain data.

    >>> import weft
    >>> x, y = weft.asarray([1.0, 2.0]), weft.asarray([3.0, 4.0])
    >>> weft.digest(x + 1) == weft.digest(y + 1), weft.digest(x + 1) == weft.digest(x + 2)
    (True, False)
    """
    return graph_json.digest(_roots(x))


def parse(source: str, leaves: Leaves = ()) -> Any:
    """Return the object that a text or JSON from `show` describes.

    It is a tensor, a tuple of several, an index object or a domain.

    `leaves` are tensors for the stored values that it names: a list, in order, or a dict by their names or ids, as
    `leaves_of` returns.  They must have the dtype, shape and origin stated in the text, and any strides and byte order;
    for a leaf that is the function of `map_blocks`, give that function.  Files are opened by their paths.  Raises
    ExpressionError, which lists all faults, for text that is no graph, ValueRangeError for missing leaves, DTypeError
    for other objects than text and tensors, and FileFormatError for files that have changed.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> weft.parse(weft.show(x + 1), [x]).tolist(), weft.parse(weft.show(x + 1, "json"), {"%0": x}).tolist()
    ([2.0, 3.0], [2.0, 3.0])
    >>> weft.parse("weft.Domain[2:4, 3:5]").shape, weft.arange(5)[weft.parse("weft.index[::-2]")].tolist()
    ((2, 2), [4, 2, 0])
    """
    if not isinstance(source, str):
        raise DTypeError(
            f"parse: {type(source).__name__} is no text; graphs are read from what weft.show gives; pass it"
        )
    given = (
        leaves
        if isinstance(leaves, Mapping)
        else dict(enumerate(leaves))
        if isinstance(leaves, (tuple, list))
        else None
    )
    if given is None or not all(isinstance(t, Tensor) or callable(t) for t in given.values()):
        raise DTypeError(
            f"parse: leaves {leaves!r:.60}; they are tensors, in a list or dict; make these with asarray()"
        )
    if selection_text.is_text(source):
        return selection_text.read(source)
    if not source.lstrip().startswith("{"):
        return _tensors(*graph_text.read(source), given)
    data, faults = graph_json.loaded(source)
    if faults:
        raise graph_facts.refused(faults)
    if data.get("format") in selection_text.SCHEMAS:
        return selection_text.of_json(data)
    return _tensors(*graph_json.read(data), given)


def _tensors(graph: GraphFacts, faults: Sequence[Fault], given: Mapping[Any, Any]) -> Tensor | tuple[Tensor, ...]:
    """Return the tensors of a described graph, one or a tuple of several; `given` are the values of its leaves.

    Raises ExpressionError for `faults` and others found here, ValueRangeError for a missing leaf or an unknown check,
    and FileFormatError for a file that has changed.
    """
    tensors = tuple([handle_of(n) for n in nodes_of(graph, faults, lambda facts: _given(facts, given))])
    return tensors[0] if len(tensors) == 1 else tensors


def nodes_of(graph: GraphFacts, faults: Sequence[Fault], given: Callable[[GraphFacts], dict[str, Node]]) -> list[Node]:
    """Return the nodes of a described graph.

    `given` makes the nodes of its leaves and files, by their ids. Raises ExpressionError for `faults` and others found
    here, ValueRangeError for a check that weft does not have.
    """
    rebuilding.check(graph, faults)
    nodes = rebuilding.built(graph, given(graph))
    for n in walk(nodes):
        if n.op.name == "checked":
            verify_check(n)
            add_checks(n)
        elif n.op.refuses:
            stages.unsure(n)
    return nodes


def _given(graph: GraphFacts, leaves: Mapping[Any, Any]) -> dict[str, Node]:
    """Return the nodes of a described graph's leaves and files by their ids.

    The keys of `leaves` are ids, names or numbers. Raises ValueRangeError if a leaf is missing, FileFormatError if a
    file has changed.
    """
    found: dict[str, Node] = {}
    number = 0
    for f in graph.nodes:
        if f.op == "file":
            found[f.id] = file_leaf(f)
        elif f.op in rebuilding.GIVEN:
            value = next((leaves[k] for k in (f.id, f.label.name, number) if k in leaves), None)
            number += 1
            if value is None:
                raise ValueRangeError(
                    f"parse: {line_of(f)!r:.80} is a stored tensor; no value is left for it; pass leaves="
                )
            found[f.id] = (
                node_of(value) if isinstance(value, Tensor) else start_leaf(value, None, (f.attrs or ((),))[-1])
            )
    return found


def file_leaf(facts: NodeFacts) -> Node:
    """Open the file that a description names, and return its node.

    Raises FileFormatError if the file cannot be read, or its content does not match the description.
    """
    assert facts.desc is not None and facts.attrs
    path, form, offset = facts.attrs
    raw = {"format": form, "dtype": facts.desc.dtype, "shape": facts.desc.shape, "offset": offset}
    opened = node_of(open_file(path, **raw if form == "raw" else {}))
    same = [n for n in walk([opened]) if n.op.name == "file" and n.desc == facts.desc]
    if not same:
        raise FileFormatError(
            f"parse: {path} holds {opened.desc!r} and not {facts.desc!r}, as a graph says; it was written anew; open it"
        )
    return same[0]


def verify_check(n: Node) -> None:
    """Raise ValueRangeError if the parsed node n attaches a check that weft does not have."""
    name, (mode, number) = without_checks(n).op.name, n.attrs
    if mode not in ("warn", "error") or number not in numbers_of(name):
        raise ValueRangeError(f"parse: a check {n.attrs} of {name}; there is no such check; see weft.math_mode")
