"""Billiards: the break on a pool table, and Sinai's table."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from carom.scene.balls import Ball, Balls
from carom.scene.fields.base import fault
from carom.scene.fields.quantities import Flag, Fraction, NotNegative, Number, Positive
from carom.scene.library.options import Generator, Whole, option
from carom.scene.materials import Restitution
from carom.scene.model import Scene
from carom.scene.shapes.box import Box
from carom.scene.shapes.round import Circle

__all__ = ["BilliardTest", "PoolBreak", "Sinai", "rack"]


def rack(apex: tuple[float, float], radius: float, rows: int = 5) -> NDArray[np.float64]:
    """Positions of balls in a tight triangle with its apex towards -x, row by row, m."""
    along = np.repeat(np.arange(rows), np.arange(1, rows + 1))
    across = np.concatenate([2 * np.arange(row + 1) - row for row in range(rows)])
    return np.stack([apex[0] + math.sqrt(3.0) * radius * along, apex[1] + radius * across], axis=1)


class BilliardTest(Generator):
    """The billiard player's test: a ball hits one at rest off centre. Balls of pool, as in `PoolBreak`.

    Equal masses part at a right angle if the collision is elastic: v² = v₁² + v₂² and v = v₁ + v₂ (as vectors).
    """

    group: ClassVar[str] = "Collisions"
    title: ClassVar[str] = "Billiard test"
    sentence: ClassVar[str] = (
        "Wherever the balls meet, they part at a right angle: change the offset and it stays, change a mass or the "
        "restitution and it goes."
    )

    offset: Number = option(
        0.5, "", "distance of the centre from the line of motion, over the sum of the radii", gt=-1.0, lt=1.0
    )
    speed: Positive = option(1.0, "m/s", "speed of the first ball")
    mass_ratio: Positive = option(1.0, "", "mass of the ball at rest over that of the first")
    restitution: Fraction = option(1.0, "", "coefficient of restitution, 0 to 1")

    def scene(self) -> Scene:
        """The first ball on the left, the other one in the middle of a table of 2 m by 1 m."""
        mass, radius = 0.17, 0.028575
        y = 0.5 - 2.0 * radius * self.offset
        return self._scene(
            description=f"The line of motion passes {abs(self.offset):g} of the sum of the radii beside the centre.",
            boundary=Box(size=(2.0, 1.0)),
            restitution=Restitution(ball_ball=self.restitution),
            balls=[
                Ball(position=(0.5, y), velocity=(self.speed, 0.0), mass=mass, radius=radius, name="first"),
                Ball(position=(1.0, 0.5), mass=mass * self.mass_ratio, radius=radius, name="second"),
            ],
        )


class PoolBreak(Generator):
    """Frictionless, no spin, no pockets: a nine-foot pool table at real size.

    Playing surface 100 by 50 inches, balls of 2.25 inches and 0.17 kg. Ball on ball e = 0.92 to 0.98, ball on cushion
    0.6 to 0.9, as others quote D. G. Alciatore, billiards.colostate.edu, "physical properties". The speed of 10 m/s
    is a choice for a hard break.
    """

    group: ClassVar[str] = "Billiards"
    title: ClassVar[str] = "Pool break"
    sentence: ClassVar[str] = (
        "Frictionless, no spin, no pockets: break the rack once straight and once with the cue ball a hair to the "
        "side, and every ball ends somewhere else."
    )

    speed: Positive = option(10.0, "m/s", "speed of the cue ball")
    offset: Number = option(0.0, "m", "how far the cue ball starts to the side of the long axis", ge=-0.6, le=0.6)
    angle: Number = option(0.0, "°", "direction of the cue ball, from the long axis towards +y", ge=-90.0, le=90.0)
    gap: NotNegative = option(0.0, "m", "free space between neighbours in the rack", le=0.005)
    ball_ball: Fraction = option(0.95, "", "coefficient of restitution between balls, 0 to 1")
    ball_wall: Fraction = option(0.85, "", "coefficient of restitution between ball and cushion, 0 to 1")

    def scene(self) -> Scene:
        """The rack with its apex on the foot spot, the cue ball (number 0) on the head string."""
        length, width, radius, mass = 2.54, 1.27, 0.028575, 0.17
        middle, angle = 0.5 * width, math.radians(self.angle)
        cue = Ball(
            position=(0.25 * length, middle + self.offset),
            velocity=(self.speed * math.cos(angle), self.speed * math.sin(angle)),
            mass=mass,
            radius=radius,
            name="cue ball",
        )
        racked = Balls(position=rack((0.75 * length, middle), radius + 0.5 * self.gap), mass=mass, radius=radius)
        return self._scene(
            description=f"Frictionless, no spin, no pockets. A nine-foot table of {length} m by {width} m, "
            f"the cue ball at {self.speed:g} m/s.",
            boundary=Box(size=(length, width)),
            restitution=Restitution(ball_ball=self.ball_ball, ball_wall=self.ball_wall),
            balls=[cue, racked],
        )


class Sinai(Generator):
    """A square with a round obstacle in the middle, and points that start side by side in the same direction.

    The points have no size, so they pass each other. Y. G. Sinai, Russian Mathematical Surveys 25 (1970) 137-189.
    """

    group: ClassVar[str] = "Billiards"
    title: ClassVar[str] = "Sinai billiard"
    sentence: ClassVar[str] = (
        "The points start as one dot, less than a thousandth of a millimetre wide: see how soon they are everywhere."
    )

    count: Whole = option(100, "", "number of points", ge=1, le=1_000_000)
    obstacle: Positive = option(0.25, "m", "radius of the obstacle; the square has sides of 1 m")
    spread: Positive = option(5e-7, "m", "distance from the first point to the last one", le=0.05)
    speed: Positive = option(0.5, "m/s", "speed of the points")
    periodic: Flag = option(False, "", "true for a periodic square, false for one with walls")

    @model_validator(mode="after")
    def _leaves_room(self) -> Sinai:
        if self.obstacle > 0.4:
            raise fault("sinai.no-room", where="obstacle", obstacle=self.obstacle)
        return self

    def scene(self) -> Scene:
        """The points on a short line at right angles to their velocity, at the lower left."""
        start, direction = np.array((0.1, 0.15)), np.array((0.8, 0.6))
        side = np.array((-0.6, 0.8))
        along = self.spread * (np.linspace(-0.5, 0.5, self.count) if self.count > 1 else np.zeros(1))
        return self._scene(
            description=f"{self.count} points without size, side by side over {self.spread:g} m, and a round obstacle.",
            boundary=Box(size=(1.0, 1.0), periodic=self.periodic),
            obstacles=[Circle(centre=(0.5, 0.5), radius=self.obstacle)],
            balls=Balls(position=start + np.outer(along, side), velocity=self.speed * direction),
        )
