"""The user's handle on a value: reading, indexing and writing tensors."""
