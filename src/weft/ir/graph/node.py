"""Node: an immutable expression, the only input of all passes.

The one idea: a node defines its value (op, inputs, attributes, description) and, once the value is stored, also holds
its memory.  Storing or forgetting a value changes cost, never meaning.  Nodes are plain slotted objects, immutable by
convention; `weft.ir.graph.spec` checks that in tests.  No value and no key depends on a label, a slot that stays unset
until a user labels the node; a node that replaces another takes over its label and its line in messages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import CodeType, FrameType
from typing import Any, NamedTuple
from weakref import ref

from weft.dtypes import DType, int64
from weft.errors import ShapeError
from weft.ir.graph.description import Shape, TensorDescription, c_strides, describe, view_of
from weft.ir.graph.ops import OPS, Op, resolve
from weft.ir.graph.traced import ArgumentName, TracedNumber

_FILE, _LEAF, _SCALAR, _TRANSFER = OPS["file"], OPS["leaf"], OPS["scalar"], OPS["transfer"]
MAX_DEPTH = 256  # a pending graph deeper than this is computed (design section 3, Reading)
CUTTING = 4  # levels that a selection counts for: all requests from above are led through it
WAITING = 1 << 40  # depth from which there is a placeholder below: it cannot be computed, however deep


class Node:
    """An expression over other nodes.

    op, inputs, attrs, desc: the operation and its result's description.  `value`: the array of a computed value, or
    None.  `alias`: for affine selections of a root, (root, byte offset): once the root is stored, this node's cells lie
    there with desc.strides.  `place`: weak reference to the place whose version this is or was, if any.  `depth`:
    longest path to a stored node, kept below MAX_DEPTH.  `tree`: of a composite that was computed, its outline (unset
    before; see `outline`).  `traits`: None for a plain value in the host's memory, else its further properties (see
    `Traits`).  `fingerprint`: for stored memory that others may write, samples that show whether they have (see
    `weft.runtime.memory.fingerprints`), else None.  `code`, `lasti`: the user's line.  `label`: name and metadata
    (unset at first; see `weft.ir.graph.node`).
    """

    __slots__ = (
        *("__weakref__", "alias", "attrs", "code", "depth", "desc", "fingerprint", "inputs", "label", "lasti", "op"),
        *("place", "traits", "tree", "value"),
    )

    op: Op
    inputs: tuple[Node, ...]
    attrs: tuple[Any, ...]
    desc: TensorDescription
    value: Any
    alias: tuple[Node, int] | None
    place: Any
    tree: Node | None
    traits: Traits | None
    fingerprint: Any
    depth: int
    code: CodeType | None
    label: Any
    lasti: int

    @property
    def dtype(self) -> DType:
        return self.desc.dtype

    @property
    def shape(self) -> Shape:
        return self.desc.shape

    @property
    def ndim(self) -> int:
        return self.desc.ndim

    def __repr__(self) -> str:
        return f"<{self.op.name} {self.desc!r}>"


class Traits:
    """Properties of a value that is not a plain one on the CPU: its device and its gradient record."""

    __slots__ = ("device", "record")

    def __init__(self, device: Any = None, record: Any = None) -> None:
        self.device, self.record = device, record  # device None: the host; record None: no gradient is asked for

    @property
    def unrecorded(self) -> Traits | None:
        """The same traits without a gradient record; None if no trait is left."""
        if self.record is None:
            return self
        plain: Traits | None = None if self.device is None else self.device.traits
        return plain

    def __repr__(self) -> str:
        return f"Traits(device={self.device!r}, record={self.record!r})"


DEVICES: dict[str, Any] = {}  # devices in use beside the host, by name


def inherit(n: Node, always: bool = False) -> None:
    """Set a node's traits from those of its inputs: their device and their gradient record.

    The device may also replace inputs that lie elsewhere.  With `always`, the node is recorded even where recording is
    off.
    """
    device = DEVICES.get(n.attrs[0]) if n.op is _TRANSFER else None
    record = None
    for i in n.inputs:
        if i.traits is not None:
            device = i.traits.device if device is None else device
            record = i.traits.record if record is None else record
    if device is not None:
        device.bring(n)
    if record is not None:
        record.follow(n, always)


def make(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...], desc: TensorDescription) -> Node:
    """Return a node with these parts; the rules of the op are not checked here."""
    n = Node()
    n.op, n.inputs, n.attrs, n.desc = op, inputs, attrs, desc
    n.value = n.alias = n.place = n.code = n.traits = n.fingerprint = None
    n.lasti = 0
    depth, plain = 0, True
    for i in inputs:
        if i.depth > depth:
            depth = i.depth
        if i.traits is not None:
            plain = False
    n.depth = depth + (CUTTING if op.kind == "selection" else 1) if inputs else 0
    if not plain or op is _TRANSFER:
        inherit(n)
    return n


def make_view(op: Op, x: Node, attrs: tuple[Any, ...], desc: TensorDescription, offset: int) -> Node:
    """Return an affine selection of x, with byte strides desc.strides.

    Its cell 0 lies `offset` bytes after cell 0 of x.
    """
    n = make(op, (x,), attrs, desc)
    root, base = x.alias if x.alias is not None else (x, 0)
    n.alias = (root, base + offset)
    n.depth = x.depth
    return n


def result(dtype: DType, shape: Shape, origin: Shape | None = None) -> TensorDescription:
    """Return the description of a computed value: row-major, native byte order."""
    return describe(dtype, shape, c_strides(shape, dtype.itemsize), False, origin)


@cache
def _of_number(dtype: DType) -> TensorDescription:
    return result(dtype, ())


def scalar(number: bool | int | float | complex, dtype: DType) -> Node:
    """Return a 0-d node for a Python number, which is a run-time argument of programs."""
    n = Node()
    n.op, n.inputs, n.attrs, n.desc = _SCALAR, (), (number,), _of_number(dtype)
    n.value = n.alias = n.place = n.code = n.traits = n.fingerprint = None
    n.lasti = n.depth = 0
    return n


def placeholder(name: str, desc: TensorDescription) -> Node:
    """Return a leaf without a value, which is given at each call."""
    n = make(OPS["placeholder"], (), (name,), desc)
    n.depth = WAITING
    return n


def number(x: Any, dtype: DType) -> Node:
    """Return a 0-d node for a Python number; a traced number becomes a placeholder, filled at each call."""
    if type(x) is not TracedNumber:
        return scalar(x, dtype)
    n = placeholder(ArgumentName("a number"), _of_number(dtype))
    n.attrs = (*n.attrs, x)
    return n


def stored(desc: TensorDescription, value: Any) -> Node:
    """Return a leaf whose cells lie in the storage `value`, from its start."""
    n = Node()
    n.op = _LEAF
    n.inputs = n.attrs = ()
    n.desc = desc
    n.value = value
    n.alias = n.place = n.code = n.traits = n.fingerprint = None
    n.lasti = n.depth = 0
    return n


def file_leaf(source: Any, desc: TensorDescription) -> Node:
    """Return a leaf for a tensor in a file; `source` reads its bytes."""
    n = make(_FILE, (), (source,), desc)
    n.value = source
    return n


def astype(x: Node, dtype: DType) -> Node:
    """Return x converted to a dtype; x itself if it has that dtype already."""
    if x.desc.dtype is dtype:
        return x
    return make(OPS["astype"], (x,), (dtype,), result(dtype, x.desc.shape, x.desc.origin))


MAX_RESULTS = 50_000
RESULTS: dict[tuple[Any, ...], TensorDescription] = {}  # by op and descriptions of operands that need no cast


def copied(x: Node) -> Node:
    """Return a copy of x: the same cells as a value of its own."""
    return make(OPS["positive"], (x,), (), result(x.desc.dtype, x.desc.shape, x.desc.origin))


def elementwise(op: Op, *inputs: Node) -> Node:
    """Return an element-wise node, with operands cast to the op's dtype and broadcast together.

    The domain is that of the first operand with the full shape.  Raises DTypeError or ShapeError if the op does not
    accept the operands.
    """
    key = (op, *[i.desc for i in inputs])
    known = RESULTS.get(key)
    if known is not None:
        return make(op, inputs, (), known)
    compute, out = resolve(op, *(i.desc.dtype for i in inputs))
    cast = tuple([astype(i, compute) for i in inputs])
    desc = result(out, *broadcast_domains(op.name, [i.desc for i in cast]))
    if cast == inputs:
        if len(RESULTS) >= MAX_RESULTS:
            RESULTS.clear()
        RESULTS[key] = desc
    return make(op, cast, (), desc)


def scalar_like(value: Any, x: Node) -> Node:
    """Return the number `value` as a scalar node of the dtype of x."""
    return scalar(value, x.desc.dtype)


def apply(name: str, *inputs: Node) -> Node:
    """Return the element-wise node of the op `name` on `inputs`; raises DTypeError or ShapeError if they do not fit."""
    return elementwise(OPS[name], *inputs)


def where(condition: Node, a: Node, b: Node) -> Node:
    """Return `a` where the condition is true, else `b` converted to the dtype of `a`, broadcast together.

    Raises ShapeError if shapes do not broadcast.
    """
    shape, origin = broadcast_domains("where", [condition.desc, a.desc, b.desc])
    return make(OPS["where"], (condition, a, astype(b, a.desc.dtype)), (), result(a.desc.dtype, shape, origin))


def iota(shape: Shape, axis: int = 0, origin: Shape | None = None) -> Node:
    """Return an int64 node of the coordinates along an axis of a domain."""
    return make(OPS["iota"], (), (axis,), result(int64, shape, origin))


def broadcast_domains(op_name: str, descs: list[TensorDescription]) -> tuple[Shape, Shape | None]:
    """Return the shape that descriptions broadcast to, and the origin of the first with this shape.

    The origin is None if no description has it. Raises ShapeError, naming the op, if shapes do not broadcast.
    """
    from_first = descs[0]
    shape = broadcast_shapes(op_name, *(d.shape for d in descs))
    full = from_first if from_first.shape == shape else next((d for d in descs if d.shape == shape), None)
    return shape, None if full is None else full.origin


def broadcast_shapes(name: str, *shapes: Shape) -> Shape:
    """Return the shape that the given shapes broadcast to, by the rules of the array API.

    Raises ShapeError if they do not.

    >>> broadcast_shapes("add", (3, 1), (4,))
    (3, 4)
    """
    ndim = max(map(len, shapes), default=0)
    out = [1] * ndim
    for shape in shapes:
        for axis, n in enumerate(shape, ndim - len(shape)):
            if n == 1 or n == out[axis]:
                continue
            if out[axis] != 1:
                listed = " and ".join(str(s) for s in shapes)
                raise ShapeError(
                    f"{name}: shapes {listed} do not broadcast; axis {axis - ndim} has sizes {out[axis]} and {n}; "
                    "sizes must agree or be 1: reshape or expand_dims one operand"
                )
            out[axis] = n
    return tuple(out)


def product_shape(a: Shape, b: Shape) -> Shape:
    """Return the shape of a matrix product of operands of shapes a and b.

    Raises ShapeError if the inner sizes differ, leading axes do not broadcast, or an operand has rank 0.
    """
    if not a or not b:
        raise ShapeError(f"matmul: shapes {a} and {b}; operands have one axis at least; multiply numbers with *")
    left, right = (1, *a)[-2:], (*b, 1)[-2:] if len(b) == 1 else b[-2:]
    if left[1] != right[0]:
        raise ShapeError(
            f"matmul: shapes {a} and {b}; the last axis of the first has size {left[1]}, the matching axis of the "
            f"second {right[0]}; transpose or reshape one operand"
        )
    lead = broadcast_shapes("matmul", a[:-2], b[:-2])
    return (*lead, *(left[:1] if len(a) > 1 else ()), *(right[1:] if len(b) > 1 else ()))


def place_of(n: Node) -> Any:
    """Return the place whose current or earlier version node n is; None if there is none, or no longer."""
    return n.place() if n.place is not None else None


def current_place(n: Node) -> Any:
    """Return the place whose current version is node n; None if there is none."""
    place = place_of(n)
    return place if place is not None and place.node is n else None


class Live:
    """A substitute for the place of a node in a copied graph, which marks it as a live tensor's value."""

    __slots__ = ("__weakref__", "_node", "held")

    def __init__(self, n: Node, held: bool) -> None:
        self._node, self.held = ref(n), held

    def __call__(self) -> Live:
        return self

    @property
    def node(self) -> Node | None:
        """The node in the copied graph; None once it was freed."""
        return self._node()


