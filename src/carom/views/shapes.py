"""Boundary and obstacles in the plane as closed polylines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.scene.shapes.features import Cuboid, Feature, Plane, Prism, Room, Round
from carom.scene.shapes.outline import Outline

Floats = NDArray[np.float64]

MAX_ARC_ANGLE = np.pi / 96.0
"""Largest angle between two points of an arc, rad."""


@dataclass(frozen=True)
class Contour:
    """A boundary or a solid: its outline, then its holes, as rows of points in m."""

    loops: tuple[Floats, ...]
    solid: bool
    joined: tuple[bool, bool] = (False, False)
    """Along which axes a box is periodic."""


def contours(scene: Scene, reach: float) -> list[Contour]:
    """All features in the plane x, y; a half-space is cut off at the distance `reach` from its point, m."""
    return [
        Contour(
            tuple(_loops(feature, reach)),
            not feature.inside,
            (feature.periodic[0], feature.periodic[1]) if isinstance(feature, Room) else (False, False),
        )
        for feature in scene.features
    ]


def _loops(feature: Feature, reach: float) -> Iterator[Floats]:
    match feature:
        case Room(size):
            yield rectangle(0.0, 0.0, *size[:2])
        case Round(centre, radius):
            yield circle(centre[0], centre[1], radius)
        case Cuboid(low, high):
            yield rectangle(*low[:2], *high[:2])
        case Plane():
            yield _half_plane(feature, reach)
        case Prism(outline, holes=holes):
            yield points(outline)
            yield from (points(hole.outline) for hole in holes)


def rectangle(left: float, bottom: float, right: float, top: float) -> Floats:
    """The four corners of a rectangle."""
    return np.array([(left, bottom), (right, bottom), (right, top), (left, top)])


def circle(x: float, y: float, radius: float) -> Floats:
    """Points of a circle."""
    angles = np.arange(0.0, 2.0 * np.pi, MAX_ARC_ANGLE)
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)


def points(outline: Outline, smooth: float = MAX_ARC_ANGLE) -> Floats:
    """An outline as points; `smooth` is the largest angle between two points of an arc, rad."""
    found: list[Floats] = []
    for k, bulge in enumerate(outline.bulge.tolist()):
        start = outline.start[k]
        if not bulge:
            found.append(start[None])
            continue
        centre, turn = outline.centre[k], 4.0 * np.arctan(bulge)
        count = max(int(np.ceil(abs(turn) / smooth)), 2)
        angles = turn * np.arange(count) / count
        (dx, dy), c, s = start - centre, np.cos(angles), np.sin(angles)
        found.append(centre + np.stack([c * dx - s * dy, s * dx + c * dy], axis=1))
    return np.concatenate(found)


def _half_plane(part: Plane, reach: float) -> Floats:
    """A rectangle behind the line; empty if the surface is not upright."""
    normal = np.array(part.unit_normal[:2])
    size = float(np.hypot(*normal))
    if size < 1.0 - 1e-12:
        return np.zeros((0, 2))
    along, down = np.array([-normal[1], normal[0]]) * reach, -normal * reach
    at = np.array(part.point[:2])
    return np.array([at - along, at - along + down, at + along + down, at + along])
