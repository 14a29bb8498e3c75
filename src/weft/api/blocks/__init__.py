"""User-defined functions over blocks of tensors."""
