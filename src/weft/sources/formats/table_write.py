"""Tables written by pyarrow (Parquet, Arrow, CSV): tensors of one axis become columns.

The one idea: columns are held until all are complete, and the library writes them, some rows at a time, so that an
interrupt is handled in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from numpy.typing import NDArray

from weft.errors import DTypeError, ShapeError
from weft.sources.formats.hdf5_write import NAME
from weft.sources.formats.table_columns import DTYPES, pyarrow_errors
from weft.sources.write.held_sinks import held_sinks
from weft.sources.write.sink import Field, Sink, Writer

Columns = Mapping[str, NDArray[Any]]
Opened = Callable[[str, Any], AbstractContextManager[Any]]
GROUP = 1 << 20  # cells of a row group of Parquet or a batch of Arrow: about 0.1 s
TEXT = 1 << 16  # cells written as text at a time


def _parts(table: Any, cells: int) -> Iterator[Any]:
    """Yield parts of a table of about `cells` cells, at least one row each. One part if it has no rows."""
    words = table.nbytes // max(8 * len(table), 1)  # of a row: columns may hold lists
    rows = max(1, cells // max(words, table.num_columns, 1))
    for first in range(0, max(len(table), 1), rows):
        yield table.slice(first, rows)


def _parquet(path: str, schema: Any) -> AbstractContextManager[Any]:
    from pyarrow.parquet import ParquetWriter

    found: AbstractContextManager[Any] = ParquetWriter(path, schema)
    return found


@contextmanager
def _arrow(path: str, schema: Any) -> Iterator[Any]:
    import pyarrow

    with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_file(file, schema) as out:
        yield out


def _csv(path: str, schema: Any) -> AbstractContextManager[Any]:
    from pyarrow.csv import CSVWriter

    found: AbstractContextManager[Any] = CSVWriter(path, schema)
    return found


def _open_table(form: str, opened: Opened, path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Return sinks that hold the columns of a table; `opened(path, schema)` is its file once all are complete.

    A tensor of two axes is a column of fixed-size lists, which CSV lacks.  Raises ShapeError for other ranks and
    unequal lengths, DTypeError for dtypes that tables lack, FileFormatError if pyarrow is missing.
    """
    is_text = form == "csv"
    rows = {f.shape[0] for f in fields.values() if f.shape}
    for name, f in fields.items():
        if f.dtype not in DTYPES.values():
            raise DTypeError(f"save: {path}: column {name!r:.60} is {f.dtype.name}; tables have none; convert it")
        if len(f.shape) not in (1, 1 if is_text else 2) or len(rows) > 1:
            fact = f"column {name!r:.60} has shape {f.shape}, columns of one table have {sorted(rows)} rows"
            raise ShapeError(f"save: {path}: {fact}; give tensors of one axis and one length, by their names")

    def finish(columns: Columns) -> None:
        with pyarrow_errors(form, path) as pyarrow:
            table = pyarrow.table({name: _column(pyarrow, values) for name, values in columns.items()})
        with opened(path, table.schema) as out:
            for some in _parts(table, TEXT if is_text else GROUP):
                out.write_table(some)

    with pyarrow_errors(form, path):  # where it is not installed
        pass
    return held_sinks(fields, finish)


def _column(pyarrow: Any, values: NDArray[Any]) -> Any:
    if values.ndim == 1:
        return pyarrow.array(values)
    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.reshape(-1)), values.shape[1])


PARQUET = Writer(partial(_open_table, "parquet", _parquet), lone=NAME)
ARROW = Writer(partial(_open_table, "arrow", _arrow), lone=NAME)
CSV = Writer(partial(_open_table, "csv", _csv), lone=NAME)
WRITERS = {".parquet": PARQUET, ".pq": PARQUET, ".feather": ARROW, ".arrow": ARROW, ".csv": CSV}
