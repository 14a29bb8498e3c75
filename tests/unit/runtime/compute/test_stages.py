"""Values for the host that are not published."""

import numpy as np
import pytest

import weft
from weft.interop.imports import share
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import Work
from weft.tensors.tensor import node_of


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_values_for_the_host_are_those_of_their_nodes(name):
    """A stored node's value comes in native order, in its own place."""
    cells = np.arange(6, dtype=">u8").reshape(2, 3)
    x = share(cells)
    nodes = [node_of(t) for t in (x, x + 1, x[:, ::-1])]
    with engine.using(engine.transformer(name)):
        found = stages.on_host(Work(nodes))
    for value, expected in zip(found, (cells, cells + 1, cells[:, ::-1]), strict=True):
        assert value.dtype == weft.uint64.np
        assert np.array_equal(value, expected)
    assert nodes[1].value is None
