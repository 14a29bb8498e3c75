"""Backends: transformers that compute values from plans, on the CPU through LLVM, and by the reference in NumPy.

The one idea: a backend is a transformer; all other modules call the engine, and name no backend.
"""
