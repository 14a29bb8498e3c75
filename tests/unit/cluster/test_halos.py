"""Halos: of two tasks that read a chunk, one decodes it and sends the other cells, or both do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.cluster.conftest import wait_until
from weft.ir.pieces.box import box_of

SHAPE, CHUNKS = (96, 132, 70), (8, 66, 70)  # two chunks across, so every chunk has a border that the other half reads


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An array of two chunks across."""
    path = tmp_path_factory.mktemp("files") / "x.zarr"
    weft.save(path, np.random.default_rng(1).standard_normal(SHAPE) * 1e3, chunks=CHUNKS, compressor="zstd")
    return path


def slopes(path: Path) -> weft.Tensor:
    """Mean squares over axis 0 of differences along axis 1, wrapped."""
    x = weft.open(path)
    z = weft.roll(x, -1, 1) - weft.roll(x, 1, 1)
    return (z * z).mean(axis=0)


@contextmanager
def counted(client: Any, silent: bool = False, patience: float = 60.0) -> Iterator[Callable[[], int]]:
    """Have workers count the chunks that they decode, and wait for halos so long; if `silent`, none sends any."""

    def arm(dask_worker: Any) -> None:
        from weft.cluster import halos
        from weft.sources.zarr.zarr_array import ZarrArray

        dask_worker.weft_undo = [halos.PATIENCE, ZarrArray.block, dask_worker.handlers["weft_halo"]]
        dask_worker.weft_count = 0
        own = ZarrArray.block

        def block(self: Any, index: Any) -> Any:
            dask_worker.weft_count += 1
            return own(self, index)

        ZarrArray.block = block
        halos.PATIENCE = patience
        if silent:

            async def never(**asked: Any) -> Any:
                await asyncio.sleep(600)

            dask_worker.handlers["weft_halo"] = never

    def disarm(dask_worker: Any) -> None:
        from weft.cluster import halos
        from weft.sources.zarr.zarr_array import ZarrArray

        halos.PATIENCE, ZarrArray.block, dask_worker.handlers["weft_halo"] = dask_worker.weft_undo

    client.run(arm)
    try:
        yield lambda: sum(client.run(lambda dask_worker: dask_worker.weft_count).values())
    finally:
        client.run(disarm)


def test_a_chunk_is_decoded_once_and_its_border_travels(client: Any, path: Path) -> None:
    here = slopes(path).numpy()
    with weft.cluster.connect(client) as connection, counted(client) as count:
        asked = slopes(path)
        (share,) = weft.explain(asked).shares
        assert share.read == weft.open(path).nbytes
        before, received = connection.bytes_by_link(), connection.bytes_received_by_workers()
        there = asked.numpy()
        assert there.tobytes() == here.tobytes() and count() == 24
        links = [
            {link: n - old.get(link, 0) for link, n in now.items() if link[1] != "client" and n != old.get(link, 0)}
            for old, now in (
                (before, connection.bytes_by_link()), (received, connection.bytes_received_by_workers())
            )
        ]  # fmt: skip
        assert links == [{(giver, to): n for giver, to, n in share.links}] * 2
        assert sum(links[0].values()) == 2 * 96 * 2 * 70 * 8  # two rows of each half
        kept = lambda dask_worker: len(dask_worker.plugins["weft"].kept_halos._cells)  # noqa: E731
        wait_until(lambda: not any(client.run(kept).values()), "a worker keeps cells that were read", 50)


def test_a_chunk_is_decoded_again_if_its_border_does_not_come(client: Any, path: Path) -> None:
    here = slopes(path).numpy()
    with weft.cluster.connect(client), counted(client, silent=True, patience=0.1) as count:
        assert slopes(path).numpy().tobytes() == here.tobytes()
        assert count() == 48


@pytest.mark.parametrize("dtype", ["bool", "int16", ">f4", "float16", "bfloat16", "complex64", "complex128"])
def test_dtypes(client: Any, dtype: str, tmp_path: Path) -> None:
    cells = np.random.default_rng(2).integers(-50, 50, (96, 132, 170))
    named = weft.float32 if dtype == ">f4" else getattr(weft, dtype)
    stored = cells.astype(">f4").view("<f4") if dtype == ">f4" else weft.astype(weft.asarray(cells), named).realize()
    weft.save(tmp_path / "x.zarr", stored, chunks=(8, 66, 170), compressor="zstd")
    if dtype == ">f4":
        header = tmp_path / "x.zarr" / "zarr.json"
        header.write_text(header.read_text().replace("little", "big"))
    weft.set_memory_limit(cells.size * named.itemsize // 4)
    asked = []
    for _ in range(2):
        x = weft.open(tmp_path / "x.zarr")
        asked.append(weft.where(weft.roll(x, 1, 1) != x, weft.roll(x, -1, 1), x).sum(axis=0))
    with weft.cluster.connect(client) as connection:
        before = sum(connection.bytes_received_by_workers().values())
        there = asked[0].numpy()
        assert sum(connection.bytes_received_by_workers().values()) > before
    assert there.tobytes() == asked[1].numpy().tobytes()


def test_borders_wait_for_tasks_that_come_to_a_chunk_first(tmp_path: Path) -> None:
    """The first tile of the first half reads the last chunk, which the second half decodes at its end."""
    from tests.unit.cluster.test_partitions import LIMIT, Addresses
    from weft.cluster.distribution import Distribution
    from weft.runtime.memory import limits
    from weft.sources.stream.reduction_sweeps import reduction_sweeps
    from weft.tensors.tensor import node_of

    weft.save(tmp_path / "x.zarr", weft.zeros((4000, 4000), dtype="float32"), chunks=(1000, 1000), compressor="zstd")
    x = weft.open(tmp_path / "x.zarr")
    others = Distribution(Addresses(2), None, LIMIT, 1.0)  # type: ignore[arg-type]
    with limits.limited(LIMIT):
        (sweep,) = reduction_sweeps([node_of((weft.roll(x, 1, 0) * x).sum(axis=1))], LIMIT)
        first, second = others._tile_groups(sweep)
    assert not first.halos.awaited and {u.box.start[0] for u in second.halos.awaited} <= {1000}


def test_cells_are_kept_for_so_many_readers_and_within_bounds() -> None:
    from weft.cluster import halos

    kept, small = halos.KeptHalos(), np.arange(4.0)
    one, two = [("program", k, box_of((4,))) for k in range(2)]
    kept.put(one, small, 2)
    for _ in range(2):
        (found,) = asyncio.run(kept.get([one])) or [None]
        assert found is not None and found.tolist() == small.tolist()
    assert not kept._cells and not kept._nbytes
    kept.put(one, np.zeros(halos.ROOM // 8), 1)
    kept.put(two, small, 1)  # no room
    assert asyncio.run(kept.get([one, two])) is None
    assert not kept._cells and not kept._nbytes
    kept.put(one, small, 1)
    kept.drop("program")
    assert not kept._cells and not kept._nbytes
