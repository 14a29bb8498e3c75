"""The peers that are installed: numexpr, PyTorch eager and compiled, JAX; NumPy is always there.

The one idea: a peer is a function from a case's source to a callable; what is not installed is left out of the table.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np

Maker = Callable[..., Callable[[], object]]


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


torch = _optional("torch")
if torch is not None:
    torch._dynamo.config.recompile_limit = 64  # one lambda serves many cases
numexpr = _optional("numexpr")
os.environ.setdefault("JAX_ENABLE_X64", "1")
jax = _optional("jax")


def set_threads(n: int) -> None:
    """The same number of threads for every peer (JAX has no switch of its own and is measured at 2 threads only)."""
    if torch is not None:
        torch.set_num_threads(n)
    if numexpr is not None:
        numexpr.set_num_threads(n)


def torch_runs(function: Callable[..., Any], arrays: tuple[np.ndarray, ...]) -> dict[str, Callable[[], object]]:
    """PyTorch eager and compiled, where it is installed."""
    if torch is None:
        return {}
    tensors = [torch.from_numpy(a) for a in arrays]
    compiled = torch.compile(function)
    return {"torch": lambda: function(*tensors), "torch.compile": lambda: compiled(*tensors)}


def jax_runs(function: Callable[..., Any], arrays: tuple[np.ndarray, ...]) -> dict[str, Callable[[], object]]:
    """jax.jit, where it is installed."""
    if jax is None:
        return {}
    tensors = [jax.numpy.asarray(a) for a in arrays]
    compiled = jax.jit(function)
    return {"jax.jit": lambda: compiled(*tensors).block_until_ready()}


def numexpr_runs(source: str, names: dict[str, np.ndarray]) -> dict[str, Callable[[], object]]:
    """numexpr, where it is installed."""
    if numexpr is None:
        return {}
    return {"numexpr": lambda: numexpr.evaluate(source, local_dict=names)}
