"""Mechanical quantities: energy, momentum, angular momentum, centre of mass, height of linked balls."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from carom import numerics
from carom.observe.measures.geometry import unwrapped
from carom.observe.observable import Floats, Observable, RunState, register
from carom.scene import Links, Scene


@register
class KineticEnergy(Observable):
    """E_k = Σ m v² / 2, J."""

    name, symbol, unit = "kinetic_energy", "E_k", "J"

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return sim.kinetic_energy


@register
class PotentialEnergy(Observable):
    """E_p of gravity (zero at the origin), springs and attraction, J."""

    name, symbol, unit = "potential_energy", "E_p", "J"

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return sim.potential_energy


@register
class Energy(Observable):
    """E = E_k + E_p, J; constant where collisions are elastic and nothing drives or drags."""

    name, symbol, unit = "energy", "E", "J"

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return sim.energy


@register
class Momentum(Observable):
    """P = Σ m v, kg m/s; constant along axes without walls and forces."""

    name, symbol, unit = "momentum", "P", "kg m/s"

    def sample(self, sim: RunState) -> Floats:
        """The value now: one number per axis."""
        return np.asarray(sim.momentum, dtype=np.float64)


@register
class AngularMomentum(Observable):
    """L = Σ m r × v about the origin of coordinates, kg m²/s: a number in 2D, a vector in 3D.

    Positions are unwrapped. It is conserved in unbounded space only; a periodic box has no axis of rotation.
    """

    name, symbol, unit = "angular_momentum", "L", "kg m²/s"

    def sample(self, sim: RunState) -> float | Floats:
        """The value now."""
        there = np.flatnonzero(~np.isnan(sim.positions[:, 0]) & (sim.scene.balls.born <= sim.time))
        places = unwrapped(sim.scene, sim.positions, sim.turns)[there]
        velocities, masses = sim.velocities[there], sim.masses[there]
        if places.shape[1] == 2:
            return float((masses * (places[:, 0] * velocities[:, 1] - places[:, 1] * velocities[:, 0])).sum())
        return np.asarray((masses[:, None] * np.cross(places, velocities)).sum(axis=0))


@register
class CentreOfMass(Observable):
    """R = Σ m r / Σ m, m: of the balls that exist, from unwrapped positions."""

    name, symbol, unit = "centre_of_mass", "R", "m"
    of_time: ClassVar[bool] = True

    def sample(self, sim: RunState) -> Floats:
        """The value now."""
        there = np.flatnonzero(~np.isnan(sim.positions[:, 0]) & (sim.scene.balls.born <= sim.time))
        places, masses = unwrapped(sim.scene, sim.positions, sim.turns)[there], sim.masses[there]
        if not there.size:
            return np.full(places.shape[1], np.nan)
        return np.asarray(numerics.product(masses, places) / masses.sum())


@register
class Height(Observable):
    """h, m: from the lowest to the highest linked ball, against gravity, or along y without it; 0 without links.

    The score of a tower. Balls whose links have all broken do not count. A frame of a recording does not know
    which links have broken, and counts all linked balls.
    """

    name, symbol, unit = "height", "h", "m"
    of_time: ClassVar[bool] = True

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return built_height(sim.scene, getattr(sim, "links", sim.scene.links), sim.positions)


def built_height(scene: Scene, links: Links, places: Floats) -> float:
    """The height of the linked balls, m; absent balls (NaN) do not count."""
    linked = np.unique(links.between)
    pull = np.array(scene.gravity)
    up = -pull / numerics.length(pull) if pull.any() else np.eye(scene.dimension)[1]
    heights = numerics.product(places[linked, : scene.dimension], up)
    heights = heights[~np.isnan(heights)]
    return float(np.ptp(heights)) if len(heights) else 0.0
