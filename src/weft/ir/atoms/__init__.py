"""Selections: how each is built, which coordinates it reads, and its adjoint."""
