"""LLVM IR as text, written through typed values that read like arithmetic.

The one idea: a `Value` knows its LLVM type, so `x * 2.0 + y` emits the right instructions and a Python number on
either side becomes a constant of that type.  Vectors are written explicitly, at one width for every CPU; LLVM splits
them for the target, which is what keeps results equal between targets.  Imports nothing of weft.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

FLOATS = {"half": 16, "float": 32, "double": 64}


@dataclass(frozen=True, slots=True)
class Type:
    """An LLVM first-class type: an element and a number of lanes (0 for a scalar)."""

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

    def of(self, elem: str) -> Type:
        """The same number of lanes of another element."""
        return Type(elem, self.lanes)

    def literal(self, number: float | int | bool) -> str:
        """The number as a constant of this type, splatted over the lanes.

        >>> Type("float", 4).literal(0.5)
        'splat (float 0x3FE0000000000000)'
        """
        text = float_literal(float(number), self.elem) if self.is_float else str(int(number))
        return f"splat ({self.elem} {text})" if self.lanes else text


def float_literal(x: float, elem: str) -> str:
    """The exact LLVM spelling of x rounded to `elem` (always hexadecimal, so nan and inf are safe)."""
    if elem == "half":
        return f"0xH{struct.unpack('<H', struct.pack('<e', x))[0]:04X}"
    if elem == "float":
        try:
            x = struct.unpack("<f", struct.pack("<f", x))[0]
        except OverflowError:
            x = math.copysign(math.inf, x)
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


Number = int | float


class Value:
    """An SSA value (or literal) with its type; operators emit instructions into its builder."""

    __slots__ = ("builder", "name", "type")

    def __init__(self, builder: Builder, type: Type, name: str) -> None:
        self.builder, self.type, self.name = builder, type, name

    def __repr__(self) -> str:
        return f"{self.type} {self.name}"

    def _binary(self, f: str, i: str, other: Value | Number, swap: bool = False) -> Value:
        other = self.builder.coerce(other, self.type)
        a, b = (other, self) if swap else (self, other)
        return self.builder.value(self.type, f"{f if self.type.is_float else i} {self.type} {a.name}, {b.name}")

    def __add__(self, o: Value | Number) -> Value:
        return self._binary("fadd", "add", o)

    def __radd__(self, o: Number) -> Value:
        return self._binary("fadd", "add", o, True)

    def __sub__(self, o: Value | Number) -> Value:
        return self._binary("fsub", "sub", o)

    def __rsub__(self, o: Number) -> Value:
        return self._binary("fsub", "sub", o, True)

    def __mul__(self, o: Value | Number) -> Value:
        return self._binary("fmul", "mul", o)

    def __rmul__(self, o: Number) -> Value:
        return self._binary("fmul", "mul", o, True)

    def __truediv__(self, o: Value | Number) -> Value:
        return self._binary("fdiv", "fdiv", o)

    def __rtruediv__(self, o: Number) -> Value:
        return self._binary("fdiv", "fdiv", o, True)

    def __and__(self, o: Value | Number) -> Value:
        return self._binary("and", "and", o)

    def __or__(self, o: Value | Number) -> Value:
        return self._binary("or", "or", o)

    def __xor__(self, o: Value | Number) -> Value:
        return self._binary("xor", "xor", o)

    def __lshift__(self, o: Value | Number) -> Value:
        return self._binary("shl", "shl", o)

    def __rshift__(self, o: Value | Number) -> Value:
        return self._binary("ashr", "ashr", o)

    def lshr(self, o: Value | Number) -> Value:
        """Logical shift right."""
        return self._binary("lshr", "lshr", o)

    def __neg__(self) -> Value:
        if self.type.is_float:
            return self.builder.value(self.type, f"fneg {self.type} {self.name}")
        return 0 - self

    def __invert__(self) -> Value:
        return self ^ -1 if self.type.elem != "i1" else self ^ 1

    def __lt__(self, o: Value | Number) -> Value:
        return self.compare("olt", "slt", o)

    def __le__(self, o: Value | Number) -> Value:
        return self.compare("ole", "sle", o)

    def __gt__(self, o: Value | Number) -> Value:
        return self.compare("ogt", "sgt", o)

    def __ge__(self, o: Value | Number) -> Value:
        return self.compare("oge", "sge", o)

    def eq(self, o: Value | Number) -> Value:
        return self.compare("oeq", "eq", o)

    def ne(self, o: Value | Number) -> Value:
        """Not equal; true where a side is NaN."""
        return self.compare("une", "ne", o)

    def compare(self, f: str, i: str, o: Value | Number) -> Value:
        """A comparison by LLVM predicate: f for floats (o = ordered, u = unordered), i for integers."""
        o = self.builder.coerce(o, self.type)
        kind = f"fcmp {f}" if self.type.is_float else f"icmp {i}"
        return self.builder.value(self.type.of("i1"), f"{kind} {self.type} {self.name}, {o.name}")

    def is_nan(self) -> Value:
        return self.compare("uno", "", self)


@dataclass(frozen=True, slots=True)
class Complex:
    """A complex value in registers: two real vectors."""

    re: Value
    im: Value


@dataclass(frozen=True, slots=True)
class Routine:
    """A vector function that lives outside the kernels, compiled once and cached: see `Builder.routine`."""

    name: str
    elems: tuple[str, ...]  # element types of the arguments
    results: tuple[str, ...]  # element types of the results
    emit: Callable[..., object]  # emit(builder, *values) -> Value or tuple of values


ROUTINES: dict[str, Routine] = {}


def routine(name: str, elems: Sequence[str], results: Sequence[str]) -> Callable[[Callable[..., object]], Routine]:
    """Register an emitter as an out-of-line routine: `void @name(ptr arg0.., ptr result0.., i64 lanes)`."""

    def register(emit: Callable[..., object]) -> Routine:
        ROUTINES[name] = made = Routine(name, tuple(elems), tuple(results), emit)
        return made

    return register


class Builder:
    """Collects the instructions of one function, the declarations it needs and the routines it calls."""

    def __init__(self, lanes: int = 0) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.declarations: set[str] = set()
        self.routines: set[str] = set()
        self.globals: dict[str, str] = {}
        self.count = 0
        self.block = "entry"

    # ---- plumbing
    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def value(self, type: Type, text: str) -> Value:
        """Emit `%new = text` and give the new value."""
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name} = {text}")
        return Value(self, type, name)

    def do(self, text: str) -> None:
        """Emit an instruction without a result."""
        self.lines.append("  " + text)

    def const(self, type: Type | str, number: Number) -> Value:
        type = Type(type) if isinstance(type, str) else type
        return Value(self, type, type.literal(number))

    def named(self, type: Type | str, name: str) -> Value:
        """A value that already has a name (a function argument)."""
        return Value(self, Type(type) if isinstance(type, str) else type, name)

    def coerce(self, x: Value | Number, type: Type) -> Value:
        if isinstance(x, Value):
            assert x.type == type, f"internal: {x!r} used as {type}"
            return x
        return self.const(type, x)

    # ---- control flow
    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def branch(self, target: str) -> None:
        self.do(f"br label %{target}")

    def branch_if(self, condition: Value, yes: str, no: str, rare: str = "") -> None:
        """Conditional branch; `rare` = "yes" or "no" marks the side that is seldom taken."""
        weights = {"": "", "no": ", !prof !0", "yes": ", !prof !1"}[rare]
        self.do(f"br i1 {condition.name}, label %{yes}, label %{no}{weights}")

    def phi(self, type: Type, *incoming: tuple[Value | Number, str]) -> Value:
        pairs = ", ".join(f"[{self.coerce(v, type).name}, %{block}]" for v, block in incoming)
        return self.value(type, f"phi {type} {pairs}")

    @contextmanager
    def loop(self, start: Value | Number, stop: Value, step: Value | Number = 1) -> Iterator[Value]:
        """`for i in range(start, stop, step)` over i64; the body may contain any control flow (state in allocas)."""
        i64 = Type("i64")
        head, body, done = (self.fresh(s) for s in ("head", "body", "done"))
        before = self.block
        start = self.coerce(start, i64)
        self.branch(head)
        self.label(head)
        at = len(self.lines)
        name = f"%{self.fresh('i')}"
        self.lines.append("")
        i = Value(self, i64, name)
        self.branch_if(i < stop, body, done)
        self.label(body)
        yield i
        following = i + step
        self.branch(head)
        self.lines[at] = f"  {name} = phi i64 [{start.name}, %{before}], [{following.name}, %{self.block}]"
        self.label(done)

    @contextmanager
    def when(self, condition: Value, rare: bool = False) -> Iterator[None]:
        """`if condition:` without results."""
        then, done = self.fresh("then"), self.fresh("endif")
        self.branch_if(condition, then, done, "yes" if rare else "")
        self.label(then)
        yield
        self.branch(done)
        self.label(done)

    def any(self, mask: Value) -> Value:
        """i1: whether any lane of an i1 vector is set."""
        bits = self.value(Type(f"i{mask.type.lanes}"), f"bitcast {mask.type} {mask.name} to i{mask.type.lanes}")
        return bits.ne(0)

    def rare(self, mask: Value, slow: Routine, args: Sequence[Value], fast: Sequence[Value]) -> tuple[Value, ...]:
        """Where `mask` holds, take the out-of-line routine's results instead of the fast ones (one branch for all)."""
        cold, join = self.fresh("cold"), self.fresh("join")
        before = self.block
        self.branch_if(self.any(mask), cold, join, "yes")
        self.label(cold)
        slows = self.call_routine(slow, args)
        mixed = [self.select(mask, s, f) for s, f in zip(slows, fast, strict=True)]
        end = self.block
        self.branch(join)
        self.label(join)
        return tuple(self.phi(f.type, (f, before), (m, end)) for f, m in zip(fast, mixed, strict=True))

    def call_routine(self, r: Routine, args: Sequence[Value]) -> tuple[Value, ...]:
        """Call an out-of-line routine through stack buffers."""
        self.routines.add(r.name)
        ins = []
        for a, elem in zip(args, r.elems, strict=True):
            assert a.type.elem == elem, f"internal: {r.name} wants {elem}, got {a!r}"
            ins.append(self.alloca(a.type))
            self.store(a, ins[-1], align=64)
        lanes = args[0].type.lanes
        outs = [self.alloca(Type(e, lanes)) for e in r.results]
        everything = ", ".join(f"ptr {p.name}" for p in (*ins, *outs))
        signature = ", ".join(["ptr"] * (len(ins) + len(outs)))
        self.declarations.add(f"declare void @{r.name}({signature}, i64)")
        self.do(f"call void @{r.name}({everything}, i64 {lanes})")
        return tuple(self.load(Type(e, lanes), p, align=64) for e, p in zip(r.results, outs, strict=True))

    # ---- memory
    def alloca(self, type: Type, count: int = 1) -> Value:
        """A 64-byte aligned stack buffer, hoisted to the entry block."""
        name = f"%{self.fresh('buf')}"
        self.allocas.append(f"  {name} = alloca {type}, i64 {count}, align 64")
        return Value(self, Type("ptr"), name)

    def load(self, type: Type | str, ptr: Value, align: int = 1) -> Value:
        type = Type(type) if isinstance(type, str) else type
        return self.value(type, f"load {type}, ptr {ptr.name}, align {align}")

    def store(self, v: Value, ptr: Value, align: int = 1, past_caches: bool = False) -> None:
        self.do(f"store {v.type} {v.name}, ptr {ptr.name}, align {align}{', !nontemporal !2' if past_caches else ''}")

    def gep(self, ptr: Value, index: Value | Number, elem: str = "i8") -> Value:
        """ptr + index · sizeof(elem); a vector index gives a vector of pointers."""
        index = index if isinstance(index, Value) else self.const("i64", index)
        type = Type("ptr", index.type.lanes)
        return self.value(type, f"getelementptr {elem}, ptr {ptr.name}, {index.type} {index.name}")

    def gather(self, type: Type, ptrs: Value, mask: Value | None = None) -> Value:
        """One load a lane (masked-off lanes give zero)."""
        m = mask or self.const(type.of("i1"), 1)
        suffix = f"v{type.lanes}{mangle(type.elem)}.v{type.lanes}p0"
        name = f"llvm.masked.gather.{suffix}"
        self.declarations.add(f"declare {type} @{name}({ptrs.type}, {m.type}, {type})")
        arguments = f"{ptrs.type} align 1 {ptrs.name}, {m.type} {m.name}, {type} zeroinitializer"
        return self.value(type, f"call {type} @{name}({arguments})")

    def table(self, name: str, elem: str, numbers: Sequence[Number]) -> Value:
        """A private constant array; gives its address."""
        literals = ", ".join(f"{elem} {Type(elem).literal(n)}" for n in numbers)
        self.globals[name] = f"@{name} = private constant [{len(numbers)} x {elem}] [{literals}], align 64"
        return Value(self, Type("ptr"), f"@{name}")

    # ---- vectors
    def splat(self, v: Value, lanes: int) -> Value:
        if not lanes:
            return v
        t = Type(v.type.elem, lanes)
        one = self.value(t, f"insertelement {t} poison, {v.type} {v.name}, i64 0")
        return self.value(t, f"shufflevector {t} {one.name}, {t} poison, <{lanes} x i32> zeroinitializer")

    def iota(self, elem: str, lanes: int, start: int = 0, step: int = 1) -> Value:
        """The constant vector start, start+step, ..."""
        t = Type(elem, lanes)
        return Value(self, t, "<" + ", ".join(f"{elem} {start + step * i}" for i in range(lanes)) + ">")

    def shuffle(self, a: Value, lanes: Sequence[int], b: Value | None = None) -> Value:
        """Pick lanes from a (and b, whose lanes follow a's)."""
        t = Type(a.type.elem, len(lanes))
        picks = ", ".join(f"i32 {i}" for i in lanes)
        other = b.name if b is not None else "poison"
        return self.value(t, f"shufflevector {a.type} {a.name}, {a.type} {other}, <{len(lanes)} x i32> <{picks}>")

    def extract(self, v: Value, lane: int) -> Value:
        return self.value(Type(v.type.elem), f"extractelement {v.type} {v.name}, i64 {lane}")

    # ---- conversions
    def cast(self, kind: str, v: Value, elem: str) -> Value:
        """An LLVM conversion: bitcast, trunc, zext, sext, fptrunc, fpext, sitofp, uitofp, fptosi, fptoui."""
        t = v.type.of(elem)
        return v if t == v.type else self.value(t, f"{kind} {v.type} {v.name} to {t}")

    def bitcast(self, v: Value, elem: str) -> Value:
        """Reinterpret each lane (same width)."""
        return self.cast("bitcast", v, elem)

    # ---- arithmetic beyond operators
    def select(self, c: Value, a: Value | Number, b: Value | Number) -> Value:
        t = a.type if isinstance(a, Value) else b.type  # type: ignore[union-attr]
        a, b = self.coerce(a, t), self.coerce(b, t)
        return self.value(t, f"select {c.type} {c.name}, {t} {a.name}, {t} {b.name}")

    def intrinsic(self, name: str, *args: Value | Number, result: Type | None = None) -> Value:
        """`@llvm.<name>.<type of the first argument>`, all arguments of that type."""
        first = next(a for a in args if isinstance(a, Value)).type
        values = [self.coerce(a, first) for a in args]
        result = result or first
        symbol = f"llvm.{name}.{f'v{first.lanes}' if first.lanes else ''}{mangle(first.elem)}"
        self.declarations.add(f"declare {result} @{symbol}({', '.join([str(first)] * len(values))})")
        return self.value(result, f"call {result} @{symbol}({', '.join(f'{v.type} {v.name}' for v in values)})")

    def fma(self, a: Value | Number, b: Value | Number, c: Value | Number) -> Value:
        """a·b + c with one rounding."""
        return self.intrinsic("fma", a, b, c) if isinstance(a, Value) else self._fma_any(a, b, c)

    def _fma_any(self, a: Value | Number, b: Value | Number, c: Value | Number) -> Value:
        t = next(x for x in (a, b, c) if isinstance(x, Value)).type
        return self.intrinsic("fma", *(self.coerce(x, t) for x in (a, b, c)))

    def horner(self, x: Value, *coefficients: float) -> Value:
        """((c0·x + c1)·x + c2)... by fma, highest power first."""
        p: Value | float = coefficients[0]
        for c in coefficients[1:]:
            p = self.fma(x, p, c)
        assert isinstance(p, Value)
        return p

    def sqrt(self, x: Value) -> Value:
        return self.intrinsic("sqrt", x)

    def abs(self, x: Value) -> Value:
        return self.intrinsic("fabs", x)

    def floor(self, x: Value) -> Value:
        return self.intrinsic("floor", x)

    def ceil(self, x: Value) -> Value:
        return self.intrinsic("ceil", x)

    def trunc(self, x: Value) -> Value:
        return self.intrinsic("trunc", x)

    def rint(self, x: Value) -> Value:
        return self.intrinsic("roundeven", x)

    def copysign(self, x: Value | Number, s: Value) -> Value:
        return self.intrinsic("copysign", self.coerce(x, s.type), s)

    # ---- the finished text
    def function(self, name: str, arguments: str, result: str = "void") -> str:
        """The definition; the caller has emitted the terminator of every block."""
        body = "\n".join(self.allocas + self.lines)
        return f"define {result} @{name}({arguments}) #0 {{\nentry:\n{body}\n}}\n"

    def module(self, *functions: str) -> str:
        """A whole module: globals, declarations, functions, attributes."""
        head = [*self.globals.values(), *sorted(self.declarations)]
        return "\n".join(head) + "\n" + "\n".join(functions) + FOOTER


FOOTER = (
    'attributes #0 = { nounwind "prefer-vector-width"="512" }\n'
    '!0 = !{!"branch_weights", i32 1000, i32 1}\n!1 = !{!"branch_weights", i32 1, i32 1000}\n!2 = !{i32 1}\n'
)


def mangle(elem: str) -> str:
    """The type suffix LLVM gives intrinsics."""
    return {"half": "f16", "float": "f32", "double": "f64", "ptr": "p0"}.get(elem, elem)
