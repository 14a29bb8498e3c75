"""Pieces of work shared out to threads."""

from __future__ import annotations

import threading

import pytest

from weft.backends.thread_sharing import SHARED, share


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
