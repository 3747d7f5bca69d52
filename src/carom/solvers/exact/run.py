"""A run as it stands: its world, its bodies and its clock, and what can be read of them at any time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.kernels.blocks import MemoryBlock
from carom.solvers.collision_record import collision_record
from carom.solvers.exact import positions, state
from carom.solvers.exact.balls import BESIDE, COLUMNS, Bodies, put, take
from carom.solvers.exact.neighbours.candidate import PERIODS, periods
from carom.solvers.exact.origin import absolute, relative
from carom.solvers.exact.tables import STATE, pack_space
from carom.solvers.exact.world import World

Floats = NDArray[np.float64]

COUNTERS: Final = ("events", "ball_ball", "ball_wall", "seams", "rests", "softened", "still", "idle")
"""Numbers of the clock that go on where a run is built anew."""
NO_LOGS: Final = np.zeros(0, collision_record)
NO_TUPLE, A_TUPLE = (), (0,)
"""What kernels are compiled for, by the length of a tuple: without something, or with it."""


class Run:
    """A world, and the state of its run as a block of memory. What moves the balls derives from this."""

    block: MemoryBlock
    """The state (`tables.STATE`)."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.dim = (0,) * world.dimension
        self.pulled = A_TUPLE if world.gravity else NO_TUPLE

    def pack(self, movers: NDArray[np.intp]) -> None:
        """Make the state from the world: its bodies are some of the balls, in this order."""
        world, n = self.world, movers.size
        shapes = {"clock": (1,), "space": (1,), "walls": world.walls.records.shape, "periods": (PERIODS,)}
        shapes |= {"bounce": world.bounce.shape, "wall_bounce": world.wall_bounce.shape}
        shapes |= {name: (n, *COLUMNS[name].shape) for name in BESIDE} | {"balls": (n,), "numbers": (n,), "still": (n,)}
        self.block = block = STATE.make(shapes)
        block.numbers[:], block.balls["id"], block.still[:] = movers, movers, world.anchors.fixed[movers]
        block.walls[:], block.bounce[:], block.wall_bounce[:] = world.walls.records, world.bounce, world.wall_bounce
        block.periods[:] = periods(world.size)
        put(self.bodies, vars(world.anchors), movers, COLUMNS)
        pack_space(world, block.space)
        clock = block.clock
        clock["now"], clock["epoch_end"], clock["noted"] = world.now, world.epoch_end, -1
        for name in COUNTERS:
            clock[name] = world.counts.get(name, 0)

    def store(self) -> World:
        """Write the state back into the world."""
        world, clock, space = self.world, self.clock[0], self.block.space[0]
        take(self.bodies, vars(world.anchors), self.movers)
        world.now, world.epoch_end = float(clock["now"]), float(clock["epoch_end"])
        world.counts = {name: int(clock[name]) for name in COUNTERS}
        world.origin, world.epochs = self.origin, int(space["epochs"])
        return world

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the run needs to go on to the same bits."""
        return state.state_of(self)

    def take_state(self, given: Mapping[str, NDArray[Any]]) -> None:
        """Give the world a state; a `SolverError` if it does not fit. The run is to be packed anew."""
        state.give(self.world, state.fitted(self.world, given))

    @property
    def clock(self) -> NDArray[Any]:
        """The numbers that change while the run goes on."""
        clock: NDArray[Any] = self.block.clock
        return clock

    @property
    def bodies(self) -> Bodies:
        """The bodies."""
        return Bodies(*(getattr(self.block, name) for name in Bodies._fields))

    @property
    def balls(self) -> NDArray[Any]:
        """The records of the bodies."""
        balls: NDArray[Any] = self.block.balls
        return balls

    @property
    def movers(self) -> NDArray[np.int64]:
        """The numbers of the bodies in the scene."""
        numbers: NDArray[np.int64] = self.block.numbers
        return numbers

    @property
    def epochs(self) -> int:
        """How often the origin of time has moved."""
        return int(self.block.space["epochs"][0])

    @property
    def origin(self) -> tuple[float, float]:
        """The origin of time, s: the sum of two."""
        space = self.block.space[0]
        return float(space["origin"]), float(space["lost"])

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
        turns[self.movers] = self.block.turns
        return turns

    @property
    def time(self) -> float:
        """Time of the last event, s."""
        return float(self.absolute(self.clock["now"][0]))

    def absolute(self, t: Any) -> Any:
        """A time, or an array of times, after the origin as an absolute one."""
        return absolute(self.origin, t)

    def relative(self, t: float) -> float:
        """An absolute time as one after the origin."""
        return relative(self.origin, t)

    # Motion. Absolute times but for those that are named after the origin; rows of all balls in the scene's order.

    @property
    def born(self) -> NDArray[np.bool_]:
        """Which balls exist already: all, as there are no births without steps."""
        return np.ones(len(self.turns), bool)

    def wall_name(self, wall: int) -> str:
        """What a wall is called."""
        return self.world.walls.name(wall)

    def look_after_origin(self, t: float) -> tuple[Floats, Floats]:
        """Places and velocities at a time after the origin: rows of all balls, of as many numbers as dimensions."""
        anchors, d = self.world.anchors, self.world.dimension
        x, v = anchors.place[:, :d].copy(), np.zeros((len(anchors), d))
        positions.read(self.block.raw, t, x, v, self.dim, self.pulled)
        return x, v

    def look(self, t: float) -> tuple[Floats, Floats]:
        """Places and velocities in one pass."""
        return self.look_after_origin(self.relative(t))

    def places(self, t: float) -> Floats:
        """Where the balls are."""
        return self._in_space(self.look(t)[0])

    def velocities(self, t: float) -> Floats:
        """How fast they are."""
        return self._in_space(self.look(t)[1])

    def accelerations(self, t: float) -> Floats:  # noqa: ARG002  # the same at all times between events
        """Gravity, or what the wall that a ball rests on leaves of it; zero for fixed balls."""
        a = np.zeros((len(self.world.anchors), 3))
        positions.accelerations(self.block.raw, a, self.dim, self.pulled)
        return a

    def _in_space(self, rows: Floats) -> Floats:
        """Rows of three numbers."""
        return rows if rows.shape[1] == 3 else np.column_stack([rows, np.zeros(len(rows))])

    def potential(self, t: float) -> dict[str, float]:
        """Potential energies, J: of gravity, zero at the origin of coordinates."""
        if self.world.gravity is None:
            return {}
        anchors = self.world.anchors
        moving = ~anchors.fixed
        height = numerics.product(self.places(t)[moving], self.world.gravity)
        return {"gravity": float(-(anchors.mass[moving] * height).sum())}
