"""Displacements and velocities over many beginnings, and the diffusion that follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import e, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.analysis.along import Reel
from carom.observe.blocks import Estimate, estimate
from carom.observe.measures.geometry import unwrapped
from carom.observe.measures.thermo import present

Floats = NDArray[np.float64]

LAGS = 96
GROUPS = 8
"""Balls are divided into so many groups; how much they differ is one of the two errors."""
MEMORY = 2**26
"""Bytes that places and velocities may take; beyond, only some of the balls are followed."""
EVEN = 1e-6
"""Frames are evenly spaced if intervals differ by no more than this part."""
FALLING = 0.05
"""Down to this part of its beginning a correlation is integrated as if it fell off exponentially between lags."""


@dataclass(frozen=True)
class Spreading:
    """Mean squared displacement, m², and velocity correlation, m²/s², at lags, s; a row a group of balls.

    `moved` and `kept` are the same of all balls, a row a lag, a column a beginning; NaN where a lag would reach beyond
    the end.
    """

    lags: Floats
    displacement: Floats
    correlation: Floats
    moved: Floats
    kept: Floats
    dimension: int

    def diffusion(self, begin: float, end: float) -> Estimate | None:
        """D of Einstein: the slope of the mean squared displacement over 2 d, between two lags, m²/s.

        None where fewer than three lags are between them.
        """
        here = (self.lags >= begin) & (self.lags <= end)
        if here.sum() < 3:
            return None
        lags = self.lags[here] - self.lags[here].mean()
        weights = lags / (lags**2).sum() / (2.0 * self.dimension)
        return _larger(self.displacement[:, here] @ weights, weights @ self.moved[here])

    def green_kubo(self, end: float) -> Estimate:
        """D of Green and Kubo: the integral of <v(0)·v(t)> / d up to a lag, m²/s, over lags however uneven.

        While the correlation falls off, it is taken as exponential between two lags, then as straight.
        """
        here = self.lags <= end * (1.0 + 1e-9)
        steps = np.diff(self.lags[here])
        weights = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps)) / self.dimension
        found = _larger(self.correlation[:, here] @ weights, weights @ self.kept[here])
        mean = self.correlation[:, here].mean(axis=0)
        return replace(found, mean=float((_areas(mean) * steps).sum() / self.dimension))

    @property
    def memory(self) -> float | None:
        """The lag at which the velocity correlation has fallen to 1/e, s; None if it never does."""
        mean = self.correlation.mean(axis=0)
        below = np.flatnonzero(mean < mean[0] / e)
        return float(self.lags[below[0]]) if below.size else None


def _areas(values: Floats) -> Floats:
    """The mean between neighbours: of an exponential (exact for one) where the values fall off, else of a line."""
    one, other = values[:-1], values[1:]
    falling = np.logical_and.accumulate((other > FALLING * values[0]) & (other < one * (1.0 - 1e-6)))
    areas = 0.5 * (one + other)
    areas[falling] = (one[falling] - other[falling]) / np.log(one[falling] / other[falling])
    return np.asarray(areas)


def _larger(groups: Floats, beginnings: Floats) -> Estimate:
    """The mean over groups of balls, with the larger of two errors.

    Balls share the slow motions of the gas, so that groups alone differ too little; beginnings that follow each other
    are correlated, which blocking takes care of.
    """
    in_time = estimate(beginnings)
    by_groups = float(groups.std(ddof=1) / sqrt(groups.size))
    error = float(np.nanmax([in_time.error, by_groups]))
    return replace(in_time, mean=float(groups.mean()), error=error)


def spreading(reel: Reel) -> Spreading | str:
    """Over all pairs of frames; or the reason why it cannot be told."""
    times = reel.times
    if len(times) < 8:
        return "frames are too few"
    if np.ptp(np.diff(times)) > EVEN * (times[1] - times[0]):
        return "frames are not evenly spaced"
    places, velocities = _followed(reel)
    if places.shape[1] < GROUPS:
        return f"fewer than {GROUPS} balls are there all the time"
    return spread(float(times[-1] - times[0]) / (len(times) - 1), places, velocities)


def spread(spacing: float, places: Floats, velocities: Floats) -> Spreading:
    """Of places and velocities at evenly spaced times: indices are time, ball and axis."""
    count = len(places)
    most = count // 2
    near = np.arange(min(LAGS // 2, most + 1))
    far = np.unique(np.geomspace(max(near[-1], 1), most, LAGS // 2).astype(np.intp))
    steps = np.unique(np.concatenate([near, far]))
    groups = np.array_split(np.arange(places.shape[1]), GROUPS)
    displacement, correlation = (np.zeros((GROUPS, steps.size)) for _ in range(2))
    moved, kept = (np.full((steps.size, count), np.nan) for _ in range(2))
    for k, step in enumerate(steps):
        end = count - step
        far_off = ((places[step:] - places[:end]) ** 2).sum(axis=2)
        alike = (velocities[step:] * velocities[:end]).sum(axis=2)
        moved[k, :end], kept[k, :end] = far_off.mean(axis=1), alike.mean(axis=1)
        for g, group in enumerate(groups):
            displacement[g, k], correlation[g, k] = far_off[:, group].mean(), alike[:, group].mean()
    return Spreading(steps * spacing, displacement, correlation, moved, kept, places.shape[2])


def _followed(reel: Reel) -> tuple[Floats, Floats]:
    """Unwrapped places and velocities of the balls that are there all the time, as many as fit."""
    recording = reel.recording
    who = present(next(iter(reel)))
    room = max(GROUPS, MEMORY // (16 * len(reel) * recording.dimension))
    who = who[:: max(1, -(-who.size // room))]
    shape = (len(reel), who.size, recording.dimension)
    places, velocities = np.empty(shape), np.empty(shape)
    for k, still in enumerate(reel):
        places[k] = unwrapped(recording.scene, still.positions, still.turns)[who]
        velocities[k] = still.velocities[who]
    whole = ~np.isnan(places).any(axis=(0, 2))
    return places[:, whole], velocities[:, whole]
