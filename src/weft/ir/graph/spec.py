"""The rules of a legal graph: the facts of every node follow from its op's row and its inputs.

The one idea: a node repeats facts that follow from its inputs (shape, dtype, strides), so it can be checked alone:
compute them again and compare.  A routine writes into memory allocated for its description, so its result's shape is
checked before it is called.  `WEFT_CHECK=1` checks every graph that is planned; tests always do.  A fault is a bug in
weft and is reported with the text of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import TypeVar

from weft import dtypes as dt
from weft.errors import InternalError, WeftError
from weft.ir.atoms import selections as se
from weft.ir.atoms.table import ATOMS
from weft.ir.fields.random_fields import CELL_KINDS
from weft.ir.graph.description import FIXED_ORDER, Shape, c_strides
from weft.ir.graph.graph_text import show
from weft.ir.graph.node import Node, broadcast_shapes, product_shape, walk
from weft.ir.graph.ops import OPS, SCANS, resolve
from weft.ir.pieces import tiling

_NORMS = ("backward", "ortho", "forward")


def _matrix(n: Node, square: bool = False) -> tuple[Shape, int, int]:
    """Return the shape of the stack, the rows and the columns of the first operand.

    Raises ValueError if it is no matrix, or with `square` if its matrices are not square.
    """
    *lead, rows, columns = n.inputs[0].desc.shape
    if square and rows != columns:
        raise ValueError(f"matrices of {rows} rows and {columns} columns; they are to be square")
    return tuple(lead), rows, columns


def _as_first(n: Node) -> Shape:
    return n.inputs[0].desc.shape


def _square(n: Node) -> Shape:
    _matrix(n, True)
    return _as_first(n)


def _stack(n: Node) -> Shape:
    return _matrix(n, True)[0]


def _values(n: Node) -> Shape:
    lead, rows, columns = _matrix(n, n.op.name != "svdvals")
    return (*lead, min(rows, columns))


def _packed(n: Node) -> Shape:
    """Return the shape of a routine's several results, written side by side along the last axis.

    Raises ValueError if the operand is no matrix, or not square where it must be.
    """
    lead, rows, columns = _matrix(n, n.op.name in ("slogdet", "eigh", "eig"))
    k = min(rows, columns)
    tails: list[Shape]
    if n.op.name == "slogdet":
        tails = [(2,)]
    elif n.op.name == "qr":
        inner = k if _one_of(n.attrs[0], ("reduced", "complete")) == "reduced" else rows
        tails = [(rows, inner), (inner, columns)]
    elif n.op.name == "svd":
        tails = [(rows, rows), (k,), (columns, columns)] if n.attrs[0] else [(rows, k), (k,), (k, columns)]
    else:
        tails = [(rows,), (rows, rows)]
    return (*lead, sum(map(prod, tails)))


def _one_of(given: str, known: tuple[str, ...]) -> str:
    if given not in known:
        raise ValueError(f"{given!r} is none of {', '.join(known)}")
    return given


def _axis(n: Node, number: int) -> int:
    axis: int = n.attrs[number]
    if not 0 <= axis < n.inputs[0].desc.ndim:
        raise ValueError(f"axis {axis} of rank {n.inputs[0].desc.ndim}")
    return axis


def _sorted(n: Node) -> Shape:
    size = n.inputs[0].desc.shape[_axis(n, 0)]
    ends = [end for ends in n.attrs[2] for end in ends]
    if any(len(r) != 2 or r[0] == r[1] for r in n.attrs[2]) or ends != sorted(ends) or min(ends, default=0) < 0:
        raise ValueError(f"ranges of ranks {n.attrs[2]}; each is first, stop, and they rise")
    if max(ends, default=0) > size:
        raise ValueError(f"ranges of ranks {n.attrs[2]} of {size} cells")
    return _as_first(n)


def _searched(n: Node) -> Shape:
    _one_of(n.attrs[0], ("left", "right"))
    if n.inputs[0].desc.ndim != 1:
        raise ValueError(f"a table of rank {n.inputs[0].desc.ndim}; it has one axis")
    return n.inputs[1].desc.shape


def _transformed(n: Node) -> Shape:
    cells, axis, shape = n.attrs[0], _axis(n, 1), _as_first(n)
    _one_of(n.attrs[2], _NORMS)
    if cells < 1:
        raise ValueError(f"{cells} cells to transform; there must be 1 or more")
    return (*shape[:axis], cells // 2 + 1 if n.op.name == "rfft" else cells, *shape[axis + 1 :])


def _product(n: Node) -> Shape:
    return product_shape(*[i.desc.shape for i in n.inputs])


def _solved(n: Node) -> Shape:
    lead, rows, _ = _matrix(n, True)
    b = n.inputs[1].desc.shape
    if b[-2] != rows:
        raise ValueError(f"right sides of {b[-2]} rows for matrices of {rows}")
    return (*broadcast_shapes("solve", lead, b[:-2]), *b[-2:])


def _common_shape(n: Node) -> Shape:
    return broadcast_shapes(n.op.name, *[i.desc.shape for i in n.inputs])


SHAPES: dict[str, Callable[[Node], Shape]] = {
    "matmul": _product, "sort": _sorted, "argsort": _sorted, "searchsorted": _searched, "gcd": _common_shape,
    "lcm": _common_shape, "transfer": _as_first, "cholesky": _square, "inv": _square, "det": _stack, "solve": _solved,
    "eigvalsh": _values,
    "eigvals": _values, "svdvals": _values, "slogdet": _packed, "qr": _packed, "eigh": _packed, "svd": _packed,
    "eig": _packed, "fft": _transformed, "rfft": _transformed, "irfft": _transformed,
}  # fmt: skip


K = TypeVar("K", bound=Hashable)
Rule = Callable[[Node], str]  # a text with the fault of a node, or ""


def check(roots: Sequence[Node], legal: dict[int, Node] | None = None) -> None:
    """Raise InternalError, with the text of the graph, if a node below the roots is not legal.

    `legal` has nodes by id that were found legal, with all below them; those found now are added.
    """
    legal = {} if legal is None else legal
    if loop := cycle(roots, lambda n: () if id(n) in legal else n.inputs):
        raise InternalError(f"spec: {loop[0]!r} lies below itself; an expression ends in sources; please report this")
    for n in walk(roots, lambda n: () if id(n) in legal else n.inputs):
        if id(n) in legal:
            continue
        if wrong := fault(n):
            raise InternalError(f"spec: {n!r}: {wrong}; no such node is legal; please report this:\n{show(roots)}")
        legal[id(n)] = n


def cycle(roots: Sequence[K], inputs: Callable[[K], Sequence[K]]) -> list[K]:
    """Return nodes that each read the next, with the first again at the end. Empty if no node lies below itself.

    `inputs(n)` returns the nodes to visit below n.

    >>> cycle("ab", lambda name: {"a": "b", "b": "cd", "c": "b"}.get(name, ""))
    ['b', 'c', 'b']
    """
    done: set[K] = set()
    path: dict[K, None] = {}  # from a root down to the node looked at
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        n, left = stack.pop()
        if left:
            done.add(path.popitem()[0])
        elif n in path:
            way = list(path)
            return [*way[way.index(n) :], n]
        elif n not in done:
            path[n] = None
            stack.append((n, True))
            stack += [(i, False) for i in reversed(inputs(n))]
    return []


def fault(n: Node) -> str:
    """Return a text with the fault of one node, whose inputs are taken as legal; "" if it is legal."""
    op = n.op
    if OPS.get(op.name) is not op:
        return f"{op.name} is no row of the op table"
    if op.arity >= 0 and len(n.inputs) != op.arity:
        return f"{len(n.inputs)} inputs where the op takes {op.arity}"
    if op.arity < 0 and not n.inputs:
        return "no input"
    try:
        return _depth(n) or _stored(n) or RULES.get(op.name, KINDS[op.kind])(n)
    except (WeftError, ValueError, TypeError, IndexError) as error:
        return f"attributes {n.attrs} do not fit: {error}"


def _depth(n: Node) -> str:
    if n.value is not None and n.alias is None:
        return f"depth {n.depth} of a stored value" if n.depth else ""
    if n.alias is not None:
        root = n.alias[0]
        return f"depth {n.depth} over a root of depth {root.depth}" if n.depth < root.depth else ""
    least = max([i.depth for i in n.inputs], default=-1) + 1
    return f"depth {n.depth} over inputs of depth {least - 1}" if n.depth < least else ""


def _stored(n: Node) -> str:
    """Return the fault of a stored value whose array does not match the description, else ""."""
    if n.value is None or n.op.name == "file":
        return ""
    if n.alias is None and n.inputs:
        return "a stored value that still has inputs"
    d, array = n.desc, n.value
    if array.shape != d.shape or array.dtype.newbyteorder("=") != d.dtype.np:
        return f"a value of shape {array.shape} and dtype {array.dtype}"
    if n.alias is not None or not d.size:  # a view computed alone, or no cell at all
        return ""
    moved = any(s != t and n > 1 for s, t, n in zip(array.strides, d.strides or (), d.shape, strict=True))
    return f"a value with strides {array.strides}, not {d.strides}" if moved else ""


# ---- rules by op and kind


def _computed(n: Node, dtype: dt.DType, shape: Shape) -> str:
    """Return the fault of a node that is not a row-major, native value of this dtype and shape, else ""."""
    d = n.desc
    if d.dtype is not dtype:
        return f"the dtype follows as {dtype.name}"
    if d.shape != shape:
        return f"the shape follows as {shape}"
    if n.alias is not None:
        return "it aliases, but is a value of its own"
    if d.big or d.read_only or d.strides != c_strides(shape, dtype.itemsize):
        return f"strides {d.strides}; values of their own are row-major, native and writable"
    return ""


def _elementwise(n: Node) -> str:
    dtypes = [i.desc.dtype for i in n.inputs]
    compute, out = resolve(n.op, *dtypes)
    if any(d is not compute for d in dtypes):
        return f"operands of dtypes {dtypes}; all are to be {compute.name}"
    return _computed(n, out, broadcast_shapes(n.op.name, *(i.desc.shape for i in n.inputs)))


def _positive(n: Node) -> str:
    """Return the fault of a copy, which may have any dtype, else ""."""
    return _computed(n, n.inputs[0].desc.dtype, n.inputs[0].desc.shape)


def _part(n: Node) -> str:
    """Return the fault of a node of real or imaginary parts, else ""."""
    return _elementwise(n) if n.alias is None else _like(n, se.part(n.inputs[0], n.op.name))


def _where(n: Node) -> str:
    condition, a, b = (i.desc for i in n.inputs)
    if condition.dtype is not dt.bool or a.dtype is not b.dtype:
        return f"operands {condition!r}, {a!r}, {b!r}; a bool and two of one dtype are needed"
    return _computed(n, a.dtype, broadcast_shapes("where", condition.shape, a.shape, b.shape))


def _astype(n: Node) -> str:
    (dtype,) = n.attrs
    return _computed(n, dtype, n.inputs[0].desc.shape)


def _complex(n: Node) -> str:
    re, im = (i.desc for i in n.inputs)
    if re.dtype is not im.dtype or n.desc.dtype.real is not re.dtype:
        return f"parts {re.dtype.name} and {im.dtype.name}"
    return _computed(n, n.desc.dtype, broadcast_shapes("complex", re.shape, im.shape))


def _checked(n: Node) -> str:
    value, bad = (i.desc for i in n.inputs)
    if bad.dtype is not dt.bool or bad.ndim:
        return f"a check of {bad!r}; one bool says whether any cell is bad"
    return _computed(n, value.dtype, value.shape)


def _philox(n: Node) -> str:
    distribution, rank = n.attrs
    if distribution not in CELL_KINDS:
        return f"a field of {distribution!r}; its cells are one of {', '.join(CELL_KINDS)}"
    coordinates = [i.desc for i in n.inputs[:rank]]
    if any(c.dtype is not dt.int64 for c in coordinates):
        return "coordinates are int64"
    return _computed(n, n.desc.dtype, broadcast_shapes("philox", *(i.desc.shape for i in n.inputs)))


def _scatter_add(n: Node) -> str:
    rows, at = (i.desc for i in n.inputs)
    if at.dtype.kind != "int" or at.ndim != 1 or rows.shape[:1] != at.shape:
        return f"positions {at!r} of rows {rows!r}; one signed position per row is needed"
    return _computed(n, rows.dtype, (n.attrs[0], *rows.shape[1:]))


def _source(n: Node) -> str:
    if n.op.name == "scalar" and (n.desc.ndim or type(n.attrs[0]) not in (bool, int, float, complex)):
        return f"attributes {n.attrs}; a scalar is one Python number"
    if n.op.name == "iota":
        return _computed(n, dt.int64, n.desc.shape) or ("" if 0 <= n.attrs[0] < n.desc.ndim else f"axis {n.attrs[0]}")
    return "an alias" if n.alias is not None else ""


def _reduce(n: Node) -> str:
    x, axes, keepdims = n.inputs[0].desc, n.attrs[0], n.attrs[1]
    if axes != tuple(sorted(se.axes_of(n.op.name, axes, x.ndim))):
        return f"axes {axes}; they are sorted and counted from 0"
    compute, out = resolve(n.op, x.dtype)
    if n.op.rule != "sum" and x.dtype is not compute:
        return f"an operand of dtype {x.dtype.name}; it is to be {compute.name}"
    kept = tuple([1 if a in axes else s for a, s in enumerate(x.shape) if keepdims or a not in axes])
    return _computed(n, out, kept) or ("" if (n.op.name == "var") == (len(n.attrs) == 3) else f"attributes {n.attrs}")


def _scan(n: Node) -> str:
    x, (axis, initial) = n.inputs[0].desc, n.attrs
    shape = tuple([s + (initial and a == axis) for a, s in enumerate(x.shape)])
    if initial and SCANS[n.op.name][2] is None:
        return "an initial value, which extremes have not"
    return _computed(n, resolve(n.op, x.dtype)[1], shape) or ("" if 0 <= axis < x.ndim else f"axis {axis}")


def _bins(n: Node) -> str:
    (bins,) = n.attrs
    numbers, *weights = [i.desc for i in n.inputs]
    if not numbers.dtype.is_integer or type(bins) is not int or bins < 0:
        return f"{bins} bins numbered by {numbers!r}; numbers of bins are integers"
    if not weights:
        return _computed(n, dt.int64, (bins,))
    (w,) = weights
    if w.dtype not in (dt.int64, dt.uint64, dt.float64) or w.shape != numbers.shape:
        return f"weights {w!r} of cells {numbers!r}; they are 64 bits wide, and each cell has one"
    return _computed(n, w.dtype, (bins,))


def _call(n: Node) -> str:
    if n.op.rule == "given":  # declared by a module: its rule said dtype and shape
        return _computed(n, n.desc.dtype, n.desc.shape)
    dtypes = [i.desc.dtype for i in n.inputs]
    compute, out = resolve(n.op, *dtypes)
    if any(d is not compute for d in dtypes):
        return f"operands of dtypes {dtypes}; all are to be {compute.name}"
    if n.op.name == "matmul" and (len(n.attrs) != 2 or not set(n.attrs) <= {"C", "F"}) and n.attrs != FIXED_ORDER:
        return f"attributes {n.attrs}; the orders of both operands are needed"
    return _computed(n, out, SHAPES[n.op.name](n))


def _blocks(n: Node) -> str:
    """Return the fault of a block operator, such as windows outside its inputs, else ""."""
    operator, number = n.attrs
    space, ranks = operator.index, {len(operator.first), len(operator.index), len(operator.most or operator.index)}
    if len(ranks) > 1 or len(operator.inputs) != len(n.inputs) - 1 or not 0 <= number < len(operator.outputs):
        return f"output {number} of {operator!r} with {len(operator.inputs)} inputs and {len(operator.outputs)} outputs"
    for p, i in zip(operator.inputs, n.inputs, strict=False):
        if p.ndim != i.desc.ndim or p.index_ndim not in (0, len(space)):
            return f"{p!r} of an input of shape {i.desc.shape}"
    reads = [tiling.outside(p, space, i.desc.shape, "reads") for p, i in zip(operator.inputs, n.inputs, strict=False)]
    outside = [f"of input {k} {said}" for k, said in enumerate(reads) if said]
    found = [*outside, *tiling.faults(operator.outputs[number], space, n.desc.shape)]
    return ", and ".join(found) or _call(n)


def _selection(n: Node) -> str:
    """Return the fault of a selection that differs from the node its atom's constructor makes, else ""."""
    return _like(n, ATOMS[n.op.name].remade(n))


