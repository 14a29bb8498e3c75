"""The rules of a legal body: every instruction has operands, dtypes and attributes that its op accepts.

The one idea: the dtype rules of an op's row hold for nodes and for instructions; loads, coordinates, scalars and
constants are checked against the operands and the scalars of the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError
from weft.ir.graph.ops import OPS, resolve
from weft.ir.kernels.plan import Body, Instr, Row

COMPUTED = ("elementwise", "check", "random")  # kinds of ops whose instructions take computed values
NUMBERS = {"bool": (bool,), "int": (int,), "uint": (int,), "float": (int, float), "complex": (int, float, complex)}


def row_fault(row: Row, scalars: Sequence[DType]) -> str:
    """Return a text with the fault of a row's instructions or operands; "" if there is none.

    `scalars` are the dtypes of the scalars by slot.
    """
    ndim = len(row.sizes)
    for o in row.operands if row.out is None else (*row.operands, row.out):
        if len(o.strides) != ndim:
            return f"an operand with strides {o.strides} of a box {row.sizes}"
    if not row.body or len(row.start) not in (0, ndim):
        return f"a body of {len(row.body)} instructions over a box {row.sizes} from {row.start}"
    if wrong := _body_fault(row.body):
        return wrong
    for number, i in enumerate(row.body):
        if i.op in ("load", "coord", "gather"):
            read = row.operands[i.attr] if type(i.attr) is int and 0 <= i.attr < len(row.operands) else None
            fits = read is not None and (read.arg < 0) == (i.op == "coord")
            if read is None or not fits or (i.op != "coord" and read.dtype is not i.dtype):
                return f"instruction {number} {i} has operand {read}"
        elif i.op == "scalar":
            slot = row.scalars + i.attr if type(i.attr) is int and i.attr >= 0 else -1
            if not 0 <= slot < len(scalars) or scalars[slot] is not i.dtype:
                return f"instruction {number} {i} reads a scalar of a plan with scalars {tuple(scalars)}"
    return ""


@cache
def _body_fault(body: Body) -> str:
    """Return the fault of a body that shows without its row, as text, else ""; cached for equal bodies."""
    for number, i in enumerate(body):
        if any(not 0 <= a < number for a in i.args):
            return f"instruction {number} {i} reads what is not computed before it"
        if wrong := _instr_fault(i, [body[a].dtype for a in i.args]):
            return f"instruction {number} {i}: {wrong}"
    return ""


def _instr_fault(instr: Instr, operand_dtypes: Sequence[DType]) -> str:
    """Return the fault of an instruction whose operands have the dtypes `operand_dtypes`, as text, else ""."""
    if instr.op in ("load", "coord", "scalar", "const"):
        if operand_dtypes or (instr.op == "coord" and instr.dtype is not dt.int64):
            return "it takes no values; coordinates are int64"
        return _constant_fault(instr) if instr.op == "const" else ""
    if instr.op == "gather":
        return "" if list(operand_dtypes) == [dt.int64] else "it takes one int64 offset"
    op = OPS.get(instr.op)
    if op is None or op.kind not in COMPUTED:
        return "kernels have no such instruction"
    if op.arity >= 0 and len(operand_dtypes) != op.arity and not (instr.op == "checked" and operand_dtypes):
        return f"it takes {op.arity} values"
    return _computed_fault(instr, operand_dtypes)


def _computed_fault(instr: Instr, operand_dtypes: Sequence[DType]) -> str:
    """Return the fault of a computing instruction's dtypes and attributes, as text, else ""."""
    if instr.op == "astype":
        return ""
    if instr.op == "philox":
        known = (
            type(instr.attr) is tuple
            and len(instr.attr) == 2
            and type(instr.attr[0]) is str
            and type(instr.attr[1]) is int
        )
        rank = instr.attr[1] if known else -1  # type: ignore[index]
        fits = 0 <= rank <= len(operand_dtypes) and all(d is dt.int64 for d in operand_dtypes[:rank])
        return "" if fits else "a field has a name, a rank and as many int64 coordinates"
    if instr.op in ("positive", "checked"):
        return "" if operand_dtypes[0] is instr.dtype else "it gives the dtype of its value"
    if instr.op == "where":
        return (
            ""
            if list(operand_dtypes) == [dt.bool, instr.dtype, instr.dtype]
            else "it takes a bool and two values of its dtype"
        )
    if instr.op == "complex":
        fits = instr.dtype.kind == "complex" and list(operand_dtypes) == [instr.dtype.real] * 2
        return "" if fits else "it takes two values of the dtype of its parts"
    try:
        compute, out = resolve(OPS[instr.op], *operand_dtypes)
    except DTypeError as error:
        return str(error)
    if any(d is not compute for d in operand_dtypes) or instr.dtype is not out:
        return f"of {compute.name} it gives {out.name}"
    return ""


def _constant_fault(instr: Instr) -> str:
    x = instr.attr
    if type(x) not in NUMBERS[instr.dtype.kind]:
        return f"{type(x).__name__} constants are not of {instr.dtype.name}"
    if instr.dtype.is_integer:
        limits = dt.integer_limits(instr.dtype)
        return "" if limits.min <= x <= limits.max else "its dtype does not hold it"  # type: ignore[operator]
    return "" if type(x) is not int or x.bit_length() < 1000 else "its dtype does not hold it"
