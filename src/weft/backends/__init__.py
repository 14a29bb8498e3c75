"""Backends: what turns plans into values, on the CPU through LLVM, and by the reference in NumPy.

The one idea: a backend is a transformer; everything above asks the engine and names none.
"""
