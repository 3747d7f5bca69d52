"""Events done again, from a state and the notes of what happened: without predicting anything, to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, Real, inline, kernel
from carom.solvers.exact.balls import put
from carom.solvers.exact.events.loop import tick
from carom.solvers.exact.events.resolve import cross_seam, touch
from carom.solvers.exact.history.notes import SEAMS, decoded
from carom.solvers.exact.kinds import packed
from carom.solvers.exact.neighbours.candidate import periods
from carom.solvers.exact.run import NO_LOGS, Run
from carom.solvers.exact.state import give
from carom.solvers.exact.world import World

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


class Rerun(Run):
    """A run that only repeats: bodies of all balls of a world, in the scene's order, and no index."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.pack(np.arange(len(world.anchors)))
        self.space = Space(world.size, periods(world.size))
        self.row = 0
        """The first event that is not done."""

    def begin(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Stand where a state was taken."""
        give(self, state)
        put(self.bodies, vars(self.world.anchors), self.movers)
        self.row = 0

    def go(self, notes: NDArray[Any], count: int, limit: float) -> None:
        """Do what is written down, up to a time after the origin."""
        world, bodies = self.world, self.bodies
        self.row = int(
            replay(
                (0,) * world.dimension, bodies.balls, self.clock, self.space, world.walls.records, bodies.rest_on,
                bodies.streak, bodies.turns, world.bounce, world.wall_bounce, world.contact, world.gravity or (),
                notes, self.row, count, limit, NO_LOGS,
            )
        )  # fmt: skip
