"""Loaded compiled functions: the kinds of calls that were saved, without a Python function to trace others.

The one idea: a call looks up its kind as in any compiled function; if it is missing, the error tells the differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.errors import TracingError, UnknownCallError
from weft.ir.graph import node as ir
from weft.programs import kind_texts
from weft.programs.compiled_function import CompiledFunction
from weft.programs.pytrees import mapped
from weft.programs.traced_call import NUMBERS, Arguments, TracedCall
from weft.tensors.foreign_rows import is_array
from weft.tensors.tensor import Tensor, handle_on, imported, node_of, wrap


class LoadedFunction(CompiledFunction):
    """A compiled function from a file, called like the one that was saved.

    Its kinds omit the set of switched-off passes: with other passes, the same calls are planned anew.
    """

    def __init__(
        self,
        name: str,
        parameters: Sequence[str],
        static: Sequence[str],
        calls: Mapping[Any, TracedCall],
        tensors: Sequence[Tensor],
    ) -> None:
        def function(*args: Any, **named: Any) -> Any:
            raise TracingError(
                f"{name}: a loaded function inside another compiled function, or over tensors that share memory with "
                "what it writes; it has no code of Python; call it outside, on copies"
            )

        function.__name__ = function.__qualname__ = name
        super().__init__(function, (), False)
        self._names, self._static, self._saved = tuple(parameters), frozenset(static), dict(calls)
        self._writes = any(type(w) is int for t in calls.values() for w in t.written)
        self._places = [t._place for t in tensors]

    def __call__(self, *args: Any, **named: Any) -> Any:
        try:
            return super().__call__(*args, **named)
        except UnknownCallError:
            if self._writes:
                raise
        args, named = mapped((args, named), _plain)  # the form of most saved calls
        for name in self._names[len(args) :]:
            if name not in named:
                break
            args = (*args, named.pop(name))
        return super().__call__(*args, **named)

    def __repr__(self) -> str:
        return f"<loaded function {self.__name__}({', '.join(self._names)}): {len(self._saved)} kinds of calls>"  # type: ignore[attr-defined]

    @property
    def persistent(self) -> list[Tensor]:
        """The program's own tensors, which calls read or write beside their arguments."""
        return list(map(handle_on, self._places))

    def calls(self) -> list[tuple[kind_texts.Kind, TracedCall]]:
        """Return pairs of a saved kind of call and its traced call."""
        return [((frozenset(), *kind), t) for kind, t in self._saved.items()]

    def _new(self, kind: kind_texts.Kind, before: TracedCall | None, *call: Any) -> TracedCall:
        """Return the saved traced call for a kind of call.

        Raises UnknownCallError if none was saved, TracingError if it no longer holds.
        """
        first = len(kind_texts.SETTINGS) - 1  # where arguments begin in a kind without the passes
        fits = [k for k in self._saved if k[0] == kind[1] and k[first:] == kind[first + 1 :]]
        known = max(fits, key=lambda k: [a == b for a, b in zip(k[:first], kind[1:], strict=False)], default=None)
        if known is None:
            why = kind_texts.reason(self._names, kind, [(kind[0], *k) for k in self._saved])
            raise UnknownCallError(
                f"{self.__name__}: no saved kind of call fits: {why}; the program has no code of Python to trace; "  # type: ignore[attr-defined]
                "call it as before it was saved, or save it after such a call"
            )
        found = self._saved[known]
        if not found.serves():
            raise TracingError(
                f"{self.__name__}: {found.what_changed()}, and the program has no code of Python to trace anew; "  # type: ignore[attr-defined]
                "save it after that"
            )
        given: Arguments = call[-1]
        given.numbers += [draw() for draw in found.drawn]
        self._calls[kind] = found
        return found


def _plain(x: Any) -> Any:
    """Return a tensor or array as a row-major tensor in native byte order, and other values unchanged.

    Raises DTypeError for an object without numbers.
    """
    if type(x) is not Tensor and (type(x) in NUMBERS or not is_array(x)):
        return x
    n = node_of(x if type(x) is Tensor else imported(x))
    plain = ir.result(n.desc.dtype, n.desc.shape)
    return x if n.desc == plain else wrap(ir.copied(n))
