"""The complex square root.

The one idea (Kahan, Branch Cuts for Complex Elementary Functions, 1987): t = sqrt((|re| + |z|)/2) has no cancellation,
and the other part is im/(2t); which of the two is real goes by the sign of re.  Numbers whose squares would leave the
range are scaled by a power of four first.
"""

from __future__ import annotations

import math

from weft.backends.llvm.complex_math.complex_exact import (
    infinite_norm,
    is_infinite,
    plain_norm,
    scaling,
    size_of,
    times_twice,
)
from weft.backends.llvm.complex_math.complex_outline import outlined
from weft.backends.llvm.emit import Builder, Complex


def sqrt(b: Builder, z: Complex) -> Complex:
    """Return the root with real part >= 0; the cut is the negative real axis, continuous with the sign of im."""
    up, down = scaling(b, size_of(b, z))
    w = times_twice(z, up)
    norm = infinite_norm(b, z, plain_norm(b, w.re, w.im))
    t = b.sqrt((b.abs(w.re) + norm) * 0.5) * down
    other = b.select(t.eq(0.0), b.abs(z.im), b.abs(z.im) / (t + t))
    right = z.re >= 0.0
    re, im = b.select(right, t, other), b.select(right, other, t)
    infinite = is_infinite(b, z.im)
    return Complex(b.select(infinite, math.inf, re), b.copysign(b.select(infinite, math.inf, im), z.im))


COMPLEX_ROOT = outlined("sqrt", sqrt)
