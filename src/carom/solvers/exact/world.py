"""A scene as arrays: all that the exact solver needs to know of it, and the state of its run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.errors import NotExactError
from carom.scene import Scene
from carom.solvers.exact.balls import Anchors
from carom.solvers.exact.wall_table import WallTable, wall_bounds

Floats = NDArray[np.float64]


class Contact(NamedTuple):
    """When collisions of a ball are one contact that lasts (ADR 3)."""

    time: float
    """s; a collision that comes sooner after the last one goes on with its streak."""
    faint: float
    """m/s; in a streak, slower approaches lose nothing."""


class Rules(NamedTuple):
    """What acts on balls and does not change during a run, as kernels take it.

    Numba drops a branch on the length of a tuple only where the tuple is an argument. So functions that depend on
    gravity take it as an argument `g` of their own, and those that depend on the dimension take `dim`.
    """

    dim: tuple[int, ...]  # its length is the dimension
    walls: Any  # records of walls
    bounce: Floats
    wall_bounce: Floats
    contact: Contact
    gravity: tuple[float, ...]  # three components; none without gravity


@dataclass
class World:
    """A scene as arrays, and the state of its run."""

    dimension: int
    bounded: bool  # can no ball fly away?
    extent: float | None  # of the region, its longest side, m; None if it has no end
    size: tuple[float, float, float]  # of the box; 1 where there is none
    periodic: tuple[bool, bool, bool]
    gravity: tuple[float, float, float] | None
    walls: WallTable
    bounce: Floats  # restitution, ball material by ball material
    wall_bounce: Floats  # and by wall material
    contact: Contact
    anchors: Anchors
    origin: tuple[float, float] = (0.0, 0.0)  # of time, a sum of two floats, s
    now: float = 0.0  # time of the last event, s after the origin
    epoch_end: float = 0.0  # when the epoch ends at the latest, s after the origin; 0 before it begins
    epochs: int = 0  # so often has the origin moved
    counts: dict[str, int] = field(default_factory=dict)  # numbers of the clock that go on (`run.COUNTERS`)

    @classmethod
    def of(cls, scene: Scene) -> World:
        """A scene at its start; a `NotExactError` if it has what these arrays do not hold."""
        if scene.forces_needed:
            raise NotExactError(", ".join(scene.forces_needed))
        walls = WallTable(scene)
        bounce, wall_bounce = scene.restitution.table(
            scene.balls.material.names or ("ball",), tuple(walls.materials) or ("wall",)
        )
        box = scene.boundary.box
        missing = 3 - scene.dimension
        gravity = (*scene.gravity, *(0.0,) * missing)
        return cls(
            dimension=scene.dimension,
            bounded=scene.boundary.bounded,
            extent=extent(scene, walls),
            size=(*box.size, *(1.0,) * missing) if box else (1.0, 1.0, 1.0),  # type: ignore[arg-type]  # three in all
            periodic=(*box.periodic, *(False,) * missing) if box else (False, False, False),  # type: ignore[arg-type]
            gravity=gravity if any(gravity) else None,  # type: ignore[arg-type]  # three in all
            walls=walls,
            bounce=bounce,
            wall_bounce=wall_bounce,
            contact=contact_of(scene),
            anchors=Anchors.of(scene),
        )


def extent(scene: Scene, walls: WallTable) -> float | None:
    """The longest side of the region of a scene, m; None if it has no end."""
    if not scene.boundary.bounded:
        return None
    if scene.boundary.box is not None:
        return max(scene.boundary.box.size)
    low, high = wall_bounds(walls.records)
    return float((high - low)[: scene.dimension].max())


def contact_of(scene: Scene) -> Contact:
    """How collisions of a scene become one contact that lasts; all zero if nothing is ever lost.

    The contact time is the one that the scene names, or one so short that what happens within cannot be seen: a
    ten-thousandth of the time in which a ball falls by its own diameter; without gravity, a millionth of the time in
    which the fastest ball crosses a diameter. A millionth of it is the least that a scene can have: with less, rounding
    would stretch the last bounces without end. An approach is faint at a thousand-millionth of the fastest ball's
    speed, or of what a ball gains when it falls by its own diameter.
    """
    balls = scene.balls
    values = [
        scene.restitution.ball_ball,
        scene.restitution.ball_wall,
        *(pair.value for pair in scene.restitution.pairs),
    ]
    moving = ~balls.fixed
    if min(values) == 1.0 or not moving.any():
        return Contact(0.0, 0.0)
    radii = balls.radius[moving]
    size = 2.0 * float(radii[radii > 0.0].min()) if (radii > 0.0).any() else 1e-3 * span(scene)
    g = numerics.length(scene.gravity)
    fastest = float(np.sqrt((balls.velocity**2).sum(axis=1).max()))
    natural = 1e-4 * float(np.sqrt(2.0 * size / g)) if g > 0.0 else 0.0
    if g == 0.0 and fastest > 0.0:
        natural = 1e-6 * size / fastest
    time = natural if scene.contact_time is None else max(scene.contact_time, 1e-6 * natural)
    return Contact(time, 1e-9 * max(fastest, float(np.sqrt(2.0 * size * g))))


def span(scene: Scene) -> float:
    """The largest distance along an axis between two balls, or between walls, m."""
    if scene.boundary.box is not None:
        return max(scene.boundary.box.size)
    places: Any = scene.balls.position
    return float((places.max(axis=0) - places.min(axis=0)).max()) or 1.0
