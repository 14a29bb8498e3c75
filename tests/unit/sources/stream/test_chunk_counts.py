"""Bytes that all tiles read, counted by axes, are those of a list of the tiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import weft
from weft.ir.pieces.box import box_of
from weft.sources.stream.chunk_counts import ReadBytes, read_bytes
from weft.sources.stream.footprints import Footprint
from weft.sources.stream.tiling import Tiling
from weft.sources.stream.units import ChunkGroups, units_of
from weft.tensors.tensor import node_of

VALUES: dict[str, Callable[[Any], Any]] = {
    "all": lambda x: x + 1,
    "turned": lambda x: x.permute((2, 0, 1)),
    "a part": lambda x: x[3:, 5:31, 2] * 2,
    "flipped": lambda x: weft.flip(x, axis=1),
    "over an axis": lambda x: x.max(axis=1) - 1,
    "repeated": lambda x: weft.broadcast_to(x[:, :1, :], (40, 33, 10)),
}


@pytest.fixture(scope="module")
def x(tmp_path_factory: pytest.TempPathFactory) -> weft.Tensor:
    path = tmp_path_factory.mktemp("counts") / "x.zarr"
    weft.save(path, weft.zeros((40, 33, 10), dtype="float32"), chunks=(7, 10, 4))
    return weft.open(path)


def listed(footprint: Footprint, tiles: Tiling, group: ChunkGroups | None) -> ReadBytes:
    """The same by a list of all tiles and their units."""
    boxes = tiles.tiles(range(len(tiles.spans)))
    reads = [[u for f, b in footprint.boxes(box) for u in units_of(f, b, group)] for box in boxes]
    size = 4 * 7 * 10 * 4 if group is None else 4 * group.size[0] * group.size[1] * group.size[2]
    return ReadBytes(size * sum(map(len, reads)), size * len({u for units in reads for u in units}))


@pytest.mark.parametrize("size", [(7, 10, 4), (5, 33, 3), (40, 4, 10), (14, 20, 8)], ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_counts_are_those_of_a_list(x: weft.Tensor, name: str, size: tuple[int, ...]) -> None:
    value = node_of(VALUES[name](x))
    shape = value.desc.shape
    tiles, footprint = Tiling([[(0, n)] for n in shape], list(size[: len(shape)])), Footprint([value], 1 << 20)
    for group in (None, ChunkGroups((14, 10, 8), box_of((40, 33, 10)))):
        groups = {r.file: group for r in footprint.reaches or ()}
        assert read_bytes(footprint, tiles.parts, groups) == listed(footprint, tiles, group)


@pytest.mark.parametrize("mixed", [lambda x: x[::3], lambda x: x[:10, :10] + x[:10, :10].permute((1, 0, 2))])
def test_what_is_no_product_is_not_counted(x: weft.Tensor, mixed: Callable[[Any], Any]) -> None:
    value = node_of(mixed(x))
    tiles = Tiling([[(0, n)] for n in value.desc.shape], [5, 5, 5])
    assert read_bytes(Footprint([value], 1 << 20), tiles.parts, {}) is None
