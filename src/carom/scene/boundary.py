"""What bounds the space: a box, a polygon, a circle (in 3D a sphere), or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, ValidationInfo, field_validator

from carom.scene.base import Part, fault, nearest, shown, written
from carom.scene.polygon import Circle, Polygon
from carom.scene.quantities import Sizes, VectorLike, Word, flag, one_each, word


class Box(Part):
    """A rectangle, or in 3D a cuboid, with its lower corner at the origin.

    Along a periodic axis there are no walls: what leaves on one side comes in on the other.
    """

    kind: Literal["box"] = "box"
    size: Sizes = Field(description="lengths of the sides, in m, two or three positive numbers")
    periodic: tuple[bool, ...] = written(False, "true or false, for all axes or one an axis")
    material: tuple[str, ...] = written(
        "wall", "material of the walls, one for all or one a face in the order x-, x+, y-, y+, z-, z+"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self, *, size: VectorLike, periodic: bool | Sequence[bool] = ..., material: str | Sequence[str] = ...
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


Boundary: TypeAlias = Box | Polygon | Circle | Open
Obstacle: TypeAlias = Circle | Polygon

AnyBoundary = Annotated[Boundary, Field(discriminator="kind")]
AnyObstacle = Annotated[Obstacle, Field(discriminator="kind")]


def as_boundary(value: object) -> Boundary:
    """A boundary, or one made from a table with its kind."""
    made: Boundary = _of_kind(value, (Box, Polygon, Circle, Open), "boundary")
    return made


def as_obstacle(value: object) -> Obstacle:
    """An obstacle, or one made from a table with its kind."""
    made: Obstacle = _of_kind(value, (Circle, Polygon), "obstacle")
    if isinstance(made, Polygon) and made.holes:
        raise fault("an obstacle has no holes, for it is solid", "Leave the holes out.", where="holes")
    return made


def _of_kind(value: Any, kinds: Sequence[type[Part]], noun: str) -> Any:
    """An instance of one of the kinds, or one made from a table that names its kind."""
    if isinstance(value, tuple(kinds)):
        return value
    by_name = {kind.model_fields["kind"].default: kind for kind in kinds}
    names = ", ".join(map(repr, by_name))
    if not isinstance(value, dict):
        raise fault(f"{shown(value)} is not a kind of {noun}", f"Write a table with a kind, one of {names}.")
    if "kind" not in value:
        raise fault("is missing", f"Add the kind of {noun}, one of {names}.", where="kind")
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in by_name:
        raise fault(f"{shown(kind)} is not a kind of {noun}", nearest(str(kind), by_name, "kinds"), where="kind")
    return by_name[kind].of(value)
