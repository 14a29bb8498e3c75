"""The command `weft`: expressions over files, what a file holds, a demonstration.

The one idea: a command line is array-API code with files for names; it is parsed, never evaluated as Python.
"""
