"""`weft demo`: a small real job, from files to a classifier, its cost, and the same with NumPy.

The one idea: the job is one function of an array-API namespace; the same lines run on weft, over files that kernels
read on demand, and on NumPy, over arrays in memory, and their numbers are compared.
The handwritten digits lie in five files with different byte orders and layouts, which together are one tensor.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import time
from collections.abc import Callable
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import weft
from weft.inspect.progress import progress
from weft.sources.files import open_file
from weft.sources.write.save import save


def contact_sheet(pictures: NDArray[Any], columns: int, scale: int, margin: int = 8) -> NDArray[np.uint8]:
    """Return one picture (height, width) of many, placed in rows of `columns`, dark on white.

    `pictures` are (n, height, width) with values 0 to 1; each cell becomes `scale` × `scale` pixels. `margin` pixels
    lie between pictures.
    """
    rows = -(-len(pictures) // columns)
    grey = np.rint(255 * (1 - np.clip(pictures, 0, 1))).astype(np.uint8).repeat(scale, 1).repeat(scale, 2)
    missing = rows * columns - len(pictures)
    framed = np.pad(grey, ((0, missing), (margin, 0), (margin, 0)), constant_values=255)
    sheet = framed.reshape(rows, columns, *framed.shape[1:]).swapaxes(1, 2).reshape(rows * framed.shape[1], -1)
    return np.pad(sheet, (0, margin), constant_values=255)


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


CLASSES = 10
HELD_OUT = 5  # every fifth image is kept for testing
REPEATS = 3
LARGER = 40  # times as many digits in the second race


class Findings(NamedTuple):
    """The results of the job, as arrays of the namespace that computed them."""

    accuracy: Any
    guess: Any
    distance: Any
    means: Any
    centre: Any
    variance: Any
    sums: Any
    counts: Any
    member: Any


def job(xp: Any, images: Any, labels: Any) -> Findings:
    """Compute class means and spread of the training images, and classify the held-out ones by the nearest mean.

    `xp` is the array namespace, weft or NumPy; images are (n, 8, 8), labels (n,).
    """
    images = xp.astype(images, xp.float64)
    train = xp.concat([images[k::HELD_OUT] for k in range(1, HELD_OUT)], axis=0)
    known = xp.concat([labels[k::HELD_OUT] for k in range(1, HELD_OUT)], axis=0)
    test, wanted = images[::HELD_OUT], labels[::HELD_OUT]
    centre = xp.mean(train, axis=0)
    variance = xp.var(train, axis=0)
    scale = xp.sqrt(variance) + 1
    member = known[:, None] == xp.arange(CLASSES)
    counts = xp.count_nonzero(member, axis=0)
    sums = xp.sum(xp.where(member[:, :, None, None], train[:, None, :, :], 0.0), axis=0)
    means = sums / xp.astype(counts, xp.float64)[:, None, None]
    apart = (test[:, None, :, :] - means) / scale  # the standardised difference: the centres cancel
    distance = xp.sum(apart**2, axis=(2, 3))
    guess = xp.argmin(distance, axis=1)
    accuracy = xp.mean(xp.astype(guess == wanted, xp.float64))
    return Findings(accuracy, guess, distance, means, centre, variance, sums, counts, member)


def with_weft(paths: list[str], label_path: str) -> Findings:
    """Return the job's findings over files, opened and computed by weft.

    Raises FileFormatError if a file cannot be read.
    """
    found = job(weft, open_file(paths), open_file(label_path))
    weft.compute(*found)
    return found


def with_numpy(paths: list[str], label_path: str) -> Findings:
    """Return the job's findings over the files `paths` and `label_path`, loaded and joined by NumPy."""
    return job(np, np.concatenate([np.load(p) for p in paths]), np.load(label_path))


def median_time(function: Callable[[], Any]) -> float:
    """Return the median seconds of REPEATS calls of `function`, after one warm-up call."""
    function()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return sorted(times)[REPEATS // 2]


def largest_difference(ours: Findings, theirs: Findings) -> float:
    """Return the largest difference between numbers of two findings, relative to the larger of 1 and |theirs|."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
        worst = max(worst, float(np.max(np.abs(x - y) / np.maximum(np.abs(y), 1.0))))
    return worst


def run(folder: str, say: Callable[[str], None]) -> None:
    """Write the shards to `folder`, do the job with weft and NumPy, and pass lines of text to `say`.

    The lines have results and costs; a picture of the class means is saved, too. Raises WriteError if a file cannot be
    written.
    """
    images, labels = load_digits()
    paths, label_path = write_shards(folder, images, labels)
    say(f"{len(labels)} handwritten digits of 8×8 in {len(paths)} files of float32:")
    for path, (dtype, order) in zip(paths, SHARDS, strict=True):
        say(f"  {path}  {'big' if dtype[0] == '>' else 'little'}-endian, {order} order")
    found = job(weft, open_file(paths), open_file(label_path))
    plan = weft.explain(*found)
    say(
        f"plan: {plan.pieces} pieces, {plan.kernels} kernels, {plan.calls} calls, {plan.bytes_read} bytes read, "
        f"{plan.bytes_stored} stored, temporaries {plan.temporary_bytes}"
    )
    weft.compute(*found)
    report(found, say)
    compare(paths, label_path, found, say)
    picture = os.path.join(folder, "class-means.png")
    weft.save(picture, contact_sheet(np.asarray(found.means) / 16, 5, 12))
    say(f"class means: {picture}")


def report(found: Findings, say: Callable[[str], None]) -> None:
    """Pass lines with the job's accuracy and spread to `say`."""
    accuracy, held_out = float(found.accuracy), found.guess.shape[0]
    right, spread = round(accuracy * held_out), np.sqrt(np.asarray(found.variance))
    say(f"accuracy: {accuracy:.4f} ({right} of {held_out} held-out digits named by the nearest class mean)")
    say(f"spread of a pixel over the training images: {spread.mean():.2f} on average, {spread.max():.2f} at most")


def compare(paths: list[str], label_path: str, ours: Findings, say: Callable[[str], None]) -> None:
    """Pass lines to `say` that compare `ours`, weft's findings, and its times with NumPy's.

    The times are measured over the given files, and over temporary files with 40 times as many digits.
    """
    theirs = with_numpy(paths, label_path)
    same = bool(np.array_equal(np.asarray(ours.guess), theirs.guess))
    say(
        f"same numbers as NumPy: {'every digit is named alike' if same else 'NO, digits are named differently'}, "
        f"largest relative difference {largest_difference(ours, theirs):.1e}"
    )
    race(paths, label_path, say)
    images, labels = load_digits()
    with tempfile.TemporaryDirectory() as folder:
        large = write_shards(folder, np.tile(images, (LARGER, 1, 1)), np.tile(labels, LARGER))
        race(*large, say)


def race(paths: list[str], label_path: str, say: Callable[[str], None]) -> None:
    """Pass a line with the times of weft and NumPy, from opening files to the accuracy, to `say`.

    `paths` are the files of images. Raises FileFormatError if a file cannot be read.
    """
    count = open_file(label_path).shape[0]
    with progress():
        ours = median_time(lambda: with_weft(paths, label_path))
        theirs = median_time(lambda: with_numpy(paths, label_path))
    say(
        f"time from files to accuracy, {count} digits: weft {ours * 1e3:.1f} ms, NumPy {theirs * 1e3:.1f} ms "
        f"({theirs / ours:.1f}×)"
    )
