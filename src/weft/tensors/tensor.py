"""Tensor: the user's handle on a place, and the nodes that handles make.

The one idea: a handle holds a place and, for views, the chain of atoms from the place to its cells.  Using a handle
captures the place's current version in a new node; nothing is computed until a value is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from weft import callbacks
from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription, describe
from weft.ir.graph.node import Node
from weft.ir.graph.ops import BARRIERS, OPS
from weft.ir.graph.weak_scalars import SCALARS, Scalar, weak_scalar
from weft.passes.fuse import is_any_below
from weft.passes.switches import Checking
from weft.runtime.compute import stages, view_reads
from weft.runtime.devices import placement
from weft.runtime.devices.device import CPU, Device
from weft.runtime.memory.access import MAX_NOTED, NOTED, enter_exports, read_unwritten, strided_array
from weft.runtime.memory.fingerprints import watch_export
from weft.runtime.memory.limits import warn_of_wholes
from weft.tensors.pending_limits import Limits, settle
from weft.tensors.place import (
    LITTLE,
    VALUE,
    Kind,
    NumberPlace,
    Place,
    bind,
    cells,
    is_read_only,
    new_place,
    realized,
    rebase,
)
from weft.tensors.tensor_interface import TensorInterface
from weft.tensors.tracing import Trace
from weft.tensors.versions import look

COPIED = 1 << 14  # bytes up to which copying an operand is faster than registering and sampling its memory
_new = object.__new__


_MADE = frozenset(["source", "random"])  # kinds of nodes that users make, and may write also at rank 0


def wrap(n: Node, kind: Kind | None = None) -> Tensor:
    """Return a tensor of a kind on a new place, whose version is `n`. A result of rank 0 is of kind `VALUE`."""
    if not n.desc.shape and kind is None and n.op is not _COPIED and n.op.kind not in _MADE:
        kind = VALUE
    t: Tensor = _new(Tensor)
    t._place = new_place(n, kind)
    t._view = None
    if n.depth > Limits.depth and (n.value is None or Limits.labeller is not None):
        settle(n)
    return t


def wrap_result(n: Node) -> Tensor:
    """Return a tensor of a function's result, or of an argument without memory: at rank 0 of kind `VALUE`."""
    return wrap(n, None if n.desc.shape else VALUE)


def of_number(number: Any, desc: TensorDescription) -> Tensor:
    """Return a value of rank 0, with description `desc`, that is a Python number of its dtype."""
    p = NumberPlace()
    p.number, p.desc, p.kind = number, desc, VALUE
    t: Tensor = _new(Tensor)
    t._place, t._view = p, None
    return t


def known_number(t: Tensor) -> tuple[Any, DType] | None:
    """Return (Python's number, dtype) of a cell that was read from memory; None for other tensors, and in traces."""
    p = t._place
    return (p.number, p.desc.dtype) if type(p) is NumberPlace and t._view is None and not Trace.active else None


def writable(t: Tensor) -> Tensor:
    """Declare that a new tensor may be written also at rank 0, as users have made it, and return it."""
    t._place.kind = None
    return t


def writable_like(t: Tensor, x: Tensor) -> Tensor:
    """Declare that a new tensor may be written also at rank 0 if x may, of which it is a copy, and return it."""
    return t if x._place.kind is VALUE else writable(t)


def view(tensor: Tensor, shown: Any) -> Tensor:
    """Return a tensor on the place of `tensor` that shows a view: a node, or an unused view's mark."""
    h: Tensor = _new(Tensor)
    p = tensor._place
    h._place, h._view = p, shown
    if p.whole is None:
        note_whole(tensor)
    bind(p, h)
    if Limits.labeller is not None:
        Limits.labeller(known_node(h))
    return h


def note_whole(tensor: Tensor) -> None:
    """Register `tensor` as the handle on the whole of its place, unless it is a view or one is registered."""
    if tensor._view is None and tensor._place.whole is None:
        tensor._place.whole = ref(tensor)


def handle_on(place: Place) -> Tensor:
    """Return the registered handle on the whole of a place, or a new one."""
    known = place.whole() if place.whole is not None else None
    if known is not None and known._view is None and known._place is place:
        return known
    h: Tensor = _new(Tensor)
    h._place, h._view = place, None
    place.whole = ref(h)
    return h


