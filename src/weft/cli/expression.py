"""Array-API expressions given as text: parsed and checked as a whole, then computed; never `eval`ed.

The one idea: an expression can reach only the objects passed in: a vocabulary of public functions and dtypes, and the
named tensors.  Each part of the syntax tree becomes a function that computes it, and all of Python except operators,
indexing and calls is refused, with the column of the fault.
"""

from __future__ import annotations

import ast
import difflib
import keyword
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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


Thunk = Callable[[], Any]  # computes one part of an expression


def expression_value(text: str, names: Mapping[str, Any], vocabulary: Mapping[str, Any]) -> Any:
    """Return the value of an expression over named values, computed once all of it is checked.

    It is a tensor, a number, or a tuple of these. `vocabulary` maps the other words that the expression may contain to
    functions, dtypes and constants. Raises ExpressionError, with the column, for a fault and for a part that cannot be
    computed, or the WeftError of the function that failed.

    >>> expression_value("2 * size(a)", {"a": "wool"}, {"size": len})
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
    return ExpressionReader(text, names, vocabulary).part(root)()


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


def _check_brackets(text: str) -> None:
    """Raise ExpressionError for brackets nested more than MAX_DEPTH deep."""
    depth = 0
    for column, character in enumerate(text, 1):
        depth += (character in "([{") - (character in ")]}")
        if depth > MAX_DEPTH:
            raise _fault(text, column, f"brackets nested more than {MAX_DEPTH} deep", "split the expression")


@dataclass(frozen=True, slots=True)
class ExpressionReader:
    """Makes functions of the parts of a parsed expression, which compute them; nothing is computed meanwhile.

    `vocabulary` maps names ("exp", "linalg.norm") beside the named values to objects.
    """

    text: str
    names: Mapping[str, Any]
    vocabulary: Mapping[str, Any]

    def at(self, node: ast.AST, fact: str, advice: str) -> ExpressionError:
        """Return the ExpressionError, of a fact and an advice, for a fault at a node's column.

        ast counts bytes, the message characters.
        """
        offset = getattr(node, "col_offset", 0)
        if isinstance(node, ast.Attribute) and node.end_col_offset is not None:
            offset = node.end_col_offset - len(node.attr.encode())
        before = self.text.encode()[:offset]
        return _fault(self.text, len(before.decode(errors="replace")) + 1, fact, advice)

    def part(self, node: ast.expr, depth: int = 0) -> Thunk:
        """Return a function that computes a part, nested `depth` deep.

        A WeftError gets a note with the text of the part that raised it; an ExpressionError, with the node's column,
        takes the place of Python's errors such as TypeError.  Raises ExpressionError for a part that is refused.
        """
        if depth > MAX_DEPTH:
            raise self.at(node, f"operations nested more than {MAX_DEPTH} deep", "split the expression")
        compute = self._compound(node, depth + 1)

        def value() -> Any:
            try:
                return compute()
            except ExpressionError:
                raise
            except WeftError as e:
                if not getattr(e, "__notes__", None):
                    e.add_note(f"in `{ast.get_source_segment(self.text, node) or self.text}`")
                raise
            except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as e:
                part = ast.get_source_segment(self.text, node) or self.text
                raise self.at(node, f"`{part[:80]}` cannot be computed: {e}", "check its operands") from e

        return value

    def _compound(self, node: ast.expr, depth: int) -> Thunk:
        """Return the function of a part that is no operator; raises ExpressionError for a part that is refused."""
        match node:
            case ast.Constant(value=value):
                if isinstance(value, bytes):
                    raise self.at(node, "byte strings have no use here", MEANT)
                self._check_bits(node, value)
                return lambda: value
            case ast.Name() | ast.Attribute():
                return self._reference(node, depth)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                kind, parts = tuple if isinstance(node, ast.Tuple) else list, [self.part(item, depth) for item in items]
                return lambda: kind([part() for part in parts])
            case ast.Subscript(value=base, slice=index):
                whole, key = self.part(base, depth), self.part(index, depth)
                return lambda: whole()[key()]
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = [None if part is None else self.part(part, depth) for part in (lower, upper, step)]
                return lambda: slice(*(None if end is None else end() for end in ends))
            case ast.Call():
                return self._call(node, depth)
            case _:
                return self._operation(node, depth)

    def _call(self, node: ast.Call, depth: int) -> Thunk:
        """Return the function of a call; raises ExpressionError if the vocabulary has no such function."""
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            raise self.at(node.func, "this is called but is no function", "functions are called by their names")
        function = self._reference(node.func, depth, True)
        args, named = [self.part(arg, depth) for arg in node.args], dict[str, Thunk]()
        for k in node.keywords:
            if k.arg is None:
                raise self.at(k, "`**` in a call is not part of expressions", "write the arguments out")
            named[k.arg] = self.part(k.value, depth)
        return lambda: function()(*[arg() for arg in args], **{name: arg() for name, arg in named.items()})

    def _reference(self, node: ast.Name | ast.Attribute, depth: int, called: bool = False) -> Thunk:
        """Return the function of a name or attribute, of a function of the vocabulary only if it is `called`.

        Raises ExpressionError for unknown ones.
        """
        dotted = self._dotted(node)
        if dotted is not None and dotted in self.vocabulary:
            word = self.vocabulary[dotted]
            is_function = callable(word) and not isinstance(word, type)
            if is_function and not called:
                raise self.at(node, f"{dotted} is a function and stands alone", f"call it: {dotted}(...)")
            if called and not is_function:
                raise self.at(node, f"{dotted} is called but is no function", "leave the call away")
            return lambda: word
        if isinstance(node, ast.Name):
            if node.id not in self.names:
                raise self.at(node, f"unknown name {node.id!r}", self._suggestion(node.id))
            if called:
                raise self.at(node, f"{node.id!r} is a tensor here and cannot be called", "rename the file's name")
            return partial(self.names.__getitem__, node.id)
        if called:
            fact = f"{dotted or '.' + node.attr} is no function of the vocabulary"
            raise self.at(node, fact, f"tensors have no methods here: write {node.attr}(x, ...)")
        base = self._dotted(node.value)
        is_module = base is not None and any(word.startswith(f"{base}.") for word in self.vocabulary)
        if node.attr not in ATTRIBUTES or is_module:
            raise self.at(node, f"unknown attribute {node.attr!r}", f"tensors have {', '.join(ATTRIBUTES)}")
        return partial(self._attribute, node, self.part(node.value, depth))

    def _attribute(self, node: ast.Attribute, base: Thunk) -> Any:
        value = base()
        if isinstance(value, (bool, int, float, complex, str, tuple, list, slice)) or value is None:
            raise self.at(node, f"{node.attr} of something that is no tensor", "attributes belong to tensors")
        return getattr(value, node.attr)

    def _dotted(self, node: ast.expr) -> str | None:
        """Return the dotted name of a chain of attributes, "linalg.norm", without a leading "weft.".

        None for anything else, and for chains that begin at a named value.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.names:
            return None
        parts.append(node.id)
        if parts[-1] == "weft" and len(parts) > 1:
            parts.pop()
        return ".".join(reversed(parts))

    def _suggestion(self, name: str) -> str:
        """Return the advice for an unknown name: the nearest known one, and the names of the given tensors."""
        given = ", ".join(self.names) or "none"
        near = difflib.get_close_matches(name, [*self.names, *self.vocabulary], 1)
        meant = f"did you mean {near[0]}? " if near else ""
        return f"{meant}names given: {given}; functions and dtypes are those of the array API"

    # ---- operators

    def _operation(self, node: ast.expr, depth: int) -> Thunk:
        """Return the function of an operator; raises ExpressionError for all that expressions may not contain."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._logical("not", [self._operand(operand, depth)])
            case ast.UnaryOp(op=sign, operand=operand):
                function, x = UNARY[type(sign)], self._operand(operand, depth)
                return lambda: function(x())
            case ast.BinOp(left=left, op=op, right=right):
                return partial(self._binary, node, type(op), self._operand(left, depth), self._operand(right, depth))
            case ast.BoolOp(op=word, values=values):
                parts = [self._operand(value, depth) for value in values]
                return self._logical("and" if isinstance(word, ast.And) else "or", parts)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                for comparison in ops:
                    if type(comparison) not in COMPARE:
                        raise self._refused(node, comparison, f"`{type(comparison).__name__.lower()}`")
                cells = [self._operand(part, depth) for part in (left, *rest)]
                return self._compared([COMPARE[type(c)] for c in ops], cells)
            case _:
                raise self._refused(node, node, type(node).__name__)

    def _refused(self, node: ast.expr, kind: ast.AST, what: str) -> ExpressionError:
        return self.at(node, f"{what} is not part of expressions", HINTS.get(type(kind), MEANT))

    def _operand(self, node: ast.expr, depth: int) -> Thunk:
        """Return the function of an operand, which raises ExpressionError for lists and text: Python would join these.

        Raises ExpressionError for a part that is refused.
        """
        part = self.part(node, depth)

        def operand() -> Any:
            value = part()
            if isinstance(value, (str, tuple, list, slice)) or value is None or value is Ellipsis:
                raise self.at(node, "operators take tensors and numbers", "make a tensor of it: asarray([...])")
            return value

        return operand

    def _binary(self, node: ast.expr, op: type[ast.operator], left: Thunk, right: Thunk) -> Any:
        """Return the result of an operator; raises ExpressionError for Python integers that grow beyond 128 bits."""
        a, b = left(), right()
        if isinstance(a, int) and isinstance(b, int) and op in (ast.Pow, ast.LShift):
            bits = a.bit_length() * abs(b) if op is ast.Pow else a.bit_length() + b
            if bits > MAX_BITS and abs(a) > 1:
                raise self.at(node, f"{a}{'**' if op is ast.Pow else '<<'}{b} is too large", "write it as a float")
        result = BINARY[op](a, b)
        self._check_bits(node, result)
        return result

    def _check_bits(self, node: ast.expr, value: Any) -> None:
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise self.at(node, "the number is too large", f"whole numbers go to {MAX_BITS} bits")

    def _compared(self, comparisons: Sequence[Callable[[Any, Any], Any]], operands: Sequence[Thunk]) -> Thunk:
        """Return the function of a chain of comparisons, which computes every operand once."""

        def compared() -> Any:
            cells = [operand() for operand in operands]
            return self._joined("and", [f(a, b) for f, a, b in zip(comparisons, cells, cells[1:], strict=False)])

        return compared

    def _logical(self, word: str, operands: Sequence[Thunk]) -> Thunk:
        return lambda: self._joined(word, [operand() for operand in operands])

    def _joined(self, word: str, values: Sequence[Any]) -> Any:
        """Return the logical `word` ("and", "or" or "not") of values, cell by cell; plain numbers follow Python."""
        result = values[0]
        if word == "not":
            return not result if isinstance(result, (bool, int, float)) else self.vocabulary["logical_not"](result)
        for value in values[1:]:
            if isinstance(result, (bool, int, float)) and isinstance(value, (bool, int, float)):
                result = (result and value) if word == "and" else (result or value)
            else:
                result = self.vocabulary[f"logical_{word}"](result, value)
        return result
