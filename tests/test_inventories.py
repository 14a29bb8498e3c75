"""The tables of docs/ocean.md, docs/ngraph.md and docs/pytorch.md: every row has an example, and every example runs.

The one idea: a row is `id | capability | weft | example | note`.  The example cell holds code spans, each a line (or
statements joined by `; `) followed by `→` and the span of what it gives: the repr of its value, or an error's class.
All spans of a row share one scope, in which `weft`, `np` and the names of `weft.ocean` as `ocean` stand.
"""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft import errors

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {
    "ocean.md": [f"OCN-{i}" for i in range(1, 194)],
    "ngraph.md": [
        f"NGR-{i}"
        for i in (
            *range(1, 15),
            25,
            26,
            38,
            *range(47, 52),
            *range(53, 58),
            *range(59, 64),
            66,
            *range(69, 80),
            90,
            91,
            92,
        )
    ],
    "pytorch.md": [f"PYT-{i}" for i in (*range(1, 24), *range(42, 52))],
}
SPAN = re.compile(r"`([^`]+)`(?:\s*→\s*`([^`]+)`)?")


def rows(page: str) -> dict[str, list[str]]:
    """The cells of every row of a page's tables, by the id in the first."""
    found: dict[str, list[str]] = {}
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if re.match(r"\| (OCN|NGR|PYT)-\d+ \|", line):
            cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            assert cells[0] not in found, f"{page}: {cells[0]} stands twice"
            found[cells[0]] = cells
    return found


ROWS = {page: rows(page) for page in PAGES}


@pytest.mark.parametrize("page", PAGES)
def test_every_row_of_the_inventory_is_there(page: str) -> None:
    assert [row for row in PAGES[page] if row not in ROWS[page]] == []
    assert [cells for cells in ROWS[page].values() if len(cells) != 5] == []


def given(line: str, scope: dict[str, Any]) -> str:
    """Return the repr of a line's last expression, or the class of the error that it ends with."""
    tree = ast.parse(line)
    last = tree.body[-1]
    try:
        if not isinstance(last, ast.Expr):
            exec(compile(tree, line, "exec"), scope)
            return ""
        exec(compile(ast.Module(tree.body[:-1], []), line, "exec"), scope)
        return repr(eval(compile(ast.Expression(last.value), line, "eval"), scope))
    except Exception as error:
        if not hasattr(errors, type(error).__name__) and type(error).__module__ != "builtins":
            raise
        return type(error).__name__


@pytest.mark.parametrize(("page", "row"), [(page, row) for page in PAGES for row in PAGES[page]], ids=lambda x: x)
def test_the_example_of_a_row_runs(page: str, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, capability, spelling, example, _ = ROWS[page][row]
    assert capability and "`" in spelling, "a row says what it is about and how weft spells it"
    spans = SPAN.findall(example)
    assert any(wanted for _, wanted in spans), "a row shows what its example gives"
    scope: dict[str, Any] = {"weft": weft, "np": np, "warnings": warnings}
    for line, wanted in spans:
        got = given(line, scope)
        assert " ".join(got.split()) == " ".join(wanted.split()), f"{row}: {line}"
