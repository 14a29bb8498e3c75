"""Modules of other packages, by their entry points in the group "weft.modules".

The one idea: a module is imported only when it is accessed by name; a broken package causes a warning that names it,
and never breaks the import of weft.
"""

from __future__ import annotations

import warnings
from importlib.metadata import EntryPoint, entry_points

from weft.modules.module import REGISTRY, Module

GROUP = "weft.modules"
_BROKEN: set[tuple[str, str]] = set()  # (name, value) of entry points that failed to load


def names() -> tuple[str, ...]:
    """Return the names of all modules: loaded ones, then those provided by installed packages.

    >>> names()[:5]
    ('core', 'linalg', 'fft', 'random', 'nn')
    """
    return tuple(dict.fromkeys([*REGISTRY, *sorted(e.name for e in entry_points(group=GROUP))]))


def find(name: str) -> Module | None:
    """Return the module `name`, importing its package if needed.

    Returns None if there is none; warns and returns None if the package cannot be imported.
    """
    if name in REGISTRY:
        return REGISTRY[name]
    if name.startswith("_"):
        return None
    for point in entry_points(group=GROUP, name=name):
        if (point.name, point.value) not in _BROKEN and (found := _loaded(point)) is not None:
            return found
    return None


def _loaded(point: EntryPoint) -> Module | None:
    """Return the module of an entry point; warns and returns None if it cannot be loaded."""
    before = dict(REGISTRY)
    try:
        found = point.load()
        if not isinstance(found, Module):
            raise TypeError(f"{point.value} is a {type(found).__name__}, not a weft.modules.Module")
        if found.name != point.name:
            raise ValueError(f"{point.value} is the module {found.name!r}")
        return found
    except Exception as error:  # a foreign package may raise anything
        for name in REGISTRY.keys() - before.keys():
            del REGISTRY[name]
        _BROKEN.add((point.name, point.value))
        package = point.dist.name if point.dist is not None else "an unknown package"
        warnings.warn(
            f"weft.modules: {point.name} of the distribution {package} cannot be loaded ({type(error).__name__}: "
            f"{error}); it is left out; repair or remove that package",
            RuntimeWarning,
            stacklevel=4,
        )
        return None
