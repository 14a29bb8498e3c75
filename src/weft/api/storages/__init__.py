"""Bytes that users hold: storages, the layout of cells in them, and their overlap."""
