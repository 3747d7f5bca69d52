"""How far a run goes on before it listens for Ctrl-C.

A kernel is deaf while it works. So a run is cut into slices of about a tenth of a second, after each of which nothing
is half done. Slices change no bit of the motion: kernels go on where they were.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from carom.physics.hearing import held_back
from carom.world.collisions import collision_record

ExactEngine: TypeAlias = Any
"""The engine of the exact solver, by its own name unknown here: the two solvers do not know each other."""

SLICE = 0.1
"""Seconds of wall-clock time that a slice takes, at most, as far as the last one tells."""
IDLE = 500_000
"""Seams crossed in a row from which a run without end is not cut by time any more: the solver counts on to a million,
and gives up."""


@dataclass
class Pace:
    """The size of a slice in some unit: doubled while slices are short, halved when one was long."""

    size: float

    @property
    def whole(self) -> int:
        """The size as a whole number, at least 1."""
        return max(1, int(min(self.size, 2.0**62)))

    def learn(self, seconds: float, *, full: bool) -> None:
        """A slice took so long; `full` if nothing but its size ended it."""
        if seconds > SLICE:
            self.size *= 0.5
        elif full and seconds < 0.5 * SLICE:
            self.size *= 2.0


@dataclass
class Slices:
    """An exact run in slices, by collisions, and by time where there are few."""

    count: Pace = field(default_factory=lambda: Pace(1024.0))
    """Collisions."""
    span: Pace = field(default_factory=lambda: Pace(1e-6))
    """s"""
    whole: bool = False
    """Is nothing half done at present?"""

    def advance(
        self,
        solver: ExactEngine,
        now: float,
        end: float,
        quota: int,
        logs: NDArray[Any],
        reach: Callable[[float], object],
    ) -> bool:
        """Run from `now` as `solver.advance` does; `reach` is told after each slice as far as which time that came."""
        first = solver.collisions
        while True:
            done = solver.collisions - first
            stop = min(end, now + self.span.size) if _can_stop(solver, end) else end
            on = self._slice(solver, stop, min(quota - done, self.count.whole), logs[done:], cut=stop < end)
            over = solver.collisions - first >= quota
            now = max(now, solver.time) if on else stop
            if not on and stop == end:
                return False
            if not on and (over or end == math.inf):  # is there another event after this slice?
                on = _goes_on(solver, end)
                over = over or not on
            if over:
                return on
            reach(now if end < math.inf else solver.time)

    def _slice(self, solver: ExactEngine, stop: float, count: int, logs: NDArray[Any], *, cut: bool) -> bool:
        """Run to a time, or for so many collisions, and listen; True if it stopped earlier than at that time."""
        self.whole, before, began = False, solver.collisions, perf_counter()
        with held_back():
            on = bool(solver.advance(stop, count, logs))
            self.whole = True
        seconds = perf_counter() - began
        if solver.collisions - before == count:
            self.count.learn(seconds, full=count == self.count.whole)
        else:
            self.span.learn(seconds, full=cut)
        return on


def _can_stop(solver: ExactEngine, end: float) -> bool:
    """May a slice end at a time? In a run without end only where no history is told of that time."""
    return end < math.inf or (not solver.histories and int(solver.clock["idle"][0]) < IDLE)


def _goes_on(solver: ExactEngine, end: float) -> bool:
    """Is there another event up to a time?"""
    return bool(solver.advance(end, 0, np.zeros(0, collision_record)))
