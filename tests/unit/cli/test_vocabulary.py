"""The words of expressions: the array API is there, and nothing that reads files, changes settings or runs code."""

from __future__ import annotations

import inspect

import pytest

from weft.cli.vocabulary import vocabulary
from weft.dtypes import DType


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


@pytest.mark.parametrize("word", ["storage", "storage_of", "get_allocator", "using_allocator", "check_overlap"])
def test_memory_by_address_and_files_by_name_are_out_of_reach(word: str) -> None:
    assert word not in vocabulary()


def test_no_word_takes_a_path_an_address_or_a_function() -> None:
    for word, thing in vocabulary().items():
        if callable(thing) and not isinstance(thing, DType):
            named = set(inspect.signature(thing).parameters)
            assert not named & {"file", "path", "address", "shared", "deleter", "function", "mmap"}, word
