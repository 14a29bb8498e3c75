"""The builder of one native function: memory, vectors, calls and arithmetic beyond the operators.

The one idea: a function is declared once, as a `Signature`; its builder knows the parameters by name, and a call of it
passes on the caller's parameters for all arguments that are not given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, overload

from weft.backends.llvm.emit.flow import Flow
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.emit.values import Complex, Number, Type, Value, as_type


@dataclass(frozen=True, slots=True)
class Signature:
    """A native function's name, typed parameters and result."""

    name: str
    parameters: tuple[tuple[str, str], ...]  # (name, type)
    result: str = "void"

    @property
    def text(self) -> str:
        """Return the parameter list in LLVM's syntax: "ptr %at, i64 %n"."""
        return ", ".join(f"{type} %{name}" for name, type in self.parameters)

    def call(self, b: Builder, address: Value | None = None, **given: Value | Number) -> Value:
        """Emit a call of the function, by its name or at `address`; return its result.

        A parameter that `given` does not name is passed the caller's parameter or stack buffer of the same name.
        """
        assert given.keys() <= {name for name, _ in self.parameters}, f"internal: {self.name} called with {list(given)}"
        args = [b.coerce(given[name] if name in given else b[name], Type(type)) for name, type in self.parameters]
        return b.call(self.result, address or b.named("ptr", f"@{self.name}"), *args)


def signature(name: str, parameters: str, result: str = "void") -> Signature:
    """Return the signature of a native function from its name, typed parameters and result type.

    >>> signature("next", "ptr at, i64 n").parameters
    (('at', 'ptr'), ('n', 'i64'))
    """
    pairs = [p.split() for p in parameters.split(", ")]
    return Signature(name, tuple((name, type) for type, name in pairs), result)


@dataclass(frozen=True, slots=True)
class Routine:
    """A vector function that is compiled and cached separately, and called by kernels (see the decorator `routine`)."""

    name: str
    elems: tuple[str, ...]  # element types of the arguments
    results: tuple[str, ...]  # element types of the results
    emit: Callable[..., object]  # emit(builder, *values) -> Value or tuple of values
    lanes: int = 16  # cells that it computes at a time; of long code that seldom runs fewer: it compiles faster

    def __call__(self, b: Builder, *args: Value) -> Any:
        """Emit a call; return its result, or a tuple if the routine has several results."""
        made = b.call_routine(self, args)
        return made[0] if len(made) == 1 else made


ROUTINES: dict[str, Routine] = {}


def routine(
    name: str, elems: Sequence[str], results: Sequence[str], lanes: int = 16
) -> Callable[[Callable[..., object]], Routine]:
    """Return a decorator that registers an emitter as a routine, `void @name(ptr arg0.., ptr result0.., i64 lanes)`.

    `elems` and `results` are the LLVM element types of its arguments and results, `lanes` the cells that it computes at
    a time.
    """

    def register(emit: Callable[..., object]) -> Routine:
        ROUTINES[name] = made = Routine(name, tuple(elems), tuple(results), emit, lanes)
        return made

    return register


def _unary(name: str) -> Callable[[Builder, Value], Value]:
    """Return a method of `Builder` that calls the LLVM intrinsic `name` with one argument."""
    return lambda self, x: self.intrinsic(name, x)


