"""Counts of references, without those of the code that asks."""

from __future__ import annotations

from weft.runtime.references import extra_references, extra_references_each


class Holder:
    def __init__(self) -> None:
        self.value = object()


def test_the_attribute_itself_does_not_count() -> None:
    holder = Holder()
    alone = extra_references(holder.value)  # an assertion may hold the values that it shows
    others = [holder.value, (holder.value,)]
    held = extra_references(holder.value)
    assert (alone, held) == (0, len(others))


def test_the_collection_itself_does_not_count() -> None:
    table = {object(): None, object(): None}
    alone = extra_references_each(table)
    other = [*table][:1]
    held = extra_references_each(table)
    assert (alone, held) == ([0, 0], [len(other), 0])
    held = extra_references_each([Holder(), *other])
    assert held == [0, 2]
