"""Files behind URLs: every format over HTTP and from fsspec's memory, few requests, many at a time, clear errors."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from uuid import uuid4

import numpy as np
import pytest
from http_server import Server, serving
from small_files import FILES, VALUES, read

import weft
from weft.errors import FileFormatError, MissingFileError, WriteError
from weft.runtime.memory.limits import limited
from weft.sources.read.byte_ranges import Meter
from weft.sources.remote.remote_file import RemoteFile
from weft.sources.remote.remote_path import RemotePath, has_pattern, resolved

fsspec = pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")

LARGE = np.arange(400_000.0).reshape(400, 1000)  # 3.2 MB, many pages
REMOTE = [name for name in FILES if name != "mapped"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as made:
        yield made


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[str]:
    """The URL of a folder in fsspec's memory."""
    name = f"/{uuid4().hex}"
    system = fsspec.filesystem("memory")
    system.makedirs(name)
    yield f"memory:/{name}"
    system.rm(name, recursive=True)


def put(path: Path, url: str) -> str:
    """Copy a file or folder below a URL, and return its own."""
    system, inside = fsspec.core.url_to_fs(url)
    for file in [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]:
        system.pipe(f"{inside}/{file.relative_to(path.parent).as_posix()}", file.read_bytes())
    return f"{url}/{path.name}"


# ---- every format


@pytest.mark.parametrize("name", REMOTE)
def test_every_format_over_http(server: Server, tmp_path: Path, name: str) -> None:
    make, options = FILES[name]
    path = make(tmp_path)
    x = weft.open(f"{server.url}/{path.name}", **options)
    wanted = read(path, options)
    assert x.chunks == weft.open(path, **options).chunks
    np.testing.assert_array_equal(x[1:3].numpy(), wanted[1:3])
    np.testing.assert_array_equal(x.numpy(), wanted)


@pytest.mark.parametrize("name", REMOTE)
def test_every_format_in_memory(memory: str, tmp_path: Path, name: str) -> None:
    make, options = FILES[name]
    path = make(tmp_path)
    x = weft.open(put(path, memory), **options)
    wanted = read(path, options)
    np.testing.assert_array_equal(x[1:3].numpy(), wanted[1:3])
    np.testing.assert_array_equal(x.numpy(), wanted)


def test_arrays_of_a_group_and_their_attributes(memory: str, server: Server, tmp_path: Path) -> None:
    weft.save(tmp_path / "a.zarr", {"x": VALUES, "g/y": VALUES + 1}, chunks=(3, 5))
    weft.save(tmp_path / "a.h5", {"x": VALUES, "g/y": VALUES + 1}, chunks=(3, 5))
    for url in (put(tmp_path / "a.zarr", memory), put(tmp_path / "a.h5", memory), f"{server.url}/a.h5"):
        assert sorted(weft.open_all(url)) == ["g/y", "x"]
        assert weft.open(f"{url}::g/y")[0, 0].item() == weft.open(url, name="g/y")[0, 0].item() == 2
        assert weft.attributes(url) == weft.attributes(url, "x") == {}
    assert weft.open(f"{server.url}/a.zarr::g/y")[0, 0].item() == 2
    with pytest.raises(FileFormatError, match=r"zarr: .*/a.zarr: has no list of its files; open an array by its name"):
        weft.open_all(f"{server.url}/a.zarr")


@pytest.mark.parametrize("version", [2, 3])
def test_consolidated_metadata_list_the_arrays_of_a_store(server: Server, tmp_path: Path, version: int) -> None:
    zarr = pytest.importorskip("zarr")
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=version)
    for name in ("x", "g/y"):
        group.create_array(name, shape=(6, 10), chunks=(3, 5), dtype="f4")[:] = VALUES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zarr: version 3 has no standard for them yet
        zarr.consolidate_metadata(tmp_path / "a.zarr")
    found = weft.open_all(f"{server.url}/a.zarr")
    assert list(found) == ["g/y", "x"]
    np.testing.assert_array_equal(found["g/y"].numpy(), VALUES)


