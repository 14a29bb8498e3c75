"""The array API's elementwise functions, made from the op table.

The one idea: names, docstrings, tested examples and signatures follow from the rows of the op table, so only functions
of more than one op have code here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer
from weft.api.conversions import converted
from weft.api.decimals import to_decimals
from weft.api.destination import into
from weft.api.habits import MISSING, reread
from weft.api.standard.searching_functions import nonzero
from weft.errors import ArgumentError, DTypeError, ValueRangeError
from weft.interop.device_moves import placed
from weft.interop.imports import asarray, check_conversion, copied
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.ops import OPS, ROWS, Op, resolve
from weft.modes.implicit_conversions import of_operands
from weft.runtime.default_dtype import default_of, get_default_dtype
from weft.runtime.fork_safety import late_import
from weft.tensors import tensor
from weft.tensors.elementwise import binary, unary
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, handle, node_of, wrap, writable_like

_KINDS = {
    "all": "any dtype", "numeric": "numbers", "real": "real numbers", "integer": "integers",
    "bits": "bools and integers", "float": "floats", "complex": "complex numbers", "bool": "bools",
    "ordered": "bools and real numbers",
}  # fmt: skip
_RESULTS = {  # the dtype of the result by the rule of the op, from that of the operands
    "same": "{}", "float": "{}; float64 for integers", "real": "{}; that of the parts for complex numbers",
    "bool": "bool",
}  # fmt: skip
_WHERE = OPS["where"]
_FLOAT = ir.result(dt.float64, ())
_NUMBERS = (bool, int, float, complex)  # each represents the ones before it


_modes = partial(late_import, "weft.modes.math_modes")  # loaded when a mode is first asked for


def _documented(function: Callable[..., Any], op: Op) -> Callable[..., Tensor]:
    """Set a function's name and docstring from the row of its op, and return it."""
    operands = "any dtype; cells that are not 0 count as true" if op.accepts == "bool" else _KINDS[op.accepts]
    joined = "that of x" if op.arity == 1 else "the join of the operands'"
    shown, _, gives = op.example.partition(" → ")
    cells = [f"weft.asarray({x})" if i == 0 or "[" in x else x for i, x in enumerate(shown.split("; "))]
    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = (
        f"Return {op.says}, cell by cell{', with broadcasting' if op.arity > 1 else ''}.  "
        f"Operands: {operands}.\n\n"
        f"    The result's dtype: {_RESULTS[op.rule].format(joined)}.\n"
        + ("    `mode` is one of those of `weft.math_mode`.\n\n" if op.undefined else "")
        + "    With out=, a tensor or array of the result's shape, the result is written there and `out` is returned.\n"
        f"    Raises ShapeError {'if shapes do not broadcast or ' if op.arity > 1 else ''}for an `out` of another "
        "shape, DTypeError for other operands,\n    WriteError for an `out` that cannot be written.\n\n"
        f"    >>> import weft\n    >>> weft.{op.name}({', '.join(cells)}).tolist()\n    {gives}\n    "
    )
    return function


def _operand(x: Any) -> Tensor:
    """Return an operand as a tensor; a float needs no memory. Raises DTypeError for an object without numbers."""
    if type(x) is float and get_default_dtype() is dt.float64:
        return tensor.of_number(x, _FLOAT)
    return tensor.imported(x)


def _unary(op: Op) -> Callable[..., Tensor]:
    """Return the public function of an elementwise op on one operand."""
    name = op.name

    def function(x: Any = MISSING, /, out: Any = None, *beyond: Any, **habits: Any) -> Tensor:
        if habits or beyond or x is MISSING:
            return reread(function, (x, out), beyond, habits)
        made = unary(op, x if type(x) is Tensor else _operand(x))
        return made if out is None else into(out, made, name)

    def moded(x: Any = MISSING, /, out: Any = None, *beyond: Any, mode: str | None = None, **habits: Any) -> Tensor:
        if habits or beyond or x is MISSING:
            return reread(moded, (x, out, mode), beyond, habits)
        x = x if type(x) is Tensor else _operand(x)
        if mode is None:
            made = unary(op, x)
        else:
            with _modes().math_mode(mode):
                made = unary(op, x)
        return made if out is None else into(out, _modes().with_room(out, made, name, x), name)

    def logical(x: Any = MISSING, /, out: Any = None, *beyond: Any, **habits: Any) -> Tensor:
        if habits or beyond or x is MISSING:
            return reread(logical, (x, out), beyond, habits)
        made = unary(op, as_tensor(_truth(x, name)))
        return made if out is None else into(out, made, name)

    return moded if op.undefined else logical if op.accepts == "bool" else function


