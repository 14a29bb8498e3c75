"""Reading untrusted data: every fault is recorded with its path, and reading continues.

The one idea: a reader returns a harmless value where the data are wrong, so one pass finds all faults; the caller
checks for faults before it uses anything.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ProgramFileError

T = TypeVar("T")
Path = tuple[Any, ...]
REPORTED = 20  # faults that a message lists
WORD = 1 << 62  # integers lie between -WORD and WORD, so that sums of two fit a word
NESTED = 20  # levels of nested attributes


class Faults:
    """The faults of some data, each with its path."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add_fault(self, path: Path, fact: str) -> None:
        """Add a fault with its path."""
        self.found.append(f"{path_text(path)}: {fact}")

    def check(self, data_name: str) -> None:
        """Raise ProgramFileError, with all faults found so far, if there are any. `data_name` names the data in it."""
        if self.found:
            count = len(self.found)
            rest = [f"and {count - REPORTED} more"] if count > REPORTED else []
            lines = "\n  ".join([*self.found[:REPORTED], *rest])
            raise ProgramFileError(
                f"{data_name}: {count} fault{'s' * (count > 1)}; nothing of it is run; write it again:\n  {lines}"
            )

    # ---- values; the path of each is only made into text for a fault
    def fields(self, value: Any, path: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
        """Return `value` as a JSON object with the keys `needed`, and perhaps `optional`; {} if it is no object.

        Adds a fault for each missing or unknown key.
        """
        if type(value) is not dict:
            self.add_fault(path, f"{_shown(value)} is no object")
            return {}
        if len(value) != len(needed) or not all(map(value.__contains__, needed)):
            for key in needed:
                if key not in value:
                    self.add_fault(path, f"no {key!r}")
            for key in value:
                if key not in needed and key not in optional:
                    self.add_fault(path, f"an unknown key {key!r:.40}")
        return value

    def integer(self, value: Any, path: Path, least: int = -WORD, most: int = WORD) -> int:
        """Return `value` if it is an integer from `least` to `most`; else add a fault and return 0."""
        if type(value) is int and least <= value <= most:
            return value
        self.add_fault(path, f"{_shown(value)} is no integer from {least} to {most}")
        return 0

    def integers(self, value: Any, path: Path, least: int = -WORD, most: int = WORD) -> tuple[int, ...]:
        """Return a list of integers from `least` to `most` as a tuple.

        For other values adds a fault and returns ().
        """
        if type(value) is list:
            if not value:
                return ()
            if set(map(type, value)) == {int} and min(value) >= least and max(value) <= most:
                return tuple(value)
        self.add_fault(path, f"{_shown(value)} is no list of integers from {least} to {most}")
        return ()

    def items(self, value: Any, path: Path, item: Callable[[Any, Path], T]) -> tuple[T, ...]:
        """Return item(element, path) of each element of a list, as a tuple.

        For other values adds a fault and returns ().
        """
        if type(value) is not list:
            self.add_fault(path, f"{_shown(value)} is no list")
            return ()
        return tuple([item(v, (path, k)) for k, v in enumerate(value)])

    def text(self, value: Any, path: Path) -> str:
        """Return `value` if it is a text; else add a fault and return ""."""
        if type(value) is str:
            return value
        self.add_fault(path, f"{_shown(value)} is no text")
        return ""

    def flag(self, value: Any, path: Path) -> bool:
        """Return `value` if it is true or false; else add a fault and return False."""
        if type(value) is not bool:
            self.add_fault(path, f"{_shown(value)} is neither true nor false")
        return value is True

    def one_of(self, value: Any, path: Path, known: Sequence[str]) -> str:
        """Return `value` if it is one of the texts `known`; else add a fault and return the first of these."""
        if type(value) is str and value in known:
            return value
        self.add_fault(path, f"{_shown(value)} is none of {', '.join(known)}")
        return known[0]

    def dtype(self, value: Any, path: Path) -> DType:
        """Return the dtype named by `value`. If there is none, add a fault at its path in the data and return int64."""
        found = dt.BY_NAME.get(value) if type(value) is str else None
        if found is None:
            self.add_fault(path, f"{_shown(value)} is no dtype")
            return dt.int64
        return found

    def literal(self, value: Any, path: Path, depth: int = 0) -> Any:
        """Return the number, text, dtype, None or nested tuple that `literal_data` wrote as `value`.

        For other values adds a fault and returns None.
        """
        kind = type(value)
        if kind is int or kind is float or kind is str or kind is bool or value is None:
            return value
        if kind is list and depth < NESTED:
            return tuple([self.literal(v, (path, k), depth + 1) for k, v in enumerate(value)])
        if kind is dict and len(value) == 1:
            ((key, inner),) = value.items()
            if key == "dtype":
                return self.dtype(inner, (path, key))
            try:
                if key == "bits":
                    return _number(inner)
                if key == "complex":
                    real, imaginary = inner
                    return complex(_number(real), _number(imaginary))
            except (ValueError, TypeError, struct.error):
                pass
        self.add_fault(path, f"{_shown(value)} is no attribute")
        return None


def literal_data(x: Any) -> Any:
    """Return a number, text, dtype, None, or a nested tuple of these as JSON data.

    Raises TypeError for anything else.

    >>> literal_data((1, 2.5, float("inf"), 1j, None))
    [1, 2.5, {'bits': '7ff0000000000000'}, {'complex': ['0000000000000000', '3ff0000000000000']}, None]
    """
    if type(x) is tuple:
        return [literal_data(i) for i in x]
    if type(x) is float:
        return x if x - x == 0 else {"bits": _bits(x)}
    if type(x) is complex:
        return {"complex": [_bits(x.real), _bits(x.imag)]}
    if isinstance(x, DType):
        return {"dtype": x.name}
    if x is None or type(x) in (int, str, bool):
        return x
    raise TypeError(f"{type(x).__name__} {x!r:.40}")


def _bits(x: float) -> str:
    return struct.pack(">d", x).hex()


def _number(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


def path_text(path: Path) -> str:
    """Return the path of a fault as text.

    >>> path_text((((("plan",), "steps"), 3), "op"))
    'plan.steps[3].op'
    """
    if len(path) == 1:
        return str(path[0])
    outer, key = path
    return f"{path_text(outer)}[{key}]" if type(key) is int else f"{path_text(outer)}.{key}"


def _shown(value: Any) -> str:
    if type(value) in (dict, list):
        return f"{'an object' if type(value) is dict else 'a list'} of {len(value)}"
    if type(value) is int and value.bit_length() > 256:
        return "a number of too many digits"
    return f"{value!r:.60}"
