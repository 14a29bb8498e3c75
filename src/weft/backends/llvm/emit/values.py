"""Typed values of LLVM IR with Python's operators, and the instructions that they emit.

The one idea: a `Value` knows its LLVM type, so `x * 2.0 + y` emits the right instructions and a Python number on either
side becomes a constant of that type.  Vectors are written explicitly, at one width for every CPU; LLVM splits them for
the target, so results are equal between targets.  Imports nothing of weft.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FLOATS = {"half": 16, "float": 32, "double": 64}


@dataclass(frozen=True, slots=True)
class Type:
    """An LLVM first-class type: an element type and a number of lanes (0 for a scalar)."""

    elem: str
    lanes: int = 0

    def __str__(self) -> str:
        return f"<{self.lanes} x {self.elem}>" if self.lanes else self.elem

    @property
    def is_float(self) -> bool:
        return self.elem in FLOATS

    @property
    def bits(self) -> int:
        return FLOATS.get(self.elem) or (64 if self.elem == "ptr" else int(self.elem[1:]))

    def with_element(self, elem: str) -> Type:
        """Return the type with the same lanes and another element type."""
        return Type(elem, self.lanes)

    def literal(self, number: float | int | bool) -> str:
        """Return the number as a constant of this type, splatted over the lanes.

        >>> Type("float", 4).literal(0.5)
        'splat (float 0x3FE0000000000000)'
        """
        if self.elem == "ptr":
            return "null"
        text = float_literal(float(number), self.elem) if self.is_float else str(int(number))
        return f"splat ({self.elem} {text})" if self.lanes else text


def float_literal(x: float, elem: str) -> str:
    """Return x, rounded to an element type, in LLVM's hexadecimal spelling, in which NaN and infinities are exact.

    For "half", a finite x must be below 65520 in magnitude.
    """
    if elem == "half":
        return f"0xH{struct.unpack('<H', struct.pack('<e', x))[0]:04X}"
    if elem == "float":
        try:
            x = struct.unpack("<f", struct.pack("<f", x))[0]
        except OverflowError:
            x = math.copysign(math.inf, x)
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


Number = int | float


def as_type(type: Type | str) -> Type:
    """Return `type`, made a `Type` if it is a name such as "i64"."""
    return Type(type) if isinstance(type, str) else type


class Instructions:
    """The instructions of one function as lines of text, and new names for its values."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def unused_name(self, stem: str = "v") -> str:
        """Return a name that is unused in this function; it begins with `stem`."""
        self.count += 1
        return f"{stem}{self.count}"

    def value(self, type: Type | str, text: str) -> Value:
        """Emit `%new = text` and return the new value."""
        name = f"%{self.unused_name()}"
        self.lines.append(f"  {name} = {text}")
        return Value(self, as_type(type), name)

    def emit(self, text: str) -> None:
        """Emit an instruction without a result."""
        self.lines.append("  " + text)

    def const(self, type: Type | str, number: Number) -> Value:
        """Return a constant of a type, the number in every lane."""
        type = as_type(type)
        return Value(self, type, type.literal(number))

    def coerce(self, x: Value | Number, type: Type) -> Value:
        """Return x itself if it is a value, else the number x as a constant of `type`.

        A value must already have that type.
        """
        if isinstance(x, Value):
            assert x.type == type, f"internal: {x!r} used as {type}"
            return x
        return self.const(type, x)


Operator = Callable[["Value", "Value | Number"], "Value"]


def _operator(f: str, i: str, swap: bool = False) -> Operator:
    """Return a method that emits the LLVM instruction f for floats, i for integers.

    With `swap`, operands are exchanged.
    """

    def method(self: Value, other: Value | Number) -> Value:
        other = self.builder.coerce(other, self.type)
        a, b = (other, self) if swap else (self, other)
        return self.builder.value(self.type, f"{f if self.type.is_float else i} {self.type} {a.name}, {b.name}")

    return method


def _comparison(f: str, i: str) -> Operator:
    return lambda self, other: self.compare(f, i, other)


class Value:
    """An SSA value (or literal) with its type; operators emit instructions into its builder."""

    __slots__ = ("builder", "name", "type")

    def __init__(self, builder: Instructions, type: Type, name: str) -> None:
        self.builder, self.type, self.name = builder, type, name

    def __repr__(self) -> str:
        return f"{self.type} {self.name}"

    __add__ = _operator("fadd", "add")
    __radd__ = _operator("fadd", "add", swap=True)
    __sub__ = _operator("fsub", "sub")
    __rsub__ = _operator("fsub", "sub", swap=True)
    __mul__ = _operator("fmul", "mul")
    __rmul__ = _operator("fmul", "mul", swap=True)
    __truediv__ = _operator("fdiv", "fdiv")
    __rtruediv__ = _operator("fdiv", "fdiv", swap=True)
    __and__ = _operator("and", "and")
    __or__ = _operator("or", "or")
    __xor__ = _operator("xor", "xor")
    __lshift__ = _operator("shl", "shl")
    __rshift__ = _operator("ashr", "ashr")  # the sign comes in
    lshr = _operator("lshr", "lshr")  # zeros come in
    __floordiv__ = _operator("", "udiv")  # of integers that are not negative

    def __divmod__(self, o: Value | Number) -> tuple[Value, Value]:
        """Return the quotient and remainder of integers that are not negative."""
        q = self // o
        return q, self - q * o

    def __mod__(self, o: Value | Number) -> Value:
        """Return the remainder of integers that are not negative."""
        return divmod(self, o)[1]

    def __neg__(self) -> Value:
        if self.type.is_float:
            return self.builder.value(self.type, f"fneg {self.type} {self.name}")
        return 0 - self

    def __invert__(self) -> Value:
        return self ^ -1 if self.type.elem != "i1" else self ^ 1

    __lt__ = _comparison("olt", "slt")
    __le__ = _comparison("ole", "sle")
    __gt__ = _comparison("ogt", "sgt")
    __ge__ = _comparison("oge", "sge")
    eq = _comparison("oeq", "eq")
    ne = _comparison("une", "ne")  # true where a side is NaN

    def compare(self, f: str, i: str, o: Value | Number) -> Value:
        """Return an i1 for each lane: the comparison by the LLVM predicate `f` for floats, `i` for integers.

        Predicates of floats begin with o (false for NaN) or u (true for NaN), as in "olt".
        """
        o = self.builder.coerce(o, self.type)
        kind = f"fcmp {f}" if self.type.is_float else f"icmp {i}"
        return self.builder.value(self.type.with_element("i1"), f"{kind} {self.type} {self.name}, {o.name}")

    def is_nan(self) -> Value:
        return self.compare("uno", "", self)


@dataclass(frozen=True, slots=True)
class Complex:
    """A complex value in registers: two real vectors."""

    re: Value
    im: Value

    def __iter__(self) -> Iterator[Value]:
        return iter((self.re, self.im))

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Complex) -> Complex:
        """Return the product by the textbook formula, whose four real products are rounded.

        It commutes, and z·conj(z) is real.  Infinities, NaN and overflows are those of the real operations.
        """
        re, im = self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        return Complex(re, im)

    def __neg__(self) -> Complex:
        return self.map_parts(lambda part: -part)

    def conj(self) -> Complex:
        """Return the conjugate."""
        return Complex(self.re, -self.im)

    def map_parts(self, f: Callable[[Value], Value]) -> Complex:
        """Return the complex value of f(real part) and f(imaginary part).

        A product with a real number is `z.map_parts(lambda part: part * x)`.
        """
        return Complex(f(self.re), f(self.im))
