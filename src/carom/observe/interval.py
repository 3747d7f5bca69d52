"""Observables that are means over the time between two samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.observe.observable import Floats, Observable, RunState


class OverInterval(Observable):
    """An observable whose samples are means over the time since the previous sample; the first one is NaN.

    A subclass adds to the sums in `tally`, which start at zero in each interval, and computes its value in `mean`.
    """

    over_interval: ClassVar[bool] = True
    wants_collisions: ClassVar[bool] = True

    tally: Floats
    _since: float

    def zero(self, sim: RunState) -> Floats:  # noqa: ARG002  # a subclass may need it
        """The sums at the start of an interval."""
        return np.zeros(1)

    def mean(self, sim: RunState, dt: float) -> float | Floats:
        """The value for the interval of length dt (s) that ends now, from its sums."""
        raise NotImplementedError(f"{type(self).__name__} has no mean()")

    def begin(self, sim: RunState) -> None:
        """Start the first interval now."""
        self._since, self.tally = sim.time, self.zero(sim)

    def sample(self, sim: RunState) -> float | Floats:
        """The mean since the previous sample; the next interval starts now."""
        dt = sim.time - self._since
        if dt > 0.0:
            value = self.mean(sim, dt)
        else:
            value = np.asarray(self.mean(sim, 1.0)) * np.nan
            value = float(value) if value.ndim == 0 else value
        self._since, self.tally = sim.time, self.zero(sim)
        return value

    def state(self) -> dict[str, NDArray[Any]]:
        """The start of the interval, and the sums so far."""
        return {"since": np.array(self._since), "tally": self.tally.copy()}

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue within the interval."""
        self._since, self.tally = float(state["since"]), np.array(state["tally"], dtype=np.float64)


def add_in_order(total: float, values: Floats) -> float:
    """Add the values to the total one after the other, so that the bits do not depend on how values are grouped."""
    return float(np.cumsum(np.concatenate([[total], values]))[-1])
