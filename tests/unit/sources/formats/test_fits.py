"""FITS images: values as the standard means them, units by number and name, headers that lie."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from astropy.io import fits

import weft
from weft.errors import FileFormatError
from weft.ir.pieces.box import Box
from weft.runtime.memory.limits import limited
from weft.sources.formats.fits import Compressed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.fits"


def card(keyword: str, value: object) -> str:
    text = f"{keyword:8}= {value!s:>20}" if not isinstance(value, str) else f"{keyword:8}= {value}"
    return text.ljust(80)


def crafted(path: Path, cards: dict[str, object], data: bytes = bytes(2880), end: bool = True) -> Path:
    """A primary unit with these cards; SIMPLE comes first, values of type str are written as they are."""
    text = "".join(card(k, v) for k, v in {"SIMPLE": "T", **cards}.items()) + ("END".ljust(80) if end else "")
    path.write_bytes(text.ljust(-(-len(text) // 2880) * 2880).encode("latin1") + data)
    return path


def image(**cards: object) -> dict[str, object]:
    return {"BITPIX": 16, "NAXIS": 1, "NAXIS1": 4, **cards}


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options).numpy()
    return str(caught.value)


CELLS = np.array([-3, 0, 7, 32767], ">i2").tobytes().ljust(2880, b"\0")


@pytest.mark.parametrize(
    ("cards", "dtype", "values"),
    [
        ({}, weft.int16, [-3, 0, 7, 32767]),
        ({"BLANK": 7}, weft.int16, [-3, 0, 7, 32767]),
        ({"BSCALE": "1.0", "BZERO": "0.0"}, weft.int16, [-3, 0, 7, 32767]),
        ({"BZERO": 32768}, weft.uint16, [32765, 32768, 32775, 65535]),
        ({"BZERO": "3.2768E4"}, weft.uint16, [32765, 32768, 32775, 65535]),
        ({"BZERO": 32767}, weft.float64, [32764, 32767, 32774, 65534]),
        ({"BSCALE": "0.5D0"}, weft.float64, [-1.5, 0, 3.5, 16383.5]),
        ({"BSCALE": 2, "BZERO": -1}, weft.float64, [-7, -1, 13, 65533]),
        ({"BSCALE": 2, "BLANK": 7}, weft.float64, [-6, 0, None, 65534]),
        ({"BSCALE": -1, "BZERO": 32768}, weft.float64, [32771, 32768, 32761, 1]),
    ],
)
def test_scaling(path: Path, cards: dict[str, object], dtype: weft.DType, values: list[float | None]) -> None:
    x = weft.open(crafted(path, image(**cards), CELLS))
    assert x.dtype is dtype
    assert [None if v != v else v for v in x.tolist()] == values


@pytest.mark.parametrize("dtype", ["u2", "u4", "u8", "i1"])
def test_integers_stored_with_the_other_sign_are_read(path: Path, dtype: str) -> None:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    array = np.array([low, low + 1, high // 2, high // 2 + 1, high - 1, high], dtype)
    fits.PrimaryHDU(array).writeto(path)
    x = weft.open(path)
    assert (x.dtype.np, x.tolist()) == (array.dtype, array.tolist())


def test_floats_are_scaled_in_their_own_width(path: Path) -> None:
    cells = np.array([1.5, np.nan], ">f4").tobytes()
    x = weft.open(crafted(path, image(BITPIX=-32, NAXIS1=2, BSCALE=2, BLANK=1), cells.ljust(2880, b"\0")))
    assert x.dtype is weft.float32
    assert str(x.tolist()) == "[3.0, nan]"


def several(path: Path) -> None:
    table = fits.BinTableHDU.from_columns([fits.Column("q", "J", array=np.arange(5))], name="TAB")
    units = [fits.PrimaryHDU(), fits.ImageHDU(np.arange(6.0).reshape(2, 3), name="SCI"), table]
    units += [fits.ImageHDU(np.full(2, n), name="ERR") for n in (1, 2)]
    fits.HDUList(units).writeto(path)


def test_units(path: Path) -> None:
    several(path)
    assert weft.open(path, hdu="sci").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert weft.open(path, hdu=4).tolist() == [2, 2]
    assert weft.open(f"{path}::3").tolist() == [1, 1]
    assert list(weft.open_all(path)) == ["SCI", "3", "4"]
    assert "holds 3 arrays: SCI, 3, 4; one is wanted; give hdu=" in refused(path)
    assert "unit 'TAB' holds BINTABLE; weft reads images" in refused(path, hdu="TAB")
    assert "unit 0 holds no data" in refused(path, hdu=0)
    for hdu in (5, -1, "none", 1.0, True):
        assert f"has no array {hdu!r}; holds 3" in refused(path, hdu=hdu)


def test_random_groups_are_no_image(path: Path) -> None:
    crafted(path, {"BITPIX": 16, "NAXIS": 2, "NAXIS1": 0, "NAXIS2": 4, "GROUPS": "T", "PCOUNT": 0, "GCOUNT": 2})
    assert "unit 0 holds random groups" in refused(path, hdu=0)


def test_what_follows_the_last_unit_is_left_alone(path: Path) -> None:
    crafted(path, image(), CELLS + b"something else")
    assert weft.open(path).shape == (4,)


def test_no_padding_behind_the_last_cell(path: Path) -> None:
    assert weft.open(crafted(path, image(), CELLS[:8])).tolist() == [-3, 0, 7, 32767]


def test_text_values(path: Path) -> None:
    cards = image(EXTNAME="'it''s    ' / a name", OTHER="'a / b'")
    assert weft.open(crafted(path, cards), hdu="it's").shape == (4,)


@pytest.mark.parametrize("kind", ["RICE_1", "GZIP_1", "GZIP_2", "PLIO_1", "HCOMPRESS_1"])
def test_compressed_tiles(path: Path, kind: str) -> None:
    array = (np.arange(3000).reshape(50, 60) % 251).astype("i4")
    tiles = (25, 30) if kind == "HCOMPRESS_1" else (7, 9)
    units = [fits.PrimaryHDU(), fits.CompImageHDU(array, name="C", compression_type=kind, tile_shape=tiles)]
    fits.HDUList(units).writeto(path)
    np.testing.assert_array_equal(weft.open(path).numpy(), array)
    assert weft.open(path)[::17, ::-29].tolist() == array[::17, ::-29].tolist()


def test_compressed_unsigned_and_floats(path: Path) -> None:
    unsigned, floats = np.arange(400, dtype="u2").reshape(20, 20) * 160, np.sin(np.arange(400.0)).reshape(20, 20)
    units = [fits.CompImageHDU(unsigned, name="U"), fits.CompImageHDU(floats.astype("f4"), name="F")]
    fits.HDUList([fits.PrimaryHDU(), *units]).writeto(path)
    assert weft.open(path, hdu="U").dtype is weft.uint16
    np.testing.assert_array_equal(weft.open(path, hdu="U").numpy(), unsigned)
    with fits.open(path) as file:
        np.testing.assert_array_equal(weft.open(path, hdu="F").numpy(), file["F"].data)


def test_large_compressed_images_are_decoded_some_tiles_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = (np.arange(400 * 300).reshape(400, 300) % 251).astype("i4")
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(array, name="C", tile_shape=(1, 300))]).writeto(path)
    decoded: list[int] = []
    decode = Compressed._decoded

    def noted(self: Compressed, section: Any, box: Box) -> Any:
        decoded.append(box.cells)
        return decode(self, section, box)

    monkeypatch.setattr(Compressed, "_decoded", noted)
    with limited(256 << 10):
        assert weft.open(path).sum(axis=0).tolist() == array.sum(axis=0).tolist()
    assert sum(decoded) == array.size and 1200 < max(decoded) * 4 <= 16 << 10  # several rows, 1/16 of the limit


def test_a_missing_package(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.arange(400).reshape(20, 20).astype("i2")
    fits.HDUList([fits.PrimaryHDU(array), fits.CompImageHDU(array, name="C")]).writeto(path)
    monkeypatch.setitem(sys.modules, "astropy.io.fits", None)
    assert weft.open(path, hdu=0).shape == (20, 20)
    assert "astropy decodes compressed images and is not installed; pip install 'weft[fits]'" in refused(path, hdu="C")


def compressed(path: Path, **cards: object) -> Path:
    array = np.arange(400).reshape(20, 20).astype("i2")
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(array, name="C")]).writeto(path)
    raw = path.read_bytes()
    for keyword, value in cards.items():
        at = raw.index(f"{keyword:8}= ".encode())
        raw = raw[:at] + card(keyword, value).encode() + raw[at + 80 :]
    path.write_bytes(raw)
    return path


def test_compressed_images_that_lie(path: Path) -> None:
    assert "ZBITPIX is 7; known are 8, 16, 32, 64, -32, -64" in refused(compressed(path, ZBITPIX=7))
    path.unlink()
    assert "ZNAXIS1 is -3; it must be a whole number" in refused(compressed(path, ZNAXIS1=-3))
    path.unlink()
    assert "has tiles (20000000, 20000000), its table" in refused(
        compressed(path, ZNAXIS1=20_000_000, ZNAXIS2=20_000_000, ZTILE1=20_000_000, ZTILE2=20_000_000)
    )


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (np.zeros((20, 20), "f4"), "holds int16, its tiles decode to float32"),
        (np.zeros((20, 21), "i2"), "has shape (20, 20), its tiles (20, 21)"),
    ],
)
def test_tiles_that_do_not_fit(path: Path, section: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.sources.formats.fits.Compressed._section", lambda _: nullcontext(section))
    assert message in refused(compressed(path))


def test_a_damaged_tile(path: Path) -> None:
    raw = compressed(path).read_bytes()
    path.write_bytes(raw[:-2880] + bytes(range(256)) * 11 + bytes(64))
    assert "astropy cannot read it" in refused(path)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (image(BITPIX=12), "BITPIX is 12; known are"),
        (image(BITPIX="'16'"), "BITPIX is '16'"),
        (image(NAXIS=-1), "NAXIS is -1; it must be a whole number"),
        (image(NAXIS=1000), "NAXIS is 1000; at most 999"),
        (image(NAXIS=2), "NAXIS2 is None"),
        (image(NAXIS1=-4), "NAXIS1 is -4"),
        (image(NAXIS1="4.0"), "NAXIS1 is 4.0"),
        (image(NAXIS1=2000), "unit 0 needs 4000 bytes of data, 2880 follow its header"),
        (image(NAXIS1=2**62), "needs 9223372036854775808 bytes of data"),
        (image(PCOUNT=-1), "PCOUNT is -1"),
        (image(BSCALE="'two'"), "BSCALE is 'two'; it must be a number"),
        (image(BZERO="T"), "BZERO is True"),
        (image(BZERO="1E999"), "BZERO is inf; it must be a number"),
        (image(BZERO="1.2.3"), "BZERO is None"),
        ({"BITPIX": 8, "NAXIS": 65, **{f"NAXIS{i + 1}": 1 for i in range(65)}}, "has 65 axes"),
        ({"BITPIX": 8, "NAXIS": 3, "NAXIS1": 2**60, "NAXIS2": 2**60, "NAXIS3": 0}, "more than any memory holds"),
        ({"NAXIS": 0}, "BITPIX is None"),
        ({"BITPIX": 8, "NAXIS": 0}, "holds no array that weft can read"),
    ],
)
def test_headers_that_lie(path: Path, cards: dict[str, object], message: str) -> None:
    assert message in refused(crafted(path, cards))


def test_no_fits(path: Path) -> None:
    path.write_bytes(b"")
    assert "is empty" in refused(path)
    path.write_bytes(b"text" * 1000)
    assert "begins with b'texttextt', not with 'SIMPLE  ='" in refused(path)


def test_a_header_without_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crafted(path, image(), b"", end=False)
    assert "ends 0 bytes into a block of the header of unit 0" in refused(path)
    monkeypatch.setattr("weft.sources.formats.fits.MAX_BLOCKS", 3)
    crafted(path, image(), b" " * 2880 * 4, end=False)
    assert "has a header of more than 8640 bytes" in refused(path)
