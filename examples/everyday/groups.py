"""Group rows by a key: counts, means, pivot tables, the best of each row, and joins."""

import weft as np

KEYS = [3, 1, 0, 3, 2, 1, 1, 0, 3, 3, 2, 1]
VALUES = [4.0, 2.5, 1.0, 8.0, 3.5, 2.0, 9.0, 7.0, 6.0, 1.5, 0.5, 5.0]


def counts_of_each_key():
    """Count how often each key occurs."""
    keys, counts = np.unique(np.array(KEYS), return_counts=True)
    return keys, counts


def means_of_groups():
    """Average the values of each key."""
    keys, values = np.array(KEYS), np.array(VALUES)
    return np.bincount(keys, weights=values) / np.bincount(keys)


def groups_by_sorting():
    """Sort by key, cut where the key changes, and take the median of each group."""
    keys, values = np.array(KEYS), np.array(VALUES)
    order = np.argsort(keys, kind="stable")
    borders = np.flatnonzero(np.diff(keys[order])) + 1
    return [np.median(group) for group in np.array_split(values[order], borders)]


def pivot_table():
    """Sum values into a table of two keys."""
    rows, columns = np.array(KEYS), np.arange(len(KEYS)) % 3
    table = np.bincount(rows * 3 + columns, weights=np.array(VALUES), minlength=12).reshape(4, 3)
    return table, table.sum(axis=1, keepdims=True)


def three_best_of_each_row():
    """Return the three largest cells of each row and their columns."""
    scores = (np.arange(40) * 17 % 23).reshape(4, 10)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :3]
    return best, np.take_along_axis(scores, best, axis=1)


def join_of_two_tables():
    """Look the rows of one table up in another by a sorted key."""
    codes = np.array([10, 20, 30, 40])
    prices = np.array([1.5, 2.5, 0.5, 4.0])
    orders = np.array([30, 10, 10, 40, 30])
    amount = np.array([2, 1, 5, 1, 3])
    position = np.searchsorted(codes, orders)
    return prices[position] * amount, np.isin(orders, [10, 40])
