"""Golden files: text that is compared with what a test makes, and rewritten with --update-golden."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files with what the tests make")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("kernels/add.ll", text)` holds a text against its file."""
    update = request.config.getoption("--update-golden", default=False)

    def compare(name: str, text: str) -> None:
        path, text = FOLDER / name, text.rstrip() + "\n"
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{name}: no such golden file; run `pytest tests/golden --update-golden` and read it"
        wanted = path.read_text(encoding="utf-8")
        assert text == wanted, f"{name} changed; if that is meant, run `pytest tests/golden --update-golden`"

    return compare
