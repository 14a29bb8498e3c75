"""Order steps so that less memory is needed at a time.

The one idea: of the values that a step reads, that comes first which needs most while it is made beyond what remains of
it.  This is the best order for trees; for other graphs it is kept only where it needs less than the order given.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.passes.draft import Draft
from weft.passes.steps import read_by

WORTH = 1 << 20  # bytes of temporaries below which no order is looked for
MOST = 512  # steps that are ordered


def reorder(draft: Draft) -> None:
    """Put the stored nodes into an order with a lower peak of temporaries, if one is found."""
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
    """Return the steps with the operands of each in the order of what they need beyond their own bytes.

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
