"""Formulas: what they are read as, the nodes that they make, and what numbers alone decide."""

from __future__ import annotations

import pytest

import weft
from weft import dtypes as dt
from weft.errors import InternalError
from weft.ir.atoms.broadcast_to import broadcast_to
from weft.ir.atoms.translate import translate
from weft.ir.graph import formulas
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.tensors.tensor import node_of, wrap

X, Z = weft.asarray([0.5, 2.0]), weft.asarray([1 + 2j, 3 - 1j])


def built(text: str, **names: object) -> list[object]:
    nodes = {name: node_of(weft.asarray(x)) for name, x in names.items()}
    return [
        wrap(made).tolist() if isinstance(made, ir.Node) else made
        for made in formulas.build(formulas.read(text), nodes)
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("-x + 1", [0.5, -1.0]),
        ("1 - square(x)", [0.75, -3.0]),
        ("2 / sqrt(4) * x", [0.5, 2.0]),
        ("where((x > 1) | (x < 0), x, 0)", [0.0, 2.0]),
        ("copysign(1, -x)", [-1.0, -1.0]),
    ],
)
def test_formulas_of_one_operand(text: str, wanted: list[float]) -> None:
    assert built(text, x=X) == [wanted]


def test_parts_share_their_steps() -> None:
    formula = formulas.read("x1 / where(y == 0, 1, y); x2 / where(y == 0, 1, y)")
    assert [step.op for step in formula.steps if step.op != "number"] == ["equal", "where", "divide", "divide"]
    assert built("none; 0", x=X) == [None, 0]


def test_real_operands_have_no_conjugates() -> None:
    assert built("conj(x); real(x)", x=Z) == [[1 - 2j, 3 + 1j], [1.0, 3.0]]
    assert formulas.read("conj(x + real(1 - x))", False) == formulas.read("x + (1 - x)", False)


def test_a_number_that_is_repeated_is_an_operand_itself() -> None:
    one = ir.copied(broadcast_to(ir.scalar(1.0, dt.float64), (2,)))
    placed = translate(one, (3,))
    for g, found in (
        (one, ["scalar", "leaf"]),
        (placed, ["translate", "leaf"]),
        (broadcast_to(one, (4, 2)), ["broadcast_to", "leaf"]),
    ):
        (made,) = formulas.build(formulas.read("g * x"), {"g": g, "x": node_of(X)})
        assert isinstance(made, ir.Node) and [i.op.name for i in made.inputs] == found
    (made,) = formulas.build(formulas.read("g * x"), {"g": one, "x": one})
    assert isinstance(made, ir.Node) and made.desc.shape == (2,)


def test_numbers_alone_can_make_a_condition_false() -> None:
    x, two = node_of(X), ir.scalar(2.0, dt.float64)
    half, infinite = ir.scalar(0.5, dt.float64), ir.scalar(float("inf"), dt.float64)

    def where(text: str, *operands: ir.Node) -> ir.Node | None:
        return formulas.condition(text, ir.elementwise(OPS["pow" if len(operands) > 1 else "exp"], *operands))

    made = [where("(x1 < 0) & (isfinite(x2) & (x2 != floor(x2)))", x, y) for y in (two, infinite, half, x)]
    assert [m is None for m in made] == [True, True, False, False]
    assert where("x < 1", two) is None and where("sin(x) < 1", two) is not None


def test_what_is_no_formula_is_refused() -> None:
    with pytest.raises(InternalError, match=r"formula: 'x\.y' is no sum, product, comparison or op"):
        formulas.read("x.y + 1")
