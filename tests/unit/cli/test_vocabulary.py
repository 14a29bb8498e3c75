"""The words of expressions: the array API is there, and nothing that reads files, changes settings or runs code."""

from __future__ import annotations

import pytest

from weft.cli.vocabulary import vocabulary


@pytest.mark.parametrize(
    "word", ["exp", "sum", "mean", "where", "concat", "asarray", "pi", "float32", "newaxis", "matmul", "sort", "astype"]
)
def test_words(word: str) -> None:
    assert word in vocabulary()


def test_random_fields_are_words() -> None:
    assert "random.uniform" in vocabulary()


@pytest.mark.parametrize(
    "word",
    [
        "compute",
        "explain",
        "profile",
        "eager",
        "transformer",
        "set_num_threads",
        "from_dlpack",
        "parse",
        "show",
        "Tensor",
    ],
)
def test_no_words(word: str) -> None:
    assert word not in vocabulary()
    assert all(not w.startswith("_") for w in vocabulary())
