"""Texts of `weft.show` and `weft.explain` for graphs, plans and kernels, and graphs read back from them."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import weft
from weft.ir.graph.node import walk
from weft.ir.graph.ops import OPS
from weft.tensors.tensor import Tensor, node_of


def row(n: int, dtype: str = "f4") -> Tensor:
    return weft.asarray(np.zeros(n, dtype))


def box() -> Tensor:
    return weft.asarray(np.zeros((6, 8)))


def softmax(x: Tensor) -> Tensor:
    e = weft.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


EXPRESSIONS: dict[str, Callable[[], Tensor]] = {
    "squares": lambda: ((row(9) - row(9)) ** 2).sum(),
    "pieces": lambda: weft.concat([weft.flip(weft.pad(row(5), (2, 1))) for _ in range(3)])[::2] * 2,
    "views": lambda: weft.sliding_window_view(box()[::-1, 1::2].T, (2, 3)),
    "big_endian": lambda: row(4, ">f8") + weft.asarray(np.float32(1)),
    "interleaved": lambda: weft.interleave([row(4), row(4, "i2"), row(4)]) > 0.5,
    "repeated": lambda: weft.tile(weft.repeat(box(), 2, axis=0), (1, 3)),
    "softmax": lambda: softmax(box() + 1),
    "product": lambda: (box() * 2) @ box().T,
    "scan": lambda: weft.cumulative_sum(box(), axis=1, include_initial=True),
    "gather": lambda: box()[[1, 2, 1], :] + weft.arange(8),
    "random": lambda: weft.random.normal((2, 3), seed=7),
    "copies": lambda: weft.positive(weft.negative(-(box() * 3))),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_texts(name: str, golden: Callable[[str, str], None]) -> None:
    x = EXPRESSIONS[name]()
    explained = re.sub(r" +# \S+:\d+$", "", str(weft.explain(x)), flags=re.MULTILINE)
    golden(f"texts/{name}.txt", "\n\n".join([weft.show(x), explained, weft.show(x, "kernel")]))


@pytest.mark.parametrize("name", [n for n in EXPRESSIONS if n != "gather"])
def test_graphs_are_read_back(name: str) -> None:
    x = EXPRESSIONS[name]()
    text = weft.show(x)
    leaves = [weft.asarray(n.value) for n in walk([node_of(x)]) if n.op is OPS["leaf"]]
    again = weft.parse(text, leaves)
    assert isinstance(again, Tensor) and weft.show(again) == text
