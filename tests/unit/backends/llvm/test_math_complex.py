"""Complex functions: norm-wise error against mpmath, every special case of the array API, the same bits everywhere."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import mpmath
import numpy as np
import pytest
from math_harness import VARIANTS, assert_same_bits, kernel, on_planes

from tests.cases import for_each
from tests.shares import in_turn
from weft.backends.llvm.complex_math import COMPLEX as ELEMENTARY
from weft.backends.llvm.steps.arithmetic import ARITHMETIC
from weft.dtypes import complex64, complex128

INF, NAN, PI = np.inf, np.nan, np.pi
ELEMS = ("float", "double")
COMPLEXES = {"float": np.complex64, "double": np.complex128}
DIGITS = {"float": (24, -149, 128), "double": (53, -1074, 1024)}
PLAIN = ("add", "subtract", "multiply", "square", "positive", "negative", "conj")
COMPLEX = ELEMENTARY | {
    (op, elem): lambda b, *zs, op=op, d=d: ARITHMETIC[op](b, zs, [d] * len(zs), d, None)
    for op in PLAIN
    for elem, d in (("float", complex64), ("double", complex128))
}
BOUND = {"float": 1.0, "double": 4.0}
elems = pytest.mark.parametrize("elem", ELEMS)
quiet = partial(np.errstate, all="ignore")


def _expm1(z: Any) -> Any:
    return mpmath.exp(z) - 1


def _log1p(z: Any) -> Any:
    return mpmath.log(z + 1)


EXACT: dict[str, Callable[..., Any]] = {
    "add": lambda z, w: z + w, "subtract": lambda z, w: z - w, "multiply": lambda z, w: z * w,
    "divide": lambda z, w: z / w, "square": lambda z: z * z, "reciprocal": lambda z: 1 / z,
    "abs": abs, "sign": lambda z: z / abs(z), "sqrt": mpmath.sqrt,
    "exp2": lambda z: mpmath.mpf(2) ** z, "exp10": lambda z: mpmath.mpf(10) ** z,
    "exp": mpmath.exp, "expm1": _expm1, "log": mpmath.log, "log1p": _log1p,
    "log2": lambda z: mpmath.log(z) / mpmath.log(2), "log10": lambda z: mpmath.log(z) / mpmath.log(10),
    "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan,
    "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh,
    "asin": mpmath.asin, "acos": mpmath.acos, "atan": mpmath.atan,
    "asinh": mpmath.asinh, "acosh": mpmath.acosh, "atanh": mpmath.atanh,
    "pow": lambda z, w: mpmath.exp(w * mpmath.log(z)),
}  # fmt: skip
BINARY = {"add", "subtract", "multiply", "divide", "pow"}
UNARY = [op for op in EXACT if op not in BINARY]
GROWING = {
    "exp": 0,
    "exp2": 0,
    "exp10": 0,
    "expm1": 0,
    "sinh": 0,
    "cosh": 0,
    "sin": 1,
    "cos": 1,
}  # the part that overflows when large
ODD = ("sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh")
BRANCHES = {"log1p": (-1, 0, -2), "acos": (1, -1, 0), "asin": (1, -1, 0), "acosh": (1, -1, 0)}
CENTRES = (0, 1, -1, 1j, -1j, PI, PI / 2, 1j * PI, 2j * PI, 0.6 + 0.8j)


# ---- running an emitter on NumPy's complex numbers
planes = cache(on_planes)


def results_of(op: str, elem: str) -> tuple[str, ...]:
    return (elem,) if op == "abs" else (elem, elem)


def parts_of(*numbers: Any) -> list[Any]:
    return [np.ascontiguousarray(p) for z in numbers for p in (z.real, z.imag)]


def run(op: str, *numbers: Any, elem: str = "double") -> Any:
    zs = [np.atleast_1d(np.asarray(z, COMPLEXES[elem])) for z in numbers]
    call = kernel(planes(COMPLEX[op, elem]), *[elem] * (2 * len(zs)), results=results_of(op, elem))
    made = call(*parts_of(*zs))
    return made if op == "abs" else joined(*made, dtype=COMPLEXES[elem])


def joined(re: Any, im: Any, dtype: Any = np.complex128) -> Any:
    z = np.empty(np.broadcast(re, im).shape, dtype)
    z.real, z.imag = re, im
    return z


# ---- arguments
def spread(r: Any, n: int, low: int, high: int) -> Any:
    """Both parts of any sign, with exponents from a range; a third of them of like size."""
    re, im = (np.ldexp(r.uniform(1, 2, n), r.integers(low, high, n)) * r.choice([-1, 1], n) for _ in range(2))
    im[: n // 3] = re[: n // 3] * r.uniform(-4, 4, n // 3)
    return joined(re, im)


def beside(r: Any, n: int, centres: tuple[complex, ...], nearest: int) -> Any:
    """Points at distances of every size from some centres."""
    re, im = (np.ldexp(r.uniform(-1, 1, n), r.integers(nearest, 0, n)) for _ in range(2))
    return r.choice(np.array(centres, complex), n) + joined(re, im)


def samples(op: str, elem: str, seed: int = 5) -> Any:
    r = np.random.default_rng(seed)
    top, nearest = (1000, -60) if elem == "double" else (120, -30)
    around = np.exp(1j * r.uniform(-PI, PI, 60)) * (1 + np.ldexp(r.uniform(-1, 1, 60), r.integers(nearest, 0, 60)))
    z = np.concatenate(
        [
            joined(r.uniform(-3, 3, 80), r.uniform(-3, 3, 80)),
            joined(r.uniform(-80, 80, 40), r.uniform(-80, 80, 40)),
            spread(r, 60, -top, top),
            spread(r, 60, -8, 8),
            beside(r, 60, CENTRES, nearest),
            beside(r, 40, BRANCHES.get(op, (1,)), -300 if elem == "double" else -100),
            around,
            around - 1,
        ]
    )
    if op in GROWING:
        limit = 709 if elem == "double" else 88
        limit /= {"exp2": 0.69315, "exp10": 2.30259}.get(op, 1)
        z = np.concatenate([z, joined(*r.uniform(-limit, limit, (2, 60)))])
        z = z[abs((z.real, z.imag)[GROWING[op]]) < 1.1 * limit]
    if op in ("exp2", "exp10"):
        z = z[abs(z.imag) < 2.0**40]  # beyond, a turn is no more than the last places of the angle
    z = z.astype(COMPLEXES[elem])
    return z[(z.real != 0) & (z.imag != 0) & np.isfinite(z)]  # mpmath has no signed zeros to choose a side of a cut


# ---- errors
def exact_complex(z: Any) -> Any:
    return mpmath.mpc(float(z.real), float(z.imag))


def norm_error(got: Any, exact: Any, elem: str) -> float:
    """|got - exact| in units in the last place of |exact|; 0 where the exact value overflows and so does got."""
    digits, least, top = DIGITS[elem]
    exact = mpmath.mpc(exact)
    largest = max(abs(exact.real), abs(exact.imag))
    if largest >= mpmath.ldexp(1, top) * (1 - mpmath.ldexp(1, -digits)):
        return 0.0 if not np.isfinite(got) else np.inf
    if not np.isfinite(got):
        return np.inf
    size = abs(exact)
    exponent = max(mpmath.frexp(size)[1] - digits, least) if size else least
    return float(mpmath.ldexp(abs(exact_complex(got) - exact), -exponent))


def worst(op: str, elem: str, *numbers: Any, digits: int = 1300) -> tuple[float, Any, Any]:
    got = run(op, *numbers, elem=elem)
    with mpmath.workprec(digits):
        arguments = list(zip(*[[exact_complex(z) for z in zs] for zs in numbers], strict=True))
        errors = [norm_error(g, EXACT[op](*a), elem) for g, a in zip(got, arguments, strict=True)]
    at = int(np.argmax(errors))
    return errors[at], [zs[at] for zs in numbers], got[at]


def assert_within(op: str, elem: str, *numbers: Any, bound: float | None = None) -> None:
    error, at, got = worst(op, elem, *numbers)
    assert error <= (bound or BOUND[elem]), f"{op} {elem}: {error:.3f} ulp at {at}, got {got}"


@pytest.mark.parametrize(("op", "elem", "part"), in_turn(UNARY, ELEMS, range(6), every=12))
def test_error_of_one_argument(op: str, elem: str, part: int) -> None:
    assert_within(op, elem, samples(op, elem)[part::6], bound=2.3 if op in ("multiply", "square") else None)


@elems
@pytest.mark.parametrize("op", ["multiply", "divide"])
def test_error_of_two_arguments(op: str, elem: str) -> None:
    z = samples(op, elem)
    w = np.random.default_rng(1).permutation(samples(op, elem, seed=6))[: len(z)]
    n = min(len(z), len(w))
    assert_within(op, elem, z[:n], w[:n], bound=2.3 if op == "multiply" else 1.0)


def powers(elem: str) -> Iterator[tuple[Any, Any]]:
    r = np.random.default_rng(8)
    n, far, phases = (100, 500, 42) if elem == "double" else (100, 60, 20)
    box = joined(*r.uniform(-3, 3, (2, n)))
    yield box, joined(*r.uniform(-8, 8, (2, n)))
    yield box, joined(*r.uniform(-far / 2, far / 2, (2, n)))
    yield spread(r, n, *((-1074, 1023) if elem == "double" else (-149, 127))), joined(*r.uniform(-1, 1, (2, n)))
    yield box, r.integers(-20, 20, n) + 0j
    grown = np.ldexp(1.0, r.integers(2, 50 if elem == "double" else 20, n))
    yield 1 + joined(*r.uniform(-1, 1, (2, n))) / grown, joined(*r.uniform(-1, 1, (2, n))) * grown * far / 5
    turns = np.ldexp(r.uniform(-1, 1, n), r.integers(2, phases, n))
    yield np.exp(1j * r.uniform(-PI, PI, n)), turns + 0j


@elems
def test_error_of_powers(elem: str) -> None:
    dtype = COMPLEXES[elem]
    for z, w in powers(elem):
        assert_within("pow", elem, z.astype(dtype), w.astype(dtype))


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a long double wider than double")
@pytest.mark.parametrize("op", sorted(set(UNARY) - {"expm1", "log1p", "log2", "log10", "abs"}))
def test_error_on_a_million(op: str) -> None:
    """A long double oracle finds the worst arguments, mpmath judges them."""
    functions = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
                 "atanh": "arctanh"}  # fmt: skip
    r = np.random.default_rng(3)
    n = 1_000_000
    for z in (joined(*r.uniform(-3, 3, (2, n))), spread(r, n, -30, 2), 1 + spread(r, n, -40, 0)):
        wide = z.astype(np.clongdouble)
        with quiet():
            if op in ("sign", "exp10"):
                want = wide / abs(wide) if op == "sign" else np.longdouble(10) ** wide
            else:
                want = getattr(np, functions.get(op, op))(wide)
            error = abs(run(op, z) - want) / abs(want)
        error[~np.isfinite(error)] = 0
        hard = z[np.argsort(error)[-50:]]
        assert_within(op, "double", hard[(hard.real != 0) & (hard.imag != 0)])


# ---- special cases, as the array API lists them; b is the imaginary part, taken with either sign
# A row is (re, im) -> (re, im); "f" stands for some positive finite numbers, "~" for a sign left open.
CASES = {
    "exp": """
        0 0 -> 1 0 | -0 0 -> 1 0 | f inf -> nan nan | -f inf -> nan nan | f nan -> nan nan | inf 0 -> inf 0
        0 inf -> nan nan | -0 nan -> nan nan
        -inf inf -> ~0 ~0 | inf inf -> ~inf nan | -inf nan -> ~0 ~0 | inf nan -> ~inf nan | nan 0 -> nan 0
        nan f -> nan nan | nan inf -> nan nan | nan nan -> nan nan | -inf 0 -> 0 0 | -inf 1 -> 0 0 | -inf 2 -> -0 0
        -inf 4 -> -0 -0 | inf 1 -> inf inf | inf 2 -> -inf inf | inf 4 -> -inf -inf | 1e5 0 -> inf 0
        -1e5 1 -> 0 0 | 1e5 2 -> -inf inf""",
    "expm1": """
        0 0 -> 0 0 | -0 0 -> 0 0 | f inf -> nan nan | -f inf -> nan nan | f nan -> nan nan | inf 0 -> inf 0
        -inf inf -> -1 ~0 | inf inf -> ~inf nan | -inf nan -> -1 ~0 | inf nan -> ~inf nan | nan 0 -> nan 0
        nan f -> nan nan | nan inf -> nan nan | nan nan -> nan nan | -inf 0 -> -1 0 | -inf 2 -> -1 0 | -inf 4 -> -1 -0
        inf 1 -> inf inf | inf 2 -> -inf inf | inf 4 -> -inf -inf""",
    "log": """
        -0 0 -> -inf pi | 0 0 -> -inf 0 | f inf -> inf pi/2 | -f inf -> inf pi/2 | f nan -> nan nan | -inf f -> inf pi
        inf f -> inf 0 | -inf inf -> inf 3pi/4 | inf inf -> inf pi/4 | inf nan -> inf nan | -inf nan -> inf nan
       nan f -> nan nan | nan 0 -> nan nan | nan inf -> inf nan | nan nan -> nan nan | 1 0 -> 0 0 | 0 nan -> nan nan""",
    "log1p": """
        -1 0 -> -inf 0 | f inf -> inf pi/2 | -f inf -> inf pi/2 | f nan -> nan nan | -inf f -> inf pi | inf f -> inf 0
        -inf inf -> inf 3pi/4 | inf inf -> inf pi/4 | inf nan -> inf nan | -inf nan -> inf nan | nan f -> nan nan
        nan 0 -> nan nan | nan inf -> inf nan | nan nan -> nan nan | 0 0 -> 0 0 | 0 inf -> inf pi/2""",
    "log2": "0 0 -> -inf 0 | f inf -> inf * | inf f -> inf 0 | inf nan -> inf nan | nan f -> nan nan | 8 0 -> 3 0",
    "log10": "0 0 -> -inf 0 | f inf -> inf * | inf f -> inf 0 | inf nan -> inf nan | nan f -> nan nan | 1000 0 -> 3 0",
    "sqrt": """
        0 0 -> 0 0 | -0 0 -> 0 0 | f inf -> inf inf | nan inf -> inf inf | -inf inf -> inf inf | inf inf -> inf inf
        f nan -> nan nan | -f nan -> nan nan | -inf f -> 0 inf | inf f -> inf 0 | -inf nan -> nan ~inf
        inf nan -> inf nan | nan f -> nan nan | nan nan -> nan nan | 4 0 -> 2 0 | -4 0 -> 0 2""",
    "sinh": """
        0 0 -> 0 0 | 0 inf -> ~0 nan | 0 nan -> ~0 nan | f inf -> nan nan | f nan -> nan nan | inf 0 -> inf 0
        inf 1 -> inf inf | inf 2 -> -inf inf | inf 4 -> -inf -inf | inf inf -> ~inf nan | inf nan -> ~inf nan
        nan 0 -> nan 0 | nan f -> nan nan | nan inf -> nan nan | nan nan -> nan nan | 1e5 0 -> inf 0""",
    "cosh": """
        0 0 -> 1 0 | 0 inf -> nan ~0 | 0 nan -> nan ~0 | f inf -> nan nan | f nan -> nan nan | inf 0 -> inf 0
        inf 1 -> inf inf | inf 2 -> -inf inf | inf 4 -> -inf -inf | inf inf -> ~inf nan | inf nan -> inf nan
        nan 0 -> nan ~0 | nan f -> nan nan | nan inf -> nan nan | nan nan -> nan nan""",
    "tanh": """
        0 0 -> 0 0 | f inf -> nan nan | 0 inf -> 0 nan | f nan -> nan nan | 0 nan -> 0 nan | inf 0 -> 1 0 | inf f -> 1 0
        inf inf -> 1 ~0 | inf nan -> 1 ~0 | nan 0 -> nan 0 | nan f -> nan nan | nan inf -> nan nan | nan nan -> nan nan
        50 0 -> 1 0 | 1e5 0 -> 1 0""",
    "acos": """
        0 0 -> pi/2 -0 | -0 0 -> pi/2 -0 | 0 nan -> pi/2 nan | -0 nan -> pi/2 nan | f inf -> pi/2 -inf
        -f inf -> pi/2 -inf | f nan -> nan nan | -inf f -> pi -inf | inf f -> 0 -inf | -inf inf -> 3pi/4 -inf
        inf inf -> pi/4 -inf | inf nan -> nan ~inf | -inf nan -> nan ~inf | nan f -> nan nan | nan 0 -> nan nan
        nan inf -> nan -inf | nan nan -> nan nan | 1 0 -> 0 -0 | -1 0 -> pi -0""",
    "acosh": """
        0 0 -> 0 pi/2 | -0 0 -> 0 pi/2 | f inf -> inf pi/2 | -f inf -> inf pi/2 | f nan -> nan nan | 0 nan -> nan ~pi/2
        -inf f -> inf pi | inf f -> inf 0 | -inf inf -> inf 3pi/4 | inf inf -> inf pi/4 | inf nan -> inf nan
        -inf nan -> inf nan | nan f -> nan nan | nan 0 -> nan nan | nan inf -> inf nan | nan nan -> nan nan
        1 0 -> 0 0 | -1 0 -> 0 pi""",
    "asinh": """
        0 0 -> 0 0 | f inf -> inf pi/2 | f nan -> nan nan | 0 nan -> nan nan | inf f -> inf 0 | inf inf -> inf pi/4
        inf nan -> inf nan | nan 0 -> nan 0 | nan f -> nan nan | nan inf -> ~inf nan | nan nan -> nan nan
        0 1 -> 0 pi/2""",
    "atanh": """
        0 0 -> 0 0 | 0 nan -> 0 nan | 1 0 -> inf 0 | f inf -> 0 pi/2 | f nan -> nan nan | inf f -> 0 pi/2
        inf inf -> 0 pi/2 | inf nan -> 0 nan | nan f -> nan nan | nan 0 -> nan nan | nan inf -> ~0 pi/2
        nan nan -> nan nan""",
    "sign": """
        0 0 -> 0 0 | -0 0 -> 0 0 | nan f -> nan nan | f nan -> nan nan | nan nan -> nan nan | inf nan -> nan nan
        inf f -> 1 0 | -inf f -> -1 0 | f inf -> 0 1 | inf inf -> nan nan | 3 4 -> .6 .8 | -7 0 -> -1 0""",
    "reciprocal": """
        inf f -> 0 -0 | -inf f -> -0 -0 | f inf -> 0 -0 | inf nan -> 0 ~0 | nan inf -> ~0 -0 | inf inf -> 0 -0
        nan f -> nan nan | nan nan -> nan nan | 2 0 -> .5 -0 | -4 0 -> -.25 -0 | 0 0 -> inf nan""",
}  # fmt: skip
TOKENS = {"pi": PI, "pi/2": PI / 2, "pi/4": PI / 4, "3pi/4": 3 * PI / 4}


def _number(token: str) -> float:
    sign = -1.0 if token.startswith("-") else 1.0
    body = token.lstrip("-~")
    return sign * float(TOKENS.get(body, body))


def _arguments(token: str) -> list[float]:
    sign = -1.0 if token.startswith("-") else 1.0
    if token.lstrip("-") != "f":
        return [_number(token)]
    return [sign * v for v in (1e-30, 0.5, 3.0, 1e30)]


def rows(text: str) -> Iterator[tuple[complex, tuple[str, str]]]:
    for row in text.replace("\n", "|").split("|"):
        if row.strip():
            left, right = (side.split() for side in row.split("->"))
            for re, im in itertools.product(*map(_arguments, left)):
                yield complex(re, im), (right[0], right[1])


def matches(got: float, token: str, tolerance: float) -> bool:
    if token == "*":
        return True
    want = _number(token)
    if np.isnan(want):
        return bool(np.isnan(got))
    if token.startswith("~"):
        got, want = abs(got), abs(want)
    near = got == want or abs(got - want) <= tolerance * abs(want)
    return bool(near and np.copysign(1, got) == np.copysign(1, want))


@elems
@for_each("op", CASES)
def test_special_cases(op: str, elem: str) -> None:
    cases = list(rows(CASES[op]))
    got = run(op, [z for z, _ in cases], elem=elem)
    tolerance = 2 * float(np.finfo(COMPLEXES[elem]).eps)
    for (z, want), g in zip(cases, got, strict=True):
        re, im = float(g.real), float(g.imag)
        assert matches(re, want[0], tolerance) and matches(im, want[1], tolerance), f"{op}({z}) = {g}, not {want}"


EDGES = joined(*np.array(list(itertools.product([0.0, -0.0, 0.5, -0.5, 1, -1, 30, -30, INF, -INF, NAN], repeat=2))).T)


def assert_same(got: Any, want: Any, arguments: Any) -> None:
    """Equal, signs of zeros included; any NaN is any other, and NaN parts have no sign."""
    for g, w in ((got.real, want.real), (got.imag, want.imag)):
        bad = ~((np.isnan(g) & np.isnan(w)) | ((g == w) & (np.signbit(g) == np.signbit(w))))
        assert not bad.any(), f"{arguments[bad][:3]}: {got[bad][:3]}, not {want[bad][:3]}"


OPEN_SIGNS = {"cosh": NAN, "cos": NAN, "sinh": INF, "sin": INF}


@elems
@for_each("op", sorted(set(UNARY) - {"abs"}))
def test_of_the_conjugate_is_the_conjugate(op: str, elem: str) -> None:
    z = np.concatenate([EDGES, samples(op, elem)[:64]]).astype(COMPLEXES[elem])
    signs_set = np.isfinite(z) if op in OPEN_SIGNS or op.startswith("exp") else ~np.isnan(z)
    z = z[signs_set & ((z != 0) | (op != "sign"))]  # the sign of 0 is 0 + 0i
    assert_same(run(op, z.conj(), elem=elem), run(op, z, elem=elem).conj(), z)


@elems
@for_each("op", ODD)
def test_odd_functions(op: str, elem: str) -> None:
    z = np.concatenate([EDGES, samples(op, elem)[:64]]).astype(COMPLEXES[elem])
    z = z[~np.isnan(z)]
    assert_same(run(op, -z, elem=elem), -run(op, z, elem=elem), z)


@elems
@pytest.mark.parametrize("op,turned", [("sin", "sinh"), ("tan", "tanh"), ("asin", "asinh"), ("atan", "atanh")])
def test_circular_functions_are_hyperbolic_ones_turned(op: str, turned: str, elem: str) -> None:
    z = EDGES.astype(COMPLEXES[elem])
    w = run(turned, joined(z.imag, z.real, z.dtype), elem=elem)
    assert_same(run(op, z, elem=elem), joined(w.imag, w.real, z.dtype), z)
    if op == "sin":
        assert_same(run("cos", z, elem=elem), run("cosh", joined(-z.imag, z.real, z.dtype), elem=elem), z)


# ---- products and quotients beyond the finite numbers (quotients by C99 Annex G)
def _box(z: complex) -> tuple[float, float]:
    return tuple(np.copysign(1.0 if np.isinf(p) else 0.0, p) for p in (z.real, z.imag))  # type: ignore[return-value]


def _is_infinite(z: complex) -> bool:
    return bool(np.isinf(z.real) or np.isinf(z.imag))


def _is_finite(z: complex) -> bool:
    return bool(np.isfinite(z.real) and np.isfinite(z.imag))


def textbook_product(z: complex, w: complex) -> complex:
    a, b, c, d = (np.float64(v) for v in (z.real, z.imag, w.real, w.imag))
    return complex(a * c - b * d, a * d + b * c)


def annex_g_quotient(z: complex, w: complex) -> complex:
    """By part where w has no imaginary part, which covers Annex G's division by zero."""
    a, b, c, d = (np.float64(v) for v in (z.real, z.imag, w.real, w.imag))
    if d == 0:
        x, y = a / c, b / c
    else:
        x, y = (a * c + b * d) / (c * c + d * d), (b * c - a * d) / (c * c + d * d)
    if np.isnan(x) and np.isnan(y) and _is_infinite(z) and _is_finite(w):
        a, b = _box(z)
        x, y = INF * (a * c + b * d), INF * (b * c - a * d)
    elif np.isnan(x) and np.isnan(y) and _is_finite(z) and _is_infinite(w):
        c, d = _box(w)
        x, y = 0.0 * (a * c + b * d), 0.0 * (b * c - a * d)
    return complex(x, y)


