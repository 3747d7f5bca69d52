"""What bounds the space: a box, a polygon, a circle (in 3D a sphere), a cylinder, or nothing; and what stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, ValidationInfo, field_validator

from carom.scene.fields.base import Part, fault, of_kind, written
from carom.scene.fields.quantities import Sizes, VectorLike, Word, flag, one_each, word
from carom.scene.shapes.polygon import Circle, Polygon
from carom.scene.shapes.solids import Block, Cylinder, HalfSpace, Wedge

FACES = ("x-", "x+", "y-", "y+", "z-", "z+")
"""The names of a box's faces, in the order of their numbers."""


class Box(Part):
    """A rectangle, or in 3D a cuboid, with its lower corner at the origin.

    Along a periodic axis there are no walls: what leaves on one side comes in on the other.
    """

    by_position: ClassVar = ("size",)

    kind: Literal["box"] = "box"
    size: Sizes = Field(description="lengths of the sides, in m, two or three positive numbers")
    periodic: tuple[bool, ...] = written(False, "true or false, for all axes or one an axis")
    material: tuple[str, ...] = written(
        "wall", "material of the walls, one for all or one a face in the order x-, x+, y-, y+, z-, z+"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self, size: VectorLike, *, periodic: bool | Sequence[bool] = ..., material: str | Sequence[str] = ...
        ) -> None: ...

    @field_validator("periodic", mode="before", json_schema_input_type=bool | list[bool])
    @classmethod
    def _one_an_axis(cls, value: Any, info: ValidationInfo) -> Any:
        return one_each(value, flag, len(info.data["size"]), "axis") if "size" in info.data else ()

    @field_validator("material", mode="before", json_schema_input_type=Word | list[Word])
    @classmethod
    def _one_a_face(cls, value: Any, info: ValidationInfo) -> Any:
        return one_each(value, word, 2 * len(info.data["size"]), "face") if "size" in info.data else ()

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.size)


class Open(Part):
    """No walls at all: unbounded space."""

    kind: Literal["open"] = "open"


Boundary: TypeAlias = Box | Polygon | Circle | Cylinder | Open
Obstacle: TypeAlias = Circle | Polygon | HalfSpace | Cylinder | Block | Wedge

AnyBoundary = Annotated[Boundary, Field(discriminator="kind")]
AnyObstacle = Annotated[Obstacle, Field(discriminator="kind")]


def as_boundary(value: object) -> Boundary:
    """A boundary, or one made from a table with its kind."""
    made: Boundary = of_kind(value, (Box, Polygon, Circle, Cylinder, Open), "boundary")
    return made


def as_obstacle(value: object) -> Obstacle:
    """An obstacle, or one made from a table with its kind."""
    made: Obstacle = of_kind(value, (Circle, Polygon, HalfSpace, Cylinder, Block, Wedge), "obstacle")
    if isinstance(made, Polygon) and made.holes:
        raise fault("obstacle.no-holes", where="holes")
    return made
