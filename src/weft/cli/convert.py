"""`weft convert`: files of one format, or several files as one array, to a file of another.

The one idea: the functions for opening and saving know the formats; converting calls one after the other, by tiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.cli.options import for_file
from weft.sources.file_patterns import expand_all, split_name
from weft.sources.files import open_all, open_file
from weft.sources.write import save
from weft.sources.write.sinks import writer_of
from weft.tensors.tensor import Tensor


def convert(
    paths: Sequence[str],
    target: str,
    dtype: str | None,
    how: Mapping[str, Any],
    opening: Mapping[str, Any],
    saving: Mapping[str, Any],
) -> None:
    """Write the arrays of the files `paths` to the new file `target`, converted to `dtype` unless it is None.

    `how` has the arguments `axis` and `stack` of `weft.open`, by which several files are joined; `opening` and `saving`
    are options of the formats. Raises FileFormatError if a file cannot be read, WriteError if `target` cannot be
    written, and ValueRangeError or DTypeError for options or dtypes that the target's format cannot hold.
    """
    found = expand_all(paths)
    value = _arrays(found[0], target, opening) if len(found) == 1 else _joined(found, how, opening)
    save.write([(target, value)], dtype=dtype, options=dict(saving))


def _joined(paths: Sequence[str], how: Mapping[str, Any], opening: Mapping[str, Any]) -> Tensor:
    return open_file(list(paths), **how, **for_file(paths[0], opening))


def _arrays(path: str, target: str, opening: Mapping[str, Any]) -> Tensor | dict[str, Tensor]:
    """Return the array named by the path or the options, or the only array of the file.

    If there are several and the target format holds named arrays, return all of them by name. Raises FileFormatError if
    the file cannot be read, or has several arrays and the target format holds only one.
    """
    own = for_file(path, opening)
    if split_name(path)[1] is not None or "name" in own or "hdu" in own:
        return open_file(path, **own)
    arrays = open_all(path, **own)
    names = "" not in arrays and (len(arrays) > 1 or writer_of(target, {}).lone is not None)
    return arrays if names else open_file(path, **own)
