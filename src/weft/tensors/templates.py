"""Templates: the nodes built by a function, recorded as steps that build them again for other operands.

The one idea: a function that reads no values builds the same nodes for operands of equal descriptions.  The first call
runs all its checks and conversions, and its nodes are recorded; later calls copy them.  While anything else affects the
nodes (gradient records, devices, math modes, watchers), every call is built in full.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from operator import itemgetter
from struct import pack
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from weft import callbacks
from weft.dtypes import DType
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import CUTTING, Node, user_frame, walk
from weft.ir.graph.ops import OPS, Op
from weft.runtime.compute.stages import UNSURE, unsure
from weft.runtime.default_dtype import get_default_dtype
from weft.runtime.deterministic import is_deterministic
from weft.runtime.devices.device import CPU, get_default_device
from weft.runtime.scoped_setting import Setting
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, known_node, node_of, view, wrap

F = TypeVar("F", bound=Callable[..., Any])
MOST = 4096  # most recorded calls
MOST_STEPS = 64
MOST_BYTES = 4096  # most bytes of a constant
_IOTA, _LEAF, _SCALAR = OPS["iota"], OPS["leaf"], OPS["scalar"]
_COMPUTED = frozenset(["elementwise", "reduce", "scan", "call"])  # kinds of nodes that selections do not look into
_PLAIN = frozenset([bool, int, str, type(None), DType])


class TemplateStep(NamedTuple):
    """A node of a template; its inputs are among operands, constants and earlier steps, which are numbered in order."""

    op: Op
    only: int  # number of the only input; negative if there are several or none
    several: Callable[[Sequence[Node]], tuple[Node, ...]] | None  # selects several inputs
    attrs: tuple[Any, ...]
    desc: TensorDescription
    levels: int  # how much deeper than its inputs the node is
    offset: int | None  # byte offset of a view from cell 0 of its input; None for other nodes
    may_raise: bool  # at computation


class GraphTemplate(NamedTuple):
    """The nodes built by a function: constants, steps, and the numbers of the results.

    `results` holds for each result the number of its place's node and of its own node, which differ for a view.
    """

    constants: tuple[Node, ...]
    steps: tuple[TemplateStep, ...]
    results: tuple[tuple[int, int], ...]
    given: Callable[[list[Tensor]], Any] | None  # converts the results to a tuple's class; None for one whole tensor

    def built(self, operands: Sequence[Node]) -> Any:
        """Return the function's results built anew from the nodes of other operands."""
        nodes = [*operands, *self.constants]
        frame = user_frame(3)
        code, lasti = (None, 0) if frame is None else (frame.f_code, frame.f_lasti)
        for op, only, several, attrs, desc, levels, offset, may_raise in self.steps:
            n = Node()  # as `make` does, without a call for each node
            n.op, n.attrs, n.desc, n.code, n.lasti = op, attrs, desc, code, lasti
            n.value = n.alias = n.place = n.traits = n.fingerprint = None
            if only >= 0:
                i = nodes[only]
                n.inputs, n.depth = (i,), i.depth + levels
                if offset is not None:
                    root, base = i.alias if i.alias is not None else (i, 0)
                    n.alias = root, base + offset
            elif several is not None:
                n.inputs = inputs = several(nodes)
                n.depth = max([i.depth for i in inputs]) + levels
            else:
                n.inputs, n.depth = (), 0
            if may_raise:
                unsure(n)
            nodes.append(n)
        if self.given is None:
            return wrap(nodes[self.results[0][0]])
        wholes = {root: wrap(nodes[root]) for root, _ in self.results}
        return self.given([wholes[r] if r == k else view(wholes[r], nodes[k]) for r, k in self.results])


_KEPT: dict[Any, GraphTemplate | bool] = {}  # False: called once; True: its nodes cannot be a template


