"""Selections: for each kind its constructor, the coordinates that it reads, and its adjoint."""
