"""Programs in files: compiled functions and computations as structure and weights, checked when they are read."""
