"""The "scene" message of the protocol: everything that is drawn and does not move, relative to an origin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.lab.seen.view import View
from carom.scene import Scene
from carom.scene.shapes.features import Cuboid, Feature, Plane, Prism, Room, Round
from carom.views import region
from carom.views.caps import triangles
from carom.views.shapes import points

Floats = NDArray[np.float64]
Handles = Sequence[tuple[float, float]]

MAX_ARC_STEP = np.pi / 48.0
"""Angle between two points of an arc."""
FAR = 20.0
"""A scene this many times its size away from the origin is drawn around its own middle."""
ROUND = 1.15
"""Space around the heaviest of attracting bodies, in distances of the farthest one."""
TALL = 0.6
"""Shapes without end along z are drawn this fraction of the scene's size beyond its content."""


def scene_message(view: View) -> dict[str, Any]:
    """Make the scene message of a view."""
    scene = view.scene
    low, high = _bounds(view)
    origin = _origin(low, high)
    shapes = _Shapes(scene.dimension, origin, low, high)
    balls = scene.balls
    return {
        "epoch": view.epoch,
        "name": scene.name,
        "dimension": scene.dimension,
        "y_down": scene.view.y_down,
        "origin": origin.tolist(),
        "bounds": [(low - origin).tolist(), (high - origin).tolist()],
        "radii": balls.radius.tolist(),
        "masses": balls.mass.tolist(),
        "names": list(balls.name) if balls.name and any(balls.name) else None,
        "fixed": np.flatnonzero(balls.fixed).tolist(),
        "colours": _colours(scene),
        "links": scene.links.between.tolist(),
        "triangles": scene.triangles.tolist(),
        "walls": shapes.of(scene.boundary.walls, scene.boundary.handles),
        "obstacles": [
            {**shape, "of": k}
            for k, solid in enumerate(scene.obstacles)
            for shape in shapes.of(solid.solids(), solid.handles)
        ],
        "attraction": scene.attraction is not None,
        "gravity": list(scene.gravity),
    }


def _bounds(view: View) -> tuple[Floats, Floats]:
    """Bounds of everything that is drawn; in open space with room for orbits."""
    scene = view.scene
    low, high = region.bounds(scene)
    there = view.positions if view.born is None else view.positions[view.born]
    if scene.boundary.bounded or not len(there):
        return low, high
    low, high = np.minimum(low, there.min(axis=0)), np.maximum(high, there.max(axis=0))
    if scene.attraction is not None:
        middle = there[int(np.argmax(scene.balls.mass if view.born is None else scene.balls.mass[view.born]))]
        reach = ROUND * float(np.linalg.norm(there - middle, axis=1).max())
        low, high = np.minimum(low, middle - reach), np.maximum(high, middle + reach)
    return low, high


def _origin(low: Floats, high: Floats) -> Floats:
    middle, size = (low + high) / 2.0, float((high - low).max())
    return middle if np.abs(middle).max() > FAR * size else np.zeros(len(low))


def _colours(scene: Scene) -> list[int] | None:
    """Colour numbers: one per material, and one per named ball; None if all have the first."""
    balls = scene.balls
    of = balls.material.codes.astype(int)
    named = [k for k, name in enumerate(balls.name or ()) if name]
    of[named] = len(balls.material.names) + np.arange(len(named))
    return of.tolist() if of.any() else None


class _Shapes:
    """Shapes of walls and obstacles in the terms of the protocol."""

    def __init__(self, dimension: int, origin: Floats, low: Floats, high: Floats) -> None:
        self.d = dimension
        self.origin = origin
        size = float((high - low).max())
        self.below, self.above = (
            (float(low[2]) - TALL * size, float(high[2]) + TALL * size) if dimension == 3 else (0.0, 0.0)
        )

    def of(self, features: Iterable[Feature], handles: Handles) -> list[dict[str, Any]]:
        """The features of a shape with their holes; the first has the handles."""
        shapes = []
        for feature in features:
            shapes += list(self._shapes(feature, handles))
            handles = ()
        return shapes

    def _shapes(self, feature: Feature, handles: Handles) -> Iterator[dict[str, Any]]:
        match feature:
            case Room(size, periodic):
                ends = {"low": self._at(np.zeros(self.d)), "high": self._at(size)}
                yield {"kind": "box", **ends, "periodic": list(periodic)}
            case Round(centre, radius) if len(centre) == self.d:
                yield {"kind": "circle", "centre": self._at(centre), "radius": radius, "solid": not feature.inside}
            case Round((x, y), radius):
                ends = {"from": self._at((x, y, self.below)), "to": self._at((x, y, self.above))}
                yield {"kind": "cylinder", **ends, "radius": radius, "solid": not feature.inside}
            case Plane(point):
                yield {"kind": "half-space", "point": self._at(point), "normal": list(feature.unit_normal)}
            case Cuboid(low, high) if self.d == 3:
                yield self._prism(np.array(feature.base), solid=True, low=low[2], high=high[2])
            case Cuboid():
                yield self._loop(feature.base, (), handles, solid=True)
            case Prism(outline, holes=inner):
                outer = points(outline, MAX_ARC_STEP)
                holes = [points(hole.outline, MAX_ARC_STEP) for hole in inner]
                if self.d == 2:
                    yield self._loop(outer, holes, handles, solid=not feature.inside)
                else:
                    yield self._prism(outer, solid=not feature.inside)
                    yield from (self._prism(hole, solid=True) for hole in holes)

    def _at(self, place: Any) -> list[float]:
        given = np.asarray(place, dtype=np.float64)
        relative: list[float] = (given - self.origin[: len(given)]).tolist()
        return relative

    def _loop(self, points: Any, holes: Any, vertices: Handles, *, solid: bool) -> dict[str, Any]:
        return {
            "kind": "loop",
            "points": [self._at(point) for point in points],
            "solid": solid,
            "holes": [[self._at(point) for point in hole] for hole in holes],
            "vertices": [self._at(vertex) for vertex in vertices],
        }

    def _prism(
        self, points: Floats, *, solid: bool, low: float | None = None, high: float | None = None
    ) -> dict[str, Any]:
        """A prism over an outline; with ends if it is solid."""
        n = len(points)
        below, above = (self.below if low is None else low), (self.above if high is None else high)
        vertices = [self._at((*point, z)) for z in (below, above) for point in points]
        sides = [face for k in range(n) for face in ([k, (k + 1) % n, n + (k + 1) % n], [k, n + (k + 1) % n, n + k])]
        cut = triangles(points) if solid else []
        ends = [face for a, b, c in cut for face in ([c, b, a], [n + a, n + b, n + c])]
        return {
            "kind": "mesh",
            "vertices": vertices,
            "faces": sides + ends,
            "solid": solid,
        }
