"""Geometry that measurements need: volume and wall area available to the centres of balls, conserved axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Scene

Floats = NDArray[np.float64]


def box_sizes(scene: Scene) -> Floats | None:
    """Sizes of the box, m; None if the boundary is no box."""
    box = scene.boundary.box
    return None if box is None else np.array(box.size)


def periodic_axes(scene: Scene) -> NDArray[np.bool_]:
    """True for each periodic axis."""
    box = scene.boundary.box
    return np.zeros(scene.dimension, dtype=bool) if box is None else np.array(box.periodic)


def unwrapped(scene: Scene, positions: Floats, turns: NDArray[np.int64]) -> Floats:
    """Unwrapped positions, m: continuous across periodic boundaries."""
    sizes = box_sizes(scene)
    return positions if sizes is None else np.asarray(positions + turns * sizes)


def mean_radius(scene: Scene) -> float:
    """The mean radius of the balls that can move, m."""
    free = ~scene.balls.fixed
    return float(scene.balls.radius[free].mean()) if free.any() else 0.0


def volume(scene: Scene, inset: float = 0.0) -> float:
    """The volume inside the boundary, m³ (m² in 2D), with the walls moved inwards by `inset`, a ball's radius.

    With the radius of the balls as inset it is the volume available to their centres, for which pressure from the
    virial and pressure on the walls agree exactly. The walls of a polygon are not moved.
    """
    if scene.obstacles:
        raise _unknown("obstacles take up room", scene)
    whole = scene.boundary.volume(inset) if scene.boundary.dimension == scene.dimension else None
    if whole is None:
        raise _unknown(f"the {scene.boundary.kind} boundary has no volume", scene)
    return whole


def wall_area(scene: Scene, inset: float = 0.0) -> float:
    """The area of all walls of the boundary, m² (in 2D their length, m), moved inwards by `inset`."""
    if scene.obstacles:
        raise _unknown("obstacles have walls too", scene)
    whole = finite_wall_area(scene, inset)
    if whole is None:
        raise _unknown(f"the {scene.boundary.kind} boundary has no walls of finite area", scene)
    return whole


def finite_wall_area(scene: Scene, inset: float = 0.0) -> float | None:
    """The area of all walls of the boundary; None if it is not finite, as for a polygon in 3D."""
    return scene.boundary.wall_area(inset) if scene.boundary.dimension == scene.dimension else None


def conserved_axes(scene: Scene) -> NDArray[np.bool_]:
    """True for each axis along which total momentum is conserved: no wall, no gravity, nothing fixed."""
    free = np.zeros(scene.dimension, dtype=bool)
    if scene.obstacles or scene.balls.fixed.any() or scene.drag is not None:
        return free
    axes = scene.boundary.free_axes[: scene.dimension]
    if scene.friction.none or all(axes):
        free[:] = axes
    return np.asarray(free & (np.array(scene.gravity) == 0.0))


def conserves_rotation(scene: Scene) -> bool:
    """True if angular momentum is conserved, as in a smooth round vessel with nothing else in it."""
    alone = not (scene.obstacles or scene.balls.fixed.any() or any(scene.gravity))
    return alone and scene.boundary.rotation_centre is not None and scene.friction.none and scene.drag is None


def _unknown(why: str, scene: Scene) -> ArgumentError:
    return ArgumentError.of("room.unknown", where="boundary", why=why, name=repr(scene.name))
