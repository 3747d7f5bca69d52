"""Restitution, per scene and per pair of materials."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from carom.errors import Problem, SceneError, first_problems
from carom.scene.fields.base import Part, fault, of_number, shown
from carom.scene.fields.quantities import Fraction, Word, each, sequence, word


def _two_words(value: object) -> tuple[str, ...]:
    values = sequence(value, "two names")
    if len(values) != 2:
        raise fault("pair.not-two", value=shown(value))
    return each(word, values)


TwoMaterials = Annotated[tuple[Word, Word], BeforeValidator(_two_words)]


def repeated_pairs(pairs: Sequence[tuple[str, str]]) -> list[Problem]:
    """A problem for each repeated pair of materials, in either order."""
    seen: dict[frozenset[str], int] = {}
    problems = []
    for index, materials in enumerate(pairs):
        first = seen.setdefault(frozenset(materials), index)
        if first != index:
            problems.append(Problem("pair.twice", where=f"pairs[{index}]", materials=shown(materials), first=first))
    return first_problems(problems)


def pair_values(
    pairs: Iterable[tuple[tuple[str, str], float]], ones: Sequence[str], others: Sequence[str], default: float
) -> NDArray[np.float64]:
    """The value of each pair of materials, as an array."""
    values = {frozenset(materials): value for materials, value in pairs}
    rows = [[values.get(frozenset((one, other)), default) for other in others] for one in ones]
    return np.array(rows, dtype=np.float64).reshape(len(ones), len(others))


class Pair(Part):
    """The restitution between two materials, in either order."""

    materials: TwoMaterials = Field(description="the two materials")
    value: Fraction = Field(description="coefficient of restitution, 0 to 1")


def _pairs(value: object) -> tuple[Pair, ...]:
    return each(Pair.of, sequence(value, "pairs"))


class PairCoefficients(Part):
    """Base class of coefficients between balls, between ball and wall, and for pairs of materials."""

    if TYPE_CHECKING:  # fields of each subclass
        ball_ball: Any
        ball_wall: Any
        pairs: tuple[Any, ...]

    @model_validator(mode="after")
    def _pairs_differ(self) -> Self:
        problems = repeated_pairs([pair.materials for pair in self.pairs])
        if problems:
            raise SceneError(problems)
        return self

    def table(self, ball_materials: tuple[str, ...], wall_materials: tuple[str, ...]) -> tuple[Any, Any]:
        """The coefficients for ball material by ball material, and for ball material by wall material.

        Those of restitution are arrays, those of friction are pairs of arrays (static, dynamic).
        """
        return (
            self._between(ball_materials, ball_materials, self.ball_ball),
            self._between(ball_materials, wall_materials, self.ball_wall),
        )

    @abstractmethod
    def _between(self, ones: tuple[str, ...], others: tuple[str, ...], default: Any) -> Any:
        """The coefficients of each pair of two lists of materials."""


class Restitution(PairCoefficients):
    """Coefficients of restitution: between balls, between ball and wall, and for pairs of materials."""

    ball_ball: Fraction = Field(default=1.0, description="between two balls, 0 to 1")
    ball_wall: Fraction = Field(default=1.0, description="between a ball and a wall, 0 to 1")
    pairs: Annotated[tuple[Pair, ...], BeforeValidator(_pairs)] = Field(
        default=(), description="for pairs of materials, of balls or walls; they take precedence over the others"
    )

    def _between(self, ones: tuple[str, ...], others: tuple[str, ...], default: float) -> NDArray[np.float64]:
        return pair_values([(pair.materials, pair.value) for pair in self.pairs], ones, others, default)


def as_restitution(value: Any) -> Restitution:
    """Check restitution: a number for all collisions, a table, or a `Restitution`."""
    if isinstance(value, Restitution | dict):
        return Restitution.of(value)
    return of_number(Restitution, value, "ball_ball", "ball_wall")
