"""The report of an explanation, as one self-contained HTML page.

The one idea: tables with the content of the text, and a bar for every cost, so that savings are visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from weft.ir.kernels.plan_text import PlanPart
from weft.runtime.compute.engine import SourceRead
from weft.runtime.compute.profile import TransferCount
from weft.sources.stream.remote_executor import TaskShare

MAX_ROWS = 500  # rows shown of a table
STYLE = """
.weft{font:14px/1.45 system-ui,sans-serif;color:#1b1f24;max-width:72rem}
.weft h2{font-size:1rem;margin:1.4rem 0 .4rem}
.weft table{border-collapse:collapse;width:100%}
.weft td,.weft th{padding:.15rem .6rem;border-bottom:1px solid #d8dee4;text-align:left;vertical-align:top}
.weft td.n,.weft th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.weft code,.weft td.c{font-family:ui-monospace,monospace;font-size:12.5px}
.weft .w{color:#656d76}
.weft .bar{display:block;height:.45rem;border-radius:2px;background:#0b7a75;min-width:1px}
.weft .was{background:#c9ced4}
.weft .sum{display:flex;flex-wrap:wrap;gap:.4rem 1.6rem}
.weft .sum b{font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.weft{color:#e6edf3}.weft td,.weft th{border-color:#30363d}.weft .w{color:#8b949e}}
"""
DARK = "@media (prefers-color-scheme:dark){body{background:#0d1117}}"


@dataclass(frozen=True)
class RuleUse:
    """A rewrite rule that was applied; `before` and `after` are the bytes that the changed part reads and stores."""

    name: str
    before: int
    after: int
    says: str = field(repr=False)
    line: str = field(default="", repr=False)  # the user's line in the program, if known


@dataclass(frozen=True)
class NodeLine:
    """A node of the expression as written: its number, its text, and the user's line that made it."""

    number: int
    text: str
    where: str  # "file:line" in the user's program, or ""


@dataclass(frozen=True)
class SweepLine:
    """A computation over large files, tile by tile: its result, its tiles, and the bytes read and held.

    `reads` counts the chunks that are read and decoded (boxes, in files without chunks), `units` the different ones
    among them.
    """

    round: int
    what: str
    tile: tuple[int, ...]
    tiles: int
    reads: int
    units: int
    bytes: int  # of decoded cells
    peak: int  # most bytes of memory used at a time, without results
    limit: int
    read: int = 0  # bytes read from disk (compressed), if the source knows them
    scratch: int = 0  # bytes that it writes to scratch files

    def __str__(self) -> str:
        times = f"{self.reads / max(self.units, 1):.2f} times each"
        return (
            f"round {self.round}: {self.what} in {self.tiles} tiles of {self.tile}; {self.reads} reads of {self.units} "
            f"chunks ({times}), {self.bytes} bytes decoded; at most {self.peak} of {self.limit} bytes held"
            + (f"; {self.scratch} bytes of scratch" if self.scratch else "")
        )


@dataclass(frozen=True)
class Explanation:
    """The plan of some tensors before they are computed; `str()` of it is the whole text, `html()` a page.

    `rules`: the rewrites applied, in order.  `sources`: for every source below the tensors, the bytes to be read, their
    ranges and the number of reads (0 if nothing is needed).  `stored_first`: the values that are stored before a kernel
    reads them, with reasons.
    """

    text: str
    pieces: int  # boxes that are read or computed
    kernels: int  # fused loops that run
    calls: int  # calls of library routines
    bytes_read: int
    bytes_stored: int  # outputs and temporaries
    temporary_bytes: int  # the memory that temporaries share
    peak_bytes: int  # outputs and temporaries together
    rules: tuple[RuleUse, ...] = ()
    sources: tuple[SourceRead, ...] = ()
    stored_first: tuple[str, ...] = ()
    tree: tuple[NodeLine, ...] = field(default=(), repr=False)
    plan: tuple[PlanPart, ...] = field(default=(), repr=False)
    moves: tuple[TransferCount, ...] = ()  # transfers between devices
    sweeps: tuple[SweepLine, ...] = ()  # computations tile by tile, over files larger than memory
    shares: tuple[TaskShare, ...] = ()  # parts that a cluster's workers would compute

    def __str__(self) -> str:
        return self.text

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes that scratch files of tiled computations take."""
        return sum([s.scratch for s in self.sweeps])

    @property
    def bytes_moved(self) -> int:
        """Return the bytes transferred from one device to another."""
        return sum([m.bytes for m in self.moves])

    __repr__ = __str__

    def html(self) -> str:
        """Return the explanation as a self-contained HTML page.

        >>> import weft
        >>> weft.explain(weft.asarray([1.0, 2.0]) * 2).html().startswith("<!doctype html>")
        True
        """
        return page(self)

    def _repr_html_(self) -> str:
        return body(self)


def page(e: Explanation) -> str:
    """Return the HTML page of an explanation."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<title>weft: how it is computed</title>'
        f"<style>body{{margin:2rem}}{DARK}</style></head>\n<body>{body(e)}</body></html>\n"
    )


def body(e: Explanation) -> str:
    """Return the content of an explanation's HTML page as one element with its style."""
    sections = [_summary(e), _tree(e), _rules(e), _sources(e), _plan(e)]
    return f'<style>{STYLE}</style>\n<div class="weft">\n' + "\n".join(filter(None, sections)) + "\n</div>"


def size(nbytes: int) -> str:
    """Return a number of bytes as text with a readable unit.

    >>> size(400), size(64 << 20)
    ('400 B', '64.0 MiB')
    """
    amount, unit = float(nbytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{nbytes} B" if unit == "B" else f"{amount:.1f} {unit}"


def _summary(e: Explanation) -> str:
    facts = {
        "pieces": str(e.pieces), "kernels": str(e.kernels), "calls": str(e.calls), "read": size(e.bytes_read),
        "stored": size(e.bytes_stored), "temporaries": size(e.temporary_bytes), "peak": size(e.peak_bytes),
    }  # fmt: skip
    return '<div class="sum">' + "".join([f"<span>{k} <b>{v}</b></span>" for k, v in facts.items()]) + "</div>"


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a section of HTML with a title and a table, whose cells are HTML; "" without rows.

    `head` has the headings: one that ends in # is of a column of numbers, one that ends in ' of code.
    """
    lines = list(rows)
    if not lines:
        return ""
    cut = lines[:MAX_ROWS]
    kinds = ["n" if h.endswith("#") else "c" if h.endswith("'") else "" for h in head]
    names = [escape(h.rstrip("#'")) for h in head]
    tops = "".join([f'<th class="{k}">{h}</th>' for h, k in zip(names, kinds, strict=True)])
    cells = ["".join([f'<td class="{k}">{c}</td>' for c, k in zip(r, kinds, strict=True)]) for r in cut]
    more = f'<p class="w">and {len(lines) - MAX_ROWS} more</p>' if len(lines) > MAX_ROWS else ""
    inner = "".join([f"<tr>{c}</tr>" for c in cells])
    return f"<h2>{escape(title)}</h2>\n<table><tr>{tops}</tr>{inner}</table>{more}"


def _tree(e: Explanation) -> str:
    rows = [(escape(n.text), f'<span class="w">{escape(n.where)}</span>') for n in e.tree]
    return _table("Expression, as written", ("node'", "line'"), rows)


def _rules(e: Explanation) -> str:
    most = max([r.before for r in e.rules], default=0)
    rows = [
        (
            f"{escape(r.name)}<br><code>{escape(r.says)}</code>",
            size(r.before),
            size(r.after),
            _bar(r.before, most, " was") + _bar(r.after, most),
        )
        for r in e.rules
    ]
    return _table("Rules applied", ("rule", "before#", "after#", "bytes read and stored"), rows)


def _bar(amount: int, most: int, kind: str = "") -> str:
    return f'<span class="bar{kind}" style="width:{100 * amount / most:.1f}%"></span>' if most else ""


def _sources(e: Explanation) -> str:
    most = max([s.bytes for s in e.sources], default=0)
    rows = []
    for s in e.sources:
        shown = ", ".join([f"{first}–{end}" for first, end in s.extents[:8].tolist()])
        shown += f" and {len(s.extents) - 8} more" if len(s.extents) > 8 else ""
        shown += f"; {s.kept} chunks decoded before" if s.kept else ""
        shown = shown if s.bytes or s.kept else "not touched"
        rows.append((escape(s.name), size(s.bytes), str(s.reads), shown, _bar(s.bytes, most)))
    return _table("Sources", ("source'", "bytes#", "reads#", "at bytes'", ""), rows)


def _plan(e: Explanation) -> str:
    rows = [("stored", escape(line)) for line in e.stored_first]
    for part in e.plan:
        shown = "<br>".join([escape(r) for r in part.rows[:40]])
        more = f"<br>and {len(part.rows) - 40} more" if len(part.rows) > 40 else ""
        rows.append((escape(part.head), shown + more))
    return _table("Plan", ("step'", "pieces'"), rows)
