"""Narrowing: the cells of every node that are read, and expressions that compute only these."""
