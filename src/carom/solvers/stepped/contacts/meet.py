"""All contacts within a step: of balls with each other, of balls with cloth, of all bodies with walls.

Walls come last, so that no body ends a step inside one.
"""

from typing import Any

import numpy as np

from carom.kernels.jit import inline
from carom.solvers.stepped.bundles import StepState
from carom.solvers.stepped.contacts.logs import book_wall_contacts
from carom.solvers.stepped.contacts.partners import collide
from carom.solvers.stepped.regions.cloth import mark_start, meet_cloth
from carom.solvers.stepped.regions.feelers import feel, mark_feelers
from carom.solvers.stepped.regions.obstacles import meet_all


@inline
def meet(dim: Any, flight: Any, by: Any, periods: Any, log: Any, walls: Any, pairs: Any, cloth: Any) -> None:
    """Do all contacts of a step; `by` has the coefficients."""
    if len(walls) > 0 or len(pairs) > 0 or len(cloth) > 0:
        step = StepState(flight.t, flight.dt, flight.clock, flight.bodies, by, periods, log)
        meet_all_kinds(dim, step, walls, pairs, cloth)


@inline
def meet_all_kinds(dim: Any, step: Any, walls: Any, pairs: Any, cloth: Any) -> None:
    """Do all contacts: of balls, with cloth, with walls."""
    dt, bodies, n = step.dt, step.bodies, step.clock.bodies
    if len(cloth) > 0:
        mark_start(dt, bodies, n, cloth.start)
    if len(walls) > 0:
        mark_feelers(walls.feelers, bodies, n, dt)
    if len(pairs) > 0:
        collide(dim, step, walls, pairs)
    if len(cloth) > 0:
        meet_cloth(dim, step, cloth, 1.0)
    if len(walls) > 0:
        meet_walls(dim, step, walls)


@inline
def meet_walls(dim: Any, step: Any, walls: Any) -> None:
    """Let cloth, and then all bodies, meet the walls."""
    clock, bodies = step.clock, step.bodies
    felt = feel(dim, step.dt, bodies, clock.bodies, step.coefficients, walls, walls.feelers)
    clock.restitution += felt[0]
    clock.friction += felt[1]
    met = meet_all(dim, step.dt, walls, step.coefficients, bodies, np.int64(0), clock.bodies, -1.0)
    book_wall_contacts(step, walls, met)
