"""Sinks that several processes write: opened by one of them, and reopened by the others from a declaration.

The one idea: cells at fixed offsets, and chunks that one process writes whole, need no agreement between writers.  The
process that created the file makes it appear once all have written.  An existing array is shared only if its chunks get
their names from a folder beside them: once that is removed, an abandoned task cannot write any more.
"""

from __future__ import annotations

import os
from operator import add
from typing import Any, NamedTuple

from numpy.typing import NDArray

from weft import dtypes as dt
from weft.errors import ClusterError
from weft.ir.graph.description import Shape
from weft.sources.write.regions import Part, RegionSink
from weft.sources.write.save import Job
from weft.sources.write.sink import ExistingArray, Field, FileSink, Sink
from weft.sources.zarr.metadata import read_metadata
from weft.sources.zarr.recorded_codecs import recorded_encode
from weft.sources.zarr.zarr_array import ZarrArray
from weft.sources.zarr.zarr_write import ZarrSink


class SharedSink(NamedTuple):
    """A reopened sink, with its name in messages and the field of the whole array."""

    path: str
    field: Field
    sink: Sink

    def of_size(self, size: Shape) -> tuple[str, Field, Sink]:
        """Return (name, field, sink) for a box of `size`."""
        f = self.field
        return self.path, Field(f.dtype, f.big, size, f.order), self.sink


class BoxSink:
    """The sink of a box of an array, whose first cell is `start`."""

    def __init__(self, sink: Sink, start: Shape) -> None:
        self.sink, self.start, self.tile, self.order = sink, start, sink.tile, sink.order
        self.concurrent = getattr(sink, "concurrent", False)

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write `values` to the box at `start`, counted from this box's first cell."""
        self.sink.write(tuple(map(add, self.start, start)), values)

    def close(self) -> None:
        """Do nothing: the process that opened the array closes it."""


def declared(job: Job) -> dict[str, Any] | None:
    """Return the declaration of a job's sink; None if other processes cannot open it."""
    sink, f, region = job.sink, job.field, None
    common = {"path": str(job.path), "dtype": f.dtype.name, "big": f.big, "shape": list(f.shape), "order": f.order}
    if isinstance(sink, FileSink) and type(sink).write is FileSink.write:
        laid = [sink.big, sink.order]
        return common | {"kind": "cells", "at": os.path.abspath(sink.path), "offset": sink.offset, "laid": laid}
    if type(sink) is RegionSink and sink.concurrent:
        sink, region = sink.sink, [list(sink.part.start), list(sink.part.dropped), sink.part.array.axis]
    if type(sink) is ZarrSink:
        beside = None if sink.beside is None else os.path.abspath(sink.beside)
        array = {"whole": list(sink.shape), "beside": beside, "region": region}
        return common | {"kind": "zarr", "at": os.path.abspath(sink.path)} | array
    return None


def reopened(declaration: dict[str, Any]) -> SharedSink:
    """Return the sink of a declaration.

    Raises ClusterError if the file does not exist here, FileFormatError if the metadata of a Zarr array are damaged.
    """
    field = Field(
        dt.BY_NAME[declaration["dtype"]], declaration["big"], tuple(declaration["shape"]), declaration["order"]
    )
    try:
        if declaration["kind"] == "cells":
            sink: Sink = FileSink(
                declaration["at"],
                declaration["offset"],
                field.dtype,
                declaration["laid"][0],
                field.shape,
                declaration["laid"][1],
                False,
            )
        else:
            sink = _reopened_zarr(declaration)
    except OSError as error:
        fact = f"cluster: a worker cannot write {declaration['path']}: {error}"
        raise ClusterError(f"{fact}; workers write where the client does; save into a folder that all share") from error
    return SharedSink(declaration["path"], field, sink)


def _reopened_zarr(d: dict[str, Any]) -> Sink:
    metadata = read_metadata(d["at"])
    if metadata is None:
        raise FileNotFoundError(d["at"])
    array, whole = ZarrArray(metadata), tuple(d["whole"])
    sink = ZarrSink(array, recorded_encode(metadata), whole, d["beside"])
    if d["region"] is None:
        return sink
    start, dropped, axis = d["region"]
    return RegionSink(d["path"], sink, Part("", ExistingArray(array, whole, axis), tuple(start), tuple(dropped)))
