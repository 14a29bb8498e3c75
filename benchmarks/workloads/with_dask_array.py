"""The workloads in dask-array, the expression system: those of dask.array over its arrays."""

import dask_array

from benchmarks.workloads.with_dask import workloads

globals().update(workloads(dask_array))
del globals()["b9_views"]  # a minute and more for a chain of 1000 views
