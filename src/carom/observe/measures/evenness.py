"""How evenly balls are scattered: numbers in equal cells, against places drawn at random."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, lgamma, log, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.observe.measures.room import periodic_axes
from carom.observe.measures.thermo import present
from carom.observe.observable import Floats, Moment, Observable, register
from carom.scene import Box

PER_CELL = 2.0
"""Balls a cell, on average: few, so that 16 balls have cells at all, and more than one, so that a cell can be empty."""
EXACT = 32
"""Up to so many balls, chances are counted out; beyond, the law of χ² is good to about 0.01."""


class Cells(Observable):
    """Balls counted in equal cells of a box, as near to cubes as they can be, with two balls each on average.

    The cells divide the room that the centres have: between walls, a mean radius less on each side. An axis along which
    it is narrower than a cell is not divided.
    """

    def begin(self, sim: Moment) -> None:
        """Choose the cells."""
        scene = sim.scene
        if not isinstance(scene.boundary, Box) or scene.obstacles:
            raise ArgumentError([Problem(self.name, "it needs a box without obstacles", "Give the scene a box.")])
        free = ~scene.balls.fixed
        around, size = periodic_axes(scene), np.array(scene.boundary.size)
        radius = float(sim.radii[free].mean()) if free.any() else 0.0
        self.low = np.where(around, 0.0, radius)
        room = size - 2.0 * self.low
        self.cells = divided(room, max(int(free.sum()), 1))
        self.room = np.where((self.cells > 1) & (room > 0.0), room, np.inf)

    def counts(self, sim: Moment) -> tuple[int, int, int]:
        """How many balls, how many cells, and the sum of the squares of the numbers in the cells."""
        places = sim.positions[present(sim)]
        where = np.clip((places - self.low) / self.room * self.cells, 0, self.cells - 1).astype(np.intp)
        many = np.bincount(np.ravel_multi_index(tuple(where.T), tuple(self.cells)))
        return len(places), int(self.cells.prod()), int((many.astype(np.int64) ** 2).sum())


def divided(room: Floats, count: int) -> NDArray[np.intp]:
    """Into how many cells each axis is divided; all in all about one for each two balls, and at least two."""
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
class Dispersion(Cells):
    """I = Σ (n_i - N/m)² / (N/m) / (m - 1): the index of dispersion of the numbers n_i of N balls in m equal cells.

    It is 1 on average for places drawn at random, more where balls are in clumps, less where they keep apart. R. A.
    Fisher, H. G. Thornton and W. A. Mackenzie, Annals of Applied Biology 9 (1922) 325.
    """

    name, symbol, unit = "dispersion", "I", ""

    def sample(self, sim: Moment) -> float:
        """Of this instant; NaN without balls."""
        count, cells, squares = self.counts(sim)
        return (squares * cells / count - count) / (cells - 1) if count else float("nan")


@register
class Evenness(Cells):
    """The chance that points drawn at random would be scattered no more evenly than the balls are: P(I ≥ that of now).

    I is the index of dispersion (see `Dispersion`). Near 0 the balls are in clumps, and near 1 they are more even than
    chance; places at random are below 0.05 in at most 5 % of cases, and so with any other share. Up to 32 balls,
    chances are counted out over all ways in which N points can fall into m cells; beyond, I is scaled so that mean and
    variance, 1 and 2 (1 - 1/N) / (m - 1), are those of χ² over its degrees of freedom. Balls are no points: by their
    size they keep apart, which at a packing fraction η makes the variance of numbers less, by about 1 + 4 η in 2D.
    """

    name, symbol, unit = "evenness", "P(I)", ""

    def sample(self, sim: Moment) -> float:
        """Of this instant; NaN for fewer than two balls."""
        count, cells, squares = self.counts(sim)
        if count < 2:
            return float("nan")
        return float(chances(count, cells)[squares]) if count <= EXACT else chance_of(squares, count, cells)


@lru_cache(maxsize=64)
def chances(count: int, cells: int) -> Floats:
    """For each s, the chance that the squares of the numbers of so many points in so many cells add up to s or more.

    One cell after the other: with n points so far, in N!/m^N ways, each cell that takes k of them divides by k!.
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
    """The same for many points, by the law of χ² in the cube-root form of E. B. Wilson and M. M. Hilferty (1931).

    Sums of squares go in steps of 2; half a step less is where their chance begins.
    """
    shrink = 1.0 - 1.0 / count
    freedom = (cells - 1) / shrink
    chi = ((squares - 1) * cells / count - count) / shrink
    spread = 2.0 / (9.0 * freedom)
    z = (np.cbrt(max(chi, 0.0) / freedom) - (1.0 - spread)) / sqrt(spread)
    return 0.5 * erfc(z / sqrt(2.0))
