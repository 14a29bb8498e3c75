"""A QR factorisation by modified Gram-Schmidt, with results that differ in device, dtype and byte order.

The one idea: where a result lies and how is the destination's matter.  Q is a big-endian float64 tensor on the CPU, R a
float32 tensor on another device; columns and rows of both are written through slices, and every product is computed
where its first operand lies.  Run `python examples/qr.py`, or with the name of a device: `python examples/qr.py cpu`.
"""

# ruff: noqa: T201  (what is found is printed)

from __future__ import annotations

import sys

import weft

N = 5


def matrix() -> weft.Tensor:
    """A[i, j] = i + 5j, and 10 more on the diagonal."""
    return weft.reshape(weft.arange(N * N, dtype=weft.float64), (N, N)).T + 10 * weft.eye(N)


def gram_schmidt(a: weft.Tensor, q: weft.Tensor, r: weft.Tensor) -> None:
    """Write orthonormal columns into q and a triangle into r, such that q @ r is a."""
    q[...] = a
    r[...] = 0
    for k in range(N):
        column = q[:, k]
        length = weft.sqrt(column.T @ column)[0]  # of a vector, .T is one row
        r[k, k] = length
        column /= length
        for j in range(k + 1, N):
            share = column @ q[:, j]
            r[k, j] = share
            q[:, j] -= share * column


def main(device: str = "thread:0") -> tuple[weft.Tensor, weft.Tensor]:
    """Factor the matrix, print the factors and check them."""
    a = matrix()
    q = weft.zeros((N, N), dtype=">f8", device=weft.cpu)
    r = weft.zeros((N, N), dtype=weft.float32, device=device)
    gram_schmidt(a, q, r)
    print(f"Q = {q!r}\n\nR = {r!r}\n")

    off = weft.linalg.matrix_norm(q.T @ q - weft.eye(N))
    left = weft.linalg.matrix_norm(a - q @ r)
    print(f"R[0, 0] = {r[0, 0].item():.5f}, R[4, 4] = {r[4, 4].item():.5f}")
    print(f"norm(Qᵀ·Q - I) = {off.item():.2e}, norm(A - Q·R) = {left.item():.2e}")

    assert (q.byteorder, q.dtype, q.device) == ("big", weft.float64, "cpu")
    assert (r.dtype, r.device) == (weft.float32, device)
    assert abs(r[0, 0].item() - 11.40175) < 5e-6
    assert abs(r[4, 4].item() - 11.18034) < 5e-6
    assert off.item() < 1e-14, "the columns of Q are orthonormal to the precision of float64"
    assert left.item() < 4e-6, "R is rounded to float32"
    return q, r


if __name__ == "__main__":
    main(*sys.argv[1:])
