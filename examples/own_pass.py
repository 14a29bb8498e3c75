"""A pass of one's own among those that make plans: it is added, looked at, timed, and left out again.

The one idea: a pass is a function of a plan in the making, and gives what stands for nodes.  This one writes
`exp(a) * exp(b)` as `exp(a + b)`: half the work for other last bits, which is for a user to decide, not for a library.
"""

# ruff: noqa: T201  (what is found is printed)

from __future__ import annotations

import io

import numpy as np

import weft


def exp_of_sums(draft):
    """exp(a) * exp(b) = exp(a + b)"""
    found = {}
    for n in draft.nodes:
        if n.op.name == "multiply" and all(i.op.name == "exp" for i in n.inputs):
            a, b = [weft.pipeline.tensor(i.inputs[0]) for i in n.inputs]
            found[n] = weft.exp(a + b)
    return found


def density(x: weft.Tensor, y: weft.Tensor) -> weft.Tensor:
    """The product of two bell curves."""
    return weft.exp(-x * x) * weft.exp(-y * y)


def main(n: int = 1_000_000) -> tuple[int, int, float]:
    """Count the exponentials without and with the pass, and find the largest difference of the results."""
    x, y = weft.asarray(np.linspace(-3, 3, n)), weft.asarray(np.linspace(0, 1, n))
    plain = weft.show(density(x, y), "kernel").count("exp(")
    first = density(x, y).numpy()
    text = io.StringIO()
    with weft.pipeline.added(exp_of_sums), weft.pipeline.dumped(text):
        fewer = weft.show(density(x, y), "kernel").count("exp(")
        second = density(x, y).numpy()
    print(text.getvalue().partition("---- fuse")[0])
    print(weft.pipeline)
    difference = float(np.abs(first - second).max())
    print(f"{plain} exponentials, {fewer} with the pass; results differ by {difference:.1e} at most")
    return plain, fewer, difference


if __name__ == "__main__":
    main()
