"""Random trees of every atom, dtype, byte order, origin and source, with files, go through text and JSON.

The one idea: what is read back shows the same text, has the same digest and gives the same cells, names or not.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
from tests.laws.every_atom import Orchard
from tests.oracle.compare import same_bits
from tests.shares import examples
from weft import dtypes as dt
from weft.tensors.tensor import Tensor


def check(seed: int, folder: Path) -> None:
    orchard = Orchard(seed, folder, dt.COMMON)
    with weft.scope("tree", seed=seed):
        x, numbers = orchard.tree(orchard.rng.randint(1, 9))
    embed = seed % 3 * 100
    for level in ("graph", "json"):
        text = weft.show(x, level, embed=embed)
        again = weft.parse(text, weft.leaves_of(x, embed=embed))
        assert isinstance(again, Tensor), (seed, text)
        if not embed:  # cells in the text lie row-major
            assert weft.show(again, level) == text and weft.digest(again) == weft.digest(x), seed
        assert (again.byteorder, again.domain, again.dtype) == (x.byteorder, x.domain, x.dtype), seed
        found, wanted = np.asarray(again.numpy()), orchard.cells[numbers]
        assert same_bits(found.astype(wanted.dtype), wanted), (seed, text)


@pytest.mark.parametrize("part", range(4))
def test_trees_go_through_text_and_json(part: int, tmp_path: Path) -> None:
    for seed in range(part * 25, part * 25 + examples(25)):
        check(seed, tmp_path)
