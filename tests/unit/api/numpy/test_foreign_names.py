"""Names of other libraries: the error says what has their place, and everything it names exists."""

import re
from operator import attrgetter

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.api.numpy import foreign_names


@for_each("theirs", foreign_names._ADVICE)
def test_what_a_hint_names_exists_and_the_name_does_not(theirs):
    assert theirs not in weft.__all__, "a name that there is needs no advice"
    advice = foreign_names._ADVICE[theirs]
    for name in re.findall(r"weft\.([a-z_0-9.]+)", advice):
        found = weft
        for part in name.split("."):
            found = getattr(found, part)
    x = weft.zeros((2, 2))
    for name in re.findall(r"\bx\.([a-z_A-Z]+)", advice):
        assert hasattr(x, name)
    with pytest.raises(AttributeError, match=re.escape(f"module 'weft' has no attribute '{theirs}'; see {advice}")):
        getattr(weft, theirs)


@for_each("theirs", foreign_names.SAME)
def test_other_names_of_the_same_are_the_same(theirs):
    ours = foreign_names.SAME[theirs]
    assert theirs not in weft.__all__ and theirs not in foreign_names._ADVICE
    assert getattr(weft, theirs) is attrgetter(ours)(weft)


@for_each("theirs", [n for n in foreign_names.SAME if isinstance(getattr(np, n, None), np.ufunc)])
def test_ufuncs_under_other_names_give_what_numpy_gives(theirs):
    operands = [np.asarray([1, 2, 3])] * getattr(np, theirs).nin
    if theirs in ("arccosh", "arcsin", "arccos", "arctanh"):
        operands = [np.asarray([1.0, 0.25, 0.5]) if theirs != "arccosh" else np.asarray([1.0, 2.0, 5.5])]
        operands[0][0] -= theirs == "arctanh"
    found = getattr(weft, theirs)(*map(weft.asarray, operands)).numpy()
    np.testing.assert_allclose(found, getattr(np, theirs)(*operands), rtol=1e-14)


@for_each("theirs", foreign_names._ADVICE_FOR_METHODS)
def test_what_a_hint_about_a_method_names_exists_and_the_method_does_not(theirs):
    x, advice = weft.zeros((2, 2)), foreign_names._ADVICE_FOR_METHODS[theirs]
    for name in re.findall(r"weft\.([a-z_0-9.]+)", advice):
        attrgetter(name)(weft)
    for name in re.findall(r"\bx\.([a-z_A-Z]+)", advice):
        assert hasattr(x, name)
    with pytest.raises(AttributeError, match=re.escape(f"has no attribute '{theirs}'; see {advice}")):
        getattr(x, theirs)


@for_each("space, theirs", [(space, name) for space, table in foreign_names._ADVICE_WITHIN.items() for name in table])
def test_what_a_hint_within_a_namespace_names_exists(space, theirs):
    module, advice = attrgetter(space)(weft), foreign_names._ADVICE_WITHIN[space][theirs]
    for name in re.findall(r"weft\.([A-Za-z_0-9.]+(?:\(seed\)\.\w+)?)", advice):
        found = weft
        for part in name.replace("(seed)", "").split("."):
            found = weft.random.Generator if part == "default_rng" else getattr(found, part)
    with pytest.raises(AttributeError, match=re.escape(f"has no attribute '{theirs}'; see {advice}")):
        getattr(module, theirs)


def test_no_name_that_numpy_and_pytorch_programs_use_is_without_a_hint():
    functions = (
        "ma datetime64 imread mul sub div neg eq gt ge lt ne flatten gather index_select masked_select inverse "
        "logsumexp mv bucketize repeat_interleave take_along_dim rsqrt lerp addmm cdist is_tensor lgamma jit top_k"
    )
    methods = "mul sub div eq gt ge lt ne chunk det inverse stride new_zeros split"
    known = foreign_names.SAME | foreign_names._ADVICE
    assert not set(functions.split()) - set(known) and not set(methods.split()) - set(foreign_names._ADVICE_FOR_METHODS)
    assert weft.finfo(weft.float32).tiny == np.finfo(np.float32).tiny


def test_methods_that_a_generator_lacks_are_answered_with_advice():
    with pytest.raises(AttributeError, match=r"'Generator' object has no attribute 'randint'; see weft\.random"):
        weft.random.default_rng(1).randint(2)
    assert not hasattr(weft.random.default_rng(1), "nonsense")


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
