"""What is measured over the time between two samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.observe.observable import Floats, Moment, Observable


class OverInterval(Observable):
    """An observable whose samples are means over the time since the sample before; the first one is NaN.

    A subclass adds up in `tally` (numbers that begin at zero with each interval) and tells the mean by `mean`.
    """

    over_interval: ClassVar[bool] = True
    wants_collisions: ClassVar[bool] = True

    tally: Floats
    _since: float

    def zero(self, sim: Moment) -> Floats:  # noqa: ARG002  # a subclass may need it
        """The sums at the beginning of an interval."""
        return np.zeros(1)

    def mean(self, sim: Moment, dt: float) -> float | Floats:
        """The value, from the sums over the interval of length dt, s, that ends now."""
        raise NotImplementedError(f"{type(self).__name__} has no mean()")

    def begin(self, sim: Moment) -> None:
        """Let the first interval begin now."""
        self._since, self.tally = sim.time, self.zero(sim)

    def sample(self, sim: Moment) -> float | Floats:
        """The mean since the last sample; the next interval begins now."""
        dt = sim.time - self._since
        if dt > 0.0:
            value = self.mean(sim, dt)
        else:
            value = np.asarray(self.mean(sim, 1.0)) * np.nan
            value = float(value) if value.ndim == 0 else value
        self._since, self.tally = sim.time, self.zero(sim)
        return value

    def state(self) -> dict[str, NDArray[Any]]:
        """The beginning of the interval, and the sums so far."""
        return {"since": np.array(self._since), "tally": self.tally.copy()}

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on within the interval."""
        self._since, self.tally = float(state["since"]), np.array(state["tally"], dtype=np.float64)


def running(total: float, values: Floats) -> float:
    """The total and all values, added one after the other: the same bits in however many parts they come."""
    return float(np.cumsum(np.concatenate([[total], values]))[-1])
