"""Plans as text, one line for each part, from which the same plan is parsed.

The one idea: a line is a word and the facts of one part in a fixed order, with numbers and lists as in JSON.  Text is
written from the JSON data of a plan, and parsed into it, so the rules of legal data are defined once (`plan_data`).

    plan inputs 1 scalars [] outputs [0] arena 0 groups []
    buffer float64 [4] at -1
    body
      load float64 [] 0
      negative float64 [0] null
    map
      row body 0 sizes [4] start [0] scalars 0
        reads 0 + 0 [8] float64
        writes 1 + 0 [8] float64
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from weft.errors import ExpressionError
from weft.ir.kernels.data_reader import Faults
from weft.ir.kernels.plan import Plan
from weft.ir.kernels.plan_data import FORMAT, VERSION, Data, Groups, plan_data, read_plan

_SIGNS = {  # the facts of each kind of line, and the text around them
    "plan": "inputs {inputs} scalars {scalars} outputs {outputs} arena {arena} groups {groups}",
    "slots": "{slots}",
    "buffer": "{dtype} {shape} at {arena}",
    "row": "body {body} sizes {sizes} start {start} scalars {scalars}",
    "map": "",
    "reduce": "{op} kept {kept} shape {shape} acc {acc} correction {correction}",
    "scan": "{op} shape {shape} acc {acc} initial {include_initial}",
    "bins": "{op} bins {bins} shape {shape}",
    "call": "{name} shapes {shapes} to {out_shape} attributes {attrs}",
    "body": "", "numbers": "", "weights": "",
}  # fmt: skip
_OPERAND = "{arg} + {offset} {strides} {dtype}"
_INSTR = "{dtype} {args} {attr}"
_NAMES = ("dtype", "op", "acc", "name")  # facts that are written without quotes


def show(plan: Plan) -> str:
    """Return a plan as text.

    Raises ExpressionError if an attribute is a Python function.
    """
    try:
        d = plan_data(plan)
    except TypeError as error:
        raise ExpressionError(f"show: a plan with {error}; text has no word for it; show the level 'plan'") from error
    lines = [
        _line("plan", d),
        *([_line("slots", d)] if plan.slots else []),
        *[_line("buffer", b) for b in d["buffers"]],
    ]
    for body in d["bodies"]:
        lines += ["body", *[f"  {i['op']} {_filled(_INSTR, {'args': [], 'attr': None} | i)}" for i in body]]
    for step in d["steps"]:
        lines += [_line(step["kind"], step), *[f"  {line}" for line in _parts(step)]]
    return "\n".join(lines)


def _parts(step: Data) -> Iterator[str]:
    """Yield the lines below a step, for its rows and operands."""
    for o in step.get("args", ()):
        yield _operand("reads", o)
    if "out" in step:
        yield _operand("writes", step["out"])
    for key in ("rows", "numbers", "weights"):
        if key in step and key != "rows":
            yield key
        for row in step.get(key, ()):
            yield _line("row", {"start": [], "scalars": 0} | row)
            yield from [f"  {_operand('reads', o)}" for o in row["operands"]]
            if "out" in row:
                yield f"  {_operand('writes', row['out'])}"


def _line(kind: str, facts: Data) -> str:
    return f"{kind} {_filled(_SIGNS[kind], facts)}".rstrip()


def _operand(word: str, o: Data) -> str:
    return f"{word} {_filled(_OPERAND, o)}" + (" swapped" if o.get("swapped") else "")


def _filled(sign: str, facts: Data) -> str:
    names = re.findall(r"{(\w+)}", sign)
    return sign.format(**{n: facts[n] if n in _NAMES else json.dumps(facts[n], separators=(",", ":")) for n in names})


# ---- reading


def read(text: str, faults: Faults) -> tuple[Plan, Groups]:
    """Return the plan of a text, and the borders of its groups of steps.

    All faults are added to `faults`.
    """
    d: Data = {"format": FORMAT, "version": VERSION, "buffers": [], "bodies": [], "steps": []}
    step: Data = {}
    rows: list[Data] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        word, _, rest = line.partition(" ")
        below = rows[-1] if rows else step
        try:
            if word in ("plan", "slots"):
                d |= _facts(_SIGNS[word], rest)
            elif word == "buffer":
                d["buffers"].append(_facts(_SIGNS[word], rest))
            elif word == "body":
                d["bodies"].append([])
            elif word == "row":
                rows.append(_facts(_SIGNS[word], rest) | {"operands": []})
            elif word in ("numbers", "weights"):
                rows = step.setdefault(word, [])
            elif word in ("reads", "writes"):
                swapped = {"swapped": True} if rest.endswith(" swapped") else {}
                o = _facts(_OPERAND, rest.removesuffix(" swapped")) | swapped
                if word == "writes":
                    below["out"] = o
                else:
                    below["operands" if rows else "args"].append(o)
            elif word in _SIGNS:
                step, rows = _step(word, rest)
                d["steps"].append(step)
            elif line:
                d["bodies"][-1].append({"op": word} | _facts(_INSTR, rest))
        except (ValueError, KeyError, IndexError, RecursionError) as error:
            faults.add_fault((f"line {number}",), f"{line!r:.60} is no line of a plan ({error!s:.60})")
    return read_plan(d, faults)


def _step(word: str, rest: str) -> tuple[Data, list[Data]]:
    """Return (the data of a step from its line, its list of rows, empty so far).

    `word` is the first word of the line, `rest` what follows. Raises ValueError if the line has another form.
    """
    rows: list[Data] = []
    step = {"kind": word} | _facts(_SIGNS[word], rest)
    return step | ({"args": []} if word == "call" else {} if word == "bins" else {"rows": rows}), rows


def _facts(sign: str, text: str) -> Data:
    """Return the values of the fields of template `sign` in a text.

    Raises ValueError if the text has another form.
    """
    names = re.findall(r"{(\w+)}", sign)
    form = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(sign))
    found = re.fullmatch(form, text)
    if found is None:
        raise ValueError(f"it reads {sign}")
    return {n: found[n] if n in _NAMES else json.loads(found[n]) for n in names}
