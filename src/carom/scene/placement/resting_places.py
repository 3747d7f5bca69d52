"""Where balls that lose energy come to rest under gravity: on a level floor, or where no single wall can hold them."""

from __future__ import annotations

import numpy as np

from carom.scene.boundary import Boundary, Box
from carom.scene.shapes.polygon import Circle, Polygon

LEVEL = 1e-12
"""Sine of the angle up to which an edge counts as level, or as upright."""


def lodges(boundary: Boundary, gravity: tuple[float, ...]) -> bool:
    """Do balls slide on, to a corner of two walls or to the bottom of a round one?"""
    if isinstance(boundary, Box):
        return int(np.count_nonzero(gravity)) > 1
    if isinstance(boundary, Polygon):
        return bool(any(gravity[:2]) and (any(boundary.bulges) or _slanted_floors(boundary, gravity)))
    return isinstance(boundary, Circle) and any(gravity)


def _slanted_floors(polygon: Polygon, gravity: tuple[float, ...]) -> bool:
    """Is there an edge that faces up and is not level? Vertices go counter-clockwise, so the region is on its left."""
    (dx, dy), (gx, gy) = polygon.outline.chord.T, gravity[:2]
    size = LEVEL * np.hypot(dx, dy) * np.hypot(gx, gy)
    faces_up, falls = dy * gx - dx * gy > size, np.abs(dx * gx + dy * gy) > size
    return bool((faces_up & falls).any())
