"""Records of int64 words: the rows of numbers that drivers, the thread pool and the entry read.

The one idea: a record is a row of named 8-byte words, with the same names on the Python side; in native code
`record["n"]` loads a word and `record["n"] = v` stores one.
"""

from __future__ import annotations

import struct

from weft.backends.llvm.emit.builder import Builder
from weft.backends.llvm.emit.values import Number, Type, Value


class WordLayout(dict[str, int]):
    """The positions of a record's words, by name; `pointers` are the names of words that hold addresses."""

    def __init__(self, names: str) -> None:
        words = names.split()
        super().__init__((name.removesuffix("*"), k) for k, name in enumerate(words))
        self.pointers = frozenset(name[:-1] for name in words if name.endswith("*"))


def layout(names: str) -> WordLayout:
    """Return the layout of a record whose words have these names, in order; a star marks an address.

    >>> layout("run* units")
    {'run': 0, 'units': 1}
    """
    return WordLayout(names)


def filled(places: dict[str, int], **numbers: int) -> list[int]:
    """Return the words of a record with the given numbers by name, and 0 for all other names of `places`.

    `places` maps each name to the index of its word.
    """
    words = [0] * len(places)
    for name, number in numbers.items():
        words[places[name]] = number
    return words


def double_bits(x: float) -> int:
    """Return the int64 with the bits of a double.

    >>> hex(double_bits(1.0))
    '0x3ff0000000000000'
    """
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


class Words:
    """A record in memory at address `base`, read and written by emitted code."""

    def __init__(self, b: Builder, base: Value, places: WordLayout) -> None:
        self.b, self.base, self.places = b, base, places

    def __getitem__(self, name: str) -> Value:
        return word(self.b, self.base, self.places[name], "ptr" if name in self.places.pointers else "i64")

    def __setitem__(self, name: str, v: Value | Number) -> None:
        store_word(self.b, v, self.base, self.places[name])

    def real(self, name: str) -> Value:
        """Return the word `name`, with its bits read as a double."""
        return word(self.b, self.base, self.places[name], "double")

    @property
    def end_address(self) -> Value:
        """Return the address directly after the record."""
        return self.b.gep(self.base, len(self.places), "i64")


def word(b: Builder, p: Value, k: Value | int, elem: str = "i64") -> Value:
    """Return p[k], a word or another 8-byte element; p is the address of a row of words."""
    return b.load(elem, b.gep(p, k, "i64"), 8)


def store_word(b: Builder, v: Value | Number, p: Value, k: Value | int) -> None:
    """Emit the assignment p[k] = v to a word."""
    b.store(v if isinstance(v, Value) else b.const("i64", v), b.gep(p, k, "i64"), 8)


# ---- words that threads share
def added(b: Builder, p: Value, k: int, n: Value | int) -> Value:
    """Emit an atomic p[k] += n; return the value of p[k] before the addition."""
    n = b.coerce(n, Type("i64"))
    return b.value("i64", f"atomicrmw add ptr {b.gep(p, k, 'i64').name}, i64 {n.name} acq_rel, align 8")


def exchanged(b: Builder, p: Value, k: int, old: int, new: int) -> Value:
    """Emit an atomic replacement of p[k] by `new`, made only if it equals `old`.

    Returns an i1, true if it was replaced. Later loads see the stores that another thread made before it announced the
    word that was found.
    """
    at = b.gep(p, k, "i64")
    pair = b.value("{ i64, i1 }", f"cmpxchg ptr {at.name}, i64 {old}, i64 {new} acq_rel acquire, align 8")
    return b.value("i1", f"extractvalue {{ i64, i1 }} {pair.name}, 1")


def watched(b: Builder, p: Value, k: int) -> Value:
    """Return p[k], loaded atomically.

    Later loads see the stores that another thread made before it announced this word.
    """
    return b.value("i64", f"load atomic i64, ptr {b.gep(p, k, 'i64').name} acquire, align 8")


def announce(b: Builder, v: int, p: Value, k: int) -> None:
    """Emit an atomic store of the number v to p[k], after all earlier stores of this thread."""
    b.emit(f"store atomic i64 {v}, ptr {b.gep(p, k, 'i64').name} release, align 8")
