"""`ActiveRun`: scene, solver, time and followers of a simulation, shared by its parts."""

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


class ActiveRun:
    """A scene with the solver that advances it. The parts of a simulation read and change it."""

    def __init__(
        self, scene: Scene, solver: Solver, wish: Wish, *, time: float = 0.0, identities: Identities | None = None,
        touched: bool = False,
    ) -> None:  # fmt: skip
        self.scene = scene
        self.solver = solver
        self.wish = wish
        self.time = time
        """Present time, s; at or after the time of the solver, which is that of its last collision or step."""
        self.identities = identities or Identities.of(len(scene.balls))
        self.touched = touched
        """True if a ball was pulled, driven or pushed, a force changed, or a hook added."""
        self.amid_step = False
        """True while a hook is called within a step."""
        self.recorder: Recorder | None = None
        self.measuring: MemoryFollower | None = None
        self.after_sample: Listener | None = None
        """Called after each sample, while progress is reported."""
        self.between_slices: Listener | None = None
        """Called between two slices of a long exact run, while progress is reported."""
        self._walls: tuple[Solver | None, list[str]] = (None, [])

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy: without recorder, measurement and listeners."""
        return {**self.__dict__, "recorder": None, "measuring": None, "after_sample": None, "between_slices": None}

    # Present state.

    @property
    def surviving(self) -> Scene:
        """The scene without the links that have broken."""
        return self.solver.surviving(self.scene)

    @property
    def motion(self) -> Motion:
        """Positions and velocities of all balls."""
        return Motion(self.solver.places(self.time), self.solver.velocities(self.time))

    @property
    def merges(self) -> bool:
        """True if balls that touch merge."""
        return self.scene.attraction is not None and self.scene.attraction.touch == "merge"

    @property
    def wall_names(self) -> list[str]:
        """The names of all walls, by their numbers; cached, as there may be thousands."""
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

    # Advance.

    def advance(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        """Advance to the time `end`, s, or by `quota` collisions, without a follower.

        True if it stopped before the end: the time is that of the last collision (or step). After an error or an
        interrupt the time is that of the solver, and its state can be read.
        """
        solver, before = self.solver, self.solver.collisions
        try:
            early = solver.advance(end, quota, blank_log(0) if logs is None else logs, self._pause)
        except BaseException:
            self.sync_time()
            raise
        if early or solver.collisions - before >= quota:
            self.sync_time()
            return True
        self.set_end_time(end)
        return False

    def sync_time(self) -> None:
        """Set the time to that of the solver, unless it is later already."""
        self.time = max(self.time, self.solver.time)

    def set_end_time(self, end: float) -> None:
        """Set the time to a finite end that the run has reached; else to that of the solver."""
        self.time = end if np.isfinite(end) else max(self.time, self.solver.time)

    def _pause(self) -> None:
        """Report progress between two slices of a run."""
        self.sync_time()
        if self.between_slices is not None:
            self.between_slices()

    # Followers and restrictions.

    @property
    def follower(self) -> Follower | None:
        """The recorder or the measurement of the run; None if there is none, or it is incomplete after an error."""
        follower = self.measuring or self.recorder
        return follower if follower is not None and follower.complete else None

    def note_intervention(self) -> None:
        """Note, also in a recording, that the scene alone no longer determines the run."""
        if not self.touched and self.follower is not None:
            self.follower.note_edit()
        self.touched = True

    def check_between_steps(self, what: str) -> None:
        """Refuse a change of the run within a step."""
        if self.amid_step:
            raise ArgumentError.of("hook.not-now", where=what)

    def check_unfollowed(self, what: str) -> None:
        """Refuse a second recorder or measurement."""
        if self.recorder is not None:
            raise ArgumentError.of("record.already", where=what, path=str(self.recorder.path))
        if self.measuring is not None:
            raise ArgumentError.of("record.measuring", where=what)


def blank_log(room: int) -> NDArray[Any]:
    """An empty log for `room` collisions."""
    return np.zeros(room, collision_record)