def _first(x1: Any, x2: Any) -> Tensor:
    """Return `x1` as a tensor; if both operands are Python numbers, in the dtype that holds both.

    Raises DTypeError for an object without numbers.
    """
    if type(x1) in _NUMBERS and type(x2) in _NUMBERS[_NUMBERS.index(type(x1)) + 1 :]:
        return asarray(x1, dtype=default_of(type(x2)))
    return tensor.imported(x1)


def _binary(op: Op) -> Callable[..., Tensor]:
    """Return the public function of an elementwise op on two operands."""
    name = op.name

    def function(x1: Any = MISSING, x2: Any = MISSING, /, out: Any = None, *beyond: Any, **habits: Any) -> Tensor:
        if habits or beyond or x2 is MISSING:
            return reread(function, (x1, x2, out), beyond, habits)
        if type(x1) is not Tensor and type(x2) is not Tensor:
            x1 = _first(x1, x2)
        made = binary(op, x1, x2)
        return made if out is None else into(out, made, name)

    def moded(
        x1: Any = MISSING,
        x2: Any = MISSING,
        /,
        out: Any = None,
        *beyond: Any,
        mode: str | None = None,
        **habits: Any,
    ) -> Tensor:
        if habits or beyond or x2 is MISSING:
            return reread(moded, (x1, x2, out, mode), beyond, habits)
        if type(x1) is not Tensor and type(x2) is not Tensor:
            x1 = _first(x1, x2)
        if mode is None:
            made = binary(op, x1, x2)
        else:
            with _modes().math_mode(mode):
                made = binary(op, x1, x2)
        return made if out is None else into(out, _modes().with_room(out, made, name, x1, x2), name)

    def logical(x1: Any = MISSING, x2: Any = MISSING, /, out: Any = None, *beyond: Any, **habits: Any) -> Tensor:
        if habits or beyond or x2 is MISSING:
            return reread(logical, (x1, x2, out), beyond, habits)
        x1, x2 = _truth(x1, name), _truth(x2, name)
        made = binary(op, x1 if type(x2) is Tensor else as_tensor(x1), x2)
        return made if out is None else into(out, made, name)

    return moded if op.undefined else logical if op.accepts == "bool" else function


def alike(name: str, *operands: Any) -> list[Tensor]:
    """Return operands of function `name` as tensors of the dtype that holds all; Python numbers are weak beside others.

    Raises DTypeError for an object without numbers and for dtypes that none holds, ValueRangeError for an integer that
    the dtype of the others cannot hold.
    """
    nodes = tensor.operands(operands, name)
    joined = dt.promote_all([n.desc.dtype for n in nodes])
    return [wrap(ir.astype(n, joined)) for n in nodes]


def _truth(x: Any, name: str) -> Any:
    """Return an operand of a logical function as bools: True where a cell is not 0.

    Raises DTypeError for an object without numbers.
    """
    if type(x) in (bool, int, float, complex):
        return bool(x)
    x = x if type(x) is Tensor else tensor.imported(x)
    if x.dtype is dt.bool:
        return x
    if Limits.watcher is not None:
        Limits.watcher.judge(of_operands(name, [node_of(x)], dt.bool))
    return wrap(ir.locate(ir.astype(node_of(x), dt.bool), 4))


def real(x: Any, /) -> Tensor:
    """Return the real part, cell by cell, as a view: a write to it shows in x.

    Operands: any dtype; all but complex give x itself. Raises DTypeError for an object without numbers.

    >>> import weft
    >>> z = weft.asarray([1 + 2j])
    >>> weft.real(z)[0] = 5
    >>> z.tolist()
    [(5+2j)]
    """
    x = x if type(x) is Tensor else tensor.imported(x)
    n = node_of(x)
    if n.desc.dtype.kind == "complex":
        return handle(x, selections.part(n, "real"))
    return handle(x, selections.permute(n, range(n.desc.ndim)))


def imag(x: Any, /) -> Tensor:
    """Return the imaginary part, cell by cell, as a view: a write to it shows in x.

    Operands: any dtype; all but complex give zeros of it that cannot be written. Raises DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.imag(weft.asarray([1 + 2j])).tolist(), weft.imag(weft.asarray([3.0])).tolist()
    ([2.0], [0.0])
    """
    x = x if type(x) is Tensor else tensor.imported(x)
    n = node_of(x)
    if n.desc.dtype.kind == "complex":
        return handle(x, selections.part(n, "imag"))
    dtype = n.desc.dtype
    zero = wrap(ir.stored(ir.describe(dtype, (), (), False, None, True), np.zeros((), dtype.np)))
    zero = placed(zero, x.device)
    zeros = selections.broadcast_to(node_of(zero), n.desc.shape)
    return handle(zero, zeros if n.desc.origin is None else selections.translate(zeros, n.desc.origin))


