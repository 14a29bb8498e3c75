"""The reference transformer: the meaning of every node, in NumPy."""
