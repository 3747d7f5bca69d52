"""What happens where a body meets a forbidden region within a step.

A body arrives at the end of a parabola as if nothing were in the way. Each contact on it, τ before its end, changes the
velocity there by D: that is u₁ += D, x₁ += τ D, and with restitution 1 the energy is then kept to rounding.

* Impact: D = (1 + e)|uₙ| n - friction. Friction stops the motion along the surface if that takes no more than μₛ of the
  impulse, else it takes μ_d of it (Coulomb, translation only).
* Rest: with e < 1, when e|uₙ| < |aₙ| dt, the body would be back within two steps. It then stays on the surface for the
  rest of the step, D = |uₙ| n, and slides or sticks under the friction of the force aₙ that the surface bears. It is
  told as a collision if it came with more than a step of that force gives, |uₙ| > |aₙ| dt: who lies there never does.
  On what is curved it is led along the surface as the method RATTLE does (H. C. Andersen, J. Comput. Phys. 52 (1983)
  24): moved along the normal of the contact, and freed of the velocity into the surface where it ends.
* With e = 1 nothing rests. A bounce that would return more than 32 times in the rest of the step is skipped instead:
  the body slides on, and leaves with the normal speed that it came with, so that no energy is lost.
* Two surfaces that both bear leave the motion along their edge, three none; in two dimensions, two leave none.

A body that has not come free after MOST contacts waits at the last one for the next step. One that is inside at the end
of the step, whatever pushed it there, is moved out along the normal.
"""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, stage
from carom.physics import impact
from carom.physics.regions import NO_EDGE, is_clear, label_of, probe
from carom.physics.swept_contact import first_contact, place_before, slack_of, top_speed, velocity_before
from carom.solvers.stepped.contacts.paths import across, cross, dot, joined, mark_begin, moved, path_from, path_of
from carom.solvers.stepped.regions.clearance import is_free
from carom.solvers.stepped.regions.push_out import pushed_out
from carom.solvers.stepped.regions.surfaces import (
    bears,
    goes_on,
    grooved,
    held,
    is_edge,
    rubbed,
    rubbed_off,
    wall_of,
)

MOST: Final = 64
"""Contacts of one body in one step."""

TURN: Final = 0.5
"""Angle by which a body is led round a hollow at once, rad; further, it is led piece by piece."""

BOUNCES: Final = 32.0
"""Bounces with e = 1 in the rest of a step, of which more are skipped."""

NOWHERE: Final = (np.uint32(NO_EDGE), np.uint32(NO_EDGE), np.uint32(NO_EDGE), np.uint32(NO_EDGE))
"""Features that a body slides on, none."""

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
def note(
    log: Any, row: Index, i: Index, k: Index, j: Index, tau: Real, x: Any, n: Any, m: Real, before: Any, after: Any
) -> None:
    """Write a contact down, if there is room."""
    if row < len(log):
        line = log[np.uint64(row)]
        line.body, line.region, line.edge, line.time = i, k, j, tau
        line.x, line.y, line.z = x
        line.nx, line.ny, line.nz = n
        line.jx, line.jy, line.jz = m * (after[3] - before[3]), m * (after[4] - before[4]), m * (after[5] - before[5])


@inline
def is_blow(un: Real, an: Real, dt: Real) -> bool:
    """Is a contact that does not bounce an impact, and not one of a body that lies there? |uₙ| > |aₙ| dt."""
    return bool(-un > abs(an) * dt)


