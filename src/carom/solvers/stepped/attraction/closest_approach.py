"""The next closest approach of bodies that attract each other, and how fast they turn there.

Two bodies with G (m + m') = μ, at a distance d with the relative velocity u, move on a Kepler orbit with

    E = u²/2 - μ/d,    h = |d × u|,    e = √(1 + 2 E h²/μ²),    r = h²/(μ (1 + e))

(L. D. Landau and E. M. Lifshitz, Mechanics (1976), §15). At its nearest point, at the distance r, the line between
them turns by a radian in r²/h = √(r³/(μ (1 + e))). Of a fast flyby, e > 1, the orbit itself turns by about 2/e only:
where errors go with the square of the step, one that is √e times as long gives the same error in direction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.scene import Attraction, Scene

MOST_BODIES = 10
"""Among more bodies, the orbits of pairs predict nothing: others soon change each orbit."""
LEAST_PULL = 0.9
"""Part of all pull on a body: with at least this much from its partner, the two move as if they were alone."""


class BodyPair(NamedTuple):
    """Two bodies: place and velocity of the second as seen from the first, and G times both masses."""

    apart: NDArray[np.float64]
    relative: NDArray[np.float64]
    mu: float


def passage_time(scene: Scene, attraction: Attraction) -> float:
    """The shortest time in which a pair turns at its closest approach to come, s; infinite if none comes.

    Balls that bounce or merge may touch before, and softening rounds off what is closer.
    """
    if attraction.G == 0.0 or len(scene.balls) > MOST_BODIES:
        return math.inf
    radius = scene.balls.radius if attraction.touch != "pass" else np.zeros(len(scene.balls))
    return min(
        (
            _turning_time(_pair(scene, attraction, i, j), float(radius[i] + radius[j]), attraction.softening)
            for i, j in _partners(scene)
        ),
        default=math.inf,
    )


def _partners(scene: Scene) -> list[tuple[int, int]]:
    """Each body that moves with the one that pulls it most, if nearly all pull on it comes from there."""
    x, m = scene.balls.position, scene.balls.mass
    found = []
    for i in range(len(x)):
        rr = ((x - x[i]) ** 2).sum(axis=1)
        pull = np.divide(m, rr, out=np.zeros(len(x)), where=rr > 0.0)  # at one place they do not pull
        j = int(pull.argmax())
        if pull[j] > 0.0 and pull[j] >= LEAST_PULL * pull.sum() and not scene.balls.fixed[i]:
            found.append((i, j))
    return found


def _pair(scene: Scene, attraction: Attraction, i: int, j: int) -> BodyPair:
    """Two bodies of a scene; a fixed one does not give way, as if the other had no mass."""
    balls = scene.balls
    mass = balls.mass[j] + (0.0 if balls.fixed[j] else balls.mass[i])
    velocity = np.where(balls.fixed[:, None], 0.0, balls.velocity)
    return BodyPair(balls.position[j] - balls.position[i], velocity[j] - velocity[i], attraction.G * float(mass))


def _turning_time(pair: BodyPair, contact: float, softening: float) -> float:
    """√(r³ max(1, e)/(μ (1 + e))) at the least distance r; infinite if they fly apart for good, or touch before."""
    dd, uu = float((pair.apart**2).sum()), float((pair.relative**2).sum())
    du = float((pair.apart * pair.relative).sum())
    energy = 0.5 * uu - pair.mu / math.sqrt(dd)
    if energy >= 0.0 and du >= 0.0:
        return math.inf
    hh = max(0.0, dd * uu - du * du)
    e = math.sqrt(max(0.0, 1.0 + 2.0 * energy * hh / pair.mu**2))
    nearest = hh / (pair.mu * (1.0 + e))
    if nearest < contact:
        return math.inf
    r = math.sqrt(nearest * nearest + softening * softening)
    return math.sqrt(r * r * r * max(1.0, e) / (pair.mu * (1.0 + e)))
