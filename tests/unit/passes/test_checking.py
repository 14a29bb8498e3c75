"""Checks of graphs and plans: asked for by the environment, a setting or a block."""

from __future__ import annotations

from collections.abc import Iterator
from runpy import run_path

import pytest

import weft
from weft.errors import InternalError
from weft.ir.graph.node import make, result
from weft.ir.graph.ops import OPS
from weft.passes import switches
from weft.tensors.tensor import Tensor, node_of, wrap


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = switches._CHECKING
    yield
    switches._CHECKING = before
    switches._plan_anew()


def illegal() -> Tensor:
    """A node that says it checks something, and does not."""
    x = node_of(weft.asarray([1.0, 2.0]))
    return wrap(make(OPS["checked"], (x, x), ("warn", 0), result(x.desc.dtype, (2,))))


def test_faults_are_found_while_checks_are_on():
    weft.set_checking(False)
    assert not weft.is_checking() and illegal().tolist() == [1.0, 2.0]
    with weft.checking():
        assert weft.is_checking()
        with pytest.raises(InternalError, match="one bool says whether any cell is bad"):
            illegal().numpy()
    assert not weft.is_checking()
    weft.set_checking(True)
    with pytest.raises(InternalError, match="please report this"):
        illegal().numpy()


def test_plans_of_before_do_not_serve():
    weft.set_checking(False)
    x = weft.asarray([[1.0, 2.0]])
    assert (x * 3 + 1).tolist() == [[4.0, 7.0]]
    with weft.checking(), pytest.MonkeyPatch.context() as patch:
        checked: list[object] = []
        patch.setattr("weft.ir.graph.spec.check", lambda roots, legal: checked.append(roots))
        assert (x * 3 + 1).tolist() == [[4.0, 7.0]] and checked


def test_the_environment_speaks_until_the_setting_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, on in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("WEFT_CHECK", text)
        assert run_path(switches.__file__)["is_checking"]() is on
    weft.set_checking(1)
    assert weft.is_checking() is True
