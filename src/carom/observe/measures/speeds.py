"""The distribution of speeds, compared with Maxwell's law and with the exact law for few balls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.observe.measures.geometry import conserved_axes
from carom.observe.measures.rates import mean_speed
from carom.observe.measures.theory import finite_share, kolmogorov
from carom.observe.measures.thermo import thermal
from carom.observe.observable import Floats, Observable, RunState, register

BINS = 64
WIDEST = 5.0
"""The histogram ends at this multiple of sqrt(k_B T / m); beyond, Maxwell's law has one speed in 10^5."""


@register
class MeanSpeed(Observable):
    """<v>, m/s; Maxwell's is sqrt(π k_B T / 2 m) in the plane, sqrt(8 k_B T / π m) in space."""

    name, symbol, unit = "mean_speed", "<v>", "m/s"

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return mean_speed(sim)


@register
class Speeds(Observable):
    """The density of speeds in bins, s/m: the part of the balls in a bin, over its width.

    The bins reach to 5 sqrt(k_B T / m) of the lightest ball at the start; faster balls are not counted.
    """

    name, symbol, unit = "speeds", "f(v)", "s/m"
    across: ClassVar[tuple[str, str]] = ("speed", "m/s")

    def begin(self, sim: RunState) -> None:
        """Choose the bins."""
        heat = thermal(sim)
        light = float(heat.masses.min()) if heat.masses.size else 1.0
        end = WIDEST * float(np.sqrt(heat.kt / light)) if heat.kt > 0.0 else 1.0
        self.edges = np.linspace(0.0, end, BINS + 1)

    def sample(self, sim: RunState) -> Floats:
        """The value now."""
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
        """Restore the bins."""
        self.edges = np.array(state["edges"])


@register
class MaxwellDistance(Observable):
    """The Kolmogorov-Smirnov distance of the speeds at an instant from their exact law: a number from 0 to 1.

    D = max |F_N(u) - u|, where u is the share of that law below a ball's speed (see `shares`), so that a mixture of
    masses is one sample, and F_N(u) the part of the balls up to it. For N independent speeds it is above 1.36 / sqrt(N)
    once in 20 times: A. N. Kolmogorov (1933) and N. Smirnov, Ann. Math. Stat. 19 (1948) 279.
    """

    name, symbol, unit = "maxwell_distance", "D", ""

    def sample(self, sim: RunState) -> float:
        """The value now."""
        return kolmogorov(shares(sim))


def shares(sim: RunState) -> Floats:
    """The cumulative probability of each ball's speed by the exact law; in equilibrium, uniform in 0 to 1.

    The law is that of velocities uniform on the sphere of the present kinetic energy (see `finite_share`).
    """
    heat = thermal(sim)
    if heat.freedom <= 0 or not heat.kt > 0.0:
        return np.empty(0)
    speed = np.sqrt((heat.velocities**2).sum(axis=1))
    total = float(heat.masses.sum()) if conserved_axes(sim.scene).all() else None
    return finite_share(speed, heat.kt, heat.masses, sim.scene.dimension, heat.freedom, total)
