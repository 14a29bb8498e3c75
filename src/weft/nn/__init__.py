"""Functions of neural networks, composed of the array API: no layers, no state, no parameters but arguments.

The one idea: every function here is a few lines of other functions, which fuse.
"""
