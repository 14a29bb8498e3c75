"""Machine code in memory: linked when it is asked for, unloaded when nothing can call it any more.

The one idea: everything that can call machine code holds its `Code`; once the last holder is gone, the code may be
unloaded.  A weak reference notes that without running Python code, and the unloading waits for the next link, since
LLVM cannot be entered at every point where an object may end.  LLVM frees some memory of a library only with its
linker, so a linker takes a few libraries and is disposed with the last of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import ref

from weft.backends.llvm.jit.cache import ObjectCode
from weft.backends.llvm.jit.toolchain import binding, machine

GROUP = 16  # libraries that share a linker
NOTES = 54 << 10  # bytes that LLVM needs for a library beside its code, with its share of the linker
REMAINS = 10 << 10  # bytes of NOTES that LLVM frees only with the linker


class Code(dict[str, int]):
    """The addresses of machine code by symbol; the code stays in memory as long as this object."""

    __slots__ = ("__weakref__", "held")

    held: tuple[object, ...]  # the library, its linker and the code that it calls


class Linker:
    """One linker of LLVM, with the numbers of libraries that it has linked and that are still loaded."""

    __slots__ = ("engine", "linked", "loaded")

    def __init__(self) -> None:
        self.engine = binding().create_lljit_compiler(machine())
        self.linked = self.loaded = 0


class Library(ref[Code]):
    """A weak reference to a `Code`, with the data needed to unload the library once the code is gone."""

    __slots__ = ("key", "linker", "nbytes", "tracker")

    key: str
    linker: Linker
    nbytes: int
    tracker: Any


class CodeLoader:
    """All machine code in memory, by key; only one thread at a time may link or unload.

    `nbytes` is the estimated memory of all code, with LLVM's records of it.
    """

    def __init__(self) -> None:
        self.nbytes = 0
        self._libraries: dict[str, Library] = {}
        self._unused: list[Library] = []  # nothing holds their code any more
        self._linker: Linker | None = None  # takes the next library
        self._numbers = count()

    def find(self, key: str) -> Code | None:
        """Return the code stored under `key`; None if it is not in memory."""
        library = self._libraries.get(key)
        return None if library is None else library()

    def link(self, key: str, entry: ObjectCode, needed: Sequence[Code]) -> Code:
        """Load object code into memory under a key, and return its addresses by symbol.

        Its routines are taken from `needed`, functions of C and CPython from this process. Raises OutOfMemory if there
        is no memory for it.
        """
        builder = binding().JITLibraryBuilder().add_object_img(entry.code).add_current_process()
        for name, code in zip(entry.needs, needed, strict=True):
            builder.import_symbol(name, code[name])
        for symbol in entry.symbols:
            builder.export_symbol(symbol)
        if self._linker is None or self._linker.linked == GROUP:
            self._linker = Linker()
        linker = self._linker
        tracker = builder.link(linker.engine, f"weft{next(self._numbers)}")
        made = Code({symbol: tracker[symbol] for symbol in entry.symbols})
        made.held = (tracker, linker, *needed)
        library = self._libraries[key] = Library(made, self._unused.append)
        library.key, library.linker, library.tracker = key, linker, tracker
        library.nbytes = NOTES - REMAINS + 2 * len(entry.code)
        linker.linked += 1
        linker.loaded += 1
        self.nbytes += library.nbytes + REMAINS
        return made

    def unload(self) -> None:
        """Unload all code that no task can call any more."""
        while self._unused:
            library = self._unused.pop()
            if self._libraries.get(library.key) is library:
                del self._libraries[library.key]
            library.tracker.close()
            self.nbytes -= library.nbytes
            library.linker.loaded -= 1
            if not library.linker.loaded:
                self._dispose(library.linker)

    def _dispose(self, linker: Linker) -> None:
        if self._linker is linker:
            self._linker = None
        linker.engine.close()
        self.nbytes -= REMAINS * linker.linked
