"""Events done again, from a state and the notes of what happened: without predicting anything, to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, Real, inline, kernel
from carom.solvers.collision_record import collision_record
from carom.solvers.exact import positions
from carom.solvers.exact.events.loop import tick
from carom.solvers.exact.events.resolve import cross_seam, touch
from carom.solvers.exact.history.notes import SEAMS, decoded
from carom.solvers.exact.kinds import NONE, packed
from carom.solvers.exact.memory import aligned
from carom.solvers.exact.neighbours.candidate import periods
from carom.solvers.exact.records import ball_record, clock_record
from carom.solvers.exact.state import BALLS, COUNTS, MOMENTS
from carom.solvers.exact.world import Contact, World

Floats = NDArray[np.float64]


contact_of = inline(decoded)


class Space(NamedTuple):
    """What is read of a neighbourhood when balls touch."""

    size: tuple[float, float, float]
    periods: Any


@kernel
def replay(
    dim: Any, balls: Any, clocks: Any, space: Any, walls: Any, rest_on: Any, streak: Any, turns: Any, bounce: Any,
    wall_bounce: Any, contact: Any, g: Any, notes: Any, first: Index, last: Index, limit: Real, logs: Any,
) -> int:  # fmt: skip
    """Do the events of rows `first` to `last` again, as far as a time (included); gives the first that is not done."""
    clock = clocks[0]
    for k in range(first, last):
        row = notes[np.uint64(k)]
        t = row.time
        if t > limit:
            return int(k)
        i = row.ball
        how = np.int64(row.kind)
        if how >= SEAMS:
            cross_seam(dim, space, balls, i, how - SEAMS, t, turns, rest_on, walls, g)
            clock.seams += 1
            tick(clock, t, True, 0.0)
        else:
            ball = balls[np.uint32(i)]
            kind, image = contact_of(how)
            ball.partner, ball.kind = row.partner, packed(kind, image)
            touch(
                dim, space, balls, i, kind, t, clock, walls, rest_on, streak, bounce, wall_bounce, contact, g,
                logs,
            )  # fmt: skip
            tick(clock, t, False, 0.0)
    return int(last)


class Rerun:
    """A run that only repeats: hot records of all balls of a world, in the scene's order, and no index."""

    def __init__(self, world: World) -> None:
        self.world = world
        anchors, n = world.anchors, len(world.anchors)
        self.balls = aligned(n, ball_record)
        self.balls["r"], self.balls["m"], self.balls["material"] = anchors.radius, anchors.mass, anchors.material
        self.balls["id"] = np.arange(n)
        self.rest_on = np.full(n, NONE, np.uint32)
        self.streak, self.turns = np.zeros(n, np.int32), np.zeros((n, 3), np.int64)
        self.clock = np.zeros(1, clock_record)
        self.space = Space(world.size, periods(world.size))
        self.origin, self.contact, self.epoch_end, self.epochs = (0.0, 0.0), Contact(0.0, 0.0), 0.0, 0
        self.row = 0
        """The first event that is not done."""
        self._numbers = np.arange(n)
        self._nothing = np.zeros(0, collision_record)

    def begin(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Stand where a state was taken."""
        balls = self.balls
        balls["x"], balls["y"], balls["z"] = state["place"].T
        balls["vx"], balls["vy"], balls["vz"] = state["velocity"].T
        balls["t"], balls["hit"], rests = state["time"], state["hit"], state["rest_on"] >= 0
        balls["rest"] = rests
        self.rest_on[:] = np.where(rests, state["rest_on"].astype(np.int64), NONE)  # which has room for NONE
        self.streak[:], self.turns[:] = state["streak"], state["turns"]
        moments = dict(zip(MOMENTS, state["moments"].tolist(), strict=True))
        self.origin, self.clock["now"] = (moments["origin"], moments["lost"]), moments["now"]
        self.contact, self.epoch_end = Contact(moments["contact_time"], moments["faint"]), moments["epoch_end"]
        counts = state["counts"].tolist()
        for name, count in zip(COUNTS[:-1], counts, strict=False):
            self.clock[name] = count
        self.epochs, self.row = counts[-1], 0

    def go(self, notes: NDArray[Any], count: int, limit: float) -> None:
        """Do what is written down, up to a time after the origin."""
        world = self.world
        self.row = int(
            replay(
                (0,) * world.dimension, self.balls, self.clock, self.space, world.walls.records, self.rest_on,
                self.streak, self.turns, world.bounce, world.wall_bounce, self.contact, world.gravity or (),
                notes, self.row, count, limit, self._nothing,
            )
        )  # fmt: skip

    def look(self, t: float) -> tuple[Floats, Floats]:
        """Where all balls are at a time after the origin, and how fast."""
        return positions.look(self.world, self.balls, self.rest_on, self._numbers, t)

    def state(self) -> dict[str, NDArray[Any]]:
        """As that of a run that stands here."""
        balls = self.balls
        columns: dict[str, NDArray[Any]] = {
            "place": np.stack([balls["x"], balls["y"], balls["z"]], axis=1),
            "velocity": np.stack([balls["vx"], balls["vy"], balls["vz"]], axis=1),
            "time": balls["t"].copy(),
            "hit": balls["hit"].copy(),
            "rest_on": np.where(balls["rest"] == 1, self.rest_on.astype(np.int64), -1).astype(np.int32),
            "streak": self.streak.copy(),
            "turns": self.turns.copy(),
        }
        state = {name: columns[name] for name in BALLS}
        state["moments"] = np.array([*self.origin, self.clock["now"][0], *self.contact, self.epoch_end])
        state["counts"] = np.array([*(self.clock[name][0] for name in COUNTS[:-1]), self.epochs], np.int64)
        return state
