"""What every test shares: a kernel cache of the run's own, and Hypothesis settings that give the same run each time."""

from __future__ import annotations

import os
import shutil
import tempfile

import hypothesis
import pytest

_OWN_CACHE: list[str] = []

hypothesis.settings.register_profile(
    "weft", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "weft"))


def pytest_configure() -> None:
    """Kernels compiled by the run are kept in a folder that lives as long as the run; its workers inherit it."""
    os.environ.setdefault("WEFT_CHECK", "1")  # every graph and plan is held against its specification
    if "WEFT_CACHE_DIR" not in os.environ:
        _OWN_CACHE.append(tempfile.mkdtemp(prefix="weft-test-cache-"))
        os.environ["WEFT_CACHE_DIR"] = _OWN_CACHE[0]


def pytest_unconfigure() -> None:
    """The run's own kernel cache is removed."""
    for folder in _OWN_CACHE:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Names of tests hold no addresses: workers that share the tests out must agree on them."""
    named = sorted({item.nodeid.split("[")[0] for item in items if " at 0x" in item.nodeid})
    if named:
        raise pytest.UsageError(f"tests named by addresses: {named}; give their parameters ids")
