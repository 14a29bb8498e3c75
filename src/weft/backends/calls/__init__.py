"""Library routines behind call nodes, looked up in tables whose entries can be replaced.

The one idea: operations that libraries do best (matrix products, sorting) are called, never emitted.
"""
