"""From pending nodes to values: graph keys, compiled programs, the engine that runs them, and profiles of
their cost.
"""
