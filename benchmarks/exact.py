"""Bytes that are read for few cells of a file: selections through composites, and raw stores.

The one idea: what a process reads is what the system counts (`rchar` of /proc/self/io), the same for every library;
asking for the same cells with everything already open leaves only the cells.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import weft
from benchmarks.timing import best_of, table

Read = Callable[[], object]
SIDE, LARGE = 1000, 4096

VIEWS: dict[str, tuple[Callable[[weft.Tensor], weft.Tensor], Callable[[np.ndarray], np.ndarray]]] = {
    "slice": (lambda x: x, lambda a: a),
    "flip": (lambda x: weft.flip(x), lambda a: np.flip(a)),
    "transpose": (lambda x: x.T, lambda a: a.T),
    "stride 3": (lambda x: x[::3, ::3], lambda a: a[::3, ::3]),
    "reflect pad": (lambda x: weft.pad(x, 50, mode="reflect"), lambda a: np.pad(a, 50, mode="reflect")),
    "where": (lambda x: weft.where(x >= 0, x, -x), lambda a: np.where(a >= 0, a, -a)),
    "stack": (lambda x: weft.stack([x, x + 1])[0], lambda a: a),
    "interleave": (lambda x: weft.interleave([x, x])[::2], lambda a: a),
    "broadcast": (lambda x: weft.broadcast_to(x, (4, *x.shape))[2], lambda a: a),
    "concat": (lambda x: weft.concat([x, x], axis=1)[:, 300:], lambda a: np.concatenate([a, a], axis=1)[:, 300:]),
    "x + 1": (lambda x: x + 1, lambda a: a + 1),
}


def main() -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory() as name:
        _views(Path(name))
        _stores(Path(name))


def _read_by_this_process() -> int:
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["rchar"])


def bytes_of(read: Read) -> int:
    """Return the bytes that a call reads, without those of reading the counter."""
    read()
    looking = -_read_by_this_process() + _read_by_this_process()
    before = _read_by_this_process()
    read()
    return _read_by_this_process() - before - looking


def _views(folder: Path) -> None:
    array = np.random.default_rng(0).random((SIDE, SIDE), dtype=np.float32)
    np.save(folder / "x.npy", array)
    file = weft.open(folder / "x.npy")
    rows = []
    for name, (ours, theirs) in VIEWS.items():
        view = ours(file)

        def read(view: weft.Tensor = view) -> np.ndarray:
            return (view[20:30, 45:55] * 1).numpy()

        assert np.array_equal(read(), theirs(array)[20:30, 45:55]), name
        sources = sum(s.bytes for s in weft.explain(view[20:30, 45:55] * 1).sources)
        rows.append([name, str(bytes_of(read)), str(sources), "400"])
    table(
        "B10: bytes read for 10 x 10 cells of a float32 file of 1000 x 1000", ["view", "read", "explained", "bar"], rows
    )


SLICES = {
    "a row": (slice(1234, 1235), slice(None)),
    "a column": (slice(None), slice(1234, 1235)),
    "a block of 24 x 24": (slice(1000, 1024), slice(777, 801)),
    "every 64th both ways": (slice(None, None, 64), slice(None, None, 64)),
}


def _stores(folder: Path) -> None:
    array = np.random.default_rng(0).random((LARGE, LARGE), dtype=np.float32)
    rows = []
    readers = _readers(folder, array)
    for name, key in SLICES.items():
        asked = array[key].nbytes
        reads = {k: (lambda make=make, key=key: make(key)) for k, make in readers.items()}
        for library, read in reads.items():
            assert np.array_equal(read(), array[key]), library
        best = best_of(reads, 5)
        for library, read in reads.items():
            found = bytes_of(read)
            rows.append([name, library, str(asked), str(found), f"{found / asked:.2f}", f"{best[library] * 1e3:.3f}"])
    head = ["cells", "library", "asked", "read", "times", "ms"]
    table("B11: bytes read of raw stores of 4096 x 4096 float32, chunks of 512 x 512 (bar 1.0 to 1.1)", head, rows)


def _readers(folder: Path, array: np.ndarray) -> dict[str, Callable[[tuple[slice, ...]], np.ndarray]]:
    """Functions from a key to cells."""
    np.save(folder / "y.npy", array)
    npy = weft.open(folder / "y.npy")
    out = {"weft, npy": lambda key: (npy[key] * 1).numpy()}
    if importlib.util.find_spec("zarr") is None:
        return out
    import zarr

    store = str(folder / "y.zarr")
    made = zarr.create_array(store, shape=array.shape, chunks=(512, 512), dtype="float32", compressors=None)
    made[...] = array
    chunks = weft.open(store)
    out["weft, zarr"] = lambda key: (chunks[key] * 1).numpy()
    theirs = zarr.open_array(store, mode="r")
    out["zarr"] = lambda key: np.asarray(theirs[key])
    if importlib.util.find_spec("tensorstore") is not None:
        import tensorstore as ts

        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": store}}
        opened = ts.open(spec).result()
        out["tensorstore"] = lambda key: opened[key].read().result()
    return out


if __name__ == "__main__":
    main()
