"""Make arrays: grids of coordinates, patterns, scales, one-hot labels and a sieve.

Written as for NumPy: only the import differs.  Each function returns its results; the tests compare them with NumPy's.
"""

import weft as np


def gaussian_on_a_grid():
    """Evaluate a function on a grid and find its largest value."""
    x = np.linspace(-3, 3, 121)
    y = np.linspace(-2, 2, 81)
    xx, yy = np.meshgrid(x, y)
    z = np.exp(-(xx**2 + yy**2)) * np.sin(3 * xx)
    row, column = np.unravel_index(np.argmax(z), z.shape)
    return z, z.max(), x[column], y[row]


def chessboard():
    """Fill every second field of a board."""
    board = np.zeros((8, 8), dtype=int)
    board[1::2, ::2] = 1
    board[::2, 1::2] = 1
    return board, board.sum(axis=0)


def frequency_scales():
    """Space frequencies evenly, logarithmically and geometrically."""
    return np.logspace(1, 4, 7), np.geomspace(20, 20000, 11), np.arange(0, 1, 0.1)


def one_hot_labels():
    """Turn class numbers into rows of an identity matrix, and back."""
    labels = np.array([2, 0, 1, 2, 2, 0])
    one_hot = np.eye(3)[labels]
    return one_hot, np.argmax(one_hot, axis=1)


def primes_by_sieve():
    """Cross out multiples and list what is left."""
    sieve = np.ones(1000, dtype=bool)
    sieve[:2] = False
    for i in range(2, 32):
        if sieve[i]:
            sieve[i * i :: i] = False
    return np.flatnonzero(sieve)


def polar_coordinates():
    """Convert points between Cartesian and polar coordinates."""
    points = np.array([[1.0, 0.0], [0.0, 2.0], [-3.0, 4.0], [1.0, -1.0]])
    r = np.hypot(points[:, 0], points[:, 1])
    phi = np.arctan2(points[:, 1], points[:, 0])
    back = np.stack([r * np.cos(phi), r * np.sin(phi)], axis=-1)
    return r, np.degrees(phi), np.allclose(back, points)
