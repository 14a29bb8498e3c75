"""Limits of processors and memory that containers, and other control groups of Linux, set to this process.

The one idea: a group's limits hold for all groups below it, so the least one on the way up counts.
Version 2 has one tree of groups, version 1 a tree for each kind of limit; a file that is missing limits nothing.
"""

from __future__ import annotations

import sys
from functools import cache
from math import ceil
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")  # lines "number:kinds of limits:path", in version 2 "0::path"
MOST = 1 << 60  # bytes beyond which a limit of version 1 means none


LIMITS = {"cpu": ("cpu.cfs_quota_us", "cpu.max"), "memory": ("memory.limit_in_bytes", "memory.max")}  # by version


@cache
def groups(kind: str, root: Path, own: Path) -> tuple[tuple[str, bool], ...]:
    """Return the folders of this process's groups that may limit `kind` ("cpu", "memory"), up to the root of each tree.

    Each has a bool, true in version 2.  Inside a container the paths in `own` may be those outside of it, which are not
    there; the root is.
    """
    found = {}
    for line in _text(str(own)).splitlines():
        _, kinds, path = line.split(":", 2)
        if kinds and kind not in kinds.split(","):
            continue
        tops = [root / kinds, root / kind] if kinds else [root, root / "unified"]
        for top in tops:
            folder = top / path.lstrip("/")
            inside = [f for f in (folder, *folder.parents) if f.is_relative_to(top)]
            found |= {str(f): not kinds for f in inside if (f / LIMITS[kind][not kinds]).is_file()}
    return tuple(found.items())


def cpu_quota(root: Path = ROOT, own: Path = OWN) -> int | None:
    """Return the number of processors whose time this process's groups may use, rounded up; None without a limit.

    `root` and `own` are the paths of the system's files about groups.
    """
    shares = []
    for folder, is_second in groups("cpu", root, own) if sys.platform == "linux" else ():
        names = ["cpu.max"] if is_second else ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        times = _numbers(" ".join([_text(f"{folder}/{name}") for name in names]))
        if len(times) == 2 and min(times) > 0:
            shares.append(times[0] / times[1])
    return ceil(min(shares)) if shares else None


def memory_left(root: Path = ROOT, own: Path = OWN) -> int | None:
    """Return the bytes that this process's groups may still take, caches of files included; None without a limit.

    `root` and `own` are the paths of the system's files about groups.
    """
    left = []
    for folder, is_second in groups("memory", root, own) if sys.platform == "linux" else ():
        names = ("memory.max", "memory.current") if is_second else ("memory.limit_in_bytes", "memory.usage_in_bytes")
        limit = _numbers(_text(f"{folder}/{names[0]}"))
        if limit and limit[0] < MOST and (taken := _numbers(_text(f"{folder}/{names[1]}"))):
            left.append(max(0, limit[0] - taken[0] + _file_caches(folder, "" if is_second else "total_")))
    return min(left, default=None)


def _file_caches(folder: str, total: str) -> int:
    """Return the bytes of a group that hold cells of files, which the system takes back where memory is short."""
    counts = dict([line.split(" ", 1) for line in _text(f"{folder}/memory.stat").splitlines()])
    return sum([int(counts.get(f"{total}{state}_file", 0)) for state in ("active", "inactive")])


def _numbers(text: str) -> list[int]:
    """Return the integers in a text, such as "50000 100000", up to the first word that is none, such as "max"."""
    found: list[int] = []
    for word in text.split():
        if not word.lstrip("-").isdigit():
            break
        found.append(int(word))
    return found


def _text(path: str) -> str:
    """Return the content of a file; "" if it cannot be read."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
