"""Tensors: the user's handles on values, and reading, indexing and writing them."""
