"""Registration with other libraries, with small packages of their names in their places."""

import subprocess
import sys
from pathlib import Path

import pytest

BACKENDS = '''
"""The class that weft looks for, as in einops 0.8."""

class AbstractBackend:
    def reshape(self, x, shape): return x.reshape(shape)
    def transpose(self, x, axes): return x.transpose(axes)
    def reduce(self, x, operation, axes): return getattr(x, operation)(axis=axes)

class NumpyBackend(AbstractBackend):
    framework_name = "numpy"
    def arange(self, start, stop): return self.np.arange(start, stop)
    def stack_on_zeroth_dimension(self, tensors): return self.np.stack(tensors)
    def tile(self, x, repeats): return self.np.tile(x, repeats)
    def concat(self, tensors, axis): return self.np.concatenate(tensors, axis=axis)
    def is_float_type(self, x): return x.dtype in ("float16", "float32", "float64", "float128", "bfloat16")
    def add_axis(self, x, new_position): return self.np.expand_dims(x, new_position)
    def einsum(self, pattern, *x): return self.np.einsum(pattern, *x)
'''
EINOPS = """
import sys
import einops, gc
gc.collect()
(backend,) = [known() for known in einops.NumpyBackend.__subclasses__()]
assert backend.framework_name == "weft"
x = weft.arange(6, dtype="float64").reshape(2, 3)
assert backend.is_appropriate_type(x) and not backend.is_appropriate_type([1.0])
assert backend.add_axes(x, 4, {0: 5, 3: 2}).shape == (5, 2, 3, 2)
assert backend.tile(backend.add_axis(x, 0), (2, 1, 1)).shape == (2, 2, 3)
assert backend.reduce(x, "sum", (0,)).tolist() == [3.0, 5.0, 7.0]
assert backend.transpose(x, (1, 0)).tolist() == x.T.tolist() == backend.reshape(x.T, [3, 2]).tolist()
assert backend.concat([x, x], 1).shape == (2, 6) and backend.stack_on_zeroth_dimension([x, x]).shape == (2, 2, 3)
assert backend.einsum("ij,kj->ik", x, x).shape == (2, 2) and backend.is_float_type(x)
assert backend.to_numpy(backend.from_numpy(x.numpy())).tolist() == x.tolist()
assert backend.arange(0, 3).tolist() == [0, 1, 2]
assert not any("einops._backends" in getattr(finder, "waiting", ()) for finder in sys.meta_path)
"""


def test_without_einops_an_import_of_it_fails_as_ever() -> None:
    program = "import weft\ntry:\n    import einops._backends\nexcept ModuleNotFoundError:\n    print('absent')\n"
    hide = "import sys; sys.modules['einops'] = None\n"
    done = subprocess.run([sys.executable, "-c", hide + program], capture_output=True, text=True, check=False)
    assert done.stdout == "absent\n", done.stderr


DTYPES = """
import numpy
def maybe_promote(dtype):
    assert isinstance(dtype, numpy.dtype)
    return (dtype if dtype.kind == "f" else numpy.dtype("f8")), numpy.nan
"""
NAMED_ARRAY = """
class NamedArray:
    def __init__(self, data): self.data = data
    @property
    def dtype(self):
        "The dtype."
        return self.data.dtype
"""
MODULES = {
    "einops/__init__.py": "from einops._backends import NumpyBackend\n",
    "einops/_backends.py": BACKENDS,
    "xarray/__init__.py": "import xarray.core.dtypes, xarray.namedarray.core\n",
    "xarray/core/dtypes.py": DTYPES,
    "xarray/namedarray/core.py": NAMED_ARRAY,
    "dask/array/chunk_types.py": "TYPES = []\nregister_chunk_type = TYPES.append\n",
    "torch/utils/data/_utils/collate.py": "default_collate_fn_map = {}\n",
    "pandas/core/common.py": "def apply_if_callable(key, frame):\n    return key(frame) if callable(key) else key\n",
}
REGISTERED = """
import dask.array.chunk_types, torch.utils.data._utils.collate, pandas.core.common
assert dask.array.chunk_types.TYPES == [weft.Tensor]
assert list(torch.utils.data._utils.collate.default_collate_fn_map) == [weft.Tensor]
key = pandas.core.common.apply_if_callable
assert key(weft.asarray([True]), 0).dtype == "bool" and key(weft.asarray(3), 0) == 3
assert key("a", 0) == "a" == key(str, "a")
"""


XARRAY = """
import xarray, numpy
promote = xarray.core.dtypes.maybe_promote
assert promote(weft.float32)[0] == "float32" and promote(weft.int8)[0] == "float64"
assert promote(weft.bfloat16)[0] == weft.bfloat16 and numpy.isnan(promote(weft.bfloat16)[1])
assert promote(numpy.dtype("f2"))[0] == "float16"
dtype_of = lambda x: xarray.namedarray.core.NamedArray(x).dtype
assert type(dtype_of(weft.ones(3))) is type(dtype_of(numpy.ones(3))) and dtype_of(weft.ones(3)) == "float64"
assert dtype_of(weft.ones(3, dtype="bfloat16")) is weft.bfloat16
assert xarray.namedarray.core.NamedArray.dtype.__doc__ == "The dtype."
"""


OTHERS = "einops, xarray, dask.array.chunk_types, pandas.core.common"


@pytest.mark.parametrize("order", [("weft", OTHERS), ("einops, xarray, pandas.core.common", "weft")])
def test_others_know_tensors_whichever_is_imported_first(tmp_path: Path, order: tuple[str, str]) -> None:
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for package in list(path.parents)[: name.count("/")]:
            (package / "__init__.py").touch()  # goes before one that is installed
        path.write_text(text)
    start = f"import sys; sys.path[:] = {[str(tmp_path), *sys.path]!r}\nimport {order[0]}\nimport {order[1]}\n"
    program = start + EINOPS + REGISTERED + XARRAY
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_columns_of_arrow_need_pyarrow() -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
import weft
try:
    weft.ones(2).__arrow_c_array__()
except weft.errors.MissingImplementation as error:
    print(error)
for x in (weft.ones((), dtype="f8"), weft.ones(2, dtype="complex64"), weft.ones(2, dtype="bfloat16")):
    try:
        x.__arrow_array__()
    except BufferError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    missing, *refused = done.stdout.splitlines()
    assert missing.startswith("arrow: pyarrow is missing, which makes Arrow's arrays; install weft[tables]")
    assert len(refused) == 3 and all("Arrow's columns hold bools and real numbers" in line for line in refused)
