"""Functions of one entry over a batch: `weft.vmap` compiled, beside PyTorch's and JAX's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import weft
from benchmarks import peers
from benchmarks.timing import best_of, table

Run = Callable[[], object]
ENTRIES, INPUTS, OUTPUTS = 128, 256, 64
BAR = "1.5x"  # of the better peer


def main(threads: int, only: str = "") -> None:
    """Print the table for a number of threads."""
    weft.set_num_threads(threads)
    peers.set_threads(threads)
    rng = np.random.default_rng(0)
    shapes = (ENTRIES, INPUTS), (ENTRIES, OUTPUTS), (INPUTS, OUTPUTS)
    arrays = tuple([rng.normal(size=shape).astype("float32") for shape in shapes])
    cases = {"gradients of a layer for each sample": _gradients, "distances of all pairs": _distances}
    rows = [_row(name, case(*arrays)) for name, case in cases.items() if only in name]
    if rows:
        title = f"functions over batches, {threads} threads, milliseconds"
        table(title, ["", "weft", "torch.func", "jax.jit", "bar"], rows)


def _row(name: str, runs: dict[str, Run]) -> list[str]:
    best = best_of(runs)
    return [name, *[f"{best[k] * 1e3:.2f}" if k in best else "-" for k in ("weft", "torch", "jax.jit")], BAR]


def _gradients(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> dict[str, Run]:
    ours = weft.asarray(w / 16).requires_grad_()

    def gradient(x: Any, y: Any) -> Any:
        return weft.autograd.grad(((weft.tanh(x @ ours) - y) ** 2).mean(), ours)[0]

    step, given = weft.compile(weft.vmap(gradient)), (weft.asarray(x), weft.asarray(y))
    runs: dict[str, Run] = {"weft": lambda: step(*given)}
    if (torch := peers.torch) is not None:
        loss = lambda w, x, y: ((torch.tanh(x @ w) - y) ** 2).mean()  # noqa: E731
        theirs = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
        tensors = [torch.from_numpy(a) for a in (w / 16, x, y)]
        runs["torch"] = lambda: theirs(*tensors)
    if (jax := peers.jax) is not None:
        jnp = jax.numpy
        jitted = jax.jit(jax.vmap(jax.grad(lambda w, x, y: ((jnp.tanh(x @ w) - y) ** 2).mean()), in_axes=(None, 0, 0)))
        leaves = [jnp.asarray(a) for a in (w / 16, x, y)]
        runs["jax.jit"] = lambda: jitted(*leaves).block_until_ready()
    return runs


def _distances(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> dict[str, Run]:
    def pairs(vmap: Any) -> Callable[[Any], Any]:
        return lambda a: vmap(lambda one: vmap(lambda other: ((one - other) ** 2).sum())(a))(a)

    ours, given = weft.compile(pairs(weft.vmap)), weft.asarray(x)
    runs: dict[str, Run] = {"weft": lambda: ours(given)}
    if peers.torch is not None:
        theirs, tensor = pairs(peers.torch.func.vmap), peers.torch.from_numpy(x)
        runs["torch"] = lambda: theirs(tensor)
    if peers.jax is not None:
        runs |= peers.jax_runs(pairs(peers.jax.vmap), (x,))
    return runs
