"""Linked material points: oscillators, cloth, a soft body, a tower."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from carom import numerics
from carom.scene.balls import Balls
from carom.scene.fields.base import fault
from carom.scene.fields.quantities import NotNegative, Number, Positive
from carom.scene.forces import STANDARD_GRAVITY
from carom.scene.friction import Friction
from carom.scene.library.options import Dimension, Generator, Whole, option
from carom.scene.links import Links
from carom.scene.materials import Restitution
from carom.scene.model import Scene
from carom.scene.shapes.box import Box
from carom.scene.shapes.round import Circle
from carom.scene.structures import Chain, Cloth, SoftBody
from carom.scene.structures.meshes import Choice

__all__ = ["ClothOnABall", "CoupledOscillators", "GooTower", "SoftBodyDropped"]

GROUP = "Material points"


class CoupledOscillators(Generator):
    """Equal masses in a row with equal springs between them, and walls at both ends.

    Mode j of N masses has the angular frequency 2 √(k/m) sin(j π / 2(N + 1)), and mass i swings as far as
    sin(i j π / (N + 1)) tells: R. P. Feynman et al., Lectures on Physics I, chapter 49, or any book on waves.
    """

    group: ClassVar[str] = GROUP
    title: ClassVar[str] = "Coupled oscillators"
    sentence: ClassVar[str] = (
        "In a mode all masses swing with one period and pass the middle together; with mode 0 only the first is "
        "pulled, and its swing wanders along the row and back."
    )

    count: Whole = option(5, "", "number of masses that can move", ge=1, le=10_000)
    mode: Whole = option(1, "", "number of the mode, 1 is the slowest; 0 pulls the first mass alone", ge=0)
    amplitude: Positive = option(0.05, "m", "how far the masses swing", le=0.07)
    mass: Positive = option(0.1, "kg", "mass of each")
    stiffness: Positive = option(10.0, "N/m", "of each spring")

    @model_validator(mode="after")
    def _has_the_mode(self) -> CoupledOscillators:
        if self.mode > self.count:
            raise fault("chain.mode", where="mode", mode=self.mode, count=self.count)
        return self

    @property
    def frequency(self) -> float:
        """The angular frequency of the mode, 1/s."""
        return 2.0 * math.sqrt(self.stiffness / self.mass) * math.sin(0.5 * math.pi * self.mode / (self.count + 1))

    def scene(self) -> Scene:
        """The masses displaced along the row, at rest."""
        spacing, ends = 0.2, self.count + 1
        row = Chain(
            start=(0.0, 0.0),
            end=(spacing * ends, 0.0),
            count=ends + 1,
            mass=self.mass,
            stiffness=self.stiffness,
            length=spacing,
            radius=0.02,
        ).pieces()
        number = np.arange(ends + 1)
        wave = numerics.each(math.sin, math.pi * self.mode * number / ends)
        shape = wave if self.mode else np.where(number == 1, 1.0, 0.0)
        moved = np.where(row.balls.fixed, 0.0, self.amplitude * shape)
        told = f"a period of {2.0 * math.pi / self.frequency:.4g} s" if self.mode else "the first one pulled aside"
        return self._scene(
            description=f"{self.count} masses of {self.mass:g} kg, springs of {self.stiffness:g} N/m, {told}.",
            balls=row.balls.replace(position=row.balls.position + np.outer(moved, (1.0, 0.0))),
            links=row.links,
        )


class ClothOnABall(Generator):
    """A square cloth that falls on a ball; its corners hang down.

    Structural links make a net of it, links to diagonal points keep its squares square, and links to the next point but
    one resist folding. All numbers are a choice; the links are soft enough for steps of 0.1 ms.
    """

    group: ClassVar[str] = GROUP
    title: ClassVar[str] = "Cloth on a ball"
    sentence: ClassVar[str] = (
        "See the folds between the corners; then choose fewer links: without the diagonal ones the squares shear, and "
        "the cloth hangs like a net."
    )

    points: Whole = option(31, "", "number of points along a side", ge=3, le=1000)
    links: Choice = option("bending", "", "structural, shear (and diagonal), or bending (and to the next but one)")
    stiffness: Positive = option(40.0, "N/m", "of each link")
    damping: NotNegative = option(0.005, "N s/m", "of each link")
    friction: NotNegative = option(0.3, "", "coefficient of friction on the ball")

    @property
    def expected(self) -> int:
        """Number of balls."""
        return self.points**2

    def scene(self) -> Scene:
        """The cloth above the ball, slightly off the middle, so that it does not fall symmetrically."""
        side, thickness = 1.0, 0.01
        corner = (0.11, 1.05, 0.12)
        cloth = Cloth(
            corner=corner,
            sides=((side, 0.0, 0.0), (0.0, 0.0, side)),
            counts=(self.points, self.points),
            stiffness=self.stiffness,
            damping=self.damping,
            links=self.links,
            radius=thickness,
        )
        return self._scene(
            description=f"A cloth of {side:g} m by {side:g} m with {self.points} points a side over a ball of 0.3 m.",
            boundary=Box(size=(1.25, 1.25, 1.25)),
            gravity=(0.0, -STANDARD_GRAVITY, 0.0),
            restitution=Restitution(ball_wall=0.0),
            friction=Friction(ball_wall=self.friction),
            obstacles=[Circle(centre=(0.6, 0.7, 0.6), radius=0.3)],
            structures=[cloth],
        )


class SoftBodyDropped(Generator):
    """A soft square, or in three dimensions a cube, that falls on the floor. All numbers are a choice."""

    group: ClassVar[str] = GROUP
    title: ClassVar[str] = "Soft body"
    sentence: ClassVar[str] = (
        "It flattens on the floor, jumps and trembles, until damping has taken the energy: give it less stiffness and "
        "it sags under its own weight."
    )

    dimension: Dimension = option(2, "", "2 for a square, 3 for a cube")
    points: Whole = option(7, "", "number of points along a side", ge=2, le=200)
    links: Choice = option("bending", "", "structural, shear (and diagonal), or bending (and to the next but one)")
    stiffness: Positive = option(100.0, "N/m", "of each link")
    damping: NotNegative = option(0.1, "N s/m", "of each link")
    height: Positive = option(0.5, "m", "height of the fall", le=10.0)

    @property
    def expected(self) -> int:
        """Number of balls."""
        return int(self.points**self.dimension)

    def scene(self) -> Scene:
        """The body in the middle of a box, above its floor."""
        side, radius = 0.4, 0.01
        corner = (0.6, radius + self.height, 0.6)[: self.dimension]
        body = SoftBody(
            corner=corner,
            size=(side,) * self.dimension,
            counts=(self.points,) * self.dimension,
            stiffness=self.stiffness,
            damping=self.damping,
            links=self.links,
            radius=radius,
        )
        return self._scene(
            description=f"A body of {side:g} m and 1 kg with {self.points} points a side falls {self.height:g} m.",
            boundary=Box(size=(1.6, self.height + 2.0 * side, 1.6)[: self.dimension]),
            gravity=(0.0, -STANDARD_GRAVITY, 0.0)[: self.dimension],
            restitution=Restitution(ball_wall=0.0),
            friction=Friction(ball_wall=0.4),
            structures=[body],
        )


class GooTower(Generator):
    """A tower of points and links, braced crosswise, that stands on two held points and sways; links can break.

    In the manner of World of Goo (2D Boy, 2008). Cut some links, add others while it runs, and see how high it gets.
    All numbers are a choice.
    """

    group: ClassVar[str] = GROUP
    title: ClassVar[str] = "Goo tower"
    sentence: ClassVar[str] = (
        "The tower sways and stands; push it twice as hard and a link breaks, build it 14 floors high and it falls."
    )

    floors: Whole = option(8, "", "number of floors", ge=1, le=1000)
    push: Number = option(1.0, "m/s", "sideways speed of the top at the start; further down in proportion")
    stiffness: Positive = option(1000.0, "N/m", "of each link")
    damping: NotNegative = option(2.0, "N s/m", "of each link")
    breaking: Positive = option(0.1, "", "strain at which a link breaks")

    @property
    def expected(self) -> int:
        """Number of balls."""
        return 2 * (self.floors + 1)

    def scene(self) -> Scene:
        """Two points per floor; the lowest two are held on the ground."""
        floor, radius, mass = 0.4, 0.04, 0.1
        levels = np.repeat(np.arange(self.floors + 1), 2)
        sides = np.tile([0.0, 1.0], self.floors + 1)
        middle = 0.5 * floor * self.floors + floor
        position = np.stack([middle + floor * (sides - 0.5), radius + floor * levels], axis=1)
        return self._scene(
            description=f"{self.floors} floors of {floor:g} m, pushed at {self.push:g} m/s; links break at a strain of "
            f"{self.breaking:g}.",
            boundary=Box(size=(2.0 * middle, floor * (self.floors + 1))),
            gravity=(0.0, -STANDARD_GRAVITY),
            restitution=Restitution(ball_wall=0.2),
            friction=Friction(ball_wall=0.6),
            balls=Balls(
                position=position,
                velocity=np.outer(self.push * levels / self.floors, (1.0, 0.0)),
                mass=mass,
                radius=radius,
                fixed=levels == 0,
                material="goo",
            ),
            links=Links(
                between=_braced(self.floors),
                stiffness=self.stiffness,
                damping=self.damping,
                breaking=self.breaking,
            ),
        )


def _braced(floors: int) -> NDArray[np.intp]:
    """Pairs of points: the two posts, the beam and the two braces of each floor."""
    left = 2 * np.arange(floors)
    pairs = [(0, 2), (1, 3), (2, 3), (0, 3), (1, 2)]
    return np.concatenate([np.stack([left + one, left + two], axis=1) for one, two in pairs])
