"""How speeds are distributed, against Maxwell's law and the exact one of few balls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.observe.measures.rates import mean_speed
from carom.observe.measures.room import conserved_axes
from carom.observe.measures.theory import finite_share, kolmogorov
from carom.observe.measures.thermo import thermal
from carom.observe.observable import Floats, Moment, Observable, register

BINS = 64
WIDEST = 5.0
"""Speeds are counted up to so many times sqrt(k_B T / m); Maxwell has one in 10^5 beyond."""


@register
class MeanSpeed(Observable):
    """<v>, m/s; Maxwell's is sqrt(π k_B T / 2 m) in the plane, sqrt(8 k_B T / π m) in space."""

    name, symbol, unit = "mean_speed", "<v>", "m/s"

    def sample(self, sim: Moment) -> float:
        """Of this instant."""
        return mean_speed(sim)


@register
class Speeds(Observable):
    """Density of speeds in bins, s/m: the part of the balls in a bin, over its width.

    The bins reach to 5 sqrt(k_B T / m) of the lightest ball at the start; what is faster is not counted.
    """

    name, symbol, unit = "speeds", "f(v)", "s/m"
    across: ClassVar[tuple[str, str]] = ("speed", "m/s")

    def begin(self, sim: Moment) -> None:
        """Choose the bins."""
        heat = thermal(sim)
        light = float(heat.masses.min()) if heat.masses.size else 1.0
        end = WIDEST * float(np.sqrt(heat.kt / light)) if heat.kt > 0.0 else 1.0
        self.edges = np.linspace(0.0, end, BINS + 1)

    def sample(self, sim: Moment) -> Floats:
        """Of this instant."""
        speed = np.sqrt((thermal(sim).velocities ** 2).sum(axis=1))
        counts, _ = np.histogram(speed, bins=self.edges)
        return np.asarray(counts / (max(speed.size, 1) * np.diff(self.edges)))

    def columns(self) -> Floats:
        """The middles of the bins, m/s."""
        return np.asarray(0.5 * (self.edges[1:] + self.edges[:-1]))

    def state(self) -> dict[str, NDArray[Any]]:
        """The bins."""
        return {"edges": self.edges.copy()}

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The same bins as before."""
        self.edges = np.array(state["edges"])


@register
class MaxwellDistance(Observable):
    """The Kolmogorov-Smirnov distance of the speeds at an instant from their exact law: a number from 0 to 1.

    D = max |F_N(u) - u|, where u is the share of that law below a ball's speed (see `shares`), so that a mixture of
    masses is one sample, and F_N(u) the part of the balls up to it. For N independent speeds it is above 1.36 / sqrt(N)
    once in 20 times: A. N. Kolmogorov (1933) and N. Smirnov, Ann. Math. Stat. 19 (1948) 279.
    """

    name, symbol, unit = "maxwell_distance", "D", ""

    def sample(self, sim: Moment) -> float:
        """Of this instant."""
        return kolmogorov(shares(sim))


def shares(sim: Moment) -> Floats:
    """For each ball, the part of the exact law of speeds that is below its own; in equilibrium, even in 0 to 1.

    The law is that of velocities lying evenly on the sphere of the kinetic energy of now (see `finite_share`).
    """
    heat = thermal(sim)
    if heat.freedom <= 0 or not heat.kt > 0.0:
        return np.empty(0)
    speed = np.sqrt((heat.velocities**2).sum(axis=1))
    total = float(heat.masses.sum()) if conserved_axes(sim.scene).all() else None
    return finite_share(speed, heat.kt, heat.masses, sim.scene.dimension, heat.freedom, total)
