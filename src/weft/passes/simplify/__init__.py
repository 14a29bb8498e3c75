"""Rewrites that leave out work and change no bit: the rules and the pass that applies them."""
