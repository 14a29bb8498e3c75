"""The resident memory of this process: how much it is, and how much it was at most since a moment.

The one idea: Linux keeps a high-water mark for each process and lets it be set back.
"""

from __future__ import annotations

from pathlib import Path


def resident() -> int:
    """The bytes that are resident."""
    return _status("VmRSS")


def peak() -> int:
    """The greatest number of bytes that were resident since `watch`, or since the start."""
    return _status("VmHWM")


def watch() -> int:
    """Set the high-water mark back to what is resident, and say that (where it is not permitted: what it is)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return peak()
    return resident()


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))
