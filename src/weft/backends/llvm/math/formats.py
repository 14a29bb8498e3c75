"""The two IEEE formats of the math functions, with the constants for exponent arithmetic.

The one idea: one emitter serves float and double where the method is the same: it takes a `FloatFormat` and looks up
its coefficients.  The names follow Muller et al., Handbook of Floating-Point Arithmetic (2nd ed., 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from weft.backends.llvm.emit import Builder, Routine, Value, routine


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A binary float format: LLVM element type, integer type of the same width, stored fraction bits, exponent bias."""

    elem: str
    integer: str
    fraction: int
    bias: int

    @property
    def magic(self) -> float:
        """The number 1.5·2^fraction: adding it rounds a small number to an integer in the low bits, ties to even."""
        return 1.5 * 2.0**self.fraction

    @property
    def least_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    def bits(self, b: Builder, x: Value) -> Value:
        return b.bitcast(x, self.integer)

    def of_bits(self, b: Builder, i: Value) -> Value:
        return b.bitcast(i, self.elem)


Emitter = Callable[..., Value]  # emit(builder, *values)
SHORT = {"float": "f32", "double": "f64"}
INFINITY = float("inf")
F32 = FloatFormat("float", "i32", 23, 127)
F64 = FloatFormat("double", "i64", 52, 1023)


def clamp(b: Builder, x: Value, low: float, high: float) -> Value:
    """Return x limited to the range from low to high; NaN stays NaN."""
    x = b.select(x < low, low, x)
    return b.select(x > high, high, x)


def power_of_two(b: Builder, n: Value, fmt: FloatFormat) -> Value:
    """Return 2^n as a float of the format, for integers n in the range of normal exponents."""
    return fmt.of_bits(b, (n + fmt.bias) << fmt.fraction)


def rows(**ops: Mapping[str, Emitter]) -> dict[tuple[str, str], Emitter]:
    """Return {(op, element type): emitter}, given {element type: emitter} for each op as a keyword."""
    return {(op, elem): emit for op, emitters in ops.items() for elem, emit in emitters.items()}


def routines(name: str, lanes: int = 16, **emitters: Emitter) -> dict[str, Routine]:
    """Return {element type: routine} for emitters of one argument; each is compiled out of line.

    The routines are called `name` and the element type, and compute `lanes` cells at a time.
    """
    return {e: routine(f"weft_{name}_{SHORT[e]}", [e], [e], lanes)(emit) for e, emit in emitters.items()}


def exceeds_limit(b: Builder, x: Value, limit: float) -> Value:
    """Return an i1 for each lane, true where |x| > limit, or x is NaN."""
    return b.abs(x).compare("ugt", "", limit)


def guarded(b: Builder, x: Value, outside: Value, wide: Mapping[str, Routine], fast: Value) -> Value:
    """Return `fast`, but in lanes where `outside` is true the result of the routine in `wide` for x.

    `wide` has a routine for each element type.
    """
    return b.rare(outside, wide[x.type.elem], [x], [fast])[0]


def in_double(emit: Emitter) -> Emitter:
    """Return an emitter on floats that computes `emit` in double and rounds once."""

    def of_float(b: Builder, *xs: Value) -> Value:
        return b.cast("fptrunc", emit(b, *(b.cast("fpext", x, "double") for x in xs)), "float")

    return of_float
