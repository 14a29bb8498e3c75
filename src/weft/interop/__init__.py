"""Foreign objects in and out: NumPy arrays, buffers, DLPack.

The one idea: an object with memory is shared, one without is copied.
"""
