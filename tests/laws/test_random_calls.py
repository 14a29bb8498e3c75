"""Random calls of the public functions with odd arguments: a result, or a documented exception in the message form.

The one idea: what a call is made of comes from a seed and the number of the call, so a call that fails can be repeated
alone.  Small results are computed; nothing is written, and no setting changed.
"""

from __future__ import annotations

import inspect
import random
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.cli.vocabulary import vocabulary
from weft.dtypes import DType
from weft.errors import InternalError, WeftError

FORM = re.compile(r"[\w.()-]+( \w+)*(\(.*\))?: .+", re.DOTALL)  # op: fact; reason; what to do
BINDING = re.compile(r"[\w.]+\(\) (missing|got|takes)|.*unexpected keyword argument")
VALUES: tuple[Callable[[], Any], ...] = (
    lambda: weft.ones((2, 3)), lambda: weft.arange(6), lambda: weft.asarray(2), lambda: weft.zeros((0, 2)),
    lambda: weft.asarray([1j, 2]), lambda: weft.asarray([True, False]), lambda: weft.asarray([0.5, weft.nan]),
    lambda: weft.asarray([1.5, 2], dtype=weft.bfloat16), lambda: weft.asarray([1, 2], dtype=weft.float8_e5m2),
    lambda: weft.asarray(np.arange(6, dtype=">i2").reshape(2, 3))[::-1], lambda: weft.constant([1, 2]),
    lambda: np.ones((3, 2)).T, lambda: [1, 2, 3], lambda: [[1], [2, 3]], lambda: (), list, lambda: "text",
    lambda: None, lambda: True, lambda: -1, lambda: 0, lambda: 1, lambda: 2, lambda: 7, lambda: 10**30,
    lambda: -(2**63),
    lambda: 0.5, lambda: float("nan"), lambda: float("inf"), lambda: 1j, dict, lambda: {1, 2}, lambda: object(),
    lambda: weft.float32, lambda: "float64", lambda: ">f4", lambda: slice(None), lambda: Ellipsis, lambda: b"ab",
    lambda: bytearray(b"ab"), lambda: np.float32(2), lambda: np.datetime64("2020-01-01"), lambda: [weft.arange(2)] * 2,
    lambda: (0, 1), lambda: (1, 1), lambda: [None], lambda: iter([1, 2]), lambda: "\ud800", lambda: print,
)  # fmt: skip
WORDS = {word: thing for word, thing in vocabulary().items() if callable(thing) and not isinstance(thing, DType)}
MORE = (
    "overlap check_overlap check_self_overlap may_share_memory parse show computation placeholder variable route find"
)
CALLED = WORDS | {name: getattr(weft, name) for name in MORE.split()}
METHODS = [
    name for name, thing in vars(weft.Tensor).items()
    if inspect.isfunction(thing) and name[0] != "_" and name not in ("dealloc", "own", "to_dask")
]  # fmt: skip


def called(number: int) -> tuple[str, Callable[..., Any], list[Any], dict[str, Any]]:
    """Return the name, the function, the arguments and the keywords of a call."""
    chance = random.Random(number)
    name = chance.choice([*sorted(CALLED), *[f"x.{m}" for m in METHODS]])
    function = getattr(VALUES[chance.randrange(11)](), name[2:]) if name.startswith("x.") else CALLED[name]
    parameters = list(inspect.signature(function).parameters.values())
    places = [p for p in parameters if p.kind <= p.VAR_POSITIONAL]
    needed = sum(p.default is p.empty for p in places)
    count = max(0, min(needed + chance.choice([0, 0, 0, 1, 2]), len(places) + 1))
    args = [chance.choice(VALUES[:13] if chance.random() < 0.5 else VALUES)() for _ in range(count)]
    words = [p.name for p in parameters if p.kind == p.KEYWORD_ONLY and p.name != "out"]
    given = {word: chance.choice(VALUES)() for word in words if chance.random() < 0.2}
    if "seed" in words and chance.random() < 0.8:
        given["seed"] = 7
    return name, function, args, given


def looked_at(made: Any) -> None:
    """Compute small results."""
    for part in made if isinstance(made, (tuple, list)) else (made,):
        if isinstance(part, weft.Tensor) and part.size < 1000:
            part.tolist()


def fault(number: int) -> str | None:
    """Return what is wrong with how a call ends, or None."""
    name, function, args, given = called(number)
    told = f"call {number}: {name}({', '.join([f'{a!r:.60}' for a in args])}, {given!r:.120})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", weft.errors.WeftWarning)
            looked_at(function(*args, **given))
    except InternalError as error:
        return f"{told}: {error!r:.200}"
    except WeftError as error:
        return None if FORM.match(str(error)) else f"{told}: the message {error!s:.200}"
    except TypeError as error:
        text = str(error)
        return None if BINDING.match(text) or re.match(r"\w+: .*; ", text) else f"{told}: {error!r:.200}"
    except ValueError as error:  # of an array that is given for a flag
        return None if str(error).startswith("The truth value of an array") else f"{told}: {error!r:.200}"
    except Exception as error:
        return f"{told}: {error!r:.200}"
    return None


@pytest.mark.parametrize("part", range(4))
def test_calls_end_as_documented(part: int) -> None:
    assert [found for number in range(part * 100, part * 100 + 100) if (found := fault(number))] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_calls_end_as_documented(part: int) -> None:
    assert [found for number in range(part * 1000, part * 1000 + 1000) if (found := fault(number))] == []
