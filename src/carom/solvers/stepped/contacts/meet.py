"""Who met what within the step: balls each other, water the cloth, and everyone what is forbidden.

What is forbidden comes last, so that nobody ends a step inside it.
"""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Real, inline
from carom.solvers.stepped.contacts.logs import copy_notes
from carom.solvers.stepped.contacts.partners import collide
from carom.solvers.stepped.regions.cloth import mark_start, meet_cloth
from carom.solvers.stepped.regions.feelers import feel, mark_feelers
from carom.solvers.stepped.regions.obstacles import meet_all


class Walls(NamedTuple):
    """What is forbidden."""

    regions: Any
    edges: Any
    clearance: Any
    notes: Any  # room for the contacts of a step; empty when nobody listens
    feelers: Any = ()  # of a cloth, where something is narrower than its mesh


class Setting(NamedTuple):
    """How things part: restitution and friction by pairs of materials."""

    material: Any  # of each body, uint8
    bounce: Any  # restitution, ball by ball
    wall_bounce: Any  # ball by wall
    static: Any  # friction, ball by ball
    dynamic: Any
    wall_static: Any  # ball by wall
    wall_dynamic: Any


@inline
def meet(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, periods: Any, setting: Any,
    walls: Any, pairs: Any, cloth: Any, logs: Any,
) -> None:  # fmt: skip
    """All contacts of a step that begins at t."""
    if len(cloth) > 0:
        mark_start(dt, bodies, clock.bodies, cloth.start)
    if len(walls) > 0:
        mark_feelers(walls.feelers, bodies, clock.bodies, dt)
    if len(pairs) > 0:
        collide(dim, t, dt, clock, bodies, periods, setting, walls, pairs, logs)
    if len(cloth) > 0:
        meet_cloth(dim, t, dt, clock, bodies, periods, setting, cloth, 1.0, logs)
    if len(walls) > 0:
        felt = feel(dim, dt, bodies, clock.bodies, setting, walls, walls.feelers)
        clock.restitution += felt[0]
        clock.friction += felt[1]
        bounced, rubbed, contacts = meet_all(
            dim, walls.regions, walls.edges, walls.clearance,
            setting.wall_bounce, setting.wall_static, setting.wall_dynamic,
            bodies.place, bodies.velocity, bodies.accel, setting.material, np.int64(0), clock.bodies, dt,
            bodies.since, bodies.begin, -1.0, walls.notes,
        )  # fmt: skip
        clock.restitution += bounced
        clock.friction += rubbed
        clock.ball_wall += contacts
        copy_notes(walls, min(contacts, walls.notes.size), t + dt, clock, bodies.place, logs)
