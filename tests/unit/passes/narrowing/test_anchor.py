"""Small boxes of large pending values: the same cells, and one program for all positions."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.oracle.compare import same_bits
from tests.shares import in_turn
from weft.passes.narrowing.anchor import anchored
from weft.passes.switches import without
from weft.runtime.compute.signature import Work, read
from weft.tensors.tensor import node_of

HELD = weft.asarray(np.arange(600.0).reshape(20, 30))
BIG = weft.asarray(np.arange(600, dtype=">i4").reshape(20, 30))
LARGE = {
    "field": lambda: weft.random.normal((200, 300), seed=1),
    "field of rank 3": lambda: weft.random.uniform((20, 30, 40), seed=1, dtype="float32"),
    "arithmetic": lambda: weft.random.normal((200, 300), seed=1) * 2 + 1,
    "coordinates": lambda: weft.iota((200, 300), origin=(-50, 3)) * 1000 + weft.iota((200, 300), axis=1),
    "mask": lambda: weft.eye(200, 300, k=5),
    "what is stored": lambda: HELD * 2 + weft.random.normal((20, 30), seed=3),
    "big-endian": lambda: BIG + weft.iota((20, 30), axis=1),
    "rows": lambda: HELD[3] + weft.random.normal((200, 30), seed=3),
    "columns": lambda: HELD[:, :1] * weft.random.normal((20, 30), seed=3),
    "turned": lambda: HELD.T + weft.iota((30, 20)),
    "views below": lambda: weft.flip(weft.random.normal((200, 300), seed=1)[::2]) * HELD[5, 6],
    "own parts": lambda: (lambda x: x[:-1] + x[1:])(weft.random.normal((200, 300), seed=1)),
    "diagonal": lambda: weft.diagonal(weft.random.normal((200, 300), seed=1)) + 1,
    "windows": lambda: weft.sliding_window_view(weft.random.normal((3000,), seed=1), 5) * 2,
    "truncated": lambda: weft.random.truncated_normal((200, 300), seed=1, low=-1, high=weft.asarray(2.0)),
    "permutation": lambda: weft.random.permutation(10_000, seed=1),
    "categories": lambda: weft.random.categorical((200, 300), seed=1, p=[0.25, 0.25, 0.5]),
    "lazy categories": lambda: weft.random.categorical((200, 20), seed=1, p=HELD[:, :5] + 1),
    "parts joined": lambda: weft.concat([weft.random.normal((200, 300), seed=1)] * 2) * 2,
    "a running sum": lambda: weft.cumulative_sum(weft.random.normal((200,), seed=1)) * 2,
}  # fmt: skip
BOXES = {
    "box": lambda x: x[3:5, 4:9] if x.ndim > 1 else x[3:9],
    "strides": lambda x: x[3:19:5, 25:4:-7] if x.ndim > 1 else x[40:3:-9],
    "turned": lambda x: weft.permute_dims(x[2:4, :3], (*range(1, x.ndim), 0)) if x.ndim > 1 else weft.flip(x[2:4]),
    "row": lambda x: x[7, 1:4] if x.ndim > 1 else x[7:8],
    "cell": lambda x: x[(4,) * x.ndim],
    "repeated": lambda x: weft.broadcast_to(x[(4,) * x.ndim], (3, 2)),
    "nothing": lambda x: x[3:3],
}  # fmt: skip


@pytest.mark.parametrize(("large", "box"), in_turn(LARGE, BOXES, every=4))
def test_boxes_have_the_cells_of_the_whole(large: str, box: str) -> None:
    found = BOXES[box](LARGE[large]()).numpy()
    whole = LARGE[large]().realize()
    assert same_bits(found, BOXES[box](whole).numpy())
    with without("anchor"):
        assert same_bits(BOXES[box](LARGE[large]()).numpy(), found)


@pytest.mark.parametrize(
    ("large", "programs"),
    [("field", 1), ("arithmetic", 1), ("own parts", 1), ("what is stored", 3), ("rows", 3), ("big-endian", 3)],
)
def test_all_positions_are_one_program(large: str, programs: int) -> None:
    """A stored value is read at strides, which are part of a program's key. The first two boxes have the same."""
    x = LARGE[large]()
    parts = (x[3:5, 4:9], x[10:12, 20:25], x[8:4:-2, 3:28:5], x[2:4, 9:4:-1])
    nodes = [node_of(part) for part in parts]
    assert len({read(Work([n]), [anchored(n)]).key for n in nodes}) == programs


def test_what_is_no_gain_stays() -> None:
    x = weft.random.normal((200, 300), seed=1)
    for n in (node_of(x), node_of(x[:100]), node_of(weft.sum(x, axis=0)[3:5]), node_of(HELD[3:5])):
        assert anchored(n) is n


@pytest.mark.parametrize("key", [np.s_[20:], np.s_[-50::-1], np.s_[5:5, 3], np.s_[:, 30:]])
def test_boxes_without_cells(key: tuple[slice, ...]) -> None:
    """Their first position may lie outside, where nothing can be sliced."""
    assert (HELD + 1)[key].tolist() == (np.arange(600.0).reshape(20, 30) + 1)[key].tolist()
