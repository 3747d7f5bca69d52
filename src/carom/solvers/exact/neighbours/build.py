"""Build a neighbourhood: choose between cells and lists, and set it up from where the balls are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import kernel
from carom.solvers.exact.kinds import NONE
from carom.solvers.exact.memory import aligned
from carom.solvers.exact.neighbours import cells, list_update, lists
from carom.solvers.exact.neighbours.candidate import PLAIN, periods
from carom.solvers.exact.neighbours.cells import Cells
from carom.solvers.exact.neighbours.lists import Lists
from carom.solvers.exact.neighbours.wall_grid import walls_by_cell

Floats = NDArray[np.float64]

MARGIN = 1.0 + 1e-7  # cells are larger than a contact distance by more than rounding can take away
PER_CELL = {2: 0.7, 3: 0.5}  # balls in a cell, where the balls are small enough
THIN, PER_THIN_CELL = 0.2, 1.0  # packing fraction in the plane below which a ball leaves cells oftener than it collides
CROWD = 6.0  # balls in a cell as large as the largest ball, beyond which lists are faster
DENSE = {2: 0.6, 3: 0.45}  # packing fraction beyond which lists are faster
NEAR = {2: 1.64, 3: 1.5}  # spacings of balls within which they are listed
LIST_ROOM = 64  # balls that a list may name, at least
LARGEST_GRID = 2**31 // 8  # cells
REMEMBERING = 4_000  # balls up to which there is room in the near caches for what each has seen


@dataclass(frozen=True)
class Region:
    """The part of space that the grid covers: three axes, the third of one cell in two dimensions."""

    dimension: int
    low: tuple[float, float, float]
    size: tuple[float, float, float]
    periodic: tuple[bool, bool, bool]
    box: tuple[float, float, float]  # the periods

    @property
    def volume(self) -> float:
        """Its area in two dimensions, m² or m³."""
        return float(np.prod(self.size[: self.dimension]))

    def grid(self, edge: float) -> tuple[tuple[int, int, int], tuple[float, float, float]]:
        """As many cells as fit with at least that edge, and their true edges."""
        d = self.dimension
        shape = [max(1, int(min(self.size[k] / edge, LARGEST_GRID))) if k < d and edge > 0.0 else 1 for k in range(3)]
        return (shape[0], shape[1], shape[2]), tuple(self.size[k] / shape[k] for k in range(3))  # type: ignore[return-value]


def spacing(region: Region, count: float) -> float:
    """The edge of the cube (or square) that holds one of so many balls, m."""
    return float((region.volume / max(count, 1.0)) ** (1.0 / region.dimension))


def wide_enough(region: Region, largest: float, skin: float) -> bool:
    """Can lists be used at all? They need a box in which a ball cannot meet two images of another."""
    least = 4.2 * (largest + skin)
    return all(region.size[k] > least for k in range(region.dimension) if region.periodic[k])


def packing(region: Region, radius: Floats) -> float:
    """The part of the region that balls fill."""
    solid = {2: np.pi, 3: 4.0 / 3.0 * np.pi}[region.dimension] * float((radius**region.dimension).sum())
    return solid / region.volume


def per_cell(region: Region, radius: Floats) -> float:
    """How many balls a cell is to hold: more in a thin gas of the plane, where most events are ways out of cells."""
    thin = region.dimension == 2 and packing(region, radius) < THIN
    return PER_THIN_CELL if thin else PER_CELL[region.dimension]


def prefer_lists(region: Region, radius: Floats) -> bool:
    """Are neighbour lists the faster choice?"""
    largest = float(radius.max())
    crowd = radius.size * (2.0 * largest) ** region.dimension / region.volume
    return largest > 0.0 and (packing(region, radius) > DENSE[region.dimension] or crowd > CROWD)


def skin_for(region: Region, radius: Floats) -> float:
    """A skin that makes lists of some seven balls in two dimensions, and of some thirteen in three."""
    typical = float(np.median(radius))
    return max(NEAR[region.dimension] * spacing(region, radius.size) - 2.0 * typical, 0.25 * typical)


def build(
    region: Region, balls: NDArray[Any], clock: NDArray[Any], places: Floats, walls: NDArray[Any], mode: str
) -> Any:
    """The neighbourhood of all balls at their places."""
    skin = skin_for(region, balls["r"])
    wished = mode == "lists" or (mode == "auto" and prefer_lists(region, balls["r"]))
    if wished and wide_enough(region, float(balls["r"].max()), skin):
        return build_lists(region, balls, clock, places, walls, skin)
    return build_cells(region, balls, clock, places, walls)


def blank_slots(blocks: int, spare: int, clock: NDArray[Any]) -> NDArray[np.uint32]:
    """So many empty cells, and spare blocks chained up for crowded ones."""
    slots = aligned((blocks + spare) * cells.WORDS, np.uint32)
    slots[:] = NONE
    chain = slots.reshape(-1, cells.WORDS)[blocks:, cells.NEXT]
    chain[:-1] = np.arange(blocks + 1, blocks + spare)
    clock["free_cell"] = blocks
    return slots


def coordinates(
    region: Region, shape: tuple[int, int, int], edge: tuple[float, float, float], places: Floats
) -> NDArray[np.int64]:
    """The cells of the places, clamped to the grid."""
    found = np.floor((places - np.array(region.low)) / np.array(edge)).astype(np.int64)
    return np.clip(found, 0, np.array(shape) - 1)


def build_cells(region: Region, balls: NDArray[Any], clock: NDArray[Any], places: Floats, walls: NDArray[Any]) -> Cells:
    """Cells at least as large as the largest contact distance, and as large as to hold `per_cell` balls each."""
    reach = float(balls["r"].max())
    edge = max(2.0 * reach * MARGIN, spacing(region, balls.size / per_cell(region, balls["r"])))
    shape, edges = region.grid(edge)
    where = coordinates(region, shape, edges, places)
    balls["cx"], balls["cy"], balls["cz"] = where.T
    count = shape[0] * shape[1] * shape[2]
    slots = blank_slots(count, balls.size // cells.ROOM + 64, clock)
    first, near = walls_by_cell(walls, shape, region.low, edges, reach)
    hood = Cells(
        slots, slots.view(line_record), first, near, shape, region.low, edges, region.box, region.periodic,
        periods(region.box),
    )  # fmt: skip
    file_in_cells(hood, clock, balls)
    return hood


line_record = np.dtype([("words", "u4", (cells.WORDS,))])


@kernel
def file_in_cells(hood: Any, clocks: Any, balls: Any) -> None:
    """File every ball in its cell."""
    for i in range(balls.size):
        cells.enter(hood, clocks[0], cells.cell_of(hood, balls[i]), np.uint32(i))


def size_classes(radius: Floats) -> NDArray[np.uint8]:
    """Balls whose radii differ by less than a factor of two or so share a class; points are in the lowest."""
    positive = radius[radius > 0.0]
    smallest = float(positive.min()) if positive.size else 1.0
    octave = np.floor(np.log2(np.maximum(radius, smallest) / smallest)).astype(np.int64)
    return np.unique(octave, return_inverse=True)[1].reshape(-1).astype(np.uint8)


def build_lists(
    region: Region, balls: NDArray[Any], clock: NDArray[Any], places: Floats, walls: NDArray[Any], skin: float
) -> Lists:
    """Neighbour lists, and a grid for each class of sizes."""
    n = balls.size
    remembers = region.dimension == 2 and n <= REMEMBERING
    level = size_classes(balls["r"])
    levels = int(level.max()) + 1
    reach = np.array([float(balls["r"][level == k].max()) for k in range(levels)])
    grids = [region.grid(max(2.0 * reach[k] + skin, spacing(region, float((level == k).sum())))) for k in range(levels)]
    sizes = np.array([int(np.prod(shape)) for shape, _ in grids])
    offset = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    slots = blank_slots(int(sizes.sum()), n // cells.ROOM + 64, clock)
    tables = [
        walls_by_cell(walls, shape, region.low, edge, r + skin) for (shape, edge), r in zip(grids, reach, strict=True)
    ]
    near = np.concatenate([table[1] for table in tables])
    starts = np.cumsum([0, *(table[1].size for table in tables)])
    firsts = [np.where(first == NONE, NONE, first + start) for (first, _), start in zip(tables, starts, strict=False)]
    spare, longest, unfiled = 2, LIST_ROOM, True
    while True:
        pool, heads, clock["pool"] = blank_lists(region.dimension, level, balls["r"], spare)
        hood = Lists(
            pool=pool,
            heads=heads,
            slots=slots,
            first=np.concatenate(firsts).astype(np.uint32),
            near=near,
            shape=np.array([shape for shape, _ in grids], np.int64),
            offset=offset.astype(np.int64),
            edge=np.array([edge for _, edge in grids]),
            reach=reach,
            low=region.low,
            size=region.box,
            periodic=region.periodic,
            periods=periods(region.box),
            skin=skin,
            longest=longest,
            least=int(heads["bits"][0]),
            left=np.full(32, NONE, np.uint32),
            found=np.zeros(lists.FOUND, np.uint32),
            times=aligned(lists.SEEN * n if remembers else 0, np.float64),
        )
        dim = (0,) * region.dimension
        begun = int(clock["pool"][0])
        made = list_update.make_all(dim, hood, clock, balls, places, unfiled)
        unfiled = False
        # Lists grow and shrink later: half of the room of the longest, and of the spare room, is to be left.
        if 2 * longest_of(hood) > longest:
            longest *= 4
        elif made and 2 * (clock["pool"][0] - begun) <= pool.size - begun:
            return hood
        else:
            spare *= 2


def longest_of(hood: Lists) -> int:
    """How many balls the longest list names."""
    heads = hood.heads
    told = hood.pool[: lists.LINE * heads.size].reshape(-1, lists.LINE)[:, lists.INSIDE + 1]
    return int(np.where(heads["bits"] == lists.SHORT, heads["length"], told).max())


def blank_lists(
    dimension: int, level: NDArray[np.uint8], radius: Floats, spare: int
) -> tuple[NDArray[np.uint32], NDArray[Any], int]:
    """Empty lists, with so many spare words a ball for those that grow; the records in them, and where spare begins.

    In the plane a list begins inside its ball's record; in space, where it is longer, behind all records.
    """
    n = radius.size
    within = lists.INSIDE if dimension == 2 else 2 * lists.INSIDE
    behind = 0 if dimension == 2 else within
    pool = aligned((lists.LINE + behind + spare) * n + 1024, np.uint32)
    heads = pool[: lists.LINE * n].view(lists.list_record)
    heads["level"], heads["r"], heads["mark"], heads["bits"] = level, radius, NONE, within.bit_length() - 1
    rows, itself = pool[: lists.LINE * n].reshape(n, lists.LINE), np.arange(n, dtype=np.uint32) | PLAIN
    used = lists.LINE * n + behind * n
    if behind:
        rows[:, lists.INSIDE] = lists.LINE * n + behind * np.arange(n)
        pool[lists.LINE * n : used] = np.repeat(itself, behind)
    else:
        rows[:, lists.INSIDE :] = itself[:, None]
    return pool, heads, used
