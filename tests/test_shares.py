"""Shares of combinations and of examples."""

import pytest

from tests import shares
from tests.shares import examples, in_turn


@pytest.mark.parametrize(
    ("sizes", "every"), [((4, 2), 2), ((24, 24), 12), ((5, 13, 3), 15), ((6, 3, 2), 6), ((2, 7), 2)]
)
def test_each_value_of_each_list_is_in_a_quick_combination(sizes, every, monkeypatch):
    monkeypatch.setattr(shares, "quick_run", True)
    alone = [p.values for p in in_turn(*map(range, sizes), every=every)]
    monkeypatch.setattr(shares, "quick_run", False)
    made = in_turn(*map(range, sizes), every=every)
    quick = [p.values for p in made if not p.marks]
    assert quick == alone
    assert len({p.values for p in made}) == len(made) and len(quick) <= len(made) / every + 1
    assert [set(column) for column in zip(*quick, strict=True)] == [set(range(n)) for n in sizes]


def test_shares_that_leave_a_value_out_are_refused():
    with pytest.raises(AssertionError, match=r"lists of \[3, 2\]; share by less than 4"):
        in_turn(range(3), range(2), every=4)


def test_quick_runs_take_a_third(monkeypatch):
    monkeypatch.setattr(shares, "quick_run", True)
    assert [examples(n) for n in (5, 20, 60, 300)] == [5, 10, 20, 100] and examples(60, 4) == 4
    monkeypatch.setattr(shares, "quick_run", False)
    assert examples(300) == 300 and examples(60, 4) == 60
