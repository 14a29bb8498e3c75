"""Reading files: from the cells that a program needs to byte ranges, and reductions in tiles."""
