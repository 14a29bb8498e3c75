"""The array API standard: a module for each of its chapters."""
