"""Complex functions written once, for double, and called out of line from kernels of complex64 and complex128.

The one idea: computing a float function in double and rounding the result meets the error bound easily and without
range checks; so each function is one emitter and two routines.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.backends.llvm.complex_math.complex_exact import narrow, widen
from weft.backends.llvm.emit import Builder, Complex, Routine, Value, routine
from weft.backends.llvm.math.formats import SHORT

Emitter = Callable[..., Complex]  # emit(builder, *arguments), all Complex


def complexes(values: tuple[Value, ...]) -> list[Complex]:
    """Return the values re0, im0, re1, im1, ... as complex values."""
    return [Complex(re, im) for re, im in zip(values[::2], values[1::2], strict=True)]


def complex_routine(name: str, emit: Emitter, elem: str, arguments: int = 1) -> Routine:
    """Return a routine that computes `emit` in double, for `arguments` complex arguments.

    Their parts, and those of the result, have the element type `elem`; floats are widened and the result is rounded.
    """

    def body(b: Builder, *values: Value) -> Complex:
        numbers = complexes(values)
        return emit(b, *numbers) if elem == "double" else narrow(b, emit(b, *[widen(b, z) for z in numbers]))

    return routine(f"weft_{name}_{SHORT[elem]}", [elem] * 2 * arguments, [elem] * 2)(body)


def calling(r: Routine) -> Emitter:
    """Return an emitter that calls routine `r` with the parts of its complex arguments."""

    def call(b: Builder, *numbers: Complex) -> Complex:
        return Complex(*b.call_routine(r, [part for z in numbers for part in z]))

    return call


def outlined(op: str, emit: Emitter) -> dict[tuple[str, str], Emitter]:
    """Return emitters that call `emit`, of one complex number, out of line, under (op, "float") and (op, "double")."""
    return {(op, elem): calling(complex_routine(f"c{op}", emit, elem)) for elem in SHORT}


def swapped(emit: Emitter) -> Emitter:
    """Return the emitter of -i·f(i·z), given the emitter of f, by swapping the parts before and after f.

    f must be odd and commute with conjugation.
    """

    def swapped(b: Builder, z: Complex) -> Complex:
        re, im = emit(b, Complex(z.im, z.re))
        return Complex(im, re)

    return swapped
