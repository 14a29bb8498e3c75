"""Tests beside other libraries: each is marked, and skipped where its library is missing."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "ecosystem" in item.path.parts:
            item.add_marker("ecosystem")
