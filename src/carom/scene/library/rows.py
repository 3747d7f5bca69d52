"""Balls on a line: Newton's cradle, and Galperin's method for the digits of π."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from pydantic import model_validator

from carom.scene.balls import Ball, Balls
from carom.scene.fields.base import fault
from carom.scene.fields.quantities import Positive
from carom.scene.library.options import Generator, Whole, option
from carom.scene.model import Scene
from carom.scene.shapes.box import Box

__all__ = ["GalperinPi", "NewtonsCradle"]


class NewtonsCradle(Generator):
    """Equal balls that touch in a row, and some that fly against them. Walls at both ends replace the threads."""

    group: ClassVar[str] = "Collisions"
    title: ClassVar[str] = "Newton's cradle"
    sentence: ClassVar[str] = (
        "See how many balls leave the row: as many as came in, at the same speed, while the others stay where they are."
    )

    count: Whole = option(5, "", "number of balls", ge=2, le=10_000)
    released: Whole = option(1, "", "number of balls that come flying, together", ge=1)
    speed: Positive = option(0.5, "m/s", "their speed")
    mass: Positive = option(0.1, "kg", "mass of a ball")
    radius: Positive = option(0.02, "m", "radius of a ball")

    @model_validator(mode="after")
    def _some_stay(self) -> NewtonsCradle:
        if self.released >= self.count:
            raise fault(
                "cradle.too-many", where="released", released=self.released, count=self.count, most=self.count - 1
            )
        return self

    def scene(self) -> Scene:
        """The flying balls on the left, half a swing from the row, with equal room on the right."""
        diameter, swing = 2.0 * self.radius, 10.0 * self.radius
        number = np.arange(self.count)
        flying = number < self.released
        x = swing + self.radius + diameter * number - np.where(flying, 0.5 * swing, 0.0)
        height = 6.0 * self.radius
        return self._scene(
            description=f"{self.released} of {self.count} equal balls fly against the others, which touch in a row.",
            boundary=Box(size=(2.0 * swing + diameter * self.count, height)),
            balls=Balls(
                position=np.stack([x, np.full(self.count, 0.5 * height)], axis=1),
                velocity=np.outer(flying, (self.speed, 0.0)),
                mass=self.mass,
                radius=self.radius,
            ),
        )


class GalperinPi(Generator):
    """A heavy ball pushes a light one against a wall.

    With masses 1 : 100^n there are floor(10^n π) collisions: G. Galperin, "Playing pool with π (the number π from a
    billiard point of view)", Regular and Chaotic Dynamics 8 (2003) 375-394.
    """

    group: ClassVar[str] = "Collisions"
    title: ClassVar[str] = "Galperin's π"
    sentence: ClassVar[str] = (
        "Count the collisions, of the balls with each other and of the light one with the wall: "
        "the number spells the digits of π."
    )

    digits: Whole = option(
        2, "", "digits of π after the first; the heavy ball has 100 to this power light ones", ge=0, le=8
    )
    speed: Positive = option(1.0, "m/s", "speed of the heavy ball")

    def scene(self) -> Scene:
        """Both balls on a line. The right wall is too far to be reached before the last collision."""
        light_radius, heavy_radius = 0.05, 0.2
        light_gap, heavy_gap = 0.1, 0.4
        y = 0.3
        collisions, last = self._last(light_gap, heavy_gap)
        heavy_x = heavy_gap + 2.0 * light_radius + heavy_radius
        width = 3.0
        meets_wall = (width - heavy_radius - heavy_x) / self.speed
        return self._scene(
            description=(
                f"Masses 1 : {100**self.digits}. The last of {collisions} collisions falls at t = {last:.6g} s; "
                f"the right wall is not met before t = {meets_wall:.6g} s."
            ),
            boundary=Box(size=(width, 2.0 * y)),
            balls=[
                Ball(position=(light_radius + light_gap, y), mass=1.0, radius=light_radius, name="light"),
                Ball(
                    position=(heavy_x, y),
                    velocity=(-self.speed, 0.0),
                    mass=float(100**self.digits),
                    radius=heavy_radius,
                    name="heavy",
                ),
            ],
        )

    def _last(self, light_gap: float, heavy_gap: float) -> tuple[int, float]:
        """The number of collisions, and the time of the last one.

        With the gaps x, X that are left before the balls stand at the wall, the point (√M X, √m x) runs straight
        through the mirror images of a wedge of angle θ = arctan √(m/M), at the height √m x: collision k is where it
        crosses the direction kθ.
        """
        collisions = math.floor(math.pi * 10**self.digits)
        root = 10.0**-self.digits
        return collisions, (heavy_gap - root * light_gap / math.tan(collisions * math.atan(root))) / self.speed
