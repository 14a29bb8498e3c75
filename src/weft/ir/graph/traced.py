"""Traced values: stand-ins for the arguments of a compiled function while it is traced.

The one idea: a traced number holds a function that computes it from the numbers of a call.  Arithmetic on it is
recorded and repeated by Python at each call; an operation that would fix its value (a comparison, `int`, an index) is
refused.  A traced tensor is a placeholder, whose name tells the argument.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from weft.errors import InternalError, TracingError

F = TypeVar("F", bound=Callable[..., Any])
DRAWN = "what a generator drew"  # the name of a number drawn by a generator
Numbers = Sequence[Any]  # the numbers given to a call


class ArgumentName(str):
    """The name of the placeholder for an argument, or for a captured tensor, of a traced function."""

    is_over = False  # True once the function was traced
    by = "compile"  # the function that traces, for messages


class TracedNumber:
    """A number computed by `value(numbers)` from the numbers of a call; `sample` is its value in the traced call.

    `form` is the index of a number of the call, or (name of a function in FUNCTIONS, its operands).  A number drawn for
    each entry of a batch has the trace of the entry as `owner`; `batches` is the number of nested batches it belongs
    to.
    """

    __slots__ = ("batches", "form", "name", "owner", "sample", "value")

    def __init__(
        self, sample: Any, value: Callable[[Numbers], Any], form: int | tuple[str, tuple[Any, ...]], name: str
    ) -> None:
        self.sample, self.value, self.form, self.name = sample, value, form, name
        self.owner: Any = None
        self.batches = 0

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class that `isinstance` sees: the sample's type for user code, TracedNumber inside weft."""
        frame: Any = sys._getframe(1)
        while frame.f_globals.get("__name__") == "abc":  # isinstance beside an abstract class
            frame = frame.f_back
        of_weft = frame.f_globals.get("__name__", "").startswith("weft.")
        return TracedNumber if of_weft or self.sample is None else type(self.sample)

    def __repr__(self) -> str:
        return f"<traced number, {self.sample!r} at the traced call>"

    def __str__(self) -> str:
        raise refused("a text of it", self)

    def __format__(self, _: str) -> str:
        raise refused("a text of it", self)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise refused("an array of it", self)


_INTEGER = "an integer (in a shape, an axis, a slice, a range)"
_REMEDIES = {  # instead of what fixes a number
    _INTEGER: "take positions with weft.take(), or repeat with weft.scan()",
    "a position": "take what is there with weft.take()",
    "bool()": "choose with weft.where() or weft.cond()",
    "a comparison": "choose with weft.where() or weft.cond(), of weft.asarray() of it",
    "float()": "compute with functions of weft, or write x**0.5",
    "a text of it": "print it where the function is called",
}


def refused(use: str, number: TracedNumber) -> TracingError:
    """Return the TracingError for a use, described as text, that would fix the value of a traced number."""
    other = _REMEDIES.get(use, "make a tensor of it with weft.asarray()")
    return TracingError(
        f"compile: {use}, of {number.name}, a number that is given at each call; the first call would decide for all; "
        f"name the argument in static=, or {other}"
    )


def evaluated(x: Any, numbers: Numbers) -> Any:
    """Return the value of a traced number for the numbers of a call; any other object unchanged."""
    return x.value(numbers) if type(x) is TracedNumber else x


FUNCTIONS: dict[str, Callable[..., Any]] = {}  # by name: the functions that traced numbers are results of


def number_of_call(sample: Any, position: int, name: str) -> TracedNumber:
    """Return the traced number for number `position` of a call.

    `sample` is its value while tracing; `name` is for messages.
    """
    return TracedNumber(sample, lambda numbers: numbers[position], position, name)


def of_traced(f: F) -> F:
    """Return function f extended to traced numbers: the result is traced if an operand is.

    The other operands are plain data. f is registered in FUNCTIONS by its name.  Raises InternalError if another
    function has the name.
    """
    if FUNCTIONS.setdefault(f.__name__, f) is not f:
        raise InternalError(f"of_traced: two functions are named {f.__name__}; please report this")

    @wraps(f)
    def traced(*numbers: Any) -> Any:
        return applied(f.__name__, numbers) if any(type(x) is TracedNumber for x in numbers) else f(*numbers)

    return cast(F, traced)


def applied(name: str, numbers: tuple[Any, ...]) -> Any:
    """Return the result of function `name` in FUNCTIONS for the operands; it is traced if an operand is.

    Raises TracingError if the operands were drawn in different batches.
    """
    if not any(type(x) is TracedNumber for x in numbers):
        return FUNCTIONS[name](*numbers)
    made = traced_result(name, numbers)
    made.sample = FUNCTIONS[name](*map(_sample, numbers))
    owners = {x.owner: x.batches for x in numbers if type(x) is TracedNumber}
    if len(owners) > 1:
        raise refused("arithmetic beside one that a generator drew", made)
    ((made.owner, made.batches),) = owners.items()
    return made


def with_numbers(x: Any, numbers: Numbers) -> Any:
    """Return x recomputed with the numbers of its call replaced by `numbers`, which may be traced themselves.

    An x that is not traced is returned unchanged.
    """
    if type(x) is not TracedNumber:
        return x
    if isinstance(x.form, int):
        return numbers[x.form]
    name, operands = x.form
    return applied(name, tuple([with_numbers(o, numbers) for o in operands]))


def traced_result(name: str, numbers: tuple[Any, ...]) -> TracedNumber:
    """Return the traced result of function `name` in FUNCTIONS for the operands, without a sample."""
    f, of = FUNCTIONS[name], next((x.name for x in numbers if type(x) is TracedNumber), "no argument")
    return TracedNumber(None, lambda given: f(*[evaluated(x, given) for x in numbers]), (name, numbers), of)


def _sample(x: Any) -> Any:
    return x.sample if type(x) is TracedNumber else x


def _arithmetic(f: Callable[..., Any], turned: bool = False) -> Callable[..., Any]:
    """Return an operator method that applies f to traced and plain numbers; `turned` swaps the operands."""
    lifted = of_traced(f)

    def method(*operands: Any) -> Any:
        if not all(isinstance(x, (bool, int, float, complex, TracedNumber)) for x in operands):
            return NotImplemented
        if turned:
            operands = operands[::-1]
        return lifted(*operands)

    return method


def _refusal(use: str) -> Callable[..., Any]:
    """Return an operator method that raises TracingError for numbers, and returns NotImplemented for other types.

    `use` describes the operator in the message.
    """

    def method(*operands: Any) -> Any:
        if all(isinstance(x, (bool, int, float, complex, TracedNumber)) for x in operands):
            raise refused(use, next(x for x in operands if type(x) is TracedNumber))
        return NotImplemented

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _f = getattr(operator, _name)
    setattr(TracedNumber, f"__{_name}__", _arithmetic(_f))
    setattr(TracedNumber, f"__r{_name}__", _arithmetic(_f, turned=True))
for _name in ("neg", "pos", "abs"):
    setattr(TracedNumber, f"__{_name}__", _arithmetic(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(TracedNumber, f"__{_name}__", _refusal("a comparison"))
for _name in ("bool", "int", "float", "complex", "round", "iter", "hash"):
    setattr(TracedNumber, f"__{_name}__", _refusal(f"{_name}()"))
TracedNumber.__index__ = _refusal(_INTEGER)  # type: ignore[attr-defined]
