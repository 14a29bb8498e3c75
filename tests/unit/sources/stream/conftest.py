"""What tests of sweeps share."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.sources.stream.large_files import noted_sweeps
from weft.sources.stream.sweep import Sweep


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> list[Sweep[Any]]:
    """The sweeps over files that ran, in their order, but for chained ones."""
    return noted_sweeps(monkeypatch, lambda sweep: sweep)
