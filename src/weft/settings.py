"""Settings: the transformer, eager evaluation, the number of threads, the memory limit and the scratch folder.

The one idea: a setting changes cost, never values; context managers restore the former value.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from os import PathLike

from weft.ir.graph.node import MAX_DEPTH
from weft.runtime.compute import engine, stages
from weft.runtime.fork_safety import late_import
from weft.runtime.memory import limits
from weft.runtime.scoped_setting import Setting
from weft.tensors import tensor
from weft.tensors.pending_limits import set_most
from weft.tensors.place import realized
from weft.tensors.tensor import Tensor, node_of
from weft.tensors.tracing import Trace

_EAGER = Setting("eager", False, bool, lambda on: set_most(-1 if on else MAX_DEPTH))  # of all threads, if of one


class Selected:
    """A transformer by name; used in `with`, it computes in this thread."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._scope = engine.CURRENT.block(engine.transformer(name))

    def __enter__(self) -> Selected:
        self._scope.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._scope.__exit__(*error)

    def __repr__(self) -> str:
        return f"weft.transformer({self.name!r})"


def transformer(name: str) -> Selected:
    """Return the transformer named "cpu" or "reference", for use in `with`; raises ValueRangeError for others.

    >>> import weft
    >>> with weft.transformer("reference") as t:
    ...     t.name, weft.arange(3).sum().item()
    ('reference', 3)
    """
    return Selected(name)


def eager() -> AbstractContextManager[bool]:
    """Return a context manager that computes every operation at once inside its block, for debugging.

    Values do not change; errors of computing are raised by the operation itself.

    >>> import weft
    >>> with weft.eager():
    ...     x = weft.asarray([1.0, 2.0]) * 2
    >>> "already stored: nothing to compute" in str(weft.explain(x))
    True
    """
    return _EAGER.block(True)


def compute(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Compute tensors now, sharing the work between them; returns the same tensors.

    Raises the errors of the work, such as FileFormatError, LinAlgError, MathError or OutOfMemory.

    >>> import weft
    >>> x = weft.asarray([1.0, 3.0])
    >>> low, high = weft.compute(x.min(), x.max())
    >>> low.item(), high.item()
    (1.0, 3.0)
    """
    tensors = tuple(t if type(t) is Tensor else tensor.imported(t) for t in tensors)
    nodes = [realized(node_of(t)) for t in tensors]
    Trace.note_looks(*nodes)
    stages.compute(nodes, stages.UnreadWork)
    return tensors


def set_num_threads(n: int) -> None:
    """Compute on at most n threads, library routines included.

    At first they are as many as the CPUs that the process may run on and that the quota of its container is worth.
    Raises ValueRangeError unless n is in 1 to 256, DTypeError if it is no integer.

    >>> import weft
    >>> weft.set_num_threads(weft.get_num_threads())
    """
    late_import("weft.backends.thread_counts").set_num_threads(n)


def get_num_threads() -> int:
    """Return the maximum number of threads used.

    >>> import weft
    >>> weft.get_num_threads() >= 1
    True
    """
    threads: int = late_import("weft.backends.thread_counts").get_num_threads()
    return threads


def set_memory_limit(size: int | str | None) -> None:
    """Limit the memory that work over large files takes at a time: bytes, or text such as "256MiB".

    None, the default: a quarter of the memory that is free, in the system and in the container, at most 1 GiB.  Tiled
    work (reductions of files, `weft.save`) keeps to it; a value requested as a whole is held as a whole.  Raises
    ValueRangeError if it is no amount of memory.

    >>> import weft
    >>> weft.set_memory_limit("256MiB")
    >>> weft.get_memory_limit()
    268435456
    >>> weft.set_memory_limit(None)
    """
    limits.set_limit(None if size is None else limits.bytes_of(size))


def get_memory_limit() -> int:
    """Return the bytes that work over large files takes at a time.

    >>> import weft
    >>> weft.get_memory_limit() > 0
    True
    """
    return limits.memory_limit()


def set_program_limit(size: int | str) -> None:
    """Limit the memory of programs kept for their next run, with their machine code.

    size: bytes, or text such as "64MiB"; the default is 256 MiB.  Beyond it, the least recently used are removed, and
    made again when they are needed.  Kernels of `weft.kernels` stay as long as they are referenced.  Raises
    ValueRangeError if it is no amount of memory.

    >>> import weft
    >>> weft.set_program_limit("64MiB")
    >>> weft.get_program_limit()
    67108864
    >>> weft.set_program_limit("256MiB")
    """
    late_import("weft.backends.program_tables").set_limit(limits.bytes_of(size))


def get_program_limit() -> int:
    """Return the bytes that kept programs and their machine code take at most.

    >>> import weft
    >>> weft.get_program_limit() == 256 * 2**20
    True
    """
    nbytes: int = late_import("weft.backends.program_tables").get_limit()
    return nbytes


def set_scratch_folder(path: str | PathLike[str] | None) -> None:
    """Set the folder for temporary files of work that does not fit into memory, such as sorting large files.

    None, the default: the folder of the environment variable WEFT_SCRATCH, else the system's for temporary files.
    Raises MissingFolderError if the folder does not exist, or cannot be written to, ValueRangeError if `path` is no
    path.

    >>> import tempfile
    >>> import weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     weft.set_scratch_folder(folder)
    ...     weft.get_scratch_folder() == folder
    True
    >>> weft.set_scratch_folder(None)
    """
    limits.set_folder(path)


def get_scratch_folder() -> str:
    """Return the folder for temporary files; raises MissingFolderError if it no longer exists.

    >>> import os
    >>> import weft
    >>> os.path.isdir(weft.get_scratch_folder())
    True
    """
    return limits.scratch_folder()
