"""A sweep: one walk over the tiles of a shape that reads files once and computes all their readers.

The one idea: the footprint tells what is read before anything is read.  So tiles are chosen by their cost in memory,
threads read units ahead in the order of the tiles, and each consumer gets its inputs cut down to the tile.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, combinations
from math import lcm, prod
from typing import Any, Generic, NamedTuple, TypeVar

from weft.backends.calls.blocks import bytes_under_way
from weft.dtypes import to_numpy
from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, walk
from weft.ir.kernels.plan import CallStep, Plan
from weft.ir.pieces.box import Box, box_of
from weft.passes.fuse import below, over_files
from weft.passes.narrowing.restrict import BoxRecipe, Parts, restricted_together
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import WHOLE
from weft.runtime.memory.allocator import POOL
from weft.runtime.memory.limits import warn_beyond
from weft.runtime.scoped_setting import Setting
from weft.settings import get_num_threads
from weft.sources.read.address_space import stand_in_array
from weft.sources.read.byte_ranges import METERS
from weft.sources.read.kept_chunks import keep_at_most
from weft.sources.read.touched_boxes import hull, inside
from weft.sources.stream.chunk_counts import ReadBytes, read_bytes
from weft.sources.stream.footprints import Footprint
from weft.sources.stream.products import product_rule, tiled_products
from weft.sources.stream.reading_ahead import HeldCells, ReadingAhead, TileStep, Wanted, tile_steps, widen
from weft.sources.stream.running_scans import RunningScans, state_bytes
from weft.sources.stream.takes import along_rule, take_rule, takes_along, tiled_takes
from weft.sources.stream.tiling import TileKey, Tiling, tiling
from weft.sources.stream.units import (
    READ,
    ChunkGroups,
    UnitReader,
    covering,
    groups_of,
    run_share,
    stored_cells,
    unit_bytes,
    unit_count,
    units_of,
    window,
)

IN_TILE: Setting[bool] = Setting("in_tile", False, bool)  # true while a tile is computed, which is not tiled again
BEYOND = 1 << 44  # a tile with so many bytes of units is not planned: planning takes addresses, of which there are 2^47
SHORT = 1 / 8  # useful share of the time in runs whose calls take as long as their bytes: a second pass takes no longer
Windows = list[tuple[Node, Box, Node]]  # boxes of files, and their cells as stored nodes


class TileConsumer(ABC):
    """A consumer of tiles in a sweep: a fold, a sink or memory.

    `roots` are the nodes that it consumes, all of the sweep's shape; `values` are those that `publish` gives values.
    Tiles span the axes in `uncut`; along other axes they begin at multiples of `unit`.  `what` names it in forecasts,
    where the names of its nodes do not.
    """

    values: Sequence[Node] = ()
    what = ""
    reserved = 0  # bytes that it takes beside the sweep

    def __init__(self, roots: Sequence[Node]) -> None:
        self.roots = roots
        self.uncut = frozenset[int]()
        self.unit: Shape = (1,) * roots[0].desc.ndim

    @abstractmethod
    def needed(self, size: Shape) -> int:
        """Return the bytes that the consumer holds between tiles of `size`, and needs to add one."""

    def waiting(self, tiling: Tiling) -> int:
        """Return the bytes that the consumer holds, beside `needed`, for parts whose tiles do not all come in turn."""
        return 0

    def planned(self, inputs: Sequence[Node]) -> list[Node]:
        """Return nodes that need about as much memory as adding a tile with `inputs`; here `inputs` themselves."""
        return list(inputs)

    def run_share(self, size: Shape) -> float:
        """Return the useful share of time in writing a contiguous run of a tile's cells.

        1 for memory, less for short runs in files.
        """
        return 1.0

    def may_pair(self, axes: tuple[int, int]) -> bool:
        """True if each tile may come beside the one across the diagonal of two axes, in rising order along both."""
        return False

    def scratch(self, tiles: Sequence[Box]) -> int:
        """Return the bytes of scratch files that the consumer fills over the given tiles."""
        return 0

    @abstractmethod
    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Consume the tile at `box`; `inputs` holds a node for each root, cut down to the box.

        Raises the errors of computing or writing it.
        """

    @property
    def is_known(self) -> bool:
        """True if the consumer needs no further tile."""
        return False

    def publish(self) -> None:  # noqa: B027
        """Attach the values to their nodes, once all tiles are added."""

    def assume(self) -> None:
        """Act for a forecast as if all tiles were added and published: memory without pages stands in for values."""
        for n in self.values:
            stand_in(n)


