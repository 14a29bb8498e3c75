"""Workers that end at a chosen step of their work, as `kill -9` ends them: the first that comes there, once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PHASES = ("message", "reading", "computing", "writing", "done", "cells")


@contextmanager
def killed_while(client: Any, phase: str, folder: Path) -> Iterator[Path]:
    """Have a worker die where it comes to a phase first. Yields a path that is there once that was so.

    Phases: a message is read, cells of a file are read, or cells computed, or written; a task is done; another process
    asks for cells.
    """
    dead = folder / f"dead while {phase}"

    def arm(dask_worker: Any) -> None:  # all inside: it travels, its module does not
        import os
        import signal

        from weft.cluster import worker_tasks
        from weft.runtime.compute import stages
        from weft.sources.formats.cell_run import CellRun
        from weft.sources.write.regions import RegionSink
        from weft.sources.zarr.zarr_array import ZarrArray

        undo: list[Any] = []
        dask_worker.weft_undo = undo

        def die_once() -> None:
            try:
                os.close(os.open(dead, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return  # another did
            os.kill(os.getpid(), signal.SIGKILL)

        def before(owner: Any, name: str) -> None:
            own = getattr(owner, name)

            def instead(*args: Any, **kwargs: Any) -> Any:
                die_once()
                return own(*args, **kwargs)

            setattr(owner, name, instead)
            undo.append(lambda: setattr(owner, name, own))

        if phase == "message":
            before(worker_tasks, "nodes_of_message")
        elif phase == "reading":
            for owner, name in ((ZarrArray, "encoded"), (CellRun, "read_box"), (CellRun, "load")):
                before(owner, name)
        elif phase == "computing":
            before(stages, "compute")
        elif phase == "writing":
            before(RegionSink, "write")
        elif phase == "done":
            kinds = dict(worker_tasks.KINDS)
            undo.append(lambda: worker_tasks.KINDS.update(kinds))
            for kind, own in kinds.items():
                worker_tasks.KINDS[kind] = lambda *args, own=own: (own(*args), die_once())[0]
        else:
            handlers, own = dask_worker.handlers, {n: dask_worker.handlers[n] for n in ("weft_read", "weft_halo")}
            undo.append(lambda: handlers.update(own))
            for name, answer in own.items():

                async def answered(answer: Any = answer, **asked: Any) -> Any:
                    die_once()
                    return await answer(**asked)

                handlers[name] = answered

    def disarm(dask_worker: Any) -> None:
        for step in getattr(dask_worker, "weft_undo", ()):
            step()

    client.run(arm)
    try:
        yield dead
    finally:
        client.run(disarm, on_error="ignore")
