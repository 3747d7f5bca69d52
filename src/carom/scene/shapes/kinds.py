"""The kinds of boundaries and obstacles that scene files know."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import Field

from carom.scene.fields.base import of_kind
from carom.scene.shapes.base import Boundary, Obstacle, Shape
from carom.scene.shapes.box import Box, Open
from carom.scene.shapes.polygon import Polygon
from carom.scene.shapes.round import Circle, Cylinder
from carom.scene.shapes.solids import Block, HalfSpace, Wedge

AnyBoundary = Annotated[Box | Polygon | Circle | Cylinder | Open, Field(discriminator="kind")]
AnyObstacle = Annotated[Circle | Polygon | HalfSpace | Cylinder | Block | Wedge, Field(discriminator="kind")]

_boundaries: list[type[Boundary]] = [Box, Polygon, Circle, Cylinder, Open]
_obstacles: list[type[Obstacle]] = [Circle, Polygon, HalfSpace, Cylinder, Block, Wedge]

Kind = TypeVar("Kind", bound=type[Shape])


def register(shape: Kind) -> Kind:
    """Make the kind of a custom shape known to scene files, in this process. It can be a decorator of its class."""
    if issubclass(shape, Boundary):
        _boundaries.append(shape)
    if issubclass(shape, Obstacle):
        _obstacles.append(shape)
    return shape


def as_boundary(value: object) -> Boundary:
    """Return a boundary, or make one from a table with its kind."""
    made: Boundary = value if isinstance(value, Boundary) else of_kind(value, _boundaries, "boundary")
    return made


def as_obstacle(value: object) -> Obstacle:
    """Return an obstacle, or make one from a table with its kind."""
    made: Obstacle = value if isinstance(value, Obstacle) else of_kind(value, _obstacles, "obstacle")
    made.check_solid()
    return made