T = TypeVar("T", bound=TileConsumer)


class SweepSteps(NamedTuple):
    """The tiles of a sweep in order, with what is read for each.

    `read` has the (file, box) pairs of each tile, `parts` the units of each pair, `units` those of the tile.
    """

    boxes: list[Box]
    read: list[list[tuple[Node, Box]]]
    parts: list[list[Wanted]]
    units: list[TileStep]

    @property
    def nbytes(self) -> int:
        """Return the bytes of all units, counted each time they are read; units from scratch count half."""
        return sum([s.nbytes for s in self.units])

    @property
    def read_singly(self) -> bool:
        """True if no unit is read again."""
        return len({u for s in self.units for u in s.read}) == sum([len(s.read) for s in self.units])

    @property
    def are_read_once(self) -> bool:
        """True if units that are read again add at most a quarter to the bytes read."""
        reads = [u for s in self.units for u in s.read]
        return 4 * sum([u.nbytes for u in reads]) <= 5 * sum([u.nbytes for u in set(reads)])


class Sweep(Generic[T]):
    """One walk over the tiles of some consumers' common shape within `limit` bytes of memory.

    `order` lists the axes, the one that moves fastest last.  `roots` replaces the consumers' roots if they read values
    that other sweeps of a chain still compute.
    """

    def __init__(
        self, consumers: Sequence[T], shape: Shape, order: Sequence[int], limit: int, roots: Sequence[Node] = ()
    ) -> None:
        self.consumers, self.shape, self.order, self.limit = consumers, shape, order, limit
        self.roots = roots or [r for t in consumers for r in t.roots]
        self.over_files = over_files(self.roots)
        self.products = tiled_products(self.roots, self.over_files)
        self.takes = tiled_takes(self.roots, self.over_files, limit)
        self.along = takes_along(self.roots, self.over_files)
        self.shared = {id(n) for n in below(self.roots) if n.op.kind in WHOLE} - self.products
        self.over_parts = self.over_files - self.shared  # computed anew for every tile; the others once
        self.footprint = Footprint(self.roots, limit, parts=self.products | self.along)
        self.uncut = self.footprint.whole_axes.union(*[t.uncut for t in consumers])  # axes that tiles hold as a whole
        self.idle = self.footprint.idle_axes()
        self.unit = [lcm(*of) for of in zip(*[t.unit for t in consumers], strict=True)]
        self._known: dict[TileKey, tuple[list[tuple[Node, Box]], int, int]] = {}
        self._computing: dict[TileKey, int] = {}

    def hold_reduced(self) -> bool:
        """Keep the axes of reductions below the roots uncut, before anything is planned; False if there are none."""
        axes = self.footprint.reduced_axes()
        self.uncut |= axes
        return bool(axes)

    def fit_in_one_pass(self) -> bool:
        """Hold what is reduced as a whole; True if such tiles fit and read files about once.

        Runs must also be long enough, unless those of the whole, such as a column, are short too. Call this before
        anything is computed. If it returns False, make a new sweep: this one has changed.
        """
        self.hold_reduced()
        of_units = [m % u == 0 or m >= n for m, n, u in zip(self.tiling.most, self.shape, self.unit, strict=True)]
        if not self.fits or not all(of_units):
            return False
        uncut = Tiling([[(0, n)] for n in self.shape], [max(n, 1) for n in self.shape])
        return self.run_share(self.tiling) >= min(SHORT, self.run_share(uncut)) and self.are_read_once

    @cached_property
    def _read_bytes(self) -> ReadBytes | None:
        return read_bytes(self.footprint, self.tiling.parts, self.groups)

    @property
    def are_read_once(self) -> bool:
        """True if units that are read again add at most a quarter to the bytes read."""
        found = self._read_bytes  # which takes no time for each tile
        return (found is not None and 4 * found.by_tile <= 5 * found.distinct) or self.steps.are_read_once

    @property
    def reads_singly(self) -> bool:
        """True if no unit is read again."""
        return self.reads_disjointly or self.steps.read_singly

    @property
    def nbytes(self) -> int:
        """Return the bytes of all units, counted each time they are read; units from scratch count half."""
        return self._read_bytes.distinct if self.reads_disjointly and self._read_bytes else self.steps.nbytes

    @property
    def reads_disjointly(self) -> bool:
        """True if no two tiles read the same unit, as far as that is known."""
        return self._read_bytes is not None and self._read_bytes.by_tile == self._read_bytes.distinct

    @cached_property
    def tiling(self) -> Tiling:
        """Return the tiling of the shape, chosen by its cost in memory and reads."""
        cuts = self.footprint.cuts(self.shape)
        found = tiling(self.shape, cuts, self.unit, self)
        if self.exceeds(found, 1) and max(self.unit, default=1) > 1:  # tiles of whole units take too much
            found = tiling(self.shape, cuts, [1] * len(self.unit), self)
        return found

    def share(self, tiling: Tiling) -> float:
        """Return the share of the limit that a tile takes: its units, and twice the memory of computing."""
        units, work = self.taken(tiling)
        return (units + 2 * work) / self.limit

    @property
    def fits(self) -> bool:
        """True if a tile takes no more than the limit."""
        return not self.exceeds(self.tiling, 1)

    def exceeds(self, tiles: Tiling, share: float) -> bool:
        """True if a tile takes more than a share of the limit; planned only where its units leave that open."""
        _, units, beside = self._known_of(tiles)
        return units + 2 * beside > share * self.limit or self.share(tiles) > share

    @property
    def reader(self) -> str:
        """Return the name of a tile's costliest op: a routine, scan or take below the roots, else a root."""
        names = [
            n.op.name for n in below(self.roots) if id(n) in self.over_files and n.op.kind in ("call", "scan", "take")
        ]
        return names[-1] if names else self.roots[0].op.name

    def run_share(self, tiles: Tiling) -> float:
        """Return the useful share of time in reading and writing contiguous runs of a tile: the least, at most 1.

        Runs count as far as a tile reads or writes as many bytes of them as of the file that it reads most of.
        """
        box = tiles.middle()
        moved = [(run_share(f, b), b.cells * f.desc.dtype.itemsize) for f, b in self.footprint.boxes(box)]
        most = max([nbytes for _, nbytes in moved], default=1) or 1
        moved += [(t.run_share(box.size), self.cell_bytes(box.size)) for t in self.consumers]
        return min([1 / (1 + min(1.0, nbytes / most) * (1 / share - 1)) for share, nbytes in moved], default=1.0)

    def taken(self, tiling: Tiling) -> tuple[int, int]:
        """Return the bytes of the units of a tile of a tiling, and the bytes of computing it."""
        boxes, held, beside = self._known_of(tiling)
        if (key := tiling.key) not in self._computing:
            self._computing[key] = self._work(tiling.middle(), boxes) if held < BEYOND else held
        return held, beside + self._computing[key]

    def _known_of(self, tiling: Tiling) -> tuple[list[tuple[Node, Box]], int, int]:
        """Return what is known of a tile without a plan: boxes of files, their bytes, and bytes beside its work."""
        if (key := tiling.key) not in self._known:
            boxes = self.footprint.boxes(box := tiling.middle())
            needed = sum([t.needed(box.size) for t in self.consumers])
            needed += sum([state_bytes(n) for n in walk(self.roots) if id(n) in self.footprint.carried])
            waiting = sum([t.waiting(tiling) for t in self.consumers]) // 2  # the share of a tile counts it twice
            self._known[key] = boxes, unit_bytes(boxes), needed + waiting
        return self._known[key]

    def _work(self, box: Box, boxes: Sequence[tuple[Node, Box]]) -> int:
        """Return the bytes that computing the tile at `box` takes: windows joined from several units, and temporaries.

        `boxes` are the (file, box) pairs that it reads.
        """
        copied: list[int] = []  # the bytes of each window that consists of several units

        def stand_in(file: Node, b: Box, units: int = 2) -> Node:
            cells = stand_in_array(to_numpy(file.desc.dtype, file.desc.byteorder), b.size, "a tile")
            copied.append(cells.nbytes if units > 1 else 0)
            return stored_cells(file, cells)

        windows = [(file, b, stand_in(file, b, unit_count(file, b))) for file, b in boxes]
        scans = RunningScans(self.footprint.carried)
        nodes = [n for t, x in self._cut(box, windows, scans, stand_in) for n in t.planned(x)]
        pending = [n for n in nodes if n.value is None]
        if not pending:
            return sum(copied)
        program = stages.planned_work(pending).program
        return sum(copied) + program.peak + call_bytes(program.plan)

    def unit_bytes(self, tiles: Tiling) -> int:
        """Return the bytes of a tile's units in memory."""
        return self._known_of(tiles)[1]

    def cell_bytes(self, size: Shape) -> int:
        """Return the bytes of a tile of `size` cells of the root with the largest dtype."""
        return prod(size) * max([r.desc.dtype.itemsize for r in self.roots])

    def _cut(self, box: Box, windows: Windows, scans: RunningScans, joined: Parts) -> list[tuple[T, list[Node]]]:
        """Return (consumer, its roots cut down to `box`) pairs.

        `windows` hold the cells of files read; `joined` makes another one, of a box that none of them holds alone.
        """

        def part(file: Node, wanted: Box) -> Node:
            around = hull([wanted])
            held = next((w for w in windows if w[0] is file and w[1].holds(around)), None)
            if held is None:
                held = file, around, joined(file, around)
                windows.append(held)
            _, b, cells = held
            return cells if wanted == b else se.slice_(cells, inside(wanted, b.start).runs)

        def rule(n: Node, b: Box) -> BoxRecipe:
            if id(n) in self.along:
                return along_rule(n, b)
            if id(n) in self.takes:
                return take_rule(n, b)
            return product_rule(n, b) if id(n) in self.products else scans.rule(n, b)

        recomputed = self.over_files if box.size == self.shape else self.over_parts
        found = iter(restricted_together([(r, box) for r in self.roots], part, recomputed, rule))
        return [(t, [next(found) for _ in t.roots]) for t in self.consumers]

    @cached_property
    def boxes(self) -> list[Box]:
        """Return the boxes of the tiles, in order; another process that runs part of a sweep assigns them."""
        if self.reads_disjointly:  # no order of them reads less, so what each reads need not be known
            return self.tiling.tiles(self.order)
        return self.steps.boxes

    @cached_property
    def steps(self) -> SweepSteps:
        """Return the tiles in order, with the units read for each.

        Tiles across a diagonal come beside each other if less is then read.
        """
        if "boxes" in self.__dict__:
            return self._steps(self.boxes)
        found = self._steps(self.tiling.tiles(self.order))
        spans = self.tiling.spans
        alike = [p for p in combinations(self.order, 2) if len(spans[p[0]]) > 1 and spans[p[0]] == spans[p[1]]]
        pairs = [p for p in alike if all(t.may_pair(p) for t in self.consumers)]
        if not pairs or found.read_singly or self.footprint.carried:
            return found
        return min([found, *[self._steps(self.tiling.tiles(self.order, p)) for p in pairs]], key=lambda s: s.nbytes)

    def _steps(self, boxes: list[Box]) -> SweepSteps:
        """Return tiles with what is read for each."""
        read = [self.footprint.boxes(b) for b in boxes]
        parts = [[self.units(f, b) for f, b in asked] for asked in read]
        return SweepSteps(boxes, read, parts, tile_steps([*map(_united, parts)], self.room))

    @cached_property
    def groups(self) -> dict[Node, ChunkGroups | None]:
        """Return the groups of small chunks that are read together, by file; None for a file without groups."""
        every: dict[Node, list[Box]] = {}
        for file, box in self.footprint.boxes(box_of(self.shape)):
            every.setdefault(file, []).append(box)
        asked = dict(self.footprint.boxes(self.tiling.middle()))
        return {f: groups_of(f, box, every[f], self.limit) for f, box in asked.items()}

    def units(self, file: Node, box: Box) -> Wanted:
        """Return the units that contain `box` of a file, each with its part of the box."""
        return units_of(file, box, self.groups.get(file))

    @cached_property
    def room(self) -> int:
        """Return the bytes of units that are held at once, including units read ahead.

        Beside these, each thread holds the encoded bytes of a unit, or the bytes that its source gives as
        `decode_bytes`. Of cells that are not encoded there is room for two tiles, if the limit allows.
        """
        nbytes, work = self.taken(self.tiling)
        asked = self.footprint.boxes(self.tiling.middle())
        units = [u for f, b in asked for u in self.units(f, b)]
        beside = max([getattr(u.source, "decode_bytes", u.nbytes) for u in units], default=0)
        free = self.limit - 2 * work
        two_tiles = 0 if any(u.is_decoded for u in units) else min(free, 2 * nbytes)
        return max(free - get_num_threads() * beside, two_tiles, self.limit // 4)

    @cached_property
    def scans(self) -> RunningScans:
        """Return the state of scans between tiles."""
        shared = self.shared  # not the sweep: a cycle would hold the nodes, which then pass for readers of values

        def compute(nodes: Sequence[Node]) -> None:
            compute_shared(nodes, shared)
            with IN_TILE.block(True):
                stages.compute(nodes)

        return RunningScans(self.footprint.carried, compute)

    def run(self) -> None:
        """Compute all tiles; raises the errors of reading (FileFormatError), computing and consumers."""
        run_tiles([(self, k) for k in range(len(self.steps.boxes))], self.room)

    @property
    def is_known(self) -> bool:
        """True if no consumer needs another tile."""
        return all(t.is_known for t in self.consumers)

    def compute_tile(self, number: int, cells: HeldCells) -> None:
        """Compute tile `number` from the cells of its units, and pass it to the consumers.

        Raises the errors of computing and of the consumers.
        """
        box, asked = self.steps.boxes[number], [*zip(self.steps.read[number], self.steps.parts[number], strict=True)]
        windows = [(f, b, window(f, b, [cells[u] for u in units])) for (f, b), units in asked]

        def joined(file: Node, around: Box) -> Node:
            held = {u: cells[u] for (f, _), units in asked for u in units if f is file}
            found = covering(around, list(held.values()))
            return window(file, around, found or [(u.box, u.read()) for u in units_of(file, around)])

        for consumer, inputs in self._cut(box, windows, self.scans, joined):
            compute_shared(inputs, self.shared)
            with IN_TILE.block(True):
                consumer.add(inputs, box)


def run_tiles(tiles: Sequence[tuple[Sweep[Any], int]], room: int, read: UnitReader = READ, waiting: int = 0) -> None:
    """Compute tiles, given as (sweep, number), in this order, with at most `room` bytes of units held.

    `read` returns the cells of a unit; `waiting` threads more than usual call it, as so many wait for other processes.
    Raises the errors of reading (FileFormatError), computing and consumers.
    """
    keep_at_most(0)  # free the memory that other programs keep: the tiles may use the whole limit
    steps = [sweep.steps.units[k] for sweep, k in tiles]
    for sweep in dict.fromkeys([sweep for sweep, _ in tiles]):
        warn_beyond(sweep.reader, sum(sweep.taken(sweep.tiling)))
    begun = [(meter, max(meter.done, meter.reached)) for meter in METERS]
    reached = list(accumulate([sum([u.nbytes for u in s.read]) for s in steps]))
    for meter, before in begun:
        meter.planned = before + (reached[-1] if reached else 0)
    sweeps = list(dict.fromkeys([sweep for sweep, _ in tiles]))
    limit = max([sweep.limit for sweep in sweeps], default=0)
    with POOL.bounded(limit), ReadingAhead(steps, room, get_num_threads() + waiting, read) as reading:
        for i, (sweep, k) in enumerate(tiles):
            reading.wait(i)
            sweep.compute_tile(k, reading.cells)
            reading.done(i)
            for meter, before in begun:
                meter.reached = before + reached[i]
            if all(s.is_known for s in sweeps):
                break
    files = {f for sweep, k in tiles for f, _ in sweep.steps.read[k]}
    for source in {id(f.attrs[0]): f.attrs[0] for f in files}.values():
        if hasattr(source, "check"):  # raises if the store was replaced meanwhile: missing chunks are no errors
            source.check()


def _united(parts: Sequence[Wanted]) -> Wanted:
    """Return the union of the units of several readers, each with the bounding box of the wanted parts."""
    first, *others = parts or [{}]
    if not others:
        return first
    found = dict(first)
    for u, box in [item for p in others for item in p.items()]:
        widen(found, u, box)
    return found


def stand_in(n: Node) -> None:
    """Attach memory without pages to a pending node, in place of its value."""
    if n.value is None:
        engine.publish(n, stand_in_array(n.desc.dtype.np, n.desc.shape, "a value"))


def call_bytes(plan: Plan) -> int:
    """Return the bytes that users' functions in a plan may take, beside the plan's own memory."""
    calls = [step for step in plan.steps if isinstance(step, CallStep) and step.name == "map_blocks"]
    itemsizes = [[o.dtype.itemsize for o in (*c.args[:-1], *[c.out] * len(c.attrs[0].outputs))] for c in calls]
    return max([bytes_under_way(c.attrs[0], sizes) for c, sizes in zip(calls, itemsizes, strict=True)], default=0)


def compute_shared(nodes: Sequence[Node], shared: set[int]) -> None:
    """Compute and attach the pending nodes below `nodes` with ids in `shared`, which every tile reads.

    Raises the errors of computing.
    """
    if pending := [n for n in walk(nodes) if id(n) in shared and n.value is None]:
        stages.compute(pending)