def keep_live(copy: Node, n: Node) -> bool:
    """Mark `copy` as a live tensor's value and return True, if `n` is the current version of a place.

    Else return False.
    """
    place = current_place(n)
    if place is not None:
        copy.place = Live(copy, place.held)
    return place is not None


def root_of(n: Node) -> Node:
    """Return the node of whose memory n is a view at an offset and strides, else n itself."""
    return n if n.alias is None else n.alias[0]


def described(n: Node) -> TensorDescription:
    """Return the description of a node for users.

    A view is described with its base; there is no layout unless memory is allocated.
    """
    d, root = n.desc, root_of(n)
    if root.value is None:
        d = describe(d.dtype, d.shape, None, d.big, d.origin, True)
    if n.alias is None or not n.inputs:
        return d
    return view_of(d, described(n.inputs[0]), n.alias[1])


def walk(roots: Iterable[Node], inputs: Callable[[Node], Sequence[Node]] | None = None) -> list[Node]:
    """Return all nodes below the roots, inputs before readers, each once, without recursion.

    `inputs(n)` returns the nodes to visit below n; by default the inputs of pending nodes.
    """
    out: list[Node] = []
    seen: set[int] = set()
    stack: list[Any] = list(roots)  # nodes to visit; below a None, one whose inputs lie above
    stack.reverse()
    while stack:
        n = stack.pop()
        if n is None:
            out.append(stack.pop())
        elif id(n) not in seen:
            seen.add(id(n))
            following = inputs(n) if inputs is not None else n.inputs if n.value is None else ()
            if following:
                stack += (n, None)
                stack += [i for i in reversed(following) if id(i) not in seen]
            else:
                out.append(n)
    return out


