"""Explanations agree with the program: rules with costs, every source with its bytes, and its page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import weft

N = 1000


def square() -> weft.Tensor:
    return weft.asarray(np.arange(N * N, dtype="f4").reshape(N, N))


def bytes_of(x: weft.Tensor) -> list[int]:
    return [s.bytes for s in weft.explain(x).sources]


def test_the_sources_that_a_stride_does_not_meet_are_not_touched():
    parts = [weft.asarray(np.arange(float(N))) for _ in range(4)]
    e = weft.explain(weft.interleave(parts)[::4].sum())
    assert [(s.name, s.bytes, s.ranges) for s in e.sources] == [
        ("%0", 8 * N, ((0, 8 * N),)), ("%1", 0, ()), ("%2", 0, ()), ("%3", 0, ()),
    ]  # fmt: skip
    assert "%0: 8000 bytes in 1 read, at 0:8000" in str(e) and "3 not touched" in str(e)


EXACT = {  # 10×10 cells of a tree over N×N: 400 bytes of the source
    "flip": lambda x: weft.flip(x)[3:13, 5:15],
    "reflect": lambda x: weft.pad(x, 20, mode="reflect")[2:12, 3:13],
    "stride": lambda x: x[::7, ::3][4:14, 8:18],
    "where": lambda x: weft.where(x > 3, x, -x)[100:110, 7:17],
    "stack": lambda x: weft.stack([x, weft.zeros((N, N), dtype=weft.float32)])[0, 5:15, 5:15],
    "broadcast": lambda x: weft.broadcast_to(x, (5, N, N))[3, 20:30, 20:30],
    "of a sum": lambda x: weft.sum(weft.reshape(x, (1, N, N)), axis=0)[20:30, 20:30],
}


@pytest.mark.parametrize("name", EXACT)
def test_exactly_the_cells_asked_for_are_read(name):
    x = square()
    y = EXACT[name](x)
    assert bytes_of(y)[0] == 400
    assert sum(s.bytes for s in weft.explain(y).sources) == 400


def test_a_branch_behind_a_mask_of_coordinates_is_not_touched():
    a, b = square(), square()
    e = weft.explain(weft.where(weft.arange(N) < 0, a, b)[:, :10])
    assert [s.bytes for s in e.sources] == [0, 40 * N]
    assert [r.name for r in e.rules] == ["constant mask"]
    e = weft.explain(weft.where(weft.arange(N) < 250, a, b))
    assert [s.bytes for s in e.sources] == [N * N, 3 * N * N]
    ((name, before, after),) = [(r.name, r.before, r.after) for r in e.rules]
    assert (name, before, after) == ("mask in runs", 8 * N * N, 4 * N * N)
    assert f"mask in runs: {before} -> {after} bytes" in str(e)


def test_files_are_among_the_sources(tmp_path):
    paths = [tmp_path / f"{k}.npy" for k in range(3)]
    for p in paths:
        np.save(p, np.arange(100, dtype="i4"))
    joined = weft.concat([weft.open(str(p)) for p in paths])
    e = weft.explain(joined[120:130] + weft.asarray(np.arange(10, dtype="i4")))
    wanted = {str(paths[0]): 0, str(paths[1]): 40, str(paths[2]): 0, "%8": 40}
    assert {s.name: s.bytes for s in e.sources} == wanted
    assert "2 not touched" in str(e)


def test_what_crosses_between_devices_is_touched():
    d = weft.device("thread", 0)
    a, b, c = [weft.asarray(np.arange(100.0)).to(d).realize() for _ in range(3)]
    y = weft.where(weft.full((100,), True), a.to("cpu"), b.to("cpu"))  # which branch is read is known after it is moved
    e = weft.explain(weft.concat([y, c.to("cpu")])[:100])
    assert [s.bytes for s in e.sources] == [800, 800, 0] and e.bytes_moved == 1600
    assert "1 not touched" in str(e)


def test_a_source_without_known_places_is_touched(tmp_path):
    pytest.importorskip("h5py").File(tmp_path / "a.h5", "w").create_dataset("x", data=np.arange(100.0), fletcher32=True)
    e = weft.explain(weft.open(str(tmp_path / "a.h5"))[:10] + 1)
    (source,) = e.sources
    assert source.bytes > 0 and "not touched" not in e.html() and "not touched" not in str(e)


def test_a_reduction_of_a_file_reads_the_columns_asked_for(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones((50, 1000)))
    e = weft.explain(weft.sum(weft.open(str(path)), axis=0)[10:20])
    assert [(s.name, s.bytes, s.reads) for s in e.sources] == [(str(path), 50 * 80, 50)]


def test_what_had_to_be_stored_is_said_with_the_reason():
    x = weft.asarray(np.arange(24.0)) * 2
    e = weft.explain(weft.cumulative_sum(weft.concat([x, x])))
    assert len(e.stored_first) == 1 and e.stored_first[0] in str(e)
    assert e.stored_first[0].startswith("stored first: concat float64[48]: ")


def test_stored_values_need_nothing():
    e = weft.explain(weft.asarray([1.0, 2.0, 3.0])[::2])
    assert (e.rules, e.bytes_read) == ((), 0)
    assert [(s.bytes, s.ranges) for s in e.sources] == [(16, ((0, 8), (16, 24)))]
    assert "already stored" in str(e)


class Page(HTMLParser):
    """Counts elements, and notes what would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [f"{tag} {k}" for k, _ in attrs if k in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_is_whole_and_needs_nothing_else():
    x = square()
    e = weft.explain(weft.sum(weft.where(x < 3, x, 2 * x), axis=0)[3:7])
    page = Page()
    page.feed(e.html())
    assert not page.open and not page.fetched and "<script" not in e.html()
    text = " ".join(page.words)
    for wanted in (
        "part of a reduction",
        "sum(x, axis=0)[a:b] = sum(x[:, a:b], axis=0)",
        "15.6 KiB",
        "kernel reduce sum",
    ):
        assert wanted in text
    assert "&lt;" in e.html() or "<script" not in e.html()
    assert e._repr_html_() in e.html()


def test_lines_of_the_program_stand_beside_the_tree():
    e = weft.explain(square() + 1)
    assert re.search(r"add\(%\d+, %\d+\).* # .*test_explain\.py:\d+", str(e))
    assert e.tree[-1].where.rpartition(":")[0].endswith("test_explain.py")


def test_many_applied_rules_are_listed_once():
    parts = [weft.concat([weft.positive(weft.asarray([1.0, 2.0]) * 2)]) for _ in range(30)]
    e = weft.explain(weft.concat(parts))
    assert len(e.rules) >= 30 and str(e).count("one part") < 10


def test_placeholders_are_explained_as_memory_would_be():
    x, y = weft.placeholder((N, N), name="x", dtype="float32"), square()
    for made in (lambda x: (x * 2).sum(axis=0)[:1], lambda x: weft.reshape(x.T[1:], (-1,))[::2] + 1):
        e, same = weft.explain(made(x)), weft.explain(made(y))
        assert (e.kernels, e.bytes_read, e.bytes_stored) == (same.kernels, same.bytes_read, same.bytes_stored)
        assert [r.name for r in e.rules] == [r.name for r in same.rules] and "placeholder() ('x',)" in str(e)
    large = weft.explain(weft.placeholder((1 << 40,), name="large").sum())  # of what no memory holds
    assert large.bytes_read == 8 << 40
    deep = x
    for _ in range(200):
        deep = weft.sin(deep) + 1
    assert weft.explain(deep, weft.linalg.inv(x)).calls == 1
