"""Columns of tables (Parquet, Arrow, CSV): numbers in row groups, decoded by pyarrow.

The one idea: a column is a tensor of one axis.  A row group is decoded as a whole, and only if a program reads from it.
Missing values (nulls) are NaN in columns of floats; other dtypes cannot represent them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.backends.thread_sharing import share
from weft.dtypes import DType
from weft.ir.pieces.box import box_of_runs
from weft.runtime.compute.engine import SourceRead
from weft.sources.formats.cell_run import NoSuchArray, failure, library_errors, needed
from weft.sources.read.touched_boxes import Box, cells, chunk_box, copied, spans
from weft.sources.source import unplaced

DTYPES = {
    "bool": dt.bool, "int8": dt.int8, "int16": dt.int16, "int32": dt.int32, "int64": dt.int64, "uint8": dt.uint8,
    "uint16": dt.uint16, "uint32": dt.uint32, "uint64": dt.uint64, "halffloat": dt.float16, "float": dt.float32,
    "double": dt.float64, "null": dt.float64,
}  # fmt: skip  # by pyarrow's names; null is a column without any value
REFUSED = {
    "dictionary": "values by number; cast it to them",
    "string": "text; give each text a number, as pandas.factorize does",
    "timestamp": "points in time; cast it to int64, as pandas' .astype('int64') does",
    "date": "dates; cast it to int32 or int64",
    "time": "times of day; cast it to int64",
    "duration": "durations; cast it to int64",
    "decimal": "decimal numbers; cast it to float64",
    "list": "lists; write a column for each position, or lists of one fixed size",
    "struct": "records; write a column for each field",
}
Number = bool | int | float


@contextmanager
def pyarrow_errors(form: str, path: str) -> Iterator[Any]:
    """Yield pyarrow; errors inside the block become FileFormatError with the file's name.

    Raises FileFormatError if pyarrow is not installed.
    """
    pyarrow = needed("pyarrow", "tables", form, path, "reads this format")
    more = ", or wants delimiter=, header=, skip= or encoding=" if form == "csv" else ""
    with library_errors(form, path, "pyarrow", f"it is truncated, damaged or no such file{more}"):
        yield pyarrow


def number_names(form: str, path: str, schema: Any) -> list[str]:
    """Return the names of the columns that hold numbers; raises FileFormatError if a name occurs twice.

    `form` and `path` are for the message.
    """
    names = [f.name for f in schema if _numbers_of(f.type)[0]]
    for name in names:
        _check_single(form, path, schema, name)
    return names


def _check_single(form: str, path: str, schema: Any, name: str) -> None:
    """Raise FileFormatError if several columns are called `name`."""
    count = schema.names.count(name)
    if count > 1:
        remedy = "; or open it with skip=1, header=False as columns f0, f1, ..." if form == "csv" else ""
        advice = f"write it again with names of their own, or give name= of another{remedy}"
        raise failure(form, path, f"{count} columns are called {name!r:.60}", advice)


def found_field(form: str, path: str, schema: Any, name: str) -> Any:
    """Return the schema's field called `name`.

    Raises NoSuchArray if there is none, FileFormatError if there are several or its type is no number.
    """
    if name not in schema.names:
        raise NoSuchArray(name)
    _check_single(form, path, schema, name)
    field = schema.field(schema.names.index(name))
    if _numbers_of(field.type)[0] is None:
        text = str(field.type)
        what = next(
            (why for kind, why in REFUSED.items() if text.removeprefix("large_").startswith(kind)),
            "no numbers; convert it",
        )
        raise failure(form, path, f"column {name!r:.60} has type {text:.60}", f"weft reads numbers, it is {what}")
    return field


def _numbers_of(kind: Any) -> tuple[DType | None, tuple[int, ...]]:
    """Return (dtype, shape of a cell) of an Arrow type; the dtype is None if it holds no numbers."""
    size = getattr(kind, "list_size", None)
    if size is not None:
        dtype, inner = _numbers_of(kind.value_type)
        return dtype, (size, *inner)
    return DTYPES.get(str(kind)), ()


def schema_attributes(schema: Any, name: str | None) -> dict[str, Any]:
    """Return the metadata of a table, or the type and metadata of a column, without pandas' and Arrow's own keys.

    Raises NoSuchArray if there is no such column.
    """
    if name is None:
        found, own = schema.metadata or {}, {}
    else:
        if name not in schema.names:
            raise NoSuchArray(name)
        field = schema.field(schema.names.index(name))
        found, own = field.metadata or {}, {"type": str(field.type)}
    skipped = (b"pandas", b"ARROW:schema", b"PARQUET:field_id")
    return own | {key.decode("utf-8", "replace"): value for key, value in found.items() if key not in skipped}


class TableColumn:
    """A column in row groups that begin at `starts`; `group(k)` decodes group k (protocol `Gathering`)."""

    def __init__(
        self,
        form: str,
        path: str,
        field: Any,
        rows: int,
        starts: Callable[[], Sequence[int]],
        group: Callable[[int], Any],
        null_count: int | None,
        nulls: Number | None,
    ) -> None:
        self.form, self.path, self.name, self.nulls = form, path, f"{path}::{field.name}", nulls
        self.big, self.order, self.group, self._starts = False, "C", group, starts
        found, inner = _numbers_of(field.type)
        assert found is not None
        missing = field.nullable and null_count != 0
        if missing and found.kind not in ("float", "complex"):
            if isinstance(nulls, float) and isnan(nulls):
                found = dt.float64
            elif nulls is None and null_count:
                raise self._no_word_for_nulls(null_count, found)
        self.dtype, self.shape = found, (rows, *inner)

    def __repr__(self) -> str:
        return f"<{self.form} {self.name}: {self.dtype.name}{list(self.shape)}>"

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Decode each row group that the boxes touch once, and copy the boxes' cells to the same positions of `target`.

        Raises FileFormatError if the file is damaged, or has nulls that the dtype cannot represent.
        """
        starts = self._starts()

        def read(item: tuple[int, list[Box]]) -> None:
            number, parts = item
            copied(parts, self._decoded(number), (starts[number], *[0] * (len(self.shape) - 1)), target)

        groups = by_group(boxes, starts)
        share(groups.items(), read, self._cells(groups, starts) * self.dtype.itemsize)

    @cached_property
    def chunks(self) -> tuple[int, ...]:
        """The shape of the largest row group; may read the file, and raises FileFormatError if it is damaged."""
        rows = [b - a for a, b in pairwise(self._starts())]
        return max(rows, default=1) or 1, *self.shape[1:]

    def block(self, index: tuple[int, ...]) -> NDArray[Any]:
        """Return the cells of a chunk, by its index in the grid.

        That is one row group if all have the same size; otherwise it is assembled from the groups it touches.  Raises
        FileFormatError if the file is damaged.
        """
        starts = self._starts()
        parts = by_group([chunk_box(index, self.chunks, self.shape)], starts)
        found = [self._decoded(k)[part.start[0] - starts[k] :][: part.size[0]] for k, (part,) in parts.items()]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _decoded(self, number: int) -> NDArray[Any]:
        """Return the cells of a row group; raises FileFormatError as `gather` does."""
        starts = self._starts()
        with pyarrow_errors(self.form, self.name):
            return self._numbers(self.group(number), starts[number + 1] - starts[number])

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return a SourceRead of the row groups' cells; the encoded ranges are unknown."""
        starts = self._starts()
        groups = by_group(boxes, starts)
        return unplaced(self, self._cells(groups, starts), len(groups))

    def _cells(self, groups: dict[int, list[Box]], starts: Sequence[int]) -> int:
        row = cells([Box((), (), self.shape[1:])])
        return sum(starts[k + 1] - starts[k] for k in groups) * row

    def _numbers(self, array: Any, rows: int) -> NDArray[Any]:
        """Return the values of a decoded group of `rows` rows in the column's dtype.

        Raises FileFormatError if it has another length, or nulls that the dtype cannot represent.
        """
        if len(array) != rows:
            fact = f"a group has {len(array)} rows, {rows} are wanted"
            raise failure(self.form, self.name, fact, "the file is damaged")
        nulls, array = array.null_count, array.combine_chunks() if hasattr(array, "combine_chunks") else array
        for _ in self.shape[1:]:
            array = array.flatten() if not nulls else array.fill_null([self._filled(nulls)] * self.shape[1]).flatten()
            nulls = array.null_count
        if nulls and (self.nulls is not None or self.dtype.kind != "float"):
            array = array.cast(str(self.dtype.name)) if self.dtype is dt.float64 else array
            array = array.fill_null(self._filled(nulls))
        values = array.to_numpy(zero_copy_only=False)
        return values.astype(self.dtype.np, copy=False).reshape(rows, *self.shape[1:])

    def _filled(self, nulls: int) -> Number:
        """Return the value that replaces nulls; raises FileFormatError if the dtype has none."""
        if self.nulls is not None:
            return bool(self.nulls) if self.dtype is dt.bool and self.nulls in (0, 1) else self.nulls
        if self.dtype.kind != "float":
            raise self._no_word_for_nulls(nulls, self.dtype)
        return float("nan")

    def _no_word_for_nulls(self, count: int, dtype: DType) -> Exception:
        fact = f"{count} cells are null, and {dtype.name} has no word for that"
        return failure(self.form, self.name, fact, "give nulls=weft.nan (the column is float64 then) or another value")


def by_group(boxes: Sequence[Box], starts: Sequence[int]) -> dict[int, list[Box]]:
    """Return the parts of boxes in each row group, by its number.

    `starts` are the first rows of the groups and, last, the number of rows.

    >>> by_group([Box((1,), (2,), (4,))], [0, 2, 2, 9])
    {0: [Box(start=(1,), step=(1,), size=(1,))], 2: [Box(start=(3,), step=(2,), size=(3,))]}
    """
    found: dict[int, list[Box]] = {}
    for box in boxes:
        run, *rest = box.runs
        for group, _, rows in spans(run, starts):
            found.setdefault(group, []).append(box_of_runs([rows, *rest]))
    return found


def check_nulls(form: str, path: str, nulls: object) -> None:
    """Raise FileFormatError unless `nulls`, the replacement of missing values, is a number or None."""
    if nulls is not None and not isinstance(nulls, (bool, int, float)):
        raise failure(form, path, f"nulls={nulls!r:.40} is no number", "give a number, or weft.nan")
