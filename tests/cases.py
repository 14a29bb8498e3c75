"""Many brief cases as one test: an item of pytest's takes a millisecond, as long as hundreds of these cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any


def for_each(names: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that calls a test with each value, as `pytest.mark.parametrize` would in tests of their own.

    `names` are its arguments, separated by commas; of several, a value is a tuple.  The cases that fail are raised
    together, each with a note of its values.
    """
    arguments = [name.strip() for name in names.split(",")]
    cases = [dict(zip(arguments, v if len(arguments) > 1 else (v,), strict=True)) for v in values]
    assert cases, f"no case of {names}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def every_case(*args: Any, **fixtures: Any) -> None:
            failed: list[Exception] = []
            for case in cases:
                try:
                    test(*args, **fixtures, **case)
                except Exception as error:
                    error.add_note(f"case: {case}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(cases)} cases", failed)

        parameters = signature(test).parameters
        kept = [p for name, p in parameters.items() if name not in arguments]
        every_case.__signature__ = signature(test).replace(parameters=kept)  # type: ignore[attr-defined]
        del every_case.__wrapped__  # type: ignore[attr-defined]
        return every_case

    return decorate
