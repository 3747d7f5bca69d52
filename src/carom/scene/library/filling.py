"""Place balls at random in a box without overlaps, fast, at any density that a lattice allows.

A lattice is chosen whose sites are far enough apart; balls stand on sites drawn at random and are moved at random
within the gap that the lattice leaves. No trial and error, so a million balls take about a second, dense or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.scene.library.lattice import Lattice, densest_count, widest

__all__ = ["ball_volume", "compressibility", "fill", "fill_mixture"]

FloatArray = NDArray[np.float64]

_TRIALS = 16  # numbers of lattice sites that are tried, between the smallest and the largest possible
_MIN_SHARE = 1 / 16  # smallest share of occupied sites, so that a thin gas needs little more memory than a dense one
_MIN_SITES = 10_000  # number of sites that is allowed whatever the share
_CROWDED = 0.97  # of the largest possible number of sites; the densest lattice rarely fits the box


def ball_volume(radius: FloatArray | float, dimension: int) -> FloatArray:
    """The area of a disk (2D) or the volume of a ball (3D)."""
    radius = np.asarray(radius, dtype=np.float64)
    return np.asarray(math.pi * radius**2 if dimension == 2 else 4.0 / 3.0 * math.pi * numerics.power(radius, 3))


def compressibility(packing_fraction: float, dimension: int) -> float:
    """S(0) of a hard-ball fluid: the variance of a number of balls in a large region, over its mean.

    Scaled-particle theory (2D; Helfand, Frisch and Lebowitz 1961), Percus-Yevick (3D; Wertheim 1963, Thiele 1963).
    """
    eta = packing_fraction
    if dimension == 2:
        return (1.0 - eta) ** 3 / (1.0 + eta)
    return (1.0 - eta) ** 4 / (1.0 + 2.0 * eta) ** 2


def fill(
    size: tuple[float, ...],
    periodic: bool,
    radius: FloatArray,
    rng: np.random.Generator,
    *,
    taken: FloatArray | None = None,
    taken_radius: float = 0.0,
    crowded: bool = False,
) -> FloatArray | None:
    """Positions for balls with these radii in a box, m, or None if they do not fit.

    `taken` are the centres of balls with radius `taken_radius` that are in the box already. With `crowded`, the balls
    are packed at the side x = 0.
    """
    lattice, sites = _roomy_sites(size, periodic, radius, taken, taken_radius, crowded)
    if lattice is None:
        return None
    chosen = _draw(sites, len(radius), rng, crowded)
    moved = chosen + _jitter(0.5 * lattice.spacing - radius, len(size), rng)
    if not periodic:
        # Rounding can carry a ball that just fits beyond the wall by one bit.
        return np.clip(moved, radius[:, None], np.array(size) - radius[:, None])
    return _wrapped(moved, np.array(size))


def fill_mixture(
    size: tuple[float, ...], periodic: bool, radius: FloatArray, rng: np.random.Generator
) -> FloatArray | None:
    """Positions for balls of one or two different radii, m, or None if they do not fit.

    Tried in this order: one lattice for all; the large balls first and the small ones between them; the large ones
    packed at one side, which leaves most room for the small ones.
    """
    places = fill(size, periodic, radius, rng)
    large = radius == radius.max()
    if places is not None or large.all():
        return places
    for crowded in (False, True):
        first = fill(size, periodic, radius[large], rng, crowded=crowded)
        if first is None:
            return None
        second = fill(size, periodic, radius[~large], rng, taken=first, taken_radius=float(radius.max()))
        if second is not None:
            places = np.empty((len(radius), len(size)))
            places[large], places[~large] = first, second
            return places
    return None


def _roomy_sites(
    size: tuple[float, ...],
    periodic: bool,
    radius: FloatArray,
    taken: FloatArray | None,
    taken_radius: float,
    crowded: bool,
) -> tuple[Lattice | None, FloatArray]:
    """A lattice wide enough for the largest ball, and its free sites."""
    largest, nowhere = float(radius.max()), np.empty((0, len(size)))
    roomiest = widest(size, periodic, len(radius))
    if roomiest is None or roomiest.spacing < 2.0 * largest:
        return None, nowhere
    for sites_wanted in _site_numbers(size, radius, taken, taken_radius, crowded):
        lattice = widest(size, periodic, sites_wanted)
        if lattice is None or lattice.spacing < 2.0 * largest:
            continue
        sites = lattice.sites()
        if taken is not None:
            reach = taken_radius + 0.5 * lattice.spacing
            sites = sites[_clear(sites, taken, reach, np.array(size), periodic)]
        if len(sites) >= len(radius):
            return lattice, sites
    return None, nowhere


def _site_numbers(
    size: tuple[float, ...],
    radius: FloatArray,
    taken: FloatArray | None,
    taken_radius: float,
    crowded: bool,
) -> Iterator[int]:
    """Numbers of lattice sites to try, the one with the density fluctuations of a fluid first.

    Of M sites, N drawn at random have number fluctuations 1 - N/M; a fluid has `compressibility`.
    """
    count, dimension, largest = len(radius), len(size), float(radius.max())
    volume = math.prod(size)
    free = volume
    if taken is not None:
        free -= min(0.9 * volume, len(taken) * float(ball_volume(taken_radius + largest, dimension)))
    affordable = max(_MIN_SITES, math.ceil(count / _MIN_SHARE * volume / free))
    most = max(count, min(densest_count(size, 2.0 * largest), affordable))
    packing = min(0.95, count * float(ball_volume(largest, dimension)) / free)
    preferred = count / max(1.0 - compressibility(packing, dimension), count / most) * volume / free
    if crowded:
        preferred = _CROWDED * most
    preferred = min(max(preferred, count), most)
    others = {round(number) for number in np.linspace(count, most, _TRIALS)}
    yield math.ceil(preferred)
    yield from sorted(others, key=lambda number: (abs(math.log(number / preferred)), number))


def _draw(sites: FloatArray, count: int, rng: np.random.Generator, crowded: bool) -> FloatArray:
    """`count` of the sites, drawn at random or from one side, in the order of the lattice."""
    chosen = np.argsort(sites[:, 0], kind="stable") if crowded else rng.permutation(len(sites))
    return np.asarray(sites[np.sort(chosen[:count])])


def _jitter(room: FloatArray, dimension: int, rng: np.random.Generator) -> FloatArray:
    """Random displacements, uniform in a ball of radius `room` each."""
    direction = rng.standard_normal((len(room), dimension))
    direction /= np.sqrt((direction**2).sum(axis=1))[:, None]
    share = rng.random(len(room))
    length = room.clip(min=0.0) * (np.sqrt(share) if dimension == 2 else numerics.each(math.cbrt, share))
    return np.asarray(direction * length[:, None])


def _wrapped(places: FloatArray, lengths: FloatArray) -> FloatArray:
    """Wrap places into [0, L) of a periodic box."""
    inside = places - lengths * np.floor(places / lengths)
    return np.where(inside >= lengths, 0.0, inside)


def _clear(
    sites: FloatArray, taken: FloatArray, reach: float, lengths: FloatArray, periodic: bool
) -> NDArray[np.bool_]:
    """Mask of the sites further than `reach` from all centres in `taken`. Cells keep the time linear."""
    enough = math.ceil((4.0 * len(taken)) ** (1.0 / len(lengths)))
    cells = np.clip((lengths / reach).astype(np.int64), 1, enough)
    table = _cell_table(taken, lengths, cells)
    home = _cell_index(sites, lengths, cells)
    clear = np.ones(len(sites), dtype=np.bool_)
    for step in product((-1, 0, 1), repeat=len(cells)):
        cell = home + np.array(step)
        valid = np.ones(len(sites), dtype=np.bool_) if periodic else ((cell >= 0) & (cell < cells)).all(axis=1)
        row = np.ravel_multi_index(tuple((cell % cells).T), tuple(cells))
        for slot in table.T:
            index = slot[row]
            apart = sites - taken[index]
            if periodic:
                apart -= lengths * np.rint(apart / lengths)
            clear &= ~(valid & (index >= 0) & ((apart**2).sum(axis=1) < reach**2))
    return clear


def _cell_index(places: FloatArray, lengths: FloatArray, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(np.clip((places / lengths * cells).astype(np.int64), 0, cells - 1))


def _cell_table(places: FloatArray, lengths: FloatArray, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places in each cell, by index: one row per cell, -1 for an empty slot."""
    row = np.ravel_multi_index(tuple(_cell_index(places, lengths, cells).T), tuple(cells))
    order = np.argsort(row, kind="stable")
    counts = np.bincount(row, minlength=int(cells.prod()))
    slot = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((len(counts), int(counts.max())), -1, dtype=np.int64)
    table[row[order], slot] = order
    return table
