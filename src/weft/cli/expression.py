"""Array-API expressions given as text: parsed, checked as a whole, then computed node by node; never `eval`ed.

The one idea: an expression can reach only the objects passed in: a vocabulary of public functions and dtypes, and the
named tensors.  All of Python except operators, indexing and calls is refused, with the column of the fault.
"""

from __future__ import annotations

import ast
import difflib
import keyword
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from weft.errors import ExpressionError, WeftError

MAX_TEXT = 10_000  # characters
MAX_DEPTH = 60  # nested operations
MAX_BITS = 128  # bits of a Python integer; tensors hold 64
ATTRIBUTES = ("T", "mT", "shape", "ndim", "size", "real", "imag", "dtype")

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}  # fmt: skip
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Invert: operator.invert,
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
PLAIN = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Tuple, ast.List, ast.Subscript, ast.Slice, ast.Attribute),
    *(ast.UnaryOp, ast.BinOp, ast.Compare, ast.BoolOp, ast.Call, ast.keyword, ast.And, ast.Or, ast.Not),
)
KNOWN = (*PLAIN, *BINARY, *UNARY, *COMPARE)
HINTS: dict[type[ast.AST], str] = {
    ast.IfExp: "write where(condition, a, b)",
    ast.Lambda: "no functions are defined here",
    ast.ListComp: "whole tensors need no loops",
    ast.GeneratorExp: "whole tensors need no loops",
    ast.Starred: "write the arguments out",
    ast.NamedExpr: "write the value where it is used",
    ast.JoinedStr: "write the text out",
    ast.In: "write any(a == b)",
    ast.Is: "compare with ==",
}
MEANT = "an expression has names, numbers, operators, indexing, tuples and calls of array-API functions"


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression: its text and parsed root over named values.

    `vocabulary` maps other names ("exp", "linalg.norm") to objects.
    """

    text: str
    root: ast.expr
    names: Mapping[str, Any]
    vocabulary: Mapping[str, Any]

    def value(self) -> Any:
        """Return the value: a tensor, a number, or a tuple of these.

        Raises ExpressionError if a part cannot be computed, or the WeftError of the function that failed.
        """
        return _value(self, self.root)


def parse(text: str, names: Mapping[str, Any], vocabulary: Mapping[str, Any]) -> Expression:
    """Return the checked expression of a text over named values; raises ExpressionError with the column of a fault.

    `vocabulary` maps the other words that it may contain to functions, dtypes and constants.

    >>> parse("2 * size(a)", {"a": "wool"}, {"size": len}).value()
    8
    """
    for name in names:
        check_name(name)
    if any("\ud800" <= c <= "\udfff" for c in text):
        shown = ascii(text)[1:61]
        raise ExpressionError(f"expression: {shown} has half of a character; text is Unicode; leave it out")
    text = " ".join(text.splitlines()).strip()
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"expression: {len(text)} characters; at most {MAX_TEXT} are read; split the work")
    _check_brackets(text)
    try:
        root = ast.parse(text, mode="eval").body
    except SyntaxError as e:
        reason = (e.msg or "cannot be read").rstrip(".")
        raise _fault(text, e.offset or len(text) + 1, f"{reason[:1].lower()}{reason[1:]}", MEANT) from e
    except (ValueError, MemoryError, RecursionError, OverflowError) as e:
        raise _fault(text, 1, "is too deeply nested or has a number too long to read", "split it") from e
    expression = Expression(text, root, names, vocabulary)
    for node, depth in _walk(root):
        if depth > MAX_DEPTH:
            raise _at(expression, node, f"operations nested more than {MAX_DEPTH} deep", "split the expression")
        _check(expression, node)
    _check_references(expression, root)
    return expression


def check_name(name: str) -> None:
    """Raise ExpressionError for a name of a tensor that expressions cannot contain.

    They can contain Python's identifiers, but no keywords, "weft", and names that begin with "__".
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__") or name == "weft":
        raise ExpressionError(
            f"expression: {name!r:.60} cannot be a name; use letters, digits and _, such as a=file.npy"
        )


def _fault(text: str, column: int, fact: str, advice: str) -> ExpressionError:
    """Return the ExpressionError, of a fact and an advice, for a fault at a column, counted from 1.

    A mark stands below the column on a separate line.
    """
    column = max(1, min(column, len(text) + 1))
    return ExpressionError(f"expression: column {column}: {fact}; {advice}\n  {text}\n  {' ' * (column - 1)}^")


def _at(expression: Expression, node: ast.AST, fact: str, advice: str) -> ExpressionError:
    """Return the ExpressionError, of a fact and an advice, for a fault at a node's column.

    ast counts bytes, the message characters.
    """
    offset = getattr(node, "col_offset", 0)
    if isinstance(node, ast.Attribute) and node.end_col_offset is not None:
        offset = node.end_col_offset - len(node.attr.encode())
    before = expression.text.encode()[:offset]
    return _fault(expression.text, len(before.decode(errors="replace")) + 1, fact, advice)


