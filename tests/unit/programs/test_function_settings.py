"""Compiled functions follow the settings in force at each call, as the functions that they are made of."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import weft
from weft.errors import ArgumentError, DomainError, ImplicitActWarning, MathWarning, StrictDTypeError, TracingError
from weft.programs import compiled_function
from weft.runtime.scoped_setting import Setting


def _root(x: Any) -> Any:
    return weft.sqrt(x)


def _wide(x: Any) -> Any:
    return x + weft.asarray(1.0, dtype=weft.float32)


def test_default_settings_count_as_not_acting() -> None:
    assert Setting.acting == 0 and compiled_function._settings() == compiled_function._USUAL
    with weft.default_dtype(weft.float32), weft.default_dtype(weft.float64):
        assert Setting.acting == 1
    assert Setting.acting == 0


def test_the_math_mode_is_that_of_the_call() -> None:
    f, x = weft.compile(_root), weft.asarray([4.0, -1.0])
    for _ in range(2):
        assert f(x)[0].item() == 2.0 and weft.isnan(f(x)).tolist() == [False, True]
        with weft.math_mode("error"), pytest.raises(DomainError, match=r"sqrt: -1\.0 at \(1,\)"):
            f(x).tolist()
        with weft.math_mode("warn"), pytest.warns(MathWarning, match=r"sqrt: -1\.0"):
            f(x).tolist()
        with weft.math_mode("complex"), pytest.raises(TracingError, match="a value of argument x of _root is read"):
            f(x)
    assert f.explain().splitlines()[1].endswith("the math mode: 'error', was 'standard'")


def test_the_default_device_is_that_of_the_call() -> None:
    f = weft.compile(lambda x: weft.zeros(2) + 1)
    x = weft.asarray(1.0)
    for _ in range(2):
        assert str(f(x).device) == "cpu"
        with weft.default_device("thread:0"):
            assert str(f(x).device) == "thread:0"


def test_implicit_acts_are_judged_at_each_call() -> None:
    x = weft.asarray([1.0])
    f = weft.compile(_wide)
    for _ in range(3):
        assert f(x).tolist() == [2.0]
        with weft.strict("allow") as told:
            f(x)
        with weft.strict("allow") as expected:
            _wide(x)
        assert told == expected and len(told) == 1
        with weft.strict(), pytest.raises(StrictDTypeError, match="add: float32 beside float64"):
            f(x)
        with weft.strict("warn"), pytest.warns(ImplicitActWarning, match="add: float32 beside float64"):
            f(x)
        with weft.strict(broadcast="forbid"):
            f(x)
    with weft.strict(dtype="forbid"), pytest.raises(StrictDTypeError):
        weft.compile(_wide)(x)
    assert f.traces == 1


def test_acts_of_overlapping_calls_are_reported_once() -> None:
    x = weft.asarray([1.0, 2.0, 3.0])

    @weft.compile
    def f(a: Any, b: Any) -> Any:
        a += b.astype(weft.float32)
        return a

    f(x[1:], x[:-1])
    for _ in range(2):
        with weft.strict("allow") as told:
            f(x[1:], x[:-1])
        assert [act.act for act in told] == ["dtype"]


def test_programs_are_saved_with_the_math_mode(tmp_path: Path) -> None:
    f, x = weft.compile(_root), weft.asarray([4.0, -1.0])
    f(x)
    with weft.math_mode("error"):
        f(weft.asarray([4.0, 1.0]))
        weft.save_program(f, tmp_path / "f.weft")
        with pytest.raises(DomainError):
            weft.load_program(tmp_path / "f.weft")(x).tolist()
    assert weft.load_program(tmp_path / "f.weft")(x)[0].item() == 2.0
    with weft.default_device("thread:0"):
        f(x)
    with pytest.raises(ArgumentError, match=r"the default device thread:0; call it without"):
        weft.save_program(f, tmp_path / "f.weft")


def test_no_setting_is_looked_at_where_nothing_is_set() -> None:
    f, x = weft.compile(_wide), weft.asarray([1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(x).tolist() == f(x).tolist() == [2.0]
