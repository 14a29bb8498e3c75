"""Entries: Python callables that run a list of native tasks with next to no interpreter work.

The one idea: an entry is a built-in function (METH_FASTCALL) whose `self` is a table of words that says everything:
how many arguments, what the outputs look like, the kinds of scalars, which tasks run.  The code behind all entries
is compiled once, reads the table, and calls functions that CPython and NumPy export, nothing else.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from weft.backends.llvm.emit.words import filled
from weft.backends.llvm.jit.entry_code import IN_ARENA, KINDS, MESSAGES, OUTPUT, PLAN, emit_entry
from weft.backends.llvm.jit.jit import code
from weft.backends.llvm.jit.kernel_task import KernelTask, table_bytes
from weft.backends.llvm.jit.pool import pool_address, task_words
from weft.dtypes import DType
from weft.errors import WeftError
from weft.runtime.memory.access import PLACE_OF_DATA, address_of

METH_FASTCALL = 0x80
NEW_FROM_DESCR = 94  # index in NumPy's table of C functions


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class PlanTable(np.ndarray):
    """The table of an entry; it keeps alive all objects that its words point to."""

    keep: tuple[object, ...]

    @property
    def held_bytes(self) -> int:
        """The bytes of this table and of the tables that it keeps alive."""
        return self.nbytes + table_bytes(self.keep)


Entry = Callable[..., Any]


def make_entry(
    n_args: int,
    outputs: dict[int, tuple[np.dtype, tuple[int, ...]]],
    scalars: Sequence[DType],
    tasks: Sequence[KernelTask],
    interruptible: bool = True,
    temporaries: Collection[int] = (),
    arena: int = 0,
    slots: Sequence[int] = (),
) -> Entry:
    """Return a function f(array0, offset0, array1, offset1, ..., scalar0, ...) that runs the tasks in order.

    Arrays are NumPy arrays, offsets bytes added to their data pointers. `outputs` gives dtype and shape by argument
    number; such an argument may be None: then its array is made, in C order.  The result is the tuple of the outputs'
    arrays in the order of `outputs`, None if there are none.  Arguments numbered in `temporaries` may be None, too:
    their offsets then count from the start of `arena` bytes that the call allocates.  If an `interruptible` entry meets
    an exception of a signal handler, it stops after the current units and raises it. `slots` are the numbers of the
    scalars that the tasks have in their slots, by default each in its own.
    """
    slots = slots or range(len(scalars))
    made: list[object] = []  # what the words of the outputs point to
    number = {arg: k for k, arg in enumerate(outputs, 1)}
    words = [_output_words(outputs[arg], made) for arg in number]
    parts = {
        "flags": [IN_ARENA if k in temporaries else number.get(k, 0) for k in range(n_args)],
        "outputs": [w for record in words for w in record],
        "scalars": [w for number in slots for w in (KINDS[scalars[number].kind], number)],
        "tasks": [w for t in tasks for w in task_words(t)],
    }
    places: dict[str, int] = {}
    body: list[int] = []
    for name, part in parts.items():
        places[name] = len(PLAN) + len(body)
        body += part
    head = filled(
        PLAN,
        nargs=2 * n_args + len(scalars), n_args=n_args, n_scalars=len(slots), n_outputs=len(outputs),
        n_tasks=len(tasks), interruptible=int(interruptible), scratch=max([t.scratch for t in tasks], default=0),
        arena=arena, nanoseconds=int(sum([t.units * t.cost for t in tasks])), pool=pool_address(),
        **_process(), **places,
    )  # fmt: skip
    table = np.array([*head, *body], np.int64).view(PlanTable)
    table.keep = (*made, *tasks)
    return _maker()(ctypes.addressof(_method()), table, None)  # type: ignore[no-any-return]


def _output_words(output: tuple[np.dtype, tuple[int, ...]], made: list[object]) -> list[int]:
    dtype, shape = np.dtype(output[0]), output[1]
    sizes = np.array([*shape, 0], np.intp)
    made += [dtype, sizes]
    return filled(OUTPUT, descr=id(dtype), ndim=len(shape), sizes=address_of(sizes))


@cache
def _method() -> MethodDef:
    """Return the method record that all entries share.

    It is never freed, as entries may outlive this module.
    """
    data, kind = PLACE_OF_DATA, _place_of_type()
    made = code(f"entry {data} {kind}", lambda: emit_entry(data, kind))
    method = MethodDef(b"program", made["entry"], METH_FASTCALL, None)
    for immortal in (made, method):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(immortal))
    return method


@cache
def _maker() -> Any:
    """Return CPython's function PyCFunction_NewEx.

    It is cached because making its ctypes prototype takes longer than a call.
    """
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(("PyCFunction_NewEx", ctypes.pythonapi))


@cache
def _process() -> dict[str, int]:
    """Return the addresses in this process that entries need, by their names in `PLAN`."""
    numpy_table = _numpy_functions()
    texts = {name: ctypes.create_string_buffer(text.encode()) for name, text in MESSAGES.items()}
    for buffer in texts.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(buffer))
    objects = {"none": id(None), "ndarray": id(np.ndarray), "type_error": id(TypeError), "weft_error": id(WeftError)}
    addresses = {name: ctypes.addressof(buffer) for name, buffer in texts.items()}
    return {**objects, **addresses, "new_array": numpy_table[NEW_FROM_DESCR]}


def _numpy_functions() -> Any:
    capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    capsule_pointer.restype, capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = capsule_pointer(_multiarray_umath._ARRAY_API, None)
    return (ctypes.c_void_p * 100).from_address(address)


def _place_of_type() -> int:
    """Return the offset in bytes of the type pointer within a Python object."""
    a = np.empty(3)
    words = (ctypes.c_size_t * 8).from_address(id(a))
    return 8 * next(k for k in range(8) if words[k] == id(np.ndarray))
