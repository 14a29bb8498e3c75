"""Writing files: targets, tiles, and files that appear as a whole or not at all."""
