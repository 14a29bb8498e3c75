"""Programs on the workers of Dask: weft beside dask.array on the same cluster, and reads of cells that workers hold."""
