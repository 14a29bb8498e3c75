"""Sinks that several processes write: opened by one of them, and reopened by the others from a declaration.

The one idea: cells at fixed offsets, and chunks that one process writes whole, need no agreement between writers.  The
process that created the file makes it appear once all have written.  An existing array is shared only if its chunks get
their names from a folder beside them: once that is removed, an abandoned task cannot write any more.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from weft import dtypes as dt
from weft.errors import ClusterError
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.sources.write.regions import RegionSink
from weft.sources.write.save import Job
from weft.sources.write.sink import Field, FileSink, Sink
from weft.sources.zarr.metadata import read_metadata
from weft.sources.zarr.recorded_codecs import recorded_encode
from weft.sources.zarr.zarr_array import ZarrArray
from weft.sources.zarr.zarr_write import ZarrSink


def declared(job: Job) -> dict[str, Any] | None:
    """Return the declaration of a job's sink; None if other processes cannot open it."""
    sink, f, region = job.sink, job.field, None
    common = {"path": str(job.path), "dtype": f.dtype.name, "big": f.big, "shape": list(f.shape), "order": f.order}
    if isinstance(sink, FileSink) and type(sink).write is FileSink.write:
        return common | {"at": os.path.abspath(sink.path), "run": [sink.offset, sink.big, sink.order]}
    if type(sink) is RegionSink and sink.concurrent:
        sink, region = sink.sink, [sink.start, sink.dropped, sink.remaining]
    if type(sink) is ZarrSink:
        beside = None if sink.beside is None else os.path.abspath(sink.beside)
        at = os.path.abspath(sink.path)
        return common | {"at": at, "run": None, "whole": list(sink.shape), "beside": beside, "region": region}
    return None


def box_jobs(
    declarations: Sequence[Mapping[str, Any]], sinks: Sequence[Sink], nodes: Sequence[Node], box: Box
) -> list[Job]:
    """Return the jobs that write `nodes`, the cells of a box of values, into reopened sinks."""
    jobs = []
    for d, sink, n in zip(declarations, sinks, nodes, strict=True):
        field = Field(dt.BY_NAME[d["dtype"]], d["big"], box.size, d["order"])
        jobs.append(Job(d["path"], n, field, RegionSink(d["path"], sink, box.start)))
    return jobs


def reopened(declaration: Mapping[str, Any]) -> Sink:
    """Return the sink of a declaration.

    Raises ClusterError if the file does not exist here, FileFormatError if the metadata of a Zarr array are damaged.
    """
    try:
        return _reopened_zarr(declaration) if declaration["run"] is None else _reopened_run(declaration)
    except OSError as error:
        fact = f"cluster: a worker cannot write {declaration['path']}: {error}"
        raise ClusterError(f"{fact}; workers write where the client does; save into a folder that all share") from error


def _reopened_run(d: Mapping[str, Any]) -> Sink:
    offset, big, order = d["run"]
    return FileSink(d["at"], offset, dt.BY_NAME[d["dtype"]], big, tuple(d["shape"]), order, is_new=False)


def _reopened_zarr(d: Mapping[str, Any]) -> Sink:
    metadata = read_metadata(d["at"])
    if metadata is None:
        raise FileNotFoundError(d["at"])
    sink = ZarrSink(ZarrArray(metadata), recorded_encode(metadata), tuple(d["whole"]), d["beside"])
    return sink if d["region"] is None else RegionSink(d["path"], sink, *d["region"])
