"""The acceptance workloads of selections, written once for every library: `b1` in one module is `b1` in the others.

The one idea: a workload is two steps, `build` (make the expression) and `read` (have its values); inputs come from
`inputs`, so all contenders see the same bytes, and a library that cannot say a workload leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Work:
    """`build()` gives an expression, `read(expression, k)` its values in round k."""

    build: Callable[[], Any]
    read: Callable[[Any, int], Any]


def eager(compute: Callable[[int], Any]) -> Work:
    """A workload of a library whose expressions are values: everything happens in `read`."""
    return Work(lambda: None, lambda _, k: compute(k))
