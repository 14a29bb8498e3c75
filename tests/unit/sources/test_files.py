"""Opening files: every format gives the values written, reads no more than asked for, and names its faults."""

from __future__ import annotations

import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy
from astropy.io import fits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from netcdf_classic import classic

import weft
from weft.errors import FileFormatError, WeftError
from weft.sources.file_patterns import by_number, expand
from weft.sources.files import FORMATS
from weft.tensors.tensor import Tensor

Open = Callable[[], Tensor]


def raw(path: str, a: Any) -> dict[str, Any]:
    a.tofile(path)
    return {"dtype": a.dtype, "shape": a.shape}


def raw_in_columns(path: str, a: Any) -> dict[str, Any]:
    Path(path).write_bytes(b"head" + a.tobytes(order="F"))
    return {"dtype": a.dtype, "shape": a.shape, "offset": 4, "order": "F"}


def hdf5(**how: Any) -> Callable[[str, Any], dict[str, Any]]:
    def write(path: str, a: Any) -> dict[str, Any]:
        chunks = tuple(max(1, n // 2 + 1) for n in a.shape) if how and a.size and a.ndim else None
        with h5py.File(path, "w") as file:
            file.create_dataset("group/a", data=a, chunks=chunks, **(how if chunks else {}))
        return {}

    return write


def fits_image(path: str, a: Any) -> dict[str, Any]:
    fits.PrimaryHDU(a).writeto(path)
    return {}


def netcdf(path: str, a: Any) -> dict[str, Any]:
    classic(path, {"a": a}, version=5)
    return {}


def netcdf_records(path: str, a: Any) -> dict[str, Any]:
    classic(path, {"a": a, "b": np.zeros((len(a), 3), "i2")}, version=5, records=True)
    return {"name": "a"}


ALL = [
    "?",
    "i1",
    "u1",
    "<i2",
    ">i2",
    "<u2",
    "<i4",
    ">u4",
    "<i8",
    ">i8",
    "<u8",
    "<f2",
    ">f2",
    "<f4",
    ">f4",
    "<f8",
    ">f8",
]
COMPLEX = ["<c8", ">c8", "<c16", ">c16"]
LITTLE = [d for d in ALL if d[0] != ">"]
WRITERS: dict[str, tuple[str, Callable[[str, Any], Any], list[str]]] = {
    "npy": (".npy", np.save, ALL + COMPLEX),
    "npz": (".npz", np.savez, ALL + COMPLEX),
    "npz deflated": (".npz", np.savez_compressed, ALL + COMPLEX),
    "raw": (".bin", raw, ALL + COMPLEX),
    "raw in columns": (".raw", raw_in_columns, ALL + COMPLEX),
    "safetensors": (".safetensors", lambda p, a: safetensors.numpy.save_file({"a": a}, p), [*LITTLE, "<c8"]),
    "hdf5": (".h5", hdf5(), ALL + COMPLEX),
    "hdf5 chunked": (".hdf5", hdf5(fillvalue=None), ALL + COMPLEX),
    "hdf5 deflated": (".h5", hdf5(compression="gzip", shuffle=True), ALL + COMPLEX),
    "fits": (".fits", fits_image, ["u1", ">i2", ">i4", ">i8", ">f4", ">f8", "<u2", "<u4", "<u8", "i1"]),
    "netcdf": (".nc", netcdf, ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]),
    "netcdf records": (".nc", netcdf_records, ["i1", "i2", "i4", "f4", "f8", "u8"]),
}
EXACT = ["npy", "npz", "raw", "raw in columns", "safetensors", "hdf5", "hdf5 chunked", "fits", "netcdf"]
CASES = [(name, dtype) for name, (_, _, dtypes) in WRITERS.items() for dtype in dtypes]


def written(folder: Path, name: str, array: Any, file: str = "a") -> Open:
    """The array as a file of that kind; gives what opens it."""
    ending, write, _ = WRITERS[name]
    path = str(folder / f"{file}{ending}")
    options = write(path, array) or {}
    return lambda: weft.open(path, **options)


# ---- values


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_values(tmp_path: Path, name: str, dtype: str) -> None:
    array = (np.arange(60).reshape(3, 4, 5) % 100).astype(dtype)
    x = written(tmp_path, name, array)
    assert x().dtype.np == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(x().numpy(), array)
    np.testing.assert_array_equal(x()[1:, ::-2, 3].numpy(), array[1:, ::-2, 3])


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("name", WRITERS)
def test_values_of_large_ones(tmp_path: Path, name: str) -> None:
    """Large enough that a selection is computed alone."""
    array = np.sin(np.arange(200_000)).reshape(50, 40, 100).astype(">f4" if name == "fits" else "<f4")
    x = written(tmp_path, name, array)
    for key in (np.s_[7, 8, 9], np.s_[::7, 3], np.s_[:, :, 50], np.s_[40:2:-9, 1::13, ::-31], np.s_[3:5]):
        np.testing.assert_array_equal(x()[key].numpy(), array[key])
    joined = weft.concat([x(), weft.flip(x(), axis=1)], axis=1)
    np.testing.assert_array_equal(
        joined[::11, 38:42, :7].numpy(), np.concat([array, array[:, ::-1]], 1)[::11, 38:42, :7]
    )
    np.testing.assert_array_equal(weft.take(x(), weft.asarray([3, 1, 3]), axis=0).numpy(), array[[3, 1, 3]])


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (2, 1, 1, 3)])
def test_small_shapes(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    if name == "fits" and (not shape or 0 in shape):
        pytest.skip("astropy writes no image without cells")
    if name.startswith("netcdf") and (0 in shape[1:] or (name.endswith("records") and not shape)):
        pytest.skip("the format has no axis of size 0 but that of records")
    array = np.full(shape, 7.0)
    x = written(tmp_path, name, array)()
    assert (x.shape, x.numpy().tolist()) == (shape, array.tolist())


@pytest.mark.parametrize("name", ["npy", "npz", "npz deflated", "hdf5", "hdf5 chunked", "hdf5 deflated"])
def test_bfloat16_is_a_two_byte_void(tmp_path: Path, name: str) -> None:
    array = np.array([1.5, -2, np.inf, 3]).astype(ml_dtypes.bfloat16)
    x = written(tmp_path, name, array)()
    assert (x.dtype, x.tolist()) == (weft.bfloat16, [1.5, -2, np.inf, 3])


@pytest.mark.parametrize("name", ["npy", "npz", "npz deflated"])
def test_columns_together(tmp_path: Path, name: str) -> None:
    array = np.asfortranarray(np.arange(40_000.0).reshape(200, 200))
    x = written(tmp_path, name, array)
    np.testing.assert_array_equal(x().numpy(), array)
    np.testing.assert_array_equal(x()[3:190:7, 5].numpy(), array[3:190:7, 5])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_box_of_any_format(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([n for n in WRITERS if n != "netcdf records"]))
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    array = np.arange(np.prod(shape)).reshape(shape).astype(">i4" if name == "fits" else "i4")
    slices = st.builds(slice, *[st.none() | st.integers(-10, 10)] * 2, st.sampled_from([None, 1, 2, 3, -1, -2]))
    key = tuple(data.draw(slices) for _ in shape)
    x = written(tmp_path_factory.mktemp("box"), name, array)()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "weft.tensors.tensor.array_of", weft.tensors.tensor.read
        )  # the box alone, however small the file is
        np.testing.assert_array_equal((x + 0)[key].numpy(), array[key])


