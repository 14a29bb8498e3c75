"""Gradients of factorisations, and of values computed by them.

The one idea: the gradient of a routine is made of routines.  For a matrix of which only one triangle is read, the
gradient lies in that triangle.  Xᴴ is the conjugate transpose, ∘ multiplies cell by cell.

The formulas are those of M. Giles, An extended collection of matrix derivative results for forward and reverse mode
automatic differentiation (2008), of S. Walter and L. Lehmann, Algorithmic differentiation of linear algebra functions
with application in optimum experimental design (2010), for QR, and of J. Townsend, Differentiating the singular value
decomposition (2016).  Vectors that belong to equal values have no derivative: it is taken as 0.
"""

from __future__ import annotations

from math import prod
from typing import NoReturn

from weft.errors import GradientError
from weft.ir.atoms import selections as se
from weft.ir.atoms.adjoints import total
from weft.ir.atoms.atom import positions
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, apply, scalar_like, where
from weft.ir.graph.ops import OPS
from weft.passes.gradient.gradient_steps import (
    Gradients,
    Rule,
    adjoint_of,
    call,
    conj,
    coordinate,
    product_of,
    scaled,
    times,
    transposed,
    value_of,
)

Shape = tuple[int, ...]


# ---- parts that rules are made of
def _half_triangle(x: Node, upper: bool = False) -> Node:
    """Return the lower triangle of matrices, with half of the diagonal and zeros elsewhere.

    With `upper`, it is the upper triangle.
    """
    row, column = (coordinate(x, x.desc.ndim + d) for d in (-2, -1))
    inside = apply("greater" if upper else "less", column, row)
    diagonal = where(apply("equal", row, column), scaled(x, 0.5), scalar_like(0, x))
    return where(inside, x, diagonal)


def _as_matrix(numbers: Node) -> Node:
    """Return numbers, one per matrix, with two axes of size 1 added, to broadcast with the matrices."""
    return se.expand_dims(numbers, (numbers.desc.ndim, numbers.desc.ndim + 1))


def _unpacked(packed: Node, tails: list[Shape]) -> list[Node]:
    """Return the results of a routine that wrote them as one row of cells per matrix to `packed`.

    `tails` are the results' shapes for one matrix.
    """
    lead, at, found = packed.desc.shape[:-1], 0, []
    for tail in tails:
        cells = positions(packed, len(lead), at, prod(tail))
        found.append(se.reshaped(cells, (*lead, *tail)))
        at += prod(tail)
    return found


def _factors(name: str, x: Node, attrs: tuple[object, ...], tails: list[Shape]) -> list[Node]:
    """Return the results of factorisation `name` of x.

    `attrs` are its attributes, `tails` the results' shapes for one matrix.
    """
    return _unpacked(call(name, x, attrs, (*x.desc.shape[:-2], sum(map(prod, tails)))), tails)


def _row(x: Node) -> Node:
    return se.expand_dims(x, (x.desc.ndim - 1,))


def _column(x: Node) -> Node:
    return se.expand_dims(x, (x.desc.ndim,))


def _reciprocal(x: Node) -> Node:
    """Return 1 / x, and 0 where x is 0."""
    none = apply("equal", x, scalar_like(0, x))
    return where(none, scalar_like(0, x), apply("reciprocal", where(none, scalar_like(1, x), x)))


def _plus_diagonal(x: Node, diagonal: Node) -> Node:
    on = apply("equal", coordinate(x, x.desc.ndim - 2), coordinate(x, x.desc.ndim - 1))
    return apply("add", x, where(on, _row(diagonal), scalar_like(0, x)))


def _refuse(name: str, reason: str, remedy: str) -> NoReturn:
    raise GradientError(f"gradient: {name}; {reason}; {remedy}, or detach() its operand")


def _refuse_phases(name: str, x: Node, remedy: str) -> None:
    if x.desc.dtype.kind == "complex":
        _refuse(f"{name} of complex matrices", "the phases of their vectors are arbitrary", remedy)


# ---- numbers, inverses, solutions
def _det(n: Node, gradient: Node) -> Gradients:
    return (times(_as_matrix(times(gradient, conj(value_of(n)))), adjoint_of(call("inv", n.inputs[0], ()))),)