def tensor_of(n: Node) -> Tensor:
    """Return a tensor of a node: the handle of its place for a current version, else on a new place."""
    place = ir.current_place(n)
    return wrap(n) if place is None else handle_on(place)


def handle(tensor: Tensor, n: Node) -> Tensor:
    """Return a tensor of `n`, on the place of `tensor` if `n` is a view of its version."""
    if n.alias is not None and n.alias[0] is tensor._place.node:
        return view(tensor, n)
    return wrap(ir.locate(n))


def node_of(tensor: Tensor) -> Node:
    """Return the node of a tensor's current cells, for an expression; memory shared with others is sampled first."""
    root = tensor._place.node
    if (f := root.fingerprint) is not None and (f.cells != f.samples or f.is_digest is not Checking.on):
        root = look(tensor._place)
    return root if tensor._view is None else _on(tensor, root)


def _on(tensor: Tensor, root: Node) -> Node:
    """Return the node of a handle's cells over `root`, a version of its place."""
    if root is tensor._place.node:
        return known_node(tensor)
    return root if tensor._view is None else rebase(tensor._view, root)


def _seen(tensor: Tensor) -> Node:
    """Return the node of a tensor's cells as visible in this thread, without sampling shared memory."""
    return _on(tensor, Trace.version(tensor._place)) if Trace.active else known_node(tensor)


def known_node(tensor: Tensor) -> Node:
    """Return the node of a tensor's current cells, without sampling shared memory."""
    v = tensor._view
    root = tensor._place.node
    if v is None:
        return root
    if v.alias is None or v.alias[0] is not root:
        tensor._view = v = rebase(v, root)
        bind(tensor._place, tensor)
    return v


def conversion(n: Node, dtype: DType) -> Node:
    """Return a node converted to a dtype that the user requested, with the checks of the math mode."""
    made = ir.astype(n, dtype)
    return made if made is n else moded(made)


def moded(n: Node) -> Node:
    """Return the node by which the current math mode replaces a new node; the node itself without a mode."""
    made: Node = n if callbacks.MODED is None else callbacks.MODED(n)
    return made


def operand(x: object, like: DType, name: str) -> Node:
    """Return operand x of `name` as a node, a number in a dtype beside `like`; raises DTypeError for other objects."""
    kind = type(x)
    if kind is Tensor:
        return node_of(x)  # type: ignore[arg-type]
    if kind in SCALARS:
        return weak_scalar(x, like, name)  # type: ignore[arg-type]
    if kind is np.ndarray and x.nbytes <= COPIED and x.dtype.isbuiltin == 1:  # type: ignore[attr-defined]
        dtype, order = dt.from_numpy(x.dtype)  # type: ignore[attr-defined]
        made = x.copy()  # type: ignore[attr-defined]
        return ir.stored(describe(dtype, made.shape, made.strides, order == "big"), made)
    return node_of(imported(x))


def operands(xs: Sequence[object], name: str) -> list[Node]:
    """Return the nodes of operands; Python numbers take the dtype of the first tensor.

    Raises DTypeError for an object without numbers.
    """
    given = [x if isinstance(x, SCALARS) else imported(x) for x in xs]
    like = next((x.dtype for x in given if isinstance(x, Tensor)), None)
    return [operand(x, like, name) if like is not None else node_of(imported(x)) for x in given]


def imported(x: object) -> Tensor:
    """Return a tensor unchanged, another object as `asarray` reads it; raises DTypeError if it has no numbers."""
    made: Tensor = callbacks.IMPORT(x)
    return made


_COPIED = OPS["positive"]


def array_of(tensor: Tensor) -> np.ndarray:
    """Return a tensor's cells as an array over its own memory if possible, else as a read-only copy.

    Of a value, which no write to the array may change, the array is a writable copy.
    """
    if tensor._place.kind is VALUE:
        return read(tensor)
    n = known_node(tensor)
    if Trace.active:
        Trace.note_looks(n := _seen(tensor))
    if n.traits is not None and n.traits.device is not None:
        return placement.copied_out(n)
    if not tensor._place.noted:  # a name for the place would count as a handle, for which the whole is computed
        tensor._place.noted = True
        NOTED.append(ref(tensor._place.node))
        if len(NOTED) > MAX_NOTED:
            enter_exports()
    if n.alias is None:
        if n.value is None:
            stages.compute([n])
        if n.fingerprint is None:
            watch_export(n)
        return strided_array(n.value, 0, n.desc, not _is_locked(tensor, n))
    root = n.alias[0]
    if root.value is None and n.value is None:
        stages.compute([root if _is_made_whole(n, root) else n])
    if root.value is None:
        array: np.ndarray = n.value.view()
        array.flags.writeable = False
        return array
    if root.fingerprint is None:
        watch_export(root)
    return strided_array(root.value, n.alias[1], n.desc, not (n.desc.repeated or _is_locked(tensor, n)))


