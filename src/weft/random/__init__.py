"""Random tensors: fields, which are functions of seed and coordinates, and a generator with NumPy's methods.

The one idea: a field has no state (`weft.random.fields`); a generator's state is the count of its calls.
"""

from weft.api.argument_errors import refuse_all
from weft.random.fields import (
    bernoulli,
    categorical,
    exponential,
    fold,
    gumbel,
    integers,
    normal,
    permutation,
    truncated_normal,
    uniform,
)  # fmt: skip
from weft.random.generator import Generator, default_rng

__all__ = [
    "Generator", "bernoulli", "categorical", "default_rng", "exponential", "fold", "gumbel", "integers", "normal",
    "permutation", "truncated_normal", "uniform",
]  # fmt: skip

refuse_all(globals())
