"""Compile an emitter to a loop over NumPy arrays, for any lane count and CPU; measure error and speed.

`kernel(emit, "float")` gives a callable on arrays: `kernel(exp_f32, "float")(x)`.  Emitters of several arguments name
several elements; emitters of Complex values go through `on_planes`.  Results come back as one array or a tuple.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import count
from typing import Any

import llvmlite.binding as llvm
import mpmath
import numpy as np

from weft.backends.llvm.emit import ROUTINES, Builder, Complex, Type, Value
from weft.backends.llvm.math.library import flat_results, module_for, needs_of

NUMPY = {"float": np.float32, "double": np.float64, "i32": np.int32, "i64": np.int64}
IS_X86 = llvm.get_process_triple().startswith("x86_64")
# (lanes, cpu): scalar, AVX2 and AVX-512 code; "" is this machine.
VARIANTS = [(1, ""), (8, ""), (32, "")] + ([(1, "x86-64-v3"), (16, "x86-64-v3"), (32, "x86-64-v3")] if IS_X86 else [])

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
_numbers = count()


@cache
def _machine(cpu: str) -> Any:
    features = "" if cpu else llvm.get_host_cpu_features().flatten()
    cpu = cpu or llvm.get_host_cpu_name()
    return llvm.Target.from_default_triple().create_target_machine(opt=2, cpu=cpu, features=features, jit=True)


@cache
def _engine() -> Any:
    return llvm.create_lljit_compiler(_machine(""))


def assemble(text: str, cpu: str = "") -> bytes:
    """Object code of a module."""
    module = llvm.parse_assembly(text)
    module.verify()
    return bytes(_machine(cpu).emit_object(module))


@cache
def _routine_object(name: str, cpu: str) -> bytes:
    return assemble(module_for(ROUTINES[name]), cpu)


def source(
    emit: Callable[..., object], elems: Sequence[str], results: Sequence[str], lanes: int
) -> tuple[str, set[str]]:
    """IR of `void @k(ptr argument.., ptr result.., i64 n)`, n a multiple of the lanes, and the routines it calls."""
    b = Builder()
    every = (*elems, *results)
    with b.loop(0, b.named("i64", "%n"), lanes) as i:
        at = [b.gep(b.named("ptr", f"%p{k}"), i, e) for k, e in enumerate(every)]
        values = [b.load(Type(e, lanes), p) for e, p in zip(elems, at, strict=False)]
        made = flat_results(emit(b, *values))
        for v, e, p in zip(made, results, at[len(elems) :], strict=True):
            assert v.type == Type(e, lanes), f"{v!r} is not {lanes} of {e}"
            b.store(v, p)
    b.emit("ret void")
    signature = ", ".join(f"ptr %p{k}" for k in range(len(every)))
    return b.module(b.function("k", signature + ", i64 %n")), b.routines


def closure(names: Iterable[str]) -> list[str]:
    """Return the names and all that they need in turn, sorted: what must be linked beside a kernel."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(needs_of(ROUTINES[name]))
    return sorted(found)


