"""Who follows a run, and takes what falls due: what the run asks of it, and the one that keeps it in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.observe.blocks import Estimate
from carom.observe.observable import Moment
from carom.observe.sampler import Sample, Sampler
from carom.observe.series import Floats, Series, mean_of, means_of
from carom.solvers.collision_record import collision_record

BLOCK = 2**14
"""Collisions that are taken at once, at most."""


class Follower:
    """What a run asks of who follows it."""

    def __init__(self, run: Any, sampler: Sampler) -> None:
        self.sampler = sampler
        self.sound = True
        """Has everything been taken that has happened?"""
        self._moment: Any = run
        self._logs = np.zeros(0, collision_record)

    def room(self, count: int, *, told: bool) -> NDArray[Any]:
        """A log for so many collisions; none if nobody wants them."""
        if not (told or self.sampler.wants_collisions):
            return self._logs[:0]
        if len(self._logs) < count:
            self._logs = np.zeros(count, collision_record)
        return self._logs[:count]

    def pass_on(self, rows: NDArray[Any], who: NDArray[np.intp]) -> None:
        """Take what has happened."""
        raise NotImplementedError

    def take(self) -> None:
        """Take a sample if one is due."""
        raise NotImplementedError

    def tick(self) -> None:
        """Do what is to be done now and then."""

    def survive(self, stay: NDArray[np.intp]) -> None:
        """Only these balls are left, by their numbers before."""
        if len(stay) < len(self.sampler.rows):
            self.sampler.survive(stay)
            self.touched()

    def touched(self) -> None:
        """Note that something was done to the run."""

    def lose(self) -> None:
        """Something has happened that was not taken: take no more."""
        self.sound = False


@dataclass(frozen=True)
class Measurements:
    """What was measured of a run: samples by name, and their means with error bars."""

    series: Mapping[str, Series]
    times: Floats
    """Of the samples, s."""
    last: Sample
    """The values at the end of the run. Of a mean over an interval, that since the last sample before."""
    begin: float
    """Means are from here on, s."""
    inverse: frozenset[str] = frozenset()
    """Names of those whose mean is that of 1/x, inverted."""

    @property
    def samples(self) -> dict[str, Floats]:
        """The values by name: arrays with a row a time."""
        return {name: each.values for name, each in self.series.items()}

    def estimate(self, name: str, *entry: int) -> Estimate:
        """The mean over the run with its error; of a vector or a table, of one entry: `estimate("momentum", 0)`."""
        series = self._named(name)
        if len(entry) != series.values.ndim - 1:
            what = f"{name} has {series.values.shape[1:] or 'no'} entries, and asked for is {entry or 'none of them'}"
            raise ArgumentError([Problem("estimate", what, "Name one entry, or use means(name) for all.")])
        times, values = series.since(self.begin)
        chosen: tuple[Any, ...] = (slice(None), *entry)
        return mean_of(values[chosen], series.weights(times), inverse=name in self.inverse)

    def means(self, name: str) -> tuple[Floats, Floats]:
        """The means of all entries over the run, and their errors, in the shape of a value."""
        series = self._named(name)
        times, values = series.since(self.begin)
        return means_of(values, series.weights(times), inverse=name in self.inverse)

    def unit(self, name: str) -> str:
        """Of the values; "" for a plain number."""
        return self._named(name).unit

    def _named(self, name: str) -> Series:
        if name not in self.series:
            what = f"{name!r} was not measured"
            raise ArgumentError([Problem("measurements", what, f"There are {', '.join(self.series) or 'none'}.")])
        return self.series[name]


class Measuring(Follower):
    """A measurement under way, in memory."""

    def __init__(self, run: Moment, sampler: Sampler) -> None:
        super().__init__(run, sampler)
        self._times: list[float] = []
        self._samples: list[Sample] = []

    def pass_on(self, rows: NDArray[Any], who: NDArray[np.intp]) -> None:
        """Tell the observables."""
        self.sampler.collided(rows, who, None)

    def take(self) -> None:
        """Take a sample if one is due."""
        if self.sampler.is_due(self._moment):
            self.sampler.tick_off(self._moment)
            self._times.append(self._moment.time)
            self._samples.append(self.sampler.sample(self.sampler.seen(self._moment)))

    def found(self, begin: float) -> Measurements:
        """What was measured; means are from `begin` on. It ends the measurement."""
        names = [each.name for each in self.sampler.observables]
        values = {name: np.array([sample[name] for sample in self._samples], np.float64) for name in names}
        return measurements(self.sampler, self._moment, np.array(self._times), values, begin)


def measurements(
    sampler: Sampler, run: Moment, times: Floats, values: Mapping[str, Floats], begin: float
) -> Measurements:
    """What a sampler has taken, as a whole. It ends the sampling, as a last sample is taken if none is of now."""
    now = len(times) > 0 and times[-1] == run.time
    last = {name: each[-1] for name, each in values.items()} if now else sampler.sample(sampler.seen(run))
    series = {}
    for each in sampler.observables:
        column = values[each.name].reshape(len(times), *np.shape(last[each.name]))
        series[each.name] = Series(each.name, each.symbol, each.unit, times, column, each.columns(), each.over_interval)
    inverse = frozenset(each.name for each in sampler.observables if each.inverse_mean)
    return Measurements(series, times, last, begin, inverse)
