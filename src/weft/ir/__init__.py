"""The intermediate representation: nodes, descriptions, selections and their pieces, kernels as plain data.

The one idea: everything a pass may know about an expression is said here, and nothing here computes.
"""
