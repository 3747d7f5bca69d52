"""Samples of energies and momentum for the charts: as many as fit, evenly thinned out when they become too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST = 3000
"""Samples that are kept; beyond, every second one is let go."""


@dataclass(frozen=True)
class Sample:
    """What was measured at a time."""

    time: float
    kinetic: float
    potential: float
    total: float
    momentum: tuple[float, ...]
    companions: tuple[tuple[str, float], ...] = ()
    motion: float = 0.0
    """Σ m |v|, kg m/s: the momentum if all flew the same way. What is less than a trace of it is rounding."""


@dataclass(frozen=True)
class Samples:
    """Samples in the order of time. `generation` changes whenever something other than an addition happened."""

    rows: tuple[Sample, ...] = ()
    generation: int = 1
    apart: float = 0.0
    """Shortest time between two samples, s."""

    def extended(self, sample: Sample) -> Samples:
        """With one more, if it is not too near to the last; thinned out if there are too many."""
        if self.rows and sample.time <= self.rows[-1].time + self.apart:
            return self
        rows = (*self.rows, sample)
        if len(rows) <= MOST:
            return Samples(rows, self.generation, self.apart)
        rows = rows[::2]
        return Samples(rows, self.generation + 1, (rows[-1].time - rows[0].time) / (2 * len(rows)))

    def until(self, time: float) -> Samples:
        """Without what came after a time."""
        if not self.rows or self.rows[-1].time <= time:
            return self
        return Samples(tuple(row for row in self.rows if row.time <= time), self.generation + 1, self.apart)

    def message(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """The chart message since a mark that was given before, and the new mark; 0 asks for all."""
        mark = self.generation * (MOST + 2) + len(self.rows)
        generation, count = divmod(since, MOST + 2)
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
