"""Results of the benchmark: their form, what is read from them, and the rows that there are."""

from __future__ import annotations

import copy
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from benchmarks import classes, compare, group, libraries, page, report, results
from benchmarks.group import TITLES
from benchmarks.rows import Row
from weft.ir.graph.graph_json import faults

SCHEMA = json.loads(results.SCHEMA.read_text())
MODULES = {name: importlib.import_module(f"benchmarks.classes.{name}") for name in classes.NAMES}


def row(name: str, weft: float, **peers: float) -> results.Result:
    found = {k.replace("_", "."): {"best": v, "median": v} for k, v in {"weft": weft, **peers}.items()}
    fixed = {"class": "layout and index", "group": "order", "dtype": "float32", "threads": 1, "unit": "s", "limit": 0.5}
    return {**fixed, "name": name, "contenders": found}


def file(path: Path, *rows: results.Result) -> Path:
    limits = dict.fromkeys(("read", "write", "copy", "flops_float32", "flops_float64"), 1e9)
    machine = {"processor": "p", "processors": 2, "caches": {"L1": 1}, "system": "s", "python": "3", "versions": {}}
    results.save(path, {**machine, "limits": {"1": limits}}, rows)
    return path


def faults_of(data: Any) -> list[Any]:
    return faults(data, SCHEMA, "$", SCHEMA["$defs"])


def test_what_is_kept_fits_the_schema_and_names_no_machine() -> None:
    text = results.FILE.read_text()
    assert faults_of(json.loads(text)) == []
    assert {r["class"] for r in json.loads(text)["rows"]} == set(SCHEMA["$defs"]["row"]["properties"]["class"]["enum"])
    facts = [v for v in json.loads(text)["machine"].values() if isinstance(v, str)]
    assert platform.node() not in facts and not any("/" in fact for fact in facts)


def test_there_are_rows_of_every_class_with_both_precisions() -> None:
    count = 0
    for name, module in MODULES.items():
        found = Counter((r.name, dtype) for r in module.ROWS for dtype in r.dtypes)
        assert set(found.values()) == {1}, name
        if name != "selections":
            assert {"float32", "float64"} <= {dtype for _, dtype in found}, name
        count += len(found)
    assert count >= 120


def test_a_class_runs_and_says_what_fits_the_schema() -> None:
    command = [sys.executable, "-m", "benchmarks.group", "small", "1", "0.001", "full", "a + b", "{}"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {r["name"] for r in rows} >= {"a + b, 10 cells"} and all("numpy" in r["contenders"] for r in rows)
    assert [f for r in rows for f in faults(r, SCHEMA["$defs"]["row"], "$", SCHEMA["$defs"])] == []


def test_ratios_are_of_the_best_and_the_worst_row_comes_first() -> None:
    rows = [row("a", 2.0, numpy=4.0, torch=1.0), row("b", 1.0, numpy=1.5), row("c", 2.0, numpy=1.9)]
    assert results.ratios(rows[0]) == {"numpy": 2.0, "torch": 0.5, "best": 0.5}
    assert [r["name"] for r in results.behind(rows)] == ["a", "c"]
    assert report.behind_rows(rows)[0][-2:] == ["torch", "0.50"]
    assert report.means(rows)[0][:6] == ["order", "best", "1", "3", "0", f"{(0.5 * 1.5 * 0.95) ** (1 / 3):.2f}"]


def test_means_lines_and_pages_say_which_peers_are_left_out(tmp_path: Path) -> None:
    why = "not compiled and called within 15 s"
    rows = [row("a", 1.0, numpy=2.0), row("b", 1.0, numpy=2.0) | {"left_out": {"torch.compile": why}}]
    assert report.means(rows)[0][:6] == ["order", "best", "1", "2", "1", "2.00"]
    assert report.left_out_rows(rows) == [["layout and index: b", "float32", "1", "torch.compile", why]]
    assert f"torch.compile left out: {why}" in report.line(rows[1])
    page.write(file(tmp_path / "r", *rows), tmp_path)
    text = (tmp_path / "measured.md").read_text()
    assert text.count("| left out |") == 2 and f"| torch.compile | {why} |" in text  # a cell, and the head of a table


def test_reasons_have_no_paths() -> None:
    assert results.reason("OSError: no /home/x/y.so, 1/2\nmore") == "OSError: no ... 1/2"


def test_a_library_that_is_late_is_left_out_and_not_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def run_of(library: str, *_: Any) -> Any:
        def run() -> Any:
            calls.append(library)
            if library == "slow":
                time.sleep(9)
            return 1.0

        return run

    monkeypatch.setattr(libraries, "run_of", run_of)
    known, patience, one = ["numpy", "slow"], group.Patience(1.0, 1.0), Row("a", max, ())
    runs, _, late = group.checked(None, one, (), known, {}, patience)
    assert list(runs) == ["numpy"] and late == {"slow": "not compiled and called within 1 s"}
    spent = group.checked(None, one, (), known, {}, patience)[2]["slow"]
    again = group.checked(None, one, (), known, late, group.Patience(1.0, 9.0))[2]
    assert "not called: its first calls" in spent and again == late and calls.count("slow") == 1


def test_compiled_functions_are_weft_where_they_are_measured() -> None:
    mixed = row("a", 2.0, weft_compile=1.0, numpy=3.0)
    assert results.ratios(mixed) == {"numpy": 3.0, "best": 3.0}


@pytest.mark.parametrize(
    ("weft", "numpy", "code"),
    [(1.05, 1.0, 0), (1.2, 1.0, 1), (1.2, 1.2, 0), (0.9, 0.7, 0)],
    ids=["within the share", "lost", "a slower machine", "faster, less than the peer"],
)
def test_comparing_fails_on_a_row_that_lost(
    weft: float, numpy: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    old, new = file(tmp_path / "a", row("x", 1.0, numpy=1.0)), file(tmp_path / "b", row("x", weft, numpy=numpy))
    monkeypatch.setattr(sys, "argv", ["compare", str(old), str(new)])
    assert compare.main() == code
    assert ("layout and index | x | float32 | 1" in capsys.readouterr().out) == bool(code)


def test_the_page_has_a_plot_and_a_table_for_each_class(tmp_path: Path) -> None:
    page.write(file(tmp_path / "r", row("a < b", 2.0, numpy=1.0), row("c", 1.0, numpy=3.0)), tmp_path)
    plot = ElementTree.parse(tmp_path / "measured" / "layout-and-index.svg")
    assert len(plot.findall("{http://www.w3.org/2000/svg}rect")) == 2
    text = (tmp_path / "measured.md").read_text()
    assert "| a < b | float32 | 1 | 2 s | 2 s | 25 % | 0.50 |" in text and "# Where weft is not first" in text


def test_broken_results_are_found() -> None:
    good = json.loads(results.FILE.read_text())
    bad = copy.deepcopy(good)
    del bad["rows"][0]["unit"]
    bad["rows"][1]["host"] = "x"
    assert [f.path for f in faults_of(bad)] == ["$.rows[0]", "$.rows[1].host"]


def test_every_class_has_a_title() -> None:
    assert tuple(TITLES) == classes.NAMES
