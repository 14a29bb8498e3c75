"""Fit models: lines, polynomials, least squares, ridge and logistic regression."""

import weft as np


def line():
    """Fit a line through noisy points and predict."""
    x = np.linspace(0, 10, 50)
    y = 2.5 * x - 1 + np.sin(17 * x)
    slope, intercept = np.polyfit(x, y, 1)
    return slope, intercept, np.polyval([slope, intercept], 12.0)


def least_squares():
    """Solve an overdetermined system."""
    t = np.linspace(0, 4, 80)
    design = np.stack([np.ones_like(t), t, np.exp(-t)], axis=1)
    y = 1.0 + 0.5 * t + 3.0 * np.exp(-t)
    coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
    return coefficients


def ridge():
    """Solve the normal equations with a penalty."""
    x = np.cos(np.arange(60.0).reshape(20, 3) ** 1.3)
    y = x @ np.array([1.0, -2.0, 0.5])
    return np.linalg.solve(x.T @ x + 0.1 * np.identity(3), x.T @ y)


def logistic_regression():
    """Fit class probabilities by gradient descent."""
    i = np.arange(200)
    x = np.stack([np.sin(i * 0.7), np.cos(i * 1.3), np.ones(200)], axis=1)
    y = (x[:, 0] + 0.5 * x[:, 1] > 0.1).astype(float)
    w = np.zeros(3)
    for _ in range(100):
        p = 1 / (1 + np.exp(-x @ w))
        w -= 0.5 * x.T @ (p - y) / len(y)
    return w, np.mean((x @ w > 0) == (y > 0.5))


def coefficient_of_determination():
    """Compare the residuals of a fit with the variance."""
    x = np.arange(30, dtype=np.float64)
    y = x**2 + 10 * np.sin(x)
    fit = np.polyval(np.polyfit(x, y, 2), x)
    return 1 - np.sum((y - fit) ** 2) / np.sum((y - y.mean()) ** 2)
