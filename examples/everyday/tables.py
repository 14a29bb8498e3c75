"""From a text file to a model, and to files again."""

import io

import weft as np

CSV = """day,temperature,rain,sales
1,21.5,0.0,110
2,23.0,0.2,121
3,,1.5,95
4,18.5,4.0,70
5,24.5,0.0,131
6,26.0,0.1,140
7,19.5,2.5,83
"""


def csv_to_model():
    """Read a table with a missing value, fill it, split it and fit sales."""
    table = np.genfromtxt(io.StringIO(CSV), delimiter=",", skip_header=1)
    temperature = table[:, 1]
    temperature[np.isnan(temperature)] = np.nanmean(temperature)
    x = np.column_stack([temperature, table[:, 2], np.ones(len(table))])
    train, test = np.arange(7) % 3 != 2, np.arange(7) % 3 == 2
    w = np.linalg.lstsq(x[train], table[train, 3], rcond=None)[0]
    return w, x[test] @ w, np.abs(x[test] @ w - table[test, 3]).mean()


def text_round_trip():
    """Write numbers as text and read them again."""
    x = np.linspace(0, 1, 12).reshape(3, 4)
    file = io.StringIO()
    np.savetxt(file, x, fmt="%.3f", delimiter=",")
    file.seek(0)
    return np.loadtxt(file, delimiter=",")


def binary_round_trip():
    """Save an array and load it again."""
    file = io.BytesIO()
    np.save(file, np.arange(12).reshape(3, 4))
    file.seek(0)
    return np.load(file)


def softmax_and_cross_entropy():
    """Turn scores into probabilities and measure them against labels."""
    scores = np.sin(np.arange(40.0)).reshape(10, 4) * 3
    labels = np.arange(10) % 4
    scores = scores - scores.max(axis=1, keepdims=True)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return p, -np.log(p[np.arange(10), labels]).mean()


def compound_interest():
    """Grow deposits over the years and print a rounded table."""
    years = np.arange(1, 11)
    rates = np.array([0.01, 0.03, 0.05])
    return np.round(1000 * (1 + rates) ** years[:, None], 2)
