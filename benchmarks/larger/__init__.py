"""Arrays larger than memory: programs that users post, beside dask.array, over files in three formats."""
