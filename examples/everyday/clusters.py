"""Look for structure: distances, k-means, principal components and neighbours."""

import weft as np


def points():
    """Return 150 points around three centres."""
    i = np.arange(150)
    centres = np.array([[0.0, 0.0], [5.0, 1.0], [2.0, 6.0]])
    return centres[i % 3] + 0.8 * np.stack([np.sin(i * 1.7), np.cos(i * 2.3)], axis=1)


def pairwise_distances():
    """Return the distance of each pair of points by broadcasting."""
    p = points()
    d = np.sqrt(((p[:, None, :] - p[None, :, :]) ** 2).sum(axis=-1))
    return d, d[d > 0].min()


def k_means():
    """Assign points to the nearest centre and move the centres, until nothing changes."""
    p = points()
    centres = p[:3].copy()
    for _ in range(20):
        label = np.argmin(np.linalg.norm(p[:, None] - centres, axis=2), axis=1)
        moved = np.array([p[label == k].mean(axis=0) for k in range(3)])
        if np.allclose(moved, centres):
            break
        centres = moved
    return centres, np.bincount(label)


def principal_components():
    """Project onto the directions of the largest variance."""
    p = points()
    centred = p - p.mean(axis=0)
    _, s, vt = np.linalg.svd(centred, full_matrices=False)
    explained = s**2 / np.sum(s**2)
    return explained, np.abs(vt), np.abs(centred @ vt.T)


def nearest_neighbours():
    """Vote among the five nearest labelled points."""
    p = points()
    labels = np.arange(150) % 3
    query = np.array([[0.5, 0.5], [4.0, 1.5], [2.0, 5.0]])
    distance = np.linalg.norm(query[:, np.newaxis] - p, axis=-1)
    nearest = np.argsort(distance, axis=1)[:, :5]
    return [np.bincount(votes).argmax() for votes in labels[nearest]]


def cosine_similarity():
    """Compare rows by the angle between them."""
    counts = np.array([[3, 0, 1, 0], [6, 0, 2, 0], [0, 4, 0, 1]])
    unit = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    return unit @ unit.T
