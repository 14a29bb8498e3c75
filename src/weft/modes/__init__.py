"""Modes that `with` blocks open: what is done implicitly, and what happens where a function is undefined."""
