"""Forces: gravity of a planet, attraction between balls, drag."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from carom.scene.fields.base import Part, fault, of_number, shown
from carom.scene.fields.quantities import (
    LARGEST,
    Flag,
    NotNegative,
    Positive,
    Vector,
    VectorLike,
    number,
    one_of,
    vector,
)

GRAVITATIONAL_CONSTANT = 6.67430e-11
"""G, in m³/(kg s²): CODATA 2018 and 2022, with a standard uncertainty of 0.00015e-11."""
EARTH_MASS = 5.9722e24
"""In kg: the nominal GM of the Earth, 3.986004e14 m³/s² (IAU 2015, Resolution B3), over G, rounded to five digits."""
EARTH_RADIUS = 6.371e6
"""In m: the mean radius R₁ = (2a + b)/3 of the ellipsoid GRS 80 (IUGG), 6371.0088 km, rounded to km. The nominal
equatorial radius of IAU 2015, Resolution B3, is 6378.1 km."""

STANDARD_GRAVITY = 9.80665
"""In m/s² (3rd CGPM, 1901)."""

MAX_OPENING = 2.0
"""Largest opening angle of the tree, rad: beyond it a tree is no approximation."""


class Planet(Part):
    """A planet under the scene, far larger than it: a uniform gravity of G M / R², by default along -y.

    The defaults are those of the Earth: 9.82 m/s².
    """

    G: NotNegative = Field(default=GRAVITATIONAL_CONSTANT, description="gravitational constant, in m³/(kg s²)")
    M: NotNegative = Field(default=EARTH_MASS, description="mass of the planet, in kg")
    R: Positive = Field(default=EARTH_RADIUS, description="distance from its centre, in m, above 0")
    down: Annotated[
        Literal["-x", "x", "-y", "y", "-z", "z"],
        BeforeValidator(one_of("-x", "x", "-y", "y", "-z", "z")),
    ] = Field(default="-y", description="direction in which it pulls: -x, x, -y, y, -z or z")

    @model_validator(mode="after")
    def _is_sane(self) -> Planet:
        if not self.g <= LARGEST:
            raise fault("planet.too-strong", g=self.g, limit=LARGEST)
        return self

    @property
    def g(self) -> float:
        """The acceleration of gravity G M / R², m/s²."""
        return self.G * (self.M / self.R) / self.R

    def vector(self, dimension: int) -> tuple[float, ...]:
        """The acceleration of gravity, m/s²."""
        axis = "xyz".index(self.down[-1])
        pull = 0.0 - self.g if self.down.startswith("-") else self.g
        return tuple(pull if k == axis else 0.0 for k in range(dimension))


class Drag(Part):
    """Drag on each ball, F = -(linear + quadratic |v|) v."""

    linear: NotNegative = Field(default=0.0, description="force over speed, in kg/s")
    quadratic: NotNegative = Field(default=0.0, description="force over the square of the speed, in kg/m")


def _opening(value: object) -> float:
    result = number(value)
    if not 0.0 <= result <= MAX_OPENING:
        raise fault("attraction.opening", value=shown(value), most=MAX_OPENING)
    return result


class Attraction(Part):
    """Newtonian attraction between all balls: F = G m₁ m₂ r / (r² + softening²)^(3/2)."""

    G: NotNegative = Field(default=GRAVITATIONAL_CONSTANT, description="gravitational constant, in m³/(kg s²)")
    softening: NotNegative = Field(default=0.0, description="length of Plummer's softening, in m")
    touch: Annotated[
        Literal["pass", "bounce", "merge"],
        BeforeValidator(one_of("pass", "bounce", "merge")),
    ] = Field(default="pass", description="what touching balls do: pass, bounce or merge")
    opening: Annotated[float, Field(ge=0, le=MAX_OPENING), BeforeValidator(_opening)] | None = Field(
        default=None, description="opening angle of the tree, size over distance; 0 sums all pairs; chosen by default"
    )
    strict: Flag = Field(
        default=False,
        description="true takes IEEE's square root and division, at half the speed; false an inverse cube of its own",
    )


def as_drag(value: Any) -> Drag | None:
    """Check drag: a number for linear drag, a table, a `Drag`, or None."""
    if value is None or isinstance(value, Drag | dict):
        return None if value is None else Drag.of(value)
    return of_number(Drag, value, "linear")


def as_attraction(value: Any) -> Attraction | None:
    """Check attraction: an `Attraction`, a table, or None."""
    return None if value is None else Attraction.of(value)


def as_gravity(value: Any) -> tuple[float, ...] | Planet:
    """Check gravity: a vector, a planet or a table of one; empty for None."""
    if isinstance(value, Planet | dict):
        return Planet.of(value)
    return () if value is None else vector(value)


AnyGravity = Vector | Planet
"""Gravity in a file."""
GravityLike = VectorLike | Planet | None
"""Input for gravity in Python."""
