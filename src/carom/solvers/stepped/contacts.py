"""Who met what within the step: balls each other, water the cloth, and everyone what is forbidden.

What is forbidden comes last, so that nobody ends a step inside it.
"""

from typing import Any, NamedTuple

import numpy as np

from carom.physics.jit import Index, Real, branch, law
from carom.physics.regions import OUTLINE
from carom.solvers.stepped.cloth import mark_start, meet_cloth
from carom.solvers.stepped.logs import NOBODY, WALL, write
from carom.solvers.stepped.obstacles import meet_all
from carom.solvers.stepped.partners import collide


class Walls(NamedTuple):
    """What is forbidden."""

    regions: Any
    edges: Any
    clearance: Any
    notes: Any  # room for the contacts of a step; empty when nobody listens


class Setting(NamedTuple):
    """How things part: restitution and friction by pairs of materials."""

    material: Any  # of each body, uint8
    bounce: Any  # restitution, ball by ball
    wall_bounce: Any  # ball by wall
    static: Any  # friction, ball by ball
    dynamic: Any
    wall_static: Any  # ball by wall
    wall_dynamic: Any


@law
def meet(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, periods: Any, setting: Any,
    walls: Any, pairs: Any, cloth: Any, logs: Any,
) -> None:  # fmt: skip
    """All contacts of a step that begins at t."""
    if len(cloth) > 0:
        mark_start(dt, bodies, clock.bodies, cloth.start)
    if len(pairs) > 0:
        collide(dim, t, dt, clock, bodies, periods, setting, pairs, logs)
    if len(cloth) > 0:
        meet_cloth(dim, t, dt, clock, bodies, setting, cloth, logs)
    if len(walls) > 0:
        bounced, rubbed, contacts = meet_all(
            dim, walls.regions, walls.edges, walls.clearance,
            setting.wall_bounce, setting.wall_static, setting.wall_dynamic,
            bodies.place, bodies.velocity, bodies.accel, setting.material, clock.bodies, dt, walls.notes,
        )  # fmt: skip
        clock.restitution += bounced
        clock.friction += rubbed
        clock.ball_wall += contacts
        copy_notes(walls, min(contacts, walls.notes.size), t + dt, clock, bodies.place, logs)


@branch
def copy_notes(walls: Any, count: Index, end: Real, clock: Any, place: Any, logs: Any) -> None:
    """Write down the contacts with walls that were noted in a step, as collisions."""
    for k in range(count):
        note = walls.notes[np.uint64(k)]
        if clock.logged >= logs.size:
            return
        r = place[np.uint64(note.body), 3]
        impulse = (note.jx * note.nx + note.jy * note.ny) + note.jz * note.nz
        region = walls.regions[np.uint64(note.region)]
        label = walls.edges[np.uint64(note.edge)].label if region.kind == OUTLINE else region.label
        write(
            logs, clock, end - note.time, WALL, label, note.body, NOBODY, note.x - r * note.nx, note.y - r * note.ny,
            note.z - r * note.nz, note.nx, note.ny, note.nz, impulse,
        )  # fmt: skip
