"""Running sums by blocks: their bits are those of the whole scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.runtime.compute import stages
from weft.sources.stream.block_scans import BlockScan, is_of_blocks
from weft.tensors.place import cells as cells_of
from weft.tensors.tensor import node_of, wrap


@pytest.mark.parametrize("size", [1025, 2048, 5000])
@pytest.mark.parametrize("scan", [weft.cumsum, weft.cumprod], ids=["sum", "product"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32"])
def test_bits(dtype: str, scan: Callable[[Any], weft.Tensor], size: int) -> None:
    cells = np.random.default_rng(size).standard_normal(size)
    cells[:1024] *= -0.0  # the sum stays -0.0 in the first block
    x = weft.asarray((cells if scan is weft.cumsum else 1 + cells / 1000).astype(dtype))
    n = node_of(scan(x))
    assert is_of_blocks(n)
    by_blocks = BlockScan(n)
    stages.compute([by_blocks.totals])
    found, whole = wrap(by_blocks.value(cells_of(by_blocks.totals))).numpy(), scan(x).numpy()
    assert found.dtype == whole.dtype and found.tobytes() == whole.tobytes()


@pytest.mark.parametrize(
    "scan",
    [
        lambda x: weft.cumsum(x[:1024]),  # one block
        lambda x: weft.cumsum(weft.reshape(x, (2, 1500)), axis=1),  # two lines
        lambda x: weft.cumulative_sum(x, include_initial=True),
        lambda x: weft.cumprod(x + 1j),  # products with 1 change complex bits
    ],
)
def test_other_scans(scan: Callable[[weft.Tensor], weft.Tensor]) -> None:
    assert not is_of_blocks(node_of(scan(weft.asarray(np.ones(3000)))))
