"""The box, with walls or periodic, and space without walls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from carom.scene.fields.base import raw_default
from carom.scene.fields.quantities import Sizes, VectorLike, Word, flag, one_each, word
from carom.scene.shapes.base import Boundary
from carom.scene.shapes.features import Feature, Room


class Box(Boundary):
    """A rectangle, or in 3D a cuboid, with its lower corner at the origin.

    Along a periodic axis there are no walls: balls that leave on one side enter on the other.
    """

    by_position: ClassVar = ("size",)
    exact_in: ClassVar = (2, 3)

    kind: Literal["box"] = "box"
    size: Sizes = Field(description="lengths of the sides, in m, two or three positive numbers")
    periodic: tuple[bool, ...] = raw_default(False, "true or false, for all axes or one per axis")
    material: tuple[str, ...] = raw_default(
        "wall", "material of the walls, one for all or one per face in the order x-, x+, y-, y+, z-, z+"
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

    @property
    def walls(self) -> Iterator[Feature]:
        """The walls as one feature."""
        yield Room(self.size, self.periodic, self.material)

    @property
    def box(self) -> Box:
        """Itself."""
        return self

    @property
    def free_axes(self) -> tuple[bool, bool, bool]:
        """True for periodic axes."""
        x, y, *z = self.periodic
        return x, y, any(z)

    def traps_balls(self, gravity: Sequence[float]) -> bool:
        """True unless gravity is along one axis."""
        return sum(map(bool, gravity)) > 1

    def volume(self, inset: float = 0.0) -> float:
        """Volume inside, m³ (m² in 2D), with the walls moved inward by `inset`, m."""
        return float(np.prod([size - 2.0 * inset * (not around) for size, around in self._sides()]))

    def wall_area(self, inset: float = 0.0) -> float:
        """Area of the walls, m² (in 2D length, m), with the walls moved inward by `inset`, m."""
        whole = self.volume(inset)
        return float(sum(2.0 * whole / (size - 2.0 * inset) for size, around in self._sides() if not around))

    def _sides(self) -> list[tuple[float, bool]]:
        return list(zip(self.size, self.periodic, strict=True))


class Open(Boundary):
    """No walls at all: unbounded space."""

    exact_in: ClassVar = (2, 3)
    flat: ClassVar = True
    bounded: ClassVar = False

    kind: Literal["open"] = "open"

    @property
    def walls(self) -> Iterator[Feature]:
        """None."""
        return iter(())
