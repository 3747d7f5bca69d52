"""Base classes of shapes. A shape defines all that solvers, views, placement and files need of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Self

from carom.scene.fields.base import Part
from carom.scene.shapes.features import Feature, Place, Solid

if TYPE_CHECKING:
    from carom.scene.shapes.box import Box


class Shape(Part):
    """Base class of boundaries and obstacles, with which balls collide.

    Solvers and views know shapes only by their features and by what is declared here. So a new shape is one class: a
    `Boundary`, an `Obstacle` or both, with a `kind` of its own; `register` in `carom.scene.shapes.kinds` makes the kind
    known to scene files.
    """

    kind: str

    exact_in: ClassVar[tuple[int, ...]] = ()
    """The dimensions in which the exact solver supports its walls."""
    flat: ClassVar[bool] = False
    """True if it is defined in the plane and constant along z: it fits both dimensions."""
    only_in_space: ClassVar[str] = ""
    """For a kind that exists in 3D only: the id of the problem in a scene in the plane."""

    @property
    def dimension(self) -> int:
        """2 or 3; always 2 for a flat shape."""
        return 2

    @property
    def handles(self) -> tuple[tuple[float, float], ...]:
        """The corners in the plane that can be moved in the laboratory."""
        return ()

    def with_handle(self, number: int, to: Sequence[float]) -> Self:
        """A copy with one of the handles moved."""
        raise NotImplementedError

    def table(self) -> dict[str, Any]:
        """Its fields as a table for files, without defaults."""
        content: dict[str, Any] = {"kind": self.kind}
        for name, field in type(self).model_fields.items():
            value, default = _plain(getattr(self, name)), field.default
            if isinstance(default, bool | str) and isinstance(value, list) and all(one == value[0] for one in value):
                value = value[0]  # one for all
            if value != default and (default != () or any(value)):
                content[name] = value
        return content


def _plain(value: Any) -> Any:
    if isinstance(value, Shape):
        return value.table()
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


class Boundary(Shape):
    """The boundary of the space of the balls."""

    bounded: ClassVar[bool] = True
    """True if it confines balls along at least one axis."""

    @property
    @abstractmethod
    def walls(self) -> Iterator[Feature]:
        """The features that hold the balls."""

    @property
    def box(self) -> Box | None:
        """The boundary itself if it is a box; else None."""
        return None

    @property
    def free_axes(self) -> tuple[bool, bool, bool]:
        """For x, y and z: True if no wall exerts a force along the axis without friction."""
        return (not self.bounded,) * 3

    @property
    def rotation_centre(self) -> Place | None:
        """The point about which angular momentum is conserved without friction; None if there is none."""
        return None

    def traps_balls(self, gravity: Sequence[float]) -> bool:
        """True if balls that lose energy can come to rest where no single flat wall holds them; True if unknown."""
        return self.bounded and any(gravity)

    def volume(self, inset: float = 0.0) -> float | None:  # noqa: ARG002  # for subclasses
        """Volume inside, m³ (m² in 2D), with the walls moved inward by `inset`, m; None if unknown or infinite."""
        return None

    def wall_area(self, inset: float = 0.0) -> float | None:  # noqa: ARG002  # for subclasses
        """Area of all walls, m² (in 2D length, m), with the walls moved inward by `inset`, m; None if not finite."""
        return None


class Obstacle(Shape):
    """A solid body that balls collide with from outside."""

    @abstractmethod
    def solids(self, name: str = "") -> Iterator[Solid]:
        """Its features; their names begin with `name`."""

    @property
    def half_width(self) -> float:
        """Half of its smallest width, m; infinite without sides."""
        return inf

    def check_solid(self) -> None:
        """Raise a `SceneError` if it cannot be an obstacle."""
