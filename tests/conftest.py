"""What all tests share: kernels from run to run, and Hypothesis settings that give the same run each time."""

from __future__ import annotations

import gc
import os

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "weft", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "weft"))


def pytest_configure(config: pytest.Config) -> None:
    """Say what the run, its workers and the interpreters that tests start have in common."""
    os.environ.setdefault("WEFT_CHECK", "1")  # every graph and plan is held against its specification
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # many interpreters import the same modules
    kernels = config.rootpath.resolve() / ".pytest_cache" / "weft-kernels"  # named by all that they depend on
    os.environ.setdefault("WEFT_CACHE_DIR", str(kernels))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Names of tests hold no addresses: workers that share the tests out must agree on them."""
    named = sorted({item.nodeid.split("[")[0] for item in items if " at 0x" in item.nodeid})
    if named:
        raise pytest.UsageError(f"tests named by addresses: {named}; give their parameters ids")


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through a million objects of pytest's whenever a test calls it."""
    gc.collect()
    gc.freeze()
