"""The engine: hot records and indices built from a world, and the ways to run them."""

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
from carom.solvers.collision_record import collision_record
from carom.solvers.exact import memory, positions
from carom.solvers.exact import state as stored
from carom.solvers.exact.edit import carried
from carom.solvers.exact.events import calendar, loop
from carom.solvers.exact.events.predict import Sight
from carom.solvers.exact.events.simultaneous import simultaneous
from carom.solvers.exact.history.history import History, Page
from carom.solvers.exact.history.notes import note_record
from carom.solvers.exact.kinds import NONE, collides_next
from carom.solvers.exact.neighbours import candidate
from carom.solvers.exact.neighbours.build import Region, build
from carom.solvers.exact.neighbours.cells import Cells
from carom.solvers.exact.origin import absolute, last_moment, relative
from carom.solvers.exact.records import ball_record, clock_record
from carom.solvers.exact.wall_table import wall_bounds
from carom.solvers.exact.world import World
from carom.solvers.pacing import Pace

Floats = NDArray[np.float64]

EPOCH = 64  # events per ball between two moves of the origin of time
LEAST_EPOCH = 4096
CROSSINGS = 64  # or the time in which the fastest ball crosses the region so often (`loop.is_over`)
NEVER = float(np.finfo(np.float64).max)
ORDERED = 5_000  # balls from which they are kept in order along a curve, so that neighbours lie side by side
REORDER = 4  # epochs after which they are put in order again
MEDIUM = 4_000  # balls from which the nearest caches are too small: fetch what an opened bucket will touch
LARGE = 12_000  # balls from which memory, not arithmetic, sets the pace: fetch ahead
QUEUE, LARGE_QUEUE = 1, 0.25  # buckets of the calendar a ball, at least; few enough to stay in the cache
LEAST_SLICE = 1024.0  # entries of the calendar that the first slice of a run looks at

COUNTERS = ("ball_ball", "ball_wall", "seams", "rests", "softened")


def _nobody_listens() -> None:
    """What is called after each slice, if nobody says."""


