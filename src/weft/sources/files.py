"""Opening files: the format by the name's ending, one file or several as one tensor.

The one idea: many files are a concat of one-file tensors, so everything that holds for selections holds for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from weft.api.manipulation import concat
from weft.errors import FileFormatError
from weft.sources.loading import Addressed, open_source
from weft.sources.npy import NpyFile
from weft.tensor import Tensor

Path = str | os.PathLike[str]
FORMATS: dict[str, Callable[[Path], Addressed]] = {".npy": NpyFile}


def source_of(path: Path) -> Addressed:
    """The source of a file; its header is read and checked."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in FORMATS:
        raise FileFormatError(
            f"open: {os.fspath(path)}: the ending {ending!r} names no known format; known are {', '.join(FORMATS)}; "
            "convert the file"
        )
    return FORMATS[ending](path)


def open_file(path: Path | Sequence[Path], *, axis: int = 0) -> Tensor:
    """A tensor of a file's values, or of several files' along an axis; read by ranges when a value is looked at.

    >>> import tempfile
    >>> import numpy as np
    >>> import weft
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file.name, np.arange(3))
    ...     weft.open(file.name).tolist()
    [0, 1, 2]
    """
    if isinstance(path, (str, os.PathLike)):
        return open_source(source_of(path))
    parts = [open_source(source_of(p)) for p in path]
    return parts[0] if len(parts) == 1 else concat(parts, axis=axis)
