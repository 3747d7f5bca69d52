"""How large a scene is, how fast, and so how long a second of the clock should be for it."""

from __future__ import annotations

from math import log10, pi

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.views.measures import BAR_STEPS, round_above, round_below
from carom.views.sheet import extent

Floats = NDArray[np.float64]

MINUTE, HOUR, DAY, YEAR = 60.0, 3600.0, 86400.0, 31_557_600.0
SOON, LATE = 0.2, 25.0
"""Seconds in which something crosses a scene that is watched as it is."""
WATCHED = 4.0
"""In a scene that is too slow or too fast, something crosses it within about so many seconds of the clock,"""
ORBIT = 12.0
"""or goes round."""
ARROW = 0.15
"""Part of the scene's size that an arrow of the typical speed is long, at most."""


def bounds(scene: Scene) -> tuple[Floats, Floats]:
    """Lower and upper corner of what a scene fills, as its picture shows it; in 3D with its depth."""
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
    """The largest side of what a scene fills, m."""
    low, high = bounds(scene)
    return float((high - low).max())


def round_part(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above a positive value."""
    return round_below(value, BAR_STEPS)


def typical_speed(scene: Scene) -> float:
    """Of what moves, or will by gravity, m/s; 0 if nothing does."""
    balls = scene.balls
    speed = np.linalg.norm(balls.velocity, axis=1) if len(balls) else np.zeros(0)
    moving = speed[speed > 0.0]
    by_itself = float(np.sqrt((moving**2).mean())) if len(moving) else 0.0
    falling = float(np.sqrt(np.linalg.norm(scene.gravity) * size(scene)))
    return max(by_itself, falling)


def pace(scene: Scene) -> float:
    """Seconds of the scene in a second of the clock, at speed 1: a round number, and 1 wherever that can be watched."""
    if scene.attraction is not None and len(scene.balls) > 1:
        round_trip = _period(scene)
        if round_trip is not None:
            return 1.0 if SOON <= round_trip <= LATE else _rounded(round_trip / ORBIT)
    speed = typical_speed(scene)
    if not speed:
        return 1.0
    crossing = size(scene) / speed
    return 1.0 if SOON <= crossing <= LATE else _rounded(crossing / WATCHED)


def arrow_time(scene: Scene) -> float:
    """Seconds of motion that an arrow of velocity shows: at the typical speed it is a round part of the scene."""
    speed = typical_speed(scene) or size(scene) / (WATCHED * pace(scene))
    return round_part(ARROW * size(scene) / speed)


def _period(scene: Scene) -> float | None:
    """How long it takes one of the inner bodies to go round the heaviest, s."""
    balls, attraction = scene.balls, scene.attraction
    heaviest = int(np.argmax(balls.mass))
    apart = np.linalg.norm(balls.position - balls.position[heaviest], axis=1)
    together = balls.mass + balls.mass[heaviest]
    others = apart > 0.0
    if attraction is None or not attraction.G or not others.any():
        return None
    periods = np.sort(2.0 * pi * np.sqrt(apart[others] ** 3 / (attraction.G * together[others])))
    return float(periods[len(periods) // 4])


def _rounded(value: float) -> float:
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