@noinline
def meet(
    dim: Any, regions: Any, edges: Any, bounce: Any, static: Any, dynamic: Any,
    place: Any, velocity: Any, accel: Any, material: Any, i: Index, dt: Real, since: Any, begin: Any,
    after: Real, log: Any, logged: Index,
) -> tuple[Real, Real, Index, Real]:  # fmt: skip
    """All contacts of body i with regions in a step of dt, `since` when it is free; its place and velocity are changed.

    `bounce`, `static` and `dynamic` are tables of coefficients by material of body and of region. Gives the energy lost
    by restitution and by friction, J, the number of impacts (lying there is none), which are written to `log` from row
    `logged` on as long as there is room, and how long before the end the last contact was, or -1 if there was none. A
    body that meets nothing keeps its bits; nothing counts if the first contact is not earlier than `after` before the
    end.
    """
    i = np.uint32(i)
    zero = (0.0, 0.0, 0.0)
    path = path_of(dim, place, velocity, accel, i)
    pull = (path[6], path[7], path[8])
    r, m, own = place[i, 3], accel[i, 3], np.uint32(material[i])
    span = max(since[i], 0.0)
    length = top_speed(dim, path, span) * span
    free = place_before(dim, path, dt) if since[i] == dt else (begin[i, 0], begin[i, 1], begin[i, 2])
    start = (*free, *velocity_before(dim, path, span))
    lost_bounce, lost_rub, contacts, changed = 0.0, 0.0, 0, False
    tau, later = span, 0.0  # until the end of the path, and from there until the end of the step
    lift = zero  # normal velocity of skipped bounces
    surfaces, skipped = 0, NOWHERE  # those that it slides on, at most two: unit normals and coefficients of friction
    one, two, rub, rub_two = zero, zero, (0.0, 0.0), (0.0, 0.0)
    drag, sticks, foot, speed = zero, False, zero, zero  # of the sliding: friction, and where and how fast it began
    for turn in range(MOST + 1):
        hit, k, j = first_contact(dim, regions, edges, path, r, tau, skipped)
        if turn == 0 and after >= 0.0 and not hit > after:
            return 0.0, 0.0, 0, -1.0
        if hit < 0.0 and (later == 0.0 or turn == MOST):
            break
        tau, changed = max(hit, 0.0), True
        x, u = place_before(dim, path, tau), velocity_before(dim, path, tau)
        if turn == MOST:
            path, tau, later = joined(x, u, pull), 0.0, 0.0
            break
        if hit < 0.0:  # the end of a piece
            lost_rub += m * rubbed_off(drag, foot, speed, x, u, sticks)
            path, tau, later = path_from(x, moved(u, 1.0, lift), pull, later), later, 0.0
            surfaces, skipped, lift = 0, NOWHERE, zero
            continue
        u = moved(u, 1.0, lift)
        slack = slack_of(path, r, length, regions[k].scale)
        gap, nx, ny, nz, kappa = probe(dim, regions, edges, k, j, x, slack)
        if gap == np.inf:  # beside the end of the arc that it has met, by the rounding of a long way
            gap, nx, ny, nz, kappa = probe(dim, regions, edges, k, j, x, np.inf)
        n = (nx, ny, nz)
        label = label_of(regions, edges, k, j)
        if surfaces > 0 and goes_on(n, one, r, slack):
            skipped = (skipped[0], skipped[1], k, label) if surfaces == 1 else (k, label, skipped[2], skipped[3])
            continue
        if surfaces == 2 and goes_on(n, two, r, slack):
            skipped = (skipped[0], skipped[1], k, label)
            continue
        if surfaces > 0:
            lost_rub += m * rubbed_off(drag, foot, speed, x, velocity_before(dim, path, tau), sticks)
        tau, later = tau + later, 0.0
        wall = wall_of(regions, edges, k, j)
        e, mu = bounce[own, wall], (static[own, wall], dynamic[own, wall])
        un, along = min(dot(u, n), 0.0), across(u, n)
        q = dot(pull, n) - (kappa * dot(along, along) if kappa > 0.0 else 0.0)
        soon = -un < -q * tau / (2.0 * BOUNCES) if e >= 1.0 else -e * un < -q * dt
        rests = soon and q < 0.0 and tau > 0.0
        back = (1.0 if e >= 1.0 else 0.0) if rests else e
        rub_by, lost = rubbed(along, impact.bounce(back, un), mu[0], mu[1])
        lost_rub += m * lost
        lost_bounce += impact.energy_taken(back) * m * (un * un)
        before = (path[0], path[1], path[2], path[3] + lift[0], path[4] + lift[1], path[5] + lift[2])
        if not rests:
            contacts += 1
            change = moved(rub_by, impact.bounce(back, un) / dot(n, n), n)
            if surfaces == 0:
                v = moved((path[3], path[4], path[5]), 1.0, change)
                path = joined(moved((path[0], path[1], path[2]), tau, change), v, pull)
            else:
                path = path_from(x, moved(u, 1.0, change), pull, tau)
                surfaces, skipped, lift = 0, NOWHERE, zero
            note(log, logged + contacts - 1, i, k, j, tau, x, n, m, before, path)
            continue
        if is_blow(un, q, dt):
            contacts += 1
            stopped = moved(rub_by, impact.bounce(back, un) / dot(n, n), n)
            note(log, logged + contacts - 1, i, k, j, tau, x, n, m, (*x, *zero), (*x, *stopped))
        u = moved(along, 1.0, rub_by)
        left = across(pull, n)
        first = surfaces > 0 and bears(u, left, one, dt) and is_edge(n, one)
        second = surfaces > 1 and bears(u, left, two, dt) and is_edge(n, two)
        foot, speed, lift = x, u, moved(zero, impact.parting_speed(back, -un), n)
        if first or second:
            if not first:
                one, rub, skipped = two, rub_two, (skipped[2], skipped[3], skipped[2], skipped[3])
            line = cross(n, one)
            slides = len(dim) == 3 and not (first and second)
            speed = moved(zero, dot(u, line) / dot(line, line), line) if slides else zero
            shut = moved(u, -1.0, speed)
            lift = moved(lift, back if dot(shut, one) >= 0.0 else -back, shut)
            lost_bounce += 0.5 * m * (1.0 - back) * dot(shut, shut)
            path, drag = joined(x, zero, zero), zero
            if slides:
                path, drag = grooved(x, speed, pull, n, one, tau, (mu[0], rub[0]), (mu[1], rub[1]))
            surfaces, two, rub_two, skipped = 2, one, rub, (k, label, skipped[0], skipped[1])
            one, rub = n, mu
        else:
            turned = kappa * np.sqrt(dot(u, u)) * tau if kappa > 0.0 else 0.0
            stay = tau * TURN / turned if turned > TURN else tau
            path, drag = held(dim, regions, edges, k, j, x, u, pull, n, stay, r, slack, mu[0], mu[1])
            tau, later = stay, tau - stay
            lift = moved(zero, impact.parting_speed(back, -un), n)
            surfaces, one, rub, skipped = 1, n, mu, (k, label, np.uint32(NO_EDGE), np.uint32(NO_EDGE))
        sticks = mu[0] > 0.0 and path[3] == 0.0 and path[4] == 0.0 and path[5] == 0.0
    x, u = (path[0], path[1], path[2]), (path[3], path[4], path[5])
    if surfaces > 0:
        lost_rub += m * rubbed_off(drag, foot, speed, x, u, sticks)
    path, moved_out, put_back, taken = pushed_out(dim, regions, edges, bounce, own, path, r, length, start)
    lost_bounce += m * taken
    if put_back:  # it has the energy that it began with
        lost_bounce, lost_rub, lift = 0.0, 0.0, zero
    if changed or moved_out:
        place[i, 0], place[i, 1] = path[0], path[1]
        velocity[i, 0], velocity[i, 1] = path[3] + lift[0], path[4] + lift[1]
        if len(dim) == 3:
            place[i, 2], velocity[i, 2] = path[2], path[5] + lift[2]
    return lost_bounce, lost_rub, contacts, tau + later if changed else -1.0


