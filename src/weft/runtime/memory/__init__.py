"""Memory: its allocators, its owners, the ranges that running programs read and write, and its limits."""
