"""Factorisations and solvers: LAPACK by NumPy, over stacks of matrices.

The one idea: a routine with several results writes them side by side, as one row of cells per matrix, and the results
are views of the row; so each matrix is factored once.  Real results among complex ones are stored with an imaginary
part of zero.  If LAPACK refuses a stack, its matrices are tried one by one, and the error names the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from weft.backends.calls.cells import dense, store_rounded, wide
from weft.backends.thread_counts import one_library_thread
from weft.errors import LinAlgError
from weft.runtime.deterministic import is_deterministic

Function = Callable[..., Any]
Routine = Callable[[np.ndarray, Sequence[np.ndarray], tuple[Any, ...]], None]
_REFUSED = {
    "cholesky": ("is not positive definite", "it has no such factor; add to its diagonal, or take eigh() or qr()"),
    "inv": ("is singular", "it has no inverse; take pinv(), or add to its diagonal"),
    "solve": ("is singular", "there is not one solution; take pinv(a) @ b, or add to its diagonal"),
    "svd": ("has no singular values that were found", "the iteration does not converge; look for NaN and inf in it"),
    "eigh": ("has no eigenvalues that were found", "the iteration does not converge; look for NaN and inf in it"),
    "eig": ("has no eigenvalues that were found", "the iteration does not converge; look for NaN and inf in it"),
}
_REFUSED |= {"svdvals": _REFUSED["svd"], "eigvalsh": _REFUSED["eigh"], "eigvals": _REFUSED["eig"]}


def _computed(name: str, function: Function, *args: np.ndarray) -> Any:
    """Return function(*args), with operands converted to dtypes and layouts that LAPACK supports.

    Raises LinAlgError, which names the operation and the first matrix that LAPACK refuses.
    """
    ready = [dense(wide(a)) for a in args]
    try:
        with one_library_thread() if is_deterministic() else nullcontext():
            return function(*ready)
    except np.linalg.LinAlgError as error:
        raise _refusal(name, function, ready) from error


def _refusal(name: str, function: Function, args: Sequence[np.ndarray]) -> LinAlgError:
    """Return the LinAlgError of operation `name` for operands that LAPACK has refused, naming the first such matrix.

    The matrix is found by calling `function` on one after the other.
    """
    fact, rest = _REFUSED[name]
    lead = np.broadcast_shapes(*[a.shape[:-2] for a in args])
    stacks = [np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in args]
    which = ""
    for at in np.ndindex(*lead) if lead else ():
        try:
            function(*[s[at] for s in stacks])
        except np.linalg.LinAlgError:
            which = f" {at[0] if len(at) == 1 else at} of the stack of shape {stacks[0].shape}"
            break
    shape = "" if which else f" of shape {args[0].shape}"
    return LinAlgError(f"{name}: matrix{which}{shape} {fact}; {rest}", name)


def _packed(name: str, function: Function, *tails: int) -> Routine:
    """Return the routine `name`, which writes the results of `function` side by side along the last axis.

    Result i has tails[i] axes for one matrix; attrs are further arguments of the function. The routine raises
    LinAlgError for a matrix that LAPACK refuses.
    """

    def routine(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
        at, lead = 0, out.shape[:-1]
        parts = _computed(name, lambda *matrices: function(*matrices, *attrs), *args)
        for part, tail in zip(parts, tails, strict=True):
            size = int(np.prod(part.shape[part.ndim - tail :], dtype=np.int64))
            store_rounded(out[..., at : at + size], part.reshape((*lead, size)))
            at += size

    routine.__name__ = name
    return routine


def _single(name: str, function: Function) -> Routine:
    """Return the routine `name`, which writes function(*operands, *attrs) of every matrix to its output.

    The routine raises LinAlgError for a matrix that LAPACK refuses.
    """

    def routine(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
        store_rounded(out, _computed(name, lambda *matrices: function(*matrices, *attrs), *args))

    routine.__name__ = name
    return routine


def _numbers(values: np.ndarray) -> np.ndarray:
    """Return `values`, the singular values, unchanged.

    Raises NumPy's LinAlgError if some are NaN.
    """
    if np.isnan(values).any():
        raise np.linalg.LinAlgError
    return values


def _svd(x: np.ndarray, full: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (u, singular values, v*) of matrices; with `full`, u and v* are square.

    Raises NumPy's LinAlgError if singular values are NaN.
    """
    u, s, vh = np.linalg.svd(x, full_matrices=full)
    return u, _numbers(s), vh


def slogdet(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the sign of every determinant, and the logarithm of its magnitude, to out[..., 0] and out[..., 1].

    `args` is the stack of matrices, `attrs` is empty.
    """
    sign, logarithm = _computed("slogdet", np.linalg.slogdet, *args)
    store_rounded(out[..., 0], np.asarray(sign))
    store_rounded(out[..., 1], np.asarray(logarithm))


cholesky = _single("cholesky", lambda x, upper: np.linalg.cholesky(x, upper=upper))
det = _single("det", np.linalg.det)
inv = _single("inv", np.linalg.inv)
solve = _single("solve", np.linalg.solve)
eigvalsh = _single("eigvalsh", np.linalg.eigvalsh)
eigvals = _single("eigvals", np.linalg.eigvals)
svdvals = _single("svdvals", lambda x: _numbers(np.linalg.svdvals(x)))
qr = _packed("qr", np.linalg.qr, 2, 2)  # attrs (mode,)
eigh = _packed("eigh", np.linalg.eigh, 1, 2)  # eigenvalues, ascending, and eigenvectors; of the lower triangle
eig = _packed("eig", np.linalg.eig, 1, 2)
svd = _packed("svd", _svd, 2, 1, 2)  # u, singular values and v*; attrs (full_matrices,)