def fabs(x: Any, /, *, out: Any = None) -> Tensor:
    """Return absolute values in the dtype of x; a complex number gives its modulus with imaginary part 0.

    Raises DTypeError for bools and float8 cells, ShapeError or WriteError for an `out` of another shape or without
    memory.

    >>> import weft
    >>> weft.fabs(weft.asarray([3 - 4j])).tolist(), weft.fabs(weft.asarray([-2])).tolist()
    ([(5+0j)], [2])
    """
    x = as_tensor(x)
    made = wrap(ir.locate(ir.astype(ir.apply("abs", node_of(x)), x.dtype)))
    return made if out is None else into(out, made, "fabs")


def _infinite(name: str, bound: float, shown: str) -> Callable[..., Tensor]:
    """Return the public function `isposinf` or `isneginf`, `name`, which compares cells with `bound`.

    It raises DTypeError for complex cells; `shown` is the result of the example in its docstring.
    """

    def function(x: Any, /, *, out: Any = None) -> Tensor:
        x = as_tensor(x)
        if x.dtype.kind == "complex":
            raise DTypeError(
                f"{name}: {x.dtype.name} operands; complex numbers have no sign; ask real(x) and imag(x), or isinf(x)"
            )
        resolve(OPS["isinf"], x.dtype)
        made = binary(OPS["equal"], x, bound) if x.dtype.kind == "float" else unary(OPS["isinf"], x)
        return made if out is None else into(out, made, name)

    says = f"True where x is {'positive' if bound > 0 else 'negative'} infinity"
    example = f"[weft.inf, -weft.inf, weft.nan] → {shown}"
    return _documented(function, Op(name, "elementwise", 1, "ordered", "bool", says=says, example=example))


isposinf = _infinite("isposinf", float("inf"), "[True, False, False]")
isneginf = _infinite("isneginf", float("-inf"), "[False, True, False]")


def _rounding() -> Callable[..., Tensor]:
    """Return the public function `round`."""
    op = OPS["round"]

    def function(x: Any, /, decimals: int = 0, *, out: Any = None) -> Tensor:
        x = x if type(x) is Tensor else tensor.imported(x)
        decimals = integer("round", "decimals", decimals)
        made = unary(op, x) if decimals == 0 else to_decimals(x, decimals)
        return made if out is None else into(out, made, "round")

    function = _documented(function, op)
    head, _, rest = (function.__doc__ or "").partition("\n\n")
    function.__doc__ = (
        f"{head}\n\n    With `decimals`, the nearest multiple of 10 ** -decimals, halves to even ones.\n\n"
        f"{rest.rstrip()}\n    "
        ">>> weft.round(weft.asarray([1.125, 20.5]), 1).tolist(), weft.round(weft.asarray([149, 250]), -2).tolist()"
        "\n    ([1.1, 20.5], [100, 200])\n    "
    )
    return function


MADE = {op.name: _documented((_unary if op.arity == 1 else _binary)(op), op) for op in ROWS if op.says}
MADE["round"] = _rounding()
globals().update(MADE)