def user_frame(depth: int = 2) -> FrameType | None:
    """Return the innermost stack frame outside of weft, without the `depth` innermost frames; None if there is none."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if type(name) is not str or (name[:5] != "weft." and name != "weft"):
            break
        frame = frame.f_back
    return frame


def locate(n: Node, depth: int = 3) -> Node:
    """Store the user's current line in node n, as code and position, and return n.

    `depth` is the number of innermost stack frames to skip.
    """
    frame = user_frame(depth)
    if frame is not None:
        n.code, n.lasti = frame.f_code, frame.f_lasti
    return n


def line_of(n: Node) -> str:
    """Return "file:line" of the user code that made a node; "" if it is unknown."""
    if n.code is None:
        return ""
    position = next((p for i, p in enumerate(n.code.co_positions()) if i == n.lasti // 2), None)
    line = position[0] if position and position[0] else n.code.co_firstlineno
    return f"{n.code.co_filename}:{line}"


class Label(NamedTuple):
    """A label: a name ("" for none), prefixed by the scopes in which it was given, and metadata by key."""

    name: str = ""
    metadata: Mapping[str, Any] = {}


NONE = Label()


class Labels:
    """A process-wide flag: `used` is True once any node was labelled; until then plans are not searched for labels."""

    used = False


def label_of(n: Node) -> Label:
    """Return the label of a node; an empty label if it has none."""
    return getattr(n, "label", NONE)


def set_label(n: Node, label: Label) -> None:
    """Set the label of a node, replacing any earlier one."""
    Labels.used = True
    n.label = label


def keep_label(made: Node, n: Node) -> None:
    """Set the label of `made` to that of node `n`, which it replaces, unless `made` has a label."""
    if (label := label_of(n)) is not NONE and label_of(made) is NONE:
        made.label = label


def mark_replacement(made: Node, n: Node) -> Node:
    """Return `made` marked as the replacement of node `n`: with its label and its line of user code."""
    made.code, made.lasti = n.code, n.lasti
    if hasattr(n, "label"):
        keep_label(made, n)
    return made


def label_built(n: Node, label: Label) -> None:
    """Label a node that a tensor holds, and the unlabelled nodes below it that belong to the same operation."""
    stack = [n]
    while stack:
        built = stack.pop()
        if label_of(built) is NONE and (built is n or built.alias is None):
            set_label(built, label)
        stack += _inside(built.inputs)


def _inside(inputs: Iterable[Node]) -> list[Node]:
    """Return the pending inputs without a tensor of their own.

    Sources are left out, as several operations may share them.
    """
    pending = [i for i in inputs if i.place is None and i.value is None and i.op.kind != "source"]
    return [i for i in pending if i.alias is not None or label_of(i) is NONE]
