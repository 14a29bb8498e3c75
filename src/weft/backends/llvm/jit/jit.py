"""From LLVM text to addresses of machine code, through the caches in memory and on disk.

The one idea: code is asked for by a key that determines it; only when neither this process nor the disk knows the key
is the text emitted, and only when the disk has not that text either is it compiled.  What a function is compiled for (a
structure, a law, a dtype) are the arguments of its emitter, whose text is its key.  Routines outside kernels are code
of their own, linked by address.  Code that is asked for while a launch is lowered (`task.holding_code`) lives as long
as the tasks made of it; other code stays for ever.  LLVM's objects do not outlive an exception between any two of their
steps, so no interrupt may reach them: see `off_main_thread`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Concatenate, Generic, ParamSpec

from weft.backends.llvm.emit import ROUTINES, Builder, Signature, signature
from weft.backends.llvm.jit.cache import COMPILER, EMITTERS, ObjectCode, disk_cache, source_digest
from weft.backends.llvm.jit.linked import Code, CodeLoader
from weft.backends.llvm.jit.toolchain import WORK, binding, environment, machine
from weft.backends.llvm.jit.uninterrupted import off_main_thread, uninterrupted
from weft.backends.llvm.math.library import module_for, needs_of
from weft.dtypes import DType
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock

P = ParamSpec("P")


@dataclass(slots=True)
class Stats:
    """Counters of this process, for profiles."""

    kernels_compiled: int = 0  # texts that LLVM compiled, routines included
    kernels_loaded: int = 0  # entries taken from disk


@dataclass(frozen=True, slots=True)
class Text:
    """LLVM text that defines `symbols` and calls the routines `needs`.

    Code that is `brief` runs once for many cells, or has no loop whose registers matter: it is compiled quickly rather
    than well.
    """

    source: str
    symbols: tuple[str, ...]
    needs: tuple[str, ...] = ()
    brief: bool = False


stats = Stats()
loader = CodeLoader()
_lock = held_over_forks(ReentrantLock(), taken_last=True)  # a child could not finish another's work
_FOR_EVER: dict[str, Code] = {}


class _ThreadCodes(threading.local):
    """The dictionary in which this thread collects the code that it asks for."""

    codes = _FOR_EVER


_thread = _ThreadCodes()


@contextmanager
def code_scope() -> Iterator[dict[str, Code]]:
    """Return a context manager that yields a dictionary of the code this thread asks for in the block.

    The code may be unloaded once the dictionary's values are no longer referenced.
    """
    outer, _thread.codes = _thread.codes, {}
    try:
        yield _thread.codes
    finally:
        _thread.codes = outer


def hold(codes: Mapping[str, Code]) -> None:
    """Count code that was asked for before, by key, as asked for by this thread."""
    _thread.codes.update(codes)


def code(key: str, emit: Callable[[], Text]) -> Code:
    """Return the code of `key`, its addresses by symbol, compiled from emit() if it is not known.

    Equal keys must mean equal text. An address is good while its code is held: no table may keep it beyond the tasks of
    one `code_scope` block. Raises OutOfMemory if there is no memory to compile.
    """
    found = loader.find(key)
    _thread.codes[key] = found = found if found is not None else _code_of(key, emit)
    return found


class Compiled(Generic[P]):
    """A native function with an emitter: called with the emitter's arguments, it returns a machine-code address.

    The emitter may return further functions, which are compiled into the same module.
    """

    def __init__(
        self, signature: Signature, emit: Callable[Concatenate[Builder, P], Sequence[Builder] | None], brief: bool
    ) -> None:
        self.signature, self.emit, self.brief = signature, emit, brief
        self.__doc__ = emit.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> int:
        given = [x.name if isinstance(x, DType) else str(x) for x in (*args, *kwargs.values())]
        key = " ".join([self.signature.name, *given])
        return code(key, lambda: self.text(*args, **kwargs))[self.signature.name]

    def text(self, *args: P.args, **kwargs: P.kwargs) -> Text:
        """Return the text of the LLVM module of the function for these arguments, with its symbols and routines."""
        b = Builder(self.signature)
        others = self.emit(b, *args, **kwargs) or ()
        texts = [b.definition(), *(f.definition().replace("define", "define internal", 1) for f in others)]
        for f in others:
            b.declarations |= f.declarations
        return Text(b.module(*texts), (self.signature.name,), tuple(sorted(b.routines)), self.brief)


def compiled(
    name: str, parameters: str, brief: bool = False
) -> Callable[[Callable[Concatenate[Builder, P], Sequence[Builder] | None]], Compiled[P]]:
    """Return a decorator that makes an emitter a `Compiled` with this function name and these parameters.

    Arguments with equal text must give the same code.  Code that is `brief` is compiled quickly (see `Text`).
    """
    return lambda emit: Compiled(signature(name, parameters), emit, brief)


def unload() -> int:
    """Unload machine code that no task can call any more; return the bytes of the code that is left."""

    def work() -> int:
        with _lock:
            loader.unload()
            return loader.nbytes

    return off_main_thread(work)


def compile_text(text: Text) -> ObjectCode:
    """Return the object code of a text, for this machine."""
    llvm = binding()
    module = llvm.parse_assembly(text.source)
    module.verify()  # invalid text would end the process in the code generator
    return ObjectCode(bytes(machine(text.brief).emit_object(module)), text.symbols, text.needs)


def _code_of(key: str, emit: Callable[[], Text]) -> Code:
    return uninterrupted(WORK, "compile a kernel", lambda: _compiled(key, emit))


def _compiled(key: str, emit: Callable[[], Text]) -> Code:
    """Return the code of `key` with all routines that it calls: from memory, from disk, or compiled from emit().

    Raises OutOfMemory if LLVM cannot be loaded.
    """
    with _lock:
        found = loader.find(key)
        if found is not None:
            return found
        loader.unload()
        entry = _stored(EMITTERS, key, lambda: _object_of(emit()))
        return loader.link(key, entry, [_compiled(*_routine(name)) for name in entry.needs])


def _object_of(text: Text) -> ObjectCode:
    """Return the object code of a text: from disk, if the same text was compiled before, else compiled.

    The entry on disk serves also when the emitters' sources have changed.
    """

    def compiled() -> ObjectCode:
        stats.kernels_compiled += 1
        return compile_text(text)

    return _stored(COMPILER, repr(text), compiled)


def _stored(sources: tuple[str, ...], key: str, make: Callable[[], ObjectCode]) -> ObjectCode:
    """Return the disk's entry for `key`, or make(), which is then stored there.

    The entry also depends on the bytes of the files `sources`, and on the machine.
    """
    digest = sha256(f"{source_digest(sources)} {environment()}\n{key}".encode()).hexdigest()
    entry = disk_cache().load(digest)
    if entry is not None:
        stats.kernels_loaded += 1
        return entry
    entry = make()
    disk_cache().store(digest, entry)
    return entry


def _routine(name: str) -> tuple[str, Callable[[], Text]]:
    made = ROUTINES[name]  # straight code for 16 lanes: compiled quickly, it is as fast in half of the time
    return f"routine {name}", lambda: Text(module_for(made), (name,), tuple(sorted(needs_of(made))), brief=True)
