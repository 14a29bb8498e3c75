"""Work on images: grey levels, blur, edges, thresholds, geometry, equalisation and blending."""

import weft as np


def picture():
    """Return a colour picture of 48 x 64 cells, uint8."""
    y, x = np.mgrid[0:48, 0:64]
    red, green, blue = x * 4 % 256, y * 5 % 256, (x * y) % 256
    return np.stack([red, green, blue], axis=-1).astype(np.uint8)


def grey_levels():
    """Weight the channels by luminance."""
    grey = picture() @ np.array([0.299, 0.587, 0.114])
    return grey, grey.astype(np.uint8)


def box_blur():
    """Average windows of 3 x 3 cells."""
    grey = picture().mean(axis=-1)
    windows = np.lib.stride_tricks.sliding_window_view(grey, (3, 3))
    return windows.mean(axis=(-2, -1))


def edges():
    """Return the length of the Sobel gradient."""
    g = np.pad(picture()[..., 0].astype(float), 1, mode="edge")
    gx = (g[:-2, 2:] + 2 * g[1:-1, 2:] + g[2:, 2:]) - (g[:-2, :-2] + 2 * g[1:-1, :-2] + g[2:, :-2])
    gy = (g[2:, :-2] + 2 * g[2:, 1:-1] + g[2:, 2:]) - (g[:-2, :-2] + 2 * g[:-2, 1:-1] + g[:-2, 2:])
    return np.hypot(gx, gy)


def geometry():
    """Crop, mirror, turn, and shrink by two."""
    image = picture()
    small = image[:48, :64].reshape(24, 2, 32, 2, 3).mean(axis=(1, 3))
    return image[8:40, 16:48], image[:, ::-1], np.rot90(image), small


def equalisation():
    """Spread grey levels by their cumulative histogram."""
    grey = picture()[..., 2]
    counts, edges_ = np.histogram(grey, bins=256, range=(0, 256))
    cdf = counts.cumsum() / counts.sum()
    return np.interp(grey.ravel(), edges_[:-1], cdf * 255).reshape(grey.shape).astype(np.uint8)


def blend():
    """Mix two pictures where a mask is set, and clip."""
    first, second = picture().astype(np.float32), picture()[::-1].astype(np.float32)
    mask = (np.indices((48, 64)).sum(axis=0) % 2 == 0)[..., None]
    return np.clip(np.where(mask, first * 1.5, second), 0, 255).astype(np.uint8)
