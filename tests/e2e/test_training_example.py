"""The example of training."""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "training.py"


def test_it_learns_in_one_program() -> None:
    found = runpy.run_path(str(EXAMPLE))
    losses, share = found["main"](120)
    assert len(losses) == 120 and losses[0] > 1 and max(losses[-5:]) < 0.5 and share > 0.9
    assert found["step"].traces == 1
