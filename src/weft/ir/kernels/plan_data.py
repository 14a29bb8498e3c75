"""Plans as JSON: structures and numbers, from which the same plan is read back.

The one idea: a plan is plain data already; one table says how each of its fields is written and read.  Equal bodies
are written once.  Groups of steps that run block by block are written as their borders, as the other facts of a group
follow from its steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from weft.ir.kernels.data_reader import WORD, Faults, Path, literal_data
from weft.ir.kernels.plan import (
    BinLaunch,
    Body,
    Buffer,
    CallStep,
    Instr,
    MapLaunch,
    Operand,
    Plan,
    ReduceLaunch,
    Row,
    ScanLaunch,
    Step,
)

VERSION = 1
FORMAT = "weft-plan"
Data = dict[str, Any]
Groups = tuple[tuple[int, int], ...]


def plan_data(plan: Plan) -> Data:
    """Return a plan as JSON data.

    Raises TypeError if an attribute is a function or another object.
    """
    bodies = _Bodies()
    buffers, steps = _many(_BUFFER).write(plan.buffers, bodies), _many(_STEP).write(plan.steps, bodies)
    return {
        "format": FORMAT, "version": VERSION, "inputs": plan.inputs, "scalars": [d.name for d in plan.scalars],
        "buffers": buffers, "bodies": bodies.data, "steps": steps,
        "outputs": list(plan.outputs), "arena": plan.arena_bytes,
        "groups": [[first, end] for first, end, _ in plan.blocks],
        **({"slots": list(plan.slots)} if plan.slots else {}),
    }  # fmt: skip


class _Bodies:
    """The distinct bodies of a plan by their text, in which 0.0 and -0.0 differ although they are equal."""

    def __init__(self) -> None:
        self.data: list[list[Data]] = []
        self._by_text: dict[str, int] = {}
        self._by_id: dict[int, int] = {}

    def number(self, body: Body) -> int:
        """Return the number of a body, which is added if it is new.

        The body must stay alive as long as this object.
        """
        if id(body) not in self._by_id:
            found = _INSTRS.write(body, self)
            number = self._by_id[id(body)] = self._by_text.setdefault(json.dumps(found), len(self.data))
            if number == len(self.data):
                self.data.append(found)
        return self._by_id[id(body)]


def digest(data: Any) -> str:
    """Return a digest of JSON data, which is the same in every process.

    >>> digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    True
    """
    return sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


# ---- fields


class _Field(NamedTuple):
    """The functions that write a field of some kind as JSON data, and read it."""

    write: Callable[[Any, _Bodies], Any]
    read: Callable[[_Reader, Any, Path], Any]


class _Reader(NamedTuple):
    """The faults found so far, and the bodies to which rows refer by number."""

    faults: Faults
    bodies: tuple[Body, ...] = ()


def _integer(least: int) -> _Field:
    return _Field(lambda x, _: x, lambda r, v, path: r.faults.integer(v, path, least))


def _integers(*bounds: int) -> _Field:
    return _Field(lambda x, _: list(x), lambda r, v, path: r.faults.integers(v, path, *bounds))


def _literal(cls: type, fault: str, default: Any) -> _Field:
    """Return the field of a literal of type `cls`. Another value in the data adds the fault and reads as `default`."""

    def read(reader: _Reader, value: Any, path: Path) -> Any:
        found = reader.faults.literal(value, path)
        if type(found) is cls:
            return found
        reader.faults.add_fault(path, fault)
        return default

    return _Field(lambda x, _: literal_data(cls(x)), read)


def _many(field: _Field) -> _Field:
    return _Field(
        lambda xs, bodies: [field.write(x, bodies) for x in xs],
        lambda r, v, path: r.faults.items(v, path, lambda x, p: field.read(r, x, p)),
    )


def _record(cls: type, kind: str = "", **fields: _Field) -> _Field:
    """Return the field of a record, an object with its fields and the name of its kind.

    The defaults of a named tuple are left out.
    """
    defaults: dict[str, Any] = getattr(cls, "_field_defaults", {})
    named = {"kind": kind} if kind else {}
    needed = [*named, *[k for k in fields if k not in defaults]]
    table = [(k, *field) for k, field in fields.items()]

    def write(x: Any, bodies: _Bodies) -> Data:
        made: Data = dict(named)
        for key, write_field, _ in table:
            value = getattr(x, key)
            if key not in defaults or value != defaults[key]:
                made[key] = write_field(value, bodies)
        return made

    def read(reader: _Reader, value: Any, path: Path) -> Any:
        d = reader.faults.fields(value, path, needed, tuple(defaults))
        found = {}
        for key, _, read_field in table:
            if key in d or key not in defaults:
                found[key] = read_field(reader, d.get(key), (path, key))
        return cls(**found)

    return _Field(write, read)


def _read_body(reader: _Reader, value: Any, path: Path) -> Body:
    number = reader.faults.integer(value, path, 0, max(len(reader.bodies) - 1, 0))
    return reader.bodies[number] if number < len(reader.bodies) else ()


def _read_instrs(reader: _Reader, value: Any, path: Path) -> Body:
    found: Body = _many(_INSTR).read(reader, value, path)
    if not found:
        reader.faults.add_fault(path, "a body has instructions")
        return (Instr("const", reader.faults.dtype("int64", path), (), 0),)
    return found


def _read_step(reader: _Reader, value: Any, path: Path) -> Step:
    for kind, (_, field) in _STEPS.items():
        if type(value) is dict and value.get("kind") == kind:
            made: Step = field.read(reader, value, path)
            return made
    reader.faults.add_fault(path, f"a step is a map, reduce, scan, bins or call; this is {value!r:.60}")
    return MapLaunch(())


_TEXT = _Field(lambda x, _: x, lambda r, v, path: r.faults.text(v, path))
_FLAG = _Field(lambda x, _: x, lambda r, v, path: r.faults.flag(v, path))
_DTYPE = _Field(lambda x, _: x.name, lambda r, v, path: r.faults.dtype(v, path))
_VALUE = _Field(lambda x, _: literal_data(x), lambda r, v, path: r.faults.literal(v, path))
_COUNT, _COUNTS, _NUMBERS = _integer(0), _integers(0), _integers()
_ATTRS = _literal(tuple, "attributes are a list", ())
_INSTR = _record(Instr, op=_TEXT, dtype=_DTYPE, args=_COUNTS, attr=_VALUE)
_INSTRS = _Field(lambda x, bodies: [_INSTR.write(i, bodies) for i in x], _read_instrs)
_OPERAND = _record(
    Operand, arg=_integer(-1), offset=_integer(-WORD), strides=_NUMBERS, dtype=_DTYPE, swapped=_FLAG, merged=_COUNTS,
)  # fmt: skip
_ROWS = _many(_record(
    Row, body=_Field(lambda x, bodies: bodies.number(x), _read_body), sizes=_COUNTS, operands=_many(_OPERAND),
    out=_OPERAND, start=_COUNTS, scalars=_COUNT,
))  # fmt: skip
_BUFFER = _record(Buffer, dtype=_DTYPE, shape=_COUNTS, arena=_integer(-2))
_FOLD = {"op": _TEXT, "shape": _COUNTS, "out": _OPERAND}
_STEPS: dict[str, tuple[type, _Field]] = {
    kind: (cls, _record(cls, kind, **fields))
    for kind, cls, fields in (
        ("map", MapLaunch, {"rows": _ROWS}),
        ("reduce", ReduceLaunch, _FOLD | {
            "rows": _ROWS, "acc": _DTYPE, "kept": _COUNT, "correction": _literal(float, "a correction is a float", 0.0),
        }),
        ("scan", ScanLaunch, _FOLD | {"rows": _ROWS, "acc": _DTYPE, "include_initial": _FLAG}),
        ("bins", BinLaunch, _FOLD | {"bins": _COUNT, "numbers": _ROWS, "weights": _ROWS}),
        ("call", CallStep, {
            "name": _TEXT, "args": _many(_OPERAND), "shapes": _many(_COUNTS), "out": _OPERAND, "out_shape": _COUNTS,
            "attrs": _ATTRS,
        }),
    )
}  # fmt: skip
_WRITERS = dict(_STEPS.values())
_STEP = _Field(lambda s, bodies: _WRITERS[type(s)].write(s, bodies), _read_step)


# ---- reading


def read_plan(data: Any, faults: Faults, path: Path = ("plan",)) -> tuple[Plan, Groups]:
    """Return the plan in JSON data, and the borders of its groups of steps.

    Faults of its form are added to `faults`.
    """
    keys = ["format", "version", "inputs", "scalars", "buffers", "bodies", "steps", "outputs", "arena", "groups"]
    d = faults.fields(data, path, keys, ["slots"])
    if len(d) < len(keys):
        return Plan(0, (), (), (), ()), ()
    faults.one_of(d["format"], (path, "format"), [FORMAT])
    faults.integer(d["version"], (path, "version"), VERSION, VERSION)
    reader = _Reader(faults, _many(_INSTRS).read(_Reader(faults), d["bodies"], (path, "bodies")))
    fields = {
        "inputs": _COUNT, "scalars": _many(_DTYPE), "buffers": _many(_BUFFER), "steps": _many(_STEP),
        "outputs": _COUNTS, "arena": _COUNT, "groups": _many(_COUNTS),
    }  # fmt: skip
    *made, groups = [field.read(reader, d[key], (path, key)) for key, field in fields.items()]
    if any(len(g) != 2 for g in groups):
        faults.add_fault((path, "groups"), "a group has two borders")
        groups = ()
    slots = _COUNTS.read(reader, d.get("slots", []), (path, "slots"))
    return replace(Plan(*made), slots=slots), groups
