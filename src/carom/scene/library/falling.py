"""Falling bodies: circles in a gravity field, a block on a slope, disks poured into a box."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from carom.scene.balls import Ball, Balls
from carom.scene.fields.base import fault
from carom.scene.fields.quantities import Fraction, NotNegative, Positive
from carom.scene.forces import GRAVITATIONAL_CONSTANT, STANDARD_GRAVITY, Planet
from carom.scene.friction import Coulomb
from carom.scene.library.filling import ball_volume, fill
from carom.scene.library.options import Generator, Whole, option
from carom.scene.model import Scene
from carom.scene.shapes.box import Box
from carom.scene.shapes.solids import Wedge
from carom.scene.stepping import Stepping

__all__ = ["GravityField", "Pour", "Slope"]

FloatArray = NDArray[np.float64]


class GravityField(Generator):
    """Circles under the gravity of a planet, as in Sphere Drop: a window of 800 by 600 pixels, one metre each.

    G, M and r are those of its specification: CODATA's constant, and the Earth with its equatorial radius. Steps
    are 1/60 s, by Störmer and Verlet; there is no friction, and all collisions are elastic.
    """

    group: ClassVar[str] = "Gravity field"
    title: ClassVar[str] = "Gravity field"
    sentence: ClassVar[str] = (
        "Each circle rises again as high as it was, for nothing is lost: give the planet twice the mass and see them "
        "fall twice as fast."
    )

    G: NotNegative = option(GRAVITATIONAL_CONSTANT, "m³/(kg s²)", "gravitational constant")
    M: NotNegative = option(5.97219e24, "kg", "mass of the planet")
    R: Positive = option(6.3781e6, "m", "distance from the centre of the planet")

    def scene(self) -> Scene:
        """Six circles with masses proportional to their areas."""
        circles = (
            # x, y, radius in m; vx, vy in m/s
            (100.0, 420.0, 30.0, 40.0, 0.0),
            (260.0, 180.0, 20.0, 0.0, 60.0),
            (380.0, 500.0, 40.0, -20.0, 0.0),
            (520.0, 300.0, 15.0, 70.0, 20.0),
            (610.0, 120.0, 25.0, -50.0, 80.0),
            (700.0, 450.0, 35.0, 0.0, 0.0),
        )
        planet = Planet(G=self.G, M=self.M, R=self.R)
        return self._scene(
            description=f"Six circles in a window of 800 m by 600 m; G M / R² is {planet.g:.4g} m/s².",
            boundary=Box(size=(800.0, 600.0)),
            gravity=planet,
            stepping=Stepping(step=1.0 / 60.0, integrator="stormer"),
            balls=[
                Ball(position=(x, y), velocity=(vx, vy), mass=radius**2 / 100.0, radius=radius)
                for x, y, radius, vx, vy in circles
            ],
        )


class Slope(Generator):
    """A block on a slope with friction. It does not rotate.

    Coulomb: it stays as long as tan α is at most the static coefficient; else it slides at g (sin α - μ cos α) with the
    dynamic one. The values of the coefficients are a choice.
    """

    group: ClassVar[str] = "Material points"
    title: ClassVar[str] = "Slope"
    sentence: ClassVar[str] = (
        "Make the slope less steep, degree by degree: below 26.6 degrees, where its tangent is the static coefficient, "
        "the block stays for ever."
    )

    angle: Positive = option(30.0, "°", "angle of the slope", le=80.0)
    static: NotNegative = option(0.5, "", "coefficient of static friction")
    dynamic: NotNegative = option(0.4, "", "coefficient of dynamic friction, not above the static one")
    length: Positive = option(2.0, "m", "length of the slope")

    @model_validator(mode="after")
    def _holds_better_than_it_slides(self) -> Slope:
        if self.dynamic > self.static:
            raise fault("friction.dynamic-above-static", where="dynamic", dynamic=self.dynamic, static=self.static)
        return self

    @property
    def acceleration(self) -> float:
        """Acceleration along the slope, m/s²; 0 if the block stays."""
        steep = math.radians(self.angle)
        if math.tan(steep) <= self.static:
            return 0.0
        return STANDARD_GRAVITY * (math.sin(steep) - self.dynamic * math.cos(steep))

    def scene(self) -> Scene:
        """The block at rest near the top; the slope falls to the right, and there is room to slide out."""
        steep, radius = math.radians(self.angle), 0.03 * self.length
        run, rise = self.length * math.cos(steep), self.length * math.sin(steep)
        from_top = 0.05 * self.length
        place = (
            from_top * math.cos(steep) + radius * math.sin(steep),
            rise - from_top * math.sin(steep) + radius * math.cos(steep),
        )
        moves = f"slides at {self.acceleration:.4g} m/s²" if self.acceleration else "stays where it is"
        return self._scene(
            description=f"A block on a slope of {self.angle:g} degrees, friction {self.static:g} static and "
            f"{self.dynamic:g} dynamic: it {moves}.",
            boundary=Box(size=(run + 0.5 * self.length, rise + 4.0 * radius)),
            gravity=(0.0, -STANDARD_GRAVITY),
            restitution=0.0,
            friction=Coulomb(static=self.static, dynamic=self.dynamic),
            obstacles=[Wedge(slope=-math.tan(steep), intercept=rise, x=(0.0, run), bottom=0.0)],
            balls=[Ball(position=place, mass=1.0, radius=radius, name="block")],
        )


class Pour(Generator):
    """Disks of somewhat different sizes, scattered high up in a box, that fall and come to rest in a heap.

    The box is so wide that the heap becomes about as high as wide: disks poured at random fill 0.82 of the plane, about
    (J. G. Berryman, Physical Review A 27 (1983) 1053-1061). Equal disks would crystallise; these differ by up to 15 %.
    They are of aluminium, 2700 kg/m³, 1 cm thick. They do not rotate, so that with friction the heap is higher than one
    of real disks: at μ = 0.4 by an eighth (docs/scenes.md).
    """

    group: ClassVar[str] = "Gravity field"
    title: ClassVar[str] = "Pour"
    sentence: ClassVar[str] = (
        "After a few seconds the heap lies still, neither trembling nor sinking: without friction its top is level; "
        "with friction it stands higher than a heap of real disks, which can roll."
    )

    count: Whole = option(1000, "", "number of disks", ge=1, le=1_000_000)
    radius: Positive = option(0.01, "m", "mean radius of a disk")
    restitution: Fraction = option(0.3, "", "part of the speed of approach that comes back, 0 to 1")
    friction: NotNegative = option(0.4, "", "coefficient of friction, static and dynamic")
    seed: Whole = option(0, "", "seed of the random numbers", ge=0)

    def scene(self) -> Scene:
        """The disks in the upper three quarters of the box, at rest."""
        rng = np.random.default_rng(self.seed)
        radius = self.radius * (1.0 + 0.15 * (2.0 * rng.random(self.count) - 1.0))
        area = float(ball_volume(radius, 2).sum())
        width = max(math.sqrt(area / 0.82), 4.0 * self.radius)
        position, height = self._scattered(radius, width, area / 0.4 / width, rng)
        position[:, 1] += 0.3 * height
        return self._scene(
            description=f"{self.count} disks, restitution {self.restitution:g}, friction {self.friction:g}, "
            f"seed {self.seed}.",
            boundary=Box(size=(width, 1.3 * height)),
            gravity=(0.0, -STANDARD_GRAVITY),
            restitution=self.restitution,
            friction=self.friction,
            balls=Balls(position=position, mass=2700.0 * 0.01 * ball_volume(radius, 2), radius=radius),
        )

    def _scattered(
        self, radius: FloatArray, width: float, height: float, rng: np.random.Generator
    ) -> tuple[FloatArray, float]:
        """Positions over a floor of a width, and their height: the given one, or more if the disks do not fit, m."""
        while (position := fill((width, height), False, radius, rng)) is None:
            height *= 1.2
        return position, height
