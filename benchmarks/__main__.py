"""`python -m benchmarks [--threads 1 2] [--only TEXT]`: print the tables."""

from __future__ import annotations

import argparse

from benchmarks import batches, casts, exact, fields, kernels, layouts, machine, programs, selections, small
from benchmarks.larger import table


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="weft beside NumPy and installed peers")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    args = parser.parse_args()
    print(machine.describe())
    for n in args.threads:
        kernels.main(n, args.only)
        selections.main(n, args.only)
        layouts.main(n, args.only)
        casts.main(n, args.only)
        batches.main(n, args.only)
        programs.main(n, args.only)
    fields.main(args.only)
    exact.main(args.only)
    small.main(args.only)
    table.quick(args.only)


main()
