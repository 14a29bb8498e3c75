"""Tables written by pyarrow (Parquet, Arrow, CSV): tensors of one axis become columns.

The one idea: columns are held until all are complete, and the library writes them, some rows at a time, so that an
interrupt is handled in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from weft.errors import DTypeError, ShapeError
from weft.sources.formats.hdf5_write import NAME
from weft.sources.formats.table_columns import DTYPES, pyarrow_errors
from weft.sources.write.held_sinks import held_sinks
from weft.sources.write.sink import Field, Sink, Writer

Columns = Mapping[str, NDArray[Any]]
GROUP = 1 << 20  # cells of a row group of Parquet or a batch of Arrow: about 0.1 s
TEXT = 1 << 16  # cells written as text at a time


def _parts(table: Any, cells: int) -> Iterator[Any]:
    """Yield parts of a table of about `cells` cells, at least one row each; one part if it has no rows."""
    words = table.nbytes // max(8 * len(table), 1)  # of a row: columns may hold lists
    rows = max(1, cells // max(words, table.num_columns, 1))
    for first in range(0, max(len(table), 1), rows):
        yield table.slice(first, rows)


def open_parquet(path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Create a Parquet file of the columns and return their sinks.

    A tensor of two axes is a column of fixed-size lists. Raises ShapeError for other ranks and unequal lengths,
    DTypeError for dtypes that tables lack, FileFormatError if pyarrow is missing.
    """

    def write(table: Any) -> None:
        from pyarrow import parquet

        with parquet.ParquetWriter(path, table.schema) as out:
            for rows in _parts(table, GROUP):
                out.write_table(rows)

    return _held("parquet", path, fields, write, lists=True)


def open_arrow(path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Create an Arrow file of the columns and return their sinks.

    A tensor of two axes is a column of fixed-size lists. Raises ShapeError for other ranks and unequal lengths,
    DTypeError for dtypes that tables lack, FileFormatError if pyarrow is missing.
    """

    def write(table: Any) -> None:
        import pyarrow

        with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_file(file, table.schema) as out:
            for rows in _parts(table, GROUP):
                out.write_table(rows)

    return _held("arrow", path, fields, write, lists=True)


def open_csv(path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Create a CSV file of the columns, with their names in the first line; return their sinks.

    Raises ShapeError for other ranks than 1 and unequal lengths, DTypeError for dtypes that tables lack,
    FileFormatError if pyarrow is missing.
    """

    def write(table: Any) -> None:
        from pyarrow import csv

        with csv.CSVWriter(path, table.schema) as out:
            for rows in _parts(table, TEXT):
                out.write_table(rows)

    return _held("csv", path, fields, write, lists=False)


def _held(
    form: str, path: str, fields: Mapping[str, Field], write: Callable[[Any], None], lists: bool
) -> Mapping[str, Sink]:
    """Return sinks that hold the columns, and pass them to `write` as a table when all are complete.

    `lists`: tensors may have two axes. Raises ShapeError for tensors of a wrong rank or length, DTypeError for dtypes
    that tables lack, FileFormatError if pyarrow is missing.
    """
    rows = {f.shape[0] for f in fields.values() if f.shape}
    for name, f in fields.items():
        if f.dtype not in DTYPES.values():
            raise DTypeError(f"save: {path}: column {name!r:.60} is {f.dtype.name}; tables have none; convert it")
        if len(f.shape) not in (1, 2 if lists else 1) or len(rows) > 1:
            fact = f"column {name!r:.60} has shape {f.shape}, columns of one table have {sorted(rows)} rows"
            raise ShapeError(f"save: {path}: {fact}; give tensors of one axis and one length, by their names")

    def finish(columns: Columns) -> None:
        with pyarrow_errors(form, path) as pyarrow:
            table = pyarrow.table({name: _column(pyarrow, values) for name, values in columns.items()})
        write(table)

    with pyarrow_errors(form, path):  # where it is not installed
        pass
    return held_sinks(fields, finish)


def _column(pyarrow: Any, values: NDArray[Any]) -> Any:
    if values.ndim == 1:
        return pyarrow.array(values)
    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.reshape(-1)), values.shape[1])


WRITERS = {
    ".parquet": Writer(open_parquet, lone=NAME),
    ".pq": Writer(open_parquet, lone=NAME),
    ".feather": Writer(open_arrow, lone=NAME),
    ".arrow": Writer(open_arrow, lone=NAME),
    ".csv": Writer(open_csv, lone=NAME),
}