def test_patterns(memory: str, tmp_path: Path) -> None:
    for n in (10, 2, 1):
        np.save(tmp_path / f"part-{n}.npy", np.full((2, 3), n))
        put(tmp_path / f"part-{n}.npy", memory)
    assert weft.open(f"{memory}/part-*.npy")[:, 0].tolist() == [1, 1, 2, 2, 10, 10]
    with pytest.raises(MissingFileError, match=r"open: .*/x-\*.npy: no file matches the pattern"):
        weft.open(f"{memory}/x-*.npy")


def test_a_query_is_no_pattern(server: Server, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", VALUES)
    assert weft.open(f"{server.url}/a.npy?token=1").shape == VALUES.shape
    assert has_pattern("s3://a/b?.npy") and not has_pattern("https://a/b?c.npy")


def test_a_chain_of_urls(server: Server, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", VALUES)
    options = {"simplecache": {"cache_storage": str(tmp_path / "cache")}}
    x = weft.open(f"simplecache::{server.url}/a.npy", storage_options=options)
    np.testing.assert_array_equal(x.numpy(), VALUES)
    assert len(os.listdir(tmp_path / "cache")) == 1
    assert weft.open(f"file://{tmp_path}/a.npy").shape == VALUES.shape


def test_storage_options_reach_fsspec(memory: str, server: Server, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", VALUES)
    assert weft.open(put(tmp_path / "a.npy", memory), storage_options={}).shape == VALUES.shape
    told = {"headers": {"Authorization": "me"}}
    assert weft.open(f"{server.url}/a.npy", storage_options=told)[0, 0].item() == 1


def test_the_command_takes_urls(server: Server, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    np.save(tmp_path / "a.npy", VALUES)
    for arguments in (["info", f"{server.url}/a.npy"], ["convert", f"{server.url}/a.npy?t=1", f"{tmp_path}/b.npy"]):
        done = subprocess.run([sys.executable, "-m", "weft", *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert arguments[0] == "convert" or "float32[6, 10]" in done.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "b.npy"), VALUES)


# ---- what is asked of the server


@pytest.fixture
def stored(server: Server, tmp_path: Path) -> str:
    np.save(tmp_path / "large.npy", LARGE)
    return f"{server.url}/large.npy"


def test_ranges_alone_are_asked_for(server: Server, stored: str, meter: Meter) -> None:
    x = weft.open(stored)
    assert [method for method, _, _ in server.asked] == ["HEAD", "GET"]
    server.asked.clear()
    meter.done = 0
    assert x[200, 5:8].tolist() == LARGE[200, 5:8].tolist()
    assert server.sent() == meter.done == 24
    assert [method for method, _, _ in server.asked] == ["GET", "HEAD"]


def test_ranges_that_lie_close_are_one_request(server: Server, stored: str) -> None:
    x = weft.open(stored)
    server.asked.clear()
    assert x[:, 3].tolist() == LARGE[:, 3].tolist()  # 400 cells, 8 kB apart
    assert len(server.asked) < 10


def test_requests_are_made_at_the_same_time(server: Server, tmp_path: Path) -> None:
    weft.save(tmp_path / "a.zarr", LARGE, chunks=(25, 1000), compressor="gzip")
    x = weft.open(f"{server.url}/a.zarr")
    server.fails, server.most = lambda path, first: time.sleep(0.1), 0
    np.testing.assert_array_equal(x.numpy(), LARGE)
    assert 4 <= server.most <= 16


def test_a_chunk_is_fetched_once(server: Server, tmp_path: Path) -> None:
    weft.save(tmp_path / "a.zarr", LARGE, chunks=(100, 1000), compressor="gzip")
    x = weft.open(f"{server.url}/a.zarr")
    server.asked.clear()
    (x[:120] + x[80:200]).sum().item()
    chunks = [path for _, path, _ in server.asked if "/c/" in path]
    assert sorted(chunks) == ["/a.zarr/c/0/0", "/a.zarr/c/1/0"]


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_chunks_of_hdf5_are_fetched_together(server: Server, tmp_path: Path, compression: str | None) -> None:
    pytest.importorskip("h5py")
    weft.save(tmp_path / "a.h5", LARGE, chunks=(25, 1000), compression=compression)
    x = weft.open(f"{server.url}/a.h5")
    server.asked.clear()
    np.testing.assert_array_equal(x[:400].numpy(), LARGE)
    assert len(server.asked) < 8  # for 16 chunks
    assert server.sent() < 1.2 * LARGE.nbytes


def test_garbage_of_hdf5_waits_for_no_thread_that_fetches(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    h5py = pytest.importorskip("h5py")
    weft.save(tmp_path / "a.h5", VALUES)
    fetched, threads = RemoteFile._fetched, list[Thread]()

    def allocates() -> None:
        kept = [[] for _ in range(100_000)]  # more than enough for a collection
        del kept

    def fetch(self: RemoteFile, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        garbage = [h5py.h5s.create(h5py.h5s.SCALAR)]
        garbage.append(garbage)
        del garbage
        threads.append(Thread(target=allocates, daemon=True))
        threads[-1].start()
        threads[-1].join(5)
        assert not threads[-1].is_alive()
        return fetched(self, ranges)

    monkeypatch.setattr(RemoteFile, "_fetched", fetch)
    np.testing.assert_array_equal(weft.open(f"{server.url}/a.h5").numpy(), VALUES)
    assert threads


def test_chunks_that_are_not_stored_have_the_fill_value(server: Server, tmp_path: Path) -> None:
    weft.save(tmp_path / "a.zarr", VALUES, chunks=(3, 10))
    (tmp_path / "a.zarr" / "c" / "1" / "0").unlink()
    assert weft.open(f"{server.url}/a.zarr").sum().item() == VALUES[:3].sum()


def test_shards_are_read_by_their_index(server: Server, tmp_path: Path) -> None:
    weft.save(tmp_path / "a.zarr", LARGE, chunks=(25, 100), shards=(400, 1000))
    x = weft.open(f"{server.url}/a.zarr")
    server.asked.clear()
    assert x[30, 150].item() == LARGE[30, 150]
    assert server.sent() < 200_000


# ---- faults


def test_a_server_that_sends_whole_files(server: Server, stored: str) -> None:
    server.has_ranges = False
    with pytest.raises(
        FileFormatError, match=r'sent 3200128 bytes for the range 0 to 65536; .*, as "simplecache::http'
    ):
        weft.open(stored)
    server.accepts = "none"
    with pytest.raises(
        FileFormatError, match=r"npy: .*: its server has no ranges, so it cannot be read in parts; fetch"
    ):
        weft.open(stored)


def test_a_server_that_does_not_say_sizes(server: Server, stored: str) -> None:
    server.has_size = False
    with pytest.raises(FileFormatError, match=r"npy: .*large.npy: its server does not say its size"):
        weft.open(stored)


def test_a_file_that_is_not_there(server: Server, memory: str) -> None:
    with pytest.raises(MissingFileError, match=r"npy: http://.*/a.npy: cannot be opened: nothing is there; check the"):
        weft.open(f"{server.url}/a.npy")
    with pytest.raises(
        MissingFileError, match=r"zarr: http://.*/a.zarr: holds none of zarr.json, .zarray, .zgroup; it"
    ):
        weft.open(f"{server.url}/a.zarr")
    with pytest.raises(FileFormatError, match=r"npy: memory://.*: is a folder; a file is wanted"):
        weft.open(memory, format="npy")


def test_a_server_that_fails(server: Server, stored: str) -> None:
    x = weft.open(stored)
    server.fails = lambda path, first: True
    with pytest.raises(
        FileFormatError, match=r"npy: http.*: cannot be read: ClientResponseError: 500.*; check the URL"
    ):
        x.sum().item()
    server.fails = lambda path, first: False
    assert x.sum().item() == LARGE.sum()


def test_a_server_that_is_gone(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        url = server.url
    with pytest.raises(
        FileFormatError, match=r"cannot be read: .*; check the URL, storage_options= and the connection"
    ):
        weft.open(f"{url}/a.npy")


@pytest.mark.parametrize("name", ["npy", "npz deflated", "hdf5 gzip", "zarr gzip", "parquet"])
def test_a_file_that_changed(memory: str, server: Server, tmp_path: Path, name: str) -> None:
    make, options = FILES[name]
    path = make(tmp_path)
    opened = [weft.open(f"{server.url}/{path.name}", **options), weft.open(put(path, memory), **options)]
    time.sleep(0.01)
    for file in [path] if path.is_file() else path.rglob("*.json"):
        file.write_bytes(file.read_bytes().replace(b'"zarr_format"', b' "zarr_format"'))
    put(path, memory)
    for x in opened:
        with pytest.raises(FileFormatError, match="has changed since it was opened; open it again"):
            x.numpy()


def test_a_file_that_became_shorter(server: Server, stored: str, tmp_path: Path) -> None:
    x = weft.open(stored)
    (tmp_path / "large.npy").write_bytes((tmp_path / "large.npy").read_bytes()[:100_000])
    with pytest.raises(FileFormatError, match=r"npy: .*; (it became shorter|check the URL)"):
        x[100:].sum().item()


def test_what_urls_are_refused(tmp_path: Path, memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "a.npy", VALUES)
    url = put(tmp_path / "a.npy", memory)
    with pytest.raises(FileFormatError, match=r"open: foo://a.npy: Protocol not known: foo; fsspec has no such file"):
        weft.open("foo://a.npy")
    with pytest.raises(FileFormatError, match=r"mmap=True, and it is a URL; only local files are mapped; leave it out"):
        weft.open(url, mmap=True)
    with pytest.raises(FileFormatError, match=r"has storage_options= and is no URL; .*; leave them out"):
        weft.open(tmp_path / "a.npy", storage_options={})
    with pytest.raises(
        FileFormatError, match=r"storage_options is a int; they are named values for fsspec; give a dict"
    ):
        weft.open(url, storage_options=5)
    with pytest.raises(
        WriteError, match=r"save: memory://a.npy: is a URL; files are written to local folders only; save"
    ):
        weft.save("memory://a.npy", weft.ones(3))
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(
        FileFormatError, match=r"open: s3://a/b.npy: the package that reads such URLs is missing: .*s3fs"
    ):
        weft.open("s3://a/b.npy")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(
        FileFormatError, match=r"open: .*: fsspec reads URLs and is not installed; pip install 'weft\[rem"
    ):
        weft.open(url)


def test_objects_of_fsspec_take_what_is_saved(memory: str) -> None:
    with fsspec.open(f"{memory}/b.npy", "wb") as file:
        weft.save(file, VALUES, format="npy")
    np.testing.assert_array_equal(weft.open(f"{memory}/b.npy").numpy(), VALUES)


def test_threads_read_one_file(server: Server, stored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.sources.remote.remote_file.MAX_PAGES", 2)
    path = resolved("open", stored, None)
    assert isinstance(path, RemotePath)
    size = len(LARGE.tobytes()) + 128

    def read(first: int) -> bool:
        file = RemoteFile(path, "npy", size)
        return file.some(5000, 128 + 8 * first) == LARGE.tobytes()[8 * first : 8 * first + 5000]

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(read, [n * 7919 % 390_000 for n in range(200)]))
    assert len(path.pages) <= 10


def test_a_reduction_of_rows_asks_for_long_runs(meter: Meter) -> None:
    array = np.random.default_rng(0).normal(size=(640, 20, 100)).astype("f4")
    with fsspec.open("memory://rows/x.npy", "wb") as file:
        np.save(file, array)
    x = weft.open("memory://rows/x.npy")
    meter.sizes.clear()
    with limited(2_000_000):
        found = x.mean(axis=0).numpy()
    assert np.array_equal(found, weft.asarray(array).mean(axis=0).numpy())
    assert array.nbytes <= sum(meter.sizes) < array.nbytes + 100_000 and len(meter.sizes) < 64


def test_tiles_of_columns_ask_for_what_lies_between(meter: Meter) -> None:
    """Bytes between short runs are fetched, too: that takes less time than a request for each run."""
    array = np.random.default_rng(0).normal(size=(300, 20_000)).astype("f4")
    with fsspec.open("memory://columns/x.npy", "wb") as file:
        np.save(file, array)
    x = weft.open("memory://columns/x.npy")
    meter.sizes.clear()
    with limited(1_500_000):
        found = weft.sort(x[:, :900], axis=0).max(axis=0).numpy()
    assert np.array_equal(found, array[:, :900].max(axis=0))
    assert len(meter.sizes) < 100
