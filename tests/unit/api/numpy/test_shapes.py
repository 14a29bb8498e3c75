"""Shape functions: against NumPy in every layout and byte order, what is a view, where domains go, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.refusals import refusals
from weft.errors import AxisError, ShapeError, ValueRangeError


@pytest.fixture(params=["cpu", "reference", "eager"], autouse=True)
def _mode(request: pytest.FixtureRequest) -> Any:
    with weft.eager() if request.param == "eager" else weft.transformer(request.param):
        yield


def layouts(dtype: str) -> dict[str, np.ndarray]:
    a = (np.arange(24) % 5).astype(dtype)
    return {
        "matrix": a.reshape(4, 6).copy(), "columns": a.reshape(4, 6, order="F").copy("F"), "vector": a[::-2],
        "box": a.reshape(2, 3, 4)[:, ::-1, ::2], "turned": a.reshape(2, 3, 4).transpose(2, 0, 1), "point": a[3, ...],
        "empty": a.reshape(4, 6)[:, :0], "repeated": np.broadcast_to(a[:3], (4, 3)), "row": a.reshape(1, 24),
    }  # fmt: skip


VIEWS = {
    "T": (lambda x: x.T, lambda a: a[None] if a.ndim == 1 else a.T, range(1, 3)),
    "mT": (lambda x: x.mT, lambda a: a.swapaxes(-1, -2), range(2, 4)),
    "swapaxes": (lambda x: weft.swapaxes(x, 0, -1), lambda a: a.swapaxes(0, -1), range(1, 4)),
    "reverse_axes": (weft.reverse_axes, np.transpose, range(4)),
    "fliplr": (weft.fliplr, lambda a: np.flip(a, min(a.ndim - 1, 1)), range(1, 4)),
    "flipud": (weft.flipud, np.flipud, range(1, 4)),
    "squeeze": (weft.squeeze, np.squeeze, range(4)),
    "pad right": (
        lambda x: weft.broadcast_to(x, (*x.shape, 2), pad="right"),
        lambda a: np.broadcast_to(a[..., None], (*a.shape, 2)), range(4),
    ),
    "broadcast_like": (
        lambda x: weft.broadcast_like(x, np.zeros((2, *x.shape))),
        lambda a: np.broadcast_to(a, (2, *a.shape)), range(4),
    ),
    "diagonal": (lambda x: weft.diag(x, k=1), lambda a: np.diag(a, 1), range(2, 3)),
}  # fmt: skip
VALUES = {
    "H": (lambda x: x.H, lambda a: np.conj(a[None] if a.ndim == 1 else a.T), range(1, 3)),
    "mH": (lambda x: x.mH, lambda a: np.conj(a.swapaxes(-1, -2)), range(2, 4)),
    "adjoint": (weft.adjoint, lambda a: np.conj(a.swapaxes(-1, -2)), range(2, 4)),
    "diag": (lambda x: weft.diag(x, k=-2), lambda a: np.diag(a, -2), range(1, 2)),
    "reshape_like": (lambda x: weft.reshape_like(x, np.zeros(x.size)), lambda a: a.reshape(-1), range(4)),
    **{
        f"{name} {order}": (call, lambda a, order=order: a.ravel(order), range(4))
        for order in "CFAK"
        for name, call in (
            ("ravel", lambda x, order=order: weft.ravel(x, order=order)),
            ("flatten", lambda x, order=order: x.flatten(order)),
        )
    },
}


@for_each("dtype", ["?", ">i4", "<f8", ">c8"])
@for_each("name", [*VIEWS, *VALUES])
def test_numpy_agrees(name: str, dtype: str) -> None:
    ours, numpys, ranks = {**VIEWS, **VALUES}[name]
    for a in layouts(dtype).values():
        if a.ndim not in ranks:
            continue
        for x in (weft.asarray(a), weft.asarray(a).copy()):
            wanted, found = numpys(x.numpy()), ours(x)
            assert found.shape == wanted.shape and np.array_equal(found.numpy(), wanted)
            if name in VIEWS:
                assert found.byteorder == x.byteorder
                assert not wanted.size or np.shares_memory(found.numpy(), x.numpy())
                steps = [(s, t) for s, t, n in zip(found.strides, wanted.strides, wanted.shape, strict=True) if n > 1]
                assert not wanted.size or all(s == t for s, t in steps)


def test_views_are_written_through() -> None:
    x = weft.zeros((4, 6))
    weft.diag(x, k=2)[...] = 1
    weft.fliplr(x)[:, 0] = 2
    weft.swapaxes(x, 0, 1)[0] = 3
    weft.ravel(x)[-1] = 4
    weft.reverse_axes(x)[1, 1:3] = 5
    x.H[2, 1] = 6
    assert x.tolist() == [[3, 0, 1, 0, 0, 2], [3, 5, 6, 1, 0, 2], [3, 5, 0, 0, 1, 2], [3, 0, 0, 0, 0, 4]]
    y = weft.asarray([1.0, 2.0])
    weft.broadcast_to(y, (2, 3), pad="right")[...] = weft.asarray([[7], [8]])
    assert y.tolist() == [7, 8]


def test_flattened_values_are_their_own() -> None:
    x = weft.zeros((2, 2), order="F")
    for order in "CFAK":
        flat = x.flatten(order)
        flat[0] = 1
    assert x.tolist() == [[0, 0], [0, 0]]
    weft.ravel(x, order="F")[1] = 5
    weft.ravel(x, order="K")[2] = 6
    assert x.tolist() == [[0, 6], [5, 0]]


def test_domains() -> None:
    x = weft.translate(weft.zeros((2, 3, 1)), (5, 6, 7))
    assert weft.reverse_axes(x).domain.start == (7, 6, 5) and weft.swapaxes(x, 0, 1).domain.start == (6, 5, 7)
    assert weft.fliplr(x).domain.start == (5, 6, 7) and weft.squeeze(x).domain.start == (5, 6)
    assert weft.broadcast_to(x, (2, 3, 1, 4), pad="right").domain.start == (5, 6, 7, 0)
    assert x.mT.domain.start == (5, 7, 6) and weft.ravel(x).domain.start == (0,)
    assert weft.adjoint(x * 1j).domain.start == (5, 7, 6)
    m = weft.squeeze(x)
    assert m.H.domain.start == (6, 5) and weft.diag(m).domain.start == (0,) == weft.diag(weft.diag(m)).domain.start[:1]


MESSAGES = {
    "T": (lambda: weft.zeros((2, 3, 4)).T, ShapeError, r"T: shape \(2, 3, 4\); matrices and vectors have a transpose"),
    "H": (lambda: weft.zeros(()).H, ShapeError, r"T: shape \(\)"),
    "adjoint": (lambda: weft.adjoint(weft.zeros(2)), ShapeError, r"adjoint: shape \(2,\)"),
    "swapaxes": (lambda: weft.swapaxes(weft.zeros(2), 0, 1), AxisError, "swapaxes: axis 1 of a tensor of rank 1"),
    "fliplr": (lambda: weft.fliplr(weft.zeros(())), AxisError, "fliplr: .* of a tensor of rank 0"),
    "flipud": (lambda: weft.flipud(weft.zeros(())), AxisError, "flipud: axis 0 of a tensor of rank 0"),
    "ravel": (lambda: weft.ravel(weft.zeros(2), order="B"), ValueRangeError, "ravel: order 'B'; orders are 'C', 'F'"),
    "ravel of views": (
        lambda: weft.ravel(weft.zeros((2, 2)), order="F", copy=False), ValueRangeError, "has no view of shape",
    ),
    "pad": (lambda: weft.broadcast_to([1], (2, 2), pad="up"), ValueRangeError, "broadcast_to: pad 'up'; new axes"),
    "sizes": (lambda: weft.broadcast_to([1, 2], (3, 2), pad="right"), ShapeError, r"shape \(2, 1\) does not"),
    "diag": (lambda: weft.diag(weft.zeros((1, 1, 1))), ShapeError, r"diag: a tensor of shape \(1, 1, 1\); it takes"),
    "too few axes": (lambda: weft.permute_dims(weft.zeros((2, 2)), (0,)), ShapeError, "permute_dims: 1 axes for a"),
    "no such axis": (
        lambda: weft.permute_dims(weft.zeros((2, 2)), (0, 5)), AxisError, "permute_dims: axis 5, at position 1 of a",
    ),
    "an axis again": (
        lambda: weft.permute_dims(weft.zeros((2, 2)), (1, -1)), ShapeError, "twice, axis -1 at position 1 again",
    ),
}  # fmt: skip

test_messages = refusals(MESSAGES)


def test_flatten_joins_the_axes_that_pytorch_names():
    a = np.arange(24).reshape(2, 3, 4)
    x = weft.asarray(a)
    for found, shape in (
        (x.flatten(1), (2, 12)),
        (x.flatten(start_dim=1), (2, 12)),
        (x.flatten(0, 1), (6, 4)),
        (x.flatten(start_dim=-2, end_dim=-1), (2, 12)),
        (x.flatten(end_dim=0), (2, 3, 4)),
        (x.flatten(0), (24,)),
    ):
        assert found.tolist() == a.reshape(shape).tolist()
    assert weft.zeros((2, 0, 3)).flatten(1).shape == (2, 0) and weft.zeros(()).flatten(0).shape == (1,)
    copy = x.flatten(1)
    copy[0, 0] = 7
    assert x[0, 0, 0].item() == 0
    with pytest.raises(AxisError, match="flatten: axis 3 of a tensor of rank 3"):
        x.flatten(3)
    with pytest.raises(ShapeError, match="flatten: axes 2 to 1"):
        x.flatten(2, 1)
