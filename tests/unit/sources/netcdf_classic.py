"""A writer of classic NetCDF files, from the format's grammar alone: what the reader is tested with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TYPES = {"i1": 1, "i2": 3, "i4": 4, "f4": 5, "f8": 6, "u1": 7, "u2": 8, "u4": 9, "i8": 10, "u8": 11}


def classic(
    path: str | Path, variables: dict[str, Any], *, version: int = 2, records: bool = False, attributes: bool = True
) -> None:
    """Variables of their own dimensions; with `records`, the first axis of all is the record dimension."""
    wide, far = (8 if version == 5 else 4), (4 if version == 1 else 8)

    def number(n: int, width: int = wide) -> bytes:
        return n.to_bytes(width, "big")

    def padded(raw: bytes) -> bytes:
        return raw + bytes(-len(raw) % 4)

    def name(text: str) -> bytes:
        return number(len(text.encode())) + padded(text.encode())

    def listed(tag: int, items: list[bytes]) -> bytes:
        return number(tag, 4) + number(len(items)) + b"".join(items) if items else number(0, 4) + number(0)

    count = len(next(iter(variables.values()))) if records else 0
    sizes = [0] if records else []
    axes: dict[str, list[int]] = {}
    for key, a in variables.items():
        own = a.shape[1:] if records else a.shape
        axes[key] = ([0] if records else []) + list(range(len(sizes), len(sizes) + len(own)))
        sizes += own
    dimensions = listed(10, [name(f"d{i}") + number(n) for i, n in enumerate(sizes)])
    note = name("units") + number(2, 4) + number(1) + padded(b"m")
    about = listed(12, [note] if attributes else [])
    stored = {key: a.astype(a.dtype.newbyteorder(">")) for key, a in variables.items()}
    step = {k: len(a[:1].tobytes()) if records else len(a.tobytes()) for k, a in stored.items()}
    if len(stored) > 1 or not records:
        step = {k: n + -n % 4 for k, n in step.items()}

    def head(begins: dict[str, int]) -> bytes:
        rows = []
        for key, a in variables.items():
            kind = TYPES[a.dtype.newbyteorder("=").str[1:]]
            row = name(key) + number(len(axes[key])) + b"".join(map(number, axes[key])) + about
            rows.append(row + number(kind, 4) + number(step[key]) + number(begins[key], far))
        return b"CDF" + bytes([version]) + number(count) + dimensions + about + listed(11, rows)

    at, begins = len(head(dict.fromkeys(variables, 0))), {}
    for key in variables:
        begins[key] = at
        at += step[key]
    parts = [head(begins)]
    if not records:
        parts += [padded(a.tobytes()) for a in stored.values()]
    for i in range(count):
        parts += [a[i : i + 1].tobytes().ljust(step[k], b"\0") for k, a in stored.items()]
    Path(path).write_bytes(b"".join(parts))
