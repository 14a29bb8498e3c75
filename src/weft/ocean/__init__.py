"""Ocean's names for weft's functions, for ported programs; `docs/ocean.md` describes them.

The one idea: names and argument orders are Ocean's (the destination last, a mode as one character), the meaning is
weft's: row-major, value-independent weak scalars, 0-d tensors where Ocean has scalars.  Its rule for transposes, which
differs from the array API's, is here and nowhere else.
"""

import weft
from weft import dtypes as dt
from weft.api.habits import accept_habits
from weft.ocean import constructors, ocean_settings, operations, reductions
from weft.ocean.constructors import *  # noqa: F403
from weft.ocean.ocean_settings import *  # noqa: F403
from weft.ocean.operations import *  # noqa: F403
from weft.ocean.reductions import *  # noqa: F403

bool, int8, int16, int32, int64 = dt.bool, dt.int8, dt.int16, dt.int32, dt.int64
uint8, uint16, uint32, uint64 = dt.uint8, dt.uint16, dt.uint32, dt.uint64
half, float, double = dt.float16, dt.float32, dt.float64
chalf, cfloat, cdouble = dt.complex32, dt.complex64, dt.complex128
true, false = True, False
cpu, devices, index = weft.cpu, weft.devices, weft.index
inf, nan, pi, e = weft.inf, weft.nan, weft.pi, weft.e

__all__ = [  # noqa: PLE0604
    *operations.__all__, *constructors.__all__, *reductions.__all__, *ocean_settings.__all__,
    "bool", "cdouble", "cfloat", "chalf", "cpu", "devices", "double", "e", "false", "float", "half", "index", "inf",
    "int8", "int16", "int32", "int64", "nan", "pi", "true", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip

accept_habits(globals())
