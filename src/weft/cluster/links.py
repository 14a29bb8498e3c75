"""Links: how a process reads cells that workers hold, without the scheduler.

The one idea: one message to each holder names all boxes wanted from it, and the answer is their cells in one run of
bytes.  The holder of a result is known since it was made; only if a holder fails is the scheduler asked, which has a
lost result computed again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
LOOK = 0.5  # seconds without an answer until the scheduler is asked whether the holder still has the result
Cells = NDArray[Any]


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
        """Forget the holders of results that are no longer needed."""
        for key in keys:
            self.known.pop(key, None)

    def read(self, boxes: Sequence[HeldBox], dtype: np.dtype[Any]) -> list[Cells]:
        """Return the cells of boxes; raises ClusterError if no worker has them, or none answers in time."""
        found: list[Any] = [None] * len(boxes)
        remote = []
        for k, held in enumerate(boxes):
            found[k] = cells_here(self.data, held)
            if found[k] is None:
                remote.append(k)
        if remote:
            for k, cells in zip(
                remote, self._call_in_loop(self._read_remote, [boxes[k] for k in remote], dtype), strict=True
            ):
                found[k] = cells
        return found

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

    async def _read_remote(self, boxes: Sequence[HeldBox], dtype: np.dtype[Any]) -> list[Cells]:
        """Return the cells of boxes that other processes hold; raises ClusterError after the deadline.

        Raises Reschedule in the task of a worker that would wait for results that are computed again: these may need
        the worker itself.
        """
        found: dict[int, Cells] = {}
        failed: dict[str, str] = {}
        began = monotonic()
        while len(found) < len(boxes):
            groups = await self._groups([(k, h) for k, h in enumerate(boxes) if k not in found], failed)
            tried = [self._read_from(address, group, dtype) for address, group in groups.items() if address]
            for (address, group), cells in zip(
                [item for item in groups.items() if item[0]], await asyncio.gather(*tried), strict=True
            ):
                if isinstance(cells, str):
                    failed[address] = cells
                    self.forget([h.key for _, h in group])
                else:
                    found.update({k: c for (k, _), c in zip(group, cells, strict=True)})
            if len(found) < len(boxes):
                lost = [h.key for _, h in groups.get("", ())] if self.own != "client" else []
                since = min([began, *[self.lost.setdefault(key, began) for key in lost]])
                if monotonic() - since > self.deadline:
                    self._clear_lost(boxes)
                    raise _unanswered(failed, self.deadline)
                if lost and monotonic() - began > LOOK:
                    raise Reschedule
                await asyncio.sleep(PAUSE)
        self._clear_lost(boxes)
        return [found[k] for k in range(len(boxes))]

    def _clear_lost(self, boxes: Sequence[HeldBox]) -> None:
        for held in boxes:
            self.lost.pop(held.key, None)

    async def _groups(
        self, numbered: Sequence[tuple[int, HeldBox]], failed: Mapping[str, str]
    ) -> dict[str, list[tuple[int, HeldBox]]]:
        """Return numbered boxes by the address of a holder; by "" if none is known.

        `failed` has the reasons of workers that are not asked again, by address.
        """
        unknown = [h.key for _, h in numbered if not self.known.get(h.key)]
        if unknown:
            await self._update_holders(list(dict.fromkeys(unknown)))
        groups: dict[str, list[tuple[int, HeldBox]]] = {}
        for k, h in numbered:
            at = self.known.get(h.key) or [""]
            groups.setdefault(next((a for a in at if a not in failed), at[0]), []).append((k, h))
        return groups

    async def _read_from(
        self, address: str, group: Sequence[tuple[int, HeldBox]], dtype: np.dtype[Any]
    ) -> list[Cells] | str:
        """Return the cells of boxes from a worker, or a text that tells why it failed. `group` has numbered boxes."""
        asked = [(h.key, h.number, *map(list, h.box)) for _, h in group]
        call = asyncio.ensure_future(self.rpc(address).weft_read(reader=self.own, boxes=asked))
        end = monotonic() + self.deadline
        try:
            while not (await asyncio.wait([call], timeout=min(LOOK, self.deadline)))[0]:
                if monotonic() > end:
                    return f"no answer in {self.deadline:g} s"
                await self._update_holders([h.key for _, h in group])
                if not any(address in self.known.get(h.key, ()) for _, h in group):
                    return "it ended"  # Dask goes on connecting to it for half a minute
            answer = call.result()
        except (OSError, ValueError) as error:  # the connection broke, or the worker lacks weft
            return f"{type(error).__name__}"
        finally:
            call.cancel()
        if "missing" in answer:
            return f"it no longer has {answer['missing']}"
        return self._cells_of(address, answer, [h.box for _, h in group], dtype)

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


def _unanswered(failed: Mapping[str, str], deadline: float) -> ClusterError:
    """Return the ClusterError for cells that no worker sent in `deadline` seconds; `failed` has reasons by address."""
    who = "; ".join([f"{address}: {why}" for address, why in failed.items()]) or "no worker holds them any more"
    advice = "look at the logs of the workers, and compute the value again"
    return ClusterError(f"cluster: cells of shards did not come in {deadline:g} s: {who}; {advice}")
