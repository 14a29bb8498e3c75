"""Pieces of work shared out to threads."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

from weft.backends.thread_sharing import SHARED, share
from weft.runtime.memory.limits import granted, limited


@pytest.mark.parametrize("nbytes", [0, SHARED])
def test_every_piece_is_done_once(nbytes: int) -> None:
    done: list[int] = []
    share(range(1000), done.append, nbytes)
    assert sorted(done) == list(range(1000))
    share([], done.append, nbytes)
    assert len(done) == 1000


def test_little_work_stays_on_this_thread() -> None:
    threads = set()
    share(range(9), lambda _: threads.add(threading.get_ident()), SHARED - 1)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("nbytes", [0, SHARED])
def test_after_an_error_nothing_new_is_begun(nbytes: int) -> None:
    done: list[int] = []

    def work(piece: int) -> None:
        if piece == 3:
            raise KeyError(piece)
        done.append(piece)

    with pytest.raises(KeyError):
        share(range(100_000), work, nbytes)
    assert len(done) < 100_000


def test_the_error_of_the_first_piece_in_order_is_raised() -> None:
    """Piece 1 fails first; piece 0 fails behind it, and is what a single thread would have raised."""
    later = threading.Event()

    def work(piece: int) -> None:
        if piece == 1:
            later.set()
        assert later.wait(60)
        raise KeyError(piece)

    with pytest.raises(KeyError) as caught:
        share(range(2), work, 0, least=2)
    assert caught.value.args == (0,)


def test_threads_have_the_settings_of_the_caller() -> None:
    found: list[tuple[str, int | None]] = []
    with np.errstate(divide="raise"), limited("3MiB"):
        share(range(4), lambda _: found.append((np.geterr()["divide"], granted())), SHARED)
    assert found == [("raise", 3 << 20)] * 4


def test_errors_go_with_their_last_reader() -> None:
    class Held:
        pass

    def work(piece: int) -> None:
        held = Held()
        gone.append(weakref.ref(held))
        raise KeyError(piece)

    gone: list[weakref.ref[Held]] = []
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(KeyError):
            share(range(2), work, SHARED)
        assert gone[0]() is None
    finally:
        gc.enable()
