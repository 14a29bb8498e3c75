"""A plug-in for a foreign type: objects of another library stand wherever weft takes an operand, and come back.

Run it: python examples/foreign_type.py
"""

# ruff: noqa: T201  (what is found is printed)

from __future__ import annotations

import numpy as np

import weft


class Image:
    """Stands for the type of some other library: rows of pixels, kept upside down."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    @property
    def upright(self) -> np.ndarray:
        """The rows from the top, on the same memory."""
        return self.rows[::-1]


def from_weft(x: weft.Tensor, copy: bool | None) -> Image:
    """An image on a tensor's memory, or on a copy."""
    return Image(x.export("numpy", copy=copy)[::-1])


def register() -> None:
    """Make the type known; by its name, `f"{Image.__module__}.Image"`, nothing would have to be imported."""
    weft.register_type("image", Image, to_weft=lambda image: image.upright, from_weft=from_weft)


def main() -> None:
    """Both ways, without a copy."""
    register()
    image = Image(np.arange(6, dtype=np.uint8).reshape(2, 3))

    x = weft.asarray(image, copy=False)
    x[0, 0] = 99
    print("written through weft:", image.rows.tolist())
    print("an operand:", (image + weft.asarray(1)).tolist())
    print("in a nest:", weft.asarray([image, x * 0]).shape)
    print("a mean of pending pixels:", weft.mean(x / 255).item())

    back = x.export("image", copy=False)
    print("comes back on the same memory:", np.shares_memory(back.rows, image.rows))
    print("known types:", weft.import_types()[0], weft.export_types()[0])


if __name__ == "__main__":
    main()
