"""Events done again, from a state and the notes of what happened: without predicting anything, to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, inline, kernel
from carom.solvers.exact.events.log import Log
from carom.solvers.exact.events.loop import tick
from carom.solvers.exact.events.resolve import cross_seam, touch
from carom.solvers.exact.history.notes import SEAMS, decoded
from carom.solvers.exact.kinds import packed
from carom.solvers.exact.run import NO_LOGS, Run
from carom.solvers.exact.state import give
from carom.solvers.exact.tables import SeamSpace, open_bodies, open_state, rules_of, size_of
from carom.solvers.exact.world import World

contact_of = inline(decoded)


@kernel
def replay(state_block: Any, notes: Any, collisions: Any, first: Index, last: Index, dim: Any, pulled: Any) -> int:
    """Do the events of rows `first` to `last` of the notes again, as far as `clock.limit` (included).

    Gives the first row that is not done.
    """
    bodies, state = open_bodies(state_block), open_state(state_block)
    rules, clock, log = rules_of(dim, pulled, state), state.clock[0], Log(collisions, notes)
    space = SeamSpace(size_of(state.space[0]), state.periods)
    for k in range(first, last):
        row = notes[np.uint64(k)]
        t = row.time
        if t > clock.limit:
            return int(k)
        i = row.ball
        how = np.int64(row.kind)
        if how >= SEAMS:
            cross_seam(bodies, rules, space, i, how - SEAMS, t)
            clock.seams += 1
            tick(clock, t, True)
        else:
            ball = bodies.balls[np.uint32(i)]
            kind, image = contact_of(how)
            ball.partner, ball.kind = row.partner, packed(kind, image)
            touch(bodies, rules, space, clock, log, i, kind, t)
            tick(clock, t, False)
    return int(last)


class Rerun(Run):
    """A run that only repeats: bodies of all balls of a world, in the scene's order, and no index."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.pack(np.arange(len(world.anchors)))
        self.row = 0
        """The first event that is not done."""

    def begin(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Stand where a state was taken."""
        give(self.world, state)
        self.pack(np.arange(len(self.world.anchors)))
        self.row = 0

    def go(self, notes: NDArray[Any], count: int, limit: float) -> None:
        """Do what is written down, up to a time after the origin."""
        self.clock["limit"] = limit
        self.row = int(replay(self.block.raw, notes, NO_LOGS, self.row, count, self.dim, self.pulled))
