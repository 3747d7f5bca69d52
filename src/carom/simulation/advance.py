"""Advance a run to an end, whole or in parts with reports of progress; with followers, and with balls that merge."""

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
from carom.simulation.run import ActiveRun, blank_log
from carom.solvers.protocol import steerable

REPORT_INTERVAL = 0.1
"""Wall-clock time between two reports of progress, about, s."""
EQUAL_PART_COLLISIONS = 16
"""Size of equal parts of an exact run, thousands of collisions: some hundredths of a second."""
EQUAL_PART_STEPS = 100_000
"""Size of equal parts of a stepped run, steps times balls: about as long."""
UNLIMITED = 2**62
"""Number of collisions that no run reaches."""

Progress = Callable[[float], object]
"""Is called with the fraction of a run that is done, from 0 to 1."""


class Advance:
    """Advances a run, with its follower if it has one; a follower changes no bit of the motion."""

    def __init__(self, run: ActiveRun, editor: Editor) -> None:
        self._run = run
        self._editor = editor

    def to(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        """Advance to the time `end`, s, or by `quota` collisions, which are written into `logs`.

        True if it stopped before the end: the time is that of the last collision (or step).
        """
        run = self._run
        if quota == 0:
            return True
        if run.follower is not None:
            return self._with_follower(end, quota, logs, run.follower)
        if run.recorder is not None:
            run.recorder.warn()
        return self._unfollowed(end, quota, logs)

    def _unfollowed(self, end: float, quota: int, logs: NDArray[Any] | None) -> bool:
        """Advance without a follower."""
        return (self._with_mergers if self._run.merges else self._run.advance)(end, quota, logs)

    def _with_mergers(self, end: float, quota: int, logs: NDArray[Any] | None) -> bool:
        """Advance by one collision at a time, and merge the balls that collide."""
        run = self._run
        before = run.solver.collisions
        while run.solver.collisions - before < quota:
            log, count = blank_log(run.solver.room(1)), run.solver.collisions
            run.advance(end, 1, log)
            log = log[: run.solver.collisions - count]
            if not len(log):
                run.set_end_time(end)
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

    # With a follower.

    def _with_follower(self, end: float, quota: int, logs: NDArray[Any] | None, follower: Follower) -> bool:
        """Advance from sample to sample. The final time is the same as without a follower."""
        run = self._run
        largest = 1 if run.merges else LOG_ROWS
        endless = not np.isfinite(end)
        stop = self._end_of_patience() if endless else end
        first, met = run.solver.collisions, 0
        while met < quota:
            due, count = follower.sampler.due()
            part = min(quota - met, largest, max(1, count - run.solver.collisions))
            goal = due if due <= stop else stop + (self._half_a_step() if endless else 0.0)
            rows, on = self._to_next_sample(
                goal, part, follower, logged=logs is not None, last=stop < due if endless else None
            )
            if logs is not None:
                room = logs[met : met + len(rows)]
                room[:] = rows[: len(room)]
            before, met = met, run.solver.collisions - first
            if not on and (run.time < goal or run.time >= stop):
                return False
            if endless and met == before and not np.isfinite(stop):
                stop = self._end_at_seam()
            elif endless and met > before and run.merges:
                stop = self._end_of_patience()
        return True

    def _to_next_sample(
        self, goal: float, quota: int, follower: Follower, *, logged: bool, last: bool | None
    ) -> tuple[NDArray[Any], bool]:
        """Advance to the next sample or block of collisions, and pass them to the follower.

        logged  True if the caller needs the collisions, too.
        last  for a run without end time: True if no sample is due after the goal. None for a run with one.
        """
        run = self._run
        before, who, now = run.solver.collisions, follower.sampler.rows, run.time
        try:
            logs = follower.log_for(run.solver.room(quota), wanted=logged)
            error: BaseException | None = None
            on = over = False
            try:
                on = self._unfollowed(goal, quota, logs)
                over = last is not None and not on and (last or self._is_over())
            except BaseException as stopped:
                if not (isinstance(stopped, SolverError) or run.solver.whole):
                    raise
                error = stopped  # the logs hold all collisions before the error
            rows = logs[: run.solver.collisions - before].copy()
            if over:
                run.time = max(now, run.solver.time)
            follower.pass_on(rows, who)
            if error is None:
                follower.take()
                follower.tick()
        except BaseException:
            follower.invalidate()  # interrupted here: collisions may be missing on the tape
            raise
        if error is not None:
            raise error
        if run.after_sample is not None:
            run.after_sample()
        return rows, on

    # The end of a run without end time.

    def _half_a_step(self) -> float:
        solver = self._run.solver
        return 0.5 * steerable(solver, "step").method.step if solver.card.has_steps else 0.0

    def _end_of_patience(self) -> float:
        """The time until which a run without end time waits for a collision, s; infinite if the solver foresees it."""
        return self._run.solver.time + self._run.solver.patience

    def _is_over(self) -> bool:
        """True if the solver knows, without a search, that no collision will follow."""
        solver = self._run.solver
        return solver.card.foresees and not solver.advance(np.inf, 0, blank_log(0))

    def _end_at_seam(self) -> float:
        """The time when a run without end time stops, s, if balls only cross seams; else infinite."""
        if len(self._run.solver.next_together()):
            return np.inf
        twin = copy.deepcopy(self._run.solver)
        twin.advance(np.inf, 1, blank_log(0))
        return max(self._run.time, twin.time)


class RunLoop:
    """Runs to an end time or a number of collisions, and reports progress."""

    def __init__(self, run: ActiveRun, advance: Advance) -> None:
        self._run = run
        self._advance = advance

    def goal(self, until: float | None, collisions: int | None) -> tuple[float, int]:
        """The end time, s, and the number of collisions, checked; a warning if that takes very many steps."""
        if until is None and collisions is None:
            raise ArgumentError.of("run.no-end", where="run")
        run = self._run
        run.check_between_steps("run")
        end = np.inf if until is None else number_of_seconds("until", until)
        if end < run.time:
            raise ArgumentError.of("run.before-now", where="until", until=until, now=run.time)
        count: Any = UNLIMITED if collisions is None else collisions
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ArgumentError.of("run.collisions", where="collisions", value=shown(collisions))
        if run.solver.card.has_steps:
            steerable(run.solver, "run").announce_work(end)
        return end, min(int(count), UNLIMITED)

    def run(self, until: float | None, collisions: int | None, progress: Progress | None) -> None:
        """Run; with `progress`, in parts of a fraction of a second."""
        end, quota = self.goal(until, collisions)
        if progress is None:
            self._advance.to(end, quota)
            return
        self._run_in_parts(end, quota, progress)

    def run_evenly(self, until: float | None, collisions: int | None, progress: Progress | None) -> None:
        """Run in parts whose size depends on the scene alone, not on the wall clock.

        If the run has a follower, progress is reported with each sample, too.
        """
        end, quota = self.goal(until, collisions)
        if progress is None:
            self._advance.to(end, quota)
            return
        run = self._run
        steps = max(1, EQUAL_PART_STEPS // max(1, len(run.scene.balls)))
        size = steps if run.solver.card.has_steps else EQUAL_PART_COLLISIONS
        start, before = run.time, run.solver.collisions
        run.after_sample = lambda: progress(self._fraction_done(start, end, before, quota))
        try:
            self._run_in_parts(end, quota, progress, even=float(size))
        finally:
            run.after_sample = None

    def _fraction_done(self, start: float, end: float, before: int, quota: int) -> float:
        """The fraction that is done, from 0 to 1."""
        run = self._run
        by_time = (run.time - start) / (end - start) if np.isfinite(end) and end > start else 0.0
        by_count = (run.solver.collisions - before) / quota if 0 < quota < UNLIMITED else 0.0
        return min(1.0, max(by_time, by_count))

    def _run_in_parts(self, end: float, quota: int, progress: Progress, even: float | None = None) -> None:
        """Run in parts of a fraction of a second each (or of the size `even`), and report progress."""
        run = self._run
        start, before = run.time, run.solver.collisions
        run.between_slices = lambda: progress(self._fraction_done(start, end, before, quota))
        try:
            self._run_parts(end, quota, progress, even)
        finally:
            run.between_slices = None

    def _run_parts(self, end: float, quota: int, progress: Progress, even: float | None) -> None:
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
            progress(1.0 if finished else self._fraction_done(start, end, goal - quota, quota))
            if finished:
                return
            if even is None:
                part *= 2.0 if perf_counter() - began < REPORT_INTERVAL else 0.5


def number_of_seconds(where: str, value: Any) -> float:
    """Check a time given by the user, s."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or np.isnan(value):
        raise ArgumentError.of("time.not-a-time", where=where, value=shown(value))
    return float(value)
