"""Links (springs) and bends (bending stiffness) between balls, single or many in columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from math import pi
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Field, field_validator

from carom import numerics
from carom.errors import Problem, SceneError, first_problems
from carom.scene.fields.base import Part, fault, raw_default, shown, unset
from carom.scene.fields.columns import (
    Flags,
    Floats,
    Numbers,
    ball_numbers,
    limit_column,
    not_negative_column,
    optional_column,
)
from carom.scene.fields.quantities import SMALLEST, NotNegative, Positive, Whole, positive
from carom.scene.fields.rows import PartTable, balls_named, column, missing_balls


def _angle(value: object) -> float:
    result = positive(value)
    if result > pi:
        raise fault("angle.beyond-pi", value=shown(value))
    return result


Angle = Annotated[float, Field(gt=0, le=pi), BeforeValidator(_angle)]


class Link(Part):
    """A spring between two balls, with damping along it and an optional strain at which it breaks."""

    by_position: ClassVar = ("between", "stiffness")

    between: Annotated[tuple[Whole, Whole], BeforeValidator(balls_named(2))] = Field(
        description="the two balls, by their numbers from 0"
    )
    stiffness: NotNegative = Field(description="force over stretch, in N/m")
    damping: NotNegative = Field(default=0.0, description="force over speed along the link, in N s/m")
    length: Positive | None = Field(
        default=None, description="rest length, in m; default: the distance of the balls at the start"
    )
    breaking: Positive | None = Field(default=None, description="strain at which it breaks; default: never")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self,
            between: Sequence[int],
            stiffness: float,
            *,
            damping: float = ...,
            length: float | None = ...,
            breaking: float | None = ...,
        ) -> None: ...


class Links(PartTable[Link]):
    """Many links in columns: read-only NumPy arrays, and no Python object per link.

    A length of 0 stands for the distance of the balls at the start; a scene replaces it by that distance.
    """

    one: ClassVar[type[Part]] = Link
    noun: ClassVar[str] = "link"
    blanks: ClassVar[dict[str, float]] = {"length": 0.0, "breaking": np.inf}

    by_position: ClassVar = ("between", "stiffness")

    between: Numbers = Field(description="the balls by their numbers from 0, one row of two per link")
    stiffness: Floats = Field(description="force over stretch, in N/m, one for all or one per link")
    damping: Floats = raw_default(0.0, "force over speed along the link, in N s/m, one for all or one per link")
    length: Floats = Field(
        default_factory=unset,
        description="rest lengths, in m, one for all or one per link; 0 or default: the distance at the start",
    )
    breaking: Floats = Field(
        default_factory=unset,
        description="strains at which they break, one for all or one per link; 1e150 or default: never",
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self,
            between: ArrayLike,
            stiffness: ArrayLike,
            *,
            damping: ArrayLike = ...,
            length: ArrayLike | None = ...,
            breaking: ArrayLike | None = ...,
        ) -> None: ...

    @field_validator("between", mode="plain", json_schema_input_type=list[tuple[Whole, Whole]])
    @classmethod
    def _pairs(cls, value: Any) -> Numbers:
        return ball_numbers(value, 2, "link")

    _stiffnesses = column(
        "stiffness", "between", partial(not_negative_column, noun="link"), NotNegative | list[NotNegative]
    )
    _dampings = column("damping", "between", partial(not_negative_column, noun="link"), NotNegative | list[NotNegative])
    _lengths = column("length", "between", partial(optional_column, noun="link"), NotNegative | list[NotNegative])
    _breakings = column("breaking", "between", partial(limit_column, noun="link"), Positive | list[Positive])

    def resolved(self, position: Floats, periods: Sequence[float]) -> Links:
        """A copy with rest lengths in place of 0, from the positions of the balls.

        Along a periodic axis (a finite period) the nearest image counts.
        """
        unknown = self.length == 0.0
        if not unknown.any():
            return self
        one, other = self.between[unknown].T
        apart = np.linalg.norm(nearest_image(position[other] - position[one], periods), axis=1)
        _check_apart("links", "length", unknown, apart < SMALLEST, np.stack([one, other], axis=1))
        length = np.array(self.length)
        length[unknown] = apart
        return self.replace(length=length)

    def groups(self, balls: int) -> Numbers:
        """Connected groups: for each of `balls` balls the lowest number of a ball linked to it, also indirectly."""
        part = np.arange(balls)
        while len(self.between):
            one, other = part[self.between].T
            low = np.minimum(one, other)
            if (low == np.maximum(one, other)).all():
                break
            np.minimum.at(part, one, low)
            np.minimum.at(part, other, low)
            while (part != part[part]).any():
                part = part[part]
        return part


class Bend(Part):
    """Bending stiffness at a ball: a torque by the angle between two others as seen from it."""

    corner: Annotated[tuple[Whole, Whole, Whole], BeforeValidator(balls_named(3))] = Field(
        description="three balls, by their numbers from 0, the one at the corner in the middle"
    )
    stiffness: NotNegative = Field(description="torque over angle, in N m/rad")
    angle: Angle | None = Field(
        default=None, description="rest angle, in rad, π is straight; default: the angle at the start"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, *, corner: Sequence[int], stiffness: float, angle: float | None = ...) -> None: ...


def _angle_column(value: object, length: int) -> Floats:
    angles = optional_column(value, length, "bend")
    wide = np.flatnonzero(angles > pi)
    if wide.size:
        raise fault("angles.beyond-pi", where=f"[{wide[0]}]", value=shown(angles[wide[0]]))
    return angles


class Bends(PartTable[Bend]):
    """Many bends in columns. An angle of 0 stands for that at the start; a scene replaces it by that angle."""

    one: ClassVar[type[Part]] = Bend
    noun: ClassVar[str] = "bend"
    blanks: ClassVar[dict[str, float]] = {"angle": 0.0}

    corner: Numbers = Field(description="the balls by their numbers from 0, one row of three per bend")
    stiffness: Floats = Field(description="torque over angle, in N m/rad, one for all or one per bend")
    angle: Floats = Field(
        default_factory=unset,
        description="rest angles, in rad, one for all or one per bend; 0 or default: the angle at the start",
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, *, corner: ArrayLike, stiffness: ArrayLike, angle: ArrayLike | None = ...) -> None: ...

    @field_validator("corner", mode="plain", json_schema_input_type=list[tuple[Whole, Whole, Whole]])
    @classmethod
    def _corners(cls, value: Any) -> Numbers:
        return ball_numbers(value, 3, "bend")

    _stiffnesses = column(
        "stiffness", "corner", partial(not_negative_column, noun="bend"), NotNegative | list[NotNegative]
    )
    _angles = column("angle", "corner", _angle_column, NotNegative | list[NotNegative])

    def resolved(self, position: Floats, periods: Sequence[float]) -> Bends:
        """A copy with rest angles in place of 0, from the positions of the balls."""
        unknown = self.angle == 0.0
        if not unknown.any():
            return self
        one, middle, other = self.corner[unknown].T
        arms = [nearest_image(position[end] - position[middle], periods) for end in (one, other)]
        for end, arm in zip((one, other), arms, strict=True):
            short = np.linalg.norm(arm, axis=1) < SMALLEST
            _check_apart("bends", "angle", unknown, short, np.stack([end, middle], axis=1))
        now = _angle_between(*arms)
        folded = np.flatnonzero(now == 0.0)
        if folded.size:
            row = np.flatnonzero(unknown)[folded[0]]
            raise fault("bend.flat", where=f"bends[{row}]", balls=shown(tuple(self.corner[row].tolist())))
        angle = np.array(self.angle)
        angle[unknown] = now
        return self.replace(angle=angle)


_NO_TRIANGLES = ball_numbers([], 3, "triangle")


def triangles_of(value: Any) -> Numbers:
    """Check triangles: rows of three balls; none for None."""
    return (
        _NO_TRIANGLES
        if value is None or (isinstance(value, tuple) and not value)
        else ball_numbers(value, 3, "triangle")
    )


def triangle_problems(triangles: Numbers, number_of: int, dimension: int) -> list[Problem]:
    """The problems of triangles in a scene with `number_of` balls."""
    if len(triangles) and dimension != 3:
        return [Problem("triangles.dimension", where="triangles", dimension=dimension)]
    return missing_balls(triangles, number_of, "triangles")


def nearest_image(between: Floats, periods: Sequence[float]) -> Floats:
    """Differences of positions; along a periodic axis (a finite period), to the nearest image."""
    nearest = np.array(between)
    for axis, period in enumerate(periods):
        if np.isfinite(period):
            nearest[:, axis] -= period * np.round(nearest[:, axis] / period)
    return nearest


def _angle_between(one: Floats, other: Floats) -> Floats:
    """Angles between vectors, 0 to π, by Kahan's formula, accurate to the last bits for any angle."""
    one = one / np.linalg.norm(one, axis=1)[:, None]
    other = other / np.linalg.norm(other, axis=1)[:, None]
    return np.asarray(
        2.0 * numerics.each(math.atan2, np.linalg.norm(one - other, axis=1), np.linalg.norm(one + other, axis=1)),
        dtype=np.float64,
    )


def _check_apart(where: str, quantity: str, rows: Flags, together: Flags, balls: Numbers) -> None:
    """Refuse balls at the same place: they determine no length and no angle."""
    if not together.any():
        return
    numbers = np.flatnonzero(rows)[together]
    problems = [
        Problem("links.same-place", where=f"{where}[{row}]", one=one, other=other, quantity=quantity)
        for row, (one, other) in zip(numbers[:20].tolist(), balls[together][:20].tolist(), strict=True)
    ]
    raise SceneError(first_problems(problems, len(numbers)))