def _like(n: Node, made: Node) -> str:
    if made.attrs != n.attrs:
        return f"attributes {n.attrs}; they are spelled {made.attrs}"
    unlocked = made.desc.read_only and not n.desc.read_only  # a view may be read-only where its input is not
    if made.desc != n.desc and (unlocked or _facts(made) != _facts(n)):
        return f"the description follows as {made.desc!r} with strides {made.desc.strides}"
    if (made.alias is None) != (n.alias is None):
        return "it aliases its input exactly where the input's cells have a place"
    if made.alias is None or n.alias is None:
        return ""
    (root, offset), (found, at) = made.alias, n.alias
    return "" if root is found and offset == at else f"alias at byte {at}; its cells lie at byte {offset} of {root!r}"


def _facts(n: Node) -> tuple[object, ...]:
    d = n.desc
    return d.dtype, d.shape, d.strides, d.big, d.origin


KINDS: dict[str, Rule] = {
    "source": _source,
    "elementwise": _elementwise,
    "check": _checked,
    "random": _philox,
    "take": _selection,
    "selection": _selection,
    "reduce": _reduce,
    "scan": _scan,
    "bins": _bins,
    "call": _call,
    "blocks": _blocks,
}
RULES: dict[str, Rule] = {
    "real": _part,
    "imag": _part,
    "positive": _positive,
    "where": _where,
    "astype": _astype,
    "complex": _complex,
    "scatter_add": _scatter_add,
}
