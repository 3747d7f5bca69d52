"""A run as it stands: its world, its bodies and its clock, and what can be read of them at any time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.solvers.collision_record import collision_record
from carom.solvers.exact import memory, positions, state
from carom.solvers.exact.balls import Bodies, packed_bodies, take
from carom.solvers.exact.clock import clock_record
from carom.solvers.exact.origin import absolute, relative
from carom.solvers.exact.world import World

Floats = NDArray[np.float64]

COUNTERS: Final = ("ball_ball", "ball_wall", "seams", "rests", "softened")
NO_LOGS: Final = np.zeros(0, collision_record)


class Run:
    """A world, the bodies of some of its balls, and a clock. What moves them derives from this."""

    bodies: Bodies
    movers: NDArray[np.intp]
    """The numbers of the bodies in the scene."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.epochs = 0
        self.clock = memory.placed(1, clock_record, memory.CLOCK)
        self.clock["noted"] = -1
        for name in COUNTERS:
            self.clock[name] = world.counts.get(name, 0)

    def pack(self, movers: NDArray[np.intp]) -> None:
        """Make the bodies of some balls from their anchors."""
        self.movers = movers
        self.bodies = packed_bodies(vars(self.world.anchors), movers)

    def store(self) -> World:
        """Write the bodies back into the world's anchors."""
        take(self.bodies, vars(self.world.anchors), self.movers)
        self.world.now = float(self.clock["now"][0])
        self.world.events = int(self.clock["events"][0])
        self.world.counts = {name: int(self.clock[name][0]) for name in COUNTERS}
        return self.world

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the run needs to go on to the same bits."""
        return state.state_of(self)

    def take_state(self, given: Mapping[str, NDArray[Any]]) -> None:
        """Give world and clock a state; a `SolverError` if it does not fit. The bodies are to be packed anew."""
        state.give(self, state.fitted(self.world, given))

    @property
    def balls(self) -> NDArray[Any]:
        """The records of the bodies."""
        balls: NDArray[Any] = self.bodies.balls
        return balls

    # Counts and times.

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """Collisions so far, by kind."""
        return {"ball-ball": int(self.clock["ball_ball"][0]), "ball-wall": int(self.clock["ball_wall"][0])}

    @property
    def collisions(self) -> int:
        """Collisions so far."""
        return sum(self.collisions_by_kind.values())

    @property
    def softened(self) -> int:
        """Collisions within the contact time, so without loss."""
        return int(self.clock["softened"][0])

    @property
    def contact_time(self) -> float:
        """That time, s."""
        return self.world.contact.time

    @property
    def resting(self) -> tuple[int, ...]:
        """The balls that rest on a wall."""
        return tuple(sorted(int(k) for k in self.movers[self.balls["rest"] == 1]))

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many times each ball has gone round each axis."""
        turns = self.world.anchors.turns.copy()
        turns[self.movers] = self.bodies.turns
        return turns

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

    # Motion. Absolute times but for those that are named after the origin; rows of all balls in the scene's order.

    @property
    def born(self) -> NDArray[np.bool_]:
        """Which balls exist already: all, as there are no births without steps."""
        return np.ones(len(self.turns), bool)

    def wall_name(self, wall: int) -> str:
        """What a wall is called."""
        return self.world.walls.name(wall)

    def places_after_origin(self, t: float) -> Floats:
        """Where the bodies are at a time after the origin, in their own order."""
        return positions.places(self.world, self.bodies, t)

    def look_after_origin(self, t: float) -> tuple[Floats, Floats]:
        """Places and velocities at a time after the origin in one pass."""
        return positions.look(self.world, self.bodies, self.movers, t)

    def look(self, t: float) -> tuple[Floats, Floats]:
        """Places and velocities in one pass."""
        return self.look_after_origin(self.relative(t))

    def places(self, t: float) -> Floats:
        """Where the balls are."""
        out = self.world.anchors.place.copy()
        out[self.movers] = self.places_after_origin(self.relative(t))
        return positions.inside(self.world, out)

    def velocities(self, t: float) -> Floats:
        """How fast they are."""
        return self._spread(positions.velocities(self.world, self.bodies, self.relative(t)))

    def accelerations(self, t: float) -> Floats:  # noqa: ARG002  # the same at all times between events
        """Gravity, or what the wall that a ball rests on leaves of it."""
        return self._spread(positions.pull(self.world, self.bodies))

    def _spread(self, values: Floats) -> Floats:
        """Values of the bodies as rows of all balls; fixed ones have zero."""
        out = np.zeros_like(self.world.anchors.velocity)
        out[self.movers] = values
        return out

    def potential(self, t: float) -> dict[str, float]:
        """Potential energies, J: of gravity, zero at the origin of coordinates."""
        if self.world.gravity is None:
            return {}
        anchors = self.world.anchors
        moving = ~anchors.fixed
        height = numerics.product(self.places(t)[moving], self.world.gravity)
        return {"gravity": float(-(anchors.mass[moving] * height).sum())}
