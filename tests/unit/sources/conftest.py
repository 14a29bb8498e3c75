"""What the tests of this folder share; they also import the modules that stand beside them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.runtime.compute import engine
from weft.sources.read import byte_ranges

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(params=["reference", "cpu"])
def _transformer(request: pytest.FixtureRequest) -> Iterator[None]:
    with engine.using(engine.transformer(request.param)):
        yield


@pytest.fixture
def reads() -> Iterator[list[int]]:
    """The bytes of each read."""
    meter = byte_ranges.Meter()
    byte_ranges.METERS.append(meter)
    yield meter.sizes
    byte_ranges.METERS.remove(meter)
