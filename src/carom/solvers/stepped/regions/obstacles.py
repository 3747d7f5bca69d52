"""What happens where a body meets forbidden regions within a step.

A body arrives at the end of a parabola as if nothing were in the way. The contacts on it are found and answered one
after the other (`responses`). A body that has not come free after MOST contacts waits at the last one for the next
step. One that is inside at the end of the step, whatever pushed it there, is moved out along the normal (`push_out`).
"""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, stage
from carom.physics import impact
from carom.physics.regions import is_clear
from carom.physics.swept_contact import first_contact, place_before, slack_of, top_speed, velocity_before
from carom.solvers.stepped.contacts.paths import joined, mark_begin, moved, path_from, path_of
from carom.solvers.stepped.regions.clearance import is_free
from carom.solvers.stepped.regions.push_out import push_out
from carom.solvers.stepped.regions.responses import (
    FREE,
    ZERO,
    Course,
    Mover,
    arrive,
    bounce_off,
    follows,
    friction_loss,
    is_blow,
    jump_of,
    rest,
    slide_onto,
)
from carom.solvers.stepped.regions.surfaces import surface_at

MOST: Final = 64
"""Contacts of one body in one step."""

contact_record = np.dtype(
    [
        ("body", "u4"), ("region", "u4"), ("edge", "u4"), ("spare", "u4"),
        ("time", "f8"),  # before the end of the step, s
        ("x", "f8"), ("y", "f8"), ("z", "f8"),  # of the body's centre, m
        ("nx", "f8"), ("ny", "f8"), ("nz", "f8"),  # unit normal towards the body
        ("jx", "f8"), ("jy", "f8"), ("jz", "f8"),  # what the body's momentum changed by, N s
    ]
)  # fmt: skip


@noinline
def note(log: Any, row: Index, i: Index, on: Any, tau: Real, x: Any, impulse: Any) -> None:
    """Write a contact of body i with a surface down, if there is room; the impulse is that on the body."""
    if row < len(log):
        line = log[np.uint64(row)]
        line.body, line.region, line.edge, line.time = i, on.k, on.j, tau
        line.x, line.y, line.z = x
        line.nx, line.ny, line.nz = on.n
        line.jx, line.jy, line.jz = impulse


@inline
def mover_of(dim: Any, dt: Real, by: Any, bodies: Any, i: Index, path: Any) -> tuple[Any, Real]:
    """Body i as it meets walls, and how long before the end of the step its path begins, s."""
    own, begin, since = np.uint32(by.material[i]), bodies.begin, bodies.since[i]
    span = max(since, 0.0)
    free = place_before(dim, path, dt) if since == dt else (begin[i, 0], begin[i, 1], begin[i, 2])
    start = (*free, *velocity_before(dim, path, span))
    length = top_speed(dim, path, span) * span
    bounce, static, dynamic = by.wall_bounce[own], by.wall_static[own], by.wall_dynamic[own]
    pull = (path[6], path[7], path[8])
    return Mover(i, bodies.place[i, 3], bodies.accel[i, 3], bounce, static, dynamic, pull, length, start), span


@inline
def end_piece(dim: Any, course: Any, slide: Any, mover: Any) -> tuple[Any, Real]:
    """What is left of a step after a piece of it on a surface; and the energy that friction took, J."""
    x, u = place_before(dim, course.path, course.tau), velocity_before(dim, course.path, course.tau)
    path = path_from(x, moved(u, 1.0, slide.lift), mover.pull, course.later)
    return Course(path, course.later, 0.0), friction_loss(slide, x, u, mover.m)


@inline
def wait(dim: Any, course: Any, mover: Any) -> Any:
    """The course of a body that waits where it is for the next step."""
    x, u = place_before(dim, course.path, course.tau), velocity_before(dim, course.path, course.tau)
    return Course(joined(x, u, mover.pull), 0.0, 0.0)


@inline
def store(dim: Any, bodies: Any, i: Index, path: Any, lift: Any) -> None:
    """Put body i at the end of a path."""
    place, velocity = bodies.place, bodies.velocity
    place[i, 0], place[i, 1] = path[0], path[1]
    velocity[i, 0], velocity[i, 1] = path[3] + lift[0], path[4] + lift[1]
    if len(dim) == 3:
        place[i, 2], velocity[i, 2] = path[2], path[5] + lift[2]


@inline
def answer(dim: Any, dt: Real, walls: Any, mover: Any, course: Any, slide: Any, on: Any, at: Any) -> Any:
    """How a body goes on from a surface: its course and sliding, energy lost, is it a collision, and the impulse."""
    tau = course.tau + course.later
    if at.rests:
        told = is_blow(at.un, at.q, dt)
        jump = jump_of(at, on.n)
        course, slide, lost = rest(dim, dt, walls, mover, slide, tau, on, at)
        return course, slide, lost, told, (mover.m * jump[0], mover.m * jump[1], mover.m * jump[2])
    course, impulse = bounce_off(mover, course, slide, on, at)
    return course, FREE, 0.0, True, impulse


