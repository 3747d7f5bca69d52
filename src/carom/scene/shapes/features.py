"""Features, the elements of shapes, as plain values: solvers convert them to records, views to drawings.

A feature excludes balls from a part of space: behind a plane, inside a solid, or, if balls are `inside`, outside. Its
name identifies its collisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from carom import numerics
from carom.scene.fields.columns import Floats
from carom.scene.shapes.outline import Outline

FACES = ("x-", "x+", "y-", "y+", "z-", "z+")
"""The names of a box's faces, in the order of their numbers."""

Place: TypeAlias = tuple[float, ...]


class Plane(NamedTuple):
    """A plane, in 2D a line; the normal, of any length, points into free space."""

    point: Place
    normal: Place
    material: str
    name: str

    @property
    def inside(self) -> bool:
        """False: balls are in front of it."""
        return False

    @property
    def unit_normal(self) -> Place:
        """The normal, of length 1."""
        normal = np.array(self.normal) / max(map(abs, self.normal))
        return tuple((normal / numerics.length(normal)).tolist())

    @property
    def bounds(self) -> list[Place]:
        """One point of the plane, which should be visible."""
        return [self.point]

    def distance(self, places: Floats) -> Floats:
        """Signed distances of places from the plane, m; negative behind it."""
        return np.asarray(numerics.product(places - self.point, self.unit_normal))


class Room(NamedTuple):
    """A rectangle or a cuboid round the balls, with its lower corner at the origin; periodic axes have no walls."""

    size: Place
    periodic: tuple[bool, ...]
    materials: tuple[str, ...]
    """One per face, in the order of `FACES`."""

    @property
    def inside(self) -> bool:
        """True: balls are inside."""
        return True

    @property
    def faces(self) -> Iterator[Plane]:
        """The walls, in the order of `FACES`."""
        for axis, (length, periodic) in enumerate(zip(self.size, self.periodic, strict=True)):
            for upper in () if periodic else (0, 1):
                point, normal = [0.0] * len(self.size), [0.0] * len(self.size)
                point[axis], normal[axis] = length * upper, 1.0 - 2.0 * upper
                face = 2 * axis + upper
                yield Plane(tuple(point), tuple(normal), self.materials[face], FACES[face])

    @property
    def bounds(self) -> list[Place]:
        """Lower and upper corner."""
        return [(0.0,) * len(self.size), self.size]


class Round(NamedTuple):
    """A circle or a sphere; in 3D, with a centre of two components, a cylinder along z without ends."""

    centre: Place
    radius: float
    material: str
    name: str
    inside: bool = False

    @property
    def bounds(self) -> list[Place]:
        """Lower and upper corner of a box round it."""
        return [tuple(x + sign * self.radius for x in self.centre) for sign in (-1.0, 1.0)]

    @property
    def outline(self) -> Outline:
        """Its largest section with a plane of constant z, as two half circles."""
        (x, y), r = self.centre[:2], self.radius
        return Outline.closed([(x - r, y), (x + r, y)], [1.0, 1.0])

    def distance(self, places: Floats) -> Floats:
        """Signed distances of places from the excluded part, m; negative in it."""
        away = np.linalg.norm(places[:, : len(self.centre)] - self.centre, axis=1)
        return np.asarray(self.radius - away if self.inside else away - self.radius)


class Cuboid(NamedTuple):
    """A solid rectangle or cuboid with sides along the axes, from its lower to its upper corner."""

    low: Place
    high: Place
    material: str
    name: str

    @property
    def inside(self) -> bool:
        """False: balls are outside."""
        return False

    @property
    def bounds(self) -> list[Place]:
        """Lower and upper corner."""
        return [self.low, self.high]

    @property
    def base(self) -> list[tuple[float, float]]:
        """Its four corners in the plane, counter-clockwise."""
        (x0, y0), (x1, y1) = self.low[:2], self.high[:2]
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]

    def distance(self, places: Floats) -> Floats:
        """Signed distances of places from it, m; negative inside."""
        beyond = np.maximum(np.array(self.low) - places, places - np.array(self.high))
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        return np.asarray(outside + np.minimum(beyond.max(axis=1), 0.0))


class Prism(NamedTuple):
    """The region within a closed, counter-clockwise outline in the plane; in 3D without end along z."""

    outline: Outline
    materials: tuple[str, ...]
    """One per edge."""
    name: str
    inside: bool = False
    holes: tuple[Prism | Round, ...] = ()
    """Solid holes in it, if balls are inside."""

    @property
    def bounds(self) -> list[Place]:
        """Lower and upper corner of a box round it, in the plane."""
        lower, upper = self.outline.box
        return [tuple(lower.min(axis=0).tolist()), tuple(upper.max(axis=0).tolist())]


Solid: TypeAlias = Plane | Round | Cuboid | Prism
Feature: TypeAlias = Room | Solid