# ---- what is read


def tree(x: Tensor, kind: str) -> Tensor:
    """A selection whose 10×10 cells are 100 cells of the source."""
    flat = weft.zeros(x.shape, dtype=x.dtype)
    return {
        "flip": lambda: weft.flip(x)[500:510, 20:30],
        "reflect": lambda: weft.pad(x, ((4, 4), (4, 4)), mode="reflect")[500:510, 20:30],
        "stride": lambda: x[::3, ::5][7:17, 9:19],
        "where": lambda: weft.where(weft.asarray(True), x, flat)[100:110, 100:110],
        "stack": lambda: weft.stack([flat, x])[1, 100:110, 100:110],
        "broadcast": lambda: weft.broadcast_to(x, (3, 1000, 1000))[2, 100:110, 100:110],
        "transpose": lambda: x.T[100:110, 100:110],
        "add one": lambda: (x + 1)[100:110, 100:110],
    }[kind]()


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("kind", ["flip", "reflect", "stride", "where", "stack", "broadcast", "transpose", "add one"])
def test_a_hundred_cells_cost_four_hundred_bytes(tmp_path: Path, name: str, kind: str, reads: list[int]) -> None:
    array = np.arange(1_000_000, dtype=">f4" if name == "fits" else "<f4").reshape(1000, 1000)
    x = written(tmp_path, name, array)
    got = tree(x(), kind).numpy()
    assert sum(reads) == 400
    np.testing.assert_array_equal(got, tree(weft.asarray(array), kind).numpy())


