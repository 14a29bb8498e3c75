"""Parquet files: a column is read alone, and only the row groups that a program touches.

The one idea: the file's footer has the place of each row group of each column; pyarrow decodes them one by one.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import Any

from weft.sources.formats.cell_run import Identity, opened
from weft.sources.formats.kept_headers import kept
from weft.sources.formats.table_columns import Number, pyarrow_errors
from weft.sources.formats.table_files import ColumnGroups, TableFile

FORM = "parquet"


def parquet_table(path: str) -> TableFile:
    """Return the table in a file; raises FileFormatError if it is damaged."""
    identity, (metadata, schema) = _metadata(path)
    starts = [0, *accumulate(metadata.row_group(k).num_rows for k in range(metadata.num_row_groups))]

    def column(name: str, nulls: Number | None) -> ColumnGroups:
        group = partial(_group, path, identity, metadata, name)
        return ColumnGroups(lambda: starts, group, _null_count(metadata, name))

    return TableFile(schema, starts[-1], column)


@kept(FORM)
def _metadata(path: str, identity: Identity) -> tuple[Any, Any]:
    """Return (footer, Arrow schema) of a file; raises FileFormatError if it is damaged."""
    with opened(path, FORM, identity) as (fd, _), pyarrow_errors(FORM, path):
        from pyarrow.parquet import ParquetFile

        with ParquetFile(path if isinstance(fd, int) else fd.file()) as file:
            return file.metadata, file.schema_arrow


def _null_count(metadata: Any, name: str) -> int | None:
    """Return the number of nulls in a column; None if the footer does not state it."""
    at = next((k for k in range(metadata.num_columns) if metadata.schema.column(k).path == name), None)
    if at is None:
        return None
    found = [metadata.row_group(k).column(at).statistics for k in range(metadata.num_row_groups)]
    if any(s is None or not s.has_null_count for s in found):
        return None
    return sum(s.null_count for s in found)


def _group(path: str, identity: Identity, metadata: Any, name: str, group: int) -> Any:
    """Return the cells of a column in one row group, by its number.

    Raises FileFormatError if they are damaged, or the file's identity differs from `identity`.
    """
    from pyarrow.parquet import ParquetFile

    with opened(path, FORM, identity) as (fd, _):
        target = path if isinstance(fd, int) else fd.file()
        checked = {"page_checksum_verification": True, "pre_buffer": target is not path}
        with ParquetFile(target, metadata=metadata, **checked) as file:
            return file.read_row_group(group, columns=[name], use_threads=False).column(name)
