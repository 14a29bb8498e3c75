"""The emitter: loop nests and straight-line bodies as LLVM IR text, compiled, linked and cached.

The one idea: the text is made from plain data (`weft.ir.kernels.plan`); sizes, strides and scalars stay arguments.
"""
