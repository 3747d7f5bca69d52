"""Coulomb friction: static and dynamic, per scene and per pair of materials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from carom.scene.fields.base import Part, fault, of_number, shown
from carom.scene.fields.quantities import NotNegative, each, sequence
from carom.scene.materials import PairCoefficients, TwoMaterials, pair_values

Table: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


class Coulomb(Part):
    """The two coefficients of friction. Bodies do not rotate: bodies that would roll slide or stick."""

    static: NotNegative = Field(description="largest friction of sticking bodies, as a part of the normal force")
    dynamic: NotNegative = Field(description="friction of sliding bodies, as a part of the normal force")

    @model_validator(mode="after")
    def _holds_better_than_it_slides(self) -> Coulomb:
        if self.static < self.dynamic:
            raise fault(
                "friction.static-below-dynamic", where="static", static=shown(self.static), dynamic=shown(self.dynamic)
            )
        return self


def as_coulomb(value: Any) -> Coulomb:
    """Check coefficients: a number for both, a table, or a `Coulomb`."""
    if isinstance(value, Coulomb | dict):
        return Coulomb.of(value)
    return of_number(Coulomb, value, "static", "dynamic")


Coefficients = Annotated[Coulomb, BeforeValidator(as_coulomb, json_schema_input_type=NotNegative | Coulomb)]
_NONE = Coulomb(static=0.0, dynamic=0.0)


class FrictionPair(Part):
    """The friction between two materials, in either order."""

    materials: TwoMaterials = Field(description="the two materials")
    value: Coefficients = Field(description="coefficient of friction, or a table with static and dynamic")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, *, materials: tuple[str, str], value: float | Coulomb) -> None: ...


def _pairs(value: object) -> tuple[FrictionPair, ...]:
    return each(FrictionPair.of, sequence(value, "pairs"))


class Friction(PairCoefficients):
    """Coefficients of friction: between balls, between ball and wall, and for pairs of materials.

    Bodies do not rotate, so balls do not roll: with friction, heaps are higher than those of real balls.
    """

    ball_ball: Coefficients = Field(default=_NONE, description="between two balls: a number, or static and dynamic")
    ball_wall: Coefficients = Field(default=_NONE, description="between a ball and a wall, likewise")
    pairs: Annotated[tuple[FrictionPair, ...], BeforeValidator(_pairs)] = Field(
        default=(), description="for pairs of materials, of balls or walls; they take precedence over the others"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self,
            *,
            ball_ball: float | Coulomb = ...,
            ball_wall: float | Coulomb = ...,
            pairs: tuple[FrictionPair, ...] | list[FrictionPair] = ...,
        ) -> None: ...

    @property
    def none(self) -> bool:
        """True if there is no friction at all."""
        return all(each.static == 0.0 for each in (self.ball_ball, self.ball_wall, *(p.value for p in self.pairs)))

    def _between(self, ones: tuple[str, ...], others: tuple[str, ...], default: Coulomb) -> Table:
        static = [(pair.materials, pair.value.static) for pair in self.pairs]
        dynamic = [(pair.materials, pair.value.dynamic) for pair in self.pairs]
        return (
            pair_values(static, ones, others, default.static),
            pair_values(dynamic, ones, others, default.dynamic),
        )


def as_friction(value: Any) -> Friction:
    """Check friction: a number for all contacts, a table, or a `Friction`."""
    if isinstance(value, Friction):
        return value
    if isinstance(value, dict) and not {"static", "dynamic"} & set(value):
        return Friction.of(value)
    both = as_coulomb(value)
    return Friction(ball_ball=both, ball_wall=both)
