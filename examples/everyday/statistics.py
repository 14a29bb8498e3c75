"""Describe a sample: moments, quantiles, histograms, correlation, resampling and outliers."""

import weft as np

SAMPLE = [((i * 7919) % 1000) / 100 + (i % 13) ** 1.5 for i in range(500)]


def summary():
    """Return what a table of descriptive statistics lists."""
    x = np.array(SAMPLE)
    quartiles = np.percentile(x, [25, 50, 75])
    return x.mean(), x.std(ddof=1), x.min(), x.max(), quartiles, np.median(x)


def histogram_of_values():
    """Count values in bins, and their density."""
    counts, edges = np.histogram(np.array(SAMPLE), bins=20)
    density, _ = np.histogram(np.array(SAMPLE), bins=20, density=True)
    return counts, edges, np.sum(density * np.diff(edges))


def correlations():
    """Correlate the columns of a table."""
    t = np.linspace(0, 10, 200)
    table = np.column_stack([np.sin(t), np.cos(t), np.sin(t) + 0.1 * np.cos(7 * t)])
    return np.corrcoef(table, rowvar=False), np.cov(table.T)


def moving_average():
    """Smooth by a mean over seven values, by convolution and by cumulative sums."""
    x = np.array(SAMPLE)
    smooth = np.convolve(x, np.ones(7) / 7, mode="valid")
    total = np.cumsum(np.concatenate([[0.0], x]))
    return smooth, np.allclose(smooth, (total[7:] - total[:-7]) / 7)


def bootstrap_interval():
    """Resample by rows of indices and return an interval of the mean."""
    x = np.array(SAMPLE)
    index = (np.arange(300)[:, None] * 7919 + np.arange(500) ** 2 * 31) % 500
    means = x[index].mean(axis=1)
    return np.percentile(means, [2.5, 97.5])


def outliers():
    """List the values beyond one and a half quartile ranges."""
    x = np.array([*SAMPLE, 200.0, -150.0])
    low, high = np.percentile(x, [25, 75])
    reach = 1.5 * (high - low)
    odd = (x < low - reach) | (x > high + reach)
    return x[odd], np.count_nonzero(odd), np.where(odd, np.nan, x)


def z_scores():
    """Standardise columns and clip them."""
    x = np.array(SAMPLE).reshape(100, 5)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    return np.clip(z, -2, 2), np.abs(z).max(axis=1).round(3)
