"""Makes views of a session, and caches what need not be measured for each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.lab.bench.track import Track
from carom.lab.seen import inspector, meters
from carom.lab.seen.samples import Sample
from carom.lab.seen.view import Companion, Inspector, Meters, Solving, Upcoming, View
from carom.scene import Scene
from carom.solvers import choose
from carom.solvers.registry import CARDS

if TYPE_CHECKING:
    from carom.lab.bench.session import Session

METER_INTERVAL = 0.1
"""s between two updates of meters while it runs: they take longer than the rest of a view."""
MANY_BALLS, SLOW_INTERVAL = 2000, 0.2
"""With more balls than the first, the interval is the second, s."""
BUSY_BALLS = 100
"""With more balls, the next collision changes too fast to be searched for in each view."""
MAX_TICKS = 400
"""Collisions on the time line."""
PRESSURE_TIME = 3.0
"""Averaging time of the pressure: wall-clock time at speed 1, s."""


class ViewMaker:
    """Makes views of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.epoch = 0
        self._shown: tuple[Scene, int, Scene] | None = None
        self._measured: tuple[float, tuple[Any, ...], Meters] | None = None
        self._ahead: tuple[Any, float, tuple[Upcoming, ...], float] | None = None
        self._following: tuple[Any, float, str | None, float, float] | None = None
        self._energy: tuple[Any, float] = (None, 0.0)
        self._looked: tuple[Any, float, Inspector] | None = None

    def view(self, track: Track, *, forces: bool) -> View:
        """The present view of the bench."""
        session, sim = self.session, track.sim
        ahead = self._upcoming(track)
        measured = self._meters(track, ahead)
        positions, velocities = sim.positions, sim.velocities
        epoch, scene = self._scene(track, measured)
        working = "seeking" if session.goal is not None or session.hunting is not None else None
        return View(
            epoch=epoch,
            scene=scene,
            entry=session.entry,
            time=track.time,
            end=track.end,
            running=session.running,
            held=session.held,
            speed=session.speed,
            pace=session.pace,
            arrow_time=session.arrow_time,
            rate=session.rate if session.running else 1.0,
            working=working,
            positions=positions,
            velocities=velocities,
            forces=sim.forces if forces else None,
            born=meters.born(track),
            selected=session.selected,
            corner=session.corner,
            marks=tuple(dict.fromkeys(ball for each in ahead for ball in each.partners)),
            companions=self._companions(len(positions)),
            meters=measured,
            inspector=self._inspector(track, positions, velocities),
            solving=self._solving(track),
            steering=session.steering,
            can_undo=session.history.undo[-1].name if session.history.undo else None,
            can_redo=session.history.redo[-1].name if session.history.redo else None,
            message=session.message,
            collision_times=track.log.times(MAX_TICKS),
            seq=session.seq,
            since=track.segment.offset,
        )

    def preview(self) -> View:
        """The view before the run is made."""
        session = self.session
        scene = session.first
        return View(
            epoch=0, scene=scene, entry=session.entry, time=0.0, end=0.0, running=False, held=False,
            speed=session.speed, pace=session.pace, arrow_time=session.arrow_time, rate=1.0, working="compiling",
            positions=np.array(scene.balls.position),
            velocities=np.array(scene.balls.velocity), forces=None,
            born=None if not scene.balls.born.any() else scene.balls.born <= 0.0,
            selected=(), marks=(), companions=(), meters=Meters(), inspector=None,
            solving=Solving(choose.solver_for(scene, choose.Wish()), "auto"), steering=session.steering,
            can_undo=None, can_redo=None, message=None, collision_times=(), seq=0,
        )  # fmt: skip

    def _stamp(self, track: Track) -> tuple[Any, ...]:
        """A value that changes whenever the state does."""
        return (track, track.segment.frames[0], track.time, track.done, len(self.session.beside))

    def _scene(self, track: Track, measured: Meters) -> tuple[int, Scene]:
        """The epoch of the scene, and the scene without broken links."""
        scene = track.scene
        broken = hash(measured.lost.get("breaking", 0.0)) if len(scene.links) else 0
        if self._shown is None or self._shown[0] is not scene or self._shown[1] != broken:
            shown = scene.replace(links=track.sim.links) if broken else scene
            self._shown = (scene, broken, shown)
            self.epoch += 1
        return self.epoch, self._shown[2]

    def _upcoming(self, track: Track) -> tuple[Upcoming, ...]:
        """The next collisions, cached until they happen, and searched for only now and then in a busy run."""
        if not CARDS[track.sim.solver].foresees:
            return ()
        now, about = self.session.clock(), (track, track.segment.frames[0])
        if self._ahead is not None and self._ahead[0] == about:
            _, seen, found, at = self._ahead
            same = seen <= track.time and (track.time == seen or (bool(found) and track.time < found[0].time))
            if same or (self.session.running and now - at < METER_INTERVAL and len(track.scene.balls) > BUSY_BALLS):
                return found
        offset = track.segment.offset
        found = tuple(
            Upcoming(
                offset + each.time,
                each.kind,
                each.partners,
                each.wall,
                each.place,
                max(each.time - track.sim.time, 0.0),
            )
            for each in track.sim.upcoming[:32]
        )
        self._ahead = (about, track.time, found, now)
        return found

    def _meters(self, track: Track, ahead: tuple[Upcoming, ...]) -> Meters:
        now, stamp = self.session.clock(), self._stamp(track)
        if self._measured is not None:
            at, seen, found = self._measured
            if seen == stamp:
                return (
                    found
                    if found.upcoming == ahead[: meters.MAX_UPCOMING]
                    else replace(found, upcoming=ahead[: meters.MAX_UPCOMING])
                )
            often = SLOW_INTERVAL if len(track.scene.balls) > MANY_BALLS else METER_INTERVAL
            if self.session.running and seen[:2] == stamp[:2] and now - at < often:
                counts = track.counts()
                return replace(
                    found, collisions=sum(counts.values()), by_kind=counts, upcoming=ahead[: meters.MAX_UPCOMING]
                )
        first = track.segment.frames[0]
        if self._energy[0] is not first:
            self._energy = (first, first.sim.energy)
        measured = meters.measure(track, ahead, self._energy[1], PRESSURE_TIME * self.session.pace)
        self._measured = (now, stamp, measured)
        if track.time >= track.end:
            totals = tuple((each.name, each.track.sim.energy) for each in self.session.beside)
            row = Sample(
                track.time, measured.kinetic, measured.potential, measured.total, measured.momentum, totals,
                measured.motion,
            )  # fmt: skip
            self.session.samples = self.session.samples.extended(row)
        return measured

    def _companions(self, count: int) -> tuple[Companion, ...]:
        shown = (each.shown() for each in self.session.beside)
        return tuple(each for each in shown if len(each.positions) == count)

    def _inspector(self, track: Track, positions: Any, velocities: Any) -> Inspector | None:
        count = len(positions)
        if not self.session.selected or self.session.selected[-1] >= count:
            return None
        index, now = self.session.selected[-1], self.session.clock()
        about = (track, track.segment.frames[0], index)
        old = self._looked
        if (
            old is not None
            and old[0] == about
            and self.session.running
            and count > BUSY_BALLS
            and now - old[1] < METER_INTERVAL
        ):
            return old[2]
        inspected = inspector.inspect_ball(track, index, positions, velocities, self._next_of(track, index))
        self._looked = (about, now, inspected)
        return inspected

    def _next_of(self, track: Track, index: int) -> str | None:
        now, about = self.session.clock(), (track, track.segment.frames[0], index)
        if self._following is not None and self._following[0] == about:
            _, seen, words, until, at = self._following
            fresh = seen <= track.time < until or track.time == seen
            if fresh or (self.session.running and now - at < 5 * METER_INTERVAL):
                return words if fresh else None
        words, until = inspector.next_collision(track, index)
        self._following = (about, track.time, words, until, now)
        return words

    def _solving(self, track: Track) -> Solving:
        sim, wish = track.sim, track.segment.wish
        solver, asked = sim.solver, wish.get("solver", "auto")
        if not CARDS[solver].has_steps:
            return Solving(solver, asked)
        return Solving(solver, asked, sim.method.integrator.name, sim.method.step, sim.method.contacts)
