"""Evenness of a distribution of balls: counts in equal cells, compared with random points."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, lgamma, log, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.measures.geometry import periodic_axes
from carom.observe.measures.thermo import present
from carom.observe.observable import Floats, Observable, RunState, register

PER_CELL = 2.0
"""Mean number of balls per cell: small, so that 16 balls have several cells, and above 1, so that some are empty."""
EXACT = 32
"""Up to this number of balls the distribution is enumerated; beyond, the law of χ² is good to about 0.01."""


class CellCounts(Observable):
    """Counts of balls in equal cells of a box, as near to cubes as possible, with two balls per cell on average.

    The cells divide the region of the centres: between walls, one mean radius less on each side. An axis along
    which this region is narrower than a cell is not divided.
    """

    def begin(self, sim: RunState) -> None:
        """Choose the cells."""
        scene = sim.scene
        box = scene.boundary.box
        if box is None or scene.obstacles:
            raise ArgumentError.of("observable.needs-box", where=self.name)
        free = ~scene.balls.fixed
        around, size = periodic_axes(scene), np.array(box.size)
        radius = float(sim.radii[free].mean()) if free.any() else 0.0
        self.low = np.where(around, 0.0, radius)
        room = size - 2.0 * self.low
        self.cells = cells_per_axis(room, max(int(free.sum()), 1))
        self.room = np.where((self.cells > 1) & (room > 0.0), room, np.inf)

    def counts(self, sim: RunState) -> tuple[int, int, int]:
        """The number of balls, the number of cells, and the sum of the squared counts."""
        places = sim.positions[present(sim)]
        where = np.clip((places - self.low) / self.room * self.cells, 0, self.cells - 1).astype(np.intp)
        many = np.bincount(np.ravel_multi_index(tuple(where.T), tuple(self.cells)))
        return len(places), int(self.cells.prod()), int((many.astype(np.int64) ** 2).sum())


def cells_per_axis(room: Floats, count: int) -> NDArray[np.intp]:
    """The number of cells along each axis; in total about one cell per two balls, and at least two."""
    open_axes = room > 0.0
    cells = np.ones(len(room), np.intp)
    while open_axes.any():
        share = np.log(room[open_axes]).sum() + log(PER_CELL / count)
        side = exp(share / open_axes.sum())
        wide = open_axes & (room >= side)
        if (wide == open_axes).all():
            cells[wide] = np.rint(room[wide] / side)
            break
        open_axes = wide
    if cells.prod() < 2:
        cells[room.argmax()] = 2
    return cells


@register
class Dispersion(CellCounts):
    """I = Σ (n_i - N/m)² / (N/m) / (m - 1): the index of dispersion of the numbers n_i of N balls in m equal cells.

    It is 1 on average for random points, more for clusters, less if balls keep apart. R. A.
    Fisher, H. G. Thornton and W. A. Mackenzie, Annals of Applied Biology 9 (1922) 325.
    """

    name, symbol, unit = "dispersion", "I", ""

    def sample(self, sim: RunState) -> float:
        """The value now; NaN without balls."""
        count, cells, squares = self.counts(sim)
        return (squares * cells / count - count) / (cells - 1) if count else float("nan")


@register
class Evenness(CellCounts):
    """The probability that random points are scattered no more evenly than the balls are: P(I ≥ its present value).

    I is the index of dispersion (see `Dispersion`). Near 0 the balls are clustered, near 1 they are more even than
    random; for random points it is below p in at most a part p of cases. Up to 32 balls the
    distribution is enumerated over all ways to put N points into m cells; beyond, I is scaled so that mean and
    variance, 1 and 2 (1 - 1/N) / (m - 1), are those of χ² over its degrees of freedom. Balls are no points: by their
    size they keep apart, which at a packing fraction η lowers the variance of the counts by about 1 + 4 η in 2D.
    """

    name, symbol, unit = "evenness", "P(I)", ""

    def sample(self, sim: RunState) -> float:
        """The value now; NaN for fewer than two balls."""
        count, cells, squares = self.counts(sim)
        if count < 2:
            return float("nan")
        return float(chances(count, cells)[squares]) if count <= EXACT else chance_of(squares, count, cells)


@lru_cache(maxsize=64)
def chances(count: int, cells: int) -> Floats:
    """For each s, the probability that the squared counts of `count` points in `cells` cells add up to s or more.

    Cell by cell: with n points so far, in N!/m^N ways, each cell that takes k of them divides by k!.
    """
    most = count * count + 1
    ways = np.zeros((count + 1, most))
    ways[0, 0] = 1.0
    for _ in range(cells):
        after = np.zeros_like(ways)
        for k in range(count + 1):
            share = np.exp(-lgamma(k + 1))
            after[k:, k * k :] += share * ways[: count + 1 - k, : most - k * k]
        ways = after / after.max()  # only ratios count
    found = np.cumsum(ways[count, ::-1])[::-1]
    found = found / found[0]
    found.flags.writeable = False
    return np.asarray(found)


def chance_of(squares: int, count: int, cells: int) -> float:
    """P(I ≥ observed) for many points, by the law of χ² in the cube-root form of E. B. Wilson, M. M. Hilferty (1931).

    Sums of squares change in steps of 2; the continuity correction takes half a step off.
    """
    shrink = 1.0 - 1.0 / count
    freedom = (cells - 1) / shrink
    chi = ((squares - 1) * cells / count - count) / shrink
    spread = 2.0 / (9.0 * freedom)
    z = (np.cbrt(max(chi, 0.0) / freedom) - (1.0 - spread)) / sqrt(spread)
    return 0.5 * erfc(z / sqrt(2.0))
