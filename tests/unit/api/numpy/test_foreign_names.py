"""Names of other libraries: the error says what has their place, and everything it names exists."""

import re

import pytest

import weft
from weft.api.numpy import foreign_names


@pytest.mark.parametrize("theirs", foreign_names._OURS)
def test_what_is_named_exists_and_the_name_does_not(theirs):
    assert theirs not in weft.__all__, "a name that there is needs no advice"
    advice = foreign_names._OURS[theirs]
    for name in re.findall(r"weft\.([a-z_0-9.]+)", advice):
        found = weft
        for part in name.split("."):
            found = getattr(found, part)
    x = weft.zeros((2, 2))
    for name in re.findall(r"\bx\.([a-z_A-Z]+)", advice):
        assert getattr(x, name) is not None


@pytest.mark.parametrize("name", ["concatenate", "arcsin", "unique", "cumsum", "double", "einsum_path", "manual_seed"])
def test_the_namespace_names_what_it_has(name):
    with pytest.raises(
        AttributeError, match=f"module 'weft' has no attribute '{name}'; see {foreign_names._OURS[name]}"
    ):
        getattr(weft, name)


def test_other_names_are_plain_errors():
    with pytest.raises(AttributeError, match=r"module 'weft' has no attribute 'nonsense'$"):
        weft.nonsense  # noqa: B018


@pytest.mark.parametrize("name", ["autograd", "fft", "kernels", "linalg", "modules", "nn", "random"])
def test_completion_offers_public_names_alone(name):
    module = getattr(weft, name)
    assert dir(module) == sorted(module.__all__)


def test_completion_offers_exceptions_alone():
    assert all(issubclass(getattr(weft.errors, name), (Exception, Warning)) for name in dir(weft.errors))
    assert {"WeftError", "WeftWarning", "CacheWarning"} <= set(dir(weft.errors))
