"""A run with its past: copies of the simulation at past instants, from which any other instant is reached.

A track is a sequence of segments, one per edit. Within a segment, running from a copy gives the same bits each time;
interactive inputs are recorded and applied again. Copies are shared between tracks and never advanced. A run of the
exact solver also has a history, which gives the state at any instant directly; where memory for it ran out, copies are
used.
"""

from __future__ import annotations

import pickle
from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from carom.lab.bench import memory
from carom.lab.bench.past import MIN_COPY_INTERVAL, Input, Keyframe, Past, Segment, thin_out
from carom.lab.seen.collision_log import CollisionLog, Rows
from carom.scene import Scene
from carom.simulation.internal import new_history, remember_in, state_of
from carom.simulation.simulation import Simulation
from carom.solvers.registry import CARDS

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History

MAX_FRAMES, MIN_FRAMES = 240, 4
COPY_SPACING = 20.0
"""Computing time between two copies, in costs of a copy: copying takes at most 5 % of the time."""
AT_ONCE = 4096
"""Collisions in a slice: clearing memory for more would take longer than the slice."""
SLICE_SECONDS = 0.005
"""Time of a slice, s: commands wait for its end."""
COMPILED_AFTER = 0.25
"""A slice that takes longer, s, has compiled something, and does not measure the cost."""
FAR_SLICES = 8.0
"""From this distance on, in slices, reading the history is faster than running."""


