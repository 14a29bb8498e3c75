"""The library that reads deflated bytes: ISA-L, which takes a third to half of zlib's time, or else zlib."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

from weft.runtime.fork_safety import late_import


@cache
def deflate_library() -> Any:
    """Return the module whose `decompressobj` reads deflated bytes and raises its `error`: isal.isal_zlib, else zlib.

    >>> packed = zlib.compress(b"weft" * 9)
    >>> deflate_library().decompressobj(15).decompress(packed) == b"weft" * 9
    True
    """
    try:
        return late_import("isal.isal_zlib")
    except ImportError:
        return zlib
