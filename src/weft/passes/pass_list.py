"""The list of passes: each an object with a name, which may be left out, replaced, and joined by those of users.

The one idea: plans are made by the list that is printed, timed and changed.  Where a pass finds that something must be
stored before its steps can be made, the list starts again behind the choice of what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter

from weft.passes import draft_spec
from weft.passes.draft import Draft, Unstored
from weft.passes.switches import OPEN, Change, Checking, changes, enabled

Act = Callable[[Draft], object]


@dataclass(frozen=True, slots=True)
class Pass:
    """A step of planning: `run` fills in or changes a part of a draft.

    `instead` does what little is left to do where the pass is off.  `keyed`: it runs once for a key of programs, not at
    every computation.  `several`: it has work only where several nodes are stored.
    `foreign`: it is a user's, so what it leaves is always checked.
    """

    name: str
    run: Act
    says: str
    instead: Act | None = None
    keyed: bool = True
    several: bool = False
    foreign: bool = False

    @property
    def is_on(self) -> bool:
        """True unless the pass is left out here."""
        return enabled(self.name)

    @property
    def timing(self) -> Timing:
        """The times that it has taken so far, in all threads."""
        return TIMINGS.setdefault(self.name, Timing())


@dataclass(slots=True)
class Timing:
    """The number of times that a pass has run, and the seconds of its last run and of all."""

    runs: int = 0
    last: float = 0.0
    total: float = 0.0


TIMINGS: dict[str, Timing] = {}


@lru_cache(maxsize=256)
def arranged(built_in: tuple[Pass, ...], changed: Sequence[Change]) -> tuple[Pass, ...]:
    """Return the passes in force: the built-in ones with the changes of users, made in order."""
    passes = list(built_in)
    for change in changed:
        at = next((k for k, p in enumerate(passes) if p.name == change.of), None)
        if at is not None and change.where != "watch":
            first, stop = {"before": (at, at), "after": (at + 1, at + 1), "instead": (at, at + 1)}[change.where]
            passes[first:stop] = [change.added]
    return tuple(passes)


def run_passes(passes: Sequence[Pass], draft: Draft) -> None:
    """Run passes over a draft in order; where one raises Unstored, go on from the pass that chose stored nodes."""
    checks, watching = Checking.on, [c.added for c in changes() if c.where == "watch"] if OPEN else ()
    if checks:
        draft_spec.check("graph", draft)
    for told in watching:
        told(None, draft)
    at, choice = 0, -1  # the pass that chooses what is stored
    while at < len(passes):
        p = passes[at]
        act = p.run if not OPEN or enabled(p.name) else p.instead
        at += 1
        if act is None or (p.several and len(draft.stored) < 2):
            continue
        begin = perf_counter()
        try:
            act(draft)
        except Unstored:
            at = choice
            continue
        finally:
            spent = perf_counter() - begin
            timing = TIMINGS.get(p.name) or p.timing
            timing.runs, timing.last, timing.total = timing.runs + 1, spent, timing.total + spent
        if choice < 0 and draft.stored:
            choice = at - 1
        if checks or p.foreign:
            draft_spec.check(p.name, draft, p.foreign)
        for told in watching:
            told(p, draft)
