"""Limits of control groups, over folders as Linux has them, in containers and outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.backends.llvm.jit import pool
from weft.runtime import control_groups
from weft.runtime.memory import limits

MIB = 1 << 20
STAT = "anon 4096\nactive_file 1048576\ninactive_file 2097152\ntotal_active_file 3145728\ntotal_inactive_file 1048576\n"


def grouped(folder: Path, own: str, files: dict[str, str]) -> tuple[Path, Path]:
    """Return the root of the groups and the file of the process's own, after they were written to a folder."""
    for name, text in files.items():
        path = folder / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "own").write_text(own)
    return folder / "groups", folder / "own"


QUOTAS = {
    "none": ("0::/\n", {}, None),
    "version 2 without a limit": ("0::/\n", {"cpu.max": "max 100000\n"}, None),
    "version 2": ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
    "part of a processor": ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
    "less than one": ("0::/\n", {"cpu.max": "5000 100000\n"}, 1),
    "the least of those above": (
        "0::/a.slice/b.service\n",
        {"a.slice/cpu.max": "300000 100000", "a.slice/b.service/cpu.max": "400000 100000"},
        3,
    ),
    "the path outside of the container": ("0::/docker/1234\n", {"cpu.max": "200000 100000"}, 2),
    "version 1": (
        "4:memory:/\n1:cpu,cpuacct:/x\n",
        {"cpu,cpuacct/x/cpu.cfs_quota_us": "400000\n", "cpu,cpuacct/x/cpu.cfs_period_us": "100000\n"},
        4,
    ),
    "version 1, the container's root": (
        "1:cpu:/docker/1234\n0::/\n",
        {"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "50000"},
        1,
    ),
    "version 1 without a limit": ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
    "both": (
        "1:cpu:/\n0::/\n",
        {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000", "unified/cpu.max": "700000 100000"},
        7,
    ),
    "no numbers": ("0::/\n", {"cpu.max": "\n"}, None),
}


@pytest.mark.parametrize(("own", "files", "wanted"), QUOTAS.values(), ids=QUOTAS)
def test_processors(tmp_path: Path, own: str, files: dict[str, str], wanted: int | None) -> None:
    assert control_groups.cpu_quota(*grouped(tmp_path, own, files)) == wanted


V2 = {"memory.current": f"{40 * MIB}\n", "memory.stat": STAT}
V1 = {"memory/memory.usage_in_bytes": f"{40 * MIB}\n", "memory/memory.stat": STAT}
MEMORY = {
    "none": ("0::/\n", {}, None),
    "version 2": ("0::/\n", {"memory.max": f"{64 * MIB}", **V2}, 27 * MIB),
    "version 2 without a limit": ("0::/\n", {"memory.max": "max", **V2}, None),
    "more than allowed": ("0::/\n", {"memory.max": f"{16 * MIB}", **V2}, 0),
    "of a group above": (
        "0::/a/b\n",
        {"a/b/memory.max": "max", "a/memory.max": f"{64 * MIB}", **{f"a/{name}": text for name, text in V2.items()}},
        27 * MIB,
    ),
    "version 1": ("4:memory:/\n", {"memory/memory.limit_in_bytes": f"{64 * MIB}", **V1}, 28 * MIB),
    "version 1 without a limit": ("4:memory:/\n", {"memory/memory.limit_in_bytes": "9223372036854771712", **V1}, None),
}


@pytest.mark.parametrize(("own", "files", "wanted"), MEMORY.values(), ids=MEMORY)
def test_memory(tmp_path: Path, own: str, files: dict[str, str], wanted: int | None) -> None:
    assert control_groups.memory_left(*grouped(tmp_path, own, files)) == wanted


def test_threads_are_as_many_as_the_quota_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    cpus = pool.usable_cpus()
    for quota, wanted in ((1, 1), (cpus + 1, cpus), (None, cpus)):
        monkeypatch.setattr(pool, "cpu_quota", lambda quota=quota: quota)
        assert pool.usable_cpus() == wanted


def test_the_memory_limit_follows_from_what_the_group_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    free = limits.available_memory()
    assert free is not None and free > 100 * MIB
    monkeypatch.setattr(limits, "memory_left", lambda: 80 * MIB)
    assert limits.available_memory() == 80 * MIB and limits.memory_limit() == 20 * MIB
    monkeypatch.setattr(limits, "memory_left", lambda: None)
    assert limits.available_memory() > 80 * MIB
