"""Arrow files (Feather too): batches of rows, of which one column is read; streams are parsed whole.

The one idea: a file lists its batches at the end, so one column of one batch can be fetched; the number of rows in a
batch is stored in the batch, and read when values are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from weft.errors import FileFormatError
from weft.sources.formats.cell_run import Identity, checked_shape, failure, opened
from weft.sources.formats.held_tables import held_column, held_names, held_table
from weft.sources.formats.kept_headers import kept
from weft.sources.formats.table_columns import (
    ColumnNames,
    TableColumn,
    checked_nulls,
    found_field,
    number_names,
    pyarrow_errors,
    schema_attributes,
)
from weft.sources.read.byte_ranges import read_some

FORM = "arrow"
MAGIC = b"ARROW1"
OLD_FEATHER = b"FEA1"


def open_arrow(path: str, name: str, *, nulls: Any = None) -> TableColumn:
    """Return one column as a source; `nulls` replaces missing values.

    Raises NoSuchArray if there is no such column, FileFormatError if the file is damaged, or the column holds no
    numbers or missing values without `nulls`, OutOfMemory if a stream exceeds free memory.
    """
    identity, is_file = _kind(path)
    nulls = checked_nulls(FORM, path, nulls)
    if not is_file:
        return held_column(FORM, path, held_table(FORM, path, identity, _stream), name, nulls)
    identity, (schema, batches, rows) = _facts(path)
    field = found_field(FORM, path, schema, name)
    checked_shape(FORM, path, (rows,), 16)
    batch = partial(_batch, path, identity, schema.get_field_index(name))
    count = None
    if nulls is not None and field.nullable:
        with pyarrow_errors(FORM, path):
            count = sum(batch(k).null_count for k in range(batches))
    return TableColumn(FORM, path, field, rows, _starts(path, rows, batches, batch), batch, nulls, count)


def arrow_names(path: str, **options: Any) -> ColumnNames:
    """Return the names of the columns that hold numbers; `options` are ignored.

    Raises FileFormatError if the file is damaged or of version 1 of Feather, OutOfMemory if a stream exceeds free
    memory.
    """
    identity, is_file = _kind(path)
    if is_file:
        return number_names(FORM, path, _facts(path)[1][0])
    return held_names(FORM, path, held_table(FORM, path, identity, _stream))


def arrow_attributes(path: str, name: str | None) -> dict[str, Any]:
    """Return the metadata of the table, or of the column `name`.

    Raises NoSuchArray if there is no such column, FileFormatError if the file is damaged, OutOfMemory if a stream
    exceeds free memory.
    """
    identity, is_file = _kind(path)
    schema = _facts(path)[1][0] if is_file else held_table(FORM, path, identity, _stream).schema
    return schema_attributes(schema, name)


def _kind(path: str) -> tuple[Identity, bool]:
    """Return (identity, True for a file with a list of batches, False for a stream).

    Raises FileFormatError for version 1 of Feather.
    """
    with opened(path, FORM) as (fd, identity):
        head = read_some(fd, 8, 0)
    if head.startswith(OLD_FEATHER):
        raise failure(FORM, path, "is Feather of version 1", "write it again with pyarrow.feather.write_feather")
    return identity, head.startswith(MAGIC)


@kept(FORM)
def _facts(path: str, identity: Identity) -> tuple[Any, int, int]:
    """Return (schema, number of batches, number of rows) of an Arrow file.

    Raises FileFormatError if the file is damaged or its identity differs from `identity`.
    """
    with opened(path, FORM, identity), pyarrow_errors(FORM, path) as pyarrow:
        from pyarrow import dataset

        with pyarrow.OSFile(path) as file:
            reader = pyarrow.ipc.open_file(file)
            for name in {n for n in reader.schema.names if reader.schema.names.count(n) > 1}:
                found_field(FORM, path, reader.schema, name)  # raises: pyarrow counts no rows then
            return reader.schema, reader.num_record_batches, dataset.dataset(path, format="ipc").count_rows()


def _batch(path: str, identity: Identity, column: int, batch: int) -> Any:
    """Return the cells of a column in one batch, by its number, as a pyarrow array.

    Raises FileFormatError if the file is damaged or its identity differs from `identity`.
    """
    with opened(path, FORM, identity), pyarrow_errors(FORM, path) as pyarrow, pyarrow.OSFile(path) as file:
        options = pyarrow.ipc.IpcReadOptions(included_fields=[column], use_threads=False)
        return pyarrow.ipc.open_file(file, options=options).get_batch(batch).column(0)


def _starts(path: str, rows: int, batches: int, batch: Callable[[int], Any]) -> Callable[[], Sequence[int]]:
    """Return a function that returns the first row of each batch and, last, the total; it reads the file once.

    `batch(k)` gives the cells of a batch, `batches` is their number, `rows` the total. The function raises
    FileFormatError if the file is damaged.
    """
    known: list[int] = []

    def starts() -> Sequence[int]:
        if not known:
            known.extend([0, rows] if batches == 1 else [0, *accumulate(len(batch(k)) for k in range(batches))])
            if known[-1] != rows:
                del known[:]
                raise failure(FORM, path, f"its batches do not add up to {rows} rows", "the file is damaged")
        return known

    return starts


def _stream(path: str) -> Any:
    """Return the whole table of an Arrow stream. Raises FileFormatError if it is damaged."""
    with pyarrow_errors(FORM, path) as pyarrow, pyarrow.OSFile(path) as file:
        try:
            return pyarrow.ipc.open_stream(file).read_all()
        except pyarrow.ArrowInvalid as e:
            raise FileFormatError(f"{FORM}: {path}: is neither an Arrow file nor a stream: {e!s:.100}; check it") from e
