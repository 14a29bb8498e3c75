"""Foreign types: a registry of conversions to tensors and from tensors.

The one idea: a row names a kind of object, recognises its objects (by type, or by the type's name, so that no library
is imported), and converts them to tensors and back.  NumPy, the protocols and the array libraries are rows like those
that users register; no other module of weft handles any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from weft.errors import DTypeError, ValueRangeError
from weft.tensors import tensor
from weft.tensors.foreign_rows import BUILT_IN, USERS, ForeignType, Matches, forget_types, full_name, row_of
from weft.tensors.tensor import Tensor

MAX_STEPS = 8  # most conversions in a row until an object is an array


def register_type(
    name: str,
    matches: Matches,
    *,
    to_weft: Callable[[Any], Any] | None = None,
    from_weft: Callable[[Tensor, bool | None], Any] | None = None,
    shares: bool = True,
) -> None:
    """Register a foreign type: operators and `asarray` accept its objects, and `export` converts tensors to it.

    matches: the type, the full name of it or of a base ("package.module.Class", with * for any text), or a predicate of
    the object.  to_weft(obj) returns a NumPy array, any object that weft reads already (a tensor, a buffer, a DLPack
    object, nested lists) or a number; `shares=False` says that the result is not the object's memory.  from_weft(x,
    copy) converts a tensor: copy=False must share or raise, None shares where possible.  The same name replaces a row.
    Raises ValueRangeError for a name of weft's own, or without any conversion.

    >>> import weft
    >>> class Degrees:
    ...     def __init__(self, values):
    ...         self.values = values
    >>> weft.register_type("degrees", Degrees, to_weft=lambda d: d.values, from_weft=lambda x, copy: Degrees(x.numpy()))
    >>> (Degrees([180.0, 90.0]) * weft.asarray(2)).tolist(), weft.ones(2).export("degrees").values.tolist()
    ([360.0, 180.0], [1.0, 1.0])
    >>> weft.unregister_type("degrees")
    """
    if not name or not isinstance(name, str) or any(r.name == name for r in BUILT_IN):
        why = "weft has this name itself" if isinstance(name, str) and name else "a name is a text"
        raise ValueRangeError(f"register_type: {name!r}; {why}; choose another name")
    if to_weft is None and from_weft is None:
        raise ValueRangeError(f"register_type: {name!r} without a way; pass to_weft, from_weft or both")
    if not isinstance(matches, (type, str)) and not callable(matches):
        raise ValueRangeError(f"register_type: {matches!r} says no type; give a type, its full name or a function")
    if isinstance(matches, type) and issubclass(matches, (Tensor, bool, int, float, complex)):
        raise ValueRangeError(
            f"register_type: {matches.__name__} is no foreign type; weft reads it itself; give another"
        )
    unregister_type(name)
    USERS.insert(0, ForeignType(name, matches, to_weft, from_weft, shares))
    forget_types()


def unregister_type(name: str) -> None:
    """Remove the type registered under a name; an unknown name is ignored.

    >>> unregister_type("nothing")
    """
    USERS[:] = [r for r in USERS if r.name != name]
    forget_types()


def import_types() -> tuple[str, ...]:
    """Return the names of the foreign types that `weft.asarray` reads, in the order they are tried.

    >>> "numpy" in import_types(), "dlpack" in import_types()
    (True, True)
    """
    return tuple([r.name for r in (*USERS, *BUILT_IN) if r.to_weft is not None])


def export_types() -> tuple[str, ...]:
    """Return the names of the foreign types to which `weft.export` converts tensors.

    >>> "numpy" in export_types()
    True
    """
    return tuple([r.name for r in (*USERS, *BUILT_IN) if r.from_weft is not None])


def as_array(obj: Any) -> tuple[np.ndarray | Tensor | list[Any] | tuple[Any, ...], bool]:
    """Return a foreign object as an array, tensor or nest, and True if that shares the object's memory.

    Raises DTypeError for an object that no row of the registry converts.
    """
    shared, found = True, obj
    for _ in range(MAX_STEPS):
        row = row_of(found)
        if row is None or row.to_weft is None:
            break
        made = row.to_weft(found)
        shared = shared and row.shares
        if isinstance(made, (Tensor, list, tuple)) or (isinstance(made, np.ndarray) and row not in USERS):
            return made, shared
        found = made
    if hasattr(obj, "toarray"):
        raise DTypeError(
            f"asarray: {type(obj).__name__} holds some cells and leaves out the others; weft has no such layout; give "
            "x.toarray()"
        )
    raise DTypeError(
        f"asarray: {type(obj).__name__} has no numbers weft can read; give an array, a buffer, a DLPack object, a "
        "number or nested lists of numbers, or register its type with weft.register_type"
    )


def export(x: Any, to: str | type, *, copy: bool | None = None) -> Any:
    """Return a tensor as a foreign object; `to` is a name of `weft.export_types` or the type itself.

    Memory is shared if layout and dtype allow; copy=True never shares, copy=False raises ValueRangeError or BufferError
    if a copy is needed. Raises ValueRangeError for an unknown type, DTypeError for a dtype that the type lacks.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> a = weft.export(x, "numpy", copy=False)
    >>> a[0] = 5
    >>> x.tolist(), x.export("memoryview").format
    ([5.0, 2.0], 'd')
    """
    t = x if isinstance(x, Tensor) else tensor.imported(x)
    for row in (*USERS, *BUILT_IN):
        if row.from_weft is not None and (row.name == to or _names(row, to)):
            return row.from_weft(t, copy)
    shown = to if isinstance(to, str) else getattr(to, "__name__", to)
    raise ValueRangeError(f"export: {shown!r} is no type that tensors become; they become {', '.join(export_types())}")


def _names(row: ForeignType, to: Any) -> bool:
    """True if a row matches `to` by its type; False if `to` is no type."""
    if not isinstance(to, type) or not row.is_by_type():
        return False
    if isinstance(row.matches, type):
        return issubclass(to, row.matches)
    return any(fnmatchcase(full_name(c), str(row.matches)) for c in to.__mro__)
