"""Expressions as text: what they mean, and that nothing but the vocabulary can be reached."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from weft.cli import expression as module
from weft.cli.expression import expression_value
from weft.errors import ExpressionError, ShapeError

WORDS = ["exp", "sum", "mean", "where", "concat", "ones", "logical_and", "logical_or", "logical_not", "pi", "float32"]
VOCABULARY: dict[str, Any] = {w: getattr(np, w) for w in WORDS} | {"linalg.norm": np.linalg.norm, "newaxis": None}
A = np.arange(12.0).reshape(3, 4)
B = A[::-1] - 2.0
NAMES = {"a": A, "b": B, "mask": A > 5}

CASES = [
    "a", "-a", "+a", "~mask", "a + b", "a - 1", "2 * a", "a / 2", "a // 2", "a % 3", "a ** 2", "a @ b.T",
    "mask & (b > 0)", "mask | mask", "mask ^ mask", "a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b",
    "exp(a) + sum(b, axis=0)", "a[0]", "a[-1, ::2]", "a[..., None]", "a[1:, newaxis, :2]", "a[mask]", "a[[2, 0]]",
    "a[[2, 0], :]", "a.T[0]", "a.shape[0]", "a.T.shape", "a.ndim + a.size", "mean(a, axis=(0, 1))",
    "where(mask, a, 0.0)", "concat([a, b], axis=0)", "linalg.norm(a)", "ones((2, 3), dtype=float32)",
    "ones((2,), dtype='>f4')", "pi * 2", "(a, b)", "2 ** 10", "1 << 4", "a.dtype", "1e3j",
]  # fmt: skip


def evaluate(text: str, names: Any, vocabulary: Any) -> Any:
    return expression_value(text, names, vocabulary)


@for_each("text", CASES)
def test_means_what_numpy_means(text: str) -> None:
    scope = {w.split(".")[0]: getattr(np, w.split(".")[0]) for w in VOCABULARY}
    wanted = builtins.eval(text, scope | NAMES)
    got = evaluate(text, NAMES, VOCABULARY)
    assert type(got) is type(wanted)
    np.testing.assert_array_equal(got, wanted)


def test_words_for_logic_are_cell_by_cell() -> None:
    for text, wanted in [
        ("2 < a < 7", (A > 2) & (A < 7)),
        ("mask and b > 0", (A > 5) & (B > 0)),
        ("mask or b > 0", (A > 5) | (B > 0)),
        ("not mask", A <= 5),
        ("not 1 < 2", False),
        ("1 < 2 < 3", True),
    ]:
        np.testing.assert_array_equal(evaluate(text, NAMES, VOCABULARY), wanted)


def test_the_package_name_may_be_said() -> None:
    assert evaluate("weft.linalg.norm(a) - weft.linalg.norm(a) + weft.pi", NAMES, VOCABULARY) == np.pi


def test_given_names_win_over_functions() -> None:
    assert evaluate("exp + 1", {"exp": 1.0}, VOCABULARY) == 2.0
    assert "tensor here and cannot be called" in refused("exp(exp)", {"exp": 1.0})


def refused(text: str, names: dict[str, Any] | None = None) -> str:
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, NAMES if names is None else names, VOCABULARY)
    return str(caught.value)


@for_each(
    "text, column, reason",
    [
        ("a + foo", 5, "unknown name 'foo'; names given: a, b, mask"),
        ("a + exq(b)", 5, "did you mean exp?"),
        ("__import__('os')", 1, "unknown name '__import__'"),
        ("a.__class__", 3, "unknown attribute '__class__'; tensors have T, mT"),
        ("a.tofile('x')", 3, "tensors have no methods here: write tofile(x, ...)"),
        ("a.T.dump('x')", 5, "no function"),
        ("linalg.inv(a)", 8, "linalg.inv is no function"),
        ("linalg", 1, "unknown name 'linalg'"),
        ("linalg.T", 8, "unknown"),
        ("exp", 1, "exp is a function and stands alone"),
        ("sum(exp)", 5, "exp is a function and stands alone"),
        ("exp.__globals__", 5, "unknown"),
        ("pi()", 1, "pi is called but is no function"),
        ("a(1)", 1, "cannot be called"),
        ("a[0](1)", 1, "this is called but is no function"),
        ("(1).real", 5, "no tensor"),
        ("a.shape.T", 9, "no tensor"),
        ("'text'.T", 8, "no tensor"),
        ("a if mask else b", 1, "write where(condition, a, b)"),
        ("lambda: a", 1, "no functions are defined here"),
        ("[x for x in a]", 1, "whole tensors need no loops"),
        ("(x := a)", 2, "write the value where it is used"),
        ("f'{a}'", 1, "write the text out"),
        ("sum(*a)", 5, "write the arguments out"),
        ("sum(**a)", 5, "write the arguments out"),
        ("{1: 2}", 1, "Dict is not part of expressions"),
        ("a in b", 1, "write any(a == b)"),
        ("a is b", 1, "compare with =="),
        ("[0] * 9", 1, "operators take tensors and numbers"),
        ("'%s' % a", 1, "operators take tensors and numbers"),
        ("b'a'", 1, "byte strings"),
        ("9**9**9", 1, "too large"),
        ("2 ** 3 ** 99", 6, "too large"),
        ("1 << 10**9", 1, "too large"),
        ("2 ** 100 * 2 ** 100", 1, "too large"),
        ("9" * 100, 1, "too large"),
        ("1 / 0", 1, "division by zero"),
        ("sum(a, foo=1)", 1, "cannot be computed"),
        ("a[7]", 1, "out of bounds"),
        ("a +", 4, "invalid syntax"),
        ("(a", 1, "was never closed"),
        ("", 1, "invalid syntax"),
        ("a; b", 2, "invalid syntax"),
        ("a = b", 3, "invalid syntax"),
        ("é + a + ü", 1, "unknown name 'é'"),
        ("a + 'é' + b", 5, "operators take"),
    ],
)
def test_refused_with_the_column(text: str, column: int, reason: str) -> None:
    message = refused(text)
    assert reason in message
    assert int(re.match(r"expression: column (\d+): ", message)[1]) == column  # type: ignore[index]


BOMBS = {
    "brackets": "(" * 5000 + ")" * 5000,
    "minus": "-" * 9000 + "1",
    "not": "not " * 2000 + "1",
    "sum": "+".join(["a"] * 4000),
    "powers": "**".join(["9"] * 3000),
    "attributes": "a" + ".T" * 4000,
    "calls": "exp(" * 2000,
    "subscripts": "a" + "[0]" * 3000,
    "text": "a" * 10_001,
    "digits": "1" * 9000,
    "comparison": "1" + "<1" * 4000 + "<(2**99*2**99)",
    "null": "a\0b",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_bombs(kind: str) -> None:
    refused(BOMBS[kind])


def test_faults_of_the_operands_keep_their_class_and_name_the_part() -> None:
    def fails(x: Any) -> Any:
        raise ShapeError("squash: shape (3, 4); it cannot be squashed; use another")

    with pytest.raises(ShapeError) as caught:
        evaluate("1 + squash(a)", NAMES, VOCABULARY | {"squash": fails})
    assert caught.value.__notes__ == ["in `squash(a)`"]


def test_names_that_cannot_be_said() -> None:
    for name in ["", "1a", "a-b", "if", "__a", "weft", "a b"]:
        with pytest.raises(ExpressionError, match="cannot be a name"):
            expression_value("1", {name: A}, VOCABULARY)


def test_nothing_is_computed_where_anything_is_refused() -> None:
    calls: list[Any] = []
    with pytest.raises(ExpressionError):
        evaluate("note(a) + nothing", NAMES, VOCABULARY | {"note": calls.append})
    assert calls == []


@given(st.text(alphabet="ab+-*/()[]:,.'0123456789 <>=!~&|^@_Tnotandrexpsum", max_size=40))
def test_any_text_gives_a_value_or_an_expression_error(text: str) -> None:
    try:
        evaluate(text, NAMES, VOCABULARY)
    except ExpressionError as e:
        assert str(e).startswith("expression: ")
    except RuntimeWarning:
        pass  # NumPy stands in for weft here and warns of overflow


def test_every_operator_of_python_is_decided() -> None:
    assert set(ast.operator.__subclasses__()) == module.BINARY.keys()
    assert set(ast.unaryop.__subclasses__()) == {*module.UNARY, ast.Not}
    assert set(ast.cmpop.__subclasses__()) == {*module.COMPARE, ast.In, ast.NotIn, ast.Is, ast.IsNot}
    assert "`notin` is not part of expressions" in refused("a not in b")


@for_each("kind", ast.expr.__subclasses__())
def test_every_other_part_of_python_is_refused(kind: type[ast.expr]) -> None:
    known = (ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Subscript, ast.Slice, ast.Call)
    if kind not in (*known, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare):
        with pytest.raises(ExpressionError, match=f"{kind.__name__} is not part of expressions"):
            module.ExpressionReader("a", {}, {}).part(kind(**dict.fromkeys(kind._fields), col_offset=0))
