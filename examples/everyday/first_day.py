"""What a first day with NumPy holds: ufuncs and their methods, writes in place, texts, tables, games, polynomials."""

import weft as np


def running_extremes():
    """Follow prices: returns, the highest price so far and the fall from it."""
    prices = np.array([100, 102.5, 101.3, 105.7, 107.1, 103.2, 104.4])
    returns = np.diff(prices) / prices[:-1]
    peak = np.maximum.accumulate(prices)
    growth = np.cumprod(1 + returns) - 1
    return returns, peak, ((prices - peak) / peak).min(), growth, returns.std(ddof=1) * np.sqrt(252)


def great_circles():
    """Return the distances of cities on the globe, and the farthest pair."""
    lat, lon = np.radians(np.array([52.5, 48.9, 40.7])), np.radians([13.4, 2.35, -74.0])
    turned = np.sin(np.subtract.outer(lat, lat) / 2) ** 2
    a = turned + np.multiply.outer(np.cos(lat), np.cos(lat)) * np.sin(np.subtract.outer(lon, lon) / 2) ** 2
    km = 6371 * 2 * np.arcsin(np.sqrt(a))
    return km, np.unravel_index(km.argmax(), km.shape), km[np.triu_indices(3, k=1)]


def dice():
    """Count throws, once by unbuffered addition and once by sorting."""
    throws = (np.arange(60) * 7 + np.arange(60) ** 2) % 6 + (np.arange(60) * 5) % 6 + 2
    table = np.zeros(13, dtype=int)
    np.add.at(table, throws, 1)
    values, starts = np.unique(np.sort(throws), return_index=True)
    return table, values, np.add.reduceat(np.ones(60), starts)


def game_of_life():
    """Move a glider by eight generations on a torus, and find its cells."""
    grid = np.zeros((8, 8), dtype=int)
    grid[1, 2] = grid[2, 3] = 1
    grid[3, 1:4] = 1
    for _ in range(8):
        around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        n = np.add.reduce([np.roll(grid, shift, axis=(0, 1)) for shift in around])
        grid = np.where((n == 3) | ((grid == 1) & (n == 2)), 1, 0)
    return grid, np.argwhere(grid)


def letters():
    """Count the letters of a text and shift them by three."""
    codes = np.frombuffer(b"the quick brown fox jumps over the lazy dog", dtype=np.uint8)
    is_letter = (codes >= 97) & (codes <= 122)
    shifted = codes.copy()
    shifted[is_letter] = (codes[is_letter] - 97 + 3) % 26 + 97
    return np.bincount(codes[is_letter] - 97, minlength=26), shifted, shifted.view(np.int8)[:3]


def table_of_texts():
    """Read a table from text, fill what is missing by the mean of its column."""
    lines = "1.5 2 nan\n4 5 6\n7 nan 9".splitlines()
    table = np.array([line.split() for line in lines], dtype=float)
    rows, columns = np.where(np.isnan(table))
    table[rows, columns] = np.take(np.nanmean(table, axis=0), columns)
    return table, np.nancumsum([1.0, np.nan, 3.0]), np.fromstring("1 2 3", sep=" ")


def writes():
    """Write into arrays by masks, positions, diagonals, parts and functions."""
    a = np.arange(10)
    a[a % 2 == 0] *= 10
    a[::3] = -1
    e = np.eye(3)
    e[np.tril_indices(3, -1)] = -1
    np.fill_diagonal(e, 2)
    e[:, [0, 2]] = e[:, [2, 0]]
    f = np.zeros((2, 3))
    np.put(f, [0, 5], [44, 45])
    np.copyto(f, 5, where=f == 45)
    np.place(f, f == 0, [1, 2])
    np.putmask(f, f > 40, -f)
    z = np.array([1 + 2j, -1j])
    z.real = [5, 6]
    z.imag[0] = 0
    return a, e, f, z


def a_function_of_numbers():
    """Apply a function that knows single numbers only."""

    @np.vectorize
    def collatz(n):
        steps = 0
        while n != 1:
            n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
        return steps

    return collatz(np.arange(1, 12)), [index for index, n in np.ndenumerate(np.eye(2)) if n]


def polynomials():
    """Fit, evaluate and divide polynomials, as objects too."""
    x = np.linspace(-2, 2, 21)
    p = np.poly1d(np.polyfit(x, x**3 - 2 * x + 1, 3))
    q = np.polynomial.Polynomial([1, 2, 3])
    return p(0.5), np.roots([1, -6, 11, -6]), (q * q - q.deriv()).coef, q(np.array([0, 1, 2]))


def spreads():
    """Return spreads of complex numbers, and quantiles by methods of several books."""
    z = np.array([1 + 1j, 2, 3j, -1])
    x = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    methods = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "hazen")
    return np.var(z), np.std(z, ddof=1), [np.quantile(x, [0.1, 0.5, 0.9], method=m) for m in methods]


def parts_of_tables():
    """Split, stack and resize, and take what a condition picks."""
    v = np.vstack([np.arange(4), np.arange(4, 8)])
    left, right = np.hsplit(v, 2)
    top, bottom = np.vsplit(v, 2)
    odd = np.extract(v % 2 == 1, v)
    return left, right, top, bottom, odd, np.resize(odd, (2, 3)), np.ediff1d(odd), v[np.s_[:, ::2]]


def bits():
    """Return bits of bytes, how many are set, and common divisors."""
    a = np.array([5, 12, 255], dtype=np.uint8)
    return np.unpackbits(a), np.bitwise_count(a), np.gcd(12, a), np.lcm.reduce([4, 6]), np.bitwise_or.reduce(a)


def singular_values():
    """Return singular values alone, and what is said of a singular matrix."""
    try:
        said = float(np.linalg.inv(np.zeros((2, 2)))[0, 0])
    except np.linalg.LinAlgError:
        said = "singular"
    with np.errstate(divide="ignore"):
        log = np.log(np.array([0.0, 1.0]))
    return np.linalg.svd(np.array([[2.0, 0], [1, 3]]), compute_uv=False), said == "singular", log


def safe_ratios():
    """Divide where there is something to divide by, and describe the cells that a mask selects."""
    clicks, shown = np.array([3, 0, 7, 2, 9]), np.array([10, 0, 35, 0, 90])
    rate = np.divide(clicks, shown, out=np.zeros(5), where=shown != 0)
    logs = np.log(rate, where=rate > 0, out=np.full(5, -np.inf))
    seen = shown > 0
    return rate, logs, rate.mean(where=seen), rate.std(where=seen, ddof=1), np.max(rate, where=seen, initial=0)


def stages():
    """Split a run into stages, pad it by its ends, and look at windows of it by strides."""
    run = np.arange(12.0) ** 2
    windows = np.lib.stride_tricks.as_strided(run, shape=(10, 3), strides=(8, 8))
    ramp, level = np.pad(run, (2, 3), "linear_ramp", end_values=(-4, 0)), np.pad(run, 2, "mean", stat_length=3)
    return np.split(run, [3, 7]), ramp, level, windows.mean(axis=1), np.take(run, [-1, 12, 25], mode="wrap")
