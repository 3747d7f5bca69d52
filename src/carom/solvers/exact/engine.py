"""The engine of the exact solver: a run that goes on, event by event."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.errors import EndlessError, SceneError, StackError
from carom.kernels.interrupts import defer_interrupts
from carom.scene import Scene
from carom.solvers.exact import memory
from carom.solvers.exact.balls import MOVING
from carom.solvers.exact.edit import carried
from carom.solvers.exact.events import loop
from carom.solvers.exact.events.log import Log
from carom.solvers.exact.events.simultaneous import simultaneous
from carom.solvers.exact.history.history import History
from carom.solvers.exact.history.scribe import Scribe
from carom.solvers.exact.index import Index
from carom.solvers.exact.kinds import NONE, collides_next
from carom.solvers.exact.neighbours import candidate
from carom.solvers.exact.origin import last_moment
from carom.solvers.exact.run import NO_LOGS, Run
from carom.solvers.exact.world import World
from carom.solvers.pacing import Pace
from carom.solvers.registry import EXACT

EPOCH = 64  # events per ball between two moves of the origin of time
LEAST_EPOCH = 4096
CROSSINGS = 64  # or the time in which the fastest ball crosses the region so often (`loop.is_over`)
NEVER = float(np.finfo(np.float64).max)
ORDERED = 5_000  # balls from which they are kept in order along a curve, so that neighbours lie side by side
REORDER = 4  # epochs after which they are put in order again
LEAST_SLICE = 1024.0  # entries of the calendar that the first slice of a run looks at


def _nobody_listens() -> None:
    """What is called after each slice, if nobody says."""


class Engine(Run, memory.Twinned):
    """A run of the exact solver: owns the state of its world while it lives."""

    card = EXACT
    patience = np.inf
    """It knows whether there will be another collision."""
    index: Index

    def __init__(self, world: World, mode: str = "auto", state: Mapping[str, NDArray[Any]] | None = None) -> None:
        super().__init__(world)
        self.mode = mode
        self.scribe = Scribe()
        self.pace = Pace(LEAST_SLICE)
        self.whole = True
        """Is nothing half done at present, so that the state can be read, and the run can go on?"""
        if state is not None:
            self.take_state(state)
        self._build()
        if self.balls.size and not world.epoch_end:
            self._say_when_the_epoch_ends()

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle has: nobody writes down what happens to it."""
        clock = self.clock.copy()
        clock["noted"] = -1
        return {**self.__dict__, "clock": clock}

    def __deepcopy__(self, memo: dict[int, Any]) -> Engine:
        """A copy that is as fast, and that nobody writes down."""
        other: Engine = super().__deepcopy__(memo)
        other.clock["noted"] = -1
        return other

    # Building.

    def _build(self) -> None:
        """Make the bodies from the anchors, and every index anew."""
        world, anchors, clock = self.world, self.world.anchors, self.clock
        movers = np.flatnonzero(~anchors.fixed)
        if movers.size > ORDERED:
            movers = movers[memory.curve_order(anchors.place[movers, : world.dimension])]
        if movers.size > candidate.MOST:
            raise SceneError.of("exact.too-many-balls", where="balls", count=movers.size, most=candidate.MOST)
        self.pack(movers)
        self.index = Index(self)
        clock["epoch"] = max(EPOCH * movers.size, LEAST_EPOCH)
        clock["events"], clock["now"] = world.events, world.now
        self._find_neighbours()
        clock["epoch_end"] = world.epoch_end

    def _find_neighbours(self) -> None:
        """Build the index from the bodies."""
        if self.balls.size:
            self.index.look_around(self, self.mode)
            self._call(np.inf, NO_LOGS, afresh=True)
            self.index.guess_width(self)
            self.index.file(self)

    # Running.

    def advance(
        self, until: float, quota: int, logs: NDArray[Any], reach: Callable[[], object] = _nobody_listens
    ) -> bool:
        """Run to an absolute time, or until so many more collisions are done and there is another; True if so.

        The collisions are written into `logs` as far as it has room. It runs in slices, and calls `reach` after each.
        """
        if not self.balls.size:
            self.scribe.tell(self, until)
            return False
        self.clock["logged"] = 0
        target = self.collisions + quota if quota > 0 else quota
        while True:
            self.whole = False
            with defer_interrupts():
                reason = self._slice(until, target, logs)
                self.whole = True
            if reason != loop.PAUSE:
                return reason == loop.READY
            reach()

    def _slice(self, until: float, target: int, logs: NDArray[Any]) -> int:
        """Run for about a tenth of a second at most; says why it stopped. Nothing is half done then."""
        clock = self.clock
        told, began = int(clock["logged"][0]), perf_counter()
        clock["left"] = self.pace.whole
        while True:
            clock["quota"] = target - self.collisions if target > 0 else target
            reason = self._call(until, logs, afresh=False)
            self.scribe.tell(self, until if reason == loop.LIMIT else np.inf)
            if logs.size:
                fresh = logs["time"][told : int(clock["logged"][0])]
                fresh[:] = self.absolute(fresh)
                told += fresh.size
            if reason == loop.FULL:
                self.scribe.turn_page(self)
                continue
            if reason in (loop.LIMIT, loop.READY, loop.PAUSE):
                self.pace.learn(perf_counter() - began, full=reason == loop.PAUSE)
                return reason
            self._refresh(epoch=reason == loop.EPOCH)
            if reason == loop.IDLE:
                clock["idle"] = 0
                return reason
            if reason == loop.STACK:
                culprits = [int(k) for k in (clock["culprit_a"][0], clock["culprit_b"][0]) if k != NONE]
                raise StackError(culprits, self.time)
            if reason == loop.ENDLESS:
                raise EndlessError(self.time, loop.MAX_STILL)

    def _call(self, until: float, logs: NDArray[Any], *, afresh: bool) -> int:
        """Call the main loop."""
        index, log = self.index, Log(logs, self.scribe.notes)
        self.clock["limit"] = last_moment(self.world.origin, until)
        return int(
            loop.advance(
                self.bodies, self.world.rules, index.hood, index.sight, index.calendar, self.clock, log, afresh
            )
        )

    def _refresh(self, *, epoch: bool) -> None:
        """The loop came back in the middle of an event: predict everything afresh, in a new epoch if one is over."""
        if epoch:
            self._move_origin()
        if epoch and self.balls.size > ORDERED and self.epochs % REORDER == 0:
            self.store()
            self._build()
        elif self.clock["crowded"][0]:
            self._find_neighbours()
        else:
            self._call(np.inf, NO_LOGS, afresh=True)
            self.index.file(self)
        self.clock["crowded"] = 0
        if epoch:
            self.scribe.turn_page(self)

    def _move_origin(self) -> None:
        """Move the origin of time to the last event; it is kept as the sum of two floats, so that nothing is lost."""
        shift = float(self.clock["now"][0])
        loop.rebase(self.balls, self.clock, shift)
        high, low = self.world.origin
        total = high + shift
        lost = (high - (total - (total - high))) + (shift - (total - high))
        self.world.origin = (total, low + lost)
        self._say_when_the_epoch_ends()
        self.epochs += 1

    def _say_when_the_epoch_ends(self) -> None:
        """Set the time at which the epoch that begins now ends at the latest.

        It follows from the scene and the anchors alone, so that no way to find neighbours changes a bit.
        """
        world, balls = self.world, self.balls
        now = float(self.clock["now"][0])
        extent = world.extent or _extent(self.places_after_origin(now))
        fastest = float(((balls["vx"] ** 2 + balls["vy"] ** 2) + balls["vz"] ** 2).max())
        if world.gravity:
            fastest += 2.0 * numerics.length(world.gravity) * extent
        crossing = extent / np.sqrt(fastest) if fastest > 0.0 else NEVER
        self._end_the_epoch_at(float(min(now + CROSSINGS * crossing, NEVER)))

    def _end_the_epoch_at(self, end: float) -> None:
        self.world.epoch_end = end
        self.clock["epoch_end"] = end

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state of a run of the same scene; a `SolverError` if it does not fit."""
        self.take_state(state)
        self._build()
        self.scribe.turn_page(self, self.time)

    def beside(self, state: Mapping[str, NDArray[Any]]) -> Engine:
        """Another run of the same scene, from a state of its own."""
        anchors = self.world.anchors
        own = replace(anchors, **{name: getattr(anchors, name).copy() for name in MOVING})
        return Engine(replace(self.world, anchors=own, counts={}), self.mode, state)

    # Remembering.

    @property
    def histories(self) -> tuple[History, ...]:
        """Those in which what happens is written down."""
        return self.scribe.histories

    def remember(self, history: History) -> None:
        """Write down in a history, from now on, all that happens."""
        self.scribe.remember(self, history)

    def forget(self, history: History) -> None:
        """Write nothing down in it any more."""
        self.scribe.forget(self, history)

    # Asking.

    def room(self, collisions: int) -> int:
        """How long a log must be for so many collisions."""
        return collisions

    def part(self, now: float, size: float) -> tuple[float, int]:  # noqa: ARG002  # by collisions alone
        """The end of a part of a run, in time and in collisions, for reports of progress on the way."""
        return np.inf, int(1000 * size)

    def next_together(self) -> NDArray[Any]:
        """The next collisions, all that fall together, without moving any anchor."""
        if not self.balls.size:
            return NO_LOGS
        twin = self
        if self.advance(np.inf, 0, NO_LOGS) and not collides_next(self.balls[self.index.calendar.balls[0]]):
            twin = copy.deepcopy(self)  # a seam comes first: cross it on a copy
        if not twin.advance(np.inf, -1 if twin is not self else 0, NO_LOGS):
            return NO_LOGS
        return simultaneous(twin)

    def surviving(self, scene: Scene) -> Scene:
        """The scene itself: there are no links that could break."""
        return scene

    def edited(self, scene: Scene, origin: NDArray[np.intp], now: float, *, around: bool) -> Engine:
        """A run that goes on from here with another scene; `origin` is each ball's number before, or -1."""
        world, t = self.store(), self.relative(now)
        places, velocities = self.places(now), self.velocities(now)
        other = Engine(carried(world, scene, origin, t, places, velocities, around=around), self.mode)
        if other.balls.size and ((origin < 0).any() or world.epoch_end == NEVER):
            other._say_when_the_epoch_ends()  # of this class
            other._end_the_epoch_at(min(world.epoch_end or NEVER, other.world.epoch_end))  # as above
        for history in self.histories:
            history.open_chapter(scene)
        other.scribe.histories = self.histories
        self.scribe.stop(self)
        other.scribe.turn_page(other, now)
        other.scribe.tell(other, now)
        return other


def _extent(places: NDArray[np.float64]) -> float:
    """The largest distance of two places along an axis, m."""
    return float((places.max(axis=0) - places.min(axis=0)).max())
