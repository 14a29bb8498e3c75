"""Cases that are one test: each is called, and each that fails is named."""

import pytest

from tests.cases import for_each


def test_every_case_is_called_beside_fixtures_and_parameters():
    called = []

    @for_each("a, b", [(1, 2), (3, 4)])
    def test(a, b, c):
        called.append((a, b, c))

    test(c=5)
    assert called == [(1, 2, 5), (3, 4, 5)]


def test_all_cases_that_fail_are_named():
    @for_each("x", range(4))
    def test(x):
        assert x % 2 == 0, x

    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as caught:
        test()
    assert [e.__notes__ for e in caught.value.exceptions] == [["case: {'x': 1}"], ["case: {'x': 3}"]]


def test_a_test_without_cases_is_none():
    with pytest.raises(AssertionError, match="no case of x"):
        for_each("x", [])
