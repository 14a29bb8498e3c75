"""The handwritten digits included in weft, written as shards in several formats.

The one idea: five files with different byte orders and layouts are together one tensor.
"""

from __future__ import annotations

import gzip
import os
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from weft.sources.write.save import save

SHARDS = (("<f4", "C"), (">f4", "C"), ("<f4", "F"), (">f4", "F"), (">f4", "C"))  # byte order and dtype, layout


def load_digits() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return (images, labels) of 1797 handwritten digits.

    Images are (1797, 8, 8) float32 with values 0 to 16, labels (1797,) int64 from 0 to 9.
    """
    packed = resources.files("weft.cli").joinpath("data/digits.csv.gz").read_bytes()
    lines = gzip.decompress(packed).decode("ascii").split()
    table = np.array([line.split(",") for line in lines], dtype=np.int64)
    return table[:, :64].reshape(-1, 8, 8).astype(np.float32), table[:, 64].copy()


def write_shards(folder: str, images: NDArray[np.float32], labels: NDArray[np.int64]) -> tuple[list[str], str]:
    """Write images and labels as .npy files; return (paths of the image shards in order, path of the labels).

    `folder` is made if it is missing. Raises WriteError if a file cannot be written.
    """
    os.makedirs(folder, exist_ok=True)
    paths = []
    for i, (part, (dtype, order)) in enumerate(zip(np.array_split(images, len(SHARDS)), SHARDS, strict=True)):
        paths.append(os.path.join(folder, f"digits-{i}.npy"))
        save(paths[-1], part, dtype=dtype, order=order)
    label_path = os.path.join(folder, "labels.npy")
    save(label_path, labels)
    return paths, label_path
