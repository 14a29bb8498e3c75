"""Files as tensors: each format is a Source, which knows dtype and shape and reads any strided box by ranges.

The one idea: a source never reads more than is asked for, and never trusts what a file says of itself.
"""