@inline
def reach_of(dim: Any, place: Any, velocity: Any, accel: Any, i: Index, dt: Real) -> Real:
    """How far out a body touches within a step: its radius and the length of its path, m.

    The sum of the components, not the root of their squares: longer than the path, and faster.
    """
    length = (abs(velocity[i, 0]) + abs(velocity[i, 1])) + (abs(accel[i, 0]) + abs(accel[i, 1])) * (0.5 * dt)
    if len(dim) == 3:
        length += abs(velocity[i, 2]) + abs(accel[i, 2]) * (0.5 * dt)
    return place[i, 3] + length * dt


@inline
def next_near(
    dim: Any, clearance: Any, place: Any, velocity: Any, accel: Any, i: Index, n: Index, dt: Real
) -> tuple[Index, Real]:
    """The first body from i on that may be near a region, and its reach, m."""
    while i < n:
        reach = reach_of(dim, place, velocity, accel, i, dt)
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
    dim: Any, regions: Any, edges: Any, clearance: Any, bounce: Any, static: Any, dynamic: Any,
    place: Any, velocity: Any, accel: Any, material: Any, first: Index, n: Index, dt: Real, since: Any, begin: Any,
    after: Real, log: Any,
) -> tuple[Real, Real, Index]:  # fmt: skip
    """All contacts of bodies `first` to n with regions in a step of dt; energy lost, J, and number of contacts.

    `since` and `begin` are those of `order`. Of a body whose first contact is not earlier than `after` before the end,
    none counts.
    """
    lost_bounce, lost_rub, contacts = 0.0, 0.0, 0
    i, end = np.uint64(first), np.uint64(n)
    while True:
        i, reach = next_near(dim, clearance, place, velocity, accel, i, end, dt)
        if i >= end:
            return lost_bounce, lost_rub, contacts
        if velocity[i, 3] > 0.0 and is_near(dim, regions, edges, place[i, 0], place[i, 1], place[i, 2], reach):
            if after >= 0.0:
                mark_begin(dim, dt, i, place, velocity, accel, since, begin)
            bounced, rubbed_off, more, last = meet(
                dim, regions, edges, bounce, static, dynamic, place, velocity, accel, material, i, dt,
                since, begin, after, log, contacts,
            )  # fmt: skip
            if after >= 0.0 and last >= 0.0:
                since[i] = -last
            lost_bounce += bounced
            lost_rub += rubbed_off
            contacts += more
        i += np.uint64(1)
