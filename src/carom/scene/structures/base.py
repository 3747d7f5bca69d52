"""The base class of structures: a few options that make many balls, links, bends and triangles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Field

from carom.errors import SceneError
from carom.scene.balls import Balls
from carom.scene.fields.base import Part, fault, shown, unset
from carom.scene.fields.columns import Flags, Floats, Numbers, ball_numbers
from carom.scene.fields.quantities import NotNegative, Vector, Word, same_length, vector, whole
from carom.scene.links import Bends, Links

MAX_POINTS = 10_000_000
"""Largest number of points of a structure: beyond it arrays take gigabytes."""


@dataclass(frozen=True)
class Pieces:
    """The parts of a structure; its balls are numbered from 0."""

    balls: Balls
    links: Links = field(default_factory=Links.none)
    bends: Bends = field(default_factory=Bends.none)
    triangles: Numbers = field(default_factory=lambda: ball_numbers([], 3, "triangle"))

    @classmethod
    def joined(cls, parts: Sequence[Pieces]) -> Pieces:
        """Join several parts; the balls are numbered consecutively."""
        shifted, start = [], 0
        for part in parts:
            shifted.append(part.shifted(start))
            start += len(part.balls)
        return cls(
            Balls.concatenate([part.balls for part in shifted]),
            Links.concatenate([part.links for part in shifted]),
            Bends.concatenate([part.bends for part in shifted]),
            ball_numbers(np.concatenate([part.triangles for part in shifted]), 3, "triangle"),
        )

    def shifted(self, start: int) -> Pieces:
        """A copy with the numbers of balls in links, bends and triangles increased by `start`."""
        if start == 0:
            return self
        numbers = start + np.arange(len(self.balls))
        links, bends = self.links.renumbered(numbers), self.bends.renumbered(numbers)
        return Pieces(self.balls, links, bends, self.triangles + start)


def _velocity(value: object) -> tuple[float, ...] | None:
    return None if value is None else vector(value)


class Structure(Part):
    """Base class of structures: options that make balls, links, bends and triangles."""

    velocity: Annotated[tuple[float, ...] | None, BeforeValidator(_velocity, json_schema_input_type=Vector)] = Field(
        default_factory=unset, description="velocity of all points that are not held, in m/s; default: zero"
    )
    radius: NotNegative = Field(default=0.0, description="radius of each ball, in m; 0 is a material point")
    material: Word = Field(default="ball", description="material of the balls")

    @property
    @abstractmethod
    def dimension(self) -> int:
        """2 or 3."""

    @property
    def expected(self) -> float:
        """Approximate number of balls, known before they are made; 0 if unknown."""
        return 0.0

    @abstractmethod
    def pieces(self) -> Pieces:
        """Balls, links, bends and triangles."""

    def _check_lengths(self, first: str, *others: str) -> None:
        """Check that all named vectors, and the velocity, have as many components as the first."""
        vectors = {name: getattr(self, name) for name in (*others, "velocity")}
        problems = [
            problem
            for name, value in vectors.items()
            if value is not None
            for problem in same_length(name, value, len(getattr(self, first)), first)
        ]
        if problems:
            raise SceneError(problems)

    def _balls(self, position: Floats, mass: ArrayLike, held: Flags | None = None, born: ArrayLike = 0.0) -> Balls:
        fixed = np.zeros(len(position), dtype=np.bool_) if held is None else held
        velocity = np.where(fixed[:, None], 0.0, 0.0 if self.velocity is None else np.array(self.velocity))
        return Balls(
            position=position,
            velocity=np.broadcast_to(velocity, position.shape),
            mass=mass,
            radius=self.radius,
            fixed=fixed,
            material=self.material,
            born=born,
        )


def points(least: int) -> Callable[[object], int]:
    """Make a check for a number of points, at least `least`."""

    def check(value: object) -> int:
        result = whole(value)
        if not least <= result <= MAX_POINTS:
            raise fault("structure.count", value=shown(value), least=least, most=MAX_POINTS)
        return result

    return check


Points = Annotated[int, Field(ge=2, le=MAX_POINTS), BeforeValidator(points(2))]


def grid(*axes: Floats) -> Floats:
    """The points of a grid, one row each; the first coordinate changes fastest."""
    mesh = np.meshgrid(*axes[::-1], indexing="ij")[::-1]
    return np.stack([axis.ravel() for axis in mesh], axis=1)


def shares(count: int) -> Floats:
    """The share of each point in the mass of a line; the mass of a link is shared by its two ends."""
    part: Floats = np.full(count, 1.0 / (count - 1))
    part[[0, -1]] /= 2.0
    return part


def given_twice(where: str, other: str) -> SceneError:
    """The error of two keys that exclude each other."""
    return SceneError.of("part.given-with", where=where, other=other)
