"""Structure: the radial distribution function g(r)."""

from __future__ import annotations

from itertools import product
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.measures.geometry import periodic_axes
from carom.observe.measures.thermo import present
from carom.observe.observable import Floats, Observable, RunState, register

REACH = 5.0
"""The range of g(r) in mean diameters; at most half of the shortest side."""
PER_DIAMETER = 40
"""Bins per mean diameter; contact of equal balls is on an edge of a bin."""
CHUNK = 1 << 21
"""Pairs that are processed at once."""
DIRECTIONS = 64
"""Number of angles for the average of the overlap of a box with its shifted copy."""


@register
class RadialDistribution(Observable):
    """g(r): the number of pairs of balls at distance r, relative to the number without any order.

    g(r) = n(r) / (N (N - 1) / 2 · V_bin / V); M. P. Allen and D. J. Tildesley, Computer Simulation of Liquids, ch. 8.2.
    Distances are to the nearest image. Between walls, a box has fewer pairs at larger distances, by the part of it
    that overlaps with its copy shifted by r: the result is divided by this part. Distances of point balls are in
    units of the mean spacing.
    """

    name, symbol, unit = "radial_distribution", "g(r)", ""
    across: ClassVar[tuple[str, str]] = ("distance", "m")

    def begin(self, sim: RunState) -> None:
        """Choose the bins."""
        scene = sim.scene
        box = scene.boundary.box
        if box is None or scene.obstacles:
            raise ArgumentError.of("observable.needs-box", where=self.name)
        who = present(sim)
        around, size = periodic_axes(scene), np.array(box.size)
        radius = float(sim.radii[who].mean()) if who.size else 0.0
        room = np.where(around, size, size - 2.0 * radius)
        unit = 2.0 * radius or float((np.prod(room) / max(who.size, 1)) ** (1.0 / scene.dimension))
        end = min(REACH * unit, 0.5 * float(room.min()))
        self.edges = np.arange(max(int(end / unit * PER_DIAMETER), 1) + 1) * unit / PER_DIAMETER
        self.sizes, self.around, self.room = size, around, room

    def sample(self, sim: RunState) -> Floats:
        """The value now."""
        places = sim.positions[present(sim)]
        counts = pair_counts(places, self.sizes, self.around, self.edges)
        pairs = 0.5 * len(places) * (len(places) - 1)
        return np.asarray(counts / np.maximum(pairs * self._expected(), 1e-300))

    def _expected(self) -> Floats:
        """The part of all pairs that falls into each bin without order."""
        middle, d = self.columns(), len(self.sizes)
        shell = pi ** (0.5 * d) / (1.0 if d == 2 else 0.75 * pi**0.5) * (self.edges[1:] ** d - self.edges[:-1] ** d)
        return np.asarray(shell / np.prod(self.room) * overlap(middle, self.room, self.around))

    def columns(self) -> Floats:
        """The middles of the bins, m."""
        return np.asarray(0.5 * (self.edges[1:] + self.edges[:-1]))


def overlap(distance: Floats, room: Floats, around: NDArray[np.bool_]) -> Floats:
    """The part of a box that overlaps with its copy shifted by a distance, averaged over all directions.

    The product of (1 - r |u_k| / L_k) over the axes with walls, averaged over unit vectors u.
    """
    if around.all():
        return np.ones_like(distance)
    if room.size == 2:
        angle = (np.arange(DIRECTIONS) + 0.5) * (0.5 * pi / DIRECTIONS)
        units = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    else:
        height = (np.arange(DIRECTIONS) + 0.5) / DIRECTIONS
        angle = (np.arange(DIRECTIONS) + 0.5) * (0.5 * pi / DIRECTIONS)
        ring = np.sqrt(1.0 - height**2)[:, None]
        flat = np.broadcast_to(height[:, None], (DIRECTIONS, DIRECTIONS))
        units = np.stack([ring * np.cos(angle), ring * np.sin(angle), flat], axis=-1).reshape(-1, 3)
    shares = 1.0 - distance[:, None, None] * units[None, :, :] / room
    return np.asarray(np.where(around, 1.0, shares).prod(axis=-1).mean(axis=1))


def pair_counts(places: Floats, sizes: Floats, around: NDArray[np.bool_], edges: Floats) -> NDArray[np.int64]:
    """The number of pairs in each bin of distance; cells as wide as the last edge keep the work of order N."""
    counts = np.zeros(edges.size - 1, dtype=np.int64)
    cells = np.maximum((sizes / edges[-1]).astype(np.intp), 1)
    if len(places) < 2:
        return counts
    if (cells < 3).any():
        cells = np.ones_like(cells)
    where = np.clip((places / sizes * cells).astype(np.intp), 0, cells - 1)
    flat = np.ravel_multi_index(tuple(where.T), tuple(cells))
    order = np.argsort(flat, kind="stable")
    first = np.searchsorted(flat[order], np.arange(int(np.prod(cells)) + 1))
    steps = [(0,) * len(cells)] if (cells == 1).all() else list(product((-1, 0, 1), repeat=len(cells)))
    for step in steps:
        if step < (0,) * len(cells):
            continue  # the opposite step finds the same pairs
        neighbour, inside = _stepped(where, np.array(step), cells, around)
        low, high = first[neighbour], first[neighbour + 1]
        _count(places, order, low, np.where(inside, high, low), not any(step), (sizes, around, edges), counts)
    return counts


def _stepped(
    where: NDArray[np.intp], step: NDArray[np.intp], cells: NDArray[np.intp], around: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The cell one step away from that of each ball, and whether it exists."""
    there = where + step
    inside = np.asarray(((there >= 0) & (there < cells) | around).all(axis=1))
    return np.ravel_multi_index(tuple((there % cells).T), tuple(cells)), inside


def _count(  # seven arguments: the inner loop of pair_counts
    places: Floats,
    order: NDArray[np.intp],
    low: NDArray[np.intp],
    high: NDArray[np.intp],
    own: bool,
    box: tuple[Floats, NDArray[np.bool_], Floats],
    counts: NDArray[np.int64],
) -> None:
    """Add the pairs of each ball with those from low to high in the order; in its own cell, each pair once."""
    sizes, around, edges = box
    many = high - low
    begin = 0
    totals = np.cumsum(many)
    while begin < len(places):
        done = totals[begin - 1] if begin else 0
        end = max(int(np.searchsorted(totals, done + CHUNK, side="right")), begin + 1)
        part = many[begin:end]
        one = np.repeat(np.arange(begin, end), part)
        offset = np.arange(part.sum()) - np.repeat(np.cumsum(part) - part, part)
        other = order[np.repeat(low[begin:end], part) + offset]
        if own:
            one, other = one[one < other], other[one < other]
        apart = places[one] - places[other]
        apart -= np.where(around, np.round(apart / sizes) * sizes, 0.0)
        distance = np.sqrt((apart**2).sum(axis=1))
        counts += np.histogram(distance, bins=edges)[0]
        begin = end


def contact_value(distance: Floats, g: Floats, diameter: float, width: float = 0.25) -> float:
    """g(σ+), from a parabola fitted to ln g in the bins from σ to (1 + width) σ; NaN if there are too few."""
    near = (distance > diameter) & (distance < (1.0 + width) * diameter) & (g > 0.0)
    if near.sum() < 4:
        return float("nan")
    x = distance[near] / diameter - 1.0
    fit = np.polynomial.polynomial.polyfit(x, np.log(g[near]), 2, w=np.sqrt(g[near]))
    return float(np.exp(fit[0]))
