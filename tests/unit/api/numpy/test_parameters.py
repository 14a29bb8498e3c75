"""NumPy's order of arguments and its names for them: what its signatures say, and what NumPy's users type."""

import inspect
import re

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.api.habits import spellings
from weft.api.numpy.parameters import _APART, UNTOLD
from weft.errors import ArgumentError

KINDS = inspect.Parameter
# Signatures that differ from NumPy's: those that tell less than the function takes, and that of ufuncs.
OTHERS = ("arange", "astype", "ufunc")
A = np.asarray([[1.0, 2.0], [3.0, 5.0]])
V = np.asarray([1.0, 4.0, 2.0])
N = np.asarray([1, 0, 2])


def found(space, name):
    for part in name.split("."):
        space = getattr(space, part)
    return space


def parameters(function):
    """The parameters of a function but for those after stars."""
    kinds = (KINDS.VAR_POSITIONAL, KINDS.VAR_KEYWORD)
    return [p for p in inspect.signature(function).parameters.values() if p.kind not in kinds]


NAMES = [
    f"{space}{name}"
    for space, ours, theirs in (("", weft, np), ("linalg.", weft.linalg, np.linalg))
    for name in sorted(set(ours.__all__) & set(dir(theirs)) - _APART)
    if hasattr(getattr(ours, name), "name_in_numpy")
    and getattr(ours, name).name_in_numpy == f"{space}{name}"
    and not isinstance(getattr(theirs, name), np.ufunc)
]


@pytest.mark.parametrize("name", [name for name in UNTOLD if name not in OTHERS])
def test_signatures_of_weft_are_those_of_numpy(name):
    theirs = [p for p in parameters(found(np, name)) if p.name != "ndmax"]
    assert [p.name for p in parameters(UNTOLD[name])] == [p.name for p in theirs]
    named = [p.name for p in theirs if p.kind is KINDS.KEYWORD_ONLY]
    assert [p.name for p in parameters(UNTOLD[name]) if p.kind is KINDS.KEYWORD_ONLY] == named


def test_most_functions_of_numpy_are_read():
    assert len(NAMES) > 200 and {"sum", "linalg.norm", "polyfit", "interp", "histogram"} <= {*NAMES}


@for_each("name", NAMES)
def test_arguments_lie_where_numpy_has_them(name):
    taken, _, theirs, _ = spellings(found(weft, name))
    places = theirs.positional
    if name == "meshgrid":  # its vectors are arguments of their own
        return
    placed = tuple([p.name for p in taken if p.kind in (KINDS.POSITIONAL_ONLY, KINDS.POSITIONAL_OR_KEYWORD)])
    both = min(len(places), len(placed))
    assert placed[:both] == places[:both]
    beside = {p.name for p in taken if p.kind is KINDS.KEYWORD_ONLY}
    assert not beside & set(places[: len(placed)]) and (
        len(placed) >= len(places) or not beside & {places[len(placed)]}
    )


@for_each("name", NAMES)
def test_names_of_numpy_stand_for_parameters(name):
    _, names, row, _ = spellings(found(weft, name))
    ours = {p.name: p.kind for p in parameters(found(weft, name))}
    for theirs, meant in row.names.items():
        assert meant in ours
        by_keyword = theirs == meant and ours[meant] is not KINDS.POSITIONAL_ONLY
        assert by_keyword or names[theirs] == meant
    told = {*row.names, *row.missing, *row.ignored, *row.beyond}
    assert told >= {p.name for p in parameters(found(np, name)) if p.default is not KINDS.empty and p.name != "ndmax"}


def both(call):
    """Return the results of a call with NumPy's arrays, and with weft's tensors in their place."""
    wanted = call(np, np.asarray)
    return call(weft, weft.asarray), wanted


