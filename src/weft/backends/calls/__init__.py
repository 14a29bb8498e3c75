"""Library routines behind Call nodes, looked up in tables that can be replaced.

The one idea: what libraries do best (matrix products, sorting) is called, never emitted.
"""
