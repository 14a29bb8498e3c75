"""Functions of one entry over a batch of entries."""
