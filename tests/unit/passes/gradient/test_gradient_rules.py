"""Rules of gradients against differences: ⟨g, f(x + h·u) - f(x - h·u)⟩ / 2h = ⟨f'(x)ᵀg, u⟩ for every op with a rule."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import GradientError
from weft.ir.atoms.adjoints import RULES as SELECTIONS
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, ROWS, resolve
from weft.passes.gradient.gradient_rules import gradients
from weft.tensors.tensor import node_of, wrap

SLOPED = [op for op in ROWS if op.kind == "elementwise" and not op.gradient.startswith("none: ")]
UNARY = [op.name for op in SLOPED if op.arity == 1 and op.rule != "given"]
BINARY = [op.name for op in SLOPED if op.arity == 2 and op.rule != "given"]
STEP = 1e-6


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """The real inner product."""
    return float(np.real(np.vdot(a, b)))


def check(function, *operands: np.ndarray, seed: int = 0) -> None:
    """Gradients with respect to every float operand agree with differences along a random direction."""
    rng = np.random.default_rng(seed)
    nodes = [node_of(weft.array(a)) for a in operands]
    n = function(*nodes)
    value = wrap(function(*nodes)).numpy()
    g = rng.standard_normal(value.shape)
    g = (g + 1j * rng.standard_normal(value.shape) if np.iscomplexobj(value) else g).astype(value.dtype)
    made = gradients(n, node_of(weft.array(g)))
    assert len(made) == len(operands)
    for k, (a, d) in enumerate(zip(operands, made, strict=True)):
        if d is None:
            continue
        assert d.desc.shape == a.shape and d.desc.dtype.np == a.dtype
        u = rng.standard_normal(a.shape)
        u = (u + 1j * rng.standard_normal(a.shape) if np.iscomplexobj(a) else u).astype(a.dtype)
        up, down = (
            wrap(function(*[node_of(weft.array(b + s * STEP * u if j == k else b)) for j, b in enumerate(operands)]))
            for s in (1, -1)
        )
        wanted = inner(g, (up.numpy() - down.numpy()) / (2 * STEP))
        assert inner(wrap(d).numpy(), u) == pytest.approx(wanted, rel=2e-5, abs=2e-6)


def inside(op, x: np.ndarray) -> np.ndarray:
    """The cells around which the op is defined, and no slope infinite."""
    for u in op.undefined:
        bad = [eval(u.bad, {**vars(np), "x": x + step}) for step in (-0.1, 0.1)]
        x = x[~np.logical_or(*bad)]
    return x[np.abs(x) > 0.3] if op.name in ("cbrt", "reciprocal") else x


def of(name: str):
    return lambda *nodes: ir.elementwise(OPS[name], *nodes)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("is_complex", [False, True])
def test_of_one_operand(name: str, is_complex: bool) -> None:
    kinds = {"all": True, "numeric": True, "complex": True}.get(OPS[name].accepts, False)
    if is_complex and (not kinds or name in ("round", "floor", "ceil", "trunc")):
        return
    if not is_complex and OPS[name].accepts == "complex":
        return
    rng = np.random.default_rng(1)
    x = inside(OPS[name], rng.uniform(-2.5, 2.5, 200))[:12].reshape(3, 4)
    check(of(name), x + 1j * rng.uniform(0.1, 0.8, x.shape) if is_complex else x)


SHAPES = (((3, 4), (3, 4)), ((3, 1), (4,)), ((), (2, 3)))


@pytest.mark.parametrize(("name", "shapes"), in_turn(BINARY, SHAPES, every=2), ids=str)
def test_of_two_operands(name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(2)
    check(of(name), *[rng.uniform(0.5, 3.0, s) for s in shapes])


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "pow"])
def test_of_two_complex_operands(name: str) -> None:
    rng = np.random.default_rng(3)
    check(of(name), *[rng.uniform(0.5, 2.0, (2, 3)) + 1j * rng.uniform(0.1, 1.0, (2, 3)) for _ in range(2)])


def test_of_parts() -> None:
    rng = np.random.default_rng(4)
    re, im = rng.standard_normal((2, 5))
    check(lambda a, b: ir.make(OPS["complex"], (a, b), (), ir.result(dt.complex128, (5,))), re, im)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "var"])
@pytest.mark.parametrize(("axes", "keepdims"), [((0,), False), ((0, 2), True), ((1,), True), ((0, 1, 2), False)])
def test_of_reductions(name: str, axes: tuple[int, ...], keepdims: bool) -> None:
    rng = np.random.default_rng(5)
    function = getattr(weft, name)
    x = rng.uniform(0.5, 2.0, (2, 3, 4))
    check(lambda n: node_of(function(wrap(n), axis=axes, keepdims=keepdims)), x)


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_of_products_with_zeros(zeros: int) -> None:
    x = np.array([2.0, 3.0, -1.5, 4.0])
    x[:zeros] = 0
    check(lambda n: node_of(weft.prod(wrap(n))), x)


@pytest.mark.parametrize("shapes", [((3, 4), (4, 2)), ((4,), (4, 2)), ((3, 4), (4,)), ((4,), (4,))])
@pytest.mark.parametrize("lead", [(), (2,), (5, 1)])
def test_of_matrix_products(shapes: tuple[tuple[int, ...], ...], lead: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    left = (*lead, *shapes[0]) if len(shapes[0]) == 2 else shapes[0]
    a, b = rng.standard_normal(left), rng.standard_normal(shapes[1])
    check(lambda m, n: node_of(wrap(m) @ wrap(n)), a, b)
    check(lambda m, n: node_of(wrap(m) @ wrap(n)), a + 1j, b - 2j)


@pytest.mark.parametrize("initial", [False, True])
def test_of_running_sums(initial: bool) -> None:
    x = np.random.default_rng(7).standard_normal((3, 4))
    check(lambda n: node_of(weft.cumulative_sum(wrap(n), axis=1, include_initial=initial)), x)


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("zeros", [(), (0,), (2,), (1, 3), (0, 1, 2, 3)])
def test_of_running_products(zeros: tuple[int, ...], initial: bool) -> None:
    x = np.random.default_rng(9).standard_normal((2, 4))
    x[0, list(zeros)] = 0
    check(lambda n: node_of(weft.cumulative_prod(wrap(n), axis=1, include_initial=initial)), x)
    check(lambda n: node_of(weft.cumulative_prod(wrap(n), axis=0)), x + 1j * x[::-1])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["cumulative_max", "cumulative_min"])
def test_of_running_extremes(name: str, axis: int) -> None:
    x = np.random.default_rng(9).permutation(np.arange(20.0)).reshape(4, 5)
    check(lambda n: node_of(getattr(weft, name)(wrap(n), axis=axis)), x)
    check(lambda n: node_of(getattr(weft, name)(wrap(n), axis=axis)), x[:1, :1])


def test_equal_running_extremes_are_the_first_cell() -> None:
    x = weft.asarray([1.0, 3, 3, 2, 5, weft.nan, weft.nan])
    weights = weft.asarray([1.0, 2, 3, 4, 5, 6, 7])
    got = weft.grad(lambda x: (weft.cumulative_max(x) * weights).sum())(x)
    assert got.tolist() == [1, 9, 0, 0, 5, 13, 0]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("descending", [False, True])
def test_of_sorting(axis: int, descending: bool) -> None:
    x = np.random.default_rng(10).standard_normal((2, 3, 4))
    check(lambda n: node_of(weft.sort(wrap(n), axis=axis, descending=descending)), x)


def test_of_sums_by_position() -> None:
    rows = np.random.default_rng(11).standard_normal((4, 2))
    d = ir.result(dt.float64, (3, 2))
    check(lambda n, at: ir.make(OPS["scatter_add"], (n, at), (3,), d), rows, np.array([2, 0, 2, 1]))


def positive(is_complex: bool) -> np.ndarray:
    """A stack of Hermitian, positive definite matrices."""
    rng = np.random.default_rng(13)
    x = rng.standard_normal((2, 3, 3)) + (1j * rng.standard_normal((2, 3, 3)) if is_complex else 0)
    return x @ x.conj().swapaxes(1, 2) + 3 * np.eye(3)


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize(
    ("name", "attrs", "tail"),
    [("det", (), ()), ("inv", (), (3, 3)), ("eigvalsh", (), (3,)), ("slogdet", (), (2,)),
     ("cholesky", (False,), (3, 3)), ("cholesky", (True,), (3, 3))],
)  # fmt: skip
def test_of_factorisations(name: str, attrs: tuple[bool, ...], tail: tuple[int, ...], is_complex: bool) -> None:
    """The differences are taken in every direction, Hermitian or not."""
    x = positive(is_complex)
    out = resolve(OPS[name], dt.from_numpy(x.dtype)[0])[1]
    check(lambda n: ir.make(OPS[name], (n,), attrs, ir.result(out, (2, *tail))), x)


def packed(name: str, attrs: tuple[object, ...], *tails: tuple[int, ...]):
    """A factorisation that writes its results side by side, of a stack."""
    cells = sum(int(np.prod(t)) for t in tails)

    def function(n: ir.Node) -> ir.Node:
        out = resolve(OPS[name], n.desc.dtype)[1]
        return ir.make(OPS[name], (n,), attrs, ir.result(out, (*n.desc.shape[:-2], cells)))

    return function


def random(shape: tuple[int, ...], is_complex: bool = False) -> np.ndarray:
    rng = np.random.default_rng(21)
    return rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if is_complex else 0)


SHAPES = [(3, 3), (5, 3), (3, 5), (2, 4, 4), (2, 1, 4, 2), (2, 3, 4), (1, 1), (1, 3), (3, 1), (2, 0, 3), (0, 2, 2)]


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_of_orthogonal_factors(mode: str, shape: tuple[int, ...], is_complex: bool) -> None:
    m, n = shape[-2:]
    k = min(m, n)
    if mode == "complete" and m > n:
        with pytest.raises(GradientError, match=r"the columns of Q beyond the . of shape .*; take mode 'reduced'"):
            gradients(packed("qr", (mode,), (m, m), (m, n))(node_of(weft.ones(shape))), node_of(weft.ones(())))
    else:
        check(packed("qr", (mode,), (m, k), (k, n)), random(shape, is_complex))


@pytest.mark.parametrize("shape", SHAPES)
def test_of_singular_values_and_vectors(shape: tuple[int, ...]) -> None:
    m, n = shape[-2:]
    k = min(m, n)
    check(packed("svd", (False,), (m, k), (k,), (k, n)), random(shape))
    if m == n:
        check(packed("svd", (True,), (m, k), (k,), (k, n)), random(shape))


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_of_singular_values(shape: tuple[int, ...], is_complex: bool) -> None:
    check(lambda n: node_of(weft.linalg.svdvals(wrap(n))), random(shape, is_complex))


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (1, 1), (0, 2, 2)])
def test_of_eigenvectors(shape: tuple[int, ...]) -> None:
    check(packed("eigh", (), shape[-1:], shape[-2:]), random(shape))


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (1, 1), (0, 2, 2)])
def test_of_eigenvalues(shape: tuple[int, ...], is_complex: bool) -> None:
    check(lambda n: node_of(weft.linalg.eigvals(wrap(n))), random(shape, is_complex))


def test_of_values_that_are_equal() -> None:
    """The gradients of the values alone are finite, and right where they are sums."""
    for shape, make in (((3, 3), "svd"), ((3, 3), "eigh"), ((4, 3), "svd")):
        x = weft.eye(*shape).requires_grad_()
        found = getattr(weft.linalg, make)(x, **({"full_matrices": False} if make == "svd" else {}))
        (found.S if make == "svd" else found.eigenvalues).sum().backward()
        assert weft.abs(x.grad - weft.eye(*shape)).sum().item() < 1e-12
    x = weft.zeros((4, 2)).requires_grad_()
    weft.linalg.svd(x, full_matrices=False).S.sum().backward()
    assert weft.all(weft.isfinite(x.grad)).item()


def test_of_functions_of_matrices_made_of_factors() -> None:
    x = random((4, 3))
    for function in (
        lambda n: weft.linalg.matrix_norm(wrap(n), ord="nuc"), lambda n: weft.linalg.matrix_norm(wrap(n), ord=2),
        lambda n: weft.linalg.pinv(wrap(n)), lambda n: (wrap(n).T @ wrap(n)) @ weft.linalg.qr(wrap(n)).R,
    ):  # fmt: skip
        y = weft.array(x).requires_grad_()
        g = weft.ones(function(node_of(y)).shape)
        function(node_of(y)).backward(g)
        u = random((4, 3))[::-1]
        up, down = (function(node_of(weft.array(x + s * STEP * u))).numpy() for s in (1, -1))
        assert inner(y.grad.numpy(), u) == pytest.approx((up - down).sum() / (2 * STEP), rel=1e-5)


def test_of_factors_twice() -> None:
    """Gradients of gradients: Σ s² is ‖x‖², whose gradient is 2·x."""
    x = weft.array(random((3, 2))).requires_grad_()
    for total in (weft.linalg.svd(x, full_matrices=False).S, weft.linalg.svdvals(x), weft.linalg.qr(x).R):
        (first,) = weft.autograd.grad((total * total).sum(), x, create_graph=True)
        assert first.numpy() == pytest.approx(2 * x.numpy())
        (second,) = weft.autograd.grad((first * first).sum(), x)
        assert second.numpy() == pytest.approx(8 * x.numpy())


@pytest.mark.parametrize("dtype", [weft.float16, weft.bfloat16, weft.float32])
def test_of_factors_of_narrow_floats(dtype: dt.DType) -> None:
    x = weft.asarray([[3.0, 1.0], [0.0, 2.0], [1.0, 0.0]], dtype=dtype).requires_grad_()
    for made in (weft.linalg.qr(x).R[0, 0], weft.linalg.svdvals(x)[0], weft.linalg.svd(x, full_matrices=False).U[0, 0]):
        made.backward()
        assert x.grad.dtype is dtype and weft.all(weft.isfinite(x.grad)).item()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: weft.linalg.svd(x).S, r"gradient: svd of complex matrices; the phases .*; take svdvals\(\)"),
        (lambda x: weft.linalg.eigh(x[:2]).eigenvalues, r"gradient: eigh of complex matrices; .*; take eigvalsh\(\)"),
        (lambda x: weft.linalg.svd(weft.real(x)).S, r"gradient: svd with full_matrices; .* beyond the 2 sing"),
        (lambda x: weft.linalg.eig(x[:2]).eigenvalues, r"gradient: eig; the phases .*; take eigvals\(\), or det"),
    ],
)  # fmt: skip
def test_of_vectors_that_are_arbitrary(make, message: str) -> None:
    x = weft.asarray(random((3, 2), True)).requires_grad_()
    with pytest.raises(GradientError, match=message):
        weft.real(make(x)).sum().backward()


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("lead", [(), (2,), (4, 1)])
def test_of_solutions(lead: tuple[int, ...], is_complex: bool) -> None:
    a, rng = positive(is_complex), np.random.default_rng(15)
    b = rng.standard_normal((*lead, 3, 2)) * (1 + 1j if is_complex else 1)
    check(lambda m, n: node_of(weft.linalg.solve(wrap(m), wrap(n))), a, b)
    check(lambda m, n: node_of(weft.linalg.solve(wrap(m), wrap(n))), a[0], b)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("cells", [None, 1, 3, 4, 8, 9])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_of_transforms(name: str, cells: int | None, norm: str) -> None:
    rng = np.random.default_rng(14)
    x = rng.standard_normal((2, 5, 2))
    x = x if name == "rfft" else x + 1j * rng.standard_normal(x.shape)
    check(lambda n: node_of(getattr(weft.fft, name)(wrap(n), n=cells, axis=1, norm=norm)), x)


LENGTHS = {  # of nothing: the shortest subgradient
    "abs": weft.abs, "hypot": lambda x: weft.hypot(x, x * 2), "norm": weft.linalg.vector_norm,
    "cubes": lambda x: weft.linalg.vector_norm(x, ord=3), "matrix": lambda x: weft.linalg.matrix_norm(x[None]),
    "std": weft.std, "nanstd": weft.nanstd, "complex": lambda x: weft.linalg.vector_norm(x * 1j),
    "greatest": lambda x: weft.linalg.vector_norm(x, ord=weft.inf),
}  # fmt: skip


@pytest.mark.parametrize("name", LENGTHS)
def test_of_lengths_at_zero(name: str) -> None:
    x = weft.zeros(2).requires_grad_()
    y = LENGTHS[name](x)
    weft.sum(y).backward()
    assert x.grad.tolist() == [0.0, 0.0] and y.tolist() == LENGTHS[name](weft.zeros(2)).tolist()


@pytest.mark.parametrize("name", LENGTHS)
def test_recorded_lengths_have_the_same_values_and_gradients_elsewhere(name: str) -> None:
    x = random((3,)) + 3
    for a in (x, [np.nan, 1.0, 0.0], [np.inf, 0.0, 1.0], [1e-200, 0.0, -0.0]):
        y = weft.array(a)
        plain = np.asarray(LENGTHS[name](y)).tobytes()
        assert np.asarray(LENGTHS[name](y.requires_grad_())).tobytes() == plain
    y = weft.array(x).requires_grad_()
    weft.sum(LENGTHS[name](y)).backward()
    for k in range(3):
        up, down = (weft.sum(LENGTHS[name](weft.array(x + s * STEP * np.eye(3)[k]))).item() for s in (1, -1))
        assert y.grad[k].item() == pytest.approx((up - down) / (2 * STEP), rel=1e-5, abs=1e-8)


def test_of_the_sign_of_zero() -> None:
    (g,) = gradients(of("sign")(node_of(weft.asarray([0j, 1j]))), node_of(weft.asarray([1 + 1j, 1 + 1j])))
    assert g is not None and wrap(g).tolist() == [0, 1]


def test_of_the_number_beside_nan() -> None:
    a, b = node_of(weft.asarray([np.nan, 1.0, 2.0])), node_of(weft.asarray([1.0, np.nan, 1.0]))
    for name, first in (("fmax", [0, 1, 1]), ("fmin", [0, 1, 0]), ("maximum", [1, 0, 1]), ("minimum", [1, 0, 0])):
        made = gradients(of(name)(a, b), node_of(weft.ones(3)))
        assert wrap(made[0]).tolist() == first and wrap(made[1]).tolist() == [1 - k for k in first]


def test_of_choices_and_conversions() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.standard_normal((2, 3, 4))
    check(lambda c, m, n: node_of(weft.where(wrap(c), wrap(m), wrap(n))), a > 0, a, b)
    (g,) = gradients(ir.astype(node_of(weft.array(a)), dt.float32), node_of(weft.array(b.astype(np.float32))))
    assert g is not None and g.desc.dtype is dt.float64
    assert gradients(ir.astype(node_of(weft.asarray([1, 2])), dt.float64), node_of(weft.asarray([1.0, 2.0]))) == (None,)


def test_of_powers_at_zero() -> None:
    a, b = node_of(weft.asarray([0.0, 0.0, 2.0])), node_of(weft.asarray([2.0, 0.0, 0.0]))
    base, exponent = gradients(of("pow")(a, b), node_of(weft.asarray([1.0, 1.0, 1.0])))
    assert wrap(base).tolist() == [0.0, 0.0, 0.0]
    assert wrap(exponent).tolist() == pytest.approx([0.0, 0.0, np.log(2.0)])


def test_every_selection_has_a_rule() -> None:
    assert [n for n, op in OPS.items() if op.kind == "selection" and n not in SELECTIONS] == []


def test_what_has_no_rule_says_so() -> None:
    x = node_of(weft.eye(2))
    with pytest.raises(GradientError, match=r"gradient: less has no rule for gradients; detach\(\) its operands"):
        gradients(of("less")(x, x), x)
