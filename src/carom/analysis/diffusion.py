"""Mean squared displacement and velocity correlation over many time origins, and the diffusion coefficient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import e, sqrt

import numpy as np
from numpy.typing import NDArray

from carom.analysis.frame_sequence import FrameSequence
from carom.observe.blocks import Estimate, estimate
from carom.observe.measures.geometry import unwrapped
from carom.observe.measures.thermo import present

Floats = NDArray[np.float64]

LAG_COUNT = 96
BALL_GROUPS = 8
"""Number of groups of balls; their spread is one of the two errors."""
MAX_BYTES = 2**26
"""Largest size of positions and velocities in memory, bytes; beyond it only some of the balls are used."""
SPACING_TOLERANCE = 1e-6
"""Frames are evenly spaced if intervals differ by no more than this part."""
EXPONENTIAL_UNTIL = 0.05
"""A correlation above this part of its start is integrated as exponential between lags."""


@dataclass(frozen=True)
class LagFunctions:
    """Mean squared displacement, m², and velocity correlation, m²/s², at lags, s; one row per group of balls.

    `moved` and `kept` are their means over all balls: one row per lag, one column per time origin; NaN where origin
    plus lag is beyond the end.
    """

    lags: Floats
    displacement: Floats
    correlation: Floats
    moved: Floats
    kept: Floats
    dimension: int

    def diffusion(self, begin: float, end: float) -> Estimate | None:
        """Einstein's D: the slope of the mean squared displacement over 2 d, between two lags, m²/s.

        None if fewer than three lags are between them.
        """
        here = (self.lags >= begin) & (self.lags <= end)
        if here.sum() < 3:
            return None
        lags = self.lags[here] - self.lags[here].mean()
        weights = lags / (lags**2).sum() / (2.0 * self.dimension)
        return _with_larger_error(self.displacement[:, here] @ weights, weights @ self.moved[here])

    def green_kubo(self, end: float) -> Estimate:
        """D by Green and Kubo: the integral of <v(0)·v(t)> / d up to a lag, m²/s; lags may be unevenly spaced.

        While the correlation decays it is taken as exponential between two lags, then as linear.
        """
        here = self.lags <= end * (1.0 + 1e-9)
        steps = np.diff(self.lags[here])
        weights = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps)) / self.dimension
        found = _with_larger_error(self.correlation[:, here] @ weights, weights @ self.kept[here])
        mean = self.correlation[:, here].mean(axis=0)
        return replace(found, mean=float((_areas(mean) * steps).sum() / self.dimension))

    @property
    def memory(self) -> float | None:
        """The lag at which the velocity correlation has decayed to 1/e, s; None if it never does."""
        mean = self.correlation.mean(axis=0)
        below = np.flatnonzero(mean < mean[0] / e)
        return float(self.lags[below[0]]) if below.size else None


def _areas(values: Floats) -> Floats:
    """The mean between neighbours: of an exponential where the values decay, else of a line."""
    one, other = values[:-1], values[1:]
    falling = np.logical_and.accumulate((other > EXPONENTIAL_UNTIL * values[0]) & (other < one * (1.0 - 1e-6)))
    areas = 0.5 * (one + other)
    areas[falling] = (one[falling] - other[falling]) / np.log(one[falling] / other[falling])
    return np.asarray(areas)


def _with_larger_error(groups: Floats, beginnings: Floats) -> Estimate:
    """The mean over groups of balls, with the larger one of two errors.

    Balls share the slow motions of the gas, so that groups alone differ too little; successive time origins are
    correlated, which blocking takes into account.
    """
    in_time = estimate(beginnings)
    by_groups = float(groups.std(ddof=1) / sqrt(groups.size))
    error = float(np.nanmax([in_time.error, by_groups]))
    return replace(in_time, mean=float(groups.mean()), error=error)


def lag_functions(frames: FrameSequence) -> LagFunctions | str:
    """Displacement and correlation over all pairs of frames; or the reason why they cannot be computed."""
    times = frames.times
    if len(times) < 8:
        return "frames are too few"
    if np.ptp(np.diff(times)) > SPACING_TOLERANCE * (times[1] - times[0]):
        return "frames are not evenly spaced"
    places, velocities = _trajectories(frames)
    if places.shape[1] < BALL_GROUPS:
        return f"fewer than {BALL_GROUPS} balls are there all the time"
    return correlate(float(times[-1] - times[0]) / (len(times) - 1), places, velocities)


def correlate(spacing: float, places: Floats, velocities: Floats) -> LagFunctions:
    """Displacement and correlation from arrays with evenly spaced times: indices are time, ball and axis."""
    count = len(places)
    most = count // 2
    near = np.arange(min(LAG_COUNT // 2, most + 1))
    far = np.unique(np.geomspace(max(near[-1], 1), most, LAG_COUNT // 2).astype(np.intp))
    steps = np.unique(np.concatenate([near, far]))
    groups = np.array_split(np.arange(places.shape[1]), BALL_GROUPS)
    displacement, correlation = (np.zeros((BALL_GROUPS, steps.size)) for _ in range(2))
    moved, kept = (np.full((steps.size, count), np.nan) for _ in range(2))
    for k, step in enumerate(steps):
        end = count - step
        far_off = ((places[step:] - places[:end]) ** 2).sum(axis=2)
        alike = (velocities[step:] * velocities[:end]).sum(axis=2)
        moved[k, :end], kept[k, :end] = far_off.mean(axis=1), alike.mean(axis=1)
        for g, group in enumerate(groups):
            displacement[g, k], correlation[g, k] = far_off[:, group].mean(), alike[:, group].mean()
    return LagFunctions(steps * spacing, displacement, correlation, moved, kept, places.shape[2])


def _trajectories(frames: FrameSequence) -> tuple[Floats, Floats]:
    """Unwrapped positions and velocities of balls that exist all the time, as many as fit into memory."""
    recording = frames.recording
    who = present(next(iter(frames)))
    room = max(BALL_GROUPS, MAX_BYTES // (16 * len(frames) * recording.dimension))
    who = who[:: max(1, -(-who.size // room))]
    shape = (len(frames), who.size, recording.dimension)
    places, velocities = np.empty(shape), np.empty(shape)
    for k, frame in enumerate(frames):
        places[k] = unwrapped(recording.scene, frame.positions, frame.turns)[who]
        velocities[k] = frame.velocities[who]
    whole = ~np.isnan(places).any(axis=(0, 2))
    return places[:, whole], velocities[:, whole]
