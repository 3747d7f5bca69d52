"""Impacts among the contacts of a pile: counted, and written to the log if there is one."""

from typing import Any

import numpy as np

from carom.kernels.jit import Real, noinline
from carom.solvers.stepped.contacts.logs import BALL, NOBODY, LogRow, write
from carom.solvers.stepped.contacts.logs import CLOTH as ON_CLOTH
from carom.solvers.stepped.contacts.logs import WALL as AT_WALL
from carom.solvers.stepped.pile.memory import CLOTH, COUNT, MASS, NX, NY, NZ, PARTING, SIDE, WALL


@noinline
def count_impacts(dim: Any, t: Real, clock: Any, pile: Any, labels: Any, place: Any, logs: Any) -> None:
    """Count the contacts that were impacts in the step that ended at t; the impulse is m (u₀ + u).

    u₀ is the speed of approach, and u that of parting, which is next to nothing where it does not bounce.
    """
    side = pile.tally[SIDE]
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        row, names = pile.rows[side, k], pile.names[side, k]
        if not row[PARTING] > 0.0:
            continue
        i, other = np.uint64(names[0]), np.uint64(names[1])
        at_wall = other >= np.uint64(WALL)
        at_cloth = not at_wall and other >= np.uint64(CLOTH)
        if at_wall:
            clock.ball_wall += 1
        elif at_cloth:
            clock.ball_cloth += 1
        else:
            clock.ball_ball += 1
        if clock.logged < logs.size:
            nx, ny = row[NX], row[NY]
            nz = row[NZ] if len(dim) == 3 else 0.0
            r = place[i, 3]
            x, y, z = place[i, 0] - r * nx, place[i, 1] - r * ny, place[i, 2] - r * nz
            wall = np.uint64(labels[other - np.uint64(WALL)]) if at_wall else np.uint64(NOBODY)
            mate = np.uint64(NOBODY) if at_wall or at_cloth else other
            kind = AT_WALL if at_wall else (ON_CLOTH if at_cloth else BALL)
            impulse = row[MASS] * (pile.speeds[k] + row[PARTING])
            write(logs, clock, LogRow(t, kind, wall, i, mate, (x, y, z), (nx, ny, nz), impulse))
