"""Library routines behind Call nodes, looked up in tables that can be replaced.

The one idea: operations that libraries do best (matrix products, sorting) are called, never emitted.
"""
