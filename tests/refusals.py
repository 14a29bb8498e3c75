"""Refused calls: a test of cases that each name a call, its error, and words of the error's message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

Refusal = tuple[Callable[[], Any], type[Exception], str]


def refusals(cases: Mapping[str, Refusal]) -> Callable[..., None]:
    """Return a test that every call raises its error; the regular expression is in the message."""

    @pytest.mark.parametrize("name", cases)
    def test(name: str) -> None:
        wrong, kind, says = cases[name]
        with pytest.raises(kind, match=says):
            wrong()

    return test
