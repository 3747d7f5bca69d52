"""Gases of hard disks (2D) or balls (3D) at a given packing fraction and temperature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from carom.errors import Problem, SceneError
from carom.scene.balls import Ball, Balls
from carom.scene.fields.base import fault
from carom.scene.fields.quantities import Flag, NotNegative, Positive
from carom.scene.library.filling import ball_volume, fill, fill_mixture
from carom.scene.library.lattice import DENSEST
from carom.scene.library.maxwell import thermal_velocities
from carom.scene.library.options import MOST_BALLS, Dimension, Generator, Whole, option
from carom.scene.model import Scene
from carom.scene.shapes.box import Box

__all__ = ["Brownian", "Gas", "Thermal"]

FloatArray = NDArray[np.float64]

_MAX_STRETCHED = 200  # balls for which the box may be stretched; more balls fit a square nearly as well
_STRETCHES = tuple(1.06**power for power in range(1, 24))  # up to 3.8 : 1 in the plane
_MAX_ROW = 20  # balls that may be put in one row, which is as dense as a square or cubic lattice


class Thermal(Generator):
    """Balls with the velocities of a gas, of a given temperature or root mean square speed."""

    speed: NotNegative = option(1.0, "m/s", "root mean square speed of a ball of mass `mass`")
    temperature: NotNegative | None = option(
        None, "J", "k_B T, in place of speed: the mean kinetic energy is T/2 for each degree of freedom"
    )
    seed: Whole = option(0, "", "seed of the random numbers", ge=0)

    if TYPE_CHECKING:  # a field of each subclass
        mass: Positive

    @model_validator(mode="after")
    def _one_of_them(self) -> Thermal:
        if self.temperature is not None and "speed" in self.model_fields_set:
            raise SceneError.of("gas.speed-and-temperature", where="speed")
        return self

    def _thermal_balls(
        self, position: FloatArray, mass: FloatArray, radius: FloatArray, rng: np.random.Generator
    ) -> Balls:
        """Balls at the positions, m, with Maxwell's velocities."""
        dimension = position.shape[1]
        temperature = self.thermal_energy(self.mass, dimension)
        velocity = thermal_velocities(mass, dimension, temperature, rng)
        return Balls(position=position, velocity=velocity, mass=mass, radius=radius)

    def thermal_energy(self, mass: float, dimension: int) -> float:
        """T in J, as given or from T = m v²/d."""
        return mass * self.speed**2 / dimension if self.temperature is None else self.temperature


class Gas(Thermal):
    """A gas of equal balls, or a mixture of two kinds, in a box that is periodic or has walls."""

    group: ClassVar[str] = "Gases and chaos"
    title: ClassVar[str] = "Hard-ball gas"
    sentence: ClassVar[str] = (
        "Follow one ball: each collision changes its speed, yet the speeds of all of them keep to Maxwell's law."
    )

    count: Whole = option(1000, "", "number of balls", ge=1, le=MOST_BALLS)
    packing_fraction: Positive = option(0.3, "", "share of the box that the balls fill", lt=1.0)
    dimension: Dimension = option(2, "", "2 for disks in a square, 3 for balls in a cube")
    periodic: Flag = option(True, "", "true for a periodic box, false for one with walls")
    mass: Positive = option(0.01, "kg", "mass of a ball")
    radius: Positive = option(0.005, "m", "radius of a ball")
    fraction: NotNegative = option(0.0, "", "share of the balls, by number, that are of a second kind", le=1.0)
    mass_ratio: Positive = option(1.0, "", "mass of the second kind over that of the first")
    radius_ratio: Positive = option(1.0, "", "radius of the second kind over that of the first")

    @model_validator(mode="after")
    def _second_kind_exists(self) -> Gas:
        idle = [name for name in ("mass_ratio", "radius_ratio") if getattr(self, name) != 1.0 and not self.fraction]
        if idle:
            raise SceneError(Problem("gas.no-second-kind", where=name) for name in idle)
        return self

    def scene(self) -> Scene:
        """The gas at the given temperature and packing fraction, with zero total momentum."""
        rng = np.random.default_rng(self.seed)
        second = rng.permutation(self.count) < round(self.fraction * self.count)
        mass = np.where(second, self.mass * self.mass_ratio, self.mass)
        radius = np.where(second, self.radius * self.radius_ratio, self.radius)
        size, position = self._placed(radius, rng)
        temperature = self.thermal_energy(self.mass, self.dimension)
        return self._scene(
            description=(
                f"{self.count} balls at packing fraction {self.packing_fraction:g}, k_B T = {temperature:g} J, "
                f"seed {self.seed}."
            ),
            boundary=Box(size=size, periodic=self.periodic),
            balls=self._thermal_balls(position, mass, radius, rng),
        )

    def _placed(self, radius: FloatArray, rng: np.random.Generator) -> tuple[tuple[float, ...], FloatArray]:
        """The size of the box and the positions of the balls, m."""
        volume = float(ball_volume(radius, self.dimension).sum()) / self.packing_fraction
        for size in _boxes(volume, self.dimension, self.count):
            position = fill_mixture(size, self.periodic, radius, rng)
            if position is not None:
                return size, position
        raise _too_dense(self.count, self.packing_fraction, self.dimension)