def _slogdet(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of the logarithm of |det A|, and for complex A also of the sign.

    The sign turns with the imaginary part of trace(A⁻¹·dA).
    """
    last = gradient.desc.ndim - 1
    sign, slope = (se.index(x, [(last, k)]) for k, x in ((0, value_of(n)), (1, gradient)))
    if gradient.desc.dtype.kind == "complex":
        turn = apply("imag", times(se.index(gradient, [(last, 0)]), conj(sign)))
        d = ir.result(gradient.desc.dtype, turn.desc.shape)
        slope = ir.make(OPS["complex"], (apply("real", slope), turn), (), d)
    return (times(_as_matrix(slope), adjoint_of(call("inv", n.inputs[0], ()))),)


def _inverse(n: Node, gradient: Node) -> Gradients:
    back = adjoint_of(value_of(n))
    return (apply("negative", product_of(product_of(back, gradient), back)),)


def _solve(n: Node, gradient: Node) -> Gradients:
    d = ir.result(n.desc.dtype, n.desc.shape)
    right = ir.make(n.op, (adjoint_of(n.inputs[0]), gradient), (), d)
    return apply("negative", product_of(right, adjoint_of(value_of(n)))), right


def _cholesky(n: Node, gradient: Node) -> Gradients:
    """Return the gradient Φ(S + Sᴴ) with S = L⁻ᴴ·Φ(Lᴴ·G)·L⁻¹, where G is the gradient of L.

    Φ takes a triangle with half of its diagonal.
    """
    (upper,) = n.attrs
    factor, gradient = (adjoint_of(value_of(n)), adjoint_of(gradient)) if upper else (value_of(n), gradient)
    back = call("inv", factor, ())
    s = product_of(product_of(adjoint_of(back), _half_triangle(product_of(adjoint_of(factor), gradient))), back)
    return (_half_triangle(apply("add", s, adjoint_of(s)), upper),)


# ---- values and vectors
def _eigvalsh(n: Node, gradient: Node) -> Gradients:
    """Return the gradient V·diag(w')·Vᴴ, folded into the lower triangle; w' is the gradient of the eigenvalues."""
    x = n.inputs[0]
    size = x.desc.shape[-1]
    _, vectors = _factors("eigh", x, (), [(size,), (size, size)])
    weighted = times(vectors, ir.astype(_row(gradient), x.desc.dtype))
    return (scaled(_half_triangle(product_of(weighted, adjoint_of(vectors))), 2),)


def _eigh(n: Node, gradient: Node) -> Gradients:
    """Return the gradient V·(diag(w') + F∘(Vᵀ·V'))·Vᵀ with F = 1 / (w_j - w_i), folded into the lower triangle.

    w' and V' are the gradients of the eigenvalues and eigenvectors.  Raises GradientError if the matrices are complex.
    """
    x = n.inputs[0]
    _refuse_phases("eigh", x, "take eigvalsh()")
    tails: list[Shape] = [x.desc.shape[-1:], x.desc.shape[-2:]]
    w, v = _unpacked(value_of(n), tails)
    by_w, by_v = _unpacked(gradient, tails)
    apart = _reciprocal(apply("subtract", _row(w), _column(w)))
    inner = _plus_diagonal(times(apart, product_of(transposed(v), by_v)), by_w)
    whole = product_of(product_of(v, inner), transposed(v))
    return (_half_triangle(apply("add", whole, transposed(whole))),)


def _eigvals(n: Node, gradient: Node) -> Gradients:
    """Return the gradient V⁻ᴴ·diag(w')·Vᴴ; w' is the gradient of the eigenvalues.

    The gradient of each value goes to the eigenvector with the nearest value.
    """
    x = n.inputs[0]
    size = x.desc.shape[-1]
    w, v = _factors("eig", x, (), [(size,), (size, size)])
    distance = apply("abs", apply("subtract", _column(value_of(n)), _row(w)))
    attrs = (distance.desc.ndim - 1,), True
    nearest = ir.make(OPS["min"], (distance,), attrs, ir.result(distance.desc.dtype, (*w.desc.shape, 1)))
    gradient = total(
        where(apply("equal", distance, nearest), _column(gradient), scalar_like(0, gradient)), (distance.desc.ndim - 2,)
    )
    vectors = adjoint_of(v)
    made = ir.make(
        OPS["solve"], (vectors, times(_column(gradient), vectors)), (), ir.result(v.desc.dtype, v.desc.shape)
    )
    return (made,)


def _eig(n: Node, gradient: Node) -> Gradients:
    _refuse("eig", "the phases of its vectors are arbitrary", "take eigvals()")


def _svdvals(n: Node, gradient: Node) -> Gradients:
    """Return the gradient U·diag(s')·Vᴴ; s' is the gradient of the singular values."""
    x = n.inputs[0]
    rows, columns = x.desc.shape[-2:]
    least = min(rows, columns)
    u, _, vh = _factors("svd", x, (False,), [(rows, least), (least,), (least, columns)])
    return (product_of(times(u, ir.astype(_row(gradient), x.desc.dtype)), vh),)


def _svd(n: Node, gradient: Node) -> Gradients:
    """Return the gradient U·(diag(s') + (F∘X)·S + S·(F∘Y))·Vᵀ, with F = 1 / (s_j² - s_i²).

    U', s', V' are the gradients of the results; X = Uᵀ·U' - U'ᵀ·U, and Y is made of V likewise.  If there are more
    rows, or columns, than values, the part at right angles to the vectors is added: (U' - U·Uᵀ·U')·S⁻¹·Vᵀ. Raises
    GradientError if the matrices are complex, or some vectors arbitrary.
    """
    x = n.inputs[0]
    rows, columns = x.desc.shape[-2:]
    least = min(rows, columns)
    _refuse_phases("svd", x, "take svdvals()")
    if n.attrs[0] and rows != columns:
        reason = f"the vectors beyond the {least} singular values of shape {x.desc.shape} are arbitrary"
        _refuse("svd with full_matrices", reason, "pass full_matrices=False")
    tails: list[Shape] = [(rows, least), (least,), (least, columns)]
    u, s, vt = _unpacked(value_of(n), tails)
    by_u, by_s, by_vt = _unpacked(gradient, tails)
    across, below = _row(s), _column(s)
    apart = _reciprocal(times(apply("subtract", across, below), apply("add", across, below)))
    left, right = product_of(transposed(u), by_u), product_of(vt, transposed(by_vt))
    turn_u, turn_v = (times(apart, apply("subtract", t, transposed(t))) for t in (left, right))
    inner = _plus_diagonal(apply("add", times(turn_u, across), times(below, turn_v)), by_s)
    made = product_of(product_of(u, inner), vt)
    if rows > least:
        square = apply("subtract", by_u, product_of(u, left))
        made = apply("add", made, product_of(times(square, _reciprocal(across)), vt))
    if columns > least:
        square = apply("subtract", by_vt, product_of(transposed(right), vt))
        made = apply("add", made, product_of(u, times(_reciprocal(below), square)))
    return (made,)


def _qr(n: Node, gradient: Node) -> Gradients:
    """Return the gradient (Q' + Q·C)·R⁻ᴴ with a Hermitian C; its lower triangle is that of R·R'ᴴ - Q'ᴴ·Q.

    Q' and R' are the gradients of the results.  For a wide matrix this is the gradient of the square part, as Q takes
    part in the columns beside it.  Raises GradientError if columns of Q are arbitrary.
    """
    x = n.inputs[0]
    rows, columns = x.desc.shape[-2:]
    if n.attrs[0] == "complete" and rows > columns:
        reason = f"the columns of Q beyond the {columns} of shape {x.desc.shape} are arbitrary"
        _refuse("qr with mode 'complete'", reason, "take mode 'reduced'")
    least = min(rows, columns)
    tails: list[Shape] = [(rows, least), (least, columns)]
    q, r = _unpacked(value_of(n), tails)
    by_q, by_r = _unpacked(gradient, tails)
    beside = None
    if columns > rows:
        by_beside = _columns(by_r, rows, columns)
        by_q = apply("add", by_q, product_of(_columns(x, rows, columns), adjoint_of(by_beside)))
        r, by_r, beside = _columns(r, 0, rows), _columns(by_r, 0, rows), product_of(q, by_beside)
    c = _half_triangle(apply("subtract", product_of(r, adjoint_of(by_r)), product_of(adjoint_of(by_q), q)))
    whole = apply("add", by_q, product_of(q, apply("add", c, adjoint_of(c))))
    made = adjoint_of(
        ir.make(OPS["solve"], (r, adjoint_of(whole)), (), ir.result(r.desc.dtype, transposed(whole).desc.shape))
    )
    return (made if beside is None else se.concat([made, beside], x.desc.ndim - 1),)


def _columns(x: Node, start: int, stop: int) -> Node:
    return positions(x, x.desc.ndim - 1, start, stop - start)


RULES: dict[str, Rule] = {
    "det": _det,
    "slogdet": _slogdet,
    "inv": _inverse,
    "solve": _solve,
    "cholesky": _cholesky,
    "eigvalsh": _eigvalsh,
    "eigh": _eigh,
    "eig": _eig,
    "eigvals": _eigvals,
    "svdvals": _svdvals,
    "svd": _svd,
    "qr": _qr,
}
