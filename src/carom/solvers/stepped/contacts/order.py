"""What came first within a step, another ball or a wall?

Balls meet each other first, on paths as if no wall were in the way. Where a wall was, and was met before the other
ball, it must act first: or balls would hit each other through thin walls, and be found beyond them.

`since` says where each body is in this, as a time before the end of the step:

    dt          it has met nothing: its path is that of the whole step
    0 < τ < dt  it met a ball at τ, where its path begins; from there on it has not looked for walls yet
    -τ <= 0     it has looked for walls, and met the last one at τ

Where it is not dt, `begin` has the place at which the step began: free for sure, if nothing else is.
"""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.stepped.contacts.logs import book_wall_contacts
from carom.solvers.stepped.regions.clearance import is_free
from carom.solvers.stepped.regions.obstacles import meet_all, reach_of


@inline
def path_holds(since: Any, i: Index, dt: Real) -> Real:
    """How long before the end of the step the path of body i holds: not before it met a wall."""
    return dt if since[i] > 0.0 else -since[i]


@inline
def is_away(dim: Any, step: Any, walls: Any, i: Index) -> bool:
    """Are all walls out of the way of body i in this step, for sure?"""
    bodies = step.bodies
    place = bodies.place
    free = is_free(dim, walls.clearance, place[i, 0], place[i, 1], place[i, 2], reach_of(dim, bodies, i, step.dt))
    return bool(free and bodies.since[i] > 0.0)


@noinline
def meet_walls_first(dim: Any, step: Any, walls: Any, i: Index, tau: Real) -> bool:
    """Did body i meet a wall earlier than τ before the end of the step? Then it parts from that now."""
    since = step.bodies.since
    left = since[i]
    if left <= tau or not left > 0.0:
        return False
    one = np.int64(i)
    met = meet_all(dim, step.dt, walls, step.coefficients, step.bodies, one, one + 1, max(tau, 0.0))
    book_wall_contacts(step, walls, met)
    return bool(not since[i] > 0.0)
