"""Functions of NumPy that the array API does not have."""
