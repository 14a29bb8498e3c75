"""Narrowing: the cells that are read of every node, and expressions that compute only these."""
