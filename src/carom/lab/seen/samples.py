"""Samples of energies and momentum for charts, evenly thinned out when there are too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MAX_SAMPLES = 3000
"""With more samples, every second one is dropped."""


@dataclass(frozen=True)
class Sample:
    """Measurements at one time."""

    time: float
    kinetic: float
    potential: float
    total: float
    momentum: tuple[float, ...]
    companions: tuple[tuple[str, float], ...] = ()
    motion: float = 0.0
    """Σ m |v|, kg m/s: the scale of momentum; far smaller values are rounding errors."""


@dataclass(frozen=True)
class Samples:
    """Samples in the order of time. `generation` changes whenever samples were dropped."""

    rows: tuple[Sample, ...] = ()
    generation: int = 1
    apart: float = 0.0
    """Shortest time between two samples, s."""

    def extended(self, sample: Sample) -> Samples:
        """Add a sample, unless it is too close to the last; thin out if there are too many."""
        if self.rows and sample.time <= self.rows[-1].time + self.apart:
            return self
        rows = (*self.rows, sample)
        if len(rows) <= MAX_SAMPLES:
            return Samples(rows, self.generation, self.apart)
        rows = rows[::2]
        return Samples(rows, self.generation + 1, (rows[-1].time - rows[0].time) / (2 * len(rows)))

    def until(self, time: float) -> Samples:
        """The part up to a time."""
        if not self.rows or self.rows[-1].time <= time:
            return self
        return Samples(tuple(row for row in self.rows if row.time <= time), self.generation + 1, self.apart)

    def message(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """The chart message since an earlier mark, and the new mark; 0 means all."""
        mark = self.generation * (MAX_SAMPLES + 2) + len(self.rows)
        generation, count = divmod(since, MAX_SAMPLES + 2)
        reset = generation != self.generation or count > len(self.rows)
        rows = self.rows if reset else self.rows[count:]
        if mark == since or (not rows and not reset):
            return None, mark
        names = sorted({name for row in rows for name, _ in row.companions})
        totals = [dict(row.companions) for row in rows]
        return {
            "reset": reset,
            "time": [row.time for row in rows],
            "kinetic": [row.kinetic for row in rows],
            "potential": [row.potential for row in rows],
            "total": [row.total for row in rows],
            "momentum": [list(row.momentum) for row in rows],
            "motion": [row.motion for row in rows],
            "companions": {name: [each.get(name) for each in totals] for name in names},
        }, mark
