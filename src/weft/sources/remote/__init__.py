"""Files named by URLs: found and read through fsspec."""
