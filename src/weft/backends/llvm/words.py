"""Helpers for code that works on tables of int64 words: the drivers, the pool and the entry.

The one idea: a record is a row of 8-byte words whose places have names, the same names on the Python side.
"""

from __future__ import annotations

from weft.backends.llvm.text import Builder, Type, Value


def layout(names: str) -> dict[str, int]:
    """Word numbers by name.

    >>> layout("run table")
    {'run': 0, 'table': 1}
    """
    return {name: k for k, name in enumerate(names.split())}


def filled(places: dict[str, int], **numbers: int) -> list[int]:
    """A record with these words, the others 0."""
    words = [0] * len(places)
    for name, number in numbers.items():
        words[places[name]] = number
    return words


def word(b: Builder, p: Value, k: Value | int, elem: str = "i64") -> Value:
    """p[k] of a record of words."""
    return b.load(elem, b.gep(p, k, "i64"), 8)


def put(b: Builder, v: Value | int, p: Value, k: Value | int) -> None:
    """p[k] = v."""
    v = v if isinstance(v, Value) else b.const("i64", v)
    b.store(v, b.gep(p, k, "i64"), 8)


def divided(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """Quotient and remainder of numbers that are not negative."""
    q = b.value(x.type, f"udiv i64 {x.name}, {y.name}")
    return q, x - q * y


def call(b: Builder, result: str, name: str, *args: Value) -> Value:
    """A call of a C function of the process (declared at need), or through a pointer where the name is `%...`."""
    types = ", ".join(str(a.type) for a in args)
    given = ", ".join(f"{a.type} {a.name}" for a in args)
    if not name.startswith("%"):
        b.declarations.add(f"declare {result} @{name}({types})")
        name = "@" + name
    if result == "void":
        b.do(f"call void {name}({given})")
        return b.const("i64", 0)
    return b.value(Type(result), f"call {result} {name}({given})")


def null(b: Builder) -> Value:
    """The null pointer."""
    return b.named("ptr", "null")


def is_null(b: Builder, p: Value) -> Value:
    return b.value(Type("i1"), f"icmp eq ptr {p.name}, null")


def same(b: Builder, p: Value, q: Value) -> Value:
    """Whether two pointers are equal."""
    return b.value(Type("i1"), f"icmp eq ptr {p.name}, {q.name}")


def added(b: Builder, p: Value, k: int, n: Value | int) -> Value:
    """Atomically p[k] += n; gives the old value."""
    at, n = b.gep(p, k, "i64"), n if isinstance(n, Value) else b.const("i64", n)
    return b.value(Type("i64"), f"atomicrmw add ptr {at.name}, i64 {n.name} acq_rel, align 8")


def exchanged(b: Builder, p: Value, k: int, old: int, new: int) -> Value:
    """i1: p[k] was `old` and is now, atomically, `new`."""
    at = b.gep(p, k, "i64")
    pair = b.fresh("pair")
    b.do(f"%{pair} = cmpxchg ptr {at.name}, i64 {old}, i64 {new} acq_rel monotonic, align 8")
    return b.value(Type("i1"), f"extractvalue {{ i64, i1 }} %{pair}, 1")


def watched(b: Builder, p: Value, k: int) -> Value:
    """An atomic load of p[k]."""
    return b.value(Type("i64"), f"load atomic i64, ptr {b.gep(p, k, 'i64').name} acquire, align 8")


def announce(b: Builder, v: int, p: Value, k: int) -> None:
    """An atomic store to p[k]."""
    b.do(f"store atomic i64 {v}, ptr {b.gep(p, k, 'i64').name} release, align 8")
