"""Foreign objects become tensors: NumPy arrays, buffers, DLPack objects, scalars and nested lists.

The one idea: an object with memory is shared, one without is copied.  Shared memory is registered by address, so
overlapping imports are recognised; a snapshot (copy=True) is memory of weft's own.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from weft import callbacks
from weft import dtypes as dt
from weft.api.habits import MISSING, reread
from weft.errors import DTypeError, ValueRangeError
from weft.interop.device_moves import in_order, moved, settled
from weft.interop.flat_lists import flat
from weft.interop.foreign_types import ROWS
from weft.interop.memory_layout import strides_of
from weft.interop.nested import NUMBERS, is_nest, nested
from weft.interop.plugins import as_array
from weft.ir.atoms.selections import expand_dims, translate
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, c_strides, describe
from weft.runtime.default_dtype import default_dtype, get_default_dtype
from weft.runtime.devices import placement
from weft.runtime.devices.device import CPU, Device, place_for
from weft.runtime.devices.device import device as named_device
from weft.runtime.memory import allocator
from weft.runtime.memory.access import register
from weft.runtime.memory.fingerprints import UNSEEN
from weft.tensors import tensor
from weft.tensors.foreign_rows import BUILT_IN, BY_TYPE, is_registered
from weft.tensors.keys import MAX_RANK, Nested
from weft.tensors.pending_limits import watch
from weft.tensors.place import Place
from weft.tensors.temporaries import PASSED, is_lent
from weft.tensors.tensor import Tensor, handle, known_node, node_of, read, wrap, writable
from weft.tensors.writing import write


def share(array: np.ndarray, read_only: bool = False) -> Tensor:
    """Return a tensor over an array's memory; writes to either are visible in both.

    With `read_only`, the tensor cannot be written. Raises DTypeError for an array whose dtype weft lacks.
    """
    dtype, order = dt.from_numpy(array.dtype)
    ours = array.view(np.ndarray) if type(array) is not np.ndarray else array.view()
    locked = read_only or not array.flags.writeable
    desc = describe(dtype, array.shape, array.strides, order == "big", None, locked)
    t = wrap(ir.stored(desc, ours))
    place: Place = t._place
    place.region = register(ours, place)
    place.node.fingerprint = UNSEEN
    watch(place.node)
    return t


def own(array: np.ndarray) -> Tensor:
    """Return a tensor over an array without other references; a view of another array is copied.

    Raises DTypeError for an array whose dtype weft lacks.
    """
    return owned(array) if array.base is None else snapshot(array)


def owned(array: np.ndarray) -> Tensor:
    """Return a tensor over an array without other references that owns its memory.

    Raises DTypeError for an array whose dtype weft lacks.
    """
    dtype, order = dt.from_numpy(array.dtype)
    return wrap(ir.stored(describe(dtype, array.shape, array.strides, order == "big"), array))


def snapshot(array: np.ndarray, np_dtype: np.dtype | None = None) -> Tensor:
    """Return a tensor with a copy of an array's values, row-major, in `np_dtype` or the array's own dtype.

    Raises DTypeError for an array whose dtype weft lacks.
    """
    dt.from_numpy(array.dtype)  # raises for arrays of objects, which are never copied
    made = allocator.empty(array.dtype if np_dtype is None else np_dtype, array.shape)
    if np_dtype is None or np_dtype == array.dtype:
        made[...] = array
        return owned(made)
    with np.errstate(all="ignore"):  # undefined conversions are left to the math mode
        made[...] = array
    return owned(made)


def laid_out(x: Tensor, strides: Shape | None, order: str = "little") -> Tensor:
    """Return a tensor's values copied to memory of the given byte strides (None: row-major) and byte order.

    Raises ValueRangeError for a tensor on a device that cannot swap bytes, if its byte order differs from `order`.
    """
    n = node_of(x)
    if not x.device.is_host:
        return in_order(x, order, strides)
    made = owned(allocator.strided(dt.to_numpy(n.desc.dtype, order), n.desc.shape, strides))
    write(made, n, "asarray")
    return made if n.desc.origin is None else tensor.handle(made, translate(node_of(made), n.desc.origin))


def constant_of(array: np.ndarray) -> Tensor:
    """Return a read-only tensor with a copy of the array's values; raises DTypeError for dtypes that weft lacks."""
    return read_only_of(snapshot(array))


