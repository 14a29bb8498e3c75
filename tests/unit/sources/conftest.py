"""What the tests of this folder share; they also import the modules that stand beside them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.runtime.compute import engine
from weft.sources.read.byte_ranges import METERS, Meter

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(params=["reference", "cpu"])
def _transformer(request: pytest.FixtureRequest) -> Iterator[None]:
    with engine.using(engine.transformer(request.param)):
        yield


@pytest.fixture
def meter() -> Iterator[Meter]:
    """A count of what is read and written."""
    METERS.append(found := Meter())
    yield found
    METERS.remove(found)


@pytest.fixture
def reads(meter: Meter) -> list[int]:
    """The bytes of each read."""
    return meter.sizes
