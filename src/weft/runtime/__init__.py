"""The runtime: memory, its allocators and its owners, compiled programs, devices, and the engine that computes values.

The one idea: a node's value is attached to it once, so the time at which it is computed never changes the result.
"""
