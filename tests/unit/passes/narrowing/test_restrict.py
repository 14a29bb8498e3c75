"""A box of an expression gives the cells of the whole, and asks for no more than those need."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from weft.ir.graph import spec
from weft.ir.graph.node import locate, walk
from weft.ir.pieces.box import box_of
from weft.passes.narrowing.restrict import restricted
from weft.tensors.tensor import Tensor, node_of, wrap

RANDOM = np.random.default_rng(0)
A, B = (weft.asarray(RANDOM.standard_normal(shape)) for shape in ((6, 7, 8), (3, 7, 8)))
EXPRESSIONS: dict[str, Callable[[], Tensor]] = {
    "elementwise": lambda: A * 2 + 1,
    "broadcast": lambda: A[:, :1] * weft.exp(A[0]) + 3,
    "concat": lambda: weft.concat([A * 2, B, A[:2] + 1], axis=0),
    "kept axis": lambda: weft.mean(weft.concat([A * 2, B], axis=0), axis=1, keepdims=True) - A[0],
    "without keepdims": lambda: weft.sum(A * 3, axis=(0, 2))[:, None] + weft.exp(A[0]),
    "permuted": lambda: weft.permute_dims(weft.var(A + 1, axis=1), (1, 0)),
    "scan": lambda: weft.cumulative_sum(A * 2, axis=1),
    "squeezed": lambda: weft.broadcast_to(weft.squeeze(weft.max(A * 2, axis=0, keepdims=True), axis=0), (5, 7, 8)),
    "sliced": lambda: (A * 2)[1:5, 2:6][1:3],
    "strided": lambda: (A * 2)[::2, ::-1],
    "random": lambda: weft.random.uniform((6, 7, 8), seed=3) * A,
    "reshaped": lambda: weft.reshape(A * 2, (42, 8)),
    "taken": lambda: weft.take(A * 2, weft.asarray([3, 1, 1]), axis=1),
    "padded": lambda: weft.pad(A * 2, ((1, 1), (0, 2), (0, 0))),
    "where": lambda: weft.where(A > 0, A, B[0] * 2),
    "product": lambda: weft.matmul(A, weft.permute_dims(A, (0, 2, 1))),
    "position": lambda: weft.argmax(A * 2, axis=2),
    "converted": lambda: weft.astype(A * 100, weft.int16),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_boxes(name: str) -> None:
    whole = EXPRESSIONS[name]().numpy()
    n, random = node_of(EXPRESSIONS[name]()), np.random.default_rng(1)
    for _ in range(6):
        starts = [int(random.integers(0, size)) for size in n.desc.shape]
        sizes = [int(random.integers(1, size - start + 1)) for start, size in zip(starts, n.desc.shape, strict=True)]
        box = box_of(tuple(sizes), tuple(starts))
        made = restricted(n, box)
        spec.check([made])
        want = whole[box.slices]
        assert wrap(made).numpy().tobytes() == np.ascontiguousarray(want).tobytes()


def test_the_whole_is_the_node_itself() -> None:
    n = node_of(A * 2)
    assert restricted(n, box_of((6, 7, 8))) is n


def test_unrequested_parts_are_left_out() -> None:
    n = node_of(weft.concat([A * 2, B * 3], axis=0))
    below = list(walk([restricted(n, box_of((3, 7, 8), (6, 0, 0)))]))
    assert any(i is node_of(B) for i in below)
    assert not any(i is node_of(A) for i in below)


def test_long_chains_of_views_need_no_recursion() -> None:
    x = A * 2
    for _ in range(3000):
        x = weft.permute_dims(x, (2, 1, 0))
    n = node_of(x)
    assert wrap(restricted(n, box_of((2, 7, 8), (1, 0, 0)))).shape == (2, 7, 8)


@pytest.mark.parametrize("start", [(0, 0), (3, 1), (8, 9)])
def test_boxes_across_a_corner_of_a_padding_are_made_of_slabs(start):
    x = weft.array(np.arange(80.0).reshape(8, 10))
    for mode in ("constant", "reflect"):
        n = node_of(weft.pad(x * 1, 2, mode=mode))
        box = box_of((4, 5), start)
        part = restricted(n, box)
        assert not any(m.desc.size > x.size for m in walk([part]))
        assert wrap(locate(part)).numpy().tolist() == wrap(locate(n)).numpy()[box.slices].tolist()


def test_boxes_of_years_by_months_are_views_of_windows():
    x = weft.array(np.arange(480.0).reshape(120, 4))
    n = node_of(weft.reshape(x * 1, (10, 12, 4)))
    box = box_of((7, 8, 2), (2, 4, 1))
    part = restricted(n, box)
    assert any(m.op.name == "window" for m in walk([part]))
    assert wrap(locate(part)).numpy().tolist() == wrap(locate(n)).numpy()[box.slices].tolist()
