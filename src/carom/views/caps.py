"""Triangulate an outline of any shape by ear clipping, for the ends of prisms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Corner = tuple[float, float]


def triangles(points: Any) -> list[list[int]]:
    """Triangles between points of a simple outline, as counter-clockwise indices; two fewer than points."""
    given: list[Corner] = [(float(x), float(y)) for x, y, *_ in points]
    ring = list(range(len(given)))
    if area(given) < 0.0:
        ring.reverse()
    found = []
    while len(ring) > 3:
        k = _find_ear(given, ring)
        found.append([ring[k - 1], ring[k], ring[(k + 1) % len(ring)]])
        del ring[k]
    return [*found, ring] if len(ring) == 3 else found


def area(points: Any) -> float:
    """The area within an outline; above 0 if it is counter-clockwise."""
    x, y = np.asarray(points, dtype=np.float64)[:, :2].T
    x, y = x - x[0], y - y[0]  # far from the origin of coordinates, too
    return 0.5 * float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


def _find_ear(points: list[Corner], ring: list[int]) -> int:
    """A corner that can be cut off; if rounding leaves none, the most convex one."""
    bends = [_cross(*(points[j] for j in _corner_at(ring, k))) for k in range(len(ring))]
    inward = [points[ring[k]] for k, bend in enumerate(bends) if bend <= 0.0]
    for k, bend in enumerate(bends):
        if bend > 0.0 and not any(_contains([points[j] for j in _corner_at(ring, k)], place) for place in inward):
            return k
    return int(np.argmax(bends))


def _corner_at(ring: list[int], k: int) -> tuple[int, int, int]:
    return ring[k - 1], ring[k], ring[(k + 1) % len(ring)]


def _cross(a: Corner, b: Corner, c: Corner) -> float:
    """Cross product of ab and bc; above 0 if the path turns left at b."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _contains(triangle: list[Corner], place: Corner) -> bool:
    """True if a place is in a triangle or on its edges, and not one of its corners."""
    a, b, c = triangle
    return (
        place not in triangle
        and _cross(a, b, place) >= 0.0
        and _cross(b, c, place) >= 0.0
        and _cross(c, a, place) >= 0.0
    )
