"""Springs between balls, and what resists bending: one at a time, or a million in columns."""

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
from carom.errors import Problem, SceneError, the_first
from carom.scene.fields.base import Part, fault, left_out, shown, written
from carom.scene.fields.columns import (
    Flags,
    Floats,
    Numbers,
    ball_numbers,
    limit_column,
    not_negative_column,
    or_zero_column,
)
from carom.scene.fields.quantities import SMALLEST, NotNegative, Positive, Whole, positive
from carom.scene.fields.rows import Rows, balls_named, column, missing_balls


def _angle(value: object) -> float:
    result = positive(value)
    if result > pi:
        raise fault("angle.beyond-pi", value=shown(value))
    return result


Angle = Annotated[float, Field(gt=0, le=pi), BeforeValidator(_angle)]


class Link(Part):
    """A spring between two balls, with damping along it; it may break."""

    by_position: ClassVar = ("between", "stiffness")

    between: Annotated[tuple[Whole, Whole], BeforeValidator(balls_named(2))] = Field(
        description="the two balls, by their numbers from 0"
    )
    stiffness: NotNegative = Field(description="force over stretch, in N/m")
    damping: NotNegative = Field(default=0.0, description="force over speed along the link, in N s/m")
    length: Positive | None = Field(
        default=None, description="length without force, in m; as far apart as they are at the start, if left out"
    )
    breaking: Positive | None = Field(default=None, description="strain at which it breaks; never, if left out")

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


class Links(Rows[Link]):
    """Many links in columns: read-only NumPy arrays, and no Python object a link.

    A length of 0 stands for as far apart as they are at the start; a scene has the lengths themselves.
    """

    one: ClassVar[type[Part]] = Link
    noun: ClassVar[str] = "link"
    blanks: ClassVar[dict[str, float]] = {"length": 0.0, "breaking": np.inf}

    by_position: ClassVar = ("between", "stiffness")

    between: Numbers = Field(description="the balls by their numbers from 0, one row of two a link")
    stiffness: Floats = Field(description="force over stretch, in N/m, one for all or one a link")
    damping: Floats = written(0.0, "force over speed along the link, in N s/m, one for all or one a link")
    length: Floats = Field(
        default_factory=left_out,
        description="lengths without force, in m, one for all or one a link; 0 or left out: as at the start",
    )
    breaking: Floats = Field(
        default_factory=left_out,
        description="strains at which they break, one for all or one a link; 1e150 or left out: never",
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

    _stiff = column("stiffness", "between", partial(not_negative_column, noun="link"), NotNegative | list[NotNegative])
    _damped = column("damping", "between", partial(not_negative_column, noun="link"), NotNegative | list[NotNegative])
    _long = column("length", "between", partial(or_zero_column, noun="link"), NotNegative | list[NotNegative])
    _strong = column("breaking", "between", partial(limit_column, noun="link"), Positive | list[Positive])

    def settled(self, position: Floats, periods: Sequence[float]) -> Links:
        """The links with their lengths, where they depend on the places of the balls.

        Along a periodic axis (a finite period) a link is as long as to the nearest image.
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

    def parts(self, balls: int) -> Numbers:
        """Which of so many balls hang together by links, directly or through others: of each, the lowest number."""
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
    """Resistance to bending at a ball, by the angle between two others as seen from it."""

    corner: Annotated[tuple[Whole, Whole, Whole], BeforeValidator(balls_named(3))] = Field(
        description="three balls, by their numbers from 0, the one at the corner in the middle"
    )
    stiffness: NotNegative = Field(description="torque over angle, in N m/rad")
    angle: Angle | None = Field(
        default=None, description="angle without torque, in rad, π is straight; as at the start, if left out"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, *, corner: Sequence[int], stiffness: float, angle: float | None = ...) -> None: ...


def _angle_column(value: object, length: int) -> Floats:
    angles = or_zero_column(value, length, "bend")
    wide = np.flatnonzero(angles > pi)
    if wide.size:
        raise fault("angles.beyond-pi", where=f"[{wide[0]}]", value=shown(angles[wide[0]]))
    return angles


class Bends(Rows[Bend]):
    """Many bends in columns. An angle of 0 stands for as at the start; a scene has the angles themselves."""

    one: ClassVar[type[Part]] = Bend
    noun: ClassVar[str] = "bend"
    blanks: ClassVar[dict[str, float]] = {"angle": 0.0}

    corner: Numbers = Field(description="the balls by their numbers from 0, one row of three a bend")
    stiffness: Floats = Field(description="torque over angle, in N m/rad, one for all or one a bend")
    angle: Floats = Field(
        default_factory=left_out,
        description="angles without torque, in rad, one for all or one a bend; 0 or left out: as at the start",
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, *, corner: ArrayLike, stiffness: ArrayLike, angle: ArrayLike | None = ...) -> None: ...

    @field_validator("corner", mode="plain", json_schema_input_type=list[tuple[Whole, Whole, Whole]])
    @classmethod
    def _corners(cls, value: Any) -> Numbers:
        return ball_numbers(value, 3, "bend")

    _stiff = column("stiffness", "corner", partial(not_negative_column, noun="bend"), NotNegative | list[NotNegative])
    _angles = column("angle", "corner", _angle_column, NotNegative | list[NotNegative])

    def settled(self, position: Floats, periods: Sequence[float]) -> Bends:
        """The bends with their angles, where they depend on the places of the balls."""
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
    """Triangles as rows of three balls; none if left out."""
    return (
        _NO_TRIANGLES
        if value is None or (isinstance(value, tuple) and not value)
        else ball_numbers(value, 3, "triangle")
    )


def triangle_problems(triangles: Numbers, number_of: int, dimension: int) -> list[Problem]:
    """What is wrong with triangles of so many balls."""
    if len(triangles) and dimension != 3:
        return [Problem("triangles.dimension", where="triangles", dimension=dimension)]
    return missing_balls(triangles, number_of, "triangles")


def nearest_image(between: Floats, periods: Sequence[float]) -> Floats:
    """Differences of places; along a periodic axis (a finite period), to the nearest image."""
    nearest = np.array(between)
    for axis, period in enumerate(periods):
        if np.isfinite(period):
            nearest[:, axis] -= period * np.round(nearest[:, axis] / period)
    return nearest


def _angle_between(one: Floats, other: Floats) -> Floats:
    """From 0 to π; Kahan's formula, good to the last bits for any angle."""
    one = one / np.linalg.norm(one, axis=1)[:, None]
    other = other / np.linalg.norm(other, axis=1)[:, None]
    return np.asarray(
        2.0 * numerics.each(math.atan2, np.linalg.norm(one - other, axis=1), np.linalg.norm(one + other, axis=1)),
        dtype=np.float64,
    )


def _check_apart(where: str, quantity: str, rows: Flags, together: Flags, balls: Numbers) -> None:
    """Balls at the same place tell no length and no angle."""
    if not together.any():
        return
    numbers = np.flatnonzero(rows)[together]
    problems = [
        Problem("links.same-place", where=f"{where}[{row}]", one=one, other=other, quantity=quantity)
        for row, (one, other) in zip(numbers[:20].tolist(), balls[together][:20].tolist(), strict=True)
    ]
    raise SceneError(the_first(problems, len(numbers)))
