"""Out-of-line math routines as modules of their own: compiled once, cached, called by every kernel that needs them.

The one idea: a routine's emitter is written for one chunk of `Routine.lanes` cells; the wrapper makes a function `void
@name(ptr argument.., ptr result.., i64 lanes)` over any number of lanes from it.  A last chunk of fewer lanes goes
through stack buffers filled with zeros, so the body exists once and reads nothing beyond its arguments.
"""

from __future__ import annotations

from functools import cache

from weft.backends.llvm.emit import Builder, Complex, Routine, Type, Value


def module_for(routine: Routine) -> str:
    """Return the LLVM text of a module that defines a routine."""
    return _built(routine)[0]


def needs_of(routine: Routine) -> frozenset[str]:
    """Return the names of the routines that a routine calls."""
    return _built(routine)[1]


@cache
def _built(routine: Routine) -> tuple[str, frozenset[str]]:
    b = Builder()
    elems = (*routine.elems, *routine.results)
    pointers = [b.named("ptr", f"%p{k}") for k in range(len(elems))]
    lanes = b.named("i64", "%lanes")
    split, chunk = len(routine.elems), routine.lanes
    with b.loop(0, lanes, chunk) as i:
        here = [b.gep(p, i, e) for p, e in zip(pointers, elems, strict=True)]
        buffers = [b.alloca(Type(e, chunk)) for e in elems]
        left = lanes - i
        part = left < chunk
        used = _arguments_in_place(b, routine, part, left, here[:split], buffers[:split])
        values = [b.load(Type(e, chunk), p) for e, p in zip(routine.elems, used, strict=True)]
        results = flat_results(routine.emit(b, *values))
        for r, e, whole, buffer in zip(results, routine.results, here[split:], buffers[split:], strict=True):
            assert r.type == Type(e, chunk), f"internal: {routine.name} gives {r!r} for {e}"
            b.store(r, b.select(part, buffer, whole))
        with b.when(part, rare=True):
            for e, whole, buffer in zip(routine.results, here[split:], buffers[split:], strict=True):
                _copy(b, buffer, whole, e, left)
    b.emit("ret void")
    signature = ", ".join([f"ptr %p{k}" for k in range(len(elems))] + ["i64 %lanes"])
    return b.module(b.function(routine.name, signature)), frozenset(b.routines)


def _arguments_in_place(
    b: Builder, routine: Routine, part: Value, left: Value, here: list[Value], buffers: list[Value]
) -> list[Value]:
    """Return the addresses of the arguments; for a partial chunk (`part`) those of copies padded with zeros.

    `here` are their addresses in memory, of which `left` cells exist, `buffers` those of the copies.
    """
    with b.when(part, rare=True):
        for e, whole, buffer in zip(routine.elems, here, buffers, strict=True):
            b.store(b.const(Type(e, routine.lanes), 0), buffer, align=64)
            _copy(b, whole, buffer, e, left)
    return [b.select(part, buffer, whole) for whole, buffer in zip(here, buffers, strict=True)]


def _copy(b: Builder, source: Value, target: Value, elem: str, count: Value) -> None:
    with b.loop(0, count) as i:
        b.store(b.load(elem, b.gep(source, i, elem)), b.gep(target, i, elem))


def flat_results(made: object) -> list[Value]:
    """Return an emitter's result as a list of real values.

    `made` is a value, a complex value or a tuple of these.
    """
    if isinstance(made, Value):
        return [made]
    assert isinstance(made, tuple | Complex), f"internal: an emitter gave {made!r}"
    return [v for part in made for v in flat_results(part)]
