"""Shards: what workers hold, which cells of it travel, and when it is freed."""

from __future__ import annotations

import gc
import platform
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.cluster.conftest import wait_until
from weft.cluster import links
from weft.ir.graph.node import walk
from weft.runtime.memory import limits
from weft.tensors.tensor import node_of

X = np.arange(600.0 * 500).reshape(600, 500)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("shards") / "x.npy"
    np.save(found, X)
    return found


def test_realised_values_stay_on_workers(client: Any, path: Path) -> None:
    with weft.cluster.connect(client) as connection:
        y = (weft.open(path) + 1).realize()
        assert sum(connection.bytes_received().values()) == 0
        assert y[::100, 5].tolist() == (X[::100, 5] + 1).tolist()
        assert sum(connection.bytes_received().values()) == 6 * 8
        assert np.array_equal(y.numpy(), X + 1)


def test_only_cells_asked_for_travel(client: Any, path: Path) -> None:
    with weft.cluster.connect(client) as connection:
        y = weft.open(path).realize()
        before = connection.bytes_by_link()
        told = {(at, "client"): n for s in weft.explain(y[3::7, ::5]).sources for at, n in s.links}
        assert np.array_equal(y[3::7, ::5].numpy(), X[3::7, ::5])
        after = connection.bytes_by_link()
        assert {k: n - before.get(k, 0) for k, n in after.items() if n != before.get(k, 0)} == told
        assert sum(told.values()) == 86 * 100 * 8


