"""What came first within a step, another ball or what is forbidden?

Balls meet each other first, on paths as if no wall were in the way. Where a wall was, and was met before the other
ball, it must act first: or balls would hit each other through thin walls, and be found beyond them.

`since` says of each body how long before the end of the step the path begins that it is on: dt for the whole step, or τ
when it met a ball then. Walls are met from there on. When it has met its walls already, it is minus the τ of the last
of those contacts. Where it is not dt, `begin` has the place at which the step began: free for sure, if nothing else is.
"""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.stepped.contacts.logs import copy_notes
from carom.solvers.stepped.regions.clearance import is_free
from carom.solvers.stepped.regions.obstacles import meet_all, reach_of


@inline
def valid(since: Any, i: Index, dt: Real) -> Real:
    """How long before the end of the step the path of body i holds: not before it met a wall."""
    return dt if since[i] > 0.0 else -since[i]


@inline
def is_away(dim: Any, dt: Real, i: Index, bodies: Any, walls: Any) -> bool:
    """Is everything forbidden out of the way of body i in this step, for sure?"""
    place = bodies.place
    reach = reach_of(dim, place, bodies.velocity, bodies.accel, i, dt)
    free = is_free(dim, walls.clearance, place[i, 0], place[i, 1], place[i, 2], reach)
    return bool(free and bodies.since[i] > 0.0)


@noinline
def walls_first(
    dim: Any, t: Real, dt: Real, i: Index, tau: Real, clock: Any, bodies: Any, setting: Any, walls: Any, logs: Any
) -> bool:
    """Did body i meet what is forbidden earlier than τ before the end of the step? Then it parts from that now."""
    left = bodies.since[i]
    if left <= tau or not left > 0.0:
        return False
    bounced, rubbed, contacts = meet_all(
        dim, walls.regions, walls.edges, walls.clearance,
        setting.wall_bounce, setting.wall_static, setting.wall_dynamic,
        bodies.place, bodies.velocity, bodies.accel, setting.material, np.int64(i), np.int64(i) + 1, dt, bodies.since,
        bodies.begin, max(tau, 0.0), walls.notes,
    )  # fmt: skip
    clock.restitution += bounced
    clock.friction += rubbed
    clock.ball_wall += contacts
    copy_notes(walls, min(contacts, walls.notes.size), t + dt, clock, bodies.place, logs)
    return bool(not bodies.since[i] > 0.0)
