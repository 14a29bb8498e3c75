"""Names of numpy.lib: functions of weft under the modules in which programs for NumPy look for them.

The one idea: nothing is defined here.
"""

from weft.lib import stride_tricks

__all__ = ["stride_tricks"]
