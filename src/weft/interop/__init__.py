"""Foreign objects in and out: NumPy arrays, buffers, DLPack.

The one idea: what has memory is shared, what has none is copied.
"""