class Track:
    """A run and its past. `sim` is the present run, at an instant of the past or at the end."""

    def __init__(
        self, sim: Simulation, wish: dict[str, Any] | None = None, *, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.clock = clock
        self.sim = sim
        self.part = 0.0
        """Simulated time of the last slice, s; 0 if unknown."""
        self.remembering = False
        """Is the run being written to the history of the segment?"""
        self._size: tuple[int, int] = (0, 0)
        """Number of balls, and bytes of a copy."""
        self._histories: list[ref[History]] = []
        memory.RUNS.add(self)
        self.past = Past((self._segment(sim, 0.0, wish or {}),))
        self._enter(0, self.past.segments[0].frames[0])

    # Reading.

    @property
    def time(self) -> float:
        """The present time, in the time of the bench."""
        return self.segment.offset + self.sim.time

    @property
    def end(self) -> float:
        """The end of the run so far."""
        return self.past.end

    @property
    def log(self) -> CollisionLog:
        """The log of collisions."""
        return self.past.log

    @property
    def segment(self) -> Segment:
        """The present segment."""
        return self.past.segments[self.number]

    @property
    def scene(self) -> Scene:
        """The present scene."""
        return self.sim.scene

    @property
    def at_end(self) -> bool:
        """Is it at the end of the run so far?"""
        return self.number == len(self.past.segments) - 1 and self.sim.time >= self.segment.end

    def counts(self) -> dict[str, int]:
        """Collisions so far, by kind."""
        counts = dict(self.segment.counts)
        for kind, count in self.sim.collisions_by_kind.items():
            counts[kind] = counts.get(kind, 0) + count
        return counts

    # Running.

    def toward(self, goal: float, budget: float = np.inf, asked: Callable[[], bool] = lambda: False) -> bool:
        """Run towards a time of the bench, first along the known past, for about `budget` s.

        True if it got there; it stops early when `asked` returns true. An error of the solver stops it.
        """
        began = self.clock()
        while self.time < goal:
            self._onward(goal, budget - (self.clock() - began))
            if asked() or self.clock() - began >= budget:
                break
        return self.time >= goal

    def _onward(self, goal: float, left: float) -> None:
        """Run one slice."""
        segment, sim = self.segment, self.sim
        last = self.number == len(self.past.segments) - 1
        if not last and sim.time >= segment.end:
            self._enter(self.number + 1, self.past.segments[self.number + 1].frames[0])
            return
        self._replay()
        known = sim.time < segment.end
        stop = self._stop(goal, segment)
        if known:
            stop = min(stop, segment.end)
        elif segment.history is not None:
            stop = self._remember(stop, segment.history)
        if self.done < len(segment.inputs):
            stop = min(stop, segment.inputs[self.done].time)
        if np.isfinite(left):
            part = self.part or (stop - sim.time) / 64.0
            stop = min(stop, max(sim.time + part, float(np.nextafter(sim.time, np.inf))))
        self._run(stop, left, known=known)

    @staticmethod
    def _stop(goal: float, segment: Segment) -> float:
        """Convert a time of the bench to that of the simulation, rounded so that the bench reaches it."""
        stop = goal - segment.offset
        return float(np.nextafter(stop, np.inf)) if segment.offset + stop < goal else stop

    def _remember(self, stop: float, history: History) -> float:
        """Start to write to the history; return how far to go.

        The history may be longer than this past: then nothing is written twice, and the run first goes to its end.
        """
        if not self.remembering:
            if self.sim.time < history.end:
                return min(stop, history.end)
            remember_in(self.sim, history)
            self.remembering = True
        self._forget()
        return stop

    def _bound(self, history: History) -> None:
        """Count a history among those that share the memory; the oldest is first."""
        others = [known for known in self._histories if known() is not None]
        self._histories = [*others, ref(history)] if all(known() is not history for known in others) else others

    def _forget(self) -> None:
        """Free histories beyond their memory: first those of earlier segments, then the oldest part of this one."""
        held = [each for known in self._histories if (each := known()) is not None]
        total, most = sum(each.nbytes for each in held), memory.share_of(memory.HISTORY)
        for each in held:
            if total <= most:
                break
            total -= each.nbytes
            each.keep_within(max(most - total, 0))
            total += each.nbytes

    def _run(self, stop: float, left: float, *, known: bool) -> None:
        """Run the simulation, log new collisions, and make a copy now and then."""
        sim, before, began = self.sim, self.sim.time, self.clock()
        rows: Rows | None = None
        try:
            rows = sim.collide(until=stop, collisions=AT_ONCE)
        finally:
            took = self.clock() - began
            self._learn(sim.time - before, took, left)
            self.cost += took
            if not known:
                self._grow(rows)
            self._keep(took)

    def next_collision(self, budget: float, horizon: float) -> bool:
        """Run to the next collision and all at the same time; True if there was one, or will be none."""
        segment, sim = self.segment, self.sim
        if not self.at_end:
            known = self.log.after(self.time)
            return self.toward(self.end if known is None else known, budget) and known is not None
        if segment.history is not None:
            if not sim.upcoming:
                return True
            stop = self._remember(np.inf, segment.history)
            rows: Rows = sim.collide(until=stop, collisions=1)
            if not len(rows):
                self._grow(rows)
                return False
            rows = np.concatenate([rows, sim.collide(until=sim.time)])
            self._grow(rows)
            return True
        self._replay()
        count = sum(self.counts().values())
        began = self.clock()
        step = sim.method.step
        while sim.time < horizon - segment.offset and self.clock() - began < budget:
            self._run(sim.time + step, np.inf, known=False)
            if sum(self.counts().values()) > count:
                return True
        return False

    def _learn(self, done: float, took: float, left: float) -> None:
        """Choose the length of the next slice from the budget."""
        if done <= 0.0 or not np.isfinite(left):
            return
        if took > COMPILED_AFTER:
            self.part = min(self.part or done, done)
            return
        aim = max(min(left, SLICE_SECONDS), 1e-4)
        self.part = done * min(max(aim / max(took, 1e-7), 0.2), 4.0)

    def _grow(self, rows: Rows | None) -> None:
        """Extend the end of the run and the log."""
        segment = replace(self.segment, end=self.sim.time)
        log = self.log
        if rows is not None and len(rows):
            rows["time"] += segment.offset
            log = log.extended(rows)
        self.past = Past((*self.past.segments[:-1], segment), log)

    # Interactive inputs.

    def hand(self, what: str, *arguments: Any) -> None:
        """Apply an input now, at the end of the run."""
        self._replay()
        made = Input(self.sim.time, what, arguments)
        made.apply(self.sim)
        segment = replace(self.segment, inputs=(*self.segment.inputs, made))
        self.past = replace(self.past, segments=(*self.past.segments[:-1], segment))
        self.done = len(segment.inputs)

    def release_balls(self, but: Collection[int] = ()) -> None:
        """At the end of the run, release all held balls except these."""
        if self.sim.held.issubset(but):
            return
        self._replay()
        for k in sorted(self.sim.held.difference(but)):
            self.hand("release", k)

    def _replay(self) -> None:
        """Apply the inputs of this instant before running on; until then the state before them is shown."""
        inputs = self.segment.inputs
        while self.done < len(inputs) and inputs[self.done].time <= self.sim.time:
            inputs[self.done].apply(self.sim)
            self.done += 1

    # Going back.

    def seek(self, goal: float) -> None:
        """Go to the last copy before a time of the bench; `toward` does the rest."""
        goal = min(max(goal, self.past.segments[0].start), self.end)
        starts = [segment.start for segment in self.past.segments]
        number = bisect_right(starts, goal) - 1
        segment = self.past.segments[number]
        times = [frame.time for frame in segment.frames]
        frame = segment.frames[max(bisect_right(times, goal - segment.offset) - 1, 0)]
        here = number == self.number and self.time <= goal and self.sim.time >= frame.time
        if here and goal - self.time <= FAR_SLICES * self.part:
            return
        stop = min(self._stop(goal, segment), segment.end)
        if segment.history is not None and stop > frame.time and segment.history.knows(stop):
            self._enter(number, replace(frame, time=stop, state=segment.history.state(stop)))
        elif not here:
            self._enter(number, frame)

    def go(self, goal: float) -> None:
        """Go to a time of the bench, however long it takes."""
        self.seek(goal)
        self.toward(min(goal, self.end))

    def _enter(self, number: int, frame: Keyframe) -> None:
        """Continue from a copy."""
        self.number = number
        self.sim = frame.resumed()
        self.remembering = False
        self.cost = frame.cost
        self.kept = frame.cost
        self.done = frame.inputs

    # Editing.

    def branch(
        self, sim: Simulation, wish: dict[str, Any] | None = None, births: NDArray[np.float64] | None = None
    ) -> Past:
        """Continue from now with another simulation, without what came later; return the earlier past, for undo."""
        was, now, counts = self.marked(), self.time, self.counts()
        segment, before = was.segments[self.number], was.segments[: self.number]
        stays = replace(
            segment,
            end=self.sim.time,
            frames=tuple(frame for frame in segment.frames if frame.time <= self.sim.time),
            inputs=segment.inputs[: self.done],
        )
        for kind, count in sim.collisions_by_kind.items():
            counts[kind] = counts.get(kind, 0) - count
        new = self._segment(sim, now - sim.time, segment.wish if wish is None else wish, counts, births)
        kept = () if stays.start >= now else (stays,)
        segments = [*before, *kept, new]
        while len(segments) > self.most_frames // 2:  # after very many edits, forget stretches after the first
            del segments[1]
        self.past = Past(tuple(segments), self.log.until(now))
        self._thin_out()
        self.part = 0.0
        self._enter(len(self.past.segments) - 1, new.frames[0])
        return was

    def marked(self) -> Past:
        """The past with a copy at this instant: the simulation itself, which must not be advanced any more."""
        segment, sim = self.segment, self.sim
        if any(frame.time == sim.time for frame in segment.frames):
            return self.past
        frames = sorted((*segment.frames, self._frame(sim)), key=lambda each: each.time)
        segments = list(self.past.segments)
        segments[self.number] = replace(segment, frames=tuple(frames))
        return replace(self.past, segments=tuple(segments))

    def restore(self, past: Past, time: float) -> None:
        """Switch to another past, at one of its instants or at the last copy before it."""
        self.past = past
        for segment in past.segments:
            if segment.history is not None:
                self._bound(segment.history)
        self.number, self.part = -1, 0.0  # nowhere yet
        self.seek(time)

    def _segment(
        self,
        sim: Simulation,
        offset: float,
        wish: dict[str, Any],
        counts: dict[str, int] | None = None,
        births: NDArray[np.float64] | None = None,
    ) -> Segment:
        """A segment that begins with a simulation, which must not be advanced any more."""
        history = None
        if CARDS[sim.solver].keeps_history:
            history = new_history(sim)
            self._bound(history)
        frames = (Keyframe(sim.time, sim, 0.0, 0),)
        return Segment(offset, frames, sim.time, wish, counts or {}, births, history=history)

    # Copies.

    def _keep(self, took: float) -> None:
        """Make a copy if enough computing time has passed; thin copies out if there are too many."""
        if took > COMPILED_AFTER and self.cost - self.kept == took:  # a compilation is no reason for a copy
            self.cost -= took
        if self.cost - self.kept < MIN_COPY_INTERVAL:
            return
        segment, sim = self.segment, self.sim
        if any(frame.time == sim.time for frame in segment.frames):
            self.kept = self.cost
            return
        began = self.clock()
        frame = self._frame(sim if segment.history is not None else sim.copy())
        copying = self.clock() - began
        self.kept = self.cost + max(0.0, COPY_SPACING * copying - MIN_COPY_INTERVAL)
        frames = sorted((*segment.frames, frame), key=lambda each: each.time)
        segments = list(self.past.segments)
        segments[self.number] = replace(segment, frames=tuple(frames))
        self.past = replace(self.past, segments=tuple(segments))
        self._thin_out()

    def _frame(self, sim: Simulation) -> Keyframe:
        """A copy of the present run: the state for the exact solver, else the simulation itself."""
        if self.segment.history is None:
            return Keyframe(sim.time, sim, self.cost, self.done)
        return Keyframe(sim.time, self.segment.frames[0].sim, self.cost, self.done, state_of(sim))

    @property
    def most_frames(self) -> int:
        """The number of copies that fit into memory."""
        count = len(self.scene.balls)
        if self._size[0] != count or not self._size[1]:
            size = sum(each.nbytes for each in state_of(self.sim).values())
            if self.segment.history is None:
                size = len(pickle.dumps(self.sim, protocol=5))
            self._size = (count, size)
        return int(min(max(memory.share_of(memory.COPIES) / self._size[1], MIN_FRAMES), MAX_FRAMES))

    def keep_within_share(self) -> None:
        """Reduce copies and histories to their share of memory."""
        self._thin_out()
        self._forget()

    def _thin_out(self) -> None:
        """Drop copies until they fit into memory."""
        self.past = thin_out(self.past, self.most_frames)
