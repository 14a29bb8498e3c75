"""Registration with einops, which finds the backends of tensor types among the subclasses of one of its classes.

The one idea: the subclass is defined when einops is imported, before or after weft; weft itself does not import einops.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

THEIRS = "einops._backends"
BACKEND: list[type] = []


class EinopsFinder(MetaPathFinder):
    """Find the module of einops' backends as Python does, and register weft's once it has been executed."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return None for any module but einops' backends; removes the finder when they are found."""
        if name != THEIRS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                _register(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _register(backends: ModuleType) -> None:
    """Define the subclass of einops' class of backends, and keep it: einops finds it by a weak reference."""
    BACKEND.append(import_module("weft.interop.einops_backend").define(backends.AbstractBackend))


def register_with_einops() -> None:
    """Register weft's backend with einops now if it is imported, else when it will be."""
    if THEIRS in sys.modules:
        _register(sys.modules[THEIRS])
    else:
        sys.meta_path.insert(0, EinopsFinder())
