"""Rows of foreign types: the kinds of objects that can be converted to tensors, or from tensors.

The one idea: operators look up here whether they accept an object; the conversions themselves are in `weft.interop`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

Matches = type | str | Callable[[Any], bool]  # a type, a pattern of its full name, or a predicate on the object
MAX_TYPES = 4096  # most types whose row is cached


@dataclass(frozen=True, slots=True, eq=False)
class ForeignType:
    """A row of the registry of types; `to_weft` or `from_weft` is None if there is no such conversion."""

    name: str
    matches: Matches
    to_weft: Callable[[Any], Any] | None = None
    from_weft: Callable[[Any, bool | None], Any] | None = None
    shares: bool = True  # whether the result of `to_weft` shares the object's memory
    operates: bool = True  # whether operators accept it as an operand beside a tensor

    def is_by_type(self) -> bool:
        """True if an object's type alone decides whether it is of this kind."""
        return isinstance(self.matches, (type, str))

    def has(self, obj: Any) -> bool:
        """True if the row matches an object."""
        if isinstance(self.matches, str):
            return any(fnmatchcase(full_name(c), self.matches) for c in type(obj).__mro__)
        return isinstance(obj, self.matches) if isinstance(self.matches, type) else bool(self.matches(obj))


def full_name(kind: type) -> str:
    """Return a class's module and qualified name, as in "numpy.ndarray"."""
    return f"{getattr(kind, '__module__', '')}.{kind.__qualname__}"


USERS: list[ForeignType] = []  # rows registered by users, the latest first
BUILT_IN: list[ForeignType] = []  # rows of weft.interop.foreign_types, in the order of matching
BY_TYPE: dict[type, ForeignType] = {}  # cached rows of types whose type alone decides
NO_ARRAYS: set[type] = {bool, str, bytes, type(None)}  # types whose values are never arrays
_ALWAYS = frozenset(NO_ARRAYS)


def row_of(obj: Any) -> ForeignType | None:
    """Return the row of the registry of types that converts an object to a tensor; None if there is none."""
    kind = type(obj)
    if (found := BY_TYPE.get(kind)) is not None:
        return found
    for row in (*USERS, *BUILT_IN):
        if row.to_weft is not None and row.has(obj):
            if row.is_by_type() and all(r.is_by_type() for r in USERS):
                if len(BY_TYPE) >= MAX_TYPES:
                    BY_TYPE.clear()
                BY_TYPE[kind] = row
            return row
    return None


def forget_types() -> None:
    """Empty the cache of types, since the rows have changed."""
    BY_TYPE.clear()
    NO_ARRAYS.intersection_update(_ALWAYS)


def is_array(obj: Any) -> bool:
    """True if an object's type is an array of any library; the answer is cached for each type."""
    kind = type(obj)
    if kind in NO_ARRAYS:
        return False
    if kind in BY_TYPE:
        return True
    if not kind.__module__.startswith("weft.") and (row := row_of(obj)) is not None and row.name != "number":
        return True
    if len(NO_ARRAYS) < MAX_TYPES:
        NO_ARRAYS.add(kind)
    return False


def is_registered(obj: Any) -> bool:
    """True if a user registered the object's type for conversion; `asarray` then does not read it as nested items."""
    return bool(USERS) and any(r.to_weft is not None and r.has(obj) for r in USERS)


def is_foreign(obj: Any) -> bool:
    """True if an operator accepts an object of another library as the operand beside a tensor."""
    row = row_of(obj)
    return row is not None and row.operates


def is_chunked(obj: Any) -> bool:
    """True if an object is an array read by slicing: it has `shape`, `dtype`, `chunks` and `__getitem__`."""
    return all(hasattr(obj, name) for name in ("chunks", "shape", "dtype", "__getitem__"))
