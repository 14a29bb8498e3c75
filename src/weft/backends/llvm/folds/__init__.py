"""Reductions and scans: their laws, plans, kernels and drivers."""
