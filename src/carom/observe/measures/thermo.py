"""Temperature, with the correct number of degrees of freedom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.observe.measures.geometry import conserved_axes, conserves_rotation
from carom.observe.observable import Floats, Observable, RunState, register

BOLTZMANN = 1.380649e-23
"""J/K, exact (SI 2019)."""


class ThermalMotion(NamedTuple):
    """The balls that can move, and their thermal motion: velocities without the conserved common motion."""

    who: NDArray[np.intp]
    masses: Floats
    velocities: Floats
    freedom: int

    @property
    def kt(self) -> float:
        """k_B T, J: twice the kinetic energy per degree of freedom."""
        if self.freedom <= 0:
            return float("nan")
        return float((self.masses * (self.velocities**2).sum(axis=1)).sum() / self.freedom)


def present(sim: RunState) -> NDArray[np.intp]:
    """The indices of the balls that exist and can move."""
    balls = sim.scene.balls
    there = ~balls.fixed & (balls.born <= sim.time) & ~np.isnan(sim.positions[:, 0])
    return np.flatnonzero(there)


def thermal(sim: RunState) -> ThermalMotion:
    """The thermal motion, and its number of degrees of freedom.

    N balls in d dimensions have d N; one less for each axis along which total momentum is conserved (periodic or
    unbounded, without gravity or anything fixed), and those of rotation in a smooth round vessel, where angular
    momentum is. Conserved motion is not thermal: it is subtracted from the velocities.
    """
    who, scene = present(sim), sim.scene
    masses, velocities = sim.masses[who], sim.velocities[who].copy()
    freedom = velocities.size
    axes = conserved_axes(scene)
    if axes.any() and who.size:
        velocities[:, axes] -= numerics.product(masses, velocities[:, axes]) / masses.sum()
        freedom -= int(axes.sum())
    elif conserves_rotation(scene) and who.size > 1:
        places = sim.positions[who] - np.array(scene.boundary.rotation_centre)
        velocities -= _rotation(masses, places, velocities)
        freedom -= 1 if scene.dimension == 2 else 3
    return ThermalMotion(who, masses, velocities, freedom)


def _rotation(masses: Floats, arms: Floats, velocities: Floats) -> Floats:
    """The velocities of a rigid body that rotates with the same angular momentum."""
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
    """k_B T = Σ m u² / f, J: u is the thermal velocity and f the number of degrees of freedom (see `thermal`).

    Equipartition; for the number f see D. Frenkel and B. Smit, Understanding Molecular Simulation, ch. 4.1.
    """

    name, symbol, unit = "temperature", "k_B T", "J"

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return thermal(sim).kt


@register
class Kelvin(Observable):
    """Temperature in kelvin, T = k_B T / k_B; of use for balls as light as molecules."""

    name, symbol, unit = "kelvin", "T", "K"

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return thermal(sim).kt / BOLTZMANN
