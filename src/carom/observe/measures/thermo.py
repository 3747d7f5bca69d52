"""Temperature, with the right number of degrees of freedom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.observe.measures.room import conserved_axes, conserves_rotation
from carom.observe.observable import Floats, Moment, Observable, register

BOLTZMANN = 1.380649e-23
"""J/K, exact (SI 2019)."""


class Thermal(NamedTuple):
    """The balls that can move, and their motion without what they all have in common."""

    who: NDArray[np.intp]
    masses: Floats
    velocities: Floats
    freedom: int

    @property
    def kt(self) -> float:
        """Twice the kinetic energy a degree of freedom: k_B T, J."""
        if self.freedom <= 0:
            return float("nan")
        return float((self.masses * (self.velocities**2).sum(axis=1)).sum() / self.freedom)


def present(sim: Moment) -> NDArray[np.intp]:
    """The numbers of the balls that are there and can move."""
    balls = sim.scene.balls
    there = ~balls.fixed & (balls.born <= sim.time) & ~np.isnan(sim.positions[:, 0])
    return np.flatnonzero(there)


def thermal(sim: Moment) -> Thermal:
    """The motion that is heat, and its degrees of freedom.

    N balls in d dimensions have d N; one less for each axis along which total momentum is conserved (periodic or
    unbounded, without gravity or anything fixed), and those of rotation in a smooth round vessel, where angular
    momentum is. What is conserved is no heat: it is taken out of the velocities.
    """
    who, scene = present(sim), sim.scene
    masses, velocities = sim.masses[who], sim.velocities[who].copy()
    freedom = velocities.size
    axes = conserved_axes(scene)
    if axes.any() and who.size:
        velocities[:, axes] -= numerics.product(masses, velocities[:, axes]) / masses.sum()
        freedom -= int(axes.sum())
    elif conserves_rotation(scene) and who.size > 1:
        velocities -= _rotation(masses, sim.positions[who] - np.array(scene.boundary.centre), velocities)  # type: ignore[union-attr]  # a circle, or else rotation is not conserved
        freedom -= 1 if scene.dimension == 2 else 3
    return Thermal(who, masses, velocities, freedom)


def _rotation(masses: Floats, arms: Floats, velocities: Floats) -> Floats:
    """The velocities of a rigid body that turns with the same angular momentum."""
    if arms.shape[1] == 2:
        angular = float((masses * (arms[:, 0] * velocities[:, 1] - arms[:, 1] * velocities[:, 0])).sum())
        inertia = float((masses * (arms**2).sum(axis=1)).sum())
        omega = angular / inertia if inertia else 0.0
        return omega * np.stack([-arms[:, 1], arms[:, 0]], axis=1)
    momentum = (masses[:, None] * np.cross(arms, velocities)).sum(axis=0)
    tensor = np.eye(3) * (masses * (arms**2).sum(axis=1)).sum() - numerics.product((masses[:, None] * arms).T, arms)
    return np.cross(np.linalg.lstsq(tensor, momentum, rcond=None)[0], arms)


@register
class Temperature(Observable):
    """k_B T = Σ m u² / f, J: u is the thermal velocity and f the degrees of freedom (see `thermal`).

    Equipartition; for the count of f see D. Frenkel and B. Smit, Understanding Molecular Simulation, ch. 4.1.
    """

    name, symbol, unit = "temperature", "k_B T", "J"

    def sample(self, sim: Moment) -> float:
        """Of this instant."""
        return thermal(sim).kt


@register
class Kelvin(Observable):
    """The same in kelvin, T = k_B T / k_B; sensible for balls as light as molecules."""

    name, symbol, unit = "kelvin", "T", "K"

    def sample(self, sim: Moment) -> float:
        """Of this instant."""
        return thermal(sim).kt / BOLTZMANN
