"""Points in a row: chains of oscillators, ropes and hairs."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from carom import numerics
from carom.scene.fields.base import fault, raw_default
from carom.scene.fields.columns import Flags, Floats, Numbers
from carom.scene.fields.quantities import (
    Mass,
    NotNegative,
    Positive,
    Vector,
    VectorLike,
    Word,
    mass,
    not_negative,
    one_each,
    one_of,
)
from carom.scene.forces import STANDARD_GRAVITY
from carom.scene.links import Bends, Links
from carom.scene.shapes.solids import Direction
from carom.scene.structures.base import Pieces, Points, Structure, given_twice, points, shares
from carom.scene.structures.catenary import hanging

Ends = Annotated[Literal["none", "start", "end", "both"], BeforeValidator(one_of("none", "start", "end", "both"))]

OWN_WEIGHT_STRAIN = 0.01
"""Default relative stretch of a rope that hangs from one end."""
OWN_WEIGHT_DROOP = 0.1
"""Default droop of a hair that is held level at its root, as a fraction of its length."""


def _held(count: int, ends: str) -> Flags:
    held = np.zeros(count, dtype=np.bool_)
    held[0], held[-1] = ends in {"start", "both"}, ends in {"end", "both"}
    return held


def _in_a_row(count: int, apart: int = 1) -> Numbers:
    """Pairs of points that are `apart` places from each other in the row."""
    first = np.arange(max(count - apart, 0))
    return np.stack([first, first + apart], axis=1)


class _Row(Structure):
    """Points in a row."""

    if TYPE_CHECKING:  # fields of each subclass
        start: Vector
        count: Points

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.start)

    @property
    def expected(self) -> float:
        """Number of balls."""
        return self.count


class Chain(_Row):
    """Masses in a row with springs between them: coupled oscillators."""

    kind: Literal["chain"] = "chain"
    start: Vector = Field(description="place of the first mass, in m")
    end: Vector = Field(description="place of the last mass, in m")
    count: Points = Field(description="number of masses, the ends included, 2 and more")
    mass: tuple[float, ...] = raw_default(1.0, "masses, in kg, one for all or one per mass")
    stiffness: tuple[float, ...] = Field(description="of each spring, in N/m, one for all or one per spring")
    damping: NotNegative = Field(default=0.0, description="of each spring, in N s/m")
    length: Positive | None = Field(default=None, description="rest length of each spring, in m; default: as placed")
    held: Ends = Field(default="both", description="which ends are held: none, start, end or both")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a structure has these options
            self,
            *,
            start: VectorLike,
            end: VectorLike,
            count: int,
            stiffness: float | Sequence[float],
            mass: float | Sequence[float] = ...,
            damping: float = ...,
            length: float | None = ...,
            held: str = ...,
            velocity: VectorLike | None = ...,
            radius: float = ...,
            material: str = ...,
        ) -> None: ...

    @field_validator("mass", mode="before", json_schema_input_type=Mass | list[Mass])
    @classmethod
    def _one_each(cls, value: Any, info: ValidationInfo) -> Any:
        return one_each(value, mass, info.data["count"], "mass") if "count" in info.data else ()

    @field_validator("stiffness", mode="before", json_schema_input_type=NotNegative | list[NotNegative])
    @classmethod
    def _one_a_spring(cls, value: Any, info: ValidationInfo) -> Any:
        return one_each(value, not_negative, info.data["count"] - 1, "spring") if "count" in info.data else ()

    @model_validator(mode="after")
    def _has_extent(self) -> Chain:
        self._check_lengths("start", "end")
        if self.start == self.end:
            raise fault("line.same-ends", where="end", end=str(self.end))
        return self

    def pieces(self) -> Pieces:
        """Masses and springs."""
        position = np.linspace(self.start, self.end, self.count)
        length = self.length or numerics.length(np.subtract(self.end, self.start)) / (self.count - 1)
        links = Links(between=_in_a_row(self.count), stiffness=self.stiffness, damping=self.damping, length=length)
        return Pieces(self._balls(position, self.mass, _held(self.count, self.held)), links)


class _Line(_Row):
    """Base class of ropes and hairs."""

    count: Points = Field(description="number of points, the ends included, 2 and more")
    mass: Mass = Field(default=1.0, description="total mass, in kg")
    stiffness: NotNegative | None = Field(
        default=None, description="force over stretch of the whole line, in N/m; default: from the strain"
    )
    strain: Positive | None = Field(
        default=None,
        description="relative stretch when it hangs from one end; default: 0.01",
    )
    damping: NotNegative = Field(default=0.0, description="force over stretching speed of the whole line, in N s/m")
    far: NotNegative = Field(default=0.0, description="stiffness of links to the next point but one, in N/m each")
    breaking: Positive | None = Field(default=None, description="strain at which a link breaks; default: never")

    @model_validator(mode="after")
    def _is_stretched_in_one_way(self) -> _Line:
        if self.stiffness is not None and self.strain is not None:
            raise given_twice("strain", "stiffness")
        return self

    def _line(self, position: Floats, held: Flags, length: float, bending: float) -> Pieces:
        """A line through positions, m, with a rest length, m, and a bending stiffness, N m², about a straight line."""
        pieces, each = self.count - 1, length / (self.count - 1)
        strain = self.strain or OWN_WEIGHT_STRAIN
        # Hanging from one end, it stretches by m g / 2k, half as much as with all its weight at the lower end.
        whole = self.mass * STANDARD_GRAVITY / (2.0 * strain * length) if self.stiffness is None else self.stiffness
        links = [
            Links(
                between=_in_a_row(self.count),
                stiffness=whole * pieces,
                damping=self.damping * pieces,
                length=each,
                breaking=self.breaking,
            )
        ]
        if self.far:
            links.append(Links(between=_in_a_row(self.count, 2), stiffness=self.far, length=2.0 * each))
        middle = np.arange(1, self.count - 1)
        corner = np.stack([middle - 1, middle, middle + 1], axis=1)[: None if bending else 0]
        bends = Bends(corner=corner, stiffness=bending / each, angle=pi)
        return Pieces(self._balls(position, self.mass * shares(self.count), held), Links.concatenate(links), bends)


class Rope(_Line):
    """A rope from one place to another, or in a direction; if longer than the distance, it hangs in a catenary."""

    kind: Literal["rope"] = "rope"
    material: Word = Field(default="rope", description="material of the points")
    start: Vector = Field(description="place of one end, in m")
    end: Vector | None = Field(default=None, description="place of the other end, in m; or give a direction")
    direction: Direction | None = Field(default=None, description="its direction, of any length; or give the end")
    length: Positive | None = Field(default=None, description="rest length, in m; default with an end: its distance")
    bending: NotNegative = Field(default=0.0, description="bending stiffness, E I, in N m²")
    held: Ends = Field(default="start", description="which ends are held: none, start, end or both")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a structure has these options
            self,
            *,
            start: VectorLike,
            end: VectorLike | None = ...,
            direction: VectorLike | None = ...,
            length: float | None = ...,
            count: int,
            mass: float = ...,
            stiffness: float | None = ...,
            strain: float | None = ...,
            damping: float = ...,
            bending: float = ...,
            far: float = ...,
            breaking: float | None = ...,
            held: str = ...,
            velocity: VectorLike | None = ...,
            radius: float = ...,
            material: str = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _goes_somewhere(self) -> Rope:
        self._check_lengths("start", "end", "direction")
        if self.end is not None and self.direction is not None:
            raise given_twice("direction", "end")
        if self.end is None and self.direction is None:
            raise fault("rope.no-end", where="end")
        if self.length is None and self.direction is not None:
            raise fault("hair.no-length", where="length")
        if self.length is None and self.end == self.start:
            raise fault("rope.same-ends", where="end", end=str(self.end))
        return self

    def pieces(self) -> Pieces:
        """Points, links and bends."""
        if self.direction is not None and self.length is not None:
            end, length = _beyond(self.start, self.direction, self.length), self.length
        else:
            end = np.array(self.end)
            length = self.length or numerics.length(end - self.start)
        position = hanging(np.array(self.start), end, length, self.count)
        return self._line(position, _held(self.count, self.held), length, self.bending)


class Hair(_Line):
    """A stiff line that grows out of its root in a direction: the first two points are held."""

    kind: Literal["hair"] = "hair"
    material: Word = Field(default="hair", description="material of the points")
    start: Vector = Field(description="place of the root, in m")
    direction: Direction = Field(description="direction of growth, a vector of any length")
    length: Positive = Field(description="length, in m")
    count: Annotated[int, Field(ge=3), BeforeValidator(points(3))] = Field(description="number of points, 3 and more")
    bending: NotNegative | None = Field(
        default=None,
        description="bending stiffness, E I, in N m²; by default a level hair droops by a tenth of its length; "
        "none if there are far links",
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a structure has these options
            self,
            *,
            start: VectorLike,
            direction: VectorLike,
            length: float,
            count: int,
            mass: float = ...,
            stiffness: float | None = ...,
            strain: float | None = ...,
            damping: float = ...,
            bending: float | None = ...,
            far: float = ...,
            breaking: float | None = ...,
            velocity: VectorLike | None = ...,
            radius: float = ...,
            material: str = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _is_consistent(self) -> Hair:
        self._check_lengths("start", "direction")
        return self

    def pieces(self) -> Pieces:
        """Points, links and bends."""
        position = np.linspace(self.start, _beyond(self.start, self.direction, self.length), self.count)
        held = np.arange(self.count) < 2
        return self._line(position, held, self.length, self._bending())

    def _bending(self) -> float:
        """E I, N m²: as given, or from the droop of a beam by its weight, m g L³ / 8 E I (Euler and Bernoulli)."""
        if self.bending is not None:
            return self.bending
        weight = self.mass * STANDARD_GRAVITY
        return 0.0 if self.far else weight * self.length**2 / (8.0 * OWN_WEIGHT_DROOP)


def _beyond(start: Sequence[float], direction: Sequence[float], length: float) -> Floats:
    """The place at a distance `length`, m, from the start in a direction."""
    along = np.array(direction) / max(map(abs, direction))
    end: Floats = np.array(start) + length * along / numerics.length(along)
    return end
