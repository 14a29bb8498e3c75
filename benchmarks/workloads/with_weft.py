"""The workloads in weft."""

from __future__ import annotations

from collections.abc import Callable

import weft
from benchmarks.workloads import Work, eager, inputs
from weft.ir.atoms.adjoints import adjoint
from weft.ir.graph.node import Node
from weft.runtime.memory.allocator import POOL
from weft.tensors.tensor import node_of, wrap


def forget() -> None:
    """Give back what is kept for reuse, so that a peak counts everything."""
    POOL.drop()


def b1(small: bool) -> Work:
    parts = [weft.asarray(a) for a in inputs.pieces(small)]
    total = 100 * len(parts)

    def ten(y: weft.Tensor, k: int) -> weft.Tensor:
        at = inputs.position(k, total)
        return y[at : at + 10]

    return Work(lambda: weft.concat(parts), lambda y, k: ten(y, k).numpy())


def b2(small: bool) -> Work:
    parts = [weft.asarray(a).translate(start) for start, a in inputs.boxes(20 if small else 200)]
    domain = weft.Domain((0,) * 3, (inputs.CUBE + inputs.BOX,) * 3)

    def read(y: weft.Tensor, k: int) -> object:
        at = inputs.corner(k)
        return y[at : at + 10, at : at + 10, at : at + 10].numpy()

    return Work(lambda: weft.overlay(parts, domain=domain, fill=0.0), read)


def b3(small: bool) -> Work:
    parts = [weft.asarray(a) for a in inputs.large(4, small)]
    return Work(lambda: weft.interleave(parts), lambda y, _: y.numpy())


def b4(small: bool) -> Work:
    parts = [weft.asarray(a) for a in inputs.large(4, small)]
    return Work(lambda: weft.sum(weft.interleave(parts)[::4]), lambda y, _: y.numpy())


def b5(small: bool) -> Work:
    parts = [weft.asarray(a) for a in inputs.large(8, small)]

    def build() -> weft.Tensor:
        c = weft.pad(weft.flip(weft.concat(parts)), 1000)
        return weft.sum(weft.where(c > 0.5, 2 * c + 1, 0))

    return Work(build, lambda y, _: y.numpy())


def b9_views(small: bool) -> Work:
    x = weft.asarray(inputs.cells(4096)).reshape((64, 64))

    def build() -> weft.Tensor:
        y = x
        for _ in range(2 if small else 250):
            y = weft.flip(y, axis=0).T[::-1][:, 0:64]
        return y

    return Work(build, lambda y, _: weft.copy(y).numpy())


def b9_tree(small: bool) -> Work:
    leaves = inputs.tree(small)
    tensors = [[weft.asarray(a) for a in branch] for branch in leaves]
    total = 10 * sum(map(len, leaves))

    def build() -> weft.Tensor:
        return weft.concat([weft.concat([weft.flip(t[5:15], axis=0) for t in branch]) for branch in tensors])

    def read(y: weft.Tensor, k: int) -> object:
        at = k * 7919 % (total // 10) * 10
        return y[at : at + 10].numpy()

    return Work(build, read)


def _gradient(view: weft.Tensor, x: weft.Tensor) -> weft.Tensor:
    """Return the gradient of half the sum of a view's squares: the view's adjoint, applied to the view."""
    node, wanted = node_of(view), node_of(x)
    return wrap(_through(node, node, wanted))


def _through(node: Node, g: Node, wanted: Node) -> Node:
    """The gradient for `wanted` (met once on every path, the first) of a chain of selections."""
    while node is not wanted:
        found = adjoint(node, g)
        k = next(k for k, i in enumerate(node.inputs) if found[k] is not None)
        node, g = node.inputs[k], found[k]  # type: ignore[assignment]
    return g


def _grads(view: object) -> object:
    def made(small: bool) -> Work:
        x = weft.asarray(inputs.cells(inputs.MEGABYTES_64 // (1024 if small else 1)))
        return Work(lambda: _gradient(view(x), x), lambda y, _: y.numpy())  # type: ignore[operator]

    return made


b13_windows = _grads(lambda x: weft.sliding_window_view(x, 4, axis=0))
b13_concat = _grads(lambda x: weft.concat([x, weft.zeros(1000, dtype=weft.float32)]))
b13_interleave = _grads(lambda x: weft.interleave([x, x * 2]))
b13_reflect = _grads(lambda x: weft.pad(x, 1000, mode="reflect"))


def _written(tree: Callable[[list[weft.Tensor]], weft.Tensor]) -> Callable[[bool], Work]:
    """Write 64 MB through a tree over four vectors of 16 MB; what is looked at are some cells of all."""

    def made(small: bool) -> Work:
        arrays, value = inputs.targets(small)
        parts, given = [weft.asarray(a) for a in arrays], weft.asarray(value)

        def write(_: int) -> object:
            weft.assign(tree(parts), given)
            return inputs.sample(arrays)

        return eager(write)

    return made


b15_concat = _written(weft.concat)
b15_interleave = _written(weft.interleave)
b15_flipped = _written(lambda parts: weft.flip(weft.concat(parts)))
