"""Writes docs/ops.md: every operation, its result for every dtype, and how each transformer computes it.

The one idea: the page is read off the op table and the tables of the transformers, so it says what is there; a test
compares it with what this module makes.  Run `python docs/op_table.py` after a change of the tables.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from weft import dtypes as dt
from weft.backends.calls.routines import ROUTINES
from weft.backends.llvm.steps.emitters import EMITTERS
from weft.backends.reference import elementwise
from weft.dtypes import DType
from weft.errors import DTypeError
from weft.ir.atoms.table import ATOMS
from weft.ir.graph.ops import CELLWISE, ROWS, Op, resolve

PAGE = Path(__file__).parent / "ops.md"
SHORT = {"bool": "bool", "int": "i", "uint": "u", "float": "f", "complex": "c"}
NUMBERS = tuple(d for d in dt.ALL if not d.storage)
KINDS = {
    "elementwise": "Element-wise",
    "take": "Takes",
    "random": "Random words",
    "check": "Checks",
    "reduce": "Reductions",
    "scan": "Scans",
    "bins": "Counts by bin",
    "call": "Calls",
    "blocks": "Blocks",
    "selection": "Selections",
}
FACTS = """
## What element-wise operations are

Gradients are by operand, `g` the gradient of the value `y`; a slope without `g` stands for `g * conj(slope)`. Where an
operation is not defined, [math modes](functions.md) warn or fail.

| op | gives | gradient | defined where | NumPy |
|---|---|---|---|---|
"""
HEAD = """# Operations

Made by `docs/op_table.py` from the op table (`src/weft/ir/graph/ops.py`). A cell has the dtype of the result for
operands of
the column's dtype; operands of other dtypes are brought to it first where the row computes in another (integers in
float functions become float64). A dot means that the operation is not defined there. The float8 kinds have no column:
they are for storage (`docs/dtypes.md`).

How a transformer computes an operation: *kernel*, emitted and fused into the kernel that needs it; *routine*, a library
call on whole arrays; *address*, nothing is computed, the reader's loops go elsewhere; *NumPy*, a function on arrays;
*copy*, the work of streams between devices; a dash, not at all.

The last column bounds the error of kernels: *0*, the result is exact or rounded once, and the same bits as the
reference's; *1 / 2*, at most 1 ulp for float32 and 2 for float64 (float16 and bfloat16 are computed in float32 and
rounded); *c 4*, at most 4 ulp of the greater part for complex numbers; *order*, every addition is rounded, in the one
order (`src/weft/ir/kernels/sum_order.py`), and the same bits as the reference's; *library*, the routine's. Complex
`pow`, `exp2` and `exp10` keep their bound while the angle is below 2^44 (`pow` of c64: 2^26). Complex products
are those of the formula, part by part; complex numbers with an infinite part are divided by kernels as C99's Annex G
says, where the reference's formulas give NaN.
"""


def short(d: DType) -> str:
    """f32 for float32, bf16 for bfloat16."""
    if d is dt.bool:
        return "bool"
    return ("bf" if d is dt.bfloat16 else SHORT[d.kind]) + str(d.bits)


def result_for(op: Op, d: DType) -> str:
    """The result's dtype for operands of dtype d."""
    if op.rule == "given":
        return "given"
    try:
        return short(resolve(op, d)[1])
    except DTypeError:
        return "·"


def on_cpu(op: Op) -> str:
    """How the cpu transformer computes the operation."""
    if op.name == "transfer":
        return "copy"
    if op.kind in ("call", "blocks"):
        return "routine" if op.name in ROUTINES else "–"
    if op.kind == "selection":
        return "address" if op.name in ATOMS else "–"
    if op.kind in ("reduce", "scan", "bins"):
        return "kernel"
    return "kernel" if op.name in EMITTERS or op.kind == "take" else "–"


def on_reference(op: Op) -> str:
    """How the reference transformer computes the operation."""
    if op.name == "transfer":
        return "copy"
    known = {
        *ATOMS,
        *elementwise.ELEMENTWISE,
        *ROUTINES,
        *("gather", "philox"),
    }
    return "NumPy" if op.name in known or op.kind in ("reduce", "scan", "bins") else "–"


def facts(op: Op) -> str:
    """Return the facts in the row of an element-wise operation besides dtypes, or ""."""
    if op.kind not in CELLWISE or not op.gradient:
        return ""
    slope = op.gradient.removeprefix("none: ") if op.gradient.startswith("none: ") else f"`{op.gradient}`"
    theirs = op.name if hasattr(np, op.name) else (op.theirs or "–").split()[0]
    cells = [op.name, op.says or "–", slope, ", ".join([u.says for u in op.undefined]) or "everywhere", theirs]
    return "| " + " | ".join([c.replace("|", "\\|") for c in cells]) + " |\n"


def page() -> str:
    """The text of docs/ops.md."""
    parts = [HEAD]
    columns = [*map(short, NUMBERS), "cpu", "reference", "error"]
    for kind, title in KINDS.items():
        parts.append(f"\n## {title}\n\n| op | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}\n")
        for op in (row for row in ROWS if row.kind == kind):
            cells = [*(result_for(op, d) for d in NUMBERS), on_cpu(op), on_reference(op), op.error]
            parts.append(f"| {op.name} | {' | '.join(cells)} |\n")
    return "".join([*parts, FACTS, *map(facts, ROWS)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
