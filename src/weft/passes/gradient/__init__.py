"""Gradient rules: from the gradient of an operation's result to those of its operands."""
