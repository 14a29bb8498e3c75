"""The exceptions of weft; each message reads `op: fact with values; reason; what to do`.

Every class is also the built-in exception that a NumPy program would expect, so existing `except` clauses keep working.
"""

from __future__ import annotations

from errno import ENOENT
from os import strerror
from typing import Any, NamedTuple

import numpy as np


class WeftError(Exception):
    """Base of every error that weft raises on purpose."""


class ShapeError(WeftError, ValueError):
    """Shapes, axes or sizes do not fit."""


class AxisError(ShapeError, IndexError):
    """An axis is named that the tensor does not have."""


class DTypeError(WeftError, TypeError):
    """A dtype is not defined for the operation, or two dtypes have no common one."""


class IndexOutOfBounds(WeftError, IndexError):
    """An index lies outside its axis."""


class ValueRangeError(WeftError, ValueError):
    """A value is outside the range that the operation accepts."""


class ArgumentError(WeftError, TypeError):
    """Arguments exclude each other or are unknown, or two libraries read the call differently."""


class MathError(WeftError, ArithmeticError):
    """A checked operation met a value that it is not defined for."""


class DomainError(MathError, ValueError):
    """A value lies outside the domain of a function."""


class DivisionByZero(MathError, ZeroDivisionError):
    """A divisor is zero."""


class ConversionError(MathError, OverflowError):
    """A value has no counterpart in the dtype that it is converted to."""


class StrictError(WeftError):
    """Something would be done implicitly that `weft.strict` forbids."""


class StrictDTypeError(StrictError, DTypeError):
    """An operand would be cast implicitly."""


class StrictShapeError(StrictError, ShapeError):
    """An operand would be broadcast or moved to another domain implicitly."""


class WeftWarning(UserWarning):
    """Base of every warning that weft gives: one filter rules them all."""


class MathWarning(WeftWarning, RuntimeWarning):
    """A checked operation met a value that it is not defined for."""


class ImplicitActWarning(WeftWarning):
    """An operation does an implicit act that `weft.strict` is set to warn of."""


class ImaginaryPartWarning(WeftWarning):
    """Complex values lose their imaginary part, as they are stored in a real tensor."""


class RetracingWarning(WeftWarning, RuntimeWarning):
    """A compiled function is traced at each call, as what it finds beside its arguments changes."""


class CacheWarning(WeftWarning, RuntimeWarning):
    """Compiled kernels cannot be kept between processes."""


class DurabilityWarning(WeftWarning, RuntimeWarning):
    """A file was written, but after a loss of power it may have its former content."""


class MemoryLimitWarning(WeftWarning, RuntimeWarning):
    """A read of whole files takes more memory than the memory limit allows."""


class WriteError(WeftError, ValueError):
    """The target of a write cannot be written: read-only, constant, broadcast or overlapping."""


class OverwrittenError(WeftError, RuntimeError):
    """A pending expression reads shared memory that others have written since it was built."""


class TracingError(WeftError, RuntimeError):
    """A traced function reads a value that exists only when the compiled function is called."""


class ClosedError(WeftError, ValueError):
    """A computation is called after it was closed."""


class DonatedError(ValueRangeError):
    """A tensor is used whose memory was donated to a call."""


class PassError(WeftError, ValueError):
    """A user's pass returned an object that cannot replace a node, or left a plan that is not legal."""


class UnknownCallError(TracingError):
    """A loaded function is called in a way that it was not saved for (other dtypes, shapes, settings)."""


class GradientError(WeftError, RuntimeError):
    """A gradient is requested that does not exist: no record, no rule, or a result of several cells."""


class FileFormatError(WeftError, ValueError):
    """A file is missing, truncated, damaged or of an unsupported kind."""


class UnsupportedTypeError(FileFormatError):
    """An array in a file has a type that weft lacks, such as text; `open_all` leaves it out."""


class ProgramFileError(FileFormatError):
    """A file of a saved program is damaged, of another version, or has content that no program has."""


class _NotFound(FileNotFoundError):
    """The base of errors about missing files: `filename` is the path, `errno` ENOENT."""

    def __init__(self, message: str, filename: str | None = None) -> None:
        super().__init__(message)
        self.errno, self.strerror, self.filename = ENOENT, strerror(ENOENT), filename

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.filename)


class MissingFileError(_NotFound, FileFormatError):
    """A file or folder that is to be read is not there; `filename` is its path."""


class MissingFolderError(_NotFound, WriteError):
    """The folder that a file is to be written to is not there; `filename` is its path."""


class OutOfMemory(MemoryError, WeftError):  # in this order of bases it can be unpickled
    """An allocation failed after caches were dropped."""


class LinAlgError(WeftError, np.linalg.LinAlgError):
    """A matrix has no such factor, inverse or solution; `op` names the operation."""

    def __init__(self, message: str, op: str = "") -> None:
        super().__init__(message)
        self.op = op


class MissingImplementation(WeftError, NotImplementedError):
    """An operation has no implementation for the type of device on which it would run."""


class ClusterError(WeftError, RuntimeError):
    """Workers of a cluster could not do their work: they are gone, differ, or do not answer."""


class RaceError(WeftError, RuntimeError):
    """Work on memory of a device is not ordered after the earlier work on it."""


class Fault(NamedTuple):
    """A fault in data: its place ("$.nodes[2].op", "line 3"), and the fact."""

    path: str
    fact: str


class ExpressionError(WeftError, ValueError):
    """An expression given as text cannot be read; `faults` are all that were found in the text of a graph."""

    faults: tuple[Fault, ...] = ()


class ShuttingDown(WeftError, ImportError):
    """The interpreter is ending, so a part of weft that is needed for the first time cannot be loaded."""


class InternalError(WeftError, AssertionError):
    """A fault of weft itself; please report it with the text of the message."""


def switch(name: str, what: str, x: Any) -> bool:
    """Return a bool, 0 or 1 as a bool; raises DTypeError, which names function and argument, for other objects."""
    if isinstance(x, (int, np.bool_)) and x in (0, 1):
        return bool(x)
    raise DTypeError(f"{name}: {what}={x!r:.60}; it is a switch; give True or False")


def __dir__() -> list[str]:
    return sorted(name for name, thing in globals().items() if isinstance(thing, type) and issubclass(thing, Exception))
