"""Work on signals: spectra, filters, resampling, peaks, derivatives and simulations."""

import weft as np


def low_pass_by_fft():
    """Remove frequencies above 10 Hz."""
    t = np.arange(0, 2, 1 / 256)
    signal = np.sin(2 * np.pi * 3 * t) + 0.5 * np.sin(2 * np.pi * 40 * t)
    spectrum = np.fft.rfft(signal)
    frequency = np.fft.rfftfreq(len(signal), 1 / 256)
    spectrum[frequency > 10] = 0
    return np.fft.irfft(spectrum, len(signal)), frequency[np.abs(spectrum).argmax()]


def resample():
    """Interpolate onto a finer axis."""
    t = np.array([0.0, 1.0, 2.5, 4.0])
    value = np.array([0.0, 2.0, 1.0, 3.0])
    fine = np.linspace(0, 4, 17)
    return np.interp(fine, t, value)


def peaks():
    """Find the local maxima above a threshold."""
    t = np.linspace(0, 20, 400)
    x = np.sin(t) * np.exp(-0.05 * t)
    inner = x[1:-1]
    return np.where((inner > x[:-2]) & (inner > x[2:]) & (inner > 0.2))[0] + 1


def derivative_and_integral():
    """Differentiate and integrate samples."""
    t = np.linspace(0, np.pi, 101)
    y = np.sin(t)
    return np.gradient(y, t), np.trapezoid(y, t)


def heat_equation():
    """Step an explicit scheme in place."""
    u = np.zeros(64)
    u[28:36] = 100.0
    for _ in range(50):
        u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u, u.sum()


def game_of_life():
    """Count neighbours by rolling and apply the rules."""
    board = np.zeros((16, 16), dtype=int)
    board[1, 2] = board[2, 3] = board[3, 1] = board[3, 2] = board[3, 3] = 1
    for _ in range(8):
        steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        neighbours = sum(np.roll(board, step, axis=(0, 1)) for step in steps)
        board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(int)
    return board


def markov_chain():
    """Return the stationary distribution of a transition matrix."""
    p = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
    return np.linalg.matrix_power(p, 200)[0]
