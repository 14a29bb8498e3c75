"""Fixtures of the tests in this folder, which also import the modules beside them."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from weft.runtime.compute import engine
from weft.sources.read.byte_ranges import METERS, Meter

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(params=["reference", "cpu"])
def _transformer(request: pytest.FixtureRequest) -> Iterator[None]:
    with engine.using(engine.transformer(request.param)):
        yield


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The scratch folder, with nothing in it."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("WEFT_SCRATCH", str(folder))
    return folder


@pytest.fixture
def full_scratch(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The scratch folder, with 1000 bytes free."""
    usage = shutil.disk_usage

    def full(path: Any) -> Any:
        return usage(path)._replace(free=1000) if str(path) == str(scratch) else usage(path)

    monkeypatch.setattr(shutil, "disk_usage", full)
    return scratch


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