class Engine:
    """A run of the exact solver: owns the state of its world while it lives."""

    name = "exact"

    def __init__(self, world: World, mode: str = "auto", state: Mapping[str, NDArray[Any]] | None = None) -> None:
        self.world = world
        self.mode = mode
        self.epochs = 0
        self.histories: tuple[History, ...] = ()
        self.page: Page | None = None
        self.pace = Pace(LEAST_SLICE)
        self.whole = True
        """Is nothing half done at present, so that the state can be read, and the run can go on?"""
        self._no_logs = np.zeros(0, collision_record)
        self._no_notes = np.zeros(0, note_record)
        self.clock = memory.placed(1, clock_record, memory.CLOCK)
        self.clock["noted"] = -1
        for name in COUNTERS:
            self.clock[name] = world.counts.get(name, 0)
        if state is not None:
            stored.take(self, state)
        self._pack()
        if self.balls.size and not world.epoch_end:
            self._say_when_the_epoch_ends()

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle has: all but the histories, which are of this run."""
        clock = self.clock.copy()
        clock["noted"] = -1
        return {**self.__dict__, "clock": clock, "histories": (), "page": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> Engine:
        """A copy, without histories, that is as fast: its arrays stand in memory as these do."""
        other = memo[id(self)] = object.__new__(Engine)
        own = {**self.__dict__, "histories": (), "page": None}
        other.__dict__.update({name: memory.twin(each, memo) for name, each in own.items()})
        other.clock["noted"] = -1
        return other

    # Building.

    def _pack(self) -> None:
        """Make the hot records of all movers from the anchors, and every index anew."""
        world, anchors = self.world, self.world.anchors
        movers = np.flatnonzero(~anchors.fixed)
        if movers.size > ORDERED:
            movers = movers[memory.curve_order(anchors.place[movers, : world.dimension])]
        self.movers = movers
        n = movers.size
        if n > candidate.MOST:
            raise SceneError.of("exact.too-many-balls", where="balls", count=n, most=candidate.MOST)
        balls = memory.aligned(n, ball_record)
        balls["x"], balls["y"], balls["z"] = anchors.place[movers].T
        balls["vx"], balls["vy"], balls["vz"] = anchors.velocity[movers].T
        for ours, theirs in (("t", "time"), ("r", "radius"), ("m", "mass"), ("hit", "hit"), ("material", "material")):
            balls[ours] = getattr(anchors, theirs)[movers]
        balls["id"] = movers
        balls["rest"] = anchors.rest_on[movers] >= 0
        self.balls = balls
        wall = anchors.rest_on[movers].astype(np.int64)  # which has room for NONE
        self.rest_on = np.where(wall >= 0, wall, NONE).astype(np.uint32)
        self.streak = anchors.streak[movers].copy()
        self.heap_t = memory.placed(2 * n + 64, np.float64, memory.HEAP_TIMES)
        self.heap_i = memory.placed(2 * n + 64, np.uint32, memory.HEAP_BALLS)
        buckets = 1 << max(4, int((LARGE_QUEUE if n > LARGE else QUEUE) * n).bit_length())
        self.blocks = memory.aligned((buckets + n // 3 + 64) * 8, np.uint32)
        self.clock["buckets"] = buckets
        self.clock["width"] = 1.0  # until there are events to tell a better one
        self.clock["epoch"] = max(EPOCH * n, LEAST_EPOCH)
        self.clock["events"] = world.events
        self.clock["now"] = world.now
        self._index()
        self.clock["epoch_end"] = world.epoch_end

    def _index(self) -> None:
        """Build the neighbourhood and the calendar from the hot records."""
        if not self.balls.size:
            return
        world = self.world
        places = self.places_after_origin(float(self.clock["now"][0]))
        # A ball that flies away would have to renew its list for ever; but the outermost cells reach to infinity.
        mode = self.mode if world.bounded else "cells"
        self.hood = build(self._region(places), self.balls, self.clock, places, world.walls.records, mode)
        room = self._most_seen() + 64
        self.sight = Sight(
            memory.two_rows(room, np.uint32, memory.FOUND),
            memory.two_rows(room, np.float64, memory.TIMES),
            memory.placed(2, np.int64, memory.COUNTS),
        )
        self._predict()
        self._guess_width()
        self._begin_calendar()

    def _most_seen(self) -> int:
        """How many balls another may see at once; three images along a periodic axis of less than three cells."""
        if not isinstance(self.hood, Cells):
            return int(self.hood.longest)
        narrow = [around and cells < 3 for around, cells in zip(self.world.periodic, self.hood.shape, strict=True)]
        return int(self.balls.size * 3 ** sum(narrow))

    def _region(self, places: Floats) -> Region:
        """What the grid is to cover: the box, or all balls and walls there are."""
        world = self.world
        low, high = wall_bounds(world.walls.records)
        reach = float(self.balls["r"].max())
        low, high = np.minimum(low - reach, places.min(axis=0)), np.maximum(high + reach, places.max(axis=0))
        faces = world.walls.records[world.walls.records["kind"] == 0]
        for axis in range(3):
            if world.periodic[axis] or np.any(faces[f"n{'xyz'[axis]}"] != 0.0):
                low[axis], high[axis] = 0.0, world.size[axis]
        size = high - low
        # A region without extent (balls in a row, or a single one) still needs cells of some size.
        widest = float(size[: world.dimension].max()) or 2.0 * reach or 1.0
        size = np.maximum(size, 1e-3 * widest + 2.0 * reach)
        size[world.dimension :] = 1.0
        low[world.dimension :] = 0.0
        for axis in range(world.dimension):
            if world.periodic[axis]:
                size[axis] = world.size[axis]
        return Region(world.dimension, tuple(low.tolist()), tuple(size.tolist()), world.periodic, world.size)

    def _predict(self) -> None:
        """Predict every event afresh."""
        self._call(np.inf, self._no_logs, afresh=True)

    def _guess_width(self) -> None:
        """Guess the width of a bucket from the first events; each turn of the calendar will mend it."""
        clock, times = self.clock, self.balls["te"]
        ahead = np.sort(times[np.isfinite(times)])
        if ahead.size:
            k = min(ahead.size - 1, ahead.size // 5 + 1)
            wait = float(ahead[k] - clock["now"][0]) / (k + 1)
            clock["width"] = 2.0 ** np.clip(np.round(np.log2(2.0 * wait)), -900, 900) if wait > 0.0 else 2.0**-30

    def _begin_calendar(self) -> None:
        """File every event in an empty calendar."""
        self.clock["looked"] = 0
        self.clock["bucket"] = -1
        calendar.turn(self.balls, self.heap_t, self.heap_i, self.blocks, self.clock[0])

    # What kernels are called with.

    @property
    def dim(self) -> tuple[int, ...]:
        """A tuple as long as there are dimensions: kernels are compiled for its length."""
        return (0,) * self.world.dimension

    @property
    def ahead(self) -> tuple[int, ...]:
        """How far ahead memory is asked for, as a length: kernels are compiled for it.

        Hardly at all; of the bucket that is opened, where the nearest cache has not room for all; some buckets ahead.
        """
        return (0, 0) if self.balls.size > LARGE else (0,) if self.balls.size > MEDIUM else ()

    @property
    def gravity(self) -> tuple[float, ...]:
        """Gravity by component; empty, and not zero, where there is none: kernels are compiled for its length."""
        return self.world.gravity or ()

    @property
    def walls(self) -> NDArray[Any]:
        """The table of walls."""
        return self.world.walls.records

    # Running.

    def advance(
        self, until: float, quota: int, logs: NDArray[Any], reach: Callable[[], object] = _nobody_listens
    ) -> bool:
        """Run to an absolute time, or until so many more collisions are done and there is another; True if so.

        The collisions are written into `logs` as far as it has room. It runs in slices, and calls `reach` after each.
        """
        if not self.balls.size:
            self._tell(until)
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
            self._tell(until if reason == loop.LIMIT else np.inf)
            if logs.size:
                fresh = logs["time"][told : int(clock["logged"][0])]
                fresh[:] = self.absolute(fresh)
                told += fresh.size
            if reason == loop.FULL:
                self._turn_page()
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
                raise EndlessError(self.time, loop.STILL)

    def _call(self, until: float, logs: NDArray[Any], *, afresh: bool) -> int:
        """Call the main loop."""
        world = self.world
        notes = self.page.notes if self.page else self._no_notes
        return int(
            loop.advance(
                self.dim, self.balls, self.clock, self.heap_t, self.heap_i, self.blocks, self.hood, self.walls,
                self.rest_on, self.streak, self.turns, world.bounce, world.wall_bounce, world.contact,
                self.gravity, self.sight, logs, notes, last_moment(world.origin, until), afresh, self.ahead,
            )
        )  # fmt: skip

    def _refresh(self, *, epoch: bool) -> None:
        """The loop came back in the middle of an event: predict everything afresh, in a new epoch if one is over."""
        if epoch:
            self._move_origin()
        if epoch and self.balls.size > ORDERED and self.epochs % REORDER == 0:
            self.store()
            self._pack()
        elif self.clock["crowded"][0]:
            self._index()
        else:
            self._predict()
            self._begin_calendar()
        self.clock["crowded"] = 0
        if epoch and self.page:
            self._turn_page()

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

    def store(self) -> World:
        """Write the hot records back into the world's anchors."""
        anchors, balls, movers = self.world.anchors, self.balls, self.movers
        for axis, (x, v) in enumerate((("x", "vx"), ("y", "vy"), ("z", "vz"))):
            anchors.place[movers, axis] = balls[x]
            anchors.velocity[movers, axis] = balls[v]
        anchors.time[movers] = balls["t"]
        anchors.hit[movers] = balls["hit"]
        anchors.streak[movers] = self.streak
        anchors.rest_on[movers] = np.where(balls["rest"] == 1, self.rest_on.astype(np.int64), -1)
        self.world.now = float(self.clock["now"][0])
        self.world.events = int(self.clock["events"][0])
        self.world.counts = {name: int(self.clock[name][0]) for name in COUNTERS}
        return self.world

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the run needs to go on to the same bits."""
        return stored.state_of(self)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state of a run of the same scene; a `SolverError` if it does not fit."""
        stored.take(self, state)
        self._pack()
        if self.balls.size and not self.world.epoch_end:
            self._say_when_the_epoch_ends()
        if self.page:
            self._turn_page(self.time)

    def beside(self, state: Mapping[str, NDArray[Any]]) -> Engine:
        """Another run of the same scene, from a state of its own."""
        anchors = self.world.anchors
        own = replace(anchors, **{name: getattr(anchors, name).copy() for name in stored.BALLS})
        return Engine(replace(self.world, anchors=own, counts={}), self.mode, state)

    # Remembering.

    def remember(self, history: History) -> None:
        """Write down in a history, from now on, all that happens."""
        self.histories = (*self.histories, history)
        self._turn_page(self.time)
        self._tell(self.time)

    def forget(self, history: History) -> None:
        """Write nothing down in it any more."""
        self.histories = tuple(each for each in self.histories if each is not history)
        if not self.histories:
            self.page, self.clock["noted"] = None, -1

    def _turn_page(self, since: float = -np.inf) -> None:
        """Begin a new page of all histories with the present state; it counts from a time, or where the last ends."""
        room = max(stored.PAGE * self.balls.size, stored.LEAST_PAGE)
        self.page = Page(stored.state_of(self), np.empty(room, note_record), since)
        self.clock["noted"] = 0
        for history in self.histories:
            history.add(self.page)

    def _tell(self, until: float) -> None:
        """Tell the histories how far the run has come."""
        if self.page:
            self.page.count = int(self.clock["noted"][0])
            for history in self.histories:
                history.reaches(until if np.isfinite(until) else self.time)

    # Asking.

    def room(self, collisions: int) -> int:
        """How long a log must be for so many collisions."""
        return collisions

    def part(self, now: float, size: float) -> tuple[float, int]:  # noqa: ARG002  # by collisions alone
        """The end of a part of a run, in time and in collisions, for reports of progress on the way."""
        return np.inf, int(1000 * size)

    patience = np.inf
    """It knows whether there will be another collision."""

    def next_together(self) -> NDArray[Any]:
        """The next collisions, all that fall together, without moving any anchor."""
        if not self.balls.size:
            return self._no_logs
        nothing = self._no_logs
        twin = self
        if self.advance(np.inf, 0, nothing) and not self._next_is_collision():
            twin = copy.deepcopy(self)  # a seam comes first: cross it on a copy
        if not twin.advance(np.inf, -1 if twin is not self else 0, nothing):
            return nothing
        return simultaneous(twin)

    def _next_is_collision(self) -> bool:
        return collides_next(self.balls[int(self.heap_i[0])])

    def surviving(self, scene: Scene) -> Scene:
        """The scene itself: there are no links that could break."""
        return scene

    def accelerations(self, t: float) -> Floats:  # noqa: ARG002  # the same at all times between events
        """Gravity, or what the wall that a ball rests on leaves of it, for all balls of the scene."""
        out = np.zeros_like(self.world.anchors.velocity)
        if self.balls.size:
            out[self.movers] = self.pull()
        return out

    def edited(self, scene: Scene, origin: NDArray[np.intp], now: float, *, around: bool) -> Engine:
        """A run that goes on from here with another scene; `origin` is each ball's number before, or -1."""
        world, t = self.store(), self.relative(now)
        places, velocities = self.places(now), self.velocities(now)
        other = Engine(carried(world, scene, origin, t, places, velocities, around=around), self.mode)
        if other.balls.size and ((origin < 0).any() or world.epoch_end == NEVER):
            other._say_when_the_epoch_ends()  # of this class
            other._end_the_epoch_at(min(world.epoch_end or NEVER, other.world.epoch_end))  # as above
        if self.histories:
            for history in self.histories:
                history.open_chapter(scene)
            other.histories, self.histories = self.histories, ()
            self.page, self.clock["noted"] = None, -1
            other._turn_page(now)
            other._tell(now)
        return other

    # Reading.

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """Collisions so far, by kind."""
        return {"ball-ball": int(self.clock["ball_ball"][0]), "ball-wall": int(self.clock["ball_wall"][0])}

    @property
    def resting(self) -> tuple[int, ...]:
        """The balls that rest on a wall."""
        return tuple(sorted(int(k) for k in self.movers[self.balls["rest"] == 1]))

    @property
    def softened(self) -> int:
        """Collisions within the contact time, so without loss."""
        return int(self.clock["softened"][0])

    @property
    def contact_time(self) -> float:
        """That time, s."""
        return self.world.contact.time

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many times each ball has gone round each axis."""
        return self.world.anchors.turns

    def wall_name(self, wall: int) -> str:
        """What a wall is called."""
        return self.world.walls.name(wall)

    def potential(self, t: float) -> dict[str, float]:
        """Potential energies at an absolute time, J: of gravity, zero at the origin of coordinates."""
        if self.world.gravity is None:
            return {}
        anchors = self.world.anchors
        moving = ~anchors.fixed
        return {
            "gravity": float(
                -(anchors.mass[moving] * numerics.product(self.places(t)[moving], self.world.gravity)).sum()
            )
        }

    @property
    def collisions(self) -> int:
        """Collisions so far."""
        return int(self.clock["ball_ball"][0] + self.clock["ball_wall"][0])

    @property
    def time(self) -> float:
        """Time of the last event, s."""
        return float(self.absolute(self.clock["now"][0]))

    def absolute(self, t: Any) -> Any:
        """A time, or an array of times, after the origin as an absolute one."""
        return absolute(self.world.origin, t)

    def relative(self, t: float) -> float:
        """An absolute time as one after the origin."""
        return relative(self.world.origin, t)

    def pull(self) -> Floats:
        """The acceleration of each mover."""
        return positions.pull(self.world, self.balls, self.rest_on)

    def places_after_origin(self, t: float) -> Floats:
        """Where the movers are at a time after the origin, in the order of the records."""
        return positions.places(self.world, self.balls, self.rest_on, t)

    def places(self, t: float) -> Floats:
        """Where all balls of the scene are at an absolute time, in the scene's order."""
        out = self.world.anchors.place.copy()
        if self.balls.size:
            out[self.movers] = self.places_after_origin(self.relative(t))
        return positions.inside(self.world, out)

    def velocities(self, t: float) -> Floats:
        """The velocities of all balls of the scene at an absolute time."""
        out = np.zeros_like(self.world.anchors.velocity)
        if self.balls.size:
            out[self.movers] = positions.velocities(self.world, self.balls, self.rest_on, self.relative(t))
        return out

    def look(self, t: float) -> tuple[Floats, Floats]:
        """Places and velocities at an absolute time in one pass."""
        return positions.look(self.world, self.balls, self.rest_on, self.movers, self.relative(t))


def _extent(places: Floats) -> float:
    """The largest distance of two places along an axis, m."""
    return float((places.max(axis=0) - places.min(axis=0)).max())
