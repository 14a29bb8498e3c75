"""Passes and rules that are left out: where, for whom, and what plans are kept for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import weft
from tests.other_threads import elsewhere
from weft.errors import ValueRangeError
from weft.passes.switches import PASSES, enabled, switches


def test_blocks_are_nested_and_end() -> None:
    before = switches()
    with weft.without("fuse"):
        with weft.without("arena", "flat concat"):
            assert [enabled(n) for n in ("fuse", "arena", "flat concat", "prune")] == [False, False, False, True]
        assert not enabled("fuse") and enabled("arena") and switches() != before
    assert all(enabled(n) for n in PASSES) and switches() == before


def test_a_block_is_of_its_thread() -> None:
    outside = switches()
    with weft.without("simplify"):
        assert elsewhere(lambda: (enabled("simplify"), switches())) == (True, outside)
        assert elsewhere(entered) == (False, True)
        assert not enabled("simplify") and enabled("fuse")


def entered() -> tuple[bool, bool]:
    """In a block over another pass."""
    with weft.without("fuse"):
        return enabled("fuse"), enabled("simplify")


def test_a_block_is_of_its_task() -> None:
    async def waiting(name: str) -> list[bool]:
        with weft.without(name):
            await asyncio.sleep(0)
            return [enabled(n) for n in ("fuse", "arena")]

    async def both() -> list[list[bool]]:
        return await asyncio.gather(waiting("fuse"), waiting("arena"))

    assert asyncio.run(both()) == [[False, True], [True, False]]


def test_checks_switched_on_meanwhile_stay_on() -> None:
    set_before, before = weft.is_checking(), switches()
    try:
        with weft.without("fuse"):
            weft.set_checking(True)
        assert weft.is_checking() and switches() == before | {"checked"}
    finally:
        weft.set_checking(set_before)


def kernels() -> int:
    """Return the number of kernels of an expression that could be one kernel."""
    x = weft.asarray([1.0, 2.0, 3.0])
    with weft.profile() as p:
        (weft.exp(x) + 1).sum().item()
    return p.kernels_run


def test_plans_of_a_block_do_not_serve_outside_it() -> None:
    whole = kernels()
    with weft.without("fuse"):
        assert kernels() > whole
        assert elsewhere(kernels) == whole
    assert kernels() == whole


def test_device_work_is_planned_with_the_callers_switches() -> None:
    x = weft.asarray([1.0, 2.0, 3.0], device="thread:0")
    with weft.without(*PASSES):
        assert ((x + 1) * 2).sum().item() == 18.0


def test_blocks_of_generators_end_in_any_order() -> None:
    def within(*names: str) -> Iterator[None]:
        with weft.without(*names):
            yield

    a, b = within("fuse", "block"), within("block")
    next(a), next(b)
    a.close()  # type: ignore[attr-defined]
    assert enabled("fuse") and not enabled("block")
    b.close()  # type: ignore[attr-defined]
    with weft.without("arena"):
        assert enabled("fuse") and enabled("block") and not enabled("arena")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueRangeError, match="without: no pass or rule is called 'fues'"), weft.without("fues"):
        pass
