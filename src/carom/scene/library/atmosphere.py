"""A gas under gravity, near its equilibrium from the start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.errors import SceneError
from carom.scene.fields.base import fault
from carom.scene.fields.quantities import NotNegative, Positive
from carom.scene.library.filling import ball_volume, fill
from carom.scene.library.gas import Thermal
from carom.scene.library.lattice import DENSEST
from carom.scene.library.options import MOST_BALLS, Dimension, Whole, option
from carom.scene.model import Scene
from carom.scene.shapes.box import Box

__all__ = ["Atmosphere", "GasUnderGravity"]

FloatArray = NDArray[np.float64]

_BISECTIONS = 56  # halve an interval down to one bit of its upper end
_FULL = 0.95  # no packing fraction is higher, in either dimension
_NO_LID = 600.0  # scale heights; exp(-600) balls reach a lid so high


@dataclass(frozen=True)
class Atmosphere:
    """Hard balls at one temperature in a column with a lid: packing fraction against height, from hydrostatics.

    With the compressibility factor Z(η), p = η Z is the pressure and μ = ln η + F + Z the chemical potential, both
    reduced; equilibrium means μ(η) + y/h = constant, h = T/(m g), and p falls by the weight of the balls below.
    Z of Henderson (1975) in two dimensions, of Carnahan and Starling (1969) in three.

    `column` is the volume of all balls over the area of the floor, in m; `scale_height` is h, in m; `lid` its height.
    """

    column: float
    scale_height: float
    lid: float
    dimension: int

    def pressure(self, eta: FloatArray) -> FloatArray:
        """p = η Z(η)."""
        return np.asarray(eta * self._factor(eta))

    def potential(self, eta: FloatArray) -> FloatArray:
        """μ = ln η + F + Z, with F the integral of (Z - 1)/η."""
        if self.dimension == 2:
            free = 9.0 / 8.0 * eta / (1.0 - eta) - 7.0 / 8.0 * numerics.each(math.log1p, -eta)
        else:
            free = eta * (4.0 - 3.0 * eta) / (1.0 - eta) ** 2
        return np.asarray(numerics.each(math.log, eta) + free + self._factor(eta))

    def _factor(self, eta: FloatArray) -> FloatArray:
        if self.dimension == 2:
            return np.asarray((1.0 + eta**2 / 8.0) / (1.0 - eta) ** 2)
        return np.asarray((1.0 + eta + eta**2 - numerics.power(eta, 3)) / numerics.power(1.0 - eta, 3))

    def packing(self, pressure: FloatArray) -> FloatArray:
        """The packing fraction η at a pressure: the inverse of `pressure`, by bisection in 0 < η < p."""
        low, high = np.zeros_like(pressure), np.minimum(pressure, _FULL)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            below = self.pressure(middle) < pressure
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high

    def at_lid(self) -> float:
        """The reduced pressure under the lid, for which the gas is as high as the lid."""
        weight, ratio = self.column / self.scale_height, self.lid / self.scale_height
        if ratio > _NO_LID:
            return 0.0
        low, high = math.log(weight) - ratio - 50.0, 20.0
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            ends = self.packing(math.exp(middle) + np.array([weight, 0.0]))
            too_high = np.subtract(*self.potential(ends)) > ratio
            low, high = (middle, high) if too_high else (low, middle)
        return math.exp(high)

    def heights(self, share: FloatArray, at_lid: float) -> FloatArray:
        """The height below which a share of the balls is, m."""
        weight = self.column / self.scale_height
        floor = self.packing(np.array([at_lid + weight]))
        here = self.packing(at_lid + weight * (1.0 - share))
        return np.asarray(self.scale_height * (self.potential(floor) - self.potential(here)))


class GasUnderGravity(Thermal):
    """A gas in a tall box with walls and gravity."""

    group: ClassVar[str] = "Gravity field"
    title: ClassVar[str] = "Gas under gravity"
    sentence: ClassVar[str] = (
        "Compare the crowd at the floor with the few balls on top: the density falls off with height, "
        "the temperature does not."
    )

    count: Whole = option(1000, "", "number of balls", ge=1, le=MOST_BALLS)
    dimension: Dimension = option(2, "", "2 for disks, 3 for balls")
    width: Positive = option(0.3, "m", "width of the box, and its depth in three dimensions")
    height: Positive = option(1.0, "m", "height of the box")
    gravity: Positive = option(9.81, "m/s²", "acceleration downward")
    mass: Positive = option(0.01, "kg", "mass of a ball")
    radius: Positive = option(0.0015, "m", "radius of a ball")
    speed: NotNegative = option(1.5, "m/s", "root mean square speed of a ball")

    def scene(self) -> Scene:
        """The gas with the density of its equilibrium, and Maxwell's velocities."""
        rng = np.random.default_rng(self.seed)
        temperature = self.thermal_energy(self.mass, self.dimension)
        scale_height = temperature / (self.mass * self.gravity)
        size = (self.width, self.height) if self.dimension == 2 else (self.width, self.height, self.width)
        mass, radius = np.full(self.count, self.mass), np.full(self.count, self.radius)
        return self._scene(
            description=(
                f"{self.count} balls, k_B T = {temperature:g} J; the scale height T/(m g) is {scale_height:g} m. "
                f"Seed {self.seed}."
            ),
            boundary=Box(size=size),
            gravity=(0.0, -self.gravity, 0.0)[: self.dimension],
            balls=self._thermal_balls(self._placed(size, radius, scale_height, rng), mass, radius, rng),
        )

    def _placed(
        self, size: tuple[float, ...], radius: FloatArray, scale_height: float, rng: np.random.Generator
    ) -> FloatArray:
        """Positions with the density of the atmosphere, or of a warmer one if that would be too dense at the floor, m.

        A uniform gas as dense as the atmosphere is at the floor is stretched upward, which brings no two balls closer.
        """
        column = float(ball_volume(radius, self.dimension).sum()) / self.width ** (self.dimension - 1)
        uniform = 100.0 * self.height
        if column > DENSEST[self.dimension] * self.height:
            raise self._too_many(size)
        h = min(max(scale_height, 0.5 * column), uniform)
        while True:
            air = Atmosphere(column, h, self.height, self.dimension)
            at_lid = air.at_lid()
            at_floor = float(air.packing(np.array([at_lid + column / h]))[0])
            packed = (size[0], min(column / at_floor, self.height), *size[2:])
            position = fill(packed, False, radius, rng) if at_floor < DENSEST[self.dimension] else None
            if position is not None:
                risen = air.heights(position[:, 1] / packed[1], at_lid)
                position[:, 1] = np.clip(risen, self.radius, self.height - self.radius)
                return position
            if h == uniform:
                raise self._too_many(size)
            h = min(1.2 * h, uniform)

    def _too_many(self, size: tuple[float, ...]) -> SceneError:
        box = " x ".join(f"{length:g}" for length in size)
        return fault("atmosphere.too-full", where="count", count=self.count, radius=self.radius, box=box)