@pytest.mark.parametrize("name", ["npy", "npz", "raw", "safetensors", "hdf5", "fits", "netcdf"])
def test_rows_blocks_and_columns(tmp_path: Path, name: str, reads: list[int]) -> None:
    array = np.arange(2048 * 2048, dtype=">i4" if name == "fits" else "<i4").reshape(2048, 2048)
    x = written(tmp_path, name, array)
    for key, nbytes in ((np.s_[77], 8192), (np.s_[100:124, 50:74], 24 * 24 * 4), (np.s_[::64, ::64], 32 * 32 * 4)):
        reads.clear()
        np.testing.assert_array_equal(x()[key].numpy(), array[key])
        assert nbytes <= sum(reads) <= (1.1 if key != np.s_[::64, ::64] else 64) * nbytes
    reads.clear()
    np.testing.assert_array_equal(x()[:, 9].numpy(), array[:, 9])
    assert sum(reads) == 4 * 2048 or len(reads) <= 4  # exact, or a few long reads


@pytest.mark.parametrize("name", [n for n in WRITERS if n != "netcdf records"])
def test_what_is_explained_is_what_is_read(tmp_path: Path, name: str, reads: list[int]) -> None:
    array = np.random.default_rng(0).integers(0, 99, (300, 400)).astype(">i4" if name == "fits" else "<i4")
    x = written(tmp_path, name, array)()[10:200:60, 7:300:100] + 1
    (found,) = weft.explain(x).sources
    reads.clear()
    assert x.tolist() == (array[10:200:60, 7:300:100] + 1).tolist()
    assert (found.bytes, found.reads) == (sum(reads), len(reads))
    assert found.bytes == sum(end - first for first, end in found.ranges)
    (path,) = tmp_path.iterdir()
    assert all(0 <= first < end <= path.stat().st_size for first, end in found.ranges)
    if name in EXACT:
        cells = b"".join(path.read_bytes()[first:end] for first, end in found.ranges)
        stored = array if name not in ("netcdf",) else array.astype(">i4")
        part = stored[10:200:60, 7:300:100]
        assert sorted(np.frombuffer(cells, stored.dtype)) == sorted(part.reshape(-1))


def test_chunks_without_filters_are_read_by_cells(tmp_path: Path, reads: list[int]) -> None:
    x, array = written(tmp_path, "hdf5 chunked", np.arange(90_000.0).reshape(300, 300)), np.arange(90_000.0)
    assert x()[::100, 150].tolist() == array.reshape(300, 300)[::100, 150].tolist()
    assert reads == [8] * 3


def test_deflated_chunks_are_decoded_once(tmp_path: Path, reads: list[int]) -> None:
    x = written(tmp_path, "hdf5 deflated", np.arange(90_000.0).reshape(300, 300))
    assert x()[::100, 150].tolist() == [150.0, 30150.0, 60150.0]
    assert len(reads) == 2  # chunks of 151 × 151: two of the first column


def test_a_deflated_member_is_read_to_the_last_cell_asked_for(tmp_path: Path, reads: list[int]) -> None:
    array = np.random.default_rng(0).integers(0, 255, 8 << 20, np.uint8)
    x = written(tmp_path, "npz deflated", array)()
    reads.clear()
    assert x[10:20].tolist() == array[10:20].tolist()
    assert sum(reads) <= 2 << 20


def test_nothing_is_read_before_a_value_is_looked_at(tmp_path: Path, reads: list[int]) -> None:
    for name in EXACT:
        _ = written(tmp_path, name, np.zeros((3, 4), ">f4" if name == "fits" else "<f4"))() * 2
    assert reads == []


# ---- several files, several arrays


def test_many_files_are_joined_or_stacked(tmp_path: Path) -> None:
    for n in (10, 2, 1):
        np.save(tmp_path / f"part-{n}.npy", np.full((2, 3), n))
    pattern = str(tmp_path / "part-*.npy")
    assert weft.open(pattern)[:, 0].tolist() == [1, 1, 2, 2, 10, 10]
    assert weft.open(pattern, axis=1).shape == (2, 9)
    assert weft.open(pattern, stack=True)[:, 0, 0].tolist() == [1, 2, 10]
    assert weft.open(tmp_path / "part-2.npy", stack=True).shape == (1, 2, 3)
    assert weft.open([tmp_path / "part-10.npy", pattern]).shape == (8, 3)


