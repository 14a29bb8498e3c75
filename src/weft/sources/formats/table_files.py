"""Files of columns (Parquet, Arrow, CSV): one way to open a column, list the columns and read their attributes.

The one idea: a format's reader gives a `TableFile`, which finds the row groups of a column by its name.  A file without
separate places for its columns is parsed once for all columns that are opened together, and each column then keeps only
its own cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from weft.errors import OutOfMemory
from weft.runtime.memory.limits import available_memory
from weft.sources.formats.cell_run import Identity, checked_shape, opened
from weft.sources.formats.table_columns import (
    Number,
    TableColumn,
    check_nulls,
    found_field,
    number_names,
    schema_attributes,
)

TABLES: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()  # (path, identity, options) → table


class ColumnGroups(NamedTuple):
    """The row groups of a column: functions for their first rows and the total, and for a group's cells.

    `null_count` is the number of nulls, None if only reading tells it.
    """

    starts: Callable[[], Sequence[int]]
    group: Callable[[int], Any]
    null_count: int | None


class TableFile(NamedTuple):
    """A file of columns: its Arrow schema, its rows, and `column(name, nulls)`, which finds the groups of a column."""

    schema: Any
    rows: int
    column: Callable[[str, Number | None], ColumnGroups]


class ColumnNames(list[str]):
    """The names of a table's columns that hold numbers; the list keeps a parsed table alive."""

    table: TableFile


Read = Callable[..., TableFile]


def open_column(form: str, read: Read, path: str, name: str, *, nulls: Any = None, **options: Any) -> TableColumn:
    """Return one column of the file that `read(path, **options)` reads as a source; `nulls` replaces missing values.

    `form` names the format in errors.  Raises NoSuchArray if there is no such column, FileFormatError if the file is
    damaged, or the column holds no numbers or missing values without `nulls`, and the errors of `read`.
    """
    check_nulls(form, path, nulls)
    table = read(path, **options)
    field = found_field(form, path, table.schema, name)
    (rows,) = checked_shape(form, path, (table.rows,), 16)
    return TableColumn(form, path, field, rows, *table.column(name, nulls), nulls)


def column_names(form: str, read: Read, path: str, *, nulls: Any = None, **options: Any) -> ColumnNames:
    """Return the names of the columns that hold numbers; `nulls` is ignored.

    Raises FileFormatError if the file is damaged or a name occurs twice, and the errors of `read`.
    """
    table = read(path, **options)
    names = ColumnNames(number_names(form, path, table.schema))
    names.table = table
    return names


def column_attributes(read: Read, path: str, name: str | None) -> dict[str, Any]:
    """Return the metadata of the table, or of the column `name`.

    Raises NoSuchArray if there is no such column, FileFormatError if the file is damaged, and the errors of `read`.
    """
    return schema_attributes(read(path).schema, name)


def parsed_table(form: str, path: str, identity: Identity, parse: Callable[..., Any], *options: Any) -> TableFile:
    """Return the table parsed by `parse(path, *options)`, or a table in use that was parsed before.

    `identity` is that of the file, `form` names the format in errors. Raises OutOfMemory if the file is larger than
    free memory, FileFormatError if it changed, and the errors of `parse`.
    """
    key = (path, identity, options)
    table = TABLES.get(key)
    if table is None:
        free = available_memory()
        if free is not None and identity[2] > free:
            fact = f"{identity[2]} bytes are parsed as a whole, {free} bytes of memory are free"
            raise OutOfMemory(f"{form}: {path}: {fact}; convert it to Parquet in parts")
        with opened(path, form, identity):
            table = TABLES[key] = parse(path, *options)

    def column(name: str, nulls: Number | None) -> ColumnGroups:
        found = table.column(name)
        chunks = found.chunks
        starts = [0, *accumulate(map(len, chunks))]
        return ColumnGroups(lambda: starts, chunks.__getitem__, found.null_count)

    return TableFile(table.schema, table.num_rows, column)
