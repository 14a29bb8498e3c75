"""The command `weft`: expressions over files, file contents, conversions and a demonstration.

The one idea: a command line is array-API code with files for names; it is parsed, never evaluated as Python.
"""
