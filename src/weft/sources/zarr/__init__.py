"""Zarr arrays, versions 2 and 3: metadata, chunks, codecs, reading and writing."""
