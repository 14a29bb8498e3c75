"""Pictures (PNG, JPEG, TIFF, ...): pixels as (height, width) or (height, width, channels), decoded by Pillow.

The one idea: size and kind of the pixels are known from the header; the picture is decoded when values are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.runtime.compute.engine import SourceRead
from weft.sources.formats.cell_run import (
    Identity,
    NoSuchArray,
    checked_shape,
    failure,
    identity_at,
    library_errors,
    needed,
    opened,
)
from weft.sources.read.touched_boxes import Box
from weft.sources.source import unplaced

FORM = "image"
ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".jp2", ".tga", ".avif")
KNOWN = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP", "JPEG2000", "TGA", "AVIF")  # no format that runs a program
MODES = {
    "1": (dt.bool, ()), "L": (dt.uint8, ()), "LA": (dt.uint8, (2,)), "RGB": (dt.uint8, (3,)), "RGBA": (dt.uint8, (4,)),
    "CMYK": (dt.uint8, (4,)), "YCbCr": (dt.uint8, (3,)), "LAB": (dt.uint8, (3,)), "I;16": (dt.uint16, ()),
    "I;16L": (dt.uint16, ()), "I;16B": (dt.uint16, ()), "I": (dt.int32, ()), "F": (dt.float32, ()),
}  # fmt: skip  # by Pillow's names: dtype, shape of a pixel
CHANNELS = {"LA": 2, "RGB": 3, "RGBA": 4}  # of which Pillow keeps 8 bits where the file has 16


def open_image(path: str, frame: object) -> Image:
    """Return one frame of a picture as a source, by its number from 0.

    Raises NoSuchArray if there is no such frame, FileFormatError if Pillow cannot read the file.
    """
    identity, number = identity_at(path, FORM), _number(frame)
    with _picture(path, identity, number) as picture:
        return Image(path, identity, number, picture)


def image_names(path: str) -> list[str]:
    """Return the numbers of the frames as text; raises FileFormatError if Pillow cannot read the file."""
    identity = identity_at(path, FORM)
    with _picture(path, identity, 0) as picture:
        count = 1 if picture.format == "MPO" else getattr(picture, "n_frames", 1)
        return [str(k) for k in range(count)]


def image_attributes(path: str, frame: object) -> dict[str, Any]:
    """Return the facts of the header: format, mode, and the texts and numbers of Pillow's info and EXIF.

    Raises NoSuchArray if there is no such frame, FileFormatError if Pillow cannot read the file.
    """
    with _picture(path, identity_at(path, FORM), 0 if frame is None else _number(frame)) as picture:
        plain = {key: value for key, value in picture.info.items() if not isinstance(value, (bytes, bytearray))}
        exif = {_exif_name(tag): value for tag, value in picture.getexif().items()}
        return {"format": picture.format, "mode": picture.mode, **plain, **exif}


def _number(frame: object) -> int:
    """Return the number of a frame, given as number or text; -1 for anything else."""
    number = int(frame) if isinstance(frame, str) and frame.isdecimal() else frame
    return number if type(number) is int and number >= 0 else -1


def _exif_name(tag: int) -> str:
    from PIL.ExifTags import TAGS

    return str(TAGS.get(tag, tag))


@contextmanager
def _picture(path: str, identity: Identity, frame: int) -> Iterator[Any]:
    """Yield a frame of the picture, open in Pillow; its errors become FileFormatError.

    Raises NoSuchArray if there is no such frame, FileFormatError if the file's identity differs from `identity`.
    """
    pillow = needed("PIL.Image", "images", FORM, path, "reads this format", "Pillow")

    with opened(path, FORM, identity), catch_warnings(action="ignore"), library_errors(FORM, path, "Pillow"):
        try:
            pillow.init()
            known = [form for form in KNOWN if form in pillow.OPEN]
            with pillow.open(path, formats=known) as picture:
                if frame < 0:
                    raise NoSuchArray(frame)
                if frame:
                    try:
                        picture.seek(frame)
                    except EOFError as e:
                        raise NoSuchArray(frame) from e
                yield picture
        except pillow.DecompressionBombError as e:
            advice = "if it is to be trusted, set PIL.Image.MAX_IMAGE_PIXELS = None"
            raise failure(FORM, path, f"is larger than Pillow reads: {e!s:.100}", advice) from e
        except pillow.UnidentifiedImageError as e:
            raise failure(FORM, path, "is no picture that Pillow knows", f"known are {', '.join(KNOWN)}") from e


class Image:
    """A frame of a picture as a source (protocol `Gathering`); palette indices are replaced by their colours."""

    def __init__(self, path: str, identity: Identity, frame: int, picture: Any) -> None:
        self.path, self.identity, self.frame = path, identity, frame
        self.name = path if not frame else f"{path}::{frame}"
        self.big, self.order, self.mode = False, "C", _mode(picture)
        if self.mode not in MODES:
            raise failure(FORM, path, f"has pixels of mode {self.mode!r}", f"weft reads {', '.join(MODES)}; convert it")
        self.dtype, pixel = MODES[self.mode]
        self.wide = _wide_mode(picture)
        if self.wide:
            channels, _, order = self.wide.partition(";16")
            if channels not in CHANNELS or order not in ("B", "L") or (frame and picture.format == "PNG"):
                fact = f"has 16 bits in a channel of mode {self.wide!r}, of which Pillow keeps 8"
                raise failure(FORM, path, fact, "convert it to a .npy file, or to a picture for each channel")
            self.dtype, pixel = dt.uint16, (CHANNELS[channels],)
        self.shape = checked_shape(FORM, path, (picture.height, picture.width, *pixel), self.dtype.itemsize)

    def __repr__(self) -> str:
        return f"<{FORM} {self.name}: {self.dtype.name}{list(self.shape)}, mode {self.mode}>"

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Decode the picture, and copy the cells of the boxes to the same positions of `target`.

        Raises FileFormatError if the picture is damaged.
        """
        pixels = self._halves() if self.wide else self._decoded()
        if pixels.shape != self.shape or pixels.dtype.newbyteorder("=") != self.dtype.np:
            fact = f"has {self.dtype.name}{list(self.shape)}, its pixels are {pixels.dtype.name}{list(pixels.shape)}"
            raise failure(FORM, self.name, fact, "the file is damaged")
        for b in boxes:
            target[b.slices] = pixels[b.slices]

    def _decoded(self, raw: str = "") -> NDArray[Any]:
        """Return the pixels as Pillow decodes them, unpacked from the raw mode `raw` if one is given.

        Raises FileFormatError if the picture is damaged.
        """
        with _picture(self.path, self.identity, self.frame) as picture:
            if raw:
                picture.tile = [_unpacked_from(raw, *tile) for tile in picture.tile]
            elif picture.mode != self.mode:
                picture = picture.convert(self.mode)
            return np.asarray(picture)

    def _halves(self) -> NDArray[Any]:
        """Return the pixels of a picture of 16 bits a channel, decoded a byte of every number at a time.

        Pillow keeps one byte of two: the first where it takes the file as big-endian, the second as little-endian.
        Raises FileFormatError if the picture is damaged.
        """
        name, order = self.wide[:-1], ">u2" if self.wide[-1] == "B" else "<u2"
        if name == "LA;16":  # in one pass, as Pillow has room for four bytes
            return self._decoded("RGBA").view(order)
        return np.stack([self._decoded(name + end) for end in "BL"], axis=-1).view(order)[..., 0]

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return a SourceRead of the whole picture, which is decoded at once."""
        return unplaced(self, prod(self.shape) * bool(boxes), bool(boxes))


def _mode(picture: Any) -> str:
    """Return Pillow's mode of the pixels after replacing palette indices by colours."""
    if picture.mode in ("P", "PA"):
        return "RGBA" if picture.mode == "PA" or "transparency" in picture.info else "RGB"
    return str(picture.mode)


def _wide_mode(picture: Any) -> str:
    """Return Pillow's raw mode of a picture of 16 bits in each of several channels, such as "RGB;16B"; else ""."""
    raw = {_raw_mode(tile[3]) for tile in getattr(picture, "tile", ())}
    found = [mode for mode in raw if ";16" in mode and mode[0] != "B"]  # "BGR;16" has 16 bits a pixel
    return found[0] if picture.mode in ("L", "LA", "RGB", "RGBA") and found else ""


def _raw_mode(args: Any) -> str:
    """Return the raw mode among the arguments of one of Pillow's decoders: the only one, or the first."""
    return str(args if isinstance(args, str) or not args else args[0])


def _unpacked_from(raw: str, codec: str, extents: Any, offset: int, args: Any) -> tuple[Any, ...]:
    """Return a tile of Pillow's (decoder, extents, offset, its arguments) with another raw mode."""
    return codec, extents, offset, raw if isinstance(args, str) else (raw, *args[1:])
