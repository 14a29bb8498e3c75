"""The vocabulary of expressions beside the names of their files: public functions, dtypes and constants.

The one idea: words are collected from the array-API chapters and the random fields by the module that defines them, so
a public function that reads files, changes settings or runs code never becomes a word by accident.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import weft
from weft.dtypes import DType

SAFE_MODULES = ("weft.api.", "weft.random", "weft.fields")
SAFE_NAMES = {"asarray", "array"}  # their module is not safe; expressions pass them numbers and lists
UNSAFE_NAMES = {"apply_along_axis", "from_dlpack", "fromfunction", "map_blocks", "piecewise"}
UNSAFE_MODULES = (
    "weft.api.storages.storage",
    "weft.api.storages.overlap",
    "weft.api.numpy.numpy_files",
)  # these reach memory by address or files by name, or are no functions of values
SUBMODULES = ("linalg", "fft", "random", "nn")


@cache
def vocabulary() -> dict[str, Any]:
    """Return a dict from each word of expressions to its object; functions of submodules have dotted names.

    >>> "exp" in vocabulary(), "explain" in vocabulary()
    (True, False)
    """
    words = {name: getattr(weft, name) for name in weft.__all__ if _is_word(name, getattr(weft, name))}
    for module_name in SUBMODULES:
        module = getattr(weft, module_name, None)
        for name in getattr(module, "__all__", ()):
            if _is_word(name, getattr(module, name)):
                words[f"{module_name}.{name}"] = getattr(module, name)
    return words


def _is_word(name: str, thing: Any) -> bool:
    """True if a public name is a dtype, a constant, or a function of tensors."""
    if name.startswith("_") or name in UNSAFE_NAMES:
        return False
    if thing is None or isinstance(thing, (DType, int, float)):
        return True
    module = getattr(thing, "__module__", "") or ""
    is_safe = module.startswith(SAFE_MODULES) and not module.startswith(UNSAFE_MODULES)
    return callable(thing) and not isinstance(thing, type) and (is_safe or name in SAFE_NAMES)
