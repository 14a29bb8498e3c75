"""Functions of users over blocks of tensors."""
