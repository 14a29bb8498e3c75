"""Optimisation of kernels in quick runs: of all in some tests, elsewhere of a share, since LLVM takes long for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from zlib import crc32

SHARE = 8  # one kernel in so many is optimised


class _Optimising:
    """Whether the kernels that are compiled now are all optimised."""

    all = False


def is_drawn(kernel: str) -> bool:
    """True if a kernel, given by its text, is in the share that quick runs optimise, which is the same in each run."""
    return crc32(kernel.encode()) % SHARE == 0


def optimise_a_share() -> None:
    """Have LLVM optimise the kernels alone that are drawn, or that `all_optimised` is for."""
    from weft.backends.llvm.jit import jit  # reads the environment that `pytest_configure` sets

    def object_of(text: jit.Text) -> jit.ObjectCode:
        is_brief = text.brief or not (_Optimising.all or is_drawn(text.source))
        return compiled(replace(text, brief=is_brief))

    compiled, jit._object_of = jit._object_of, object_of


@contextmanager
def all_optimised() -> Iterator[None]:
    """Have all kernels compiled as users' are inside the block, those that are known too."""
    from weft.backends import program_tables
    from weft.backends.llvm.jit import jit

    limit, code = program_tables.get_limit(), jit.code
    program_tables.set_limit(0)  # forgets programs, and the kernels that they hold
    program_tables.set_limit(limit)
    jit.code = lambda key, emit: code(f"optimised {key}", emit)
    _Optimising.all = True
    yield
    jit.code, _Optimising.all = code, False