@elems
@pytest.mark.parametrize("op,rule", [("multiply", textbook_product), ("divide", annex_g_quotient)])
def test_infinities_of_products_and_quotients(op: str, rule: Callable[..., complex], elem: str) -> None:
    parts = [0.0, -0.0, 1.0, -2.0, INF, -INF, NAN]
    every = np.array(list(itertools.product(parts, repeat=4))).T
    z, w = joined(*every[:2]), joined(*every[2:])
    got = run(op, z, w, elem=elem).astype(complex)
    with quiet():
        want = np.array([rule(complex(a), complex(b)) for a, b in zip(z, w, strict=True)])
    assert_same(got, want.astype(COMPLEXES[elem]), np.stack([z, w], 1))


@elems
def test_nothing_overflows_on_the_way(elem: str) -> None:
    h = 2.0 ** (DIGITS[elem][2] - 3)
    t = float(np.finfo(COMPLEXES[elem]).tiny) / 8
    assert run("divide", [h + h * 1j], [h + h * 1j], elem=elem)[0] == 1
    assert run("divide", [t + t * 1j], [t - t * 1j], elem=elem)[0] == 1j
    assert run("divide", [h + h * 1j], [2j * h], elem=elem)[0] == 0.5 - 0.5j
    assert run("abs", [3 * t + 4j * t, (3 + 4j) * h / 4], elem=elem).tolist() == [5 * t, 5 * (h / 4)]
    assert run("reciprocal", [2j * h], elem=elem)[0] == -0.5j / h
    assert run("sqrt", [-4 * (h / 4)], elem=elem)[0] == 1j * np.sqrt(h)
    assert np.isfinite(run("log", [3 * h + 3j * h, t + t * 1j], elem=elem)).all()


