"""Pictures have the pixels that Pillow reads, and Pillow reads those that weft writes."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Image = pytest.importorskip("PIL.Image")

import weft  # noqa: E402
from weft.errors import FileFormatError, WeftError  # noqa: E402


def photo(height: int = 48, width: int = 64, channels: int = 3) -> Any:
    """Pixels with the slopes and the noise of a photograph."""
    y, x = np.mgrid[:height, :width]
    noise = np.random.default_rng(0).normal(0, 4, (height, width, channels))
    waves = 128 + 60 * np.sin(x / 9)[..., None] + 50 * np.cos(y / 7)[..., None] * np.arange(1, channels + 1) / channels
    return np.clip(waves + noise, 0, 255).astype(np.uint8)


def refused(*args: Any, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(*args, **options).numpy()
    return str(caught.value)


@pytest.mark.parametrize("ending", ["png", "jpg", "jpeg", "tif", "tiff", "bmp", "webp", "gif", "tga"])
def test_photographs(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    Image.fromarray(photo()).save(path)
    with Image.open(path) as picture:
        wanted = np.asarray(picture.convert("RGB"))
    x = weft.open(path)
    assert (x.dtype, x.shape) == (weft.uint8, (48, 64, 3))
    np.testing.assert_array_equal(x.numpy(), wanted)
    np.testing.assert_array_equal(x[5:40:7, ::-3, 1].numpy(), wanted[5:40:7, ::-3, 1])
    np.testing.assert_allclose(weft.mean(x, axis=(0, 1)).numpy(), wanted.mean((0, 1)), rtol=1e-13)


@pytest.mark.parametrize(
    ("pixels", "name"),
    [
        (photo()[:, :, 0], "a.png"),
        (photo(channels=2), "a.png"),
        (photo(channels=4), "a.png"),
        (photo()[:, :, 0] > 99, "a.png"),
        (photo()[:, :, 0].astype(np.uint16) * 257, "a.png"),
        (photo()[:, :, 0].astype(np.uint16) * 257, "a.tif"),
        (photo()[:, :, 0].astype(np.int32) * -70_000, "a.tif"),
        (photo()[:, :, 0].astype(np.float32) / 7, "a.tif"),
        (photo(channels=4), "a.webp"),
    ],
    ids=lambda x: x if isinstance(x, str) else f"{x.dtype}{x.shape[2:]}",
)
def test_kinds_of_pixels(tmp_path: Path, pixels: Any, name: str) -> None:
    Image.fromarray(pixels).save(tmp_path / name, **({"lossless": True, "exact": True} if name == "a.webp" else {}))
    x = weft.open(tmp_path / name)
    assert (x.dtype.np, x.shape) == (pixels.dtype, pixels.shape)
    np.testing.assert_array_equal(x.numpy(), pixels)


def test_palettes_are_colours(tmp_path: Path) -> None:
    picture = Image.fromarray(photo()).quantize(16)
    picture.save(tmp_path / "a.png")
    np.testing.assert_array_equal(weft.open(tmp_path / "a.png").numpy(), np.asarray(picture.convert("RGB")))
    picture.save(tmp_path / "b.png", transparency=3)
    with Image.open(tmp_path / "b.png") as read:
        np.testing.assert_array_equal(weft.open(tmp_path / "b.png").numpy(), np.asarray(read.convert("RGBA")))


def test_frames(tmp_path: Path) -> None:
    frames = [photo() // (k + 1) for k in range(3)]
    pictures = [Image.fromarray(f) for f in frames]
    pictures[0].save(tmp_path / "a.tif", save_all=True, append_images=pictures[1:])
    assert "holds 3 arrays: 0, 1, 2; one is wanted; give frame=" in refused(tmp_path / "a.tif")
    np.testing.assert_array_equal(weft.open(tmp_path / "a.tif", frame=2).numpy(), frames[2])
    np.testing.assert_array_equal(weft.open(f"{tmp_path}/a.tif::1").numpy(), frames[1])
    stack = weft.stack(list(weft.open_all(tmp_path / "a.tif").values()))
    np.testing.assert_array_equal(stack[:, 3, ::9].numpy(), np.stack(frames)[:, 3, ::9])
    for frame in (3, -1, "x", 1.5):
        assert "has no array" in refused(tmp_path / "a.tif", frame=frame)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
@pytest.mark.parametrize("channels", [None, 2, 3, 4])
def test_pillow_reads_what_is_written(tmp_path: Path, dtype: str, channels: int | None) -> None:
    if channels and dtype != "uint8":
        pytest.skip("Pillow has no such pixels")
    pixels = photo(channels=channels or 1)
    pixels = pixels if channels else pixels[:, :, 0]
    pixels = pixels > 120 if dtype == "bool" else pixels.astype(dtype) * (1 if dtype == "uint8" else 257)
    weft.save(tmp_path / "a.png", weft.asarray(pixels))
    with Image.open(tmp_path / "a.png") as picture:
        np.testing.assert_array_equal(np.asarray(picture), pixels)
    np.testing.assert_array_equal(weft.open(tmp_path / "a.png").numpy(), pixels)


def test_a_written_photograph_is_as_small_as_pillows(tmp_path: Path) -> None:
    pixels = photo(300, 400)
    weft.save(tmp_path / "a.png", pixels)
    Image.fromarray(pixels).save(tmp_path / "b.png")
    assert (tmp_path / "a.png").stat().st_size < 1.1 * (tmp_path / "b.png").stat().st_size


def test_pictures_in_memory() -> None:
    buffer = io.BytesIO()
    weft.save(buffer, photo(), format="image")
    np.testing.assert_array_equal(np.asarray(Image.open(buffer)), photo())
    buffer.seek(0)
    np.testing.assert_array_equal(weft.open(buffer, format="image").numpy(), photo())


def test_a_bitmap_of_16_bits_a_pixel(tmp_path: Path) -> None:
    pixels = (np.arange(16) * 4000 % 65536).astype("<u2").tobytes()  # 5 bits of red, 6 of green, 5 of blue
    header = struct.pack("<IiiHHIIiiII3I", 40, 4, -4, 1, 16, 3, len(pixels), 2835, 2835, 0, 0, 0xF800, 0x7E0, 0x1F)
    start = 14 + len(header)
    path = tmp_path / "a.bmp"
    path.write_bytes(b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + header + pixels)
    np.testing.assert_array_equal(weft.open(path).numpy(), np.asarray(Image.open(path)))


# ---- bad files


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_16_bits_in_several_channels_are_read_back(tmp_path: Path, channels: int) -> None:
    pixels = np.random.default_rng(channels).integers(0, 65536, (31, 17, channels)).astype(np.uint16)
    weft.save(tmp_path / "a.png", pixels)
    read = weft.open(tmp_path / "a.png")
    assert read.dtype is weft.uint16 and read.shape == pixels.shape
    assert np.array_equal(read.numpy(), pixels) and read[3, 4, 1].item() == pixels[3, 4, 1]
    end = (tmp_path / "a.png").read_bytes()
    (tmp_path / "short.png").write_bytes(end[: len(end) // 2])
    assert "truncated or damaged" in refused(tmp_path / "short.png")


def tiff_of_16_bits(pixels: np.ndarray) -> bytes:
    """A TIFF of one strip without compression: a header, the tags, what does not fit in them, the cells."""
    height, width, channels = pixels.shape
    data, order = pixels.tobytes(), "<" if pixels.dtype.str[0] == "<" else ">"
    tags = {256: width, 257: height, 258: None, 259: 1, 262: 2, 273: 0, 277: channels, 278: height, 279: len(data)}
    after = 8 + 2 + 12 * len(tags) + 4
    tags[273] = after + 2 * channels
    fields = [struct.pack(f"{order}HHIHH", 258, 3, channels, 0, 0)[:8] + struct.pack(f"{order}I", after)]
    fields = [struct.pack(f"{order}HHII", t, 4, 1, v) if v is not None else fields[0] for t, v in tags.items()]
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}IH", 8, len(tags))
    return head + b"".join(fields) + struct.pack(f"{order}I{channels}H", 0, *[16] * channels) + data


@pytest.mark.parametrize("order", "<>")
def test_16_bits_of_either_byte_order(tmp_path: Path, order: str) -> None:
    pixels = np.random.default_rng(0).integers(0, 65536, (5, 4, 3)).astype(f"{order}u2")
    (tmp_path / "a.tif").write_bytes(tiff_of_16_bits(pixels))
    assert np.array_equal(weft.open(tmp_path / "a.tif").numpy(), pixels)


def test_no_pictures(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"nothing of the kind")
    assert "image: " + str(path) + ": is no picture that Pillow knows; known are PNG, JPEG" in refused(path)
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n")
    assert "is no picture that Pillow knows" in refused(path), "nothing that runs a program is opened"


@pytest.mark.parametrize("ending", ["png", "jpg", "tif", "gif", "bmp", "webp"])
def test_damaged_pictures(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    Image.fromarray(photo()).save(path)
    whole = path.read_bytes()
    for length in (0, 5, 20, len(whole) // 2):
        path.write_bytes(whole[:length])
        assert str(path) in refused(path)
    for at in range(0, len(whole), max(1, len(whole) // 100)):
        changed = bytearray(whole)
        changed[at] ^= 0x5A
        path.write_bytes(changed)
        try:
            weft.open(path).numpy()
        except WeftError as error:
            assert str(path) in str(error)


def test_a_bomb(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    data = (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )
    (tmp_path / "a.png").write_bytes(data)
    message = refused(tmp_path / "a.png")
    assert "is larger than Pillow reads" in message
    assert "if it is to be trusted, set PIL.Image.MAX_IMAGE_PIXELS = None" in message


def test_a_picture_that_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    weft.save(path, photo())
    x = weft.open(path)
    weft.save(path, photo()[::-1])
    with pytest.raises(FileFormatError, match="has changed since it was opened; open it again"):
        x.numpy()