def _check_brackets(text: str) -> None:
    """Raise ExpressionError for brackets nested more than MAX_DEPTH deep."""
    depth = 0
    for column, character in enumerate(text, 1):
        depth += (character in "([{") - (character in ")]}")
        if depth > MAX_DEPTH:
            raise _fault(text, column, f"brackets nested more than {MAX_DEPTH} deep", "split the expression")


def _walk(root: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """Yield (node, depth) of a syntax tree from the root down, without recursion."""
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        if depth <= MAX_DEPTH:
            stack.extend((child, depth + 1) for child in reversed(list(ast.iter_child_nodes(node))))


def _check(expression: Expression, node: ast.AST) -> None:
    """Raise ExpressionError for a syntax node that expressions may not contain."""
    if not isinstance(node, KNOWN):
        what = type(node).__name__
        raise _at(expression, node, f"{what} is not part of expressions", HINTS.get(type(node), MEANT))
    if isinstance(node, ast.Compare):
        for op in node.ops:
            if type(op) not in COMPARE:
                what = type(op).__name__.lower()
                raise _at(expression, node, f"`{what}` is not part of expressions", HINTS.get(type(op), MEANT))
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bytes):
            raise _at(expression, node, "byte strings have no use here", MEANT)
        if isinstance(node.value, int) and node.value.bit_length() > MAX_BITS:
            raise _at(expression, node, "the number is too large", f"whole numbers go to {MAX_BITS} bits")
    elif isinstance(node, ast.keyword) and node.arg is None:
        raise _at(expression, node, "`**` in a call is not part of expressions", "write the arguments out")


