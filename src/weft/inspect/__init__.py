"""Inspection: explanations, reports, and the text forms of graphs, plans and kernels."""
