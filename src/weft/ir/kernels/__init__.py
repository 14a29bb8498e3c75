"""Kernels as plain data: plans, their rules and text form, and the order of additions in sums."""
