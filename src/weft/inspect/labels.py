"""Names, scopes and metadata of expressions, and finding parts of an expression by them.

The one idea: nodes built inside a scope get its name and metadata, and so do the nodes that passes replace them with.
While no scope is open, new nodes are not examined.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from fnmatch import fnmatchcase
from functools import partial
from math import isfinite
from typing import Any

from weft.api.arguments import as_tensor
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Label, Node, walk
from weft.ir.graph.ops import OPS
from weft.passes.draft import Draft
from weft.passes.pipeline import drafted
from weft.runtime.scoped_setting import Setting, SettingBlock
from weft.tensors import pending_limits
from weft.tensors.tensor import Tensor, known_node, node_of, tensor_of, view

_PLAIN = (str, bool, int, float, type(None))


def _label_new(n: Node) -> None:
    """Label a new node with the names and metadata of the open scopes."""
    label = _SCOPE.get()
    if type(n) is Node and label != Label():
        ir.label_built(n, label)


_SCOPE = Setting(
    "scope", Label(), lambda label: label != Label(), lambda on: pending_limits.set_labeller(_label_new if on else None)
)


class LabelScope:
    """A context manager that labels the nodes built in this thread or task."""

    def __init__(self, label: Label) -> None:
        self._label = label
        self._entered: list[SettingBlock[Label]] = []

    def __enter__(self) -> None:
        around = _SCOPE.get()
        name = around.name + (f"{self._label.name}/" if self._label.name else "")
        _SCOPE.enter(self._entered, Label(name, {**around.metadata, **self._label.metadata}))

    def __exit__(self, *error: Any) -> None:
        _SCOPE.leave(self._entered)


def scope(name: str = "", /, **metadata: str | bool | int | float | None) -> LabelScope:
    """Return a context manager in which all new tensors get metadata, and names that begin with `name` and a slash.

    Scopes nest: inside "a" and "b", names begin with "a/b/".  A name may be opened again.  Raises DTypeError for names
    that are no text, and for metadata other than texts, numbers, bools and None.

    >>> import weft
    >>> x = weft.ones((2, 3))
    >>> with weft.scope("layer1", kind="dense"):
    ...     y = weft.named(x * 2, "doubled")
    >>> weft.label_of(y)
    Label(name='layer1/doubled', metadata={'kind': 'dense'})
    """
    return LabelScope(_checked("scope", name, metadata))


def named(x: Tensor, name: str = "", /, **metadata: str | bool | int | float | None) -> Tensor:
    """Return x after adding a name, prefixed by the open scopes, and metadata.

    They belong to the present value of x: views and results of x have none of them, and writes to x keep them.  Raises
    DTypeError for names that are no text, and for metadata other than texts, numbers, bools and None.

    >>> import weft
    >>> loss = weft.named((weft.ones(3) * 2).sum(), "loss", epoch=1)
    >>> weft.label_of(loss)
    Label(name='loss', metadata={'epoch': 1})
    """
    x, given = as_tensor(x), _checked("named", name, metadata)
    n = node_of(x)
    before = ir.label_of(n)
    full = _SCOPE.get().name + given.name if given.name else before.name
    ir.set_label(n, Label(full, {**before.metadata, **given.metadata}))
    return x


def label_of(x: Tensor) -> Label:
    """Return the name and the metadata of a tensor, which are empty unless they were given.

    Raises TracingError for a view, of a tensor written in a traced function, that the new version does not have,
    DTypeError for an object without numbers.

    >>> import weft
    >>> weft.label_of(weft.ones(2)).name
    ''
    """
    return ir.label_of(known_node(as_tensor(x)))


def find_nodes(
    x: Tensor | Sequence[Tensor], name: str | None = None, /, *, op: str | None = None, **metadata: Any
) -> list[Tensor]:
    """Return the parts of expressions with this name, operation and metadata, as tensors, inputs first.

    `name` is a pattern such as "layer1/*"; `op` a row of the table of operations, or "leaf" for stored values. Criteria
    that are omitted match everything; the list is empty if nothing matches. Nodes below stored values no longer exist.
    Raises DTypeError for an object without numbers, ValueRangeError for an operation that there is not.

    >>> import weft
    >>> with weft.scope("net"):
    ...     y = weft.named(weft.ones(3) + 1, "shifted").sum()
    >>> [t.tolist() for t in weft.find_nodes(y * 2, "net/shifted")]
    [[2.0, 2.0, 2.0]]
    >>> [t.shape for t in weft.find_nodes(y * 2, op="sum")]
    [()]
    """
    if op is not None and op not in OPS and not (isinstance(op, str) and "." in op):  # others are those of modules
        raise ValueRangeError(f"find_nodes: op {op!r}; no operation has this name; docs/ops.md lists them")
    roots = [node_of(as_tensor(t)) for t in (x if isinstance(x, (list, tuple)) else (x,))]
    found = [n for n in walk(roots) if _fits(n, name, op, metadata)]
    return list(map(handle_of, found))


def handle_of(n: Node) -> Tensor:
    """Return a tensor of node n; if n is a view, the tensor shares the place of its base."""
    return tensor_of(n) if n.alias is None else view(tensor_of(n.alias[0]), n)


def _fits(n: Node, name: str | None, op: str | None, metadata: dict[str, Any]) -> bool:
    label = ir.label_of(n)
    is_op = op is None or op == ("leaf" if n.value is not None and n.op.name != "file" else n.op.name)
    has = all(key in label.metadata and label.metadata[key] == value for key, value in metadata.items())
    return is_op and has and (name is None or (label.name != "" and fnmatchcase(label.name, name)))


def names_in_plan(draft: Draft) -> dict[int, str]:
    """Return {buffer number: text} of a draft's plan; the text joins the names of all nodes that a step computes."""
    if not ir.Labels.used:
        return {}
    stored = drafted(draft).stored
    ends = {id(n) for n in stored} | {id(n) for n in draft.leaves}
    found = {}
    for number, n in enumerate(stored):
        inside = walk([n], partial(_inputs_up_to, ends, n))
        names = [ir.label_of(m).name for m in inside if m is n or id(m) not in ends]
        if any(names):
            found[number] = ", ".join(dict.fromkeys(filter(None, names)))
    return found


def _checked(what: str, name: Any, metadata: dict[str, Any]) -> Label:
    """Return a label with this name and metadata; the public function `what` is named in errors.

    Raises DTypeError if the name is no text, or a metadata value is no text, finite number, bool or None.
    """
    if not isinstance(name, str):
        raise DTypeError(f"{what}: a name of type {type(name).__name__}; names are texts; write one")
    for key, value in metadata.items():
        if type(value) not in _PLAIN or (type(value) is float and not isfinite(value)):
            raise DTypeError(
                f"{what}: {key}={value!r:.60}; metadata are texts, finite numbers, bools and None; give one of these"
            )
    return Label(name, metadata)


def _inputs_up_to(ends: Container[int], top: Node, n: Node) -> Sequence[Node]:
    """Return the inputs of node n; () for a node with its id in `ends`, unless it is `top`."""
    return n.inputs if n is top or id(n) not in ends else ()