@pytest.mark.parametrize("stays", [True, False])
def test_values_are_read_into_memory_of_their_own(
    client: Any, path: Path, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are results, not memory beside them, so the limit has no say; workers free what was read."""
    monkeypatch.setattr(limits, "SLACK", 0)
    with weft.cluster.connect(client) as connection:
        y = weft.open(path) * 3
        y = y.realize() if stays else y
        with warnings.catch_warnings():
            warnings.simplefilter("error", weft.errors.MemoryLimitWarning)
            found = y.numpy()
        assert np.array_equal(found, X * 3)
        assert sum(connection.bytes_received().values()) == X.nbytes
        wait_until(lambda: not any(client.run(held_keys).values()), "workers did not free what was read")


def test_results_that_are_made_again_are_found_where_they_are(client: Any, path: Path) -> None:
    """The holder of one that was freed is not asked for the next of its key."""
    with weft.cluster.connect(client) as connection:
        known = connection.link.known
        y = (weft.open(path) * 5).realize()
        assert y[3, 4].item() == X[3, 4] * 5 and known
        del y
        gc.collect()
        assert not known


def test_large_boxes_come_in_parts(client: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with weft.cluster.connect(client):
        y = weft.open(path).realize()
        monkeypatch.setattr(links, "PIECE", 700)
        assert np.array_equal(y[100:400:7, 499:100:-3].numpy(), X[100:400:7, 499:100:-3])
        assert y[599, 499].item() == X[-1, -1]


def held_keys(dask_worker: Any) -> list[str]:
    return [key for key in dask_worker.data if str(key).startswith("weft-")]


def test_cells_are_repeated_where_they_are_used(client: Any, path: Path) -> None:
    with weft.cluster.connect(client) as connection:
        y = weft.open(path).realize()
        wide = weft.broadcast_to(y[7], (300, 500)) + weft.pad(y[:2, :3], ((0, 298), (0, 497)))
        found = wide.numpy()
        assert sum(connection.bytes_received().values()) <= 500 * 8 + 6 * 8
    wanted = np.broadcast_to(X[7], (300, 500)).copy()
    wanted[:2, :3] += X[:2, :3]
    assert np.array_equal(found, wanted)


def test_large_broadcasts_are_made_where_they_are_used(client: Any, path: Path) -> None:
    with weft.cluster.connect(client) as connection:
        y = weft.open(path).realize()
        found = weft.broadcast_to(y[7], (6000, 500)).numpy()
        assert sum(connection.bytes_received().values()) == 500 * 8
    assert np.array_equal(found, np.broadcast_to(X[7], (6000, 500)))


def test_sums_are_made_where_the_cells_lie(client: Any, path: Path) -> None:
    with weft.cluster.connect(client) as connection:
        y = weft.cluster.shard(X, chunks=(300, None))
        before = connection.bytes_by_link()
        assert y.sum().item() == weft.asarray(X).sum().item()
        assert np.array_equal((y * 2).mean(axis=1).numpy(), (weft.asarray(X) * 2).mean(axis=1).numpy())
        moved = {k: n - before.get(k, 0) for k, n in connection.bytes_by_link().items() if k[1] != "client"}
        assert not any(moved.values())
        z = (y + 1).realize()
        assert np.array_equal(z.numpy(), X + 1)


@pytest.mark.parametrize("way", ["held", "summed", "turned and summed"])
def test_bytes_by_link_are_known_beforehand(client: Any, way: str) -> None:
    """Both ends count what was told; without copies of shards, half of the transposed cells cross."""
    with weft.cluster.connect(client) as connection:
        y = weft.cluster.shard(weft.random.uniform((600, 600), seed=3), chunks=(300, None))
        asked = {"held": y.T + y, "summed": y * 2, "turned and summed": y.T - y}[way]
        asked = asked if way == "held" else asked.sum(axis=1)
        (share,) = weft.explain(asked).shares
        before, received = connection.bytes_by_link(), connection.bytes_received_by_workers()
        asked.realize()
        links = [
            {link: n - old.get(link, 0) for link, n in now.items() if link[1] != "client" and n != old.get(link, 0)}
            for old, now in (
                (before, connection.bytes_by_link()), (received, connection.bytes_received_by_workers())
            )
        ]  # fmt: skip
        told = {(giver, to): n for giver, to, n in share.links}
        assert links == [told, told]
        assert sum(told.values()) == (0 if way == "summed" else 2 * 300 * 300 * 8)


def test_given_cells_have_two_holders(client: Any) -> None:
    with weft.cluster.connect(client):
        y = weft.cluster.shard(X.astype(np.float32), chunks=(200, 250))
        holders = y_source(y).holders
        assert len(holders) == 6
        assert {len(set(at)) for at in holders.values()} == {2}
        assert np.array_equal(y[1::3, 240:260].numpy(), X.astype(np.float32)[1::3, 240:260])


def test_one_worker_has_a_file_beside_it(lone_client: Any, tmp_path: Path) -> None:
    weft.set_scratch_folder(tmp_path)
    try:
        with weft.cluster.connect(lone_client):
            y = weft.cluster.shard(X)
            assert np.array_equal(y[:, ::2].numpy(), X[:, ::2])
            assert len(list(tmp_path.iterdir())) == 1
            del y
            gc.collect()
            assert not list(tmp_path.iterdir())
    finally:
        weft.set_scratch_folder(None)


def test_generators_are_made_by_workers(client: Any) -> None:
    made = weft.random.Generator(5).normal(size=(400, 300))
    with weft.cluster.connect(client) as connection:
        y = weft.cluster.shard(made, chunks=100)
        assert connection.tasks == 12
        assert np.array_equal(y.numpy(), made.numpy())


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "complex64", "complex32"])
def test_dtypes(client: Any, dtype: str) -> None:
    x = weft.asarray(X[:60, :40] % 2).astype(getattr(weft, dtype))
    with weft.cluster.connect(client):
        y = weft.cluster.shard(x, chunks=(25, 40))
        assert y.dtype == x.dtype and y[::3, 1::2].tolist() == x[::3, 1::2].tolist()


def test_shapes(client: Any) -> None:
    with weft.cluster.connect(client):
        for x in (np.array(3.5), np.zeros((0, 4)), np.arange(3)[::-1], np.arange(6).astype(">i4").reshape(2, 3).T):
            assert weft.cluster.shard(x).tolist() == x.tolist()


def test_a_write_leaves_the_workers_alone(client: Any, path: Path) -> None:
    with weft.cluster.connect(client):
        y = weft.open(path).realize()
        z = y + 0
        y[0, 0] = 7
        assert y[0, :2].tolist() == [7, 1] and z[0, :2].tolist() == [0, 1]


def test_handles_that_go_free_the_cells(client: Any, path: Path) -> None:
    with weft.cluster.connect(client):
        y = (weft.open(path) * 3).realize()
        keys = set(y_source(y).holders)
        assert keys <= set(client.who_has())
        del y
        gc.collect()
        wait_until(lambda: not keys & set(client.who_has()), "workers still hold the cells")


def test_cells_of_a_client_that_is_closed(client: Any, path: Path) -> None:
    own = type(client)(client.scheduler.address, set_as_default=False)
    with own, weft.cluster.connect(own):
        y = (weft.open(path) + 1).realize()
    with pytest.raises(weft.errors.ClusterError, match="went with the cluster that held them, or its client is closed"):
        y[3].numpy()


def test_wrong_chunks(client: Any) -> None:
    with weft.cluster.connect(client):
        for chunks in (0, (3,), (3, -1), "ab"):
            with pytest.raises(weft.errors.ShapeError, match="chunks"):
                weft.cluster.shard(X, chunks=chunks)  # type: ignore[arg-type]
    with pytest.raises(weft.errors.ClusterError, match="no cluster"):
        weft.cluster.shard(X)


def y_source(y: weft.Tensor) -> Any:
    """The source of a sharded tensor."""
    return next(n.attrs[0] for n in walk([node_of(y)]) if n.op.name == "file")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_workers_touch_no_new_pages_for_every_array(client: Any) -> None:
    """Dask has the C library give freed arrays of 128 kB and more back to the system at once."""

    def faults() -> int:
        import resource

        def count() -> int:
            return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt

        np.ones(1 << 16)
        before = count()
        for _ in range(100):
            np.ones(1 << 16)
        return count() - before

    with weft.cluster.connect(client):
        assert max(client.run(faults).values()) < 100  # of 12 800 pages
