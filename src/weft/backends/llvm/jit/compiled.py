"""Native functions that are compiled for their arguments: emitted, compiled and cached at first use.

The one idea: what a function is compiled for (a structure, a law, a dtype) are the arguments of its emitter; their text
is its key in the caches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Concatenate, Generic, ParamSpec

from weft.backends.llvm.emit import Builder, Signature, signature
from weft.backends.llvm.jit.jit import Text, code
from weft.dtypes import DType

P = ParamSpec("P")


class Compiled(Generic[P]):
    """A native function with an emitter: called with the emitter's arguments, it returns the address of machine code.

    The emitter may return further functions, which are compiled into the same module.
    """

    def __init__(self, signature: Signature, emit: Callable[Concatenate[Builder, P], Sequence[Builder] | None]) -> None:
        self.signature, self.emit = signature, emit
        self.__doc__ = emit.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> int:
        key = " ".join([self.signature.name, *map(_spelled, (*args, *kwargs.values()))])
        return code(key, lambda: self.text(*args, **kwargs))[self.signature.name]

    def text(self, *args: P.args, **kwargs: P.kwargs) -> Text:
        """Return the LLVM module of the function for these arguments."""
        b = Builder(self.signature)
        others = self.emit(b, *args, **kwargs) or ()
        texts = [b.definition(), *(f.definition().replace("define", "define internal", 1) for f in others)]
        for f in others:
            b.declarations |= f.declarations
        return Text(b.module(*texts), (self.signature.name,), tuple(sorted(b.routines)))


def compiled(
    name: str, parameters: str
) -> Callable[[Callable[Concatenate[Builder, P], Sequence[Builder] | None]], Compiled[P]]:
    """Return a decorator that makes an emitter a `Compiled` of this name and these parameters.

    Arguments that are spelled alike must give the same code.
    """
    return lambda emit: Compiled(signature(name, parameters), emit)


def _spelled(x: object) -> str:
    return x.name if isinstance(x, DType) else str(x)