def read_only_of(t: Tensor) -> Tensor:
    """Return a read-only tensor over the memory of a newly created tensor."""
    n = node_of(t)
    d = n.desc
    return wrap(ir.stored(describe(d.dtype, d.shape, d.strides, d.big, None, True), n.value))


def asarray(
    obj: Any = MISSING,
    /,
    dtype: Any = None,
    *beyond: Any,
    device: Any = None,
    copy: bool | None = None,
    fill: Any = None,
    order: str | None = None,
    **habits: Any,
) -> Tensor:
    """Return a tensor of an object's values, sharing its memory if possible.

    Arrays, buffers and DLPack objects share their memory if `dtype` and `order` allow it (`order`: "C", "F"; "K" and
    "A" accept the object's, or choose for a copy); copy=False raises otherwise, copy=True always copies. The memory of
    a NumPy array to which the caller keeps no reference becomes the tensor's own. Numbers are copied, and so are nests:
    lists, tuples and iterators of numbers, scalars, arrays and tensors, in the dtype that holds them all (float64 for
    none), with Python's numbers weak beside the others. Lists of texts are read as numbers of a given `dtype`. A nest
    of pending tensors is a pending stack. If lists or arrays are of unequal sizes, `fill` pads their ends; without it,
    ValueRangeError (for arrays ShapeError) names axis and sizes. Chunked arrays (zarr, h5py, dask, unloaded xarray, any
    object with `shape`, `dtype`, `chunks` and `__getitem__`) are read when values are needed, and only the parts
    needed; copy=True reads them at once.

    An expression over shared memory that others write before it is computed raises OverwrittenError, as far as samples
    of the cells show (all cells under `weft.checking()`): realize() it before, or pass copy=True.

    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> x = asarray(a)
    >>> a[0] = 5
    >>> x.tolist()
    [5.0, 0.0]
    >>> asarray([range(2), np.int8([3, 4])]).dtype, asarray([[1], [2, 3]], fill=0).tolist()
    (weft.int8, [[1, 0], [2, 3]])
    """
    if habits or beyond or obj is MISSING:  # read here, as a wrapper would keep a reference to the array
        return reread(asarray, (obj, dtype, device, copy, fill, order), beyond, habits)  # type: ignore[no-any-return]
    # then no one else can write it
    passed_on = type(obj) is np.ndarray and getrefcount(obj) <= PASSED and not is_lent(obj)
    if copy is not None and copy is not True and copy is not False:
        copy = _copying(copy)
    if dtype is not None and get_default_dtype() is not dt.float64:
        with default_dtype(dt.float64):  # the default dtype has no effect if a dtype is given
            return asarray(obj, dtype=dtype, device=device, copy=copy, fill=fill, order=order)
    if isinstance(obj, Tensor):
        made = _of_tensor(obj, dtype, copy)
        to = made.device if device is None else named_device(device)
    else:
        to = _home(obj, device)
        made = _imported(obj, dtype, copy, fill, passed_on)
        if device is None and to.is_host and not isinstance(obj, (list, tuple)):
            to = made.device  # the iterator was consumed
        if device is None and is_registered(obj) and made.device is not CPU:
            to = made.device  # a registered type may return a tensor on any device
    if made.device is not to:
        if copy is False:
            raise ValueRangeError(f"asarray: cells on {made.device} for {to} need a copy; copy=False forbids it")
        made = moved(made, to) if isinstance(obj, Tensor) else settled(made, to)
    kept = order is None or (isinstance(order, str) and order in ("K", "A"))
    return made if kept else _in_layout(made, order, copy)  # type: ignore[arg-type]


def _copying(copy: Any) -> bool:
    """Return a `copy=` argument (0, 1 or a bool) as a bool; raises DTypeError for other objects."""
    if not isinstance(copy, (int, np.bool_)) or copy not in (0, 1):
        raise DTypeError(f"asarray: copy={copy!r:.60}; it is a switch; give True, False or None")
    return bool(copy)


