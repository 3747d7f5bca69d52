"""How a run goes on: to a goal and in parts, with progress told; alone or followed; with balls that merge."""

from __future__ import annotations

import copy
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, SolverError
from carom.observe.follower import LOG_ROWS, Follower
from carom.scene.fields.base import shown
from carom.simulation.editor import Editor
from carom.simulation.run import Run, blank_log
from carom.solvers.protocol import steerable

PART = 0.1
"""A part of a run between two reports of progress takes about so long, s."""
EVEN_COLLISIONS = 16
"""Thousands of collisions of an even part: some hundredths of a second."""
EVEN_STEPS = 100_000
"""Steps of an even part, times balls: about as long."""
MANY = 2**62
"""More collisions than any run will have."""

Progress = Callable[[float], object]
"""Called with the part of a run that is done, from 0 to 1."""


class Advance:
    """Lets a run go on, whoever follows it; a follower changes no bit of the motion."""

    def __init__(self, run: Run, editor: Editor) -> None:
        self._run = run
        self._editor = editor

    def to(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        """Go on to a time, or for so many more collisions, and write them into `logs`.

        True if it stopped before the end, so that time stands at the last collision (or step).
        """
        run = self._run
        if quota == 0:
            return True
        if run.follower is not None:
            return self._followed(end, quota, logs, run.follower)
        if run.recorder is not None:
            run.recorder.warn()
        return self._alone(end, quota, logs)

    def _alone(self, end: float, quota: int, logs: NDArray[Any] | None) -> bool:
        """Go on with nobody who follows."""
        return (self._merging if self._run.merges else self._run.advance)(end, quota, logs)

    def _merging(self, end: float, quota: int, logs: NDArray[Any] | None) -> bool:
        """Go on step by step of collisions, each of which makes one ball of two."""
        run = self._run
        before = run.solver.collisions
        while run.solver.collisions - before < quota:
            log, count = blank_log(run.solver.room(1)), run.solver.collisions
            run.advance(end, 1, log)
            log = log[: run.solver.collisions - count]
            if not len(log):
                run.stand_at(end)
                return False
            if logs is not None:
                logs[count - before : count - before + len(log)] = log
            pairs = np.stack([log["a"], log["b"]], axis=1)[log["kind"] == 1].astype(np.intp)
            if len(pairs):
                solver = steerable(run.solver, "merge")
                work = solver.account(solver.time).work
                self._editor.merge(pairs)
                steerable(run.solver, "merge").count_as_merging(work)
        return True

    # Followed.

    def _followed(self, end: float, quota: int, logs: NDArray[Any] | None, follower: Follower) -> bool:
        """Go on from sample to sample. Time stands where it would with nobody who follows."""
        run = self._run
        largest = 1 if run.merges else LOG_ROWS
        endless = not np.isfinite(end)
        stop = self._last_hope() if endless else end
        first, met = run.solver.collisions, 0
        while met < quota:
            due, count = follower.sampler.due()
            part = min(quota - met, largest, max(1, count - run.solver.collisions))
            goal = due if due <= stop else stop + (self._half_a_step() if endless else 0.0)
            rows, on = self._to_sample(
                goal, part, follower, told=logs is not None, last=stop < due if endless else None
            )
            if logs is not None:
                room = logs[met : met + len(rows)]
                room[:] = rows[: len(room)]
            before, met = met, run.solver.collisions - first
            if not on and (run.time < goal or run.time >= stop):
                return False
            if endless and met == before and not np.isfinite(stop):
                stop = self._last_seam()
            elif endless and met > before and run.merges:
                stop = self._last_hope()
        return True

    def _to_sample(
        self, goal: float, quota: int, follower: Follower, *, told: bool, last: bool | None
    ) -> tuple[NDArray[Any], bool]:
        """Go on to the next sample or block of collisions, and take them.

        told  are the collisions asked for, besides what the follower wants?
        last  of a run without end: is nothing expected after the goal? None for a run with an end.
        """
        run = self._run
        before, who, now = run.solver.collisions, follower.sampler.rows, run.time
        try:
            logs = follower.log_for(run.solver.room(quota), wanted=told)
            error: BaseException | None = None
            on = over = False
            try:
                on = self._alone(goal, quota, logs)
                over = last is not None and not on and (last or self._is_over())
            except BaseException as stopped:
                if not (isinstance(stopped, SolverError) or run.solver.whole):
                    raise
                error = stopped  # what has happened until then is in the logs
            rows = logs[: run.solver.collisions - before].copy()
            if over:
                run.time = max(now, run.solver.time)
            follower.pass_on(rows, who)
            if error is None:
                follower.take()
                follower.tick()
        except BaseException:
            follower.invalidate()  # broken off amid it: what has happened may not all be on the tape
            raise
        if error is not None:
            raise error
        if run.after_sample is not None:
            run.after_sample()
        return rows, on

    # When a run without end is over.

    def _half_a_step(self) -> float:
        solver = self._run.solver
        return 0.5 * steerable(solver, "step").method.step if solver.card.has_steps else 0.0

    def _last_hope(self) -> float:
        """Until when a run without end waits for a collision, s: infinite where it is known if there is one."""
        return self._run.solver.time + self._run.solver.patience

    def _is_over(self) -> bool:
        """Is it known, without a search, that no two balls will meet any more?"""
        solver = self._run.solver
        return solver.card.foresees and not solver.advance(np.inf, 0, blank_log(0))

    def _last_seam(self) -> float:
        """Where balls only go round and round: the time when a run without end gives up, s; else infinite."""
        if len(self._run.solver.next_together()):
            return np.inf
        twin = copy.deepcopy(self._run.solver)
        twin.advance(np.inf, 1, blank_log(0))
        return max(self._run.time, twin.time)


class Runner:
    """Runs to a goal."""

    def __init__(self, run: Run, advance: Advance) -> None:
        self._run = run
        self._advance = advance

    def goal(self, until: float | None, collisions: int | None) -> tuple[float, int]:
        """The end in time and in collisions, checked; a warning if that takes steps beyond reason."""
        if until is None and collisions is None:
            raise ArgumentError.of("run.no-end", where="run")
        run = self._run
        run.check_between_steps("run")
        end = np.inf if until is None else number_of_seconds("until", until)
        if end < run.time:
            raise ArgumentError.of("run.before-now", where="until", until=until, now=run.time)
        count: Any = MANY if collisions is None else collisions
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ArgumentError.of("run.collisions", where="collisions", value=shown(collisions))
        if run.solver.card.has_steps:
            steerable(run.solver, "run").announce_work(end)
        return end, min(int(count), MANY)

    def run(self, until: float | None, collisions: int | None, progress: Progress | None) -> None:
        """Run, in parts of a fraction of a second if progress is told, and then within longer parts too."""
        end, quota = self.goal(until, collisions)
        if progress is None:
            self._advance.to(end, quota)
            return
        self._in_parts(end, quota, progress)

    def evenly(self, until: float | None, collisions: int | None, progress: Progress | None) -> None:
        """Run in parts whose size follows from the scene alone: no clock has a say in what happens.

        Where the run is followed, progress is told with each sample too.
        """
        end, quota = self.goal(until, collisions)
        if progress is None:
            self._advance.to(end, quota)
            return
        run = self._run
        steps = max(1, EVEN_STEPS // max(1, len(run.scene.balls)))
        start, before = run.time, run.solver.collisions
        run.after_sample = lambda: progress(self._reached(start, end, before, quota))
        try:
            self._in_parts(end, quota, progress, even=float(steps if run.solver.card.has_steps else EVEN_COLLISIONS))
        finally:
            run.after_sample = None

    def _reached(self, start: float, end: float, before: int, quota: int) -> float:
        """The part that is done, from 0 to 1."""
        run = self._run
        by_time = (run.time - start) / (end - start) if np.isfinite(end) and end > start else 0.0
        by_count = (run.solver.collisions - before) / quota if 0 < quota < MANY else 0.0
        return min(1.0, max(by_time, by_count))

    def _in_parts(self, end: float, quota: int, progress: Progress, even: float | None = None) -> None:
        """Run in parts that take a fraction of a second each (or are even), and tell progress."""
        run = self._run
        start, before = run.time, run.solver.collisions
        run.between_slices = lambda: progress(self._reached(start, end, before, quota))
        try:
            self._part_by_part(end, quota, progress, even)
        finally:
            run.between_slices = None

    def _part_by_part(self, end: float, quota: int, progress: Progress, even: float | None) -> None:
        run = self._run
        start, goal = run.time, run.solver.collisions + quota
        part, last, met = even or 1.0, run.time, run.solver.collisions
        while True:
            began = perf_counter()
            stop, count = run.solver.part(run.time, part)
            on = self._advance.to(min(end, stop), min(count, goal - run.solver.collisions))
            done = quota - (goal - run.solver.collisions)
            if run.solver.collisions > met:
                last, met = run.time, run.solver.collisions
            given_up = not np.isfinite(end) and run.time - last >= run.solver.patience
            finished = done >= quota or (not on and stop >= end) or given_up
            progress(1.0 if finished else self._reached(start, end, goal - quota, quota))
            if finished:
                return
            if even is None:
                part *= 2.0 if perf_counter() - began < PART else 0.5


def number_of_seconds(where: str, value: Any) -> float:
    """A time that a user gave, s."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or np.isnan(value):
        raise ArgumentError.of("time.not-a-time", where=where, value=shown(value))
    return float(value)
