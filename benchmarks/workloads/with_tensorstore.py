"""The workloads in TensorStore: concat, overlay and views; it computes nothing, and interleaves by an index array."""

from __future__ import annotations

import numpy as np
import tensorstore as ts

from benchmarks.workloads import Work, eager, inputs

MANY = 50  # layers: its grid of all borders takes minutes and gigabytes for 200


def _read(x: ts.TensorStore) -> np.ndarray:
    return x.read().result()


def b1(small: bool) -> Work:
    parts = [ts.array(a) for a in inputs.pieces(small)]
    total = 100 * len(parts)

    def read(y: ts.TensorStore, k: int) -> np.ndarray:
        at = inputs.position(k, total)
        return _read(y[at : at + 10])

    return Work(lambda: ts.concat(parts, axis=0), read)


def b2(small: bool) -> Work:
    parts = [ts.array(a).translate_by[start] for start, a in inputs.boxes(20 if small else MANY)]
    domain = inputs.CUBE + inputs.BOX

    def read(y: ts.TensorStore, k: int) -> np.ndarray:
        at = inputs.corner(k)
        return _read(y[at : at + 10, at : at + 10, at : at + 10])

    return Work(lambda: ts.overlay([ts.array(np.zeros((domain,) * 3, np.float32)), *parts]), read)


def b3(small: bool) -> Work:
    parts = [ts.array(a) for a in inputs.large(4, small)]
    return Work(lambda: ts.stack(parts, axis=1), lambda y, _: _read(y).reshape(-1))


def b9_views(small: bool) -> Work:
    x = ts.array(inputs.cells(4096).reshape(64, 64))

    def build() -> ts.TensorStore:
        y = x
        for _ in range(2 if small else 250):
            y = y[::-1].T[::-1][:, :].translate_to[0, 0]
        return y

    return Work(build, lambda y, _: _read(y))


def b9_tree(small: bool) -> Work:
    leaves = [[ts.array(a) for a in branch] for branch in inputs.tree(small)]
    total = 10 * sum(map(len, leaves))

    def build() -> ts.TensorStore:
        made = [[t[5:15][::-1].translate_to[0] for t in branch] for branch in leaves]
        return ts.concat([ts.concat(branch, axis=0) for branch in made], axis=0)

    def read(y: ts.TensorStore, k: int) -> np.ndarray:
        at = k * 7919 % (total // 10) * 10
        return _read(y[at : at + 10])

    return Work(build, read)


def b15_concat(small: bool) -> Work:
    arrays, value = inputs.targets(small)
    parts = [ts.array(a) for a in arrays]

    def write(_: int) -> np.ndarray:
        joined = ts.concat(parts, axis=0)
        joined.write(value).result()
        return np.concatenate([_read(p[::997]) for p in parts])

    return eager(write)