def test_exponentials_overflow_only_with_their_product() -> None:
    angle = float.fromhex("0x1.921fb54442d18p+0")  # cos is 6e-17
    with mpmath.workprec(200):
        for op in ("exp", "expm1", "sinh", "cosh"):
            z = np.array([720 + angle * 1j, 745 + angle * 1j])
            got = run(op, z)
            want = [EXACT[op](exact_complex(v)) for v in z]
            assert abs(got.real / np.array([float(w.real) for w in want]) - 1).max() < 1e-15
            assert np.isinf(got.imag).all()


# ---- identities
@elems
def test_exact_results(elem: str) -> None:
    z, w = samples("multiply", elem)[:200], samples("multiply", elem, seed=9)[:200]
    assert_same(run("square", z, elem=elem), run("multiply", z, z, elem=elem), z)
    assert_same(run("multiply", z, w, elem=elem), run("multiply", w, z, elem=elem), z)
    assert not run("multiply", z, z.conj(), elem=elem).imag[abs(z) < 1e15].any()
    real = (w.real + 0j).astype(z.dtype)
    with quiet():
        parts = joined(z.real / w.real, z.imag / w.real, z.dtype)
    assert_same(run("divide", z, real, elem=elem), parts, z)
    assert np.array_equal(run("abs", z.real + 0j, elem=elem), abs(z.real))
    assert np.array_equal(run("sqrt", [3 + 4j, -3 + 4j, -9], elem=elem), [2 + 1j, 1 + 2j, 3j])


