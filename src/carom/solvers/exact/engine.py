"""The engine of the exact solver: a run that goes on, event by event."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import EndlessError, SceneError, StackError
from carom.kernels.blocks import MemoryBlock
from carom.kernels.interrupts import defer_interrupts
from carom.scene import Scene
from carom.solvers.exact.balls import MOVING
from carom.solvers.exact.edit import carried
from carom.solvers.exact.events import loop
from carom.solvers.exact.events.simultaneous import simultaneous
from carom.solvers.exact.history.history import History
from carom.solvers.exact.history.scribe import Scribe
from carom.solvers.exact.kinds import NONE, collides_next
from carom.solvers.exact.memory import curve_order
from carom.solvers.exact.neighbours import candidate
from carom.solvers.exact.neighbours.build import fill, plan
from carom.solvers.exact.run import A_TUPLE, NO_LOGS, NO_TUPLE, Run
from carom.solvers.exact.tables import INDEX
from carom.solvers.exact.world import World
from carom.solvers.pacing import Pace
from carom.solvers.registry import EXACT

EPOCH = 64  # events per ball between two moves of the origin of time
LEAST_EPOCH = 4096
MEDIUM = 4_000  # balls from which the nearest caches are too small: fetch what an opened bucket will touch
LARGE = 12_000  # balls from which memory, not arithmetic, sets the pace: fetch ahead
ORDERED = 5_000  # balls from which they are kept in order along a curve, so that neighbours lie side by side
REORDER = 4  # epochs after which they are put in order again
MODES = {"auto": 0, "cells": 1, "lists": 2}
"""How neighbours are found (`space.lists`)."""
LEAST_SLICE = 1024.0  # entries of the calendar that the first slice of a run looks at


def _nobody_listens() -> None:
    """What is called after each slice, if nobody says."""


class Engine(Run):
    """A run of the exact solver: owns the state of its world while it lives."""

    card = EXACT
    patience = np.inf
    """It knows whether there will be another collision."""
    index: MemoryBlock
    """What finds events soon (`tables.INDEX`)."""
    listed: tuple[int, ...]
    """For which way to find neighbours kernels are compiled: none for cells, one item for lists."""

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
            loop.measure_epoch(self.block.raw, self.dim, self.pulled)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle has: nobody writes down what happens to it."""
        block = self.block.copy()
        block.clock["noted"] = -1
        return {**self.__dict__, "block": block}

    # Building.

    def _build(self) -> None:
        """Make the state from the world, and the index anew."""
        anchors = self.world.anchors
        movers = np.flatnonzero(~anchors.fixed)
        if movers.size > ORDERED:
            movers = movers[curve_order(anchors.place[movers, : self.world.dimension])]
        if movers.size > candidate.MOST:
            raise SceneError.of("exact.too-many-balls", where="balls", count=movers.size, most=candidate.MOST)
        self.pack(movers)
        self.clock["epoch"] = max(EPOCH * movers.size, LEAST_EPOCH)
        self.block.space["lists"] = MODES[self.mode]
        self.block.space["reorder"] = REORDER if movers.size > ORDERED else 0
        self.ahead = (0, 0) if movers.size > LARGE else (0,) if movers.size > MEDIUM else ()
        if movers.size:
            self._find_neighbours()

    def _find_neighbours(self) -> None:
        """Build the index from the state."""
        state, grid = self.block.raw, INDEX.make({"grid": (1,)})
        self.listed = A_TUPLE if plan(state, grid.raw, self.dim, self.pulled) else NO_TUPLE
        self.index = grid.laid_out("grid")
        while not fill(state, self.index.raw, self.dim, self.pulled, self.listed):
            self.index = self.index.laid_out("grid")

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
        self.clock["logged"] = self.clock["told"] = 0
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
        clock, began = self.clock, perf_counter()
        clock["left"] = self.pace.whole
        while True:
            clock["quota"] = target - self.collisions if target > 0 else target
            variant = (self.dim, self.pulled, self.listed, self.ahead)
            reason = loop.advance(self.block.raw, self.index.raw, logs, self.scribe.notes, until, variant)
            self.scribe.tell(self, until if reason == loop.LIMIT else np.inf)
            if reason in (loop.LIMIT, loop.READY, loop.PAUSE):
                self.pace.learn(perf_counter() - began, full=reason == loop.PAUSE)
                return reason
            clock = self._mend(reason)
            if reason == loop.IDLE:
                clock["idle"] = 0
                return reason
            if reason == loop.STACK:
                culprits = [int(k) for k in (clock["culprit_a"][0], clock["culprit_b"][0]) if k != NONE]
                raise StackError(culprits, self.time)
            if reason == loop.ENDLESS:
                raise EndlessError(self.time, loop.MAX_STILL)

    def _mend(self, reason: int) -> NDArray[Any]:
        """Do what kernels cannot: get more memory, put the balls in order, turn the page of a history."""
        if reason == loop.EPOCH and self._is_disordered:
            logged, left = self.clock["logged"].copy(), self.clock["left"].copy()
            self.store()
            self._build()
            self.clock["logged"] = self.clock["told"] = logged
            self.clock["left"] = left
        elif self.clock["crowded"][0]:
            self.clock["crowded"] = 0
            self._find_neighbours()
        if reason in (loop.EPOCH, loop.FULL):
            self.scribe.turn_page(self)
        return self.clock

    @property
    def _is_disordered(self) -> bool:
        """Are the balls to be put in order along a curve again (`loop.is_disordered`)?"""
        space = self.block.space[0]
        return bool(space["reorder"] and space["epochs"] % space["reorder"] == 0)

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
        if self.advance(np.inf, 0, NO_LOGS) and not collides_next(self.balls[self.index.heap_balls[0]]):
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
        if other.balls.size and ((origin < 0).any() or world.epoch_end == loop.NEVER):
            loop.measure_epoch(other.block.raw, other.dim, other.pulled)
            clock = other.clock
            clock["epoch_end"] = np.minimum(world.epoch_end or loop.NEVER, clock["epoch_end"])
        for history in self.histories:
            history.open_chapter(scene)
        other.scribe.histories = self.histories
        self.scribe.stop(self)
        other.scribe.turn_page(other, now)
        other.scribe.tell(other, now)
        return other