def test_numbers_sort_by_value() -> None:
    names = ["a10b2", "a2b10", "a2b9", "a", "a²", "a٣"]
    assert sorted(names, key=by_number)[:4] == ["a", "a2b9", "a2b10", "a٣"]


def test_a_name_in_the_path(tmp_path: Path) -> None:
    for n in (1, 2):
        np.savez(tmp_path / f"p{n}.npz", a=np.full(2, n), b=np.zeros(1))
    assert weft.open(f"{tmp_path}/p1.npz::a").tolist() == [1, 1]
    assert weft.open(f"{tmp_path}/p*.npz::a").tolist() == [1, 1, 2, 2]
    assert weft.open(f"{tmp_path}/p*.npz", name="b").shape == (2,)
    assert expand(f"{tmp_path}/p*.npz::a")[1] == f"{tmp_path}/p2.npz::a"
    np.save(tmp_path / "odd::name.npy", np.arange(2))
    assert weft.open(tmp_path / "odd::name.npy").tolist() == [0, 1]


def test_all_arrays_of_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", a=np.arange(2), b=np.ones((2, 2)))
    assert {k: v.shape for k, v in weft.open_all(tmp_path / "m.npz").items()} == {"a": (2,), "b": (2, 2)}
    np.save(tmp_path / "one.npy", np.arange(2))
    assert weft.open_all(tmp_path / "one.npy")[""].tolist() == [0, 1]


def test_the_format_may_be_named(tmp_path: Path) -> None:
    with open(tmp_path / "a.dat", "wb") as file:
        np.save(file, np.arange(3))
    assert weft.open(tmp_path / "a.dat", format="npy").tolist() == [0, 1, 2]
    assert weft.open(tmp_path / "a.dat", format="raw", dtype="<i8", offset=128).tolist() == [0, 1, 2]


# ---- faults


def refused(path: object, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options)  # type: ignore[arg-type]
    assert caught.value.args[0].count(";") >= 1
    return str(caught.value)


def test_faults_of_the_request(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    np.savez(tmp_path / "m.npz", weights=np.arange(2), bias=np.ones(2))
    np.savez(tmp_path / "empty.npz")
    assert "'.xyz' names no known format" in refused(tmp_path / "a.xyz")
    assert f"give a pattern, such as '{tmp_path}/*.npy'" in refused(tmp_path)
    assert "the format 'zip' is unknown" in refused(tmp_path / "a.npy", format="zip")
    assert "the format has no option dtype=; known are " in refused(tmp_path / "a.npy", dtype="f4")
    assert "did you mean shape=" in refused(tmp_path / "a.bin", dtype="f4", shap=(2,))
    assert "holds one array without a name, found ::b" in refused(f"{tmp_path}/a.npy::b")
    assert "holds 2 arrays: weights, bias; one is wanted" in refused(tmp_path / "m.npz")
    assert "has no array 'weight'; " in refused(tmp_path / "m.npz", name="weight")
    assert "did you mean 'weights'" in refused(tmp_path / "m.npz", name="weight")
    assert "give one of them as name=" in refused(tmp_path / "m.npz", name="zzz")
    assert "has no array 3; holds 2" in refused(tmp_path / "m.npz", name=3)
    assert "has no array {'bias'}; holds 2" in refused(tmp_path / "m.npz", name={"bias"})
    assert "has no array 'bia'; holds 2" in refused(tmp_path / "m.npz", name=["bias", "bia"])
    assert "has no array []; holds 2" in refused(tmp_path / "m.npz", name=[])
    assert "holds no array that weft can read" in refused(tmp_path / "empty.npz")
    assert "no file matches the pattern" in refused(f"{tmp_path}/*.bin")
    assert "no paths" in refused([])


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_no_file(tmp_path: Path, name: str) -> None:
    options = {"dtype": "f4"} if name == "raw" else {}
    missing = refused(tmp_path / "none", format=name, **options)
    assert f"{tmp_path}/none" in missing
    assert "no such file" in missing
    if name != "zarr":
        assert "is not a regular file" in refused(tmp_path, format=name, **options)
        assert "embedded null" in refused("a\0b", format=name, **options)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "zarr"])  # a folder: see test_zarr.py
def test_files_that_may_not_be_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    assert "permission denied" in refused(tmp_path / "a", format=name, **({"dtype": "f4"} if name == "raw" else {}))


@pytest.mark.parametrize("name", [n for n in WRITERS if n != "raw"])
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    array = np.arange(20.0).astype(">f8" if name == "fits" else "<f8")
    x = written(tmp_path, name, array)()
    for path in tmp_path.iterdir():
        path.unlink()
    written(tmp_path, name, np.repeat(array, 2))
    with pytest.raises(FileFormatError, match="has changed since it was opened"):
        x.numpy()


