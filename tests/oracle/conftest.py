"""Kernels that are held against the reference are compiled as users' are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from tests import shares
from tests.optimising import all_optimised


@pytest.fixture(scope="module", autouse=True)
def _optimised() -> Iterator[None]:
    with all_optimised() if shares.quick_run else nullcontext():
        yield
