"""Text with a row on every line (CSV, TSV): parsed as a whole when it is opened, by pyarrow.

The one idea: the type of a column is known only after its last line was parsed, so parsing cannot be deferred.
"""

from __future__ import annotations

from typing import Any

from weft.sources.formats.cell_run import failure, opened
from weft.sources.formats.table_columns import pyarrow_errors
from weft.sources.formats.table_files import TableFile, parsed_table

FORM = "csv"
GZIP = b"\x1f\x8b"


def csv_table(
    path: str,
    delimiter: str | None = None,
    header: bool = True,
    skip: int = 0,
    decimal: str = ".",
    encoding: str = "utf8",
) -> TableFile:
    """Return the table in a text; the default delimiter follows from the file's ending.

    `header`: the first line has the names of columns, else they are called "f0", "f1"...; `skip`: the lines to leave
    out before it. Raises FileFormatError for invalid options and text that is no table, OutOfMemory if the file exceeds
    free memory.
    """
    with opened(path, FORM) as (fd, identity):
        if fd.some(2, 0) == GZIP:
            raise failure(FORM, path, "is compressed", "open it as weft.open(gzip.open(path), format='csv')")
    if delimiter is None:
        delimiter = "\t" if str(getattr(path, "ending", path)).lower().endswith((".tsv", ".tab")) else ","
    for option, text in (("delimiter", delimiter), ("decimal", decimal)):
        if not (isinstance(text, str) and len(text) == 1 and text.isascii()):
            raise failure(FORM, path, f"{option}={text!r:.20}", "give one ASCII character")
    if type(skip) is not int or skip < 0:
        raise failure(FORM, path, f"skip={skip!r:.20}", "give the number of lines before the header")
    if not isinstance(encoding, str):
        raise failure(FORM, path, f"encoding={encoding!r:.20}", "give a name such as 'latin1'")
    return parsed_table(FORM, path, identity, _parsed, delimiter, bool(header), skip, decimal, encoding)


def _parsed(path: str, delimiter: str, header: bool, skip: int, decimal: str, encoding: str) -> Any:
    """Return the table parsed from the text; on failure, tries again with line ends allowed inside quotes.

    The options are those of `csv_table`. Raises FileFormatError if that fails, too, or pyarrow is missing.
    """
    with pyarrow_errors(FORM, path) as pyarrow:
        from pyarrow import csv

        reading = csv.ReadOptions(skip_rows=skip, encoding=encoding, autogenerate_column_names=not header)
        converting = csv.ConvertOptions(decimal_point=decimal)

        def read(newlines: bool) -> Any:
            parsing = csv.ParseOptions(delimiter=delimiter, newlines_in_values=newlines)
            with pyarrow.OSFile(path) as file:
                return csv.read_csv(file, reading, parsing, converting)

        try:
            return read(False)
        except pyarrow.ArrowInvalid:
            return read(True)