@cache
def kernel(
    emit: Callable[..., object], *elems: str, results: tuple[str, ...] = (), lanes: int = 32, cpu: str = ""
) -> Callable[..., Any]:
    """A callable on arrays of the elements' dtypes; without `results` it gives one result of the first element."""
    results = results or elems[:1]
    text, routines = source(emit, elems, results, lanes)
    library = llvm.JITLibraryBuilder().add_object_img(assemble(text, cpu))
    for name in closure(routines):
        library.add_object_img(_routine_object(name, cpu))
    linked = library.export_symbol("k").link(_engine(), f"math{next(_numbers)}")
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(elems) + len(results)), ctypes.c_int64)(linked["k"])

    def run(*arrays: Any, out: tuple[Any, ...] | None = None) -> Any:
        n = len(np.atleast_1d(arrays[0]))
        whole = -(-n // lanes) * lanes
        ins = [_padded(a, NUMPY[e], whole) for a, e in zip(arrays, elems, strict=True)]
        outs = out or tuple(np.empty(whole, NUMPY[r]) for r in results)
        call(*[a.ctypes.data for a in (*ins, *outs)], whole)
        outs = tuple(o[:n] for o in outs)
        return outs if len(outs) > 1 else outs[0]

    run.keep = linked  # type: ignore[attr-defined]
    return run


def _padded(a: Any, dtype: Any, n: int) -> Any:
    a = np.atleast_1d(np.asarray(a, dtype))
    if len(a) == n:
        return np.ascontiguousarray(a)
    whole = np.ones(n, dtype)
    whole[: len(a)] = a
    return whole


def on_planes(emit: Callable[..., object]) -> Callable[..., object]:
    """An emitter of Complex values as one of real values: each complex argument becomes (re, im)."""

    def planes(b: Builder, *values: Value) -> object:
        return emit(b, *[Complex(re, im) for re, im in zip(values[::2], values[1::2], strict=True)])

    return planes


def assert_same_bits(
    emit: Callable[..., object], elems: tuple[str, ...], *arrays: Any, variants: Any = VARIANTS, **options: Any
) -> None:
    """The same bits for scalar, AVX2 and AVX-512 code (any NaN equals any other)."""
    want = np.atleast_2d(kernel(emit, *elems, lanes=16, **options)(*arrays))
    for lanes, cpu in variants:
        got = np.atleast_2d(kernel(emit, *elems, lanes=lanes, cpu=cpu, **options)(*arrays))
        nans = np.isnan(want) & np.isnan(got)
        bad = (got.view(f"i{got.itemsize}") != want.view(f"i{want.itemsize}")) & ~nans
        first = np.argwhere(bad)[:3].tolist()
        assert not bad.any(), f"lanes {lanes}, cpu {cpu or 'native'}: {bad.sum()} results differ, first at {first}"


def ulp_errors(got: Any, exact: Iterable[Any], digits: int = 24, smallest: int = -149) -> Any:
    """|got - exact| in units in the last place of exact (an mpmath number), 0 for matching inf and nan.

    `digits` and `smallest` are the precision and the exponent of the least subnormal: 24, -149 or 53, -1074.
    """
    errors = [_ulp_error(float(g), e, digits, smallest) for g, e in zip(got, exact, strict=True)]
    return np.array(errors)


def _ulp_error(got: float, exact: Any, digits: int, smallest: int) -> float:
    exact = mpmath.mpf(exact)
    if mpmath.isnan(exact) or np.isnan(got):
        return 0.0 if mpmath.isnan(exact) and np.isnan(got) else np.inf
    top = {24: 128, 53: 1024}[digits]
    limit = mpmath.ldexp(1, top)
    over = limit * (1 - mpmath.ldexp(1, -digits - 1))  # from here on the exact value rounds to infinity
    if np.isinf(got) or mpmath.isinf(exact):
        return 0.0 if abs(exact) >= over and (exact > 0) == (got > 0) and np.isinf(got) else np.inf
    exponent = max(mpmath.frexp(exact)[1] - digits, smallest) if exact else smallest
    return float(abs(mpmath.mpf(got) - exact) / mpmath.ldexp(1, exponent))


def nanoseconds(run: Callable[..., Any], *arrays: Any, repeat: int = 15) -> float:
    """Best time per element."""
    out = (np.empty(len(arrays[0]), arrays[0].dtype),)
    best = min(_timed(run, arrays, out) for _ in range(repeat))
    return best / len(arrays[0]) * 1e9


def _timed(run: Callable[..., Any], arrays: tuple[Any, ...], out: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    run(*arrays, out=out)
    return time.perf_counter() - start


# ---- float results against a double oracle (a double function within a few ulp errs by 2^-26 ulp of float)
SPECIALS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan)


def float_ulps(got: Any, exact: Any) -> Any:
    """|got - exact| in float ulps of the double `exact`; matching infinities and NaNs count 0."""
    wide, exact = got.astype(np.float64), np.asarray(exact, np.float64)
    binade = (exact.view(np.int64) & 0x7FF0000000000000).view(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.abs(wide - exact) / np.maximum(binade * 2.0**-23, 2.0**-149)
    over = np.abs(exact) >= 2.0**128 * (1 - 2.0**-25)
    same = (np.isnan(wide) & np.isnan(exact)) | (over & np.isinf(wide) & (np.sign(wide) == np.sign(exact)))
    return np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))


def floats(start: int = 0, stop: int = 1 << 32, step: int = 1) -> Any:
    """The float numbers with these bit patterns."""
    return np.arange(start, stop, step, dtype=np.uint32).view(np.float32)


def worst_float(emit: Callable[..., object], oracle: Callable[..., Any], step: int = 1) -> tuple[float, float]:
    """(largest error in ulps, its argument) over every step-th float; signs must match wherever there is a number."""
    run, worst, chunk = kernel(emit, "float"), (0.0, 0.0), step << 22
    for start in range(0, 1 << 32, chunk):
        x = floats(start, min(start + chunk, 1 << 32), step)
        with np.errstate(all="ignore"):
            got, exact = run(x), oracle(x.astype(np.float64))
        signs = (np.signbit(got) == np.signbit(exact)) | np.isnan(got)
        assert signs.all(), f"wrong sign at {x[~signs][:3]}"
        errors = float_ulps(got, exact)
        at = int(errors.argmax())
        worst = max(worst, (float(errors[at]), float(x[at])))
    return worst


def assert_special(emit: Callable[..., object], elem: str, table: Sequence[tuple[Any, float]]) -> None:
    """Each (argument or tuple of arguments, result): the argument gives exactly its result, sign of zero included."""
    rows = [k if isinstance(k, tuple) else (k,) for k, _ in table]
    columns = [np.array(c, NUMPY[elem]) for c in zip(*rows, strict=True)]
    got, want = kernel(emit, *[elem] * len(columns))(*columns), np.array([result for _, result in table], NUMPY[elem])
    for row, g, w in zip(rows, got, want, strict=True):
        alike = (np.isnan(g) and np.isnan(w)) or (g == w and np.signbit(g) == np.signbit(w))
        assert alike, f"{row} gives {g}, not {w}"
