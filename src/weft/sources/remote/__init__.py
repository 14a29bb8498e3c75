"""Files that are named by URLs: found and read through fsspec."""