def from_template(most: int) -> Callable[[F], F]:
    """Return a decorator for a function that builds tensors from tensors without reading their values.

    The function returns one tensor or a tuple. Its first `most` positional arguments are tensors or plain values, all
    others are plain values. The second call with equal descriptions records its nodes, later calls copy these.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            nodes: list[Node] = []
            key = _key(function, most, args, named, nodes)
            known = key and _KEPT.get(key)
            if type(known) is GraphTemplate:
                return known.built(nodes)
            settled = Limits.settled
            made = function(*args, **named)
            if key is not None and Limits.settled == settled:  # otherwise some nodes may have been computed
                if known is None and len(_KEPT) >= MOST:
                    _KEPT.clear()
                if not known:
                    _KEPT[key] = known is not None and (_template(nodes, made) or True)
            return made

        return cast(F, called)

    return decorate


def _key(
    function: Any, most: int, args: tuple[Any, ...], named: dict[str, Any], nodes: list[Node]
) -> tuple[Any, ...] | None:
    """Return the key of a call, everything that its nodes depend on, and append its operands' nodes to `nodes`.

    None if the nodes may depend on more: modes, watchers, devices, gradient records.
    """
    if callbacks.MODED is not None or Limits.depth < 0:
        return None
    key = [function, *named]
    if Setting.acting:  # not all settings have their first values
        if get_default_device() is not CPU:
            return None
        key += (get_default_dtype(), is_deterministic())
    others = list(args[most:])
    for t in args[:most]:
        if type(t) is not Tensor:
            key.append(None)
            others.append(t)
            continue
        n = node_of(t)
        root = n if n.alias is None else n.alias[0]
        if n.traits is not None or (root.op is not _LEAF and root.op.kind not in _COMPUTED):
            return None
        key += (root.op is _LEAF, root is n, n.desc, nodes.index(n) if n in nodes else None)
        nodes.append(n)
    others += named.values()
    told = _plain(tuple(others)) if others else ()
    return None if told is None else (*key, *told)


def _plain(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return values with their types, so that equal results mean equal values; None if a value is of another type.

    Plain are bools, numbers, texts, dtypes, None, small arrays, and tuples of these.

    >>> _plain((1, True)) == _plain((True, 1)), _plain((0.0,)) == _plain((-0.0,)), _plain(([1],))
    (False, False, None)
    >>> nan = float("nan")
    >>> _plain((nan,)) == _plain((nan,)), _plain((nan,)) == _plain((-nan,))
    (True, False)
    """
    kinds = tuple(map(type, values))
    if _PLAIN.issuperset(kinds):
        return kinds, values
    parts: list[Any] = []
    for kind, value in zip(kinds, values, strict=True):
        if kind in _PLAIN:
            parts.append(value)
        elif kind is float:
            parts.append(pack("d", value))  # compares NaNs by their bits
        elif kind is np.ndarray and value.nbytes <= MOST_BYTES and value.dtype.isbuiltin:
            parts.append((value.dtype, value.shape, value.tobytes()))
        elif kind is tuple and (inner := _plain(value)) is not None:
            parts.append(inner)
        else:
            return None
    return kinds, tuple(parts)


def _template(operands: Sequence[Node], made: Any) -> GraphTemplate | None:
    """Return the template of the results `made` of a function of `operands`.

    None if there are over 64 nodes, or copies of them would have another meaning.
    """
    tensors: Any = made if isinstance(made, tuple) else (made,)
    if not tensors or any(type(t) is not Tensor for t in tensors):
        return None
    results = [(t._place.node, known_node(t)) for t in tensors]
    given = set(operands)
    below = walk([n for _, n in results], lambda n: () if n in given else n.inputs)
    inner = [n for n in below if n not in given and n.op is not _LEAF]
    constants = [n for n in below if n not in given and n.op is _LEAF]
    beyond = {i for n in operands for i in (n.inputs if n.alias is None else (n.alias[0], *n.inputs))} - given
    if len(inner) > MOST_STEPS or not {root for root, _ in results}.issubset(inner):
        return None
    if not (all(map(_is_copied, inner)) and all(map(_is_constant, constants)) and beyond.isdisjoint(below)):
        return None
    number = {n: k for k, n in enumerate((*operands, *constants, *inner))}
    steps = [_step(n, [number[i] for i in n.inputs]) for n in inner]
    numbers = tuple([(number[root], number[n]) for root, n in results])
    is_whole = type(made) is Tensor and numbers[0][0] == numbers[0][1]
    return GraphTemplate(tuple(constants), tuple(steps), numbers, None if is_whole else _giving(made))


def _step(n: Node, inputs: Sequence[int]) -> TemplateStep:
    """Return the step that builds a node; `inputs` are the numbers of its inputs."""
    only = inputs[0] if len(inputs) == 1 else -1
    several = itemgetter(*inputs) if len(inputs) > 1 else None
    levels = 0 if n.alias is not None else CUTTING if n.op.kind == "selection" else 1
    return TemplateStep(n.op, only, several, n.attrs, n.desc, levels, _offset(n), n in UNSURE)


def _giving(made: Any) -> Callable[[list[Tensor]], Any]:
    """Return a function from tensors in a list to the form of `made`: a tensor, or its tuple class."""
    if type(made) is Tensor:
        return itemgetter(0)
    return type(made)._make if hasattr(made, "_make") else tuple


def _is_copied(n: Node) -> bool:
    """True if a copy of a node, with the same op, inputs and attributes, has the same meaning."""
    made = bool(n.inputs) or n.op is _IOTA or n.op is _SCALAR
    return made and n.value is None and n.traits is None and n.op.kind != "check"


def _is_constant(n: Node) -> bool:
    """True if a node is a few stored cells that nothing else can write."""
    small = isinstance(n.value, np.ndarray) and n.value.nbytes <= MOST_BYTES
    return small and n.traits is None and n.fingerprint is None


def _offset(n: Node) -> int | None:
    """Return the byte offset of a view from cell 0 of its input; None for other nodes."""
    if n.alias is None:
        return None
    x = n.inputs[0]
    return n.alias[1] - (0 if x.alias is None else x.alias[1])
