"""Counts of weft's Python functions that a call runs: they do not depend on the machine, so tests have ceilings."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType

import weft

ROOT = os.path.dirname(weft.__file__)
# versions of Python differ in calls of these: they inline comprehensions, and locks have an __enter__ in Python
VARYING = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "_HeldByStep.__enter__"}


def calls_of(f: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Return how often a call of `f` calls each function of weft, by file and name."""
    seen: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        names = {code.co_name, code.co_qualname}
        if event == "call" and code.co_filename.startswith(ROOT) and names.isdisjoint(VARYING):
            seen[code.co_filename, code.co_name] += 1

    sys.setprofile(note)
    try:
        f()
    finally:
        sys.setprofile(None)
    return seen
