"""Loops in Numba, for the rows whose users would write loops.

The one idea: the outer loop is parallel, the rest is what one would write in C.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

_jit = njit(parallel=True, cache=True)


@_jit
def options(s, k, t):
    out = np.empty_like(s)
    for i in prange(s.size):
        v = 0.3 * math.sqrt(t[i])
        d = (math.log(s[i] / k[i]) + (0.02 + 0.045) * t[i]) / v
        e = d - v
        up = 1 / (1 + math.exp(-1.5976 * d - 0.070565992 * d * d * d))
        down = 1 / (1 + math.exp(-1.5976 * e - 0.070565992 * e * e * e))
        out[i] = s[i] * up - k[i] * math.exp(-0.02 * t[i]) * down
    return out


@_jit
def bodies(p, m):
    out = np.zeros_like(p)
    for i in prange(len(p)):
        for j in range(len(p)):
            x, y, z = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2]
            r = x * x + y * y + z * z + 0.01
            f = m[j] / (r * math.sqrt(r))
            out[i, 0] += x * f
            out[i, 1] += y * f
            out[i, 2] += z * f
    return out


@_jit
def mandelbrot(x, y):
    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            a, b, n = x[i, j], y[i, j], 0
            while n < 20 and a * a + b * b < 4:
                a, b, n = a * a - b * b + x[i, j], 2 * a * b + y[i, j], n + 1
            out[i, j] = n
    return out


@_jit
def clusters(x, c):
    out = np.empty(len(x), np.int64)
    for i in prange(len(x)):
        best = np.inf
        for k in range(len(c)):
            d = x.dtype.type(0)
            for j in range(x.shape[1]):
                d += (x[i, j] - c[k, j]) ** 2
            if d < best:
                best, out[i] = d, k
    return out


@_jit
def jacobi(u):
    n, m = u.shape
    out = np.empty((n - 2, m - 2), u.dtype)
    quarter = u.dtype.type(0.25)
    for i in prange(n - 2):
        for j in range(m - 2):
            out[i, j] = quarter * (u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + u[i + 1, j + 2])
    return out


@_jit
def life(x):
    n, m = x.shape
    out = np.empty_like(x)
    for i in prange(n):
        up, down = (i - 1) % n, (i + 1) % n
        for j in range(m):
            left, right = (j - 1) % m, (j + 1) % m
            near = x[up, left] + x[up, j] + x[up, right] + x[i, left] + x[i, right]
            near += x[down, left] + x[down, j] + x[down, right]
            out[i, j] = near == 3 or (near == 2 and x[i, j] == 1)
    return out