def _dotted(expression: Expression, node: ast.expr) -> str | None:
    """Return the dotted name of a chain of attributes, "linalg.norm", without a leading "weft.".

    None for anything else, and for chains that begin at a named value.
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id in expression.names:
        return None
    parts.append(node.id)
    if parts[-1] == "weft" and len(parts) > 1:
        parts.pop()
    return ".".join(reversed(parts))


def _check_references(expression: Expression, root: ast.expr) -> None:
    """Raise ExpressionError for unknown names and attributes, and for functions that are not called."""
    stack: list[tuple[ast.AST, bool]] = [(root, False)]
    while stack:
        node, called = stack.pop()
        if isinstance(node, (ast.Name, ast.Attribute)):
            if _check_reference(expression, node, called):
                continue
        elif called:
            raise _at(expression, node, "this is called but is no function", "functions are called by their names")
        for child in reversed(list(ast.iter_child_nodes(node))):
            stack.append((child, isinstance(node, ast.Call) and child is node.func))


def _check_reference(expression: Expression, node: ast.Name | ast.Attribute, called: bool) -> bool:
    """Check one name or attribute; True if it is a word of the vocabulary, whose parts need no check.

    Raises ExpressionError for an unknown name, and for a function that is not called.
    """
    dotted = _dotted(expression, node)
    if dotted is not None and dotted in expression.vocabulary:
        is_function = _is_function(expression.vocabulary[dotted])
        if is_function and not called:
            raise _at(expression, node, f"{dotted} is a function and stands alone", f"call it: {dotted}(...)")
        if called and not is_function:
            raise _at(expression, node, f"{dotted} is called but is no function", "leave the call away")
        return True
    if isinstance(node, ast.Name):
        if node.id not in expression.names:
            raise _at(expression, node, f"unknown name {node.id!r}", _suggest(expression, node.id))
        if called:
            raise _at(expression, node, f"{node.id!r} is a tensor here and cannot be called", "rename the file's name")
        return False
    if called:
        fact = f"{dotted or '.' + node.attr} is no function of the vocabulary"
        raise _at(expression, node, fact, f"tensors have no methods here: write {node.attr}(x, ...)")
    base = _dotted(expression, node.value)
    is_module = base is not None and any(word.startswith(f"{base}.") for word in expression.vocabulary)
    if node.attr not in ATTRIBUTES or is_module:
        raise _at(expression, node, f"unknown attribute {node.attr!r}", f"tensors have {', '.join(ATTRIBUTES)}")
    return False


def _is_function(thing: Any) -> bool:
    return callable(thing) and not isinstance(thing, type)


def _suggest(expression: Expression, name: str) -> str:
    """Return the advice for an unknown name: the nearest known one, and the names of the given tensors."""
    given = ", ".join(expression.names) or "none"
    near = difflib.get_close_matches(name, [*expression.names, *expression.vocabulary], 1)
    meant = f"did you mean {near[0]}? " if near else ""
    return f"{meant}names given: {given}; functions and dtypes are those of the array API"


def _value(expression: Expression, node: ast.expr) -> Any:
    """Return the value of a checked node; a WeftError gets a note with the text of the part that raised it.

    Raises ExpressionError, with the node's column, in the place of Python's errors such as TypeError and ValueError.
    """
    try:
        return _compute(expression, node)
    except ExpressionError:
        raise
    except WeftError as e:
        if not getattr(e, "__notes__", None):
            e.add_note(f"in `{ast.get_source_segment(expression.text, node) or expression.text}`")
        raise
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as e:
        part = ast.get_source_segment(expression.text, node) or expression.text
        raise _at(expression, node, f"`{part[:80]}` cannot be computed: {e}", "check its operands") from e


def _compute(expression: Expression, node: ast.expr) -> Any:
    """Return the value of a checked node, computed from the values of its parts.

    Raises ExpressionError for an attribute of a value that is no tensor, and the errors of the functions called.
    """
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name() | ast.Attribute():
            return _reference(expression, node)
        case ast.Tuple(elts=items):
            return tuple(_value(expression, item) for item in items)
        case ast.List(elts=items):
            return [_value(expression, item) for item in items]
        case ast.Subscript(value=base, slice=index):
            return _value(expression, base)[_value(expression, index)]
        case ast.Slice(lower=lower, upper=upper, step=step):
            return slice(*(None if part is None else _value(expression, part) for part in (lower, upper, step)))
        case ast.Call():
            return _call(expression, node)
        case _:
            return _operation(expression, node)


def _reference(expression: Expression, node: ast.Name | ast.Attribute) -> Any:
    dotted = _dotted(expression, node)
    if dotted is not None and dotted in expression.vocabulary:
        return expression.vocabulary[dotted]
    if isinstance(node, ast.Name):
        return expression.names[node.id]
    base = _value(expression, node.value)
    if isinstance(base, (bool, int, float, complex, str, tuple, list, slice)) or base is None:
        raise _at(expression, node, f"{node.attr} of something that is no tensor", "attributes belong to tensors")
    return getattr(base, node.attr)


def _call(expression: Expression, node: ast.Call) -> Any:
    function = _reference(expression, node.func)  # type: ignore[arg-type]  # checked
    args = [_value(expression, arg) for arg in node.args]
    kwargs = {k.arg: _value(expression, k.value) for k in node.keywords if k.arg is not None}
    return function(*args, **kwargs)


def _operation(expression: Expression, node: ast.expr) -> Any:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _logical(expression, "not", [_operand(expression, operand)])
        case ast.UnaryOp(op=op, operand=operand):
            return UNARY[type(op)](_operand(expression, operand))
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(expression, node, type(op), _operand(expression, left), _operand(expression, right))
        case ast.BoolOp(op=op, values=values):
            word = "and" if isinstance(op, ast.And) else "or"
            return _logical(expression, word, [_operand(expression, value) for value in values])
        case ast.Compare(left=left, ops=ops, comparators=rest):
            cells = [_operand(expression, part) for part in (left, *rest)]
            pairs = zip(ops, cells, cells[1:], strict=False)
            return _logical(expression, "and", [COMPARE[type(op)](a, b) for op, a, b in pairs])
        case _:
            raise _at(expression, node, f"{type(node).__name__} is not part of expressions", MEANT)


def _operand(expression: Expression, node: ast.expr) -> Any:
    """Return the value of an operand; raises ExpressionError for lists and text, which Python would repeat or join."""
    value = _value(expression, node)
    if isinstance(value, (str, tuple, list, slice)) or value is None or value is Ellipsis:
        raise _at(expression, node, "operators take tensors and numbers", "make a tensor of it: asarray([...])")
    return value


def _binary(expression: Expression, node: ast.expr, op: type[ast.operator], a: Any, b: Any) -> Any:
    """Return the result of an operator; raises ExpressionError for Python integers that grow beyond 128 bits."""
    whole = isinstance(a, int) and isinstance(b, int)
    if whole and op in (ast.Pow, ast.LShift):
        bits = a.bit_length() * abs(b) if op is ast.Pow else a.bit_length() + b
        if bits > MAX_BITS and abs(a) > 1:
            raise _at(expression, node, f"{a}{'**' if op is ast.Pow else '<<'}{b} is too large", "write it as a float")
    result = BINARY[op](a, b)
    if isinstance(result, int) and result.bit_length() > MAX_BITS:
        raise _at(expression, node, "the number is too large", f"whole numbers go to {MAX_BITS} bits")
    return result


def _logical(expression: Expression, word: str, values: list[Any]) -> Any:
    """Return the logical `word` ("and", "or" or "not") of values, cell by cell; plain numbers follow Python."""
    result = values[0]
    if word == "not":
        return not result if isinstance(result, (bool, int, float)) else expression.vocabulary["logical_not"](result)
    for value in values[1:]:
        if isinstance(result, (bool, int, float)) and isinstance(value, (bool, int, float)):
            result = (result and value) if word == "and" else (result or value)
        else:
            result = expression.vocabulary[f"logical_{word}"](result, value)
    return result
