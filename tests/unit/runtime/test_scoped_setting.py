"""Blocks belong to who entered them: threads, tasks, generators that end in any order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

import weft
from weft.autograd.record import is_recording, recording
from weft.runtime.compute import engine
from weft.runtime.devices.stream import AUTOMATIC
from weft.runtime.memory.limits import granted, limited

SET: dict[str, tuple[Callable[[str], Any], Callable[[], str], tuple[str, str, str]]] = {
    "strict": (weft.strict, lambda: weft.get_strict()["dtype"], ("forbid", "warn", "allow")),
    "math_mode": (weft.math_mode, weft.get_math_mode, ("error", "warn", "standard")),
    "device": (weft.default_device, lambda: str(weft.get_default_device()), ("thread:1", "thread:0", "cpu")),
    "dtype": (weft.default_dtype, lambda: weft.get_default_dtype().name, ("int8", "float32", "float64")),
    "transformer": (weft.transformer, lambda: engine.current().name, ("reference", "cpu", "cpu")),
    "memory": (limited, lambda: str(granted()), ("20000000", "30000000", "None")),
    "waits": (lambda on: weft.automatic_waits(on == "on"), lambda: WAITS[AUTOMATIC.get()], ("off", "on", "on")),
    "gradients": (lambda on: recording(on == "on"), lambda: WAITS[is_recording()], ("off", "on", "on")),
    "stream": (lambda name: stream(name), lambda: stream_in_force(), ("one", "other", "none")),
}


WAITS = {True: "on", False: "off"}


@cache
def stream(name: str) -> weft.Stream:
    return weft.device("thread:9").create_stream()


def stream_in_force() -> str:
    made = weft.device("thread:9").stream_for_new()
    return next((name for name in ("one", "other") if stream(name) is made), "none")


def within(block: Any) -> Iterator[None]:
    with block:
        yield


@pytest.mark.parametrize("name", SET)
def test_generators_end_in_any_order(name: str) -> None:
    make, get, (one, other, start) = SET[name]
    a, b = within(make(one)), within(make(other))
    next(a), next(b)
    a.close()  # type: ignore[attr-defined]
    assert get() == other
    b.close()  # type: ignore[attr-defined]
    assert get() == start


@pytest.mark.parametrize("name", SET)
def test_a_generator_ends_in_another_thread(name: str) -> None:
    make, get, (one, _, start) = SET[name]
    a = within(make(one))
    next(a)
    t = threading.Thread(target=a.close)  # type: ignore[attr-defined]
    t.start(), t.join()
    assert get() == start


@pytest.mark.parametrize("name", SET)
def test_tasks_have_blocks_of_their_own(name: str) -> None:
    make, get, (one, other, start) = SET[name]
    seen: list[tuple[str, str]] = []

    async def task(value: str) -> None:
        with make(value):
            for _ in range(3):
                await asyncio.sleep(0)
                seen.append((value, get()))

    async def both() -> None:
        await asyncio.gather(task(one), task(other))

    asyncio.run(both())
    assert len(seen) == 6 and all(value == found for value, found in seen) and get() == start


@pytest.mark.parametrize("name", ["strict", "math_mode", "transformer"])
def test_one_object_is_entered_by_threads_and_again(name: str) -> None:
    make, get, (one, _, start) = SET[name]
    block, entered, left, seen = make(one), threading.Event(), threading.Event(), []

    def inside() -> None:
        with block:
            entered.set()
            left.wait()
            seen.append(get())

    t = threading.Thread(target=inside)
    with block, block:
        t.start()
        entered.wait()
    assert get() == start
    left.set()
    t.join()
    assert seen == [one]
