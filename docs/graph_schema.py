"""Writes the JSON schema of graphs, which the package ships, from the op table.

The one idea: names and types of attributes stand in the op table; a test compares the file with what this module makes.
"""

from __future__ import annotations

import json
from pathlib import Path

import weft
from weft.ir.graph import graph_json

PATH = Path(weft.__file__).parent / "inspect" / "graph.schema.json"

if __name__ == "__main__":
    PATH.write_text(json.dumps(graph_json.schema(), indent=1) + "\n", encoding="utf-8")
