"""Keywords of habit stand for those of the array API, everywhere; what two libraries read differently raises."""

import inspect
import re

import numpy as np
import pytest

import weft
from weft.api.habits import HABITS, TWO_READINGS, accepting
from weft.errors import ArgumentError, WeftError

A = np.asarray([[4.0, 1.0, 2.0], [8.0, 5.0, 7.0]])
X = weft.asarray(A)
SPACES = {"": weft, "linalg": weft.linalg, "fft": weft.fft, "nn": weft.nn}
TAKING = {
    f"{space}.{name}".lstrip("."): getattr(module, name)
    for space, module in SPACES.items()
    for name in module.__all__
    if hasattr(getattr(module, name), "habits")
}


@pytest.mark.parametrize("space", SPACES)
def test_every_function_with_such_an_argument_takes_its_names_of_habit(space):
    """But not `open`, whose options are those of formats, and what takes an axis by place alone."""
    for name in SPACES[space].__all__:
        thing = getattr(SPACES[space], name)
        if inspect.isfunction(thing) and name not in ("open", "overlay"):
            kinds = {p.name: p.kind for p in inspect.signature(thing).parameters.values()}
            named = {n for n in ("axis", "axes", "keepdims", "correction") if kinds.get(n, 0) != 0 and n in kinds}
            habits = getattr(thing, "habits", {})
            assert named == {habits[h] for h in HABITS if h in habits and kinds[habits[h]] and habits[h] != "shape"}, (
                name
            )


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "any", "all", "argmin", "argmax"])
def test_reductions_and_methods(name):
    function, method = getattr(weft, name), getattr(X, name)
    wanted = getattr(np, name)(A, axis=1, keepdims=True)
    assert np.array_equal(function(X, dim=1, keepdim=True).numpy(), wanted)
    assert np.array_equal(method(dim=1, keepdim=True).numpy(), wanted)


def test_degrees_of_freedom():
    for name in ("std", "var"):
        assert np.allclose(getattr(weft, name)(X, ddof=1).numpy(), getattr(np, name)(A, ddof=1))
        assert np.allclose(getattr(X, name)(axis=0, ddof=1).numpy(), getattr(np, name)(A, axis=0, ddof=1))
    assert np.allclose(weft.nanstd(X, ddof=1).numpy(), np.nanstd(A, ddof=1))
    assert np.allclose(weft.cov(X, ddof=0).numpy(), np.cov(A, ddof=0))
    assert weft.std(X, dim=0, correction=1).tolist() == weft.std(X, dim=0, ddof=1).tolist()


def test_other_functions():
    assert weft.concat([X, X], dim=1).shape == (2, 6) and weft.stack([X, X], dim=2).shape == (2, 3, 2)
    assert np.array_equal(weft.flip(X, dims=(0, 1)).numpy(), A[::-1, ::-1])
    assert np.array_equal(weft.roll(X, 1, dims=1).numpy(), np.roll(A, 1, axis=1))
    assert weft.permute_dims(X, dims=(1, 0)).shape == (3, 2) and weft.squeeze(X[:, :1], dim=1).shape == (2,)
    assert weft.nn.softmax(X, dim=1).tolist() == weft.nn.softmax(X, axis=1).tolist()
    assert weft.fft.fft(X, dim=0).tolist() == weft.fft.fft(X, axis=0).tolist()
    assert weft.linalg.vector_norm(X, dim=1, keepdim=True).shape == (2, 1)
    assert weft.argsort(X, dim=0).tolist() == np.argsort(A, axis=0).tolist()


@pytest.mark.parametrize(("name", "habit"), TWO_READINGS)
def test_what_two_libraries_read_differently_raises(name, habit):
    if not hasattr(weft, name):
        pytest.skip("no such function yet")
    arguments = (X, 2) if name == "split" else (X,)
    spellings = TWO_READINGS[name, habit][1]
    with pytest.raises(
        ArgumentError, match=re.escape(f"{name}({habit}=): two readings; {TWO_READINGS[name, habit][0]}")
    ):
        getattr(weft, name)(*arguments, **{habit: 1})
    for function in re.findall(r"(\w+)\(x", spellings):
        assert hasattr(weft, function)


@pytest.mark.parametrize(
    ("call", "message"),
    {
        "twice": (lambda: weft.sum(X, axis=0, dim=1), "sum: both axis=0 and dim=1; dim is another name of axis"),
        "by place": (lambda: weft.concat([X], 0, dim=1), "concat: both axis=0 and dim=1; dim is another name of axis"),
        "two habits": (lambda: weft.flip(X, dim=0, dims=1), "flip: both axis=0 and dims=1; dims is another name"),
        "unknown": (lambda: weft.mean(X, axes=1), "mean: no argument axes=1; it takes x, axis, dtype, keepdims, out"),
        "not taken": (lambda: weft.flip(X, ddof=1), "flip: no argument ddof=1; it takes x, axis; give one of these"),
    }.values(),
)  # fmt: skip
def test_faults_of_keywords(call, message):
    with pytest.raises(ArgumentError, match=re.escape(message)) as caught:
        call()
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, WeftError)


def test_other_faults_of_arguments():
    with pytest.raises(TypeError, match="flip: no argument nonsense=1; it takes x, axis"):
        weft.flip(X, nonsense=1)
    with pytest.raises(weft.errors.DTypeError, match="flip: axis 'a'"):
        weft.flip(X, axis="a")


@pytest.mark.parametrize("name", TAKING)
def test_help_shows_the_documented_names(name):
    shown = inspect.signature(TAKING[name]).parameters
    assert TAKING[name].__name__ == name.rpartition(".")[2] and TAKING[name].__doc__
    assert not {*HABITS, "habits"} & set(shown)
    assert set(TAKING[name].habits.values()) <= set(shown)


def test_a_value_equal_to_the_default_counts_as_given():
    with pytest.raises(ArgumentError, match="stack: both axis=0 and dim=1"):
        weft.stack([X], axis=0, dim=1)
    assert weft.gradient(X, 1.0, dim=1).tolist() == weft.gradient(X, 1.0, axis=1).tolist()


def test_functions_without_such_arguments_stay_as_they_are():
    def function(x, /, n=1):
        return x

    assert accepting(function) is function


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: weft.std(X, axis=5), "std"),
        (lambda: np.std(X, axis=5), "std"),
        (lambda: X.std(axis=5), "std"),
        (lambda: weft.std(weft.asarray([1j])), "std"),
        (lambda: weft.nanstd(X, axis=5), "nanstd"),
        (lambda: weft.ptp(X, axis=5), "ptp"),
        (lambda: weft.median(X, axis=5), "median"),
        (lambda: weft.append(X, [1], axis=5), "append"),
        (lambda: weft.hstack([X, weft.ones((5, 5))]), "hstack"),
        (lambda: weft.cumsum(X, axis=5), "cumsum"),
        (lambda: weft.dot(X, weft.ones((5, 5))), "dot"),
    ],
)
def test_errors_name_the_function_that_was_called(call, name):
    with pytest.raises(WeftError) as caught:
        call()
    assert str(caught.value).startswith(f"{name}: ")


def test_errors_of_values_and_of_arguments_keep_their_name():
    singular = weft.linalg.solve(weft.zeros((2, 2)), weft.ones(2))
    with pytest.raises(weft.errors.LinAlgError, match=r"^solve: "):
        weft.unique(singular)
    with pytest.raises(weft.errors.DTypeError, match=r"^asarray: "):
        weft.std("a")
