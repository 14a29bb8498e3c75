"""The workloads in JAX, compiled; compiling is done before anything is timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.workloads import Work, eager, inputs


def _compiled(function: Callable[..., Any], arrays: list[np.ndarray]) -> Work:
    tensors = [jnp.asarray(a) for a in arrays]
    jitted = jax.jit(function)
    return eager(lambda _: jitted(*tensors).block_until_ready())


def b3(small: bool) -> Work:
    return _compiled(lambda *xs: jnp.stack(xs, axis=1).reshape(-1), inputs.large(4, small))


def b4(small: bool) -> Work:
    return _compiled(lambda *xs: jnp.stack(xs, axis=1).reshape(-1)[::4].sum(), inputs.large(4, small))


def b5(small: bool) -> Work:
    def compute(*xs: Any) -> Any:
        c = jnp.pad(jnp.flip(jnp.concatenate(xs)), 1000)
        return jnp.where(c > 0.5, 2 * c + 1, 0).sum()

    return _compiled(compute, inputs.large(8, small))


def _grads(view: Callable[[Any], Any]) -> Callable[[bool], Work]:
    def made(small: bool) -> Work:
        x = inputs.cells(inputs.MEGABYTES_64 // (1024 if small else 1))
        return _compiled(jax.grad(lambda x: (view(x) ** 2).sum() / 2), [x])

    return made


b13_windows = _grads(lambda x: jnp.stack([x[k : x.size - 3 + k] for k in range(4)], axis=1))
b13_concat = _grads(lambda x: jnp.concatenate([x, jnp.zeros(1000, jnp.float32)]))
b13_reflect = _grads(lambda x: jnp.pad(x, 1000, mode="reflect"))
