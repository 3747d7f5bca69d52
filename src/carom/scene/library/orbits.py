"""Bodies with mutual attraction: the planets, two bodies on ellipses, and a satellite."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator

from carom import numerics
from carom.scene.balls import Ball, Balls
from carom.scene.fields.base import fault, nearest, shown
from carom.scene.fields.quantities import Number, Positive, text
from carom.scene.forces import EARTH_MASS, EARTH_RADIUS, GRAVITATIONAL_CONSTANT, Attraction
from carom.scene.library.ephemeris import FIRST_DAY, LAST_DAY, PLANETS, SUN_GM, SUN_RADIUS, PlanetElements, state
from carom.scene.library.options import Generator, option
from carom.scene.model import Scene
from carom.scene.stepping import Stepping

__all__ = ["InnerPlanets", "PlanetarySystem", "Satellite", "TwoBodies"]

GROUP = "Planetary system"
_BY_NAME = {planet.name.lower(): planet for planet in PLANETS}
_SOME = {"all": PLANETS, "inner": PLANETS[:4], "outer": PLANETS[4:]}


def _names(value: Any) -> str:
    """Check names of planets, or a word for a group of them."""
    chosen = text(value)
    if chosen.strip().lower() not in _SOME:
        for name in chosen.split(","):
            if name.strip().lower() not in _BY_NAME:
                known = [*_SOME, *(planet.name for planet in PLANETS)]
                raise fault("planets.unknown", value=shown(name.strip()), hint=nearest(name.strip(), known, "choices"))
    return chosen


Names = Annotated[str, BeforeValidator(_names)]


class PlanetarySystem(Generator):
    """The Sun and its planets at a date, all attracting each other.

    Elements, masses and radii as `ephemeris` tells, with their sources. Each ellipse has its focus at the centre of
    mass of the Sun and the planets inside it, for the mean elements of the outer ones do not know how the Sun moves
    about. Against JPL's Horizons, in January 2000 and August 2026, the velocities of Uranus and Neptune are then off
    by up to 1.2 m/s, and by 12 to 17 m/s with the focus in the Sun; Saturn's by 20 and 8 m/s rather than 18 and 3 m/s;
    the others hardly change. x points to the equinox of J2000 and z to the north of the ecliptic. A step of a day is
    the 88th part of Mercury's year: short enough for an integrator of fourth order, and it makes dates easy.
    """

    group: ClassVar[str] = GROUP
    title: ClassVar[str] = "Planetary system"
    sentence: ClassVar[str] = (
        "Let a year go by in steps of a day: the Earth comes round once, Mercury four times, and Neptune hardly moves."
    )

    days: Number = option(
        0.0, "d", "days after J2000, which is noon of 1 January 2000; from 1800 to 2050", ge=FIRST_DAY, le=LAST_DAY
    )
    planets: Names = option("all", "", "all, inner, outer, or names with commas between them")

    def scene(self) -> Scene:
        """The Sun first, then the planets outward; their centre of mass rests at the origin."""
        planets = self._chosen()
        gm = np.array([SUN_GM, *(planet.gm for planet in planets)])
        position, velocity = np.zeros((len(gm), 3)), np.zeros((len(gm), 3))
        for k, planet in enumerate(planets, start=1):
            inside = gm[:k] / gm[:k].sum()
            place, speed = state(planet, self.days, float(gm[: k + 1].sum()))
            position[k] = numerics.product(inside, position[:k]) + place
            velocity[k] = numerics.product(inside, velocity[:k]) + speed
        share = gm / gm.sum()
        return self._scene(
            description=(
                f"The Sun and {', '.join(planet.name for planet in planets)}, {self.days:g} days after J2000; "
                "x to the equinox, z to the north of the ecliptic."
            ),
            attraction=Attraction(touch="merge"),
            stepping=Stepping(step=86_400.0, integrator="pefrl"),
            balls=Balls(
                position=position - numerics.product(share, position),
                velocity=velocity - numerics.product(share, velocity),
                mass=gm / GRAVITATIONAL_CONSTANT,
                radius=[SUN_RADIUS, *(planet.radius for planet in planets)],
                name=["Sun", *(planet.name for planet in planets)],
            ),
        )

    def _chosen(self) -> list[PlanetElements]:
        """The chosen planets, from the Sun outward."""
        chosen = self.planets.strip().lower()
        named = _SOME.get(chosen) or [_BY_NAME[name.strip()] for name in chosen.split(",")]
        return [planet for planet in PLANETS if planet in named]


class InnerPlanets(PlanetarySystem):
    """The Sun and the planets up to Mars."""

    title: ClassVar[str] = "Inner planets"
    sentence: ClassVar[str] = (
        "Watch Mercury: its orbit is far from a circle, and it runs half as fast again near the Sun as far from it."
    )

    days: Number = option(
        0.0, "d", "days after J2000, which is noon of 1 January 2000; from 1800 to 2050", ge=FIRST_DAY, le=LAST_DAY
    )
    planets: Names = option("inner", "", "all, inner, outer, or names with commas between them")


class TwoBodies(Generator):
    """Two bodies on ellipses about their centre of mass, in a world where G is 1 m³/(kg s²).

    Kepler: both ellipses have a focus there, and G M T² = 4 π² a³ with the mass M of both.
    """

    group: ClassVar[str] = GROUP
    title: ClassVar[str] = "Two bodies"
    sentence: ClassVar[str] = (
        "Both bodies run on ellipses about one and the same focus, the lighter one on the larger, "
        "and fastest where they are nearest."
    )

    eccentricity: Number = option(0.6, "", "0 for circles, below 1: how long the ellipses are", ge=0.0, le=0.95)
    mass_ratio: Positive = option(0.5, "", "mass of the second body over that of the first")
    distance: Positive = option(1.0, "m", "mean of the largest and the smallest distance, a")
    period: Positive = option(5.0, "s", "time of a revolution")

    def scene(self) -> Scene:
        """Both bodies where they are nearest."""
        a, e, period = self.distance, self.eccentricity, self.period
        total = (2.0 * math.pi / period) ** 2 * a**3
        shares = np.array([1.0, self.mass_ratio]) / (1.0 + self.mass_ratio)
        nearest_by, fastest = a * (1.0 - e), 2.0 * math.pi * a / period * math.sqrt((1.0 + e) / (1.0 - e))
        sides = np.array([-shares[1], shares[0]])
        return self._scene(
            description=(
                f"From {nearest_by:g} m to {a * (1.0 + e):g} m apart, round in {period:g} s, where G is 1 m³/(kg s²)."
            ),
            attraction=Attraction(G=1.0),
            balls=Balls(
                position=np.outer(sides, (nearest_by, 0.0)),
                velocity=np.outer(sides, (0.0, fastest)),
                mass=total * shares,
                radius=0.1 * nearest_by * numerics.each(math.cbrt, shares),
                name=["first", "second"],
            ),
        )


class Satellite(Generator):
    """A satellite at its launch over the Earth, without air.

    Mass and mean radius of the Earth are those of `carom.Planet`. At the distance r from its centre, a level launch at
    √(G M / r) makes a circle, and at √2 times that speed, in any direction, the satellite does not come back.
    """

    group: ClassVar[str] = GROUP
    title: ClassVar[str] = "Satellite"
    sentence: ClassVar[str] = (
        "Change the speed: 7.67 km/s makes a circle, less makes it dive toward the ground, more an ellipse, "
        "and at 10.85 km/s it never comes back."
    )

    speed: Positive = option(9000.0, "m/s", "speed at the launch", lt=299_792_458.0)
    height: Positive = option(400e3, "m", "height of the launch over the ground")
    angle: Number = option(0.0, "°", "direction of the launch: 0 is level, 90 straight up", ge=-90.0, le=90.0)

    def scene(self) -> Scene:
        """The Earth, and the satellite above its north."""
        r = EARTH_RADIUS + self.height
        circle = math.sqrt(GRAVITATIONAL_CONSTANT * EARTH_MASS / r)
        up = math.radians(self.angle)
        velocity = self.speed * np.array([math.cos(up), math.sin(up)])
        return self._scene(
            description=(
                f"{self.height / 1e3:g} km up, at {self.speed / 1e3:g} km/s: {self._orbit(r)}. "
                f"A circle takes {circle / 1e3:.3f} km/s, escape {math.sqrt(2.0) * circle / 1e3:.3f} km/s."
            ),
            attraction=Attraction(touch="merge"),
            balls=[
                Ball(position=(0.0, 0.0), mass=EARTH_MASS, radius=EARTH_RADIUS, name="Earth"),
                Ball(position=(0.0, r), velocity=velocity, mass=1000.0, name="satellite"),
            ],
        )

    def _orbit(self, r: float) -> str:
        """The orbit in words: Kepler's, from energy and angular momentum."""
        gm = GRAVITATIONAL_CONSTANT * EARTH_MASS
        inverse = 2.0 / r - self.speed**2 / gm  # 1 / a
        if inverse <= 0.0:
            return "it never comes back"
        spin = r * self.speed * math.cos(math.radians(self.angle))
        e = math.sqrt(max(0.0, 1.0 - spin**2 * inverse / gm))
        lowest, highest = ((1.0 + sign * e) / inverse - EARTH_RADIUS for sign in (-1.0, 1.0))
        if lowest <= 0.0:
            return f"it rises to {highest / 1e3:.0f} km and falls to the ground"
        period = 2.0 * math.pi * math.sqrt(1.0 / (inverse**3 * gm))
        return f"from {lowest / 1e3:.0f} km to {highest / 1e3:.0f} km up, round in {period / 60.0:.1f} min"
