"""Measurements of weft beside its peers: `python -m benchmarks` (or `make bench`) prints the tables."""
