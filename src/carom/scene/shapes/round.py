"""Round shapes: circles, in 3D spheres, and cylinders."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from carom.scene.fields.quantities import PlaneVector, Positive, Vector, VectorLike, Word
from carom.scene.shapes.base import Boundary, Obstacle
from carom.scene.shapes.features import Place, Round
from carom.scene.shapes.outline import Outline


class _Round(Boundary, Obstacle):
    """Base class of circles and cylinders."""

    by_position: ClassVar = ("centre", "radius")

    centre: Vector
    radius: Positive = Field(description="radius, in m, above 0")
    material: Word = Field(default="wall", description="material of the wall")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, centre: VectorLike, radius: float, *, material: str = ...) -> None: ...

    @property
    def walls(self) -> Iterator[Round]:
        """The wall around the balls."""
        yield Round(self.centre, self.radius, self.material, self.kind, inside=True)

    def solids(self, name: str = "") -> Iterator[Round]:
        """The solid that balls collide with from outside."""
        yield Round(self.centre, self.radius, self.material, name)

    @property
    def half_width(self) -> float:
        """Its radius, m."""
        return self.radius


class Circle(_Round):
    """A circle; in 3D a sphere. As a boundary it holds the balls inside, as an obstacle or a hole outside."""

    exact_in: ClassVar = (2, 3)

    kind: Literal["circle"] = "circle"
    centre: Vector = Field(description="place of the centre, in m, two or three numbers")

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.centre)

    @property
    def outline(self) -> Outline:
        """The circle as two half circles (in 2D)."""
        return next(self.walls).outline

    @property
    def rotation_centre(self) -> Place:
        """Its centre."""
        return self.centre

    def volume(self, inset: float = 0.0) -> float:
        """Volume inside, m³ (m² in 2D), with the wall moved inward by `inset`, m."""
        radius = self.radius - inset
        return pi * radius**2 if self.dimension == 2 else 4.0 / 3.0 * pi * radius**3

    def wall_area(self, inset: float = 0.0) -> float:
        """Area of the wall, m² (in 2D length, m), with the wall moved inward by `inset`, m."""
        radius = self.radius - inset
        return 2.0 * pi * radius if self.dimension == 2 else 4.0 * pi * radius**2


class Cylinder(_Round):
    """A cylinder along z, without ends; in 3D only. As a boundary it holds the balls inside, as an obstacle outside."""

    only_in_space: ClassVar = "cylinder.in-plane"

    kind: Literal["cylinder"] = "cylinder"
    centre: PlaneVector = Field(description="x and y of its axis, in m, two numbers")

    @property
    def dimension(self) -> int:
        """Always 3."""
        return 3

    @property
    def free_axes(self) -> tuple[bool, bool, bool]:
        """True for z, its axis."""
        return False, False, True