def _is_locked(tensor: Tensor, n: Node) -> bool:
    """True if the cells n of a tensor cannot be written through it."""
    return n.desc.read_only or (tensor._place.region is not None and is_read_only(n))


def _is_made_whole(n: Node, root: Node) -> bool:
    """True if the pending `root` of the view n is computed whole for an array of n."""
    most = 4 * n.desc.nbytes if root.op.kind != "selection" else 2 * n.desc.nbytes - 1  # selections repeat cheaply
    if root.desc.nbytes <= LITTLE:
        return True
    if root.desc.nbytes > most or placement.crosses(root):
        return False  # other cells are not transferred
    # other cells are not read from files, but reductions and sorts are done once
    return realized(n) is root or is_any_below([root], lambda i: i.op.kind in BARRIERS)


def read(tensor: Tensor) -> np.ndarray:
    """Return a tensor's values as an array for internal use, not for users."""
    return values_of(node_of(tensor))


def values_of(n: Node) -> np.ndarray:
    """Return a node's values as an array for internal use.

    It is a copy, unless `n` is pending and no tensor holds it.
    """
    unnamed = n.place is None or n.place() is None
    if unnamed and not Trace.active and n.value is None and (n.alias is None or n.alias[0].value is None):
        if n.traits is not None and n.traits.device is not None:
            return placement.host_value(n)
        warn_of_wholes(n.op.name, [n])
        stages.compute([n])
        return cells(n)  # type: ignore[return-value]
    return with_values(n, np.array)


def with_values(x: Tensor | Node, take: Callable[[np.ndarray], Any], op: str | None = None) -> Any:
    """Return `take(array)` of the values of `x`, called once or twice, while no other thread writes them."""
    n = x if type(x) is Node else _seen(x)  # type: ignore[arg-type]
    if Trace.active:
        Trace.note_looks(n)
    if n.traits is not None and n.traits.device is not None:
        return take(placement.host_value(n))
    if n.value is None and (n.alias is None or n.alias[0].value is None):
        warn_of_wholes(n.op.name if op is None else op, [n])  # "": the caller has told
        for i in n.inputs if n.alias is None else (n,):
            i = i.inputs[0] if i.op is _COPIED else i  # the value of a cell
            if i.alias is not None and i.alias[0].value is None:
                view_reads.compute(n, i.alias[0])
                break
        else:
            stages.compute([n])
    return read_unwritten(n, lambda: take(cells(n)))  # type: ignore[arg-type]


_REAL = dt.KINDS[:-1]  # kinds of real dtypes


