"""Transport: mean squared displacement and velocity autocorrelation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.measures.geometry import unwrapped
from carom.observe.measures.thermo import present
from carom.observe.observable import Floats, Observable, RunState, ratio, register


class SinceStart(Observable):
    """A quantity of each ball, compared with its value at the start of the recording."""

    of_time: ClassVar[bool] = True
    start: Floats

    def each(self, sim: RunState) -> Floats:
        """The quantity of all balls, one row per ball; NaN for balls that do not count."""
        raise NotImplementedError(f"{type(self).__name__} has no each()")

    def begin(self, sim: RunState) -> None:
        """Keep the values at the start."""
        self.start = self.each(sim)

    def both(self, sim: RunState) -> tuple[Floats, Floats]:
        """The values at the start and now, of the balls that exist both times."""
        now = self.each(sim)
        if now.shape != self.start.shape:
            raise ArgumentError.of("transport.other-balls", where=self.name, start=len(self.start), now=len(now))
        good = ~np.isnan(now).any(axis=1) & ~np.isnan(self.start).any(axis=1)
        return self.start[good], now[good]

    def state(self) -> dict[str, NDArray[Any]]:
        """The values at the start."""
        return {"start": self.start.copy()}

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the values at the start."""
        self.start = np.array(state["start"])


def _only(values: Floats, who: NDArray[np.intp]) -> Floats:
    kept = np.full_like(values, np.nan)
    kept[who] = values[who]
    return kept


@register
class MeanSquaredDisplacement(SinceStart):
    """<|r(t) - r(0)|²>, m²: over all balls that can move, unwrapped, since the start of the recording.

    In a gas it grows as 2 d D t after some collisions (A. Einstein, Ann. Phys. 17 (1905) 549). The analysis of a
    recording averages over many start times.
    """

    name, symbol, unit = "mean_squared_displacement", "<Δr²>", "m²"

    def each(self, sim: RunState) -> Floats:
        """Unwrapped positions, m."""
        return _only(unwrapped(sim.scene, sim.positions, sim.turns), present(sim))

    def sample(self, sim: RunState) -> float:
        """The value now."""
        before, now = self.both(sim)
        return ratio(float(((now - before) ** 2).sum()), len(now))


@register
class VelocityAutocorrelation(SinceStart):
    """<v(0)·v(t)> / <v(0)²>, a plain number: 1 at the start of the recording; NaN if nothing moved then.

    Its integral over time, times <v²>/d, is the diffusion coefficient (M. S. Green, J. Chem. Phys. 22 (1954) 398;
    R. Kubo, J. Phys. Soc. Jpn. 12 (1957) 570).
    """

    name, symbol, unit = "velocity_autocorrelation", "C_v", ""

    def each(self, sim: RunState) -> Floats:
        """Velocities, m/s."""
        return _only(sim.velocities, present(sim))

    def sample(self, sim: RunState) -> float:
        """The value now."""
        before, now = self.both(sim)
        return ratio(float((before * now).sum()), float((before**2).sum()))
