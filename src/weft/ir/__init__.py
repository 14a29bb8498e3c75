"""The intermediate representation: nodes, descriptions, selections and their pieces, kernels as plain data.

The one idea: this package states every fact that a pass may use about an expression, and computes no values.
"""