class Tensor(TensorInterface):
    """An n-dimensional array of one dtype: a function from coordinates to values, stored only when needed.

    Made by `weft.asarray`, the creation functions and every operation; `weft.Tensor(shape)` is one of zeros.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0, 3.0])
    >>> (x * 2 + 1).tolist()
    [3.0, 5.0, 7.0]
    """

    __slots__ = ("__weakref__", "_place", "_view")
    __array_priority__ = 1000

    _place: Place
    _view: Any  # a node over the root of the place, or the mark of an unused view; None for the whole

    @property
    def description(self) -> TensorDescription:
        """The tensor's dtype, shape, byte order, origin, and layout in its base; nothing is computed for it.

        An expression without a storage has no layout yet, and is read-only.

        >>> import weft
        >>> x = weft.asarray([1, 2, 3, 4])
        >>> x[2:].description.layout, x[2:].description.base is x.description
        (DenseLayout(strides=(8,), offset=16), True)
        """
        return ir.described(known_node(self))

    @property
    def dtype(self) -> DType:
        """The dtype of a cell; byte order is not part of it."""
        return known_node(self).desc.dtype

    @property
    def shape(self) -> Shape:
        """The number of cells along each axis."""
        return known_node(self).desc.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return known_node(self).desc.ndim

    @property
    def size(self) -> int:
        """The number of cells."""
        return known_node(self).desc.size

    @property
    def nbytes(self) -> int:
        """The bytes of all cells."""
        return known_node(self).desc.nbytes

    @property
    def strides(self) -> Shape:
        """The bytes from one cell to the next along each axis."""
        strides = known_node(self).desc.strides
        assert strides is not None
        return strides

    @property
    def byteorder(self) -> str:
        """The byte order of the cells in memory, "little" or "big"."""
        return known_node(self).desc.byteorder

    @property
    def device(self) -> Device:
        """The device on which the value lies or will lie; it equals its name."""
        traits = known_node(self).traits
        return CPU if traits is None or traits.device is None else traits.device

    @property
    def domain(self) -> Any:
        """The box of the tensor's coordinates, with `origin`, `shape`, `start` and `stop`."""
        return known_node(self).desc.domain

    # ---- looking at values
    def realize(self) -> Tensor:
        """Compute and store the value now, and return this tensor."""
        Trace.note_looks(n := realized(node_of(self)))
        stages.compute([n], stages.UnreadWork)
        return self

    def numpy(self) -> np.ndarray:
        """Return the values as a NumPy array over the tensor's memory where possible, writable if the tensor is.

        Of a result or a cell of rank 0, which never changes, the array is a copy.
        """
        return array_of(self)

    def to_numpy(self) -> np.ndarray:
        """Return the values as a NumPy array: `numpy()` under the name that pandas, polars and matplotlib know."""
        return array_of(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = array_of(self)
        same = dtype is None or np.dtype(dtype) == array.dtype
        if copy is False and not (same and self.device.is_host):
            to = f"on {self.device}" if same else f"as {np.dtype(dtype)}"
            raise ValueError(f"__array__: {array.dtype} {to} needs a copy; pass copy=None")
        if not same:
            return array.astype(dtype)
        return array.copy() if copy else array

    def tolist(self) -> Any:
        """Return the values as nested lists of Python numbers (a number for rank 0)."""
        return with_values(self, lambda values: dt.widened(values).tolist())

    def _one(self, name: str, kinds: Sequence[str]) -> Any:
        """Return the only value as a Python number; raises ValueRangeError for several, DTypeError beyond `kinds`."""
        v, p = self._view, self._place
        if v is None and type(p) is NumberPlace and p.desc.dtype.kind in kinds:
            return p.number
        if self.size != 1:
            raise ValueRangeError(
                f"{name}: the tensor has shape {self.shape}; only one value has a truth or a number; "
                "reduce it first, with any(), all() or indexing"
            )
        if self.dtype.kind not in kinds:
            raise DTypeError(f"{name}: a {self.dtype.name} value; it would lose its meaning; convert it with astype()")
        return only_value(self)

    def __bool__(self) -> bool:
        return bool(self._one("bool", dt.KINDS))

    def __int__(self) -> int:
        return int(self._one("int", _REAL))

    def __float__(self) -> float:
        return float(self._one("float", _REAL))

    def __complex__(self) -> complex:
        return complex(self._one("complex", dt.KINDS))

    def __index__(self) -> int:
        if self.ndim:
            raise TypeError(f"index: a tensor of shape {self.shape}; only rank 0 serves as an index; take .item()")
        return int(self._one("index", ("int", "uint")))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len: a tensor of rank 0 has no axes; its one value is item()")
        return self.shape[0]

    def __hash__(self) -> int:
        return id(self)


def only_value(tensor: Tensor) -> Any:
    """Return the only value of a tensor as a Python number; raises ValueRangeError unless it has one cell."""
    v, p = tensor._view, tensor._place
    if v is None and type(p) is NumberPlace:
        return p.number
    n = node_of(tensor)
    if n.desc.size != 1:
        raise ValueRangeError(f"item: {tensor.size} values of shape {tensor.shape}; one is needed; index it first")
    return with_values(n, python_number)


def python_number(array: np.ndarray) -> Scalar:
    """Return the cell of an array of one cell as a Python number."""
    return array.item() if array.dtype.isbuiltin == 1 else dt.widened(array).item()
