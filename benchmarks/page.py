"""The page of results: `python -m benchmarks.page` writes docs/measured.md and its plots from benchmarks/results.json.

The one idea: a plot is a line of text for each bar; every class has one, with the ratio to the best peer on a
logarithmic axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks import report, results
from benchmarks.results import Result

DOCS = Path(__file__).parents[1] / "docs"
WIDTH, LABEL, LINE, SPAN = 900, 360, 14, 5  # pixels of plot, names and a bar; doublings on each side of 1


def write(path: Path = results.FILE, docs: Path = DOCS) -> None:
    """Write the page and the plots of a file of results."""
    found = results.load(path)
    rows, machine = found["rows"], found["machine"]
    plots = docs / "measured"
    plots.mkdir(exist_ok=True)
    parts = [_opening(machine), "# Geometric means beside their bars\n", _table(report.MEANS_HEAD, report.means(rows))]
    for name in dict.fromkeys(row["class"] for row in rows):
        chosen = [row for row in rows if row["class"] == name]
        file = name.replace(" ", "-") + ".svg"
        (plots / file).write_text(plot(chosen), encoding="utf-8")
        parts += [
            f"# {name.capitalize()}\n",
            f"![{name}](measured/{file})\n",
            _table(report.HEAD, map(report.cells, chosen)),
        ]
    parts += ["# Where weft is not first\n", _table(report.BEHIND_HEAD, report.behind_rows(rows))]
    parts += ["# Left out\n", _table(report.LEFT_OUT_HEAD, report.left_out_rows(rows))]
    (docs / "measured.md").write_text("\n".join(parts), encoding="utf-8")


def _opening(machine: dict[str, object]) -> str:
    versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())  # type: ignore[attr-defined]
    limits = "\n".join(
        f"* {n} thread(s): reading {s['read'] / 1e9:.1f} GB/s, writing {s['write'] / 1e9:.1f}, copying"
        f" {s['copy'] / 1e9:.1f} (read and written together); products {s['flops_float32'] / 1e9:.0f} GFLOP/s of"
        f" float32, {s['flops_float64'] / 1e9:.0f} of float64"
        for n, s in machine["limits"].items()  # type: ignore[attr-defined]
    )
    return f"""# Results of the benchmark

Written by `make bench`; how it measures: [benchmarks.md](benchmarks.md). A ratio is a peer's best time over weft's:
above 1 weft is ahead. "of limit" is the time that moving the row's bytes, or its products, would take alone. Of rows
that have `weft.compile` as a contender, weft is that. Memory is what a call takes beyond inputs and results, and below
1 MB counts as 1 MB. A contender that could not compute a row, or not in time, is "left out" there; the last table says
why, and "without" beside a mean counts such rows of the peer (of "best": rows that miss any peer, which may have been
the best).

{machine["processor"]}, {machine["processors"]} processors, {machine["system"]}, Python {machine["python"]}; {versions}.

{limits}
"""


def _table(head: Sequence[str], rows: object) -> str:
    lines = [list(head), ["---"] * len(head), *rows]  # type: ignore[misc]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in lines) + "\n"


def plot(rows: Sequence[Result]) -> str:
    """Return an SVG with a bar for each row's ratio to its best peer, right where weft is ahead."""
    height, middle = LINE * len(rows) + 40, (WIDTH + LABEL) // 2
    unit = (WIDTH - LABEL - 60) / (2 * SPAN)
    marks = [_mark(middle + unit * k, 2.0**k, height) for k in range(-SPAN, SPAN + 1)]
    bars = [_bar(row, 30 + LINE * k, middle, unit) for k, row in enumerate(rows)]
    style = "<style>text{font:11px sans-serif;fill:#777}</style>"
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}\n' + "\n".join([*marks, *bars]) + "\n</svg>\n"


def _mark(x: float, ratio: float, height: int) -> str:
    line = f'<line x1="{x:.0f}" x2="{x:.0f}" y1="24" y2="{height - 8}" stroke="#ccc"/>'
    return f'{line}<text x="{x:.0f}" y="16" text-anchor="middle">{ratio:.3g}</text>'


def _bar(row: Result, y: int, middle: int, unit: float) -> str:
    name = _escaped(f"{row['name']}, {row['dtype']}, {row['threads']}")
    label = f'<text x="{LABEL - 8}" y="{y + 10}" text-anchor="end">{name}</text>'
    found = results.ratios(row)
    if not found:
        return label
    length = unit * max(-SPAN, min(SPAN, math.log2(found["best"])))
    x, color = min(middle, middle + length), "#2a9d6f" if length >= 0 else "#d1495b"
    title = f"<title>{found['best']:.2f} beside {results.best_peer(row)}</title>"
    return (
        f'{label}<rect x="{x:.0f}" y="{y}" width="{abs(length):.0f}" height="{LINE - 3}" fill="{color}">{title}</rect>'
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


if __name__ == "__main__":
    write()
