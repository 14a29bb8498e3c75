"""The normal form of selections: a partition of a box into strided boxes, and exact questions about them."""