def clip(x: Any, /, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    """Return x limited to [min, max], cell by cell; NaN stays NaN, and where min > max the result is max.

    The result has the dtype of x, in whose range bounds are held, or beside bounds of another kind (floats, for
    integers) the dtype that holds both. Raises ShapeError where shapes do not broadcast, DTypeError for bounds that are
    no numbers, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.clip(weft.asarray([1, 5, 9]), 2, 8).tolist()
    [2, 5, 8]
    >>> weft.clip(weft.asarray([1, 5, 9]), 1.5, 300.0).tolist()
    [1.5, 5.0, 9.0]
    """
    x = x if type(x) is Tensor else tensor.imported(x)
    kept = x.dtype
    made = x
    for bound, op in ((min, OPS["maximum"]), (max, OPS["minimum"])):
        if bound is not None:
            bound = bound if type(bound) is Tensor else _held(bound, kept)
            made = binary(op, made, bound)
    if made is x:
        made = copied(x)
    are_integers = kept.is_integer and made.dtype.is_integer
    if made.dtype is not kept and (are_integers or kept.kind == made.dtype.kind):
        made = wrap(ir.locate(converted(node_of(made), kept, "saturate" if are_integers else "standard")))
    return made if out is None else into(out, made, "clip")


def _held(bound: Any, dtype: dt.DType) -> Any:
    """Return a Python integer limited to the range of an integer dtype; other bounds unchanged."""
    if type(bound) is int and dtype.is_integer:
        limits = dt.integer_limits(dtype)
        return limits.max if bound > limits.max else limits.min if bound < limits.min else bound
    return bound


def length(squared: Tensor, root: Callable[[Tensor], Tensor]) -> Tensor:
    """Return `root(squared)` for sums of squares; its gradient is 0 where the sum is 0, as for `abs`."""
    traits = node_of(squared).traits
    if traits is None or traits.record is None:
        return root(squared)
    none = binary(OPS["equal"], squared, 0)
    return where(none, squared, root(where(none, 1, squared)))


def fill_nan(x: Any, value: Any, /, *, out: Any = None) -> Tensor:
    """Return x with every NaN replaced by `value`, a number or a tensor that broadcasts.

    With `out=x` they are replaced in x itself. Raises ShapeError if `value` does not broadcast, WriteError for an `out`
    without memory, DTypeError for an object without numbers.

    >>> import weft
    >>> x = weft.asarray([weft.nan, 3.0])
    >>> weft.fill_nan(x, 0).tolist(), weft.fill_nan(x, weft.inf, out=x) is x, x.tolist()
    ([0.0, 3.0], True, [inf, 3.0])
    """
    x = as_tensor(x)
    made = where(unary(OPS["isnan"], x), value, x) if x.dtype.is_inexact else copied(x)
    return made if out is None else into(out, made, "fill_nan")


def where(condition: Any, x1: Any = None, x2: Any = None, /, *, out: Any = None) -> Any:
    """Return cells of x1 where the condition is true, else of x2; all three are broadcast together.

    The condition alone returns the positions of its true cells, as `nonzero` does. Raises DTypeError for a condition
    that is not bool, ShapeError if shapes do not broadcast, ArgumentError if just one of x1 and x2 is given, WriteError
    for an `out` that cannot be written.

    >>> import weft
    >>> weft.where(weft.asarray([True, False]), 1, 2).tolist()
    [1, 2]
    """
    if x1 is None or x2 is None:
        if x1 is x2 is out is None:
            return nonzero(condition)
        given = " and ".join([name for name, x in (("x1", x1), ("x2", x2), ("out", out)) if x is not None])
        raise ArgumentError(
            f"where: a condition and {given}; x1 and x2 belong together; give both, or just a condition"
        )
    c = condition if type(condition) is Tensor else tensor.imported(condition)
    if c.dtype is not dt.bool:
        raise DTypeError(f"where: a condition of dtype {c.dtype.name}; it must be bool; compare it, as in x != 0")
    if type(x1) is not Tensor and type(x2) is not Tensor:
        x1 = _first(x1, x2)
    like = x1.dtype if type(x1) is Tensor else x2.dtype
    a, b = tensor.operand(x1, like, "where"), tensor.operand(x2, like, "where")
    n = node_of(c)
    d = _chosen(n.desc, a.desc, b.desc)
    made = wrap(ir.locate(ir.make(_WHERE, (n, ir.astype(a, d.dtype), ir.astype(b, d.dtype)), (), d)))
    return made if out is None else into(out, made, "where")


@lru_cache(maxsize=4096)
def _chosen(condition: TensorDescription, a: TensorDescription, b: TensorDescription) -> TensorDescription:
    """Return the description of a `where` between two operands; raises ShapeError if shapes do not broadcast."""
    shape, origin = ir.broadcast_domains("where", [condition, a, b])
    return ir.result(dt.promote(a.dtype, b.dtype), shape, origin)


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None, mode: str | None = None) -> Tensor:
    """Return x converted to a dtype.

    Floats are truncated and saturated as integers (NaN gives 0), integers wrap, and bool is x != 0. With copy=False and
    the same dtype the result is x itself. `mode` sets another treatment of values that the dtype cannot hold:
    "saturate", "wrap", "warn", "error" (when the value is computed), or "exact" (at once). Raises DTypeError for
    complex numbers to real ones and for an unknown dtype, ValueRangeError for a dtype spelled big-endian, an unknown
    mode or device. Mode "exact" raises ConversionError at once if a cell would change, "error" when the value is
    computed.

    >>> import weft
    >>> weft.astype(weft.asarray([1.7, -1.7]), weft.int8).tolist()
    [1, -1]
    """
    x = placed(x if type(x) is Tensor else tensor.imported(x), device)
    wanted, order = dt.spelled(dtype)
    if order == "big" and wanted.itemsize > 1:
        raise ValueRangeError(
            f"astype: {dtype!r} names a byte order; results are native; pass weft.{wanted.name}, or asarray(dtype=)"
        )
    check_conversion("astype", x.dtype, wanted)
    node = node_of(x)
    made = ir.astype(node, wanted) if mode is None else converted(node, wanted, mode)
    if made is node:
        return copied(x) if copy else x
    return writable_like(wrap(ir.locate(made if mode is not None else tensor.moded(made))), x)


__all__ = ["astype", "clip", "fabs", "fill_nan", "imag", "isneginf", "isposinf", "real", "where"]
__all__.extend(MADE)
