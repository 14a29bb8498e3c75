"""Tables that are parsed as a whole, and kept while columns of them are opened.

The one idea: a file without separate places for its columns is parsed once for all columns that are opened together;
each column then keeps only its own cells.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any
from weakref import WeakValueDictionary

from weft.errors import OutOfMemory
from weft.runtime.memory.limits import available_memory
from weft.sources.formats.cell_run import Identity, opened
from weft.sources.formats.table_columns import ColumnNames, Number, TableColumn, found_field, number_names

TABLES: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()  # (path, identity, options) → table


def held_table(form: str, path: str, identity: Identity, read: Callable[..., Any], *options: Any) -> Any:
    """Return the table parsed by `read(path, *options)`, or a table in use that was parsed before.

    `identity` is that of the file, `form` names the format in errors. Raises OutOfMemory if the file is larger than
    free memory, FileFormatError if it changed, and the errors of `read`.
    """
    key = (path, identity, options)
    table = TABLES.get(key)
    if table is None:
        free = available_memory()
        if free is not None and identity[2] > free:
            fact = f"{identity[2]} bytes are parsed as a whole, {free} bytes of memory are free"
            raise OutOfMemory(f"{form}: {path}: {fact}; convert it to Parquet in parts")
        with opened(path, form, identity):
            table = TABLES[key] = read(path, *options)
    return table


def held_names(form: str, path: str, table: Any) -> ColumnNames:
    """Return the names of the table's columns that hold numbers; the list keeps the table alive.

    Raises FileFormatError, which names format and path, if a name occurs twice.
    """
    names = number_names(form, path, table.schema)
    names.table = table
    return names


def held_column(form: str, path: str, table: Any, name: str, nulls: Number | None) -> TableColumn:
    """Return a column of the table as a source; `nulls` replaces missing values.

    Raises NoSuchArray if there is no such column, FileFormatError if it holds no numbers, or missing values without
    `nulls`.
    """
    field = found_field(form, path, table.schema, name)
    column = table.column(name)
    chunks = column.chunks
    starts = [0, *accumulate(map(len, chunks))]
    count = column.null_count
    return TableColumn(form, path, field, len(column), lambda: starts, chunks.__getitem__, nulls, count)
