"""`python -m weft`: the command line."""

from __future__ import annotations

from weft.cli.main import main

main()
