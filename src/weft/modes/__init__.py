"""Modes of `with` blocks: checks of implicit conversions, and the behaviour of functions outside their domain."""
