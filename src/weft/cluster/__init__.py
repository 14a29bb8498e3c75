"""Tensors spread over machines: shards are sources held by workers, a sharded tensor is a selection of them.

The one idea: no new kind of tensor; what holds for selections holds for shards.  The cluster is one of
dask.distributed, which is imported when a function of this module is first called.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

from weft.api.habits import accept_habits
from weft.errors import ArgumentError, ClusterError
from weft.runtime.fork_safety import late_import
from weft.tensors.tensor import Tensor


def connect(to: Any = None, *, deadline: float = 30.0) -> Any:
    """Return a connection to a Dask cluster: inside `with`, its workers do large work over files and shards.

    `to` is a client of dask.distributed, the address of a scheduler, or None, which starts workers on this machine for
    the time of the block.  `deadline` is the time in seconds in which workers and scheduler must answer.  Computations
    inside the block go to workers if that pays; results have the same bits (docs/cluster.md).  Raises ClusterError if
    nothing answers, if a worker has another version of weft, or if distributed is not installed, and ArgumentError for
    a deadline that is no number of seconds.
    """
    if not (isinstance(deadline, Real) and deadline > 0):
        fact = f"connect: deadline {deadline!r:.60}; it is the time in seconds in which workers have to answer"
        raise ArgumentError(f"{fact}; give a number above 0")
    return _module("weft.cluster.connection").Connection(to, deadline)


def shard(x: Any, chunks: int | Sequence[int | None] | None = None) -> Tensor:
    """Return a tensor of the same cells, which workers of the connected cluster hold in boxes.

    `x` is a tensor or anything `asarray` takes; pending values are computed by the workers.  `chunks` are the cells of
    a box along every axis, or one number for all; None for an axis leaves it whole.  Without chunks the first axis has
    a part for each worker.  Raises ClusterError outside of `connect`, ShapeError for chunks that do not fit.
    """
    sharded: Tensor = _module("weft.cluster.sharding").sharded(x, chunks)
    return sharded


def _module(name: str) -> Any:
    """Return a module of this package; raises ClusterError if dask or distributed is not installed."""
    try:
        return late_import(name)
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        fact = f"cluster: {error.name} is not installed; it brings scheduler and workers"
        raise ClusterError(f"{fact}; pip install 'weft[cluster]'") from error


__all__ = ["connect", "shard"]

accept_habits(globals())