CALLS = {
    "convolve": lambda m, t: m.convolve(t(V), t(V), "same"),
    "correlate": lambda m, t: m.correlate(t(V), t(V), "full"),
    "diag of a vector": lambda m, t: m.diag(t(V), 1),
    "diag of a matrix": lambda m, t: m.diag(t(A), -1),
    "triu": lambda m, t: m.triu(t(A), 1),
    "tril": lambda m, t: m.tril(t(A), -1),
    "diff": lambda m, t: m.diff(t(V), 2),
    "diff from a number": lambda m, t: m.diff(t(V), prepend=0),
    "diff of rows from a number": lambda m, t: m.diff(t(A), 1, 0, 0.5, 9.0),
    "tensordot": lambda m, t: m.tensordot(t(A), t(A), 1),
    "histogram": lambda m, t: m.histogram(t(V), 4, (-1, 5))[0],
    "digitize": lambda m, t: m.digitize(t(V), t(np.sort(V)), True),
    "eye": lambda m, t: m.eye(3, 4, 1),
    "full": lambda m, t: m.full((2, 3), 7, int),
    "arange": lambda m, t: m.arange(0, 10, 2, int),
    "arange by names": lambda m, t: m.arange(start=1, stop=3),
    "svd": lambda m, t: m.linalg.svd(t(np.ones((3, 2))), False)[1],
    "qr": lambda m, t: m.abs(m.linalg.qr(t(np.ones((3, 2))), "complete")[1]),
    "pinv": lambda m, t: m.linalg.pinv(t(A), 1e-10),
    "angle": lambda m, t: m.angle(t(A * (1 - 2j)), True),
    "sum": lambda m, t: m.sum(t(A), 0, "f4", None, True),
    "std": lambda m, t: m.std(t(A), 0, None, None, 1),
    "quantile": lambda m, t: m.quantile(t(A), 0.5, 0, None, method="lower"),
    "average": lambda m, t: m.average(t(A), 1, [1.0, 3.0]),
    "trapezoid": lambda m, t: m.trapezoid(t(V), None, 0.5),
    "round": lambda m, t: m.round(t(V / 3), 2, None),
    "clip": lambda m, t: m.clip(t(V), a_min=2, a_max=3),
    "clip by a method": lambda m, t: t(V).clip(2, None, None),
    "reshape by columns": lambda m, t: m.reshape(t(A), (4, 1), order="F"),
    "reshape by a method": lambda m, t: t(A).reshape(-1, order="F"),
    "copy by columns": lambda m, t: m.copy(t(A), "F"),
    "ndmin": lambda m, t: m.array([1.0, 2.0], ndmin=3),
    "meshgrid": lambda m, t: m.meshgrid(t(V), t(V[:2]), sparse=True)[1],
    "einsum": lambda m, t: m.einsum("ij,jk->ik", t(A), t(A), optimize=True),
    "cov": lambda m, t: m.cov(t(A), bias=True),
    "cov by places": lambda m, t: m.cov(t(A), None, False, True),
    "polyfit": lambda m, t: m.polyfit(t(V), t(V * 2), deg=1),
    "vander": lambda m, t: m.vander(t(V), N=2),
    "interp": lambda m, t: m.interp(x=t(V), xp=[0.0, 9.0], fp=[1.0, 2.0]),
    "mean of a": lambda m, t: m.mean(a=t(A), axis=0),
    "repeat": lambda m, t: m.repeat(t(V), repeats=2),
    "array_split": lambda m, t: m.array_split(t(V), indices_or_sections=[1])[1],
    "split": lambda m, t: m.split(t(V), indices_or_sections=3)[1],
    "moveaxis": lambda m, t: m.moveaxis(t(A), source=0, destination=1),
    "take": lambda m, t: m.take(t(V), indices=[2, 0], mode="raise"),
    "isin of lists": lambda m, t: m.isin([1, 2], [2]),
    "rows by a tuple": lambda m, t: t(A)[(1, 0), :],
    "columns by a tuple": lambda m, t: t(A)[:, (1, 1, 0)],
    "cells by tuples": lambda m, t: t(A)[(1, 0), (0, 1)],
    "linspace of ends": lambda m, t: m.linspace(t(V), t(V + 1), 3),
    "linspace without the end": lambda m, t: m.linspace(0, t(A), 4, endpoint=False),
    "linspace of one": lambda m, t: m.linspace(t(N), t(V), 1),
    "linspace of none": lambda m, t: m.linspace(t(N), t(V), 0),
    "linspace of integers": lambda m, t: m.linspace(t(N), t(N + 5), 4, dtype=int),
    "linspace by names": lambda m, t: m.linspace(start=0, stop=1, num=3),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_numpy_give_what_they_give_there(name):
    got, wanted = both(CALLS[name])
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-12, atol=1e-14)


def test_other_calls_of_habit():
    x = weft.asarray(A)
    assert weft.allclose(x, x * 1.0001, 1e-3) and not weft.allclose(x, x * 1.0001)
    assert weft.triu(x, diagonal=1).tolist() == [[0.0, 2.0], [0.0, 0.0]]
    assert weft.roll(x[0], shifts=1, dims=0).tolist() == [2.0, 1.0]
    assert x.copy("F").strides == x.copy(order="F").strides == (8, 16) and x.T.copy("C").strides == (16, 8)
    with pytest.raises(weft.errors.ValueRangeError, match="order 'Q'"):
        x.copy("Q")
    steps = weft.linspace(weft.asarray(V), 9, 3, retstep=True)[1]
    np.testing.assert_allclose(steps.numpy(), (9 - V) / 2)


MISSING = [(name, keyword) for name in NAMES for keyword in spellings(found(weft, name)).theirs.missing]


@for_each("name, keyword", MISSING)
def test_a_keyword_that_is_missing_names_what_to_write(name, keyword):
    function = found(weft, name)
    default, instead = spellings(function).theirs.missing[keyword]
    with pytest.raises(ArgumentError, match=re.escape(f"no argument {keyword}='q', which NumPy has; write {instead}")):
        function(**{keyword: "q"})
    with pytest.raises(ArgumentError, match=r": no \w+; it has no value of its own"):
        function(**{keyword: default})
    for called in re.findall(r"(?<![.\w])((?:linalg\.)?[a-z_0-9]+)\(", instead):
        assert callable(found(weft, called))


def test_too_many_arguments_name_the_keywords():
    x = weft.asarray(A)
    with pytest.raises(ArgumentError, match=r"matrix_rank: 2 positional arguments; it takes x; .*\(rtol=\)"):
        weft.linalg.matrix_rank(x, 0.1)
    with pytest.raises(ArgumentError, match=r"swapaxes: 4 positional arguments; .* leave the others out"):
        weft.swapaxes(x, 0, 1, 2)
    with pytest.raises(weft.errors.ValueRangeError, match=r"qr: mode 'r'; .* for R alone write qr\(x\).R"):
        weft.linalg.qr(x, "r")
