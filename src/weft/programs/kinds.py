"""Kinds of tensors in computations: constants, placeholders, persistent tensors, variables, temporaries.

The one idea: the role of a tensor is a note on its place, a `Kind`; otherwise it is like any tensor.  A placeholder has
no value: it stands for a value that a computation is given.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy import copyto

from weft import dtypes as dt
from weft.api.arguments import shape_of, tensor_given
from weft.api.standard.creation_functions import asarray
from weft.errors import DTypeError, ShapeError
from weft.interop.imports import own
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.runtime.memory import allocator
from weft.tensors.place import Kind, Place
from weft.tensors.tensor import Tensor, handle_on, node_of, note_whole, with_values, wrap

CONSTANT = Kind(True, True, False, False)
PLACEHOLDER = Kind(False, True, False, True)
PERSISTENT = Kind(False, True, False, True)
VARIABLE = Kind(False, True, True, True)
TEMPORARY = Kind(False, False, False, False)
_ROLES = {"persistent": PERSISTENT, "variable": VARIABLE}

Initial = Any  # a number, an array, a constant tensor, or a function of the shape that gives one of these


def kind(x: Tensor) -> Kind:
    """Return the kind of a tensor; without a declared one, read-only tensors are constants, others temporaries.

    Raises DTypeError if `x` is no tensor.

    >>> import weft
    >>> weft.kind(weft.variable(0.0)).trainable, weft.kind(weft.constant(1)).constant
    (True, True)
    """
    return tensor_given("kind", x)._place.kind or (CONSTANT if node_of(x).desc.read_only else TEMPORARY)


def is_placeholder(x: Tensor) -> bool:
    """True if the tensor was made by `placeholder` and stands for a value that computations take.

    Raises DTypeError if `x` is no tensor.

    >>> import weft
    >>> weft.is_placeholder(weft.placeholder((2, 3)))
    True
    """
    return tensor_given("is_placeholder", x)._place.kind is PLACEHOLDER and node_of(x).op is OPS["placeholder"]


def placeholder(shape: Any = (), *, dtype: Any = None, name: str = "placeholder") -> Tensor:
    """Return a tensor without a value, of a shape and dtype (float64), which computations take as an input.

    Raises DTypeError for a big-endian or unknown dtype, ShapeError for negative sizes or too many axes. Reading it, or
    an expression over it, raises ValueRangeError.

    >>> import weft
    >>> x = weft.placeholder((2,), name="x")
    >>> weft.computation(x * 2, x)([1.0, 2.0]).tolist()
    [2.0, 4.0]
    """
    found, order = dt.spelled(dt.float64 if dtype is None else dtype)
    if order == "big":
        raise DTypeError(
            f"placeholder: big-endian {found.name}; what is passed may have any byte order, and is read in the "
            f"machine's; write weft.{found.name}"
        )
    made = ir.placeholder(str(name), ir.result(found, shape_of("placeholder", shape)))
    return _noted(wrap(ir.locate(made)), PLACEHOLDER)


def persistent(initial: Initial, *, shape: Any = None, dtype: Any = None) -> Tensor:
    """Return a stored tensor whose value lasts between computations, which read its current version.

    `initial`: a number (spread over `shape`), an array or a tensor, whose cells are copied, or a function of the shape.
    Raises ValueRangeError for expressions over placeholders, ShapeError for values that do not broadcast to `shape`,
    DTypeError for objects without numbers or an unknown dtype.

    >>> import weft
    >>> count = weft.persistent(0, dtype=weft.int64)
    >>> step = weft.computation(count + 1)
    >>> for _ in range(3):
    ...     weft.assign(count, step())
    >>> count.item()
    3
    """
    return _noted(_stored("persistent", initial, shape, dtype), PERSISTENT)


def variable(initial: Initial, *, shape: Any = None, dtype: Any = None) -> Tensor:
    """Return a persistent tensor that `variables` collects for training; arguments are those of `persistent`.

    Raises ValueRangeError, ShapeError and DTypeError as `persistent` does.

    >>> import weft
    >>> w = weft.variable(lambda shape: weft.ones(shape), shape=(2, 2))
    >>> w.tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _noted(_stored("variable", initial, shape, dtype), VARIABLE)


def temporary(shape: Any, *, dtype: Any = None) -> Tensor:
    """Return a new tensor of zeros to be written and read within one computation; its value is not kept.

    Raises ShapeError for a shape with negative sizes, DTypeError for an unknown dtype.

    >>> import weft
    >>> t = weft.temporary((2,))
    >>> t[...] = 5
    >>> weft.kind(t).input, t.tolist()
    (False, [5.0, 5.0])
    """
    return _noted(_stored("temporary", 0.0, shape, dtype), TEMPORARY)


def variables(*outputs: Tensor) -> list[Tensor]:
    """Return the variables that the outputs' pending expressions read, each once, in the order found.

    Raises DTypeError for an output that is no tensor.

    >>> import weft
    >>> w, x = weft.variable(2.0), weft.placeholder()
    >>> [v is w for v in weft.variables(w * x + w)]
    [True]
    """
    from_places: dict[Place, None] = {}
    for n in ir.walk([node_of(tensor_given("variables", y)) for y in outputs]):
        place = ir.place_of(n)
        if isinstance(place, Place) and place.kind is VARIABLE:
            from_places[place] = None
    return [handle_on(p) for p in from_places]


def role(place: Place) -> str:
    """Return the name of a place's role: "persistent", "variable", or "plain" for others."""
    return next((name for name, k in _ROLES.items() if place.kind is k), "plain")


def with_role(tensor: Tensor, name: str) -> Tensor:
    """Set the role of a new tensor by its name, and return the tensor."""
    return tensor if name == "plain" else _noted(tensor, _ROLES[name])


def is_trained(place: Place) -> bool:
    """True if a place is that of a variable."""
    return place.kind is VARIABLE


def lasts(place: Place) -> bool:
    """True if computations read this place's current version, not the version that they were built over."""
    return place.kind is PERSISTENT or place.kind is VARIABLE


def _noted(tensor: Tensor, k: Kind) -> Tensor:
    """Set the kind of a tensor at its place, and return the tensor."""
    tensor._place.kind = k
    note_whole(tensor)
    return tensor


def _stored(op: str, initial: Initial, shape: Any, dtype: Any) -> Tensor:
    """Return a new tensor with a copy of the initial values, broadcast to `shape` if given.

    Raises ValueRangeError for expressions over placeholders, ShapeError for values that do not broadcast to the shape,
    DTypeError for objects without numbers or an unknown dtype. `op` is named in errors.
    """
    wanted = None if shape is None else shape_of(op, shape)
    value = initial(wanted or ()) if callable(initial) else initial
    found = asarray(value, dtype=dtype)
    wanted = found.shape if wanted is None else wanted
    lead = len(wanted) - found.ndim
    if lead < 0 or any(n not in (1, w) for n, w in zip(found.shape, wanted[max(lead, 0) :], strict=True)):
        raise ShapeError(
            f"{op}: initial values of shape {found.shape} for shape {wanted}; they must broadcast to it; reshape them"
        )
    array = allocator.empty(found.dtype.np, wanted)
    with_values(found, partial(copyto, array))
    return own(array)
