"""Kernels read and write nothing beyond the cells they are given, wherever these lie, and give the reference's bits.

Arrays of random dtypes, shapes and strides lie at the very end, or the beginning, of memory between pages that nobody
may touch: a step beyond ends the process, so this runs in one of its own, which names every problem before it begins.
"""

from __future__ import annotations

import ctypes
import mmap
import random
import subprocess
import sys
from math import prod
from pathlib import Path

import numpy as np
import pytest

import weft
from tests.oracle.compare import both, same_bits
from tests.oracle.samples import takes, values
from tests.shares import examples
from weft import dtypes as dt
from weft.backends.llvm.folds.product_tables import multiply
from weft.interop.imports import share
from weft.ir.graph.ops import OPS, ROWS
from weft.tensors.tensor import node_of

ROOT = Path(__file__).parents[2]
SIZE, PAGES = 1 << 23, 4 * mmap.PAGESIZE  # bytes between the forbidden pages, and of these
SIZES = [n + k for n in (1, 8, 16, 32, 64, 128, 1024, 8192, 32768) for k in (-1, 0, 1)]
REDUCTIONS = [row.name for row in ROWS if row.kind == "reduce" and hasattr(weft, row.name)]
POSITIONS = ("argmin", "argmax")


def _fenced() -> np.ndarray:
    """SIZE bytes between protected pages."""
    pages = np.frombuffer(mmap.mmap(-1, SIZE + 2 * PAGES), np.uint8)
    for at in (0, PAGES + SIZE):
        address = ctypes.c_void_p(pages.ctypes.data + at)
        assert ctypes.CDLL(None).mprotect(address, ctypes.c_size_t(PAGES), 0) == 0
    return pages[PAGES : PAGES + SIZE]


def _strides(r: random.Random, shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    """Draw strides of cells that may have gaps, run backwards and have any order of axes, but do not overlap."""
    made, step = [0] * len(shape), item * r.choice([1, 1, 1, 2, 3])
    for a in r.sample(range(len(shape)), len(shape)):
        made[a] = step * r.choice([1, 1, 1, -1])
        step = step * max(shape[a], 1) + r.choice([0, 0, item, 1])
    return tuple(made)


def _placed(r: random.Random, memory: np.ndarray, dtype: dt.DType, shape: tuple[int, ...]) -> np.ndarray:
    """An array whose cells touch one end of the memory, or lie up to 63 bytes from it."""
    strides = _strides(r, shape, dtype.itemsize)
    spans = [s * (n - 1) for s, n in zip(strides, shape, strict=True)] if prod(shape) else []
    low, high = sum(min(s, 0) for s in spans), sum(max(s, 0) for s in spans) + dtype.itemsize
    gap = r.choice([0, 0, r.randrange(64)])
    start = SIZE - gap - high if r.random() < 0.7 else gap - low
    kind = dtype.np if dtype.extended or r.random() < 0.8 else dtype.np.newbyteorder(">")
    return np.ndarray(shape, kind, memory, start, strides)


def _shape(r: random.Random, most: int) -> tuple[int, ...]:
    while True:
        shape = tuple(
            r.choice(SIZES) if r.random() < 0.5 else r.randint(1, 9) for _ in range(r.choice([1, 1, 2, 2, 3]))
        )
        if prod(shape) <= most:
            return shape


def _reduced(r: random.Random, x: weft.Tensor) -> weft.Tensor:
    name = r.choice([n for n in REDUCTIONS if takes(OPS[n], x.dtype) and (prod(x.shape) or "m" not in n)])
    axes = r.sample(range(x.ndim), 1 if name in POSITIONS else r.randint(1, x.ndim))
    return getattr(weft, name)(x, axis=axes[0] if name in POSITIONS else tuple(axes))


def check(seed: int, memory: np.ndarray, target: np.ndarray) -> None:
    """A conversion, or a reduction of one, to new memory and into memory between forbidden pages."""
    r = random.Random(seed)
    source = r.choice(dt.ALL)
    other = r.choice([d for d in dt.ALL if d.kind == "complex" or source.kind != "complex"])
    cells = _placed(r, memory, source, _shape(r, SIZE // 128 // source.itemsize))
    cells[...] = values(source, cells.shape, seed)
    x = share(cells)
    y = weft.astype(x, other) if source.storage or r.random() < 0.5 else x
    if not y.dtype.storage and r.random() < 0.7:
        y = _reduced(r, y)
    sys.stdout.write(f"{seed} {cells.dtype} {cells.shape} {cells.strides} {y.dtype} {y.shape}\n")
    sys.stdout.flush()
    weft.set_num_threads(r.choice([1, 2]))
    native, expected = both(node_of(y))
    assert same_bits(native, expected)
    target[...] = 255
    there = _placed(r, target, y.dtype, y.shape)
    share(there)[...] = y
    assert same_bits(there.astype(y.dtype.np), expected)
    there.view(f"V{y.dtype.itemsize}")[...] = b"\xff" * y.dtype.itemsize
    assert (target == 255).all()


def check_product(seed: int, memory: np.ndarray, target: np.ndarray) -> None:
    """A product of matrices at edges of memory, and one that is written there."""
    r = random.Random(seed)
    m, k, n = (r.choice(SIZES[3:15]) if r.random() < 0.4 else r.randint(1, 40) for _ in range(3))
    dtype = r.choice([dt.float32, dt.float64])
    a, b = _placed(r, memory, dtype, (m, k)), _placed(r, target, dtype, (k, n))
    a[...], b[...] = (values(dtype, x.shape, seed + j) for j, x in enumerate((a, b)))
    sys.stdout.write(f"{seed} product {a.dtype} {a.shape} {a.strides} {b.shape} {b.strides}\n")
    sys.stdout.flush()
    found = (share(a) @ share(b)).numpy()
    left, right = a.astype(dtype.np), b.astype(dtype.np)
    memory[...] = 255
    there = np.ndarray((m, n), dtype.np, memory, (SIZE - m * n * dtype.itemsize) * r.randint(0, 1))
    multiply(there, left, right, ("C", "C"))
    assert np.array_equal(there, found, equal_nan=True)
    there.view(f"V{dtype.itemsize}")[...] = b"\xff" * dtype.itemsize
    assert (memory == 255).all()


def _run(first: int, count: int) -> None:
    done = subprocess.run([sys.executable, "-m", "tests.laws.test_edges_of_memory", str(first), str(count)],
                          capture_output=True, text=True, check=False, cwd=ROOT)  # fmt: skip
    assert done.returncode == 0, f"{done.returncode}: {done.stdout.splitlines()[-1:]} {done.stderr[-2000:]}"


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pages are forbidden by mprotect")


def test_nothing_beyond_the_cells_is_touched() -> None:
    _run(0, examples(120))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 9000, 1000))
def test_nothing_beyond_the_cells_of_many_arrays_is_touched(first: int) -> None:
    _run(first, 1000)


if __name__ == "__main__":
    here, there = _fenced(), _fenced()
    for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        check(number, here, there)
        check_product(number, here, there)
