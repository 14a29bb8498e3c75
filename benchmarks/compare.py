"""`python -m benchmarks.compare OLD.json NEW.json`: name the rows that lost 10 %, and fail if there are any."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import results


def main() -> int:
    """Print the rows that lost; return 1 if there are any."""
    parser = argparse.ArgumentParser(description="rows of two files of results that lost speed")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--share", type=float, default=0.1, help="what a row may lose (0.1)")
    args = parser.parse_args()
    old, new = results.load(args.old)["rows"], results.load(args.new)["rows"]
    found = results.lost(old, new, args.share)
    for row, growth in found:
        print(f"{' | '.join(map(str, results.key(row)))}: {growth:.2f} times the time of before")
    common = len({results.key(r) for r in old} & {results.key(r) for r in new})
    print(f"{len(found)} of {common} rows in both files lost more than {args.share:.0%}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