class Brownian(Thermal):
    """One large, heavy ball among many small ones."""

    group: ClassVar[str] = "Gases and chaos"
    title: ClassVar[str] = "Brownian motion"
    sentence: ClassVar[str] = (
        "Follow the large ball: countless small kicks, none of which you would notice, make it wander at random."
    )

    count: Whole = option(1000, "", "number of small balls", ge=1, le=MOST_BALLS - 1)
    packing_fraction: Positive = option(0.2, "", "share of the box that all balls fill, the large one included", lt=1.0)
    dimension: Dimension = option(2, "", "2 for disks, 3 for balls")
    periodic: Flag = option(False, "", "true for a periodic box, false for one with walls")
    mass: Positive = option(0.01, "kg", "mass of a small ball")
    radius: Positive = option(0.002, "m", "radius of a small ball")
    mass_ratio: Positive = option(50.0, "", "mass of the large ball over that of a small one")
    radius_ratio: Positive = option(10.0, "", "radius of the large ball over that of a small one")

    def scene(self) -> Scene:
        """The large ball (number 0) at rest in the middle, the small ones at the given temperature."""
        rng = np.random.default_rng(self.seed)
        mass, radius = np.full(self.count, self.mass), np.full(self.count, self.radius)
        temperature = self.thermal_energy(self.mass, self.dimension)
        size, position = self._placed(radius, rng)
        large = Ball(
            position=tuple(0.5 * length for length in size),
            mass=self.mass * self.mass_ratio,
            radius=self.radius * self.radius_ratio,
            name="Brownian particle",
        )
        return self._scene(
            description=f"{self.count} small balls with k_B T = {temperature:g} J, seed {self.seed}.",
            boundary=Box(size=size, periodic=self.periodic),
            balls=[large, self._thermal_balls(position, mass, radius, rng)],
        )

    def _placed(self, radius: FloatArray, rng: np.random.Generator) -> tuple[tuple[float, ...], FloatArray]:
        """The size of the box and the positions of the small balls, m."""
        large = self.radius * self.radius_ratio
        filled = float(ball_volume(radius, self.dimension).sum() + ball_volume(large, self.dimension))
        for size in _boxes(filled / self.packing_fraction, self.dimension, self.count):
            middle = 0.5 * np.array([size])
            if min(size) >= 2.0 * large:
                position = fill(size, self.periodic, radius, rng, taken=middle, taken_radius=large)
                if position is not None:
                    return size, position
        raise _too_dense(self.count + 1, self.packing_fraction, self.dimension)


def _boxes(volume: float, dimension: int, count: int) -> Iterator[tuple[float, ...]]:
    """Boxes of a volume: a square (cube); for few balls also longer ones, and finally one for a single row."""
    edge = volume ** (1.0 / dimension)
    yield (edge,) * dimension
    for stretch in _STRETCHES if count <= _MAX_STRETCHED else ():
        for first in (edge * stretch, edge / stretch):
            yield (first, *((volume / first) ** (1.0 / (dimension - 1)),) * (dimension - 1))
    if count <= _MAX_ROW:
        side = (volume / count) ** (1.0 / dimension)
        yield (count * side, *(side,) * (dimension - 1))


def _too_dense(count: int, packing_fraction: float, dimension: int) -> SceneError:
    return fault(
        "gas.too-dense",
        where="packing_fraction",
        count=count,
        fraction=packing_fraction,
        densest=f"{DENSEST[dimension]:.3f}",
        dimension=dimension,
    )
