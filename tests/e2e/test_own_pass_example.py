"""The example of a pass of one's own."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_pass.py"


def test_it_halves_the_exponentials_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    plain, fewer, difference = runpy.run_path(str(EXAMPLE))["main"](1000)
    assert (plain, fewer) == (2, 1) and difference < 1e-15
    text = capsys.readouterr().out
    assert "---- exp_of_sums" in text and "arena" in text and "1 with the pass" in text
