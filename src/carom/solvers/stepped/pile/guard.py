"""What keeps bodies of a pile from being beyond a wall or a cloth when a step ends.

A pile takes a wall for the plane at its nearest point when the step begins. A fast body in a hollow could leave through
the other side. So the path of such a body is searched again, from where the step began, and a body that met a wall on
it bounces off as in `obstacles`; so does one that others have pressed too deep into a wall. A body that a new force has
driven beyond a flat wall is put back to it. A triangle of cloth, too, is taken to be where it was expected when the
step began: a body that has come through one since, or nearly so, parts from it as in `cloth`.
"""

import math
from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.stepped.contacts.logs import copy_notes
from carom.solvers.stepped.pile.memory import LOST
from carom.solvers.stepped.regions.clearance import is_free
from carom.solvers.stepped.regions.cloth import meet_cloth
from carom.solvers.stepped.regions.feelers import feel, mark_feelers
from carom.solvers.stepped.regions.obstacles import meet_all
from carom.solvers.stepped.regions.push_out import depth_at

HELD: Final = 0.1  # of its radius: soft contacts hold a body that moves no farther in a step
DEEPEST: Final = 0.05  # of its radius: the overlap with a wall that a body may have
CLOSEST: Final = 0.5  # of its radius: a body must not come nearer to the middle of a cloth


@inline
def mark_places(dim: Any, bodies: Any, n: Index, walls: Any, cloth: Any) -> None:
    """Copy the places of all bodies when the step begins, if there is a wall that is not flat, or a cloth."""
    if len(cloth) > 0:
        for k in range(n):
            for axis in range(3):
                cloth.start[np.uint64(k), axis] = bodies.place[np.uint64(k), axis]
    if len(walls) > 0:
        mark_feelers(walls.feelers, bodies, n, 0.0)
        for k in range(n):
            for axis in range(len(dim)):
                bodies.last[np.uint64(k), axis] = bodies.place[np.uint64(k), axis]


@inline
def guard_walls(dim: Any, step: Any, walls: Any, pile: Any) -> None:
    """Lead back bodies that have passed a wall in a step that has ended, being fast, or are pressed deep into one."""
    if len(walls) > 0:
        bodies, n = step.bodies, step.clock.bodies
        felt = feel(dim, step.dt, bodies, n, step.coefficients, walls, walls.feelers)
        pile.account[LOST] += felt[0] + felt[1]
        for k in range(n):
            i = np.uint64(k)
            way = 0.0
            for axis in range(len(dim)):
                d = bodies.place[i, axis] - bodies.last[i, axis]
                way += d * d
            way, r = math.sqrt(way), bodies.place[i, 3]
            x = (bodies.place[i, 0], bodies.place[i, 1], bodies.place[i, 2])
            if bodies.velocity[i, 3] == 0.0 or is_free(dim, walls.clearance, x[0], x[1], x[2], r + way):
                continue
            if way > HELD * r or depth_at(dim, walls.regions, walls.edges, x, r) > DEEPEST * r:
                lead_back(dim, step, i, walls, pile)


@inline
def guard_cloth(dim: Any, step: Any, cloth: Any) -> None:
    """Part bodies from the cloth that have come too near to its middle in the step that began at t."""
    if len(cloth) > 0:
        meet_cloth(dim, step, cloth, CLOSEST)


@noinline
def guard_planes(dim: Any, dt: Real, bodies: Any, n: Index, planes: Any, pile: Any) -> None:
    """Put bodies back to flat walls in which they are deeper than soft contacts allow.

    That is a part of the radius or, for points, of a fall in one step.
    """
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    for k in range(n):
        i = np.uint64(k)
        if velocity[i, 3] == 0.0:
            continue
        sag = ((abs(accel[i, 0]) + abs(accel[i, 1])) + abs(accel[i, 2])) * dt * dt
        for row in range(planes.shape[0]):
            depth, un, an = place[i, 3] + planes[row, 3], 0.0, 0.0
            for axis in range(len(dim)):
                depth -= planes[row, axis] * place[i, axis]
                un += planes[row, axis] * velocity[i, axis]
                an += planes[row, axis] * accel[i, axis]
            depth -= DEEPEST * place[i, 3]
            if depth > 0.0 and (place[i, 3] > 0.0 or depth > DEEPEST * sag):
                un = min(un, 0.0)
                for axis in range(len(dim)):
                    place[i, axis] += depth * planes[row, axis]
                    velocity[i, axis] -= un * planes[row, axis]
                pile.account[LOST] += accel[i, 3] * (0.5 * un * un + an * depth)


@noinline
def lead_back(dim: Any, step: Any, i: Index, walls: Any, pile: Any) -> None:
    """Let body i meet the walls on the straight way from where the step began; what it loses is booked."""
    dt, clock, bodies, setting = step.dt, step.clock, step.bodies, step.coefficients
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    r, m = place[i, 3], accel[i, 3]
    x, y, z = place[i, 0], place[i, 1], place[i, 2]
    u, v, w = velocity[i, 0], velocity[i, 1], velocity[i, 2]
    a, b, c = accel[i, 0], accel[i, 1], accel[i, 2]
    for axis in range(len(dim)):
        velocity[i, axis] = (place[i, axis] - bodies.last[i, axis]) / dt
        accel[i, axis] = 0.0
    place[i, 3] = (1.0 - DEEPEST) * r
    bodies.since[i] = dt
    one = np.int64(i)
    _, _, contacts = meet_all(dim, dt, walls, setting, bodies, one, one + 1, -1.0)
    place[i, 3], accel[i, 0], accel[i, 1], accel[i, 2] = r, a, b, c
    if place[i, 0] == x and place[i, 1] == y and place[i, 2] == z:
        velocity[i, 0], velocity[i, 1], velocity[i, 2] = u, v, w
        return
    after = (velocity[i, 0] * velocity[i, 0] + velocity[i, 1] * velocity[i, 1]) + velocity[i, 2] * velocity[i, 2]
    fall = (a * (place[i, 0] - x) + b * (place[i, 1] - y)) + c * (place[i, 2] - z)
    pile.account[LOST] += m * (0.5 * (((u * u + v * v) + w * w) - after) + fall)
    clock.ball_wall += contacts
    copy_notes(walls, min(contacts, walls.notes.size), step.t, clock, place, step.log)