@pytest.mark.parametrize(("name", "package"), [("hdf5", "h5py"), ("hdf5 deflated", "h5py")])
def test_a_missing_package(tmp_path: Path, name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_it = written(tmp_path, name, np.arange(9.0).reshape(3, 3))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        FileFormatError, match=r"h5py reads this format and is not installed; pip install 'weft\[hdf5\]'"
    ):
        open_it()


@pytest.mark.parametrize("name", WRITERS)
def test_every_truncation(tmp_path: Path, name: str) -> None:
    array = np.arange(600).reshape(20, 30).astype(">i4" if name == "fits" else "<i4")
    open_it = written(tmp_path, name, array)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:length])
        try:
            got = open_it().numpy()
        except FileFormatError:
            continue
        assert name in ("fits", "netcdf", "netcdf records", "hdf5 chunked"), length  # padding behind the data
        np.testing.assert_array_equal(got, array)


def looked_at(open_it: Open) -> None:
    """Opening and reading a small file succeeds or raises weft's error, without memory for what it claims."""
    tracemalloc.start()
    try:
        open_it().numpy()
    except WeftError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8 << 20


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", [n for n in WRITERS if not n.startswith(("raw", "hdf5"))])
@given(data=st.data())
def test_damaged_bytes(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    open_it = written(folder, name, np.arange(12).reshape(3, 4).astype(">i4" if name == "fits" else "<i4"))
    (path,) = folder.iterdir()
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, min(len(whole), 700) - 1)) * data.draw(st.sampled_from([1, 1, -1]))
        whole[at] = data.draw(
            st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]) | st.sampled_from(b"09-'=T/ {}[]\"") | st.integers(0, 255)
        )
    path.write_bytes(whole)
    looked_at(open_it)


def sparse(path: Path, head: bytes, nbytes: int, tail: bytes) -> None:
    """A file with a hole."""
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + nbytes)
        file.seek(len(head) + nbytes - len(tail))
        file.write(tail)


@pytest.mark.parametrize("ending", [".npy", ".bin", ".safetensors", ".fits", ".nc", ".h5"])
def test_more_cells_than_fit_32_bits(tmp_path: Path, ending: str) -> None:
    n, path, tail = 2**32 + 10, tmp_path / f"a{ending}", bytes([7, 8, 9])
    if ending == ".npy":
        head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({n},), }}\n".encode()
        sparse(path, b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head, n, tail)
    elif ending == ".bin":
        sparse(path, b"", n, tail)
    elif ending == ".safetensors":
        head = f'{{"a":{{"dtype":"U8","shape":[{n}],"data_offsets":[0,{n}]}}}}'.encode()
        sparse(path, len(head).to_bytes(8, "little") + head, n, tail)
    elif ending == ".fits":
        cards = [f"{k:8}= {v:>20}" for k, v in (("SIMPLE", "T"), ("BITPIX", 8), ("NAXIS", 1), ("NAXIS1", n))]
        sparse(path, "".join(c.ljust(80) for c in [*cards, "END"]).ljust(2880).encode(), n, tail)
    elif ending == ".nc":
        classic(path, {"a": np.zeros(3, "u1")}, version=5)
        whole = path.read_bytes()[:-4].replace((3).to_bytes(8, "big"), n.to_bytes(8, "big"))
        sparse(path, whole, n, tail)
    else:
        with h5py.File(path, "w") as file:
            a = file.create_dataset("a", (n,), "u1", chunks=(1 << 20,), fillvalue=0)
            a[-3:] = list(tail)
    x = weft.open(path, **({"dtype": "u1"} if ending == ".bin" else {}))
    assert x.shape == (n,)
    assert x[-4:].tolist() == [0, 7, 8, 9]
    assert x[:: n - 1].tolist() == [0, 9]


def test_colons_in_the_names_of_files_and_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "a::1.npz", **{"b": np.arange(2), "c::d": np.arange(3)})
    for path in (tmp_path / "a::1.npz", tmp_path / "a*.npz"):
        assert weft.open(f"{path}::b").tolist() == [0, 1]
        assert weft.open(f"{path}::c::d").tolist() == [0, 1, 2]
    with pytest.raises(FileFormatError, match="has no array 'x::y'; holds 2 arrays: b, c::d"):
        weft.open(f"{tmp_path}/a::1.npz::x::y")
