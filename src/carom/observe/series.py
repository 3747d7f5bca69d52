"""What was measured at one time after the other, and its mean over a run with an error bar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.observe.blocks import Estimate, columns, estimate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """What an observable measured: a value at each time."""

    name: str
    symbol: str
    unit: str
    times: Floats
    values: Floats
    columns: Floats | None = None
    """What the entries of a value stand for, if a value has several that need it."""
    over_interval: bool = False
    """Is a value a mean over the time since the one before?"""

    def since(self, begin: float) -> tuple[Floats, Floats]:
        """Times and values from a time on, s; the first of interval means is that of an interval which began before."""
        late = self.times > begin if self.over_interval else self.times >= begin
        return self.times[late], self.values[late]

    def weights(self, times: Floats) -> Floats | None:
        """The lengths of the intervals that values are means over, s; `times` are the last of the series."""
        if not self.over_interval or not len(times):
            return None
        before = self.times[self.times < times[0]]
        return np.diff(times, prepend=before[-1] if before.size else times[0])


def mean_of(values: Floats, weights: Floats | None, *, inverse: bool) -> Estimate:
    """The mean of a number; where it is that of 1/x, inverted: infinite values are then events that did not happen."""
    found = estimate(_over_one(values) if inverse else values, weights)
    if not inverse:
        return found
    mean, error = (1.0 / found.mean, found.error / found.mean**2) if found.mean else (float("inf"), float("nan"))
    return Estimate(mean, error, found.samples, found.inefficiency, found.settled)


def means_of(values: Floats, weights: Floats | None, *, inverse: bool) -> tuple[Floats, Floats]:
    """The means of all entries of values, and their errors, in the shape of a value."""
    shape = values.shape[1:]
    if not len(values):
        return np.full(shape, np.nan), np.full(shape, np.nan)
    if not inverse:
        return columns(values, weights)
    found = [mean_of(column, weights, inverse=True) for column in values.reshape(len(values), -1).T]
    return np.array([each.mean for each in found]).reshape(shape), np.array([e.error for e in found]).reshape(shape)


def _over_one(values: Floats) -> Floats:
    return np.divide(1.0, values, out=np.full_like(values, np.nan), where=values != 0.0)
