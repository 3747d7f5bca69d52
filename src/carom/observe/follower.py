"""Followers of a run, which take its samples and collisions: the interface, and one that keeps them in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.blocks import Estimate
from carom.observe.observable import RunState
from carom.observe.sampler import Sample, Sampler
from carom.observe.series import Floats, Series, mean_of, means_of
from carom.solvers.collision_record import collision_record

LOG_ROWS = 2**14
"""At most so many collisions are logged before they are passed on."""


class Follower:
    """An object that a run informs of what happens: collisions, due samples, edits."""

    def __init__(self, run: Any, sampler: Sampler) -> None:
        self.sampler = sampler
        self.complete = True
        """False once something has happened that was not taken."""
        self._run_state: Any = run
        self._logs = np.zeros(0, collision_record)

    def log_for(self, count: int, *, wanted: bool) -> NDArray[Any]:
        """An array for `count` collisions; empty if neither the caller (`wanted`) nor the sampler needs them."""
        if not (wanted or self.sampler.wants_collisions):
            return self._logs[:0]
        if len(self._logs) < count:
            self._logs = np.zeros(count, collision_record)
        return self._logs[:count]

    def pass_on(self, rows: NDArray[Any], who: NDArray[np.intp]) -> None:
        """Take these collisions; `who` are the rows of the balls by their present indices."""
        raise NotImplementedError

    def take(self) -> None:
        """Take a sample if one is due."""
        raise NotImplementedError

    def tick(self) -> None:
        """Do periodic work, such as writing to disk; called often during a run."""

    def keep_only(self, stay: NDArray[np.intp]) -> None:
        """Drop the balls that were removed; `stay` are the previous indices of those that are left."""
        if len(stay) < len(self.sampler.rows):
            self.sampler.keep_only(stay)
            self.note_edit()

    def note_edit(self) -> None:
        """Note that the run was edited."""

    def invalidate(self) -> None:
        """Take no more, as something has happened that was not taken."""
        self.complete = False


@dataclass(frozen=True)
class Measurements:
    """The result of measuring a run: samples by name, and their means with error bars."""

    series: Mapping[str, Series]
    times: Floats
    """Times of the samples, s."""
    last: Sample
    """The values at the end of the run; for a mean over an interval, the mean since the sample before."""
    begin: float
    """Means are taken from this time on, s."""
    inverse: frozenset[str] = frozenset()
    """Names of the observables whose mean is harmonic: the inverse of the mean of 1/x."""

    @property
    def samples(self) -> dict[str, Floats]:
        """The values by name: arrays with one row per time."""
        return {name: each.values for name, each in self.series.items()}

    def estimate(self, name: str, *entry: int) -> Estimate:
        """The mean over the run with its error; name one entry of a vector or a table: `estimate("momentum", 0)`."""
        series = self._named(name)
        if len(entry) != series.values.ndim - 1:
            raise ArgumentError.of(
                "series.which-entry",
                where="estimate",
                name=name,
                shape=str(series.values.shape[1:] or "no"),
                asked=str(entry or "none of them"),
            )
        times, values = series.since(self.begin)
        chosen: tuple[Any, ...] = (slice(None), *entry)
        return mean_of(values[chosen], series.weights(times), inverse=name in self.inverse)

    def means(self, name: str) -> tuple[Floats, Floats]:
        """The means of all entries over the run, and their errors, each in the shape of one value."""
        series = self._named(name)
        times, values = series.since(self.begin)
        return means_of(values, series.weights(times), inverse=name in self.inverse)

    def unit(self, name: str) -> str:
        """The unit of the values; "" for a plain number."""
        return self._named(name).unit

    def _named(self, name: str) -> Series:
        if name not in self.series:
            raise ArgumentError.of(
                "series.not-measured", where="measurements", name=repr(name), known=", ".join(self.series) or "none"
            )
        return self.series[name]


class MemoryFollower(Follower):
    """A measurement in progress that keeps its samples in memory."""

    def __init__(self, run: RunState, sampler: Sampler) -> None:
        super().__init__(run, sampler)
        self._times: list[float] = []
        self._samples: list[Sample] = []

    def pass_on(self, rows: NDArray[Any], who: NDArray[np.intp]) -> None:
        """Pass the collisions on to the observables."""
        self.sampler.collided(rows, who, None)

    def take(self) -> None:
        """Take a sample if one is due."""
        if self.sampler.is_due(self._run_state):
            self.sampler.tick_off(self._run_state)
            self._times.append(self._run_state.time)
            self._samples.append(self.sampler.sample(self.sampler.seen(self._run_state)))

    def finish(self, begin: float) -> Measurements:
        """End the measurement; means are taken from `begin` on."""
        names = [each.name for each in self.sampler.observables]
        values = {name: np.array([sample[name] for sample in self._samples], np.float64) for name in names}
        return measurements(self.sampler, self._run_state, np.array(self._times), values, begin)


def measurements(
    sampler: Sampler, run: RunState, times: Floats, values: Mapping[str, Floats], begin: float
) -> Measurements:
    """Join the samples of a sampler into one result. This ends the sampling, as it may take a last sample now."""
    current = len(times) > 0 and times[-1] == run.time
    last = {name: each[-1] for name, each in values.items()} if current else sampler.sample(sampler.seen(run))
    series = {}
    for each in sampler.observables:
        column = values[each.name].reshape(len(times), *np.shape(last[each.name]))
        series[each.name] = Series(each.name, each.symbol, each.unit, times, column, each.columns(), each.over_interval)
    inverse = frozenset(each.name for each in sampler.observables if each.inverse_mean)
    return Measurements(series, times, last, begin, inverse)
