"""Programs of checked operations: what is told does not depend on how they are computed.

The one idea: a program of partial functions and selections is built at random under mode "error"; computed at once,
lazily, by the reference, with passes left out or read back from its text, it gives the same bits or the same error.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples
from weft.errors import MathError, MathWarning

CELLS = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 9.0, np.inf, -np.inf, np.nan])
STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "sqrt": lambda x, y: weft.sqrt(x),
    "log": lambda x, y: weft.log(x),
    "acosh": lambda x, y: weft.acosh(x + 1),
    "asin": lambda x, y: weft.asin(x),
    "over": lambda x, y: y / x,
    "floor": lambda x, y: x // y,
    "mod": lambda x, y: weft.remainder(x, 1.5),
    "pow": lambda x, y: x**y,
    "root": lambda x, y: weft.abs(x) ** 0.5,
    "cast": lambda x, y: weft.astype(weft.astype(x, weft.int8), weft.float64),
    "minus": lambda x, y: x - y,
    "first": lambda x, y: weft.concat([x[:1], y[1:]]),
    "flip": lambda x, y: weft.flip(x),
    "part": lambda x, y: weft.where(y > 0, x, y),
    "roll": lambda x, y: weft.roll(x, 1),
}
ROUNDED = {"log", "acosh", "asin", "pow", "root"}  # functions of which the last bit is the library's
WAYS = {
    "lazy": nullcontext,
    "reference": lambda: weft.transformer("reference"),
    "eager": weft.eager,
    "unfused": lambda: weft.without("fuse"),
    "as written": lambda: weft.without("simplify", "anchor", "prune"),
}


def told(error: Exception) -> str:
    """An error without the line."""
    return f"{type(error).__name__}: {str(error).partition(', built')[0].partition(';')[0]}"


def outcome(steps: list[str], cells: list[float], mode: str, way: Callable[[], Any]) -> str | bytes:
    x, y = weft.asarray(cells), weft.asarray(cells[::-1])
    try:
        with way(), weft.math_mode(mode):
            for name in steps:
                x, y = STEPS[name](x, y), x
            return np.nan_to_num(x.numpy(), nan=77.0).tobytes()
    except (MathError, MathWarning) as error:
        return told(error)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5), st.lists(CELLS, min_size=1, max_size=6))
def test_every_way_tells_the_same(steps: list[str], cells: list[float]) -> None:
    for mode in ("error", "warn"):
        found = {name: outcome(steps, cells, mode, way) for name, way in WAYS.items()}
        if mode == "error" and isinstance(found["lazy"], bytes):
            assert found["lazy"] == outcome(steps, cells, "standard", WAYS["lazy"])
        if "part" in steps or "first" in steps:  # what is built and not read is looked at only where all is computed
            found.pop("eager")
        if ROUNDED & set(steps):
            found.pop("reference")
        assert len(set(found.values())) == 1, found


def test_text_keeps_checks():
    x = weft.asarray([4.0, -1.0])
    with weft.math_mode("error"):
        y = weft.sqrt(x)
    again = weft.parse(weft.show(y), [x])
    for _ in range(2):
        try:
            again.numpy()
            raise AssertionError("no error")
        except MathError as error:
            assert told(error) == "DomainError: sqrt: -1.0 at (1,)"