def _home(obj: Any, device: Any) -> Device:
    """Return the device for an object: the named one, else that of all tensors in a nest, else the default.

    The host if tensors of a nest lie on several. Raises ValueRangeError for an unknown device.
    """
    if device is None and placement.in_use() and isinstance(obj, (list, tuple)):
        found = _devices_in(obj, set())
        if found:
            return found.pop() if len(found) == 1 else CPU
    return place_for("asarray", device)


def _devices_in(nest: Any, seen: set[int], depth: int = 0) -> set[Device]:
    """Return the devices of the tensors in nested lists; `seen` holds the ids of lists already visited."""
    found: set[Device] = set()
    if id(nest) in seen or set(map(type, nest)).issubset(NUMBERS):
        return found
    seen.add(id(nest))
    for part in nest:
        if isinstance(part, Tensor):
            found.add(part.device)
        elif isinstance(part, (list, tuple)) and depth < MAX_RANK:
            found |= _devices_in(part, seen, depth + 1)
    return found


def as_operand(obj: Any) -> Tensor:
    """Return a tensor unchanged, and any other object as a tensor on the host.

    Raises DTypeError for an object without numbers that weft can read, ValueRangeError or ShapeError for nested lists
    with rows of unequal lengths or shapes.
    """
    if isinstance(obj, Tensor):
        return obj
    return _imported(obj, None, None, None) if is_registered(obj) else asarray(obj, device=CPU)


def _imported(obj: Any, dtype: Any, copy: bool | None, fill: Any, passed_on: bool = False) -> Tensor:
    """Return a tensor of any other object, of a dtype if given; `copy` and `fill` are those of asarray.

    `passed_on`: the object is an array to which its caller keeps no reference.

    Raises ValueRangeError for cells that copy=False forbids to copy and for lists of unequal lengths, ShapeError for
    arrays of unequal shapes in a list, and DTypeError for objects or dtypes that weft cannot read or convert.
    """
    if type(obj) is list and dtype is None and copy is not False and (found := flat(obj)) is not None:
        return snapshot(found)
    array: Any = obj
    shared = False
    if type(obj) in BY_TYPE or is_registered(obj) or not is_nest(obj):
        array, shared = as_array(obj)
    if isinstance(array, np.ndarray):
        array = dt.known(array)
        if isinstance(obj, NUMBERS) and not isinstance(obj, np.generic) and get_default_dtype() is not dt.float64:
            array = np.asarray(nested([obj]))[0, ...]
    if not isinstance(array, (np.ndarray, Tensor)):
        array, shared = nested(array, fill) if dtype is None or not _of_texts(array) else _read(array, dtype), False
    if isinstance(array, Tensor):
        if copy is False and not shared:
            raise _unshared(f"a {type(obj).__name__} has no memory to share and")
        return _of_tensor(array, dtype, copy)
    wanted = _wanted(array.dtype, dtype)
    if shared and wanted == array.dtype and not copy:
        return _taken_over(array) if passed_on and array is obj and _is_alone(array) else share(array)
    if copy is False:
        raise _unshared(
            f"{array.dtype} values as {wanted}" if shared else f"a {type(obj).__name__} has no memory to share and"
        )
    if wanted != array.dtype:
        return _converted(array, wanted, shared)
    return snapshot(array)


def _taken_over(array: np.ndarray) -> Tensor:
    """Return a tensor whose own memory is that of an array without other references."""
    t = owned(array)
    watch(known_node(t))
    return t


def _is_alone(array: np.ndarray) -> bool:
    """True if an array owns its memory, in which it can be written."""
    return array.base is None and array.flags.owndata and array.flags.writeable


def _of_texts(nest: Any) -> bool:
    """True if the first part of nested lists or tuples is a text."""
    while isinstance(nest, (list, tuple)) and nest:
        nest = nest[0]
    return isinstance(nest, str)


def _read(texts: Any, dtype: Any) -> np.ndarray:
    """Return the numbers written in nested lists of texts; raises ValueRangeError for a text that is no such number.

    Raises DTypeError for bools, which texts do not spell, and an unknown dtype.
    """
    wanted = dt.spelled(dtype)[0]
    if wanted.kind == "bool":
        raise DTypeError("asarray: texts as bool; none says which; compare them first")
    try:
        return np.asarray(texts, wanted.compute.np)
    except (ValueError, OverflowError) as e:
        raise ValueRangeError(f"asarray: {e!s:.120}; texts are numbers of {wanted.name}; mend them first") from e