class Builder(Flow):
    """The text of one native function: instructions, stack buffers, declarations, and the routines that it calls."""

    def __init__(self, signature: Signature | None = None) -> None:
        super().__init__()
        self.signature = signature
        self.allocas: list[str] = []
        self.declarations: set[str] = set()
        self.routines: set[str] = set()
        self.globals: dict[str, str] = {}
        parameters = signature.parameters if signature is not None else ()
        self.scope = {name: self.named(type, f"%{name}") for name, type in parameters}

    def __getitem__(self, name: str) -> Value:
        """Return the parameter or the stack buffer `name`.  Raises KeyError if there is neither."""
        return self.scope[name]

    def named(self, type: Type | str, name: str) -> Value:
        """Return a value of a type that is written as `name` in the text; emits nothing."""
        return Value(self, as_type(type), name)

    # ---- routines
    def any(self, mask: Value) -> Value:
        """Return an i1, true if any lane of an i1 vector is true."""
        bits = self.value(Type(f"i{mask.type.lanes}"), f"bitcast {mask.type} {mask.name} to i{mask.type.lanes}")
        return bits.ne(0)

    def rare(self, mask: Value, slow: Routine, args: Sequence[Value], fast: Iterable[Value]) -> tuple[Value, ...]:
        """Return the values `fast`, but in lanes where `mask` is true the results of `slow(*args)`.

        The routine `slow` is called only if some lane of the mask is true.
        """

        def cold() -> list[Value]:
            slows = self.call_routine(slow, args)
            return [self.select(mask, s, f) for s, f in zip(slows, fast, strict=True)]

        return self.choose(self.any(mask), cold, fast, "yes")

    def call_routine(self, r: Routine, args: Sequence[Value]) -> tuple[Value, ...]:
        """Emit a call of routine `r`, and return its results.

        Arguments and results pass through stack buffers.
        """
        self.routines.add(r.name)
        ins = []
        for a, elem in zip(args, r.elems, strict=True):
            assert a.type.elem == elem, f"internal: {r.name} wants {elem}, got {a!r}"
            ins.append(self.alloca(a.type))
            self.store(a, ins[-1], align=64)
        lanes = args[0].type.lanes
        outs = [self.alloca(Type(e, lanes)) for e in r.results]
        self.call("void", r.name, *ins, *outs, self.const("i64", lanes))
        return tuple(self.load(Type(e, lanes), p, align=64) for e, p in zip(r.results, outs, strict=True))

    # ---- memory
    def alloca(self, type: Type | str, count: int = 1) -> Value:
        """Return the address of a new stack buffer of `count` elements, aligned to 64 bytes."""
        return self._buffer(self.unused_name("buf"), type, count)

    def stack_buffer(self, name: str, type: Type | str, count: int = 1) -> Value:
        """Return the address of a new stack buffer of `count` elements of `type`.

        `b[name]` and calls of signatures find it by its name.
        """
        self.scope[name] = self._buffer(name, type, count)
        return self.scope[name]

    def _buffer(self, name: str, type: Type | str, count: int) -> Value:
        self.allocas.append(f"  %{name} = alloca {type}, i64 {count}, align 64")
        return Value(self, Type("ptr"), f"%{name}")

    def load(self, type: Type | str, ptr: Value, align: int = 1) -> Value:
        return self.value(type, f"load {type}, ptr {ptr.name}, align {align}")

    def store(self, v: Value, ptr: Value, align: int = 1, past_caches: bool = False) -> None:
        self.emit(
            f"store {v.type} {v.name}, ptr {ptr.name}, align {align}{PROCESSOR.past_caches if past_caches else ''}"
        )

    def gep(self, ptr: Value, index: Value | Number, elem: str = "i8") -> Value:
        """Return ptr + index · sizeof(elem); a vector index gives a vector of pointers."""
        index = index if isinstance(index, Value) else self.const("i64", index)
        type = Type("ptr", index.type.lanes)
        return self.value(type, f"getelementptr {elem}, ptr {ptr.name}, {index.type} {index.name}")

    def gather(self, type: Type, ptrs: Value, mask: Value | None = None) -> Value:
        """Return the cells of `type` at a vector of addresses; lanes where `mask` is false are not read and give 0."""
        return self._masked("gather", f".v{type.lanes}p0", type, ptrs, mask or self.const(type.with_element("i1"), 1))

    def masked_load(self, type: Type, ptr: Value, mask: Value) -> Value:
        """Return the adjacent cells from address `ptr` on; lanes where `mask` is false are not read and give 0."""
        return self._masked("load", ".p0", type, ptr, mask)

    def _masked(self, how: str, suffix: str, type: Type, place: Value, mask: Value) -> Value:
        name = f"llvm.masked.{how}.v{type.lanes}{mangle(type.elem)}{suffix}"
        self.declarations.add(f"declare {type} @{name}({place.type}, {mask.type}, {type})")
        arguments = f"{place.type} align 1 {place.name}, {mask.type} {mask.name}, {type} zeroinitializer"
        return self.value(type, f"call {type} @{name}({arguments})")

    def masked_store(self, v: Value, ptr: Value, mask: Value) -> None:
        """Emit a store of `v` to adjacent cells from `ptr` on, in just the lanes where `mask` is true."""
        name = f"llvm.masked.store.v{v.type.lanes}{mangle(v.type.elem)}.p0"
        self.declarations.add(f"declare void @{name}({v.type}, ptr, {mask.type})")
        self.emit(f"call void @{name}({v.type} {v.name}, ptr align 1 {ptr.name}, {mask.type} {mask.name})")

    def prefetch(self, ptr: Value, cache: int = 1) -> None:
        """Emit a hint that the cache line at `ptr` is soon read, into this level of cache.

        The address need not be valid.
        """
        read, near, data = 0, 4 - cache, 1
        self.call("void", "llvm.prefetch.p0", ptr, *[self.const("i32", n) for n in (read, near, data)])

    def table(self, name: str, elem: str, numbers: Sequence[Number]) -> Value:
        """Return the address of the constant array `numbers`, a global of the module under `name`."""
        literals = ", ".join(f"{elem} {Type(elem).literal(n)}" for n in numbers)
        self.globals[name] = f"@{name} = private constant [{len(numbers)} x {elem}] [{literals}], align 64"
        return Value(self, Type("ptr"), f"@{name}")

    # ---- calls and cells of memory
    def call(self, result: Type | str, name: str | Value, *args: Value) -> Value:
        """Return the result of calling a function.

        `name` is its name, which is then declared, or its address.  A void function gives a value of type void.
        """
        types, given = ", ".join(str(a.type) for a in args), ", ".join(f"{a.type} {a.name}" for a in args)
        if isinstance(name, str):
            self.declarations.add(f"declare {result} @{name}({types})")
        target = f"@{name}" if isinstance(name, str) else name.name
        if result != "void":
            return self.value(result, f"call {result} {target}({given})")
        self.emit(f"call void {target}({given})")
        return Value(self, Type("void"), "")

    def copy(self, target: Value, source: Value, size: Value | Number, overlapping: bool = False) -> None:
        """Emit a copy of `size` bytes from `source` to `target`; they may share bytes only if `overlapping`."""
        name = f"llvm.{'memmove' if overlapping else 'memcpy'}.p0.p0.i64"
        self.call("void", name, target, source, self.coerce(size, Type("i64")), self.const("i1", 0))

    # ---- vectors
    def splat(self, v: Value, lanes: int) -> Value:
        if not lanes:
            return v
        t = Type(v.type.elem, lanes)
        one = self.value(t, f"insertelement {t} poison, {v.type} {v.name}, i64 0")
        return self.value(t, f"shufflevector {t} {one.name}, {t} poison, <{lanes} x i32> zeroinitializer")

    def iota(self, elem: str, lanes: int, start: int = 0, step: int = 1) -> Value:
        """Return the constant vector start, start + step, ... of `lanes` elements of type `elem`."""
        t = Type(elem, lanes)
        return Value(self, t, "<" + ", ".join(f"{elem} {start + step * i}" for i in range(lanes)) + ">")

    def shuffle(self, a: Value, lanes: Sequence[int], b: Value | None = None) -> Value:
        """Return a vector of lanes picked by number from `a` and `b`.

        With n lanes in `a`, number k < n is lane k of `a`, and k >= n is lane k - n of `b`.
        """
        t = Type(a.type.elem, len(lanes))
        picks = ", ".join(f"i32 {i}" for i in lanes)
        other = b.name if b is not None else "poison"
        return self.value(t, f"shufflevector {a.type} {a.name}, {a.type} {other}, <{len(lanes)} x i32> <{picks}>")

    def extract(self, v: Value, lane: int) -> Value:
        return self.value(Type(v.type.elem), f"extractelement {v.type} {v.name}, i64 {lane}")

    def insert(self, v: Value, one: Value, lane: int) -> Value:
        return self.value(v.type, f"insertelement {v.type} {v.name}, {one.type} {one.name}, i64 {lane}")

    # ---- conversions
    def cast(self, kind: str, v: Value, elem: str) -> Value:
        """Return v converted to another element type by an LLVM instruction.

        `kind` is its name: "trunc", "zext", "sext", "fptosi", ...
        """
        t = v.type.with_element(elem)
        return v if t == v.type else self.value(t, f"{kind} {v.type} {v.name} to {t}")

    def bitcast(self, v: Value, elem: str) -> Value:
        """Return v with its bits read as another element type of the same width."""
        return self.cast("bitcast", v, elem)

    # ---- arithmetic beyond operators
    @overload
    def select(self, c: Value, a: Value | Number, b: Value | Number) -> Value: ...
    @overload
    def select(self, c: Value, a: Value | Complex | Number, b: Value | Complex | Number) -> Any: ...
    def select(self, c: Value, a: Value | Complex | Number, b: Value | Complex | Number) -> Any:
        """Return `a` in the lanes where `c` is true and `b` in the others; both are real, or both complex."""
        if isinstance(a, Complex) and isinstance(b, Complex):
            return Complex(self.select(c, a.re, b.re), self.select(c, a.im, b.im))
        assert not isinstance(a, Complex) and not isinstance(b, Complex)
        t = a.type if isinstance(a, Value) else b.type  # type: ignore[union-attr]
        a, b = self.coerce(a, t), self.coerce(b, t)
        return self.value(t, f"select {c.type} {c.name}, {t} {a.name}, {t} {b.name}")

    def intrinsic(self, name: str, *args: Value | Number, result: Type | None = None) -> Value:
        """Return the result of the LLVM intrinsic `@llvm.<name>.<type>`.

        All arguments have the type of the first value among them; so has the result if `result` is not given.
        """
        first = next(a for a in args if isinstance(a, Value)).type
        values = [self.coerce(a, first) for a in args]
        result = result or first
        symbol = f"llvm.{name}.{f'v{first.lanes}' if first.lanes else ''}{mangle(first.elem)}"
        self.declarations.add(f"declare {result} @{symbol}({', '.join([str(first)] * len(values))})")
        return self.value(result, f"call {result} @{symbol}({', '.join(f'{v.type} {v.name}' for v in values)})")

    def fma(self, a: Value | Number, b: Value | Number, c: Value | Number) -> Value:
        """Return a·b + c with one rounding."""
        return self.intrinsic("fma", a, b, c)

    def horner(self, x: Value, *coefficients: float) -> Value:
        """Return the polynomial ((c0·x + c1)·x + c2)... by fused multiply-adds.

        The coefficient of the highest power is first.
        """
        p: Value | float = coefficients[0]
        for c in coefficients[1:]:
            p = self.fma(x, p, c)
        assert isinstance(p, Value)
        return p

    def smin(self, x: Value | Number, y: Value | Number) -> Value:
        """Return the smaller of two signed integers."""
        return self.intrinsic("smin", x, y)

    def smax(self, x: Value | Number, y: Value | Number) -> Value:
        """Return the larger of two signed integers."""
        return self.intrinsic("smax", x, y)

    def zeros(self, name: str, x: Value) -> Value:
        """Return the number of leading (name "ctlz") or trailing ("cttz") zero bits of x; x must not be a vector."""
        return self.call(x.type.elem, f"llvm.{name}.{x.type.elem}", x, self.const("i1", 0))

    sqrt, abs, floor, ceil, trunc, rint = map(_unary, ("sqrt", "fabs", "floor", "ceil", "trunc", "roundeven"))

    def is_infinite(self, x: Value) -> Value:
        """Return an i1 for each lane, true where |x| is infinite."""
        return self.abs(x).eq(math.inf)

    def is_finite(self, x: Value) -> Value:
        """Return an i1 for each lane, true where x is neither infinite nor NaN."""
        return self.abs(x) < math.inf

    def is_signed(self, x: Value) -> Value:
        """Return an i1 for each lane, true where a float's sign bit is set, as for -0."""
        return self.bitcast(x, f"i{x.type.bits}") < 0

    def copysign(self, x: Value | Number, s: Value) -> Value:
        return self.intrinsic("copysign", self.coerce(x, s.type), s)

    # ---- the finished text
    def function(self, name: str, arguments: str, result: str = "void") -> str:
        """Return the text of an LLVM function `name` with this builder's instructions; its last block must have ended.

        `arguments` and `result` are the parameter list and the result type in LLVM's syntax.
        """
        body = "\n".join(self.allocas + self.lines)
        return f"define {result} @{name}({arguments}) #0 {{\nentry:\n{body}\n}}\n"

    def definition(self) -> str:
        """Return the text of the function that this builder's signature declares; a void one gets its `ret`."""
        s = self.signature
        assert s is not None, "internal: a builder without a signature"
        if s.result == "void":
            self.emit("ret void")
        return self.function(s.name, s.text, s.result)

    def module(self, *functions: str) -> str:
        """Return the text of an LLVM module with these functions, and this builder's globals and declarations."""
        head = [*self.globals.values(), *sorted(self.declarations)]
        return "\n".join(head) + "\n" + "\n".join(functions) + FOOTER


FOOTER = (
    f"attributes #0 = {{ nounwind {PROCESSOR.attributes} }}\n"
    '!0 = !{!"branch_weights", i32 1000, i32 1}\n!1 = !{!"branch_weights", i32 1, i32 1000}\n!2 = !{i32 1}\n'
)


def mangle(elem: str) -> str:
    """Return the spelling of an element type in the names of intrinsics: "f32" for "float"."""
    return {"half": "f16", "float": "f32", "double": "f64", "ptr": "p0"}.get(elem, elem)
