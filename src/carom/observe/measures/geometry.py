"""Geometry that measurements need: volume and wall area available to the centres of balls, conserved axes."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Box, Circle, Cylinder, Open, Polygon, Scene
from carom.scene.shapes.outline import Outline

Floats = NDArray[np.float64]


def box_sizes(scene: Scene) -> Floats | None:
    """Sizes of the box, m; None if the boundary is no box."""
    return np.array(scene.boundary.size) if isinstance(scene.boundary, Box) else None


def periodic_axes(scene: Scene) -> NDArray[np.bool_]:
    """True for each periodic axis."""
    if isinstance(scene.boundary, Box):
        return np.array(scene.boundary.periodic)
    return np.zeros(scene.dimension, dtype=bool)


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
    wall = scene.boundary
    if scene.obstacles:
        raise _unknown("obstacles take up room", scene)
    if isinstance(wall, Box):
        return float(np.prod([size - 2.0 * inset * (not around) for size, around in _sides(wall)]))
    if isinstance(wall, Circle):
        radius = wall.radius - inset
        return pi * radius**2 if scene.dimension == 2 else 4.0 / 3.0 * pi * radius**3
    if isinstance(wall, Polygon) and scene.dimension == 2:
        return abs(wall.outline.area) - sum(abs(hole.outline.area) for hole in wall.holes)
    raise _unknown(f"the {wall.kind} boundary has no volume", scene)


def wall_area(scene: Scene, inset: float = 0.0) -> float:
    """The area of all walls of the boundary, m² (in 2D their length, m), moved inwards by `inset`."""
    wall = scene.boundary
    if scene.obstacles:
        raise _unknown("obstacles have walls too", scene)
    if isinstance(wall, Box):
        whole = volume(scene, inset)
        return float(sum(2.0 * whole / (size - 2.0 * inset) for size, around in _sides(wall) if not around))
    if isinstance(wall, Circle):
        radius = wall.radius - inset
        return 2.0 * pi * radius if scene.dimension == 2 else 4.0 * pi * radius**2
    if isinstance(wall, Polygon) and scene.dimension == 2:
        return sum(map(_length, (wall.outline, *(hole.outline for hole in wall.holes))))
    raise _unknown(f"the {wall.kind} boundary has no walls of finite area", scene)


def conserved_axes(scene: Scene) -> NDArray[np.bool_]:
    """True for each axis along which total momentum is conserved: no wall, no gravity, nothing fixed."""
    wall, free = scene.boundary, np.zeros(scene.dimension, dtype=bool)
    if scene.obstacles or scene.balls.fixed.any() or scene.drag is not None:
        return free
    if isinstance(wall, Open):
        free[:] = True
    elif isinstance(wall, Box) and (scene.friction.none or all(wall.periodic)):
        free[:] = wall.periodic
    elif isinstance(wall, Cylinder) and scene.friction.none:
        free[2] = True
    return np.asarray(free & (np.array(scene.gravity) == 0.0))


def conserves_rotation(scene: Scene) -> bool:
    """True if angular momentum is conserved, as in a smooth round vessel with nothing else in it."""
    alone = not (scene.obstacles or scene.balls.fixed.any() or any(scene.gravity))
    return alone and isinstance(scene.boundary, Circle) and scene.friction.none and scene.drag is None


def _sides(box: Box) -> list[tuple[float, bool]]:
    return list(zip(box.size, box.periodic, strict=True))


def _length(outline: Outline) -> float:
    """The length of a closed outline, m."""
    straight = np.hypot(*outline.chord.T)
    curved = outline.bulge != 0.0
    arcs = outline.radius[curved] * 4.0 * np.arctan(np.abs(outline.bulge[curved]))
    return float(straight[~curved].sum() + arcs.sum())


def _unknown(why: str, scene: Scene) -> ArgumentError:
    return ArgumentError.of("room.unknown", where="boundary", why=why, name=repr(scene.name))
