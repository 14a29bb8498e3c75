"""Write the files of weft whose functions a program calls, in the order of their first call.

The program is read from standard input: what stands before its first empty line is executed without a trace.
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

import numpy

import weft

ROOT = os.path.dirname(weft.__file__) + os.sep
IS_FUNCTION = 1  # CO_OPTIMIZED: set for functions, not for modules and class bodies


def is_importing(frame: FrameType | None) -> bool:
    """True if a frame belongs to an import, whose calls are no part of the program."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def files_of(program: str, scope: dict[str, Any]) -> list[str]:
    """The files whose functions a program calls, in the order of their first call."""
    found: dict[str, None] = {}

    def seen(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(ROOT) and frame.f_code.co_flags & IS_FUNCTION:
            name = path.removeprefix(ROOT)
            if name not in found and not is_importing(frame):
                found[name] = None

    code = compile(program, "walk", "exec")
    sys.setprofile(seen)
    try:
        exec(code, scope)
    finally:
        sys.setprofile(None)
    return list(found)


if __name__ == "__main__":
    before, _, after = sys.stdin.read().partition("\n\n")
    scope = {"weft": weft, "numpy": numpy}
    exec(before, scope)
    sys.stdout.write("\n".join(files_of(after, scope)) + "\n")
