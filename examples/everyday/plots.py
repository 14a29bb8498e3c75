"""Draw with matplotlib: it takes tensors as it takes arrays."""

import matplotlib.pyplot as plt

import weft as np


def curves():
    """Plot two curves and return the limits of the axes."""
    x = np.linspace(0, 2 * np.pi, 100)
    figure, axes = plt.subplots()
    axes.plot(x, np.sin(x), label="sin")
    axes.fill_between(x, 0, np.cos(x), alpha=0.3)
    axes.set_xlim(x[0], x[-1])
    limits = axes.get_xlim()
    plt.close(figure)
    return limits


def picture_and_histogram():
    """Show a matrix, contours and a histogram of its cells; return the counts."""
    z = np.sin(np.linspace(0, 6, 40))[:, None] * np.cos(np.linspace(0, 6, 50))
    figure, axes = plt.subplots(1, 3)
    axes[0].imshow(z, cmap="viridis")
    axes[1].contourf(z, levels=8)
    counts, _, _ = axes[2].hist(z.ravel(), bins=12)
    figure.canvas.draw()
    plt.close(figure)
    return counts


def points_and_errors():
    """Scatter points with colours, sizes and error bars; return the offsets."""
    x = np.arange(20.0)
    y = np.sqrt(x)
    figure, axes = plt.subplots()
    marks = axes.scatter(x, y, c=y, s=20 + 5 * x)
    axes.errorbar(x, y, yerr=0.1 * y)
    axes.bar(x, y)
    figure.canvas.draw()
    plt.close(figure)
    return marks.get_offsets()
