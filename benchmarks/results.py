"""Results: what a run found, as JSON with a schema, and what follows from them.

The one idea: a row is one measurement of all contenders; ratios, bars and losses are read from rows, never stored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Result = dict[str, Any]
FILE = Path(__file__).with_name("results.json")
SCHEMA = Path(__file__).with_name("results.schema.json")
LEAST_BYTES = float(1 << 20)  # memory below which two contenders count as equal


@dataclass(frozen=True)
class Bar:
    """The bar for the geometric mean over a group's rows, beside a peer ("best": of all)."""

    group: str
    peer: str
    ratio: float


BARS = (
    Bar("fused", "numpy", 6.0), Bar("fused", "torch", 6.0), Bar("fused", "torch.compile", 1.3),
    Bar("fused", "jax.jit", 2.0), Bar("reductions and scans", "numpy", 1.5),
    Bar("reductions and scans", "torch.compile", 1.2), Bar("rows in cache", "torch.compile", 1.0),
    Bar("layout and index", "numpy", 1.5), Bar("layout and index", "best", 1.0), Bar("order", "best", 1.0),
    Bar("epilogue", "best", 1.2), Bar("small batch", "numpy", 2.0), Bar("compile", "torch.compile", 20.0),
    Bar("compile", "jax.jit", 2.0),
)  # fmt: skip


def load(path: Path) -> dict[str, Any]:
    """Return the results of a file."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def save(path: Path, machine: dict[str, Any], rows: Sequence[Result]) -> None:
    """Write a file of results, a line for each row."""
    lines = ",\n".join("  " + json.dumps(_rounded(row)) for row in rows)
    path.write_text(f'{{"version": 1,\n "machine": {json.dumps(_rounded(machine))},\n "rows": [\n{lines}\n]}}\n')


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def key(row: Result) -> tuple[str, str, str, int]:
    """Return what a row is found by in another run."""
    return row["class"], row["name"], row["dtype"], row["threads"]


def ours(row: Result) -> tuple[str, float]:
    """Return the contender that is weft, compiled where the row measures that, and its best."""
    name = "weft.compile" if "weft.compile" in row["contenders"] else "weft"
    return name, row["contenders"][name]["best"]


def ratios(row: Result) -> dict[str, float]:
    """Return the best of each peer over weft's: above 1 weft is ahead."""
    least = LEAST_BYTES if row["unit"] == "B" else 1e-12
    mine = max(ours(row)[1], least)
    peers = {k: max(v["best"], least) / mine for k, v in row["contenders"].items() if not k.startswith("weft")}
    return peers | ({"best": min(peers.values())} if peers else {})


def best_peer(row: Result) -> str:
    """Return the fastest peer's name."""
    found = ratios(row)
    return min((k for k in found if k != "best"), key=found.__getitem__)


def behind(rows: Iterable[Result], below: float = 1.0) -> list[Result]:
    """Return the rows where a peer is ahead, the worst first."""
    found = [row for row in rows if ratios(row).get("best", 1.0) < below]
    return sorted(found, key=lambda row: ratios(row)["best"])


def geometric_mean(numbers: Sequence[float]) -> float:
    """Return the geometric mean; NaN of none."""
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else math.nan


def reason(text: str) -> str:
    """Return the first line of an error without the machine's paths."""
    return re.sub(r"(?<![\w.])/\S+", "...", next(iter(text.strip().splitlines()), "")[:160])


def without(row: Result, peer: str) -> bool:
    """True if a peer (of "best": any) takes part in a row but has no figure there."""
    names = [name for name in row.get("left_out", {}) if not name.startswith("weft")]
    return bool(names) if peer == "best" else peer in names


def mean_ratio(rows: Iterable[Result], peer: str) -> tuple[float, int]:
    """Return the geometric mean of the ratios to a peer, and the number of rows that have it."""
    found = [r[peer] for row in rows if peer in (r := ratios(row))]
    return geometric_mean(found), len(found)


def lost(old: Sequence[Result], new: Sequence[Result], share: float = 0.1) -> list[tuple[Result, float]]:
    """Return the rows whose time grew by more than a share, alone and beside peers, and the growth.

    Beside the peers, because a machine that is slower in one of the runs is so for all.
    """
    before, found = {key(row): row for row in old}, []
    for row in new:
        if (was := before.get(key(row))) is not None and row["unit"] == "s":
            growth = ours(row)[1] / ours(was)[1]
            common = [k for k in ratios(row) if k != "best" and k in ratios(was)]
            drift = geometric_mean([row["contenders"][k]["best"] / was["contenders"][k]["best"] for k in common] or [1])
            worse = min(growth, growth / drift)
            if worse > 1 + share:
                found.append((row, worse))
    return sorted(found, key=lambda pair: -pair[1])
