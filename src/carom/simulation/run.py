"""A run as it stands: what exists, its solver, the time, and who follows it. The parts of a simulation share it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.follower import Follower, MemoryFollower
from carom.scene import Scene
from carom.simulation.edit import Motion
from carom.simulation.live_balls import BallIndex, Identities, number_of
from carom.solvers.collision_record import collision_record

if TYPE_CHECKING:
    from carom.solvers.choose import Wish
    from carom.solvers.protocol import Solver
    from carom.storage.recorder import Recorder

Listener = Callable[[], object]


class Run:
    """A scene that a solver advances, and its time; the parts of a simulation read and change it."""

    def __init__(
        self, scene: Scene, solver: Solver, wish: Wish, *, time: float = 0.0, identities: Identities | None = None,
        touched: bool = False,
    ) -> None:  # fmt: skip
        self.scene = scene
        self.solver = solver
        self.wish = wish
        self.time = time
        """Now, s: not before the time of the solver, which stands at its last collision or step."""
        self.identities = identities or Identities.of(len(scene.balls))
        self.touched = touched
        """Has anyone pulled, driven or pushed a ball, changed a force, or added a hook?"""
        self.amid_step = False
        """Is a step under way, and a hook being called?"""
        self.recorder: Recorder | None = None
        self.measuring: MemoryFollower | None = None
        self.after_sample: Listener | None = None
        """Called after each sample, while progress is told."""
        self.between_slices: Listener | None = None
        """Called between two slices of a long exact run, while progress is told."""
        self._walls: tuple[Solver | None, list[str]] = (None, [])

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: all but those who follow the run, who stay with the first."""
        return {**self.__dict__, "recorder": None, "measuring": None, "after_sample": None, "between_slices": None}

    # As it stands.

    @property
    def surviving(self) -> Scene:
        """The scene without the links that have broken."""
        return self.solver.surviving(self.scene)

    @property
    def motion(self) -> Motion:
        """Where all balls are, and how fast."""
        return Motion(self.solver.places(self.time), self.solver.velocities(self.time))

    @property
    def merges(self) -> bool:
        """Do balls that touch become one?"""
        return self.scene.attraction is not None and self.scene.attraction.touch == "merge"

    @property
    def wall_names(self) -> list[str]:
        """What all walls are called, by their numbers; kept, as there may be thousands."""
        if self._walls[0] is not self.solver:
            names: list[str] = []
            with contextlib.suppress(IndexError):
                while True:
                    names.append(self.solver.wall_name(len(names)))
            self._walls = (self.solver, names)
        return self._walls[1]

    def snapshot(self) -> Scene:
        """The present state as a scene, from which another run can start."""
        balls, d = self.scene.balls, self.scene.dimension
        now, motion = self.surviving, self.motion
        velocity = np.where(balls.fixed[:, None], 0.0, motion.velocities[:, :d])  # a fixed ball may be driven
        born = np.maximum(balls.born - self.time, 0.0)
        return now.replace(balls=balls.replace(position=motion.places[:, :d], velocity=velocity, born=born))

    def number(self, index: BallIndex) -> int:
        """The present number of a ball."""
        return number_of(self, index)

    # Going on.

    def advance(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        """Go on to a time, or for so many more collisions, with nobody who follows.

        True if it stopped before the end, so that time stands at the last collision (or step). If the solver cannot or
        may not go on, time is as far as it came, and its state can be read.
        """
        solver, before = self.solver, self.solver.collisions
        try:
            early = solver.advance(end, quota, blank_log(0) if logs is None else logs, self._pause)
        except BaseException:
            self.catch_up()
            raise
        if early or solver.collisions - before >= quota:
            self.catch_up()
            return True
        self.stand_at(end)
        return False

    def catch_up(self) -> None:
        """Let time be that of the solver, unless it is later already."""
        self.time = max(self.time, self.solver.time)

    def stand_at(self, end: float) -> None:
        """Let time be the end of a run in which nothing happened any more; else as far as the solver came."""
        self.time = end if np.isfinite(end) else max(self.time, self.solver.time)

    def _pause(self) -> None:
        """Nothing is half done: tell progress."""
        self.catch_up()
        if self.between_slices is not None:
            self.between_slices()

    # Who follows it, and what is refused meanwhile.

    @property
    def follower(self) -> Follower | None:
        """The recorder or the measurement that follows the run, unless it has missed something."""
        follower = self.measuring or self.recorder
        return follower if follower is not None and follower.complete else None

    def touch(self) -> None:
        """Note, also in a recording, that the scene alone does not tell the run any more."""
        if not self.touched and self.follower is not None:
            self.follower.note_edit()
        self.touched = True

    def check_between_steps(self, what: str) -> None:
        """Refuse what would change a run in the middle of a step."""
        if self.amid_step:
            raise ArgumentError.of("hook.not-now", where=what)

    def check_unfollowed(self, what: str) -> None:
        """Refuse a second recorder or measurement."""
        if self.recorder is not None:
            raise ArgumentError.of("record.already", where=what, path=str(self.recorder.path))
        if self.measuring is not None:
            raise ArgumentError.of("record.measuring", where=what)


def blank_log(room: int) -> NDArray[Any]:
    """A log with room for so many collisions."""
    return np.zeros(room, collision_record)
