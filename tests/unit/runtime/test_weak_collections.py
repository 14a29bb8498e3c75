"""Sets and tables that keep nothing alive: what goes is out at once, by no code of Python's."""

import gc
import types
from weakref import ref

from weft.runtime.references import LooseSet, LooseTable


class Thing:
    pass


def test_a_set_holds_what_exists():
    a, b, held = Thing(), Thing(), LooseSet()
    held.add(a)
    held.update([a, b])
    assert len(held) == 2 and a in held and {*held} == {a, b}
    held.discard(b)
    held.discard(b)
    assert [*held] == [a] and b not in held
    del a
    assert len(held) == 0 and [*held] == []


def test_what_goes_while_a_set_is_gone_through_is_seen_to_the_end():
    things, held = [Thing() for _ in range(3)], LooseSet()
    held.update(things)
    seen = 0
    for _thing in held:
        things.clear()
        seen += 1
    del _thing
    assert seen == 3 and len(held) == 0


def test_a_table_loses_values_with_their_objects():
    a, b, table = Thing(), Thing(), LooseTable()
    value = Thing()
    table[a], table[b] = value, 1
    table[b] = 2
    assert table.get(a) is value and table.get(b) == 2 and table.get(Thing()) is None and len(table) == 2
    gone = ref(value)
    del a, value
    assert gone() is None and len(table) == 1 and bool(table)
    assert table.pop(b) == 2 and table.pop(b) is None and not table


def test_no_python_code_runs_when_a_member_is_freed():
    a, held, table = Thing(), LooseSet(), LooseTable()
    held.add(a)
    table[a] = 1
    callbacks = [r.__callback__ for r in gc.get_referrers(a) if isinstance(r, ref)] or [
        r.__callback__ for r in (*held.refs, *dict.keys(table))
    ]
    assert len(callbacks) >= 2 and all(type(c) is types.BuiltinMethodType for c in callbacks)
