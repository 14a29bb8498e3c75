"""NumPy's own functions on tensors: its protocols for ufuncs and for array functions.

The one idea: a function of NumPy with a counterpart in weft calls that counterpart, lazily; any other computes on
values at once, and returns tensors.
"""