@inline
def meet(
    dim: Any, dt: Real, walls: Any, by: Any, bodies: Any, i: Index, after: Real, logged: Index
) -> tuple[Real, Real, Index, Real]:
    """All contacts of body i with regions in a step of dt, `since` when it is free; its place and velocity are changed.

    `by` has the coefficients. Gives the energy lost by restitution and by friction, J, the number of impacts (lying
    there is none), which are written to the walls' notes from row `logged` on as long as there is room, and how long
    before the end the last contact was, or -1 if there was none. A body that meets nothing keeps its bits; nothing
    counts if the first contact is not earlier than `after` before the end.
    """
    i = np.uint32(i)
    regions, edges, notes = walls.regions, walls.edges, walls.notes
    path = path_of(dim, bodies.place, bodies.velocity, bodies.accel, i)
    mover, span = mover_of(dim, dt, by, bodies, i, path)
    course, slide = Course(path, span, 0.0), FREE
    bounced, rubbed, contacts, changed = 0.0, 0.0, 0, False
    for turn in range(MOST + 1):
        hit, k, j = first_contact(dim, regions, edges, course.path, mover.r, course.tau, slide.skipped)
        if turn == 0 and after >= 0.0 and not hit > after:
            return 0.0, 0.0, 0, -1.0
        if hit < 0.0 and (course.later == 0.0 or turn == MOST):
            break
        course, changed = Course(course.path, max(hit, 0.0), course.later), True
        if turn == MOST:
            course = wait(dim, course, mover)
            break
        if hit < 0.0:
            course, lost = end_piece(dim, course, slide, mover)
            rubbed, slide = rubbed + lost, FREE
            continue
        x = place_before(dim, course.path, course.tau)
        slack = slack_of(course.path, mover.r, mover.length, regions[k].scale)
        on = surface_at(dim, walls, k, j, x, slack)
        if follows(slide, on, mover.r):
            slide = slide_onto(slide, on, mover.r)
            continue
        rubbed += friction_loss(slide, x, velocity_before(dim, course.path, course.tau), mover.m)
        at = arrive(dim, dt, walls, mover, course, slide.lift, on, x)
        rubbed += mover.m * at.taken
        bounced += impact.energy_taken(at.back) * mover.m * (at.un * at.un)
        tau = course.tau + course.later
        course, slide, lost, told, impulse = answer(dim, dt, walls, mover, course, slide, on, at)
        bounced += lost
        if told:
            note(notes, logged + contacts, i, on, tau, x, impulse)
            contacts += 1
    path, lift = course.path, slide.lift
    rubbed += friction_loss(slide, (path[0], path[1], path[2]), (path[3], path[4], path[5]), mover.m)
    path, moved_out, put_back, taken = push_out(dim, walls, mover.bounce, path, mover.r, mover.length, mover.start)
    bounced += mover.m * taken
    if put_back:  # it has the energy that it began with
        bounced, rubbed, lift = 0.0, 0.0, ZERO
    if changed or moved_out:
        store(dim, bodies, i, path, lift)
    return bounced, rubbed, contacts, course.tau + course.later if changed else -1.0


@inline
def reach_of(dim: Any, bodies: Any, i: Index, dt: Real) -> Real:
    """How far out a body touches within a step: its radius and the length of its path, m.

    The sum of the components, not the root of their squares: longer than the path, and faster.
    """
    velocity, accel = bodies.velocity, bodies.accel
    length = (abs(velocity[i, 0]) + abs(velocity[i, 1])) + (abs(accel[i, 0]) + abs(accel[i, 1])) * (0.5 * dt)
    if len(dim) == 3:
        length += abs(velocity[i, 2]) + abs(accel[i, 2]) * (0.5 * dt)
    return bodies.place[i, 3] + length * dt


@inline
def next_near(dim: Any, clearance: Any, bodies: Any, i: Index, n: Index, dt: Real) -> tuple[Index, Real]:
    """The first body from i on that may be near a region, and its reach, m."""
    place = bodies.place
    while i < n:
        reach = reach_of(dim, bodies, i, dt)
        if not is_free(dim, clearance, place[i, 0], place[i, 1], place[i, 2], reach):
            return i, reach
        i += np.uint64(1)
    return n, 0.0


@noinline
def is_near(dim: Any, regions: Any, edges: Any, x: Real, y: Real, z: Real, reach: Real) -> bool:
    """Is any region within reach of a place?"""
    near = False
    for k in range(len(regions)):
        near = near or not is_clear(dim, regions, edges, np.uint32(k), x, y, z, reach)
    return near


@stage
def meet_all(
    dim: Any, dt: Real, walls: Any, by: Any, bodies: Any, first: Index, n: Index, after: Real
) -> tuple[Real, Real, Index]:
    """All contacts of bodies `first` to n with regions in a step of dt; energy lost, J, and number of contacts.

    `by` has the coefficients. The rows `since` and `begin` of bodies are those of `order`. Of a body whose first
    contact is not earlier than `after` before the end, none counts.
    """
    bounced, rubbed, contacts = 0.0, 0.0, 0
    place, velocity, since = bodies.place, bodies.velocity, bodies.since
    i, end = np.uint64(first), np.uint64(n)
    while True:
        i, reach = next_near(dim, walls.clearance, bodies, i, end, dt)
        if i >= end:
            return bounced, rubbed, contacts
        x, y, z = place[i, 0], place[i, 1], place[i, 2]
        if velocity[i, 3] > 0.0 and is_near(dim, walls.regions, walls.edges, x, y, z, reach):
            if after >= 0.0:
                mark_begin(dim, dt, i, place, velocity, bodies.accel, since, bodies.begin)
            lost, rub, more, last = meet(dim, dt, walls, by, bodies, i, after, contacts)
            if after >= 0.0 and last >= 0.0:
                since[i] = -last
            bounced += lost
            rubbed += rub
            contacts += more
        i += np.uint64(1)
