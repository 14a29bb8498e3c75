"""Real and imaginary parts: views of complex cells, stored or pending; values where there is nothing to view."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import WriteError
from weft.tensors.tensor import node_of


@pytest.fixture(params=["cpu", "reference"], autouse=True)
def _transformer(request: pytest.FixtureRequest) -> Any:
    with weft.transformer(request.param):
        yield


def cells(dtype: str, shape: tuple[int, ...] = (3, 4)) -> np.ndarray:
    n = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return (n + 1j * (100 + n)).astype(dtype)


@for_each("dtype", ["<c8", ">c8", "<c16", ">c16"])
@for_each("layout", [np.s_[:], np.s_[::-1, ::2], np.s_[:0], np.s_[1, 2, ...]])
def test_parts_alias_memory(dtype: str, layout: Any) -> None:
    a = cells(dtype)
    for b in (a[layout], a.T):
        x = weft.asarray(b)
        for ours, numpys in ((weft.real(x), b.real), (weft.imag(x), b.imag)):
            assert ours.shape == numpys.shape and ours.byteorder == x.byteorder
            assert not numpys.size or ours.strides == numpys.strides
            assert np.array_equal(ours.numpy(), numpys)
            if numpys.size:
                assert np.shares_memory(ours.numpy(), a)
                ours[...] = ours + 1
                assert np.array_equal(x.numpy(), b) and np.array_equal(ours.numpy(), numpys)


@pytest.mark.parametrize("dtype", [weft.complex64, weft.complex128])
def test_parts_of_pending_values(dtype: dt.DType) -> None:
    a = cells("<c16")
    z = weft.asarray(a).astype(dtype) * 2
    re, im = weft.real(z), weft.imag(z)
    assert node_of(re).value is None and node_of(z).value is None
    flipped = re[::-1, 1:]
    assert np.array_equal((re * im).numpy(), (a * 2).real * (a * 2).imag)
    z[0] = 7 - 1j
    assert set(re[0].tolist()) == {7} and set(im[0].tolist()) == {-1}
    im[1] = 5
    re += 1
    wanted = a * 2
    wanted[0] = 7 - 1j
    wanted.imag[1] = 5
    wanted.real += 1
    assert np.array_equal(z.numpy(), wanted)
    assert np.array_equal(flipped.numpy(), wanted.real[::-1, 1:])


def test_expressions_built_before_a_write_keep_their_values() -> None:
    z = weft.asarray(cells("<c16")) + 0
    doubled = weft.imag(z) * 2
    weft.imag(z)[...] = 0
    assert np.array_equal(doubled.numpy(), cells("<c16").imag * 2)
    assert not weft.any(weft.imag(z)).item()


def test_parts_of_parts_and_of_views() -> None:
    a = cells("<c8")
    z = weft.asarray(a)
    v = weft.real(weft.imag(z[1:, ::-2]).T)
    v[0, 0] = -1
    assert a[1, 3].imag == -1
    w = weft.imag(z.reshape(12))[::5]
    assert w.tolist() == a.imag.reshape(12)[::5].tolist()
    windows = weft.sliding_window_view(weft.imag(z), 2, axis=1)
    assert np.array_equal(windows.numpy(), np.lib.stride_tricks.sliding_window_view(a.imag, 2, axis=1))


def test_the_halves_do_not_collide() -> None:
    z = weft.asarray(cells("<c16"))
    weft.real(z)[...] = weft.imag(z)
    assert np.array_equal(z.numpy().real, z.numpy().imag)
    weft.real(z)[1:] = weft.real(z)[:-1]
    assert z.numpy().real[:, 0].tolist() == [100, 100, 104]


def test_real_tensors() -> None:
    x = weft.asarray([1, 2, 3])
    weft.real(x)[0] = 9
    assert x.tolist() == [9, 2, 3]
    zeros = weft.imag(x)
    assert zeros.dtype is weft.int64 and zeros.tolist() == [0, 0, 0]
    assert zeros.strides == (0,) and not zeros.numpy().flags.writeable
    for key in (0, ...):
        with pytest.raises(WriteError):
            zeros[key] = 1
    moved = weft.imag(weft.translate(weft.zeros((2, 3), dtype=">f4"), (1, -2)))
    assert moved.domain.start == (1, -2) and (moved + 1).tolist() == [[1.0] * 3] * 2


def test_parts_of_what_cannot_be_written() -> None:
    a = cells("<c16")
    a.flags.writeable = False
    base = weft.asarray(1j)
    repeated = weft.broadcast_to(base, (3, 4))
    for x, key in ((weft.asarray(a), ...), (repeated, 0), (repeated, np.s_[:, 1:])):
        with pytest.raises(WriteError):
            weft.real(x)[key] = 5
    weft.real(repeated)[...] = 5  # one value for all coordinates of the cell
    assert base.item() == 5 + 1j


def test_routines_and_reductions_of_parts() -> None:
    a = cells("<c16", (5, 5))
    for z in (weft.asarray(a), weft.asarray(a) * 1):
        re, im = weft.real(z), weft.imag(z)
        assert np.array_equal((re @ im).numpy(), a.real @ a.imag)
        assert np.array_equal(weft.sort(im, axis=0).numpy(), np.sort(a.imag, axis=0))
        assert np.array_equal(weft.sum(re, axis=1).numpy(), a.real.sum(1))
        assert np.array_equal(re[[3, 0, 1]].numpy(), a.real[[3, 0, 1]])
        assert np.array_equal(weft.concat([re, im]).numpy(), np.concatenate([a.real, a.imag]))
        assert np.array_equal(weft.cumulative_sum(im, axis=0).numpy(), np.cumsum(a.imag, axis=0))


def test_the_text_form() -> None:
    for half in (weft.real, lambda z: weft.imag(z)[1:] + 1):
        t = half(weft.asarray(cells("<c16")) * 2)
        text = weft.show(t)
        again = weft.parse(text, [weft.asarray(cells("<c16"))])
        assert weft.show(again) == text
        assert np.array_equal(again.numpy(), t.numpy())


def test_explaining_reads_half_of_every_cell() -> None:
    z = weft.asarray(cells("<c16"))
    assert weft.explain(weft.imag(z) * 2).bytes_read == 12 * 8


def test_the_imaginary_part_of_real_cells_is_on_their_device():
    there = weft.device("thread", 0)
    part = weft.imag(weft.ones(3).to_device(there))
    assert part.device == there and part.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", [weft.bool, weft.int8, weft.float8_e5m2])
def test_the_parts_of_what_is_not_complex(dtype: weft.DType) -> None:
    x = weft.asarray([1, 0]).astype(dtype)
    assert x.real.dtype is x.imag.dtype is dtype
    assert x.real.astype("int8").tolist() == [1, 0] and x.imag.astype("int8").tolist() == [0, 0]
    x.real[1] = weft.asarray(1).astype(dtype)
    assert x.astype("int8").tolist() == [1, 1]
