"""Writes of others: what reads memory that somebody else has written since raises, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import OverwrittenError
from weft.passes.switches import Checking
from weft.runtime.memory import fingerprints
from weft.runtime.memory.fingerprints import SMALL
from weft.tensors.tensor import COPIED, node_of


@pytest.fixture(autouse=True, params=["cpu", "reference"])
def transformer(request, monkeypatch):
    monkeypatch.delenv("WEFT_CHECK", raising=False)
    monkeypatch.setattr(Checking, "on", False)
    with weft.transformer(request.param):
        yield


def overwritten():
    return pytest.raises(OverwrittenError, match=r"others share.*realize")


def test_a_loop_that_refills_a_buffer_raises():
    buffer, sums = np.zeros(3), []
    for i in range(3):
        buffer[:] = i
        sums.append(weft.sum(weft.asarray(buffer)))
    for early in sums[:2]:
        with overwritten():
            early.item()
    assert sums[2].item() == 6


@pytest.mark.parametrize("sum_of", [lambda b: weft.sum(weft.asarray(b)).realize(), lambda b: weft.sum(weft.array(b))])
def test_what_is_computed_or_copied_before_the_write_keeps_its_meaning(sum_of):
    buffer, sums = np.zeros(3), []
    for i in range(3):
        buffer[:] = i
        sums.append(sum_of(buffer))
    assert [y.item() for y in sums] == [0, 3, 6]


def test_a_tensor_shows_what_others_wrote_and_so_does_what_is_built_after_it():
    buffer = np.zeros(3)
    x = weft.asarray(buffer)
    view = x[1:]
    for i in range(4):
        buffer[:] = i
        assert x.tolist() == [i] * 3 and view.sum().item() == 2 * i and (x * 2).tolist() == [2 * i] * 3
        assert (view + x[:2]).tolist() == [2 * i] * 2


def test_readers_before_and_after_a_write_are_distinguished():
    buffer = np.zeros(3)
    x = weft.asarray(buffer)
    before = [x.sum(), x + 1, weft.concat([x, x]), x[::-1] * 2, weft.stack([x[1:], x[:2]]).sum()]
    buffer[0] = 7
    after = x.sum()
    assert after.item() == 7
    for y in before:
        with overwritten():
            y.tolist()
    assert x.tolist() == [7, 0, 0]


def test_the_error_names_the_operand_and_the_line():
    buffer = np.zeros(3)
    y = weft.exp(weft.asarray(buffer))
    buffer[0] = 1
    with pytest.raises(OverwrittenError, match=r"exp: its operand float64\[3\] .*test_writes_of_others.py:\d+;.*copy="):
        y.tolist()
    with pytest.raises(RuntimeError):
        y.tolist()


@for_each("at", [(0, 0), (-1, -1)])
@pytest.mark.parametrize(
    "lay", [lambda a: a, lambda a: a.T, lambda a: a[::2, 1:], lambda a: a[::-1], np.asfortranarray]
)
@for_each("dtype", ["f4", "i1", ">f8", "c16"])
@pytest.mark.parametrize("n", [2, 3, 9, 40, 311])
def test_first_and_last_cell_are_looked_at(n, dtype, lay, at):
    buffer = lay(np.zeros((n, n + 5), dtype))
    y = weft.asarray(buffer) + 1
    buffer[at] = 1
    with overwritten():
        y.tolist()


@for_each("n", range(1, SMALL // 8 + 1))
def test_all_cells_of_few_bytes_are_looked_at(n):
    for k in range(n):
        buffer = np.zeros(n)
        y = weft.asarray(buffer) * 2
        buffer[k] = -0.0
        with overwritten():
            y.tolist()


def test_all_cells_are_compared_while_checks_are_on():
    buffer = np.zeros(10_000)
    x = weft.asarray(buffer)
    unseen = x * 2
    buffer[17] = 1  # between samples
    assert unseen.tolist()[17] == 2
    with weft.checking():
        y = x * 2
        buffer[18] = 1
        with overwritten():
            y.tolist()
        assert (x + 0).sum().item() == 2
    z = x * 2
    buffer[0] = 1
    with overwritten():
        z.tolist()


def test_samples_lie_in_the_array_alone():
    whole = np.zeros((40, 40))
    part = whole[3:30:2, 5:31:3]
    y = weft.asarray(part) + 1
    whole[:3] = whole[30:] = whole[:, :5] = whole[:, 31:] = whole[4::2] = 1
    assert y.sum().item() == part.size


def test_own_writes_are_no_writes_of_others():
    buffer = np.zeros(20)
    x, y = weft.asarray(buffer), weft.asarray(buffer[::2])
    for change in (
        lambda: x.__setitem__(0, 5.0),
        lambda: x.__setitem__(weft.asarray([0, 19]), 3.0),
        lambda: x.__iadd__(1),
        lambda: weft.add(x, x, out=x),
        lambda: y.__setitem__(..., 2.0),
        lambda: weft.assign(weft.concat([x, x[:0]]), weft.arange(20.0)),
        lambda: x.storage.copy_from(np.arange(20.0)),
        lambda: x.storage.zero(),
        lambda: x.storage.byteswap(),
    ):
        expected, before = x.sum().item(), x.sum()
        change()
        assert before.item() == expected and (x * 2).sum().item() == 2 * x.sum().item()
        assert y.sum().item() == x[::2].sum().item()


def test_a_write_of_others_before_one_of_weft_is_not_forgotten():
    buffer = np.zeros(3)
    x, part = weft.asarray(buffer), weft.asarray(buffer[:2])
    y, z = x.sum(), part.sum()
    buffer[0] = 1
    x[1] = 5
    for lost in (y, z):
        with overwritten():
            lost.item()
    assert x.tolist() == [1, 5, 0]


def test_exported_memory_is_looked_at_while_it_is_out():
    x = (weft.arange(5.0) + 0).realize()
    early = x.sum()
    array = x.numpy()
    late = x.max()
    array[0] = 50
    for y in (early, late):
        with overwritten():
            y.item()
    assert x.sum().item() == 60 and (x + 0).tolist() == [50, 1, 2, 3, 4]
    del array
    x += 1
    assert x.tolist() == [51, 2, 3, 4, 5]


def test_memory_that_is_no_longer_shared_is_not_sampled():
    x = (weft.arange(5.0) + 0).realize()
    x.numpy()
    assert (x + 1).sum().item() == 15 and node_of(x).fingerprint is None
    view = x[1:].numpy()
    view[0] = 9
    assert (x + 0).tolist() == [0, 9, 2, 3, 4]


def test_buffers_and_dlpack_are_looked_at():
    memory = bytearray(24)
    x = weft.asarray(memoryview(memory).cast("d"))
    y = x + 1
    memory[0:8] = b"\1" * 8
    with overwritten():
        y.tolist()
    array = np.zeros(4)

    class Capsule:
        def __dlpack__(self, **keywords):
            return array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return array.__dlpack_device__()

    y = weft.from_dlpack(Capsule()) * 2
    array[3] = 1
    with overwritten():
        y.tolist()


def test_foreign_operands_of_operators_are_looked_at():
    small, large = np.zeros(3), np.zeros(COPIED // 8 + 1)
    x, y = weft.ones(3) + small, 1 - weft.ones(large.size) * large
    small[1] = large[0] = 1
    assert x.tolist() == [1, 1, 1]  # a copy of it is cheaper than a look
    with overwritten():
        y.tolist()


def test_gradients_read_no_other_values_than_the_expression():
    buffer = np.ones(3)
    w = weft.asarray(buffer)
    w.requires_grad_()
    loss = (w * w).sum()
    assert loss.item() == 3
    buffer -= 0.5
    loss.backward()
    with overwritten():
        w.grad.tolist()
    w.grad = None
    loss = (w * w).sum()
    loss.backward()
    assert w.grad.tolist() == [1, 1, 1] and loss.item() == 0.75


def test_explain_text_and_metadata_ask_for_no_values():
    buffer = np.zeros(3)
    x = weft.asarray(buffer)
    y = (x + 1).sum()
    buffer[0] = 1
    assert str(weft.explain(y)) and y.shape == () and x.shape == (3,)


def test_a_pending_view_over_several_operations_raises_too():
    buffer = np.zeros((4, 6))
    y = weft.exp((weft.asarray(buffer) + 1)[1:3, ::2]).sum(axis=0)[1:]
    buffer[...] = 2
    with overwritten():
        y.tolist()


def test_looking_takes_no_copy_and_one_call(monkeypatch):
    cells = np.zeros(1 << 16)  # with a name: what nobody else holds is not looked at
    x = weft.asarray(cells)
    y = x.sum()
    looks = []
    seen = node_of(x).fingerprint
    assert seen.samples.nbytes <= 16 * 8

    class Cells:
        def __ne__(self, other):
            looks.append(1)
            return seen.cells != other

    node_of(x).fingerprint = fingerprints.Fingerprint(Cells(), seen.samples)
    looks.clear()
    x + 1
    assert len(looks) == 1
    monkeypatch.setattr(fingerprints, "fingerprint_of", None)  # nothing is noted again
    looks.clear()
    x.sum()
    assert len(looks) == 1 and x.shape and y.item() == 0


@pytest.mark.parametrize("key", [(None, ...), (..., None), (None, slice(1, None)), ([0, 2],), ([True, False, True],)])
def test_keys_of_any_kind_select_from_what_others_have_written(key):
    array = np.zeros(3)
    x = weft.asarray(array)
    assert (x + 1).tolist() == [1.0] * 3
    array[...] = 5
    selected = x[key]
    assert selected.tolist() == array[key].tolist() and (selected * 2).tolist() == (array[key] * 2).tolist()
