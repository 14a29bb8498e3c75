"""From LLVM text to addresses of machine code, through the caches in memory and on disk.

The one idea: code is asked for by a key that determines it; only when neither this process nor the disk knows the key
is the text emitted and compiled.  Routines outside kernels are code of their own, linked by address.  LLVM itself is
loaded at the first request, and linked code is never unloaded: threads may stand in it until the process ends.  LLVM's
objects do not outlive an exception between any two of their steps, so no interrupt may reach them: see `apart`.
"""

from __future__ import annotations

import _thread
import atexit
import ctypes
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any, TypeVar, cast

from weft.backends.llvm.builder import ROUTINES
from weft.backends.llvm.cache import Entry, disk_cache, emitter_digest
from weft.backends.llvm.math.library import module_for, needs_of
from weft.backends.llvm.target import TARGET
from weft.runtime.fork_safety import held_over_forks, importing

T = TypeVar("T")


@dataclass(slots=True)
class Stats:
    """Counters of this process, for profiles."""

    kernels_compiled: int = 0  # texts that LLVM compiled, routines included
    kernels_loaded: int = 0  # entries taken from disk
    seconds: float = 0.0  # spent emitting, compiling, loading and linking


@dataclass(frozen=True, slots=True)
class Text:
    """LLVM text that defines `symbols` and calls the routines `needs`."""

    source: str
    symbols: tuple[str, ...]
    needs: tuple[str, ...] = ()


stats = Stats()
_lock = held_over_forks(threading.RLock(), inner=True)  # a child could not finish another's work
_linked: dict[str, Mapping[str, int]] = {}
_numbers = count()


def code(key: str, emit: Callable[[], Text]) -> Mapping[str, int]:
    """Addresses by symbol of the code that `emit` describes; equal keys must mean equal text."""
    found = _linked.get(key)
    return found if found is not None else _get(key, emit)


_UNDER_WAY: list[_thread.LockType] = []  # each is held until some work is done


@atexit.register
def _end() -> None:
    """The interpreter does not end while the compiler is at work."""
    for done in list(_UNDER_WAY):
        done.acquire()


def apart(work: Callable[[], T]) -> T:
    """Do work that no signal handler may break off: in a thread of its own, since handlers run in the main thread.

    The main thread may leave before the work is done, with a handler's exception; the work goes on to its end.  The
    thread is a bare one: what is Python code in the start of a `threading.Thread` may be left with a lock held.
    """
    if threading.get_ident() != threading.main_thread().ident or sys.is_finalizing():
        return work()  # an interpreter that ends starts threads that never run
    outcome: list[tuple[T | None, BaseException | None]] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        _UNDER_WAY.append(done)
        try:
            outcome.append((work(), None))
        except BaseException as e:  # for whoever asked
            outcome.append((None, e))
        finally:
            _UNDER_WAY.remove(done)
            done.release()

    try:
        _thread.start_new_thread(run, ())
    except RuntimeError:  # the system gives no thread
        return work()
    done.acquire()
    value, error = outcome[0]
    if error is not None:
        raise error
    return cast(T, value)


def _get(key: str, emit: Callable[[], Text]) -> Mapping[str, int]:
    return apart(lambda: _made(key, emit))


def _made(key: str, emit: Callable[[], Text]) -> Mapping[str, int]:
    with _lock:
        if key in _linked:
            return _linked[key]
        started = time.perf_counter()
        digest = sha256(f"{environment()}\n{key}".encode()).hexdigest()
        entry = disk_cache().load(digest)
        if entry is None:
            entry = compile_text(emit())
            stats.kernels_compiled += 1
            disk_cache().store(digest, entry)
        else:
            stats.kernels_loaded += 1
        _linked[key] = made = link(entry)
        stats.seconds += time.perf_counter() - started
        return made


def routine(name: str) -> int:
    """The address of an out-of-line routine (see `text.routine`)."""
    made = ROUTINES[name]
    return code(f"routine {name}", lambda: Text(module_for(made), (name,), tuple(sorted(needs_of(made)))))[name]


def compile_text(text: Text) -> Entry:
    """Object code for this machine."""
    llvm = binding()
    module = llvm.parse_assembly(text.source)
    module.verify()  # invalid text would end the process in the code generator
    return Entry(bytes(machine().emit_object(module)), text.symbols, text.needs)


def link(entry: Entry) -> Mapping[str, int]:
    """Load object code; routines it needs are found by address, C and CPython functions by name in this process."""
    builder = binding().JITLibraryBuilder().add_object_img(entry.code).add_current_process()
    for name in entry.needs:
        builder.import_symbol(name, routine(name))
    for symbol in entry.symbols:
        builder.export_symbol(symbol)
    library = builder.link(engine(), f"weft{next(_numbers)}")
    _immortal(library)
    return {symbol: library[symbol] for symbol in entry.symbols}


def _immortal(thing: object) -> None:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


# ---- LLVM, at first use
@cache
def binding() -> Any:
    """llvmlite's binding, with the native target ready."""
    with importing():
        import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def cpu() -> tuple[str, str]:
    """This machine's CPU name and features, as LLVM spells them."""
    llvm = binding()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def is_supported() -> bool:
    """Whether this CPU is one that kernels are written for (x86-64-v3, ARMv8)."""

    def look() -> bool:
        return TARGET.features is not None and TARGET.features <= features()

    return apart(look)


def features() -> set[str]:
    """The features that this CPU has."""
    return {f[1:] for f in cpu()[1].split(",") if f.startswith("+")}


def new_machine() -> Any:
    """A code generator for this CPU."""
    name, features = cpu()
    target = binding().Target.from_default_triple()
    return target.create_target_machine(opt=2, cpu=name, features=features, jit=True)


@cache
def machine() -> Any:
    """The code generator that compiles."""
    return new_machine()


@cache
def engine() -> Any:
    """The linker that all code is loaded by."""
    made = binding().create_lljit_compiler(new_machine())
    _immortal(made)
    return made


@cache
def environment() -> str:
    """What beside its key determines compiled code."""
    import llvmlite

    llvm = binding()
    versions = f"{emitter_digest()} {llvmlite.__version__} {'.'.join(map(str, llvm.llvm_version_info))}"
    return f"{versions} {llvm.get_process_triple()} {' '.join(cpu())}"
