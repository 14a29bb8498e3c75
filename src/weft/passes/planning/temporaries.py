"""The memory of temporaries: the order of steps, the steps that need each value, and its bytes in one arena.

The one idea: a temporary occupies its bytes from the step that writes it to the last step that reads it; two that are
never alive together may share bytes.  Steps are ordered so that less is held at a time: among the values that a step
reads, the first is the one whose making needs most memory beyond its own bytes, the best order for trees; for other
graphs the order is kept only where it needs less than the order given.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from weft.ir.graph.node import Node
from weft.ir.kernels.in_place import may_blocks_write_over, may_write_over
from weft.ir.kernels.plan import Step
from weft.passes.draft import Draft, Lifetime
from weft.passes.fuse import is_stored
from weft.passes.planning.block import Group

ALIGN = 64
MANY = 256  # temporaries from which they are placed in the order of time
WORTH = 1 << 20  # bytes of temporaries below which no order is looked for
MOST = 512  # steps that are ordered


def reorder(draft: Draft) -> None:
    """Reorder the stored nodes if that lowers the peak memory of temporaries."""
    stored = draft.stored
    if not 3 < len(stored) <= MOST or draft.writing is not None:
        return
    kept = {id(n) for n in draft.outputs()}
    sizes = [0 if id(n) in kept else n.desc.nbytes for n in stored]
    if sum(sizes) < WORTH or any(n.op.kind == "blocks" for n in stored):  # outputs of one function stay side by side
        return
    number = {id(n): k for k, n in enumerate(stored)}
    reads = [sorted(set(read_by(n, number, set()))) for n in stored]
    order = _by_need(sizes, reads)
    if peak(order, sizes, reads) < peak(range(len(stored)), sizes, reads):
        draft.stored = [stored[k] for k in order]


def _by_need(sizes: Sequence[int], reads: Sequence[Sequence[int]]) -> list[int]:
    """Return an order of the steps that keeps the peak memory low.

    Of a step's operands, the first computed is the one whose own computation needs the most bytes beyond those of its
    result.

    >>> _by_need([100, 400, 10, 0], [[], [], [1], [0, 2]])
    [1, 2, 0, 3]
    """
    need: list[int] = []
    turns: list[list[int]] = []
    for size, read in zip(sizes, reads, strict=True):
        turn = sorted(read, key=lambda k: (sizes[k] - need[k], k))
        held = most = 0
        for k in turn:
            most = max(most, held + need[k])
            held += sizes[k]
        need.append(max(most, held + size))
        turns.append(turn)
    order, seen = list[int](), set[int]()
    read_later = {k for read in reads for k in read}
    stack = [(k, False) for k in range(len(sizes) - 1, -1, -1) if k not in read_later]
    while stack:
        k, ready = stack.pop()
        if ready:
            order.append(k)
        elif k not in seen:
            seen.add(k)
            stack.append((k, True))
            stack += [(i, False) for i in reversed(turns[k]) if i not in seen]
    return order


def peak(order: Sequence[int], sizes: Sequence[int], reads: Sequence[Sequence[int]]) -> int:
    """Return the most bytes that are held at a time if steps run in an order.

    `sizes` are the bytes of each step's result, `reads` the steps that each reads.

    >>> sizes, reads = [100, 400, 10, 0], [[], [], [1], [0, 2]]
    >>> peak([0, 1, 2, 3], sizes, reads), peak([1, 2, 0, 3], sizes, reads)
    (510, 410)
    """
    left = [0] * len(sizes)
    for read in reads:
        for k in read:
            left[k] += 1
    held = most = 0
    for step in order:
        held += sizes[step]
        most = max(most, held)
        if not left[step]:  # read by nothing: an output
            held -= sizes[step]
        for k in reads[step]:
            left[k] -= 1
            if not left[k]:
                held -= sizes[k]
    return most


# ---- lives


def liveness(draft: Draft) -> None:
    """Set the life of each stored node of a draft.

    A life is the node's bytes, the step that writes it and the last that reads it.  Steps are visited from the last to
    the first: a node that a later step reaches need not be visited again.
    """
    stored = draft.stored
    number = {id(n): i for i, n in enumerate(stored)}
    last = list(range(len(stored)))
    seen: set[int] = set()
    for step in range(len(stored) - 1, -1, -1):
        for k in read_by(stored[step], number, seen):
            last[k] = max(last[k], step)
    draft.lives = [Lifetime(n.desc.nbytes, i, last[i]) for i, n in enumerate(stored)]


def read_by(n: Node, step_numbers: Mapping[int, int], visited: set[int]) -> list[int]:
    """Return the numbers of the stored nodes that the step of n reads.

    `step_numbers` has those numbers by id. Nodes whose ids are in `visited` are not visited; visited ones are added to
    it.
    """
    found, stack = [], list(n.inputs)
    while stack:
        i = stack.pop()
        if id(i) in visited:
            continue
        visited.add(id(i))
        if i.alias is not None and id(i.alias[0]) in step_numbers:  # a view may be read where its root lies
            found.append(step_numbers[id(i.alias[0])])
        if id(i) in step_numbers:
            found.append(step_numbers[id(i)])
        elif not is_stored(i):
            stack.extend(i.inputs)
    return found


def written_over(
    steps: Sequence[Step], lives: dict[int, Lifetime], inputs: int, groups: Sequence[Group] = ()
) -> dict[int, int]:
    """Return {i: j} for temporaries i that may be written over j, whose last read is there.

    `lives` are those of temporaries by their numbers: i is taken out, and j lives as long as i.  `inputs` is the number
    of a program's inputs.
    """
    running = {k: group for group in groups for k in range(*group[:2])}
    ending: dict[int, list[int]] = {}
    for j, life in lives.items():
        ending.setdefault(life.last, []).append(j)
    found: dict[int, int] = {}
    for i, life in list(lives.items()):
        at, stop, launch = running.get(i, (i, i + 1, None))
        for j in ending.get(stop - 1, ()):
            base = found.get(j, j)
            if base not in lives or lives[base].last != stop - 1 or lives[base].first >= at:
                continue
            ours, theirs = inputs + i, inputs + j
            fits = may_blocks_write_over(launch, theirs, ours) if launch else may_write_over(steps[i], {theirs: 0})
            if fits and lives[base].nbytes == life.nbytes:
                lives[base] = Lifetime(life.nbytes, lives[base].first, life.last)
                found[i] = base
                del lives[i]
                break
    return found


# ---- the arena


def arena(lives: Sequence[Lifetime], shared: bool = True) -> tuple[list[int], int]:
    """Return the byte offset of each temporary in the arena, and the arena's size in bytes.

    Without `shared`, each has bytes of its own.

    >>> arena([Lifetime(100, 0, 1), Lifetime(100, 1, 2), Lifetime(100, 2, 3)])
    ([0, 128, 0], 256)
    """
    if not shared:
        lives = [Lifetime(life.nbytes, 0, len(lives)) for life in lives]
    offsets = _by_size(lives) if len(lives) < MANY else _by_time(lives)
    return offsets, max([at + _rounded(life.nbytes) for at, life in zip(offsets, lives, strict=True)], default=0)


def _by_size(lives: Sequence[Lifetime]) -> list[int]:
    """Return offsets: the largest temporary first, each at the lowest offset that is free throughout its life."""
    offsets = [0] * len(lives)
    placed: list[int] = []
    for i in sorted(range(len(lives)), key=lambda i: (-lives[i].nbytes, i)):
        life = lives[i]
        taken = sorted(
            (offsets[j], offsets[j] + _rounded(lives[j].nbytes))
            for j in placed
            if lives[j].first <= life.last and life.first <= lives[j].last
        )
        at = 0
        for low, high in taken:
            if at + _rounded(life.nbytes) <= low:
                break
            at = max(at, high)
        offsets[i] = at
        placed.append(i)
    return offsets


def _by_time(lives: Sequence[Lifetime]) -> list[int]:
    """Return offsets: the earliest temporary first, each in the lowest gap that is free by then.

    >>> _by_time([Lifetime(100, 0, 1), Lifetime(100, 1, 2), Lifetime(64, 2, 3), Lifetime(64, 2, 3)])
    [0, 128, 0, 64]
    """
    offsets = [0] * len(lives)
    gaps: list[tuple[int, int]] = []  # (first byte, end) by address; no two touch, the memory after them all is free
    busy: list[tuple[int, int, int]] = []  # a heap of (last step, first byte, end)
    top = 0
    for i in sorted(range(len(lives)), key=lambda i: lives[i].first):
        while busy and busy[0][0] < lives[i].first:
            _free(gaps, heappop(busy)[1:])
        size = _rounded(lives[i].nbytes)
        k = next((k for k, (low, high) in enumerate(gaps) if high - low >= size or high == top), len(gaps))
        at, end = gaps.pop(k) if k < len(gaps) else (top, top)
        if at + size < end:
            gaps.insert(k, (at + size, end))
        top = max(top, at + size)
        offsets[i] = at
        heappush(busy, (lives[i].last, at, at + size))
    return offsets


def _free(free_gaps: list[tuple[int, int]], gap: tuple[int, int]) -> None:
    """Insert a gap (first byte, end) into the sorted list `free_gaps`, joined with the gaps that it touches."""
    low, high = gap
    k = bisect_left(free_gaps, gap)
    if k < len(free_gaps) and free_gaps[k][0] == high:
        high = free_gaps.pop(k)[1]
    if k and free_gaps[k - 1][1] == low:
        low = free_gaps.pop(k := k - 1)[0]
    if low < high:
        free_gaps.insert(k, (low, high))


def _rounded(nbytes: int) -> int:
    return -(-nbytes // ALIGN) * ALIGN
