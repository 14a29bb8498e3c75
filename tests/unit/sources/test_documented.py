"""The table of the page on files names the formats that there are."""

from __future__ import annotations

import re
from pathlib import Path

from weft.sources.files import FORMATS

PAGE = Path(__file__).parents[3] / "docs" / "files.md"


def test_the_table_is_complete() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Formats")[2].partition("`format=`")[0]
    rows = {
        row.split("|")[0].strip(): set(re.findall(r"`(\.\w+)`", row.split("|")[1])) for row in table.split("\n|")[3:]
    }
    assert rows == {name: set(row.endings) for name, row in FORMATS.items()}
