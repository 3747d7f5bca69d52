"""What all shapes have in common: each owns all that solvers, views, placement and files know of it."""

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
    """A part of a scene that balls bounce off.

    Solvers and views know shapes only by their features and by what is declared here. So a new shape is one class: a
    `Boundary`, an `Obstacle` or both, with a `kind` of its own; `register` in `carom.scene.shapes.kinds` makes the kind
    known to scene files.
    """

    kind: str

    exact_in: ClassVar[tuple[int, ...]] = ()
    """The dimensions in which the exact solver can do its walls."""
    flat: ClassVar[bool] = False
    """Is it drawn in the plane, and in 3D the same at every z? Then it goes with both dimensions."""
    only_in_space: ClassVar[str] = ""
    """For a kind that there is in 3D only: the id of the problem that a scene in the plane has with it."""

    @property
    def dimension(self) -> int:
        """2 or 3; always 2 for what is drawn in the plane, and in 3D is the same at every z."""
        return 2

    @property
    def handles(self) -> tuple[tuple[float, float], ...]:
        """The corners that a person can move in the laboratory, in the plane."""
        return ()

    def with_handle(self, number: int, to: Sequence[float]) -> Self:
        """A copy with one of the handles moved."""
        raise NotImplementedError

    def table(self) -> dict[str, Any]:
        """Its fields as files hold them; what is at its default is left out."""
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
    """What bounds the space that balls move in."""

    bounded: ClassVar[bool] = True
    """Does it keep balls from flying away for ever, along some axis at least?"""

    @property
    @abstractmethod
    def walls(self) -> Iterator[Feature]:
        """The features that hold the balls."""

    @property
    def box(self) -> Box | None:
        """The box that it is; None if it is something else."""
        return None

    @property
    def free_axes(self) -> tuple[bool, bool, bool]:
        """Along which of the axes x, y and z does no wall ever push a ball, if there is no friction?"""
        return (not self.bounded,) * 3

    @property
    def rotation_centre(self) -> Place | None:
        """The point about which balls keep their angular momentum if there is no friction; None if there is none."""
        return None

    def lodges(self, gravity: Sequence[float]) -> bool:
        """Do balls that lose energy slide on to where no single wall can hold them? Unless that is known, they do."""
        return self.bounded and any(gravity)

    def volume(self, inset: float = 0.0) -> float | None:  # noqa: ARG002  # for those that have one
        """Of the space inside, m³ (m² in 2D), if walls stood further in by `inset`; None if it has none."""
        return None

    def wall_area(self, inset: float = 0.0) -> float | None:  # noqa: ARG002  # for those that have one
        """Of all walls, m² (in 2D their length, m), if they stood further in by `inset`; None if it is not finite."""
        return None


class Obstacle(Shape):
    """A solid thing that balls meet from outside."""

    @abstractmethod
    def solids(self, name: str = "") -> Iterator[Solid]:
        """Its features; their names begin with `name`."""

    @property
    def half_width(self) -> float:
        """Half of how wide it is where it is narrowest, m; infinite for what has no sides."""
        return inf

    def check_solid(self) -> None:
        """Raise a `SceneError` if it cannot be an obstacle as it is."""