@elems
def test_norm_at_the_edges(elem: str) -> None:
    """Infinite where a part is, even beside NaN; |re| where im is 0; never negative."""
    got = run("abs", EDGES, elem=elem)
    want = np.hypot(EDGES.real, EDGES.imag)
    assert np.array_equal(np.isnan(got), np.isnan(want)) and not np.signbit(got[~np.isnan(got)]).any()
    np.testing.assert_allclose(got, want, rtol=float(np.finfo(COMPLEXES[elem]).eps))


@elems
def test_powers_of_note(elem: str) -> None:
    def power(z: complex, w: complex) -> Any:
        return run("pow", [z], [w], elem=elem)[0]

    for z in (0, 3 + 4j, complex(NAN, 0), complex(INF, -INF)):
        assert power(z, 0) == 1
    assert power(3 + 4j, 2) == -7 + 24j
    assert power(3 + 4j, 1) == 3 + 4j
    assert power(2, 3) == 8
    assert power(0, 2) == power(0, 2 + 1j) == power(0.5, INF) == power(2, -INF) == 0
    assert np.isinf(power(0, -2).real) and np.isinf(power(2, INF).real)
    assert np.isnan(power(complex(NAN, 1), 1 + 1j).real)


# ---- everywhere
def test_table_is_complete() -> None:
    assert set(COMPLEX) == {(op, elem) for op in (*EXACT, "positive", "negative", "conj") for elem in ELEMS}


@pytest.mark.parametrize(
    ("op", "elem", "part"), in_turn([*UNARY, "multiply", "divide", "pow"], ELEMS, range(3), every=6)
)
def test_same_bits_on_every_cpu(op: str, elem: str, part: int) -> None:
    z = np.concatenate([EDGES, samples(op, elem)[::2]]).astype(COMPLEXES[elem])
    z = z[: len(z) // 32 * 32]
    numbers = (z, np.roll(z, 7)) if op in BINARY else (z,)
    options = {"results": results_of(op, elem), "variants": VARIANTS[part::3]}
    assert_same_bits(planes(COMPLEX[op, elem]), (elem,) * (2 * len(numbers)), *parts_of(*numbers), **options)
