"""The version of weft.

The one idea: plans and kernels are those of one version, so every layer may ask for it.
"""

__version__ = "0.1.0"
