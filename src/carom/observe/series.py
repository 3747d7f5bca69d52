"""A time series of an observable, and its mean over a run with an error bar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.observe.blocks import Estimate, columns, estimate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """A time series of an observable: one value per time."""

    name: str
    symbol: str
    unit: str
    times: Floats
    values: Floats
    columns: Floats | None = None
    """The abscissa of the entries of a value, if it needs one."""
    over_interval: bool = False
    """True if each value is a mean over the time since the previous one."""

    def since(self, begin: float) -> tuple[Floats, Floats]:
        """Times and values from the time `begin` on, s; the first of interval means may belong to an earlier start."""
        late = self.times > begin if self.over_interval else self.times >= begin
        return self.times[late], self.values[late]

    def weights(self, times: Floats) -> Floats | None:
        """Lengths of the intervals over which values are means, s; `times` are the last times of the series."""
        if not self.over_interval or not len(times):
            return None
        before = self.times[self.times < times[0]]
        return np.diff(times, prepend=before[-1] if before.size else times[0])


def mean_of(values: Floats, weights: Floats | None, *, inverse: bool) -> Estimate:
    """The mean with its error; `inverse`: the harmonic mean, where an infinite value counts as no event."""
    found = estimate(_over_one(values) if inverse else values, weights)
    if not inverse:
        return found
    mean, error = (1.0 / found.mean, found.error / found.mean**2) if found.mean else (float("inf"), float("nan"))
    return Estimate(mean, error, found.samples, found.inefficiency, found.settled)


def means_of(values: Floats, weights: Floats | None, *, inverse: bool) -> tuple[Floats, Floats]:
    """The means of all entries, and their errors, each in the shape of one value."""
    shape = values.shape[1:]
    if not len(values):
        return np.full(shape, np.nan), np.full(shape, np.nan)
    if not inverse:
        return columns(values, weights)
    found = [mean_of(column, weights, inverse=True) for column in values.reshape(len(values), -1).T]
    return np.array([each.mean for each in found]).reshape(shape), np.array([e.error for e in found]).reshape(shape)


def _over_one(values: Floats) -> Floats:
    return np.divide(1.0, values, out=np.full_like(values, np.nan), where=values != 0.0)