def _unshared(reason: str) -> ValueRangeError:
    """Return the ValueRangeError for values that copy=False forbids to copy; `reason` names them."""
    return ValueRangeError(f"asarray: {reason} need a copy; copy=False forbids it; pass copy=None")


def cast(obj: Any, dtype: dt.DType, order: str | None = None, **how: Any) -> Tensor:
    """Return the values of an object converted to a dtype, as `weft.int8(obj)` does; keywords are those of asarray.

    Floats are truncated and saturated, NaN gives 0, and complex numbers give their real part. Raises ValueRangeError
    for Python integers that do not fit; those of tensors and arrays wrap. Raises DTypeError or ShapeError as asarray
    does.

    >>> import weft
    >>> weft.int8(12.34 + 56.78j), weft.int8([300.0, -1.5]).tolist(), weft.bool(12.34 + 56.78j).item()
    (Tensor(12, dtype=int8), [127, -1], True)
    """
    if hasattr(type(obj), "converted"):  # a storage
        return obj.converted(dtype)  # type: ignore[no-any-return]
    with default_dtype(dt.float64):
        x = asarray(obj, **how)
    if isinstance(obj, NUMBERS) or (not isinstance(obj, Tensor) and is_nest(obj)):
        _check_fits(read(x), dtype)
    if x.dtype is not dtype:
        x = writable(wrap(ir.locate(tensor.conversion(node_of(x), dtype))))
    return x if order is None else asarray(x, order=order)


def _in_layout(x: Tensor, order: str, copy: bool | None) -> Tensor:
    """Return the tensor itself if its cells lie in `order` ("C" or "F"), else a copy that does.

    Raises ValueRangeError for another `order`, or if `copy` is False and a copy is needed.
    """
    d = node_of(x).desc
    wanted = strides_of("asarray", order, None, d.shape, d.dtype.itemsize)
    strides = c_strides(d.shape, d.dtype.itemsize) if wanted is None else wanted
    if d.strides is not None and all(s == t or n < 2 for s, t, n in zip(d.strides, strides, d.shape, strict=True)):
        return x
    if copy is False:
        raise ValueRangeError(
            f"asarray: strides {d.strides} in order {order!r} need a copy; copy=False forbids it; pass copy=None"
        )
    return laid_out(x, wanted, d.byteorder)


def _wanted(have: np.dtype, dtype: Any) -> np.dtype:
    """Return the NumPy dtype for an import; the array's byte order is kept unless `dtype` names one.

    Without `dtype`, that is the array's dtype `have`. Raises DTypeError for a dtype that weft lacks.
    """
    if dtype is None:
        return have
    found, order = dt.spelled(dtype)
    if not dt.names_order(dtype) and dt.from_numpy(have)[0] is found:
        return have
    return dt.to_numpy(found, order)


def _converted(array: np.ndarray, wanted: np.dtype, shared: bool) -> Tensor:
    """Return an array's values as a tensor of another dtype, converted like `astype`.

    `shared` says that the array is an object's memory, not made from a list. Raises DTypeError for complex numbers to
    real ones, ValueRangeError for integers of lists that do not fit.
    """
    dtype, order = dt.spelled(wanted)
    source = dt.from_numpy(array.dtype)[0]
    check_conversion("asarray", source, dtype)
    if not shared:
        _check_fits(array, dtype)
    narrow = dtype.compute is not dtype or source.compute is not source
    if not narrow and not (dtype.is_integer and source.is_inexact) and callbacks.MODED is None:
        return snapshot(array, wanted)
    values = tensor.values_of(tensor.conversion(node_of(snapshot(array)), dtype))
    return snapshot(values, dt.to_numpy(dtype, order))


def check_conversion(op: str, source: dt.DType, dtype: dt.DType) -> None:
    """Raise DTypeError for a conversion of complex numbers to real dtypes other than bool; `op` is named in it."""
    if source.kind == "complex" and dtype.kind not in ("complex", "bool"):
        raise DTypeError(f"{op}: {source.name} to {dtype.name} would drop the imaginary part; take real(x) first")


