"""Files as tensors: each format is a Source, which knows dtype and shape and reads any strided box by ranges.

The one idea: a source reads only the requested cells, and never trusts a file's header.
"""
