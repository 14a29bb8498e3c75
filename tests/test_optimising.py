"""The kernels that quick runs optimise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
from tests.optimising import SHARE, all_optimised, is_drawn
from weft.backends.llvm.jit import jit
from weft.backends.llvm.jit.cache import DiskCache


def test_a_share_of_the_kernels_is_drawn() -> None:
    assert 80 < sum([is_drawn(f"kernel {n}") for n in range(100 * SHARE)]) < 125


def test_kernels_that_are_known_are_optimised_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, found = jit.compile_text, set()

    def compile_text(text: jit.Text) -> jit.ObjectCode:
        found.add((*text.symbols, text.brief))
        return made(text)

    x = weft.asarray(np.arange(40.0))
    expected = [(x * k - 7).numpy().tolist() for k in (2, 3)]
    monkeypatch.setattr(jit, "compile_text", compile_text)
    monkeypatch.setattr(jit, "disk_cache", lambda: DiskCache(str(tmp_path)))
    with all_optimised():
        assert (x * 2 - 7).numpy().tolist() == expected[0]
    assert ("map", False) in found and ("map", True) not in found
    assert (x * 3 - 7).numpy().tolist() == expected[1]
