"""The key of some nodes, and the draft that their passes change, as a stage makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.ir.graph.node import Node
from weft.passes.draft import Draft
from weft.runtime.compute.signature import Work, read


def signature(roots: Sequence[Node]) -> tuple[tuple[Any, ...], Draft]:
    """Return the key of some nodes, and the draft of their graph."""
    work = read(Work(roots), roots)
    return work.key, work.draft()
