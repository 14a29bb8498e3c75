"""Fixtures of the tests of sweeps."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.unit.sources.stream.large_files import noted_sweeps
from weft.sources.stream.sweep import Sweep
from weft.sources.zarr.zarr_array import ZarrArray


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> list[Sweep[Any]]:
    """The sweeps over files that ran, in their order, but for chained ones."""
    return noted_sweeps(monkeypatch, lambda sweep: sweep)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """Return the number of times each chunk was decoded."""
    found: Counter[Any] = Counter()
    block = ZarrArray.block

    def noted(self: Any, index: Any) -> Any:
        found[index] += 1
        return block(self, index)

    monkeypatch.setattr(ZarrArray, "block", noted)
    return found
