"""Storages: bytes held by users, the layout of cells in them, and their overlap."""
