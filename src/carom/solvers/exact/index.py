"""The index of a run: what is made of its anchors to find events soon, and can be made anew at any time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.solvers.exact import memory
from carom.solvers.exact.events.calendar import Calendar, turn_year
from carom.solvers.exact.events.predict import Sight
from carom.solvers.exact.neighbours.build import Region, build
from carom.solvers.exact.neighbours.cells import Cells
from carom.solvers.exact.run import Run
from carom.solvers.exact.wall_table import wall_bounds
from carom.solvers.exact.world import World

Floats = NDArray[np.float64]

MEDIUM = 4_000  # balls from which the nearest caches are too small: fetch what an opened bucket will touch
LARGE = 12_000  # balls from which memory, not arithmetic, sets the pace: fetch ahead
QUEUE, LARGE_QUEUE = 1, 0.25  # buckets of the calendar per ball, at least; few enough to stay in the cache


class Index(memory.Twinned):
    """The neighbourhood of the bodies of a run, what balls see that are to be predicted, and the calendar."""

    hood: Any
    sight: Sight

    def __init__(self, run: Run) -> None:
        n = run.balls.size
        # How early memory is fetched: hardly at all; as its bucket is opened, where the nearest cache cannot hold all
        # balls; some buckets ahead.
        ahead = (0, 0) if n > LARGE else (0,) if n > MEDIUM else ()
        buckets = 1 << max(4, int((LARGE_QUEUE if n > LARGE else QUEUE) * n).bit_length())
        self.calendar = Calendar(
            memory.placed(2 * n + 64, np.float64, memory.HEAP_TIMES),
            memory.placed(2 * n + 64, np.uint32, memory.HEAP_BALLS),
            memory.aligned((buckets + n // 3 + 64) * 8, np.uint32),
            ahead,
        )
        run.clock["buckets"] = buckets
        run.clock["width"] = 1.0  # until there are events to tell a better one

    def look_around(self, run: Run, mode: str) -> None:
        """Build the neighbourhood from where the bodies are now."""
        world, balls = run.world, run.balls
        places = run.places_after_origin(float(run.clock["now"][0]))
        # A ball that flies away would have to renew its list for ever; but the outermost cells reach to infinity.
        mode = mode if world.bounded else "cells"
        region = region_of(world, places, float(balls["r"].max()))
        self.hood = build(region, balls, run.clock, places, world.walls.records, mode)
        room = most_seen(self.hood, world, balls.size) + 64
        self.sight = Sight(
            memory.two_rows(room, np.uint32, memory.FOUND),
            memory.two_rows(room, np.float64, memory.TIMES),
            memory.placed(2, np.int64, memory.COUNTS),
        )

    def guess_width(self, run: Run) -> None:
        """Guess the width of a bucket from the first events; each turn of the calendar will mend it."""
        clock, times = run.clock, run.balls["te"]
        ahead = np.sort(times[np.isfinite(times)])
        if ahead.size:
            k = min(ahead.size - 1, ahead.size // 5 + 1)
            wait = float(ahead[k] - clock["now"][0]) / (k + 1)
            clock["width"] = 2.0 ** np.clip(np.round(np.log2(2.0 * wait)), -900, 900) if wait > 0.0 else 2.0**-30

    def file(self, run: Run) -> None:
        """File every event in an empty calendar."""
        run.clock["looked"] = 0
        run.clock["bucket"] = -1
        turn_year(run.balls, self.calendar._replace(ahead=(0, 0)), run.clock[0])


def most_seen(hood: Any, world: World, balls: int) -> int:
    """How many balls another may see at once; three images along a periodic axis of less than three cells."""
    if not isinstance(hood, Cells):
        return int(hood.longest)
    narrow = [around and cells < 3 for around, cells in zip(world.periodic, hood.shape, strict=True)]
    return int(balls * 3 ** sum(narrow))


def region_of(world: World, places: Floats, reach: float) -> Region:
    """What the grid is to cover: the box, or all walls and all balls, of which the largest has a radius of `reach`."""
    low, high = wall_bounds(world.walls.records)
    low, high = np.minimum(low - reach, places.min(axis=0)), np.maximum(high + reach, places.max(axis=0))
    faces = world.walls.records[world.walls.records["kind"] == 0]
    for axis in range(3):
        if world.periodic[axis] or np.any(faces[f"n{'xyz'[axis]}"] != 0.0):
            low[axis], high[axis] = 0.0, world.size[axis]
    size = high - low
    # A region without extent (balls in a row, or a single one) still needs cells of some size.
    widest = float(size[: world.dimension].max()) or 2.0 * reach or 1.0
    size = np.maximum(size, 1e-3 * widest + 2.0 * reach)
    size[world.dimension :] = 1.0
    low[world.dimension :] = 0.0
    for axis in range(world.dimension):
        if world.periodic[axis]:
            size[axis] = world.size[axis]
    return Region(world.dimension, tuple(low.tolist()), tuple(size.tolist()), world.periodic, world.size)
