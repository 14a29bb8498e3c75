"""The runtime: memory and who shares it, programs, the engine that every layer above asks for values.

The one idea: values are attached to nodes once, and meaning never depends on when.
"""