def _check_fits(array: np.ndarray, dtype: dt.DType) -> None:
    """Raise ValueRangeError if the integers in an array do not fit a dtype."""
    if not dtype.is_integer or array.dtype.kind not in "iu" or not array.size:
        return
    limits = dt.integer_limits(dtype)
    low, high = int(array.min()), int(array.max())
    if low < limits.min or high > limits.max:
        raise ValueRangeError(
            f"asarray: values from {low} to {high} as {dtype.name}; it holds {limits.min} to {limits.max}; "
            "choose a wider dtype"
        )


def _of_tensor(x: Tensor, dtype: Any, copy: bool | None) -> Tensor:
    """Return a tensor in a dtype: itself if nothing changes.

    Raises DTypeError for complex numbers to real ones, ValueRangeError if `copy` is False and a copy is needed.
    """
    wanted, order = (x.dtype, x.byteorder) if dtype is None else dt.spelled(dtype)
    if dt.names_order(dtype) and wanted.itemsize > 1 and order != x.byteorder:
        return _in_order(x, wanted, order, copy)
    if wanted is x.dtype and not copy:
        return x
    check_conversion("asarray", x.dtype, wanted)
    if copy is False:
        raise ValueRangeError(f"asarray: {x.dtype.name} as {wanted.name} needs a copy; copy=False forbids it")
    made = copied(x) if wanted is x.dtype else writable(wrap(ir.locate(tensor.conversion(node_of(x), wanted))))
    waits = known_node(made).depth >= ir.WAITING  # in a trace, a write makes a new version
    return made.realize() if copy and not waits else made  # a snapshot is taken now, as others may write shared memory


def _in_order(x: Tensor, dtype: dt.DType, order: str, copy: bool | None) -> Tensor:
    """Return a copy of a tensor in a dtype and a byte order.

    Raises ValueRangeError if `copy` is False, DTypeError for complex numbers to real ones.
    """
    if copy is False:
        raise ValueRangeError(
            f"asarray: {x.byteorder}-endian cells as {order}-endian need a copy; copy=False forbids it"
        )
    check_conversion("asarray", x.dtype, dtype)
    return snapshot(tensor.values_of(tensor.conversion(node_of(x), dtype)), dt.to_numpy(dtype, order))


def copied(x: Tensor) -> Tensor:
    """Return a new tensor with the same values in memory of its own."""
    return wrap(ir.locate(ir.copied(node_of(x))))


def array(
    obj: Any,
    /,
    dtype: Any = None,
    *,
    device: Any = None,
    copy: bool | None = True,
    fill: Any = None,
    order: str | None = None,
    ndmin: int = 0,
) -> Tensor:
    """Return a tensor with a copy of an object's values: asarray with copy=True.

    Leading axes of size 1 are added up to rank `ndmin`. Other parameters and errors (ValueRangeError, DTypeError,
    ShapeError) are those of asarray. Raises DTypeError if `ndmin` is no integer.

    >>> import weft
    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> x = weft.array(a)
    >>> a[0] = 5
    >>> x.tolist()
    [0.0, 0.0]
    >>> weft.array([[1, 2], [3, 4]], order="F").strides
    (8, 16)
    """
    made = asarray(obj, dtype=dtype, device=device, copy=copy, fill=fill, order=order)
    if not isinstance(ndmin, int):
        raise DTypeError(f"array: ndmin={ndmin!r:.60}; it counts axes; give an integer")
    missing = ndmin - made.ndim
    return made if missing <= 0 else handle(made, expand_dims(node_of(made), range(missing)))


def imported(obj: Any, to: dt.DType | Device | None = None, **how: Any) -> Any:
    """Return an object as a tensor on the host. With `to`, as a tensor of that dtype or on that device.

    Raises DTypeError for an object without numbers that weft can read, and the errors of asarray.
    """
    if to is None:
        return as_operand(obj)
    return cast(obj, to, **how) if isinstance(to, dt.DType) else _cast(obj, to)


def _cast(obj: Any, to: Device) -> Any:
    """Return an object on a device; an index object is returned unchanged, since it fits tensors on any device.

    Raises the errors of asarray, such as DTypeError for an object without numbers.
    """
    if hasattr(type(obj), "converted"):  # a storage
        return obj if obj.device is to else obj.clone(to)
    return obj if isinstance(obj, Nested) else asarray(obj, device=to)


BUILT_IN.extend(ROWS)
callbacks.IMPORT = imported
