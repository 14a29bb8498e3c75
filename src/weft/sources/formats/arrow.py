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
from weft.sources.formats.cell_run import Identity, failure, opened
from weft.sources.formats.kept_headers import kept
from weft.sources.formats.table_columns import Number, found_field, pyarrow_errors
from weft.sources.formats.table_files import ColumnGroups, TableFile, parsed_table

FORM = "arrow"
MAGIC = b"ARROW1"
OLD_FEATHER = b"FEA1"


def arrow_table(path: str) -> TableFile:
    """Return the table in a file.

    Raises FileFormatError if the file is damaged or of version 1 of Feather, OutOfMemory if a stream exceeds free
    memory.
    """
    with opened(path, FORM) as (fd, identity):
        head = fd.some(8, 0)
    if head.startswith(OLD_FEATHER):
        raise failure(FORM, path, "is Feather of version 1", "write it again with pyarrow.feather.write_feather")
    if not head.startswith(MAGIC):  # a stream, without a list of batches
        return parsed_table(FORM, path, identity, _stream)
    identity, (schema, batches, rows) = _facts(path)

    def column(name: str, nulls: Number | None) -> ColumnGroups:
        batch, count = partial(_batch, path, identity, schema.get_field_index(name)), None
        if nulls is not None and schema.field(name).nullable:
            with pyarrow_errors(FORM, path):
                count = sum(batch(k).null_count for k in range(batches))
        return ColumnGroups(_starts(path, rows, batches, batch), batch, count)

    return TableFile(schema, rows, column)


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
