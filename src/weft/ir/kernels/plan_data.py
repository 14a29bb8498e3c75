"""Plans as JSON: structures and numbers, from which the same plan is read back.

The one idea: a plan is plain data already; equal bodies are written once.  Groups of steps that run block by block are
written as their borders, as the other facts of a group follow from its steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar

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


def plan_data(made: Plan) -> Data:
    """Return a plan as JSON data.

    Raises TypeError if an attribute is a function or another object.
    """
    bodies = _Bodies()
    steps = [_step_data(s, bodies) for s in made.steps]
    return {
        "format": FORMAT, "version": VERSION, "inputs": made.inputs, "scalars": [d.name for d in made.scalars],
        "buffers": [{"dtype": b.dtype.name, "shape": list(b.shape), "arena": b.arena} for b in made.buffers],
        "bodies": bodies.data, "steps": steps,
        "outputs": list(made.outputs), "arena": made.arena_bytes,
        "groups": [[first, end] for first, end, _ in made.blocks],
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
            found = [_instr_data(i) for i in body]
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


def _instr_data(i: Instr) -> Data:
    args = {"args": list(i.args)} if i.args else {}
    attr = {} if i.attr is None else {"attr": literal_data(i.attr)}
    return {"op": i.op, "dtype": i.dtype.name, **args, **attr}


def _operand_data(o: Operand) -> Data:
    swapped = {"swapped": True} if o.swapped else {}
    return {"arg": o.arg, "offset": o.offset, "strides": list(o.strides), "dtype": o.dtype.name, **swapped}


def _row_data(r: Row, bodies: _Bodies) -> Data:
    out = {} if r.out is None else {"out": _operand_data(r.out)}
    more: Data = {"start": list(r.start)} if r.start else {}
    more |= {"scalars": r.scalars} if r.scalars else {}
    operands = [_operand_data(o) for o in r.operands]
    return {"body": bodies.number(r.body), "sizes": list(r.sizes), "operands": operands, **out, **more}


def _step_data(s: Step, bodies: _Bodies) -> Data:
    if isinstance(s, CallStep):
        return {
            "kind": "call", "name": s.name, "args": [_operand_data(o) for o in s.args],
            "shapes": list(map(list, s.shapes)), "out": _operand_data(s.out), "out_shape": list(s.out_shape),
            "attrs": literal_data(tuple(s.attrs)),
        }  # fmt: skip
    if isinstance(s, MapLaunch):
        return {"kind": "map", "rows": [_row_data(r, bodies) for r in s.rows]}
    made: Data = {"op": s.op, "shape": list(s.shape), "out": _operand_data(s.out)}
    if isinstance(s, BinLaunch):
        numbers, weights = ([_row_data(r, bodies) for r in rows] for rows in (s.numbers, s.weights))
        return {"kind": "bins", **made, "bins": s.bins, "numbers": numbers, "weights": weights}
    made |= {"rows": [_row_data(r, bodies) for r in s.rows], "acc": s.acc.name}
    if isinstance(s, ScanLaunch):
        return {"kind": "scan", **made, "include_initial": s.include_initial}
    return {"kind": "reduce", **made, "kept": s.kept, "correction": literal_data(float(s.correction))}


# ---- reading


def read_plan(data: Any, faults: Faults, path: Path = ("plan",)) -> tuple[Plan, Groups]:
    """Return the plan in JSON data, and the borders of its groups of steps.

    Faults of its form are added to `faults`.
    """
    return _PlanReader(faults).plan(data, path)


class _PlanReader:
    """A reader of plans as JSON data, with a method for each part."""

    def __init__(self, faults: Faults) -> None:
        self.faults, self.bodies = faults, tuple[Body, ...]()

    def plan(self, data: Any, path: Path) -> tuple[Plan, Groups]:
        f = self.faults
        keys = ["format", "version", "inputs", "scalars", "buffers", "bodies", "steps", "outputs", "arena", "groups"]
        d = f.fields(data, path, keys)
        if len(d) < len(keys):
            return Plan(0, (), (), (), ()), ()
        f.one_of(d["format"], (path, "format"), [FORMAT])
        f.integer(d["version"], (path, "version"), VERSION, VERSION)
        self.bodies = f.items(d["bodies"], (path, "bodies"), self.body)
        made = Plan(
            f.integer(d["inputs"], (path, "inputs"), 0),
            f.items(d["scalars"], (path, "scalars"), f.dtype),
            f.items(d["buffers"], (path, "buffers"), self.buffer),
            f.items(d["steps"], (path, "steps"), self.step),
            f.integers(d["outputs"], (path, "outputs"), 0),
            f.integer(d["arena"], (path, "arena"), 0),
        )
        groups = f.items(d["groups"], (path, "groups"), lambda v, p: f.integers(v, p, 0))
        if any(len(g) != 2 for g in groups):
            f.note((path, "groups"), "a group has two borders")
            groups = ()
        return made, groups  # type: ignore[return-value]

    def body(self, value: Any, path: Path) -> Body:
        found = self.faults.items(value, path, self.instr)
        if not found:
            self.faults.note(path, "a body has instructions")
            return (Instr("const", self.faults.dtype("int64", path), (), 0),)
        return found

    def instr(self, value: Any, path: Path) -> Instr:
        f = self.faults
        d = f.fields(value, path, ("op", "dtype"), ("args", "attr"))
        args = f.integers(d["args"], (path, "args"), 0) if "args" in d else ()
        attr = f.literal(d["attr"], (path, "attr")) if "attr" in d else None
        return Instr(f.text(d.get("op"), (path, "op")), f.dtype(d.get("dtype"), (path, "dtype")), args, attr)

    def buffer(self, value: Any, path: Path) -> Buffer:
        f = self.faults
        d = f.fields(value, path, ("dtype", "shape", "arena"))
        shape = f.integers(d.get("shape"), (path, "shape"), 0)
        return Buffer(f.dtype(d.get("dtype"), (path, "dtype")), shape, f.integer(d.get("arena"), (path, "arena"), -2))

    def operand(self, value: Any, path: Path) -> Operand:
        f = self.faults
        d = f.fields(value, path, ("arg", "offset", "strides", "dtype"), ("swapped",))
        return Operand(
            f.integer(d.get("arg"), (path, "arg"), -1),
            f.integer(d.get("offset"), (path, "offset")),
            f.integers(d.get("strides"), (path, "strides")),
            f.dtype(d.get("dtype"), (path, "dtype")),
            f.flag(d["swapped"], (path, "swapped")) if "swapped" in d else False,
        )

    def row(self, value: Any, path: Path) -> Row:
        f = self.faults
        d = f.fields(value, path, ("body", "sizes", "operands"), ("out", "start", "scalars"))
        number = f.integer(d.get("body"), (path, "body"), 0, max(len(self.bodies) - 1, 0))
        return Row(
            self.bodies[number] if number < len(self.bodies) else (),
            f.integers(d.get("sizes"), (path, "sizes"), 0),
            f.items(d.get("operands"), (path, "operands"), self.operand),
            self.operand(d["out"], (path, "out")) if "out" in d else None,
            f.integers(d["start"], (path, "start"), 0) if "start" in d else (),
            f.integer(d["scalars"], (path, "scalars"), 0) if "scalars" in d else 0,
        )

    def rows(self, d: Data, path: Path, key: str = "rows") -> tuple[Row, ...]:
        return self.faults.items(d.get(key), (path, key), self.row)

    def step(self, value: Any, path: Path) -> Step:
        kind = value.get("kind") if type(value) is dict else None
        return self._steps.get(kind if type(kind) is str else "", _PlanReader.unknown)(self, value, path)

    def unknown(self, value: Any, path: Path) -> Step:
        self.faults.note(path, f"a step is a map, reduce, scan, bins or call; this is {value!r:.60}")
        return MapLaunch(())

    def map(self, value: Any, path: Path) -> MapLaunch:
        return MapLaunch(self.rows(self.faults.fields(value, path, ("kind", "rows")), path))

    def fold(self, value: Any, path: Path, *more: str) -> tuple[Data, str, tuple[int, ...], Operand]:
        """Return the fields of a reduction, scan or bin count, with its op, its shape and its output operand."""
        f = self.faults
        d = f.fields(value, path, ("kind", "op", "shape", "out", *more))
        shape = f.integers(d.get("shape"), (path, "shape"), 0)
        return d, f.text(d.get("op"), (path, "op")), shape, self.operand(d.get("out"), (path, "out"))

    def reduce(self, value: Any, path: Path) -> ReduceLaunch:
        f = self.faults
        d, op, shape, out = self.fold(value, path, "rows", "acc", "kept", "correction")
        acc = f.dtype(d.get("acc"), (path, "acc"))
        kept = f.integer(d.get("kept"), (path, "kept"), 0, len(shape))
        correction = f.literal(d.get("correction"), (path, "correction"))
        if type(correction) is not float:
            f.note((path, "correction"), "a correction is a float")
            correction = 0.0
        return ReduceLaunch(op, kept, shape, self.rows(d, path), acc, out, correction)

    def scan(self, value: Any, path: Path) -> ScanLaunch:
        f = self.faults
        d, op, shape, out = self.fold(value, path, "rows", "acc", "include_initial")
        acc, initial = f.dtype(d.get("acc"), (path, "acc")), f.flag(d.get("include_initial"), (path, "include_initial"))
        return ScanLaunch(op, shape, self.rows(d, path), acc, out, initial)

    def bins(self, value: Any, path: Path) -> BinLaunch:
        d, op, shape, out = self.fold(value, path, "bins", "numbers", "weights")
        bins = self.faults.integer(d.get("bins"), (path, "bins"), 0)
        return BinLaunch(op, bins, shape, self.rows(d, path, "numbers"), self.rows(d, path, "weights"), out)

    def call(self, value: Any, path: Path) -> CallStep:
        f = self.faults
        d = f.fields(value, path, ("kind", "name", "args", "shapes", "out", "out_shape", "attrs"))
        attrs = f.literal(d.get("attrs"), (path, "attrs"))
        if type(attrs) is not tuple:
            f.note((path, "attrs"), "attributes are a list")
            attrs = ()
        return CallStep(
            f.text(d.get("name"), (path, "name")),
            f.items(d.get("args"), (path, "args"), self.operand),
            f.items(d.get("shapes"), (path, "shapes"), partial(f.integers, least=0, most=WORD)),
            self.operand(d.get("out"), (path, "out")),
            f.integers(d.get("out_shape"), (path, "out_shape"), 0),
            attrs,
        )

    _steps: ClassVar[dict[str, Callable[[_PlanReader, Any, Path], Step]]] = {
        "map": map, "reduce": reduce, "scan": scan, "bins": bins, "call": call,
    }  # fmt: skip
