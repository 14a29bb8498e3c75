"""The base of `Tensor`: its interface for type checkers (`tensor_interface.pyi`), and hints about missing methods.

The one idea: operators and methods are installed by the modules that define them, so that the class knows only places,
nodes and values; static tools find them in the stub.  Names of other libraries' methods raise an error with a hint.
They lie in this base class, since `__getattr__` would slow every attribute down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class TensorInterface:
    """The base of tensors, with an attribute for each name that raises with a hint."""

    __slots__ = ()


class _MissingMethod:
    """An attribute that raises AttributeError with advice."""

    __slots__ = ("advice", "name")

    def __init__(self, name: str, advice: Callable[[str], str]) -> None:
        self.name, self.advice = name, advice

    def __get__(self, x: Any, kind: Any = None) -> Any:
        told = f"'Tensor' object has no attribute {self.name!r}{self.advice(self.name)}"
        raise AttributeError(told, name=self.name, obj=kind if x is None else x)


def set_hints(names: Iterable[str], advice: Callable[[str], str]) -> None:
    """Make tensors raise AttributeError with `advice(name)` for each of these names."""
    for name in names:
        setattr(TensorInterface, name, _MissingMethod(name, advice))


def has_hint(name: str) -> bool:
    """True if tensors lack an attribute of this name and raise AttributeError with advice."""
    return isinstance(vars(TensorInterface).get(name), _MissingMethod)
