"""How long may a step be? The largest that is stable, and one that is sensible."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from carom.scene import Attraction, Scene
from carom.solvers.stepped.state import separation

Floats = NDArray[np.float64]
Grips = Mapping[int, tuple[float, float]]
"""Of each ball that is pulled, the stiffness of the hand, N/m, and its damping, N s/m."""
NOBODY: Grips = MappingProxyType({})

FRAME = 1.0 / 60.0  # s: where nothing asks for less, a step is a frame (Sphere Drop)
PER_PERIOD = 20.0  # steps in the fastest oscillation of springs
PER_ORBIT = 200.0  # steps in the fastest orbit
PER_RADIUS = 10.0  # steps in which a ball of mean speed moves by its radius
MANY = 3000  # bodies; of more, only so many are asked for their orbits


def largest_stable_step(scene: Scene, hands: Grips = NOBODY) -> float:
    """A bound below the largest stable step of velocity Verlet, s: 2/ω of the fastest mode, less where it is damped.

    ω² is bounded by the rows of the matrix of accelerations (Gershgorin). Infinite where there are no springs. Hands
    that pull are springs too.
    """
    squares, rates = _row_sums(scene)
    for ball, (stiffness, damping) in hands.items():
        w = 0.0 if scene.balls.fixed[ball] else 1.0 / scene.balls.mass[ball]
        squares[ball] += stiffness * w
        rates[ball] += damping * w
    fastest = float(squares.max(initial=0.0))
    damped = float(rates.max(initial=0.0))
    # x'' = -γ x' - ω² x in steps, the force asked with v + a dt: a motion that turns round in each step (x, v, a become
    # -x, -v, -a) has v = 0, a dt² = -4 x, and so 4 = 4 γ dt + (ω dt)²; up to that dt all others die away too.
    bound = damped + math.sqrt(damped * damped + fastest)
    return 2.0 / bound if bound > 0.0 else math.inf


def _row_sums(scene: Scene) -> tuple[Floats, Floats]:
    """For each ball: the sum of |d a / d x| over all balls, 1/s², and of |d a / d v|, 1/s."""
    n = len(scene.balls)
    squares, rates = np.zeros(n), np.zeros(n)
    w = np.where(scene.balls.fixed, 0.0, 1.0 / scene.balls.mass)
    links = scene.links
    if len(links):
        for one, two in (links.between.T, links.between.T[::-1]):
            # The row of a ball in the matrix made symmetric by the masses: its own entry, and that of the other end.
            both = w[one] + np.sqrt(w[one] * w[two])
            np.add.at(squares, one, links.stiffness * both)
            np.add.at(rates, one, links.damping * both)
    if len(scene.bends):
        _add_bends(scene, w, squares)
    if scene.drag is not None:
        speed = float(np.sqrt((scene.balls.velocity**2).sum(axis=1)).max(initial=0.0))
        rates += (scene.drag.linear + scene.drag.quadratic * speed) * w
    return squares, rates


def _add_bends(scene: Scene, w: Floats, squares: Floats) -> None:
    """A bend pulls its ends by k/l and its middle by both: the angle changes by 1/l for a metre of an end."""
    one, middle, two = scene.bends.corner.T
    lengths = [np.sqrt((separation(scene, middle, end) ** 2).sum(axis=1)) for end in (one, two)]
    with np.errstate(divide="ignore"):
        levers = [1.0 / lengths[0], 1.0 / lengths[0] + 1.0 / lengths[1], 1.0 / lengths[1]]
    weighted = sum(lever * np.sqrt(w[body]) for lever, body in zip(levers, (one, middle, two), strict=True))
    for lever, body in zip(levers, (one, middle, two), strict=True):
        np.add.at(squares, body, scene.bends.stiffness * lever * np.sqrt(w[body]) * weighted)


def sensible_step(scene: Scene) -> float:
    """A step that shows the motion well, s: a frame, or less where springs, orbits or small fast balls ask for it."""
    limits = [largest_stable_step(scene) * math.pi / PER_PERIOD, _crossing_time(scene) / PER_RADIUS]
    if scene.attraction is not None:
        limits.append(_orbit_time(scene, scene.attraction) / PER_ORBIT)
    limit = min(limits)
    if not math.isfinite(limit) or (limit >= FRAME and scene.attraction is None):
        return FRAME
    return _round_below(limit)


def _round_below(value: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above."""
    power = math.floor(math.log10(value))
    return max(
        float(f"{digit}e{exponent}")
        for exponent in (power - 1, power)
        for digit in (1, 2, 5)
        if float(f"{digit}e{exponent}") <= value
    )


def _crossing_time(scene: Scene) -> float:
    """The time in which a ball of mean speed moves by the mean radius, s."""
    balls = scene.balls
    moving = ~balls.fixed & (balls.radius > 0.0)
    passing = scene.attraction is not None and scene.attraction.touch == "pass"
    if not moving.any() or len(balls) < 2 or passing:
        return math.inf
    speed = float(np.sqrt((balls.velocity[moving] ** 2).sum(axis=1).mean()))
    return float(balls.radius[moving].mean()) / speed if speed > 0.0 else math.inf


def _orbit_time(scene: Scene, attraction: Attraction) -> float:
    """The shortest period of two balls about each other as far apart as they are now, s."""
    x, m, g = scene.balls.position[:MANY], scene.balls.mass[:MANY], attraction.G
    soft = attraction.softening
    shortest = math.inf
    for k in range(1, len(x)):
        rr = ((x[:k] - x[k]) ** 2).sum(axis=1) + soft * soft
        with np.errstate(divide="ignore"):
            shortest = min(shortest, float((rr**1.5 / (g * (m[:k] + m[k]))).min()))
    return 2.0 * math.pi * math.sqrt(shortest) if shortest > 0.0 else math.inf
