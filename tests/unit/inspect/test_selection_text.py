"""Index objects and domains as text and JSON: both are read back, whatever they hold."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import weft
from tests.shares import examples
from weft.errors import ExpressionError, ShapeError, ValueRangeError

DOMAINS = {
    "weft.Domain[2:4, 3:5]": weft.Domain((2, 3), (2, 2)),
    "weft.Domain[-7:-3]": weft.Domain((-7,), (4,)),
    "weft.Domain[5:5, 0:4611686018427387904]": weft.Domain((5, 0), (0, 1 << 62)),
    "weft.Domain[()]": weft.Domain((), ()),
}


@pytest.mark.parametrize("text", DOMAINS)
def test_domains_go_through_text_and_json(text: str) -> None:
    domain = DOMAINS[text]
    assert weft.show(domain) == text and weft.parse(text) == domain
    found = json.loads(weft.show(domain, "json"))
    assert found == {"format": "weft-domain", "version": 1, "start": list(domain.start), "stop": list(domain.stop)}
    assert weft.parse(json.dumps(found)) == domain


def test_domains_are_made_of_slices() -> None:
    assert weft.Domain[2:4, 3:5] == weft.Domain((2, 3), (2, 2)) and weft.Domain[1:3].shape == (2,)
    for wrong in (3, slice(2, None), slice(0, 4, 2), (slice(0, 2), 5)):
        with pytest.raises(ShapeError, match="domain: sides"):
            weft.Domain[wrong]  # type: ignore[index]
    with pytest.raises(ShapeError, match="negative size"):
        weft.Domain[4:2]


X = np.arange(4 * 5 * 3).reshape(4, 5, 3)
PART = st.one_of(
    st.integers(-3, 2),
    st.slices(3),
    st.none(),
    st.booleans(),
    st.lists(st.integers(-3, 2), max_size=3),
    hnp.arrays(np.int64, st.sampled_from([(2, 1), (1, 2), (0, 2)]), elements=st.integers(-3, 2)),
)
KEYS = st.lists(PART, max_size=3).flatmap(lambda p: st.sampled_from([p, [*p[:1], Ellipsis, *p[1:]]])).map(tuple)


def selected(i: Any) -> Any:
    """Return what an index object selects, and its shape if it is bound. The class of the error if it does not fit."""
    try:
        return weft.asarray(X)[i].tolist(), i.output_shape
    except weft.errors.WeftError as error:
        return type(error)


@settings(max_examples=examples(150))
@given(KEYS, st.booleans(), st.booleans())
def test_index_objects_go_through_text_and_json(key: tuple[Any, ...], outer: bool, bound: bool) -> None:
    try:
        i = (weft.index.outer if outer else weft.index)[key]
        if bound:
            i = i.bind(X.shape, (120, 24, 8))
    except weft.errors.WeftError:
        return
    for level in ("graph", "json"):
        text = weft.show(i, level)
        again = weft.parse(text)
        assert weft.show(again, level) == text
        assert selected(again) == selected(i) and again.is_bound == i.is_bound
        assert again.strides == i.strides and again.input_shape == i.input_shape


def test_texts_are_what_makes_them() -> None:
    mask = weft.find(weft.asarray(X) > 55)
    for i in (mask, weft.index[[[True, False], [False, True]]], mask[1:], weft.index[::2, 1].bind((4, 5))[:, None]):
        text = weft.show(i)
        assert repr(eval(text, {"weft": weft})) == repr(weft.parse(text)) == repr(i)
    nested = weft.index[weft.index[1:3].bind(4), [0, 2]]
    assert weft.show(nested) == "weft.index[weft.index[1:3].bind((4,)), [0, 2]]"
    assert weft.parse(weft.show(nested, "json"))._parts[0].input_shape == (4,)
    assert selected(weft.parse(weft.show(nested))) == selected(nested)


WRONG = [
    "weft.index[1, [0, 2]",
    "weft.index[open('x')]",
    "weft.index[__import__('os')]",
    "weft.index[1].bind(x)",
    "weft.index[1].other((3,))",
    "weft.indexes[1]",
    "weft.Domain[1]",
    "weft.Domain[4:2]",
    "weft.Domain[1:2, ::2]",
    "weft.index[5].bind((3,))",
    "weft.index['a']",
    "weft.index[zeros((2, 2), int64)]",
    "weft.index[" + "-" * 9000 + "1]",
]


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_other_texts_are_refused_by_name(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"parse: ['\"]weft\.\w+.* is no index object and no domain"):
        weft.parse(text)


INDEX = {"format": "weft-index", "version": 1, "outer": False, "parts": [1], "shape": [3], "strides": None}
FAULTS: list[tuple[dict[str, Any], str]] = [
    (INDEX | {"version": 2}, r"\$.version: 2 is none of 1"),
    (INDEX | {"parts": [1.5], "outer": 0}, r"parse: 2 faults:\n"),
    (INDEX | {"parts": [7]}, r"\$: index: position 7 along axis 0 of size 3"),
    (INDEX | {"shape": [-1]}, r"\$.shape: "),
    (INDEX | {"parts": [{"positions": [1], "shape": [2]}]}, r"\$: 1 positions for a table of shape \(2,\)"),
    (INDEX | {"more": 1}, r"\$.more: an unknown name"),
    ({"format": "weft-domain", "version": 1, "start": [1], "stop": [1, 2]}, r"differ in rank"),
    ({"format": "weft-domain", "version": 1, "start": [1], "stop": [0]}, r"negative size"),
    ({"format": "weft-domain", "version": 1, "start": ["1"], "stop": [0]}, r"\$.start\[0\]: '1' is no integer"),
]


@pytest.mark.parametrize(("data", "says"), FAULTS, ids=range(len(FAULTS)))
def test_other_json_is_refused_with_its_path(data: dict[str, Any], says: str) -> None:
    with pytest.raises(ExpressionError, match=says):
        weft.parse(json.dumps(data))


def test_selections_have_no_plans() -> None:
    for x in (weft.index[1], weft.Domain[0:2]):
        with pytest.raises(ValueRangeError, match="show: level 'plan' of"):
            weft.show(x, "plan")
