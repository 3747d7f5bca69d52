"""Reversal: with all velocities reversed, every ball returns to its start.

Hard balls are chaotic, and rounding errors grow on the way back by a factor that depends on the scene. It is measured,
by twins of the run back whose velocities differ by NUDGE from its own: what all the rounding there and back has done
must be less than what NUDGE does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from carom import Box, Scene, Simulation

NUDGE = 1e-13  # 450 times the spacing of doubles


@dataclass(frozen=True)
class Return:
    """The result of a reversal: collisions there and back, and the deviation of balls, m."""

    there: int
    back: int
    error: float
    allowed: float  # how far the twins are from the run back


def turned_round(scene: Scene, nudge: float = 0.0) -> Scene:
    """The scene with reversed velocities; components are alternately stretched and shortened by the nudge."""
    v = -scene.balls.velocity
    signs = 1.0 - 2.0 * (np.arange(v.size).reshape(v.shape) % 2)
    return scene.replace(balls=scene.balls.replace(velocity=v * (1.0 + nudge * signs)))


def furthest(scene: Scene, one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of two sets of positions, by the shortest way in periodic space."""
    apart = np.abs(one - other)
    if isinstance(scene.boundary, Box):
        around = np.array(scene.boundary.periodic) * np.array(scene.boundary.size)
        apart = np.where(around > 0.0, np.minimum(apart, np.abs(apart - around)), apart)
    return float(apart.max())


def there_and_back(solver: Callable[[Scene], Simulation], scene: Scene, collisions: int) -> Return:
    """Run for some collisions and a little longer, reverse, and run back."""
    there = solver(scene).run(collisions=collisions)
    there.run(until=1.0001 * there.time)
    end = there.snapshot()
    back = solver(turned_round(end)).run(until=there.time)
    twins = [solver(turned_round(end, nudge)).run(until=there.time) for nudge in (NUDGE, -NUDGE)]
    return Return(
        there.collisions,
        back.collisions,
        furthest(scene, back.positions, scene.balls.position),
        max(furthest(scene, back.positions, twin.positions) for twin in twins),
    )
