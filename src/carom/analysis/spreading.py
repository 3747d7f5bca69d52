"""Displacements and velocities over many beginnings, and the diffusion that follows."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from carom.analysis.along import Reel
from carom.observe.room import unwrapped
from carom.observe.thermo import present

Floats = NDArray[np.float64]

LAGS = 64
GROUPS = 8
"""Balls are divided into so many groups; how much they differ is the error."""
MEMORY = 2**26
"""Bytes that places and velocities may take; beyond, only some of the balls are followed."""
EVEN = 1e-6
"""Frames are evenly spaced if intervals differ by no more than this part."""


@dataclass(frozen=True)
class Spreading:
    """Mean squared displacement, m², and velocity correlation, m²/s², at lags, s; a row a group of balls."""

    lags: Floats
    displacement: Floats
    correlation: Floats
    spacing: float
    dimension: int

    def diffusion(self, begin: float, end: float) -> tuple[float, float]:
        """D of Einstein and its error: the slope of the mean squared displacement over 2 d, between two lags, m²/s."""
        here = (self.lags >= begin) & (self.lags <= end)
        if here.sum() < 3:
            return float("nan"), float("nan")
        slopes = np.array([np.polyfit(self.lags[here], row[here], 1)[0] for row in self.displacement])
        return _mean(slopes / (2.0 * self.dimension))

    def green_kubo(self, end: float) -> tuple[float, float]:
        """D of Green and Kubo and its error: the integral of <v(0)·v(t)> / d up to a lag, m²/s.

        The lags must begin with all multiples of the spacing, close enough for the trapezoidal rule.
        """
        even = np.flatnonzero(np.diff(self.lags) > self.spacing * (1.0 + 1e-9))
        last = int(even[0]) if even.size else len(self.lags) - 1
        last = min(last, int(np.searchsorted(self.lags, end)))
        part = self.correlation[:, : last + 1]
        areas = self.spacing * (part.sum(axis=1) - 0.5 * (part[:, 0] + part[:, -1]))  # the trapezoidal rule
        return _mean(areas / self.dimension)


def spreading(reel: Reel) -> Spreading | None:
    """Over all pairs of frames; None if the frames are too few, or not evenly spaced."""
    times = reel.times
    if len(times) < 8 or np.ptp(np.diff(times)) > EVEN * (times[1] - times[0]):
        return None
    places, velocities = _followed(reel)
    if places.shape[1] < GROUPS:
        return None
    spacing = float(times[-1] - times[0]) / (len(times) - 1)
    most = len(times) // 2
    near = np.arange(min(LAGS // 2, most + 1))
    far = np.unique(np.geomspace(max(near[-1], 1), most, LAGS // 2).astype(np.intp))
    steps = np.unique(np.concatenate([near, far]))
    groups = np.array_split(np.arange(places.shape[1]), GROUPS)
    displacement, correlation = (np.zeros((GROUPS, steps.size)) for _ in range(2))
    for k, step in enumerate(steps):
        end = len(times) - step
        moved = ((places[step:] - places[:end]) ** 2).sum(axis=2)
        kept = (velocities[step:] * velocities[:end]).sum(axis=2)
        for g, group in enumerate(groups):
            displacement[g, k], correlation[g, k] = moved[:, group].mean(), kept[:, group].mean()
    return Spreading(steps * spacing, displacement, correlation, spacing, places.shape[2])


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


def _mean(values: Floats) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / sqrt(values.size))
