"""The size and the typical speed of a scene, and the playback speed that follows from them."""

from __future__ import annotations

from math import log10, pi

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.views.measures import BAR_STEPS, round_above, round_below
from carom.views.sheet import extent

Floats = NDArray[np.float64]

MINUTE, HOUR, DAY, YEAR = 60.0, 3600.0, 86400.0, 31_557_600.0
MIN_WATCHABLE, MAX_WATCHABLE = 0.2, 25.0
"""Crossing times of scenes that are played in real time, s."""
CROSSING_TIME = 4.0
"""Crossing time of a scene that is played slower or faster, seconds of wall-clock time, about."""
ORBIT_TIME = 12.0
"""Orbital period of a scene that is played slower or faster, seconds of wall-clock time, about."""
ARROW = 0.15
"""Largest length of an arrow of the typical speed, as a fraction of the size of the scene."""


def bounds(scene: Scene) -> tuple[Floats, Floats]:
    """Lower and upper corner of the space that a scene fills, m; in 3D with its depth."""
    low, high = extent(scene)
    if scene.dimension == 2:
        return low, high
    depth = [place[2] for feature in scene.features for place in feature.bounds if len(place) == 3]
    if len(scene.balls):
        z, reach = scene.balls.position[:, 2], scene.balls.radius
        depth += [float((z - reach).min()), float((z + reach).max())]
    middle, half = 0.0, float((high - low).max()) / 2.0
    box = scene.boundary.box
    if box is not None and box.periodic[2]:
        depth = [0.0, box.size[2]]
    if not depth:
        depth = [middle - half, middle + half]
    return np.append(low, min(depth)), np.append(high, max(depth))


def size(scene: Scene) -> float:
    """The largest side of the space that a scene fills, m."""
    low, high = bounds(scene)
    return float((high - low).max())


def round_part(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above a positive value."""
    return round_below(value, BAR_STEPS)


def typical_speed(scene: Scene) -> float:
    """Root mean square speed of moving balls, or that of a fall through the scene, m/s; 0 without motion."""
    balls = scene.balls
    speed = np.linalg.norm(balls.velocity, axis=1) if len(balls) else np.zeros(0)
    moving = speed[speed > 0.0]
    by_itself = float(np.sqrt((moving**2).mean())) if len(moving) else 0.0
    falling = float(np.sqrt(np.linalg.norm(scene.gravity) * size(scene)))
    return max(by_itself, falling)


def pace(scene: Scene) -> float:
    """Seconds of the scene per second of wall-clock time at playback speed 1: 1 if watchable, else a round number."""
    if scene.attraction is not None and len(scene.balls) > 1:
        round_trip = _orbital_period(scene)
        if round_trip is not None:
            return 1.0 if MIN_WATCHABLE <= round_trip <= MAX_WATCHABLE else _round_period(round_trip / ORBIT_TIME)
    speed = typical_speed(scene)
    if not speed:
        return 1.0
    crossing = size(scene) / speed
    return 1.0 if MIN_WATCHABLE <= crossing <= MAX_WATCHABLE else _round_period(crossing / CROSSING_TIME)


def arrow_time(scene: Scene) -> float:
    """The time of flight that arrows of velocity show, s; a round number."""
    speed = typical_speed(scene) or size(scene) / (CROSSING_TIME * pace(scene))
    return round_part(ARROW * size(scene) / speed)


def _orbital_period(scene: Scene) -> float | None:
    """Orbital period of one of the inner bodies about the heaviest, s; None without attraction."""
    balls, attraction = scene.balls, scene.attraction
    heaviest = int(np.argmax(balls.mass))
    apart = np.linalg.norm(balls.position - balls.position[heaviest], axis=1)
    together = balls.mass + balls.mass[heaviest]
    others = apart > 0.0
    if attraction is None or not attraction.G or not others.any():
        return None
    periods = np.sort(2.0 * pi * np.sqrt(apart[others] ** 3 / (attraction.G * together[others])))
    return float(periods[len(periods) // 4])


def _round_period(value: float) -> float:
    """A round number of seconds, minutes, hours, days or years."""
    for unit in (YEAR, DAY, HOUR, MINUTE):
        if value >= unit:
            return unit * round_below(value / unit, BAR_STEPS)
    if value > 30.0:
        return 30.0
    return round_below(value, BAR_STEPS)


def rounded_mass(value: float) -> float:
    """A round number near a positive value."""
    below, above = round_below(value, BAR_STEPS), round_above(value, BAR_STEPS)
    return below if log10(value / below) < log10(above / value) else above
