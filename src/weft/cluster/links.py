"""Links: how a process reads cells that workers hold, without the scheduler.

The one idea: a message to a holder names boxes wanted from it, and the answer is their cells in one run of bytes.  The
holder of a result is known since it was made; only if a holder fails is the scheduler asked, which has a lost result
computed again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from time import monotonic
from typing import Any

import numpy as np
from distributed import Reschedule
from numpy.typing import NDArray

from weft.cluster.sharded_source import COPY, HeldBox, Key, cells_here
from weft.errors import ClusterError
from weft.ir.pieces.box import Box

PAUSE = 0.05  # seconds between two requests for a result that no worker has
PIECE = 16 << 20  # bytes of cells in an answer, for which memory is used again; larger boxes are read in parts
LOOK = 0.5  # seconds without an answer until the scheduler is asked whether the holder still has the result
Cells = NDArray[Any]
Piece = tuple[HeldBox, Cells]  # a box, and the array into which it is read


class WorkerLink:
    """The connection of a process to the workers of a cluster (`Link`).

    `rpc(address)` calls a worker, `who_has(keys)` the scheduler; both are awaited in the loop into which `sync` calls.
    `own` is the address of this process if it is a worker, and `data` the results that it holds.
    """

    def __init__(
        self, rpc: Callable[[str], Any], who_has: Callable[[Sequence[Key]], Any], sync: Callable[..., Any],
        own: str = "client", data: Mapping[Any, Any] | None = None, deadline: float = 30.0,
    ) -> None:  # fmt: skip
        self.rpc, self.who_has, self.sync = rpc, who_has, sync
        self.own, self.data, self.deadline = own, {} if data is None else data, deadline
        self.known: dict[Key, list[str]] = {}
        self.received: Counter[str] = Counter()  # bytes of received cells, by the sending worker
        self.lost: dict[Key, float] = {}  # results for which tasks gave way, and since when

    def holders(self, keys: Sequence[Key]) -> dict[Key, list[str]]:
        """Return the addresses of the workers that hold each result; asks the scheduler for unknown ones.

        Raises ClusterError if the client has ended.
        """
        if any(k not in self.known for k in keys):
            self._call_in_loop(self._update_holders, [k for k in keys if k not in self.known])
        return {k: self.known.get(k, []) for k in keys}

    def note(self, holders: Mapping[Key, Sequence[str]]) -> None:
        """Record which workers hold results, given as addresses by key."""
        self.known.update({k: list(at) for k, at in holders.items() if at})

    def forget(self, keys: Sequence[Key]) -> None:
        """Forget the holders of results that are no longer needed: who makes them again may hold them elsewhere."""
        for key in keys:
            self.known.pop(key, None)

    def here(self, held: HeldBox) -> Cells | None:
        """Return the cells of a box that this process holds; None if it does not."""
        return cells_here(self.data, held)

    def read(self, boxes: Sequence[HeldBox], targets: Sequence[Cells]) -> None:
        """Read the cells of boxes into arrays; raises ClusterError if no worker has them, or none answers in time."""
        remote = []
        for held, target in zip(boxes, targets, strict=True):
            if (cells := self.here(held)) is None:
                remote += _pieces(held, target)
            else:
                target[...] = cells
        if remote:
            self._call_in_loop(self._read_remote, remote)

    def _call_in_loop(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """Call `question(*arguments)` in the loop, and return its answer.

        Raises ClusterError if the loop has ended with its client.
        """
        try:
            return self.sync(question, *arguments)
        except ClusterError:
            raise
        except RuntimeError as error:
            fact = "cluster: cells of shards went with the cluster that held them, or its client is closed"
            raise ClusterError(f"{fact}; read them inside of the block of connect(), or save them there") from error

    async def _update_holders(self, keys: Sequence[Key]) -> None:
        try:
            has = await asyncio.wait_for(self.who_has([*keys, *[k + COPY for k in keys]]), self.deadline)
        except TimeoutError as error:
            fact = f"cluster: the scheduler did not answer in {self.deadline:g} s; it knows which workers hold cells"
            raise ClusterError(f"{fact}; look at its log, and compute the value again") from error
        self.forget(keys)
        self.note({k: [*has.get(k, ()), *has.get(k + COPY, ())] for k in keys})

    async def _read_remote(self, wanted: Sequence[Piece]) -> None:
        """Read cells that other processes hold; raises ClusterError after the deadline.

        Raises Reschedule in the task of a worker that would wait for results that are computed again: these may need
        the worker itself.
        """
        left, failed = [*wanted], dict[str, str]()
        began = monotonic()
        while left:
            groups = await self._groups(left, failed)
            asked = [(address, group) for address, group in groups.items() if address]
            read = await asyncio.gather(*[self._read_from(address, group) for address, group in asked])
            for (address, group), why in zip(asked, read, strict=True):
                if why:
                    failed[address] = why
                    self.forget([held.key for held, _ in group])
            left = [item for (_, group), why in zip(asked, read, strict=True) if why for item in group]
            left += groups.get("", ())
            if left:
                lost = [held.key for held, _ in groups.get("", ())] if self.own != "client" else []
                since = min([began, *[self.lost.setdefault(key, began) for key in lost]])
                if monotonic() - since > self.deadline:
                    self._clear_lost(wanted)
                    raise _unanswered(failed, self.deadline)
                if lost and monotonic() - began > LOOK:
                    raise Reschedule
                await asyncio.sleep(PAUSE)
        self._clear_lost(wanted)

    def _clear_lost(self, wanted: Sequence[Piece]) -> None:
        for held, _ in wanted:
            self.lost.pop(held.key, None)

    async def _groups(self, wanted: Sequence[Piece], failed: Mapping[str, str]) -> dict[str, list[Piece]]:
        """Return boxes with their targets by the address of a holder; by "" if none is known.

        `failed` has the reasons of workers that are not asked again, by address.
        """
        unknown = [held.key for held, _ in wanted if not self.known.get(held.key)]
        if unknown:
            await self._update_holders(list(dict.fromkeys(unknown)))
        groups: dict[str, list[Piece]] = {}
        for held, target in wanted:
            at = self.known.get(held.key) or [""]
            groups.setdefault(next((a for a in at if a not in failed), at[0]), []).append((held, target))
        return groups

    async def _read_from(self, address: str, group: Sequence[Piece]) -> str:
        """Read boxes from a worker, some at a time; return "", or a text that tells why it failed."""
        for part in _messages(group):
            if why := await self._ask(address, part):
                return why
        return ""

    async def _ask(self, address: str, part: Sequence[Piece]) -> str:
        """Read boxes from a worker at once; return "", or a text that tells why it failed."""
        asked = [(held.key, held.number, *map(list, held.box)) for held, _ in part]
        call = asyncio.ensure_future(self.rpc(address).weft_read(reader=self.own, boxes=asked))
        end = monotonic() + self.deadline
        try:
            while not (await asyncio.wait([call], timeout=min(LOOK, self.deadline)))[0]:
                if monotonic() > end:
                    return f"no answer in {self.deadline:g} s"
                await self._update_holders([held.key for held, _ in part])
                if not any(address in self.known.get(held.key, ()) for held, _ in part):
                    return "it ended"  # Dask goes on connecting to it for half a minute
            answer = call.result()
        except (OSError, ValueError) as error:  # the connection broke, or the worker lacks weft
            return f"{type(error).__name__}"
        finally:
            call.cancel()
        if "missing" in answer:
            return f"it no longer has {answer['missing']}"
        found = self._cells_of(address, answer, [held.box for held, _ in part], part[0][1].dtype)
        for (_, target), cells in zip(part, found, strict=True):
            target[...] = cells
        return ""

    def read_halo(
        self, giver: str, program: str, boxes: Sequence[tuple[int, Box]], dtype: np.dtype[Any], patience: float
    ) -> list[Cells] | None:
        """Return the cells of boxes of a program's files, given by number. None if `giver` has not sent them in time.

        It has `patience` seconds.
        """
        asked = [(number, *map(list, box)) for number, box in boxes]

        async def ask() -> dict[str, Any]:
            call = self.rpc(giver).weft_halo(reader=self.own, program=program, boxes=asked)
            return await asyncio.wait_for(call, patience)  # type: ignore[no-any-return]

        try:
            answer = self.sync(ask)
        except (OSError, ValueError):  # it ended, does not answer, or lacks weft
            return None
        return None if "missing" in answer else self._cells_of(giver, answer, [box for _, box in boxes], dtype)

    def _cells_of(
        self, address: str, answer: Mapping[str, Any], boxes: Sequence[Box], dtype: np.dtype[Any]
    ) -> list[Cells]:
        """Return the cells of boxes in the answer of a worker, and count their bytes as received from it."""
        cells = np.asarray(answer["cells"])
        self.received[address] += cells.nbytes
        ends = np.cumsum([0, *[prod(box.size) * dtype.itemsize for box in boxes]])
        parts = zip(boxes, ends[:-1], ends[1:], strict=True)
        return [cells[a:b].view(dtype).reshape(box.size) for box, a, b in parts]


def _pieces(held: HeldBox, target: Cells) -> list[Piece]:
    """Return a box and its target in parts of at most PIECE bytes, unless these are cells."""
    size = held.box.size
    axis = next((a for a, n in enumerate(size) if n > 1), None)
    if target.nbytes <= PIECE or axis is None:
        return [(held, target)]
    found, half = list[Piece](), size[axis] // 2
    for first, count in ((0, half), (half, size[axis] - half)):
        box = held.box.along(axis, (held.box.start[axis] + first * held.box.step[axis], held.box.step[axis], count))
        part = target[(slice(None),) * axis + (slice(first, first + count),)]
        found += _pieces(held._replace(box=box), part)
    return found


def _messages(group: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield boxes with their targets in lists of about PIECE bytes at most."""
    part, nbytes = list[Piece](), 0
    for held, target in group:
        if part and nbytes + target.nbytes > PIECE:
            yield part
            part, nbytes = [], 0
        part.append((held, target))
        nbytes += target.nbytes
    yield part


def _unanswered(failed: Mapping[str, str], deadline: float) -> ClusterError:
    """Return the ClusterError for cells that no worker sent in `deadline` seconds; `failed` has reasons by address."""
    who = "; ".join([f"{address}: {why}" for address, why in failed.items()]) or "no worker holds them any more"
    advice = "look at the logs of the workers, and compute the value again"
    return ClusterError(f"cluster: cells of shards did not come in {deadline:g} s: {who}; {advice}")
