"""Collects data while a simulation runs: collisions, one by one or as an array, and measurements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from carom.errors import ArgumentError
from carom.observe import triggers
from carom.observe.collisions import KINDS, Collision, CollisionArray
from carom.observe.follower import Measurements, MemoryFollower
from carom.observe.observable import RunState
from carom.observe.sampler import Sampler, observables_for
from carom.scene.fields.base import shown
from carom.simulation.advance import Advance, Progress, RunLoop
from carom.simulation.run import ActiveRun, blank_log

MAX_LOG_ROWS = 65536
"""Largest number of collisions that a log has room for."""


class Collector:
    """Runs a simulation, and returns its collisions or measurements. `observed` is the run as observables read it."""

    def __init__(self, run: ActiveRun, advance: Advance, runner: RunLoop, observed: RunState) -> None:
        self._run = run
        self._advance = advance
        self._run_loop = runner
        self._observed = observed

    def events(self, until: float | None = None, collisions: int | None = None) -> Iterator[Collision]:
        """Run, and yield each collision; the simulation then stands just after it.

        With the stepped solver it stands at the end of the step, which may have several collisions, and the run ends
        with a whole step.
        """
        run = self._run
        end, quota = self._run_loop.goal(until, collisions)
        logs = blank_log(run.solver.room(1))
        while quota > 0:
            before = run.solver.collisions
            on = self._advance.to(end, 1, logs)
            done = run.solver.collisions - before
            for row in logs[:done].copy():
                yield self._collision(row)
            if not on:
                return
            quota -= done

    def collide(self, until: float | None = None, collisions: int | None = None) -> CollisionArray:
        """Run, and return all collisions as one structured array: the fast way to get many.

        Its fields are time (s), kind (1 between balls, 2 with a wall, 3 with a cloth), a and b (numbers of the balls),
        wall (its number), place (m), normal, impulse (N s), and softened (1 if the collision fell within the contact
        time). `to_pandas` makes a table of them, with words and names instead of numbers.
        """
        run = self._run
        end, quota = self._run_loop.goal(until, collisions)
        parts = []
        on = True
        while on and quota > 0:
            logs = blank_log(run.solver.room(min(MAX_LOG_ROWS, quota)))
            before = run.solver.collisions
            on = self._advance.to(end, min(quota, logs.size), logs)
            done = run.solver.collisions - before
            parts.append(logs[:done])
            quota -= done
        rows = np.concatenate(parts) if parts else blank_log(0)
        return CollisionArray.of(rows, run.scene.dimension, run.wall_names)

    def measure(  # each is one choice, and has a default
        self,
        observables: Any,
        *,
        until: float | None = None,
        collisions: int | None = None,
        every: float | triggers.Every | triggers.Collisions | None = None,
        at: Any = None,
        settle: float = 0.0,
        progress: Progress | None = None,
    ) -> Measurements:
        """Run, and sample observables in memory on the way.

        observables  names of observables, or custom ones.
        until        end time, s; or `collisions`, a number of further collisions, whichever comes first.
        every        time between samples, s, from now on; or a trigger, such as `Collisions(100)`.
        at           times of samples, s.
        settle       equilibration time, s: samples in this time from now on are left out of means.
        progress     is called several times per second with the part that is done, from 0 to 1.

        Measuring changes no bit of the run. A recording would hold the same samples.
        """
        run = self._run
        run.check_between_steps("measure")
        run.check_unfollowed("measure")
        begin = run.time + _duration("settle", settle)
        if settle and isinstance(until, int | float) and run.time < until <= begin:
            raise ArgumentError.of("settle.too-long", where="settle", settle=settle, until=until)
        whens = triggers.triggers_for(every, at)
        sampler = Sampler(whens, observables_for(observables), events=False, count=len(run.scene.balls))
        sampler.begin(self._observed)
        run.measuring = measuring = MemoryFollower(self._observed, sampler)
        try:
            measuring.take()
            self._run_loop.run_evenly(until, collisions, progress)
            return measuring.finish(begin)
        finally:
            run.measuring = None

    def upcoming(self) -> list[Collision]:
        """The next collision, and all at the same instant."""
        return [self._collision(row) for row in self._run.solver.next_together()]

    def _collision(self, row: Any) -> Collision:
        d = self._run.scene.dimension
        kind = KINDS[int(row["kind"])]
        a, b = int(row["a"]), int(row["b"])
        return Collision(
            time=float(row["time"]),
            kind=kind,
            partners=(a, b) if kind == "ball-ball" else (a,),
            wall=self._run.solver.wall_name(int(row["wall"])) if kind == "ball-wall" else None,
            place=tuple(row["place"][:d].tolist()),
            normal=tuple(row["normal"][:d].tolist()),
            impulse=float(row["impulse"]),
        )


def _duration(where: str, value: Any) -> float:
    if not triggers.is_number(value) or not 0.0 <= value < np.inf:
        raise ArgumentError.of("time.not-0-or-more", where=where, value=shown(value))
    return float(value)
