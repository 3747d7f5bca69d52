"""A run that is followed: from sample to sample, by who records it or measures it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, SolverError
from carom.observe import triggers
from carom.observe.follower import LOG_ROWS, Follower, Measurements, MemoryFollower
from carom.observe.sampler import Sampler, observables_for
from carom.scene.fields.base import shown
from carom.simulation.steer import Steering
from carom.solvers.collision_record import collision_record


class Following(Steering):
    """What a run does for who follows it."""

    _measuring: MemoryFollower | None = None
    _heartbeat: Callable[[], object] | None = None
    """Called with each sample, while progress is told."""
    _beat: Callable[[], object] | None = None
    """Called in an exact run between two slices, while progress is told."""

    def _advance_freely(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        raise NotImplementedError

    def _check_alone(self, what: str) -> None:
        raise NotImplementedError

    def run_evenly(
        self, until: float | None, collisions: int | None, progress: Callable[[float], object] | None
    ) -> None:
        """Run, and tell progress in parts of equal size."""
        raise NotImplementedError

    def measure(  # each is one choice, and has a default
        self,
        observables: Any,
        *,
        until: float | None = None,
        collisions: int | None = None,
        every: float | triggers.Every | triggers.Collisions | None = None,
        at: Any = None,
        settle: float = 0.0,
        progress: Callable[[float], object] | None = None,
    ) -> Measurements:
        """Run, and measure on the way, in memory.

        observables  names, or observables.
        until        run to this time, s; or for so many more `collisions`, whichever comes first.
        every        a sample every so many seconds, now included; or a trigger, such as `Collisions(100)`.
        at           samples at these times, s.
        settle       s from the start of measuring that are left out of means: the run comes to equilibrium.
        progress     is called now and then with the part that is done, from 0 to 1.

        Measuring changes no bit of the run, and samples are those of a recording.
        """
        self._between_steps("measure")
        self._check_alone("measure")
        begin = self._time + _duration("settle", settle)
        if settle and isinstance(until, int | float) and self._time < until <= begin:
            raise ArgumentError.of("settle.too-long", where="settle", settle=settle, until=until)
        count = len(self._scene.balls)
        sampler = Sampler(triggers.triggers_for(every, at), observables_for(observables), events=False, count=count)
        sampler.begin(self._as_moment)
        self._measuring = measuring = MemoryFollower(self._as_moment, sampler)
        try:
            measuring.take()
            self.run_evenly(until, collisions, progress)
            return measuring.finish(begin)
        finally:
            del self._measuring

    @property
    def _as_moment(self) -> Any:
        """The run as observables see it: a simulation is a `Moment`."""
        return self

    def _advance_recorded(self, end: float, quota: int, logs: NDArray[Any] | None, recorder: Follower) -> bool:
        """Run from sample to sample; True if it stopped before the end. Time stands where it would unrecorded."""
        largest = 1 if self._merging else LOG_ROWS
        endless = not np.isfinite(end)
        stop = self._last_hope() if endless else end
        first, met = self._solver.collisions, 0
        while met < quota:
            due, count = recorder.sampler.due()
            part = min(quota - met, largest, max(1, count - self._solver.collisions))
            goal = due if due <= stop else stop + (self._half_a_step if endless else 0.0)
            rows, on = self._follow(goal, part, recorder, told=logs is not None, last=stop < due if endless else None)
            if logs is not None:
                room = logs[met : met + len(rows)]
                room[:] = rows[: len(room)]
            before, met = met, self._solver.collisions - first
            if not on and (self._time < goal or self._time >= stop):
                return False
            if endless and met == before and not np.isfinite(stop):
                stop = self._last_seam()
            elif endless and met > before and self._merging:
                stop = self._last_hope()
        return True

    def _follow(
        self, goal: float, quota: int, recorder: Follower, *, told: bool, last: bool | None
    ) -> tuple[NDArray[Any], bool]:
        """Run to the next sample or block of collisions, and take them.

        told  is the run itself asked for the collisions?
        last  of a run without end: is nothing expected after the goal? None for a run with an end.
        """
        before, who, now = self._solver.collisions, recorder.sampler.rows, self._time
        try:
            logs = recorder.log_for(self._solver.room(quota), wanted=told)
            error: BaseException | None = None
            on = over = False
            try:
                on = self._advance_freely(goal, quota, logs)
                over = last is not None and not on and (last or self._is_over)
            except BaseException as stopped:
                if not (isinstance(stopped, SolverError) or self._solver.whole):
                    raise
                error = stopped  # what has happened until then is in the logs
            rows = logs[: self._solver.collisions - before].copy()
            if over:
                self._time = max(now, self._solver.time)
            recorder.pass_on(rows, who)
            if error is None:
                recorder.take()
                recorder.tick()
        except BaseException:
            recorder.invalidate()  # somebody broke off amid it: what has happened may not all be on the tape
            raise
        if error is not None:
            raise error
        if self._heartbeat is not None:
            self._heartbeat()
        return rows, on

    @property
    def _merging(self) -> bool:
        return self._scene.attraction is not None and self._scene.attraction.touch == "merge"

    @property
    def _half_a_step(self) -> float:
        return 0.5 * self.method.step if self._solver.name == "stepped" else 0.0

    def _last_hope(self) -> float:
        """Until when a run without end waits for a collision, s: infinite where it is known if there is one."""
        return self._solver.time + self._solver.patience

    @property
    def _is_over(self) -> bool:
        """Is it known, without much ado, that nobody will meet anything any more?"""
        exact = self._solver.name == "exact"
        return exact and not self._solver.advance(np.inf, 0, np.zeros(0, collision_record))

    def _last_seam(self) -> float:
        """Where balls only go round and round: the time when a run without end gives up, s; else infinite."""
        if len(self._solver.next_together()):
            return np.inf
        twin = copy.deepcopy(self._solver)
        twin.advance(np.inf, 1, np.zeros(0, collision_record))
        return max(self._time, twin.time)


def _duration(where: str, value: Any) -> float:
    if not triggers.is_number(value) or not 0.0 <= value < np.inf:
        raise ArgumentError.of("time.not-0-or-more", where=where, value=shown(value))
    return float(value)
