"""`python -m benchmarks.larger [--size full] [--folder PATH] [--only TEXT]`: print the table and the misses."""

from benchmarks.larger.table import main

main()
