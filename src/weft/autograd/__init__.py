"""Gradients: functions of functions, and the tape-like surface on tensors.

The one idea: all of it is one pass over nodes, `weft.passes.gradient.gradient_rules`; here only the surface.
"""

from weft.autograd.tape import grad, no_grad


def __dir__() -> list[str]:
    return __all__


__all__ = ["grad", "no_grad"]
