"""Gradients: functions of functions, and PyTorch-like gradient methods on tensors.

The one idea: both use one pass over nodes, `weft.passes.gradient.gradient_rules`; this package is only the interface.
"""

from weft.api.habits import accept_habits
from weft.autograd.tape import grad, no_grad

__all__ = ["grad", "no_grad"]

accept_habits(globals())
