"""What becomes of a body that meets a forbidden region: it bounces, slides, sticks, or lies where two regions meet.

Each contact, τ before the end of the step, changes the velocity there by D: that is u₁ += D, x₁ += τ D, and with
restitution 1 the energy is then kept to rounding.

* Impact: D = (1 + e)|uₙ| n - friction. Friction stops the motion along the surface if that takes no more than μₛ of the
  impulse, else it takes μ_d of it (Coulomb, translation only).
* Rest: with e < 1, when e|uₙ| < |aₙ| dt, the body would be back within two steps. It then stays on the surface for the
  rest of the step, D = |uₙ| n, and slides or sticks under the friction of the force aₙ that the surface bears. It
  counts as a collision if it came with more than a step of that force gives, |uₙ| > |aₙ| dt: a body at rest never does.
  On what is curved it is led along the surface as the method RATTLE does (H. C. Andersen, J. Comput. Phys. 52 (1983)
  24): moved along the normal of the contact, and freed of the velocity into the surface where it ends.
* With e = 1 nothing rests. A bounce that would return more than 32 times in the rest of the step is skipped instead:
  the body slides on, and leaves with the normal speed that it came with, so that no energy is lost.
* Two surfaces that both bear leave the motion along their edge, three none; in two dimensions, two leave none.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Real, inline
from carom.physics import impact
from carom.physics.regions import NO_EDGE
from carom.physics.swept_contact import velocity_before
from carom.solvers.stepped.contacts.paths import across, cross, dot, joined, moved, path_from
from carom.solvers.stepped.regions.surfaces import (
    continues,
    friction_change,
    friction_work,
    is_edge,
    keeps_bearing,
    material_of,
    path_in_edge,
    path_on_surface,
)

TURN: Final = 0.5
"""Angle by which a body is led round a hollow at once, rad; further, it is led piece by piece."""

BOUNCES: Final = 32.0
"""Bounces with e = 1 in the rest of a step, of which more are skipped."""

NOWHERE: Final = (np.uint32(NO_EDGE), np.uint32(NO_EDGE), np.uint32(NO_EDGE), np.uint32(NO_EDGE))
"""Features that a body slides on, none."""


class Mover(NamedTuple):
    """A body that meets walls."""

    i: Any  # row
    r: Any  # radius, m
    m: Any  # mass, kg
    bounce: Any  # of its material: restitution and friction by materials of walls
    static: Any
    dynamic: Any
    pull: Any  # acceleration, m/s²
    length: Any  # of its path in the step, m
    start: Any  # place and velocity at the beginning of its path


class Course(NamedTuple):
    """What is left of a step."""

    path: Any  # the parabola that the body is on
    tau: Any  # until its end, s
    later: Any  # from there to the end of the step, s


class Slide(NamedTuple):
    """The sliding of a body on walls: where and how it began."""

    surfaces: Any  # how many it slides on, at most two
    skipped: Any  # region and label of both: no contacts there
    one: Any  # their unit normals
    two: Any
    mu_one: Any  # and coefficients of friction, static and dynamic
    mu_two: Any
    drag: Any  # deceleration by friction, m/s²
    foot: Any  # where it began, and how fast
    speed: Any
    sticks: Any
    lift: Any  # normal velocity of bounces that are skipped, which it has again when it leaves


class Arrival(NamedTuple):
    """How a body meets a surface, and how it is to leave it."""

    x: Any  # where it is, and how fast
    u: Any
    along: Any  # its velocity along the surface
    un: Any  # and into it, not positive
    q: Any  # its normal acceleration, as seen along the surface
    mu: Any  # coefficients of friction, static and dynamic
    rests: Any  # does it stay on the surface for the rest of the step?
    back: Any  # the restitution that counts
    rub: Any  # what friction adds to its velocity
    taken: Any  # energy that friction takes, per unit of mass


ZERO: Final = (0.0, 0.0, 0.0)
FREE: Final = Slide(0, NOWHERE, ZERO, ZERO, (0.0, 0.0), (0.0, 0.0), ZERO, ZERO, ZERO, False, ZERO)
"""No sliding."""


@inline
def is_blow(un: Real, an: Real, dt: Real) -> bool:
    """Is a contact that does not bounce an impact, and not one of a body that lies there? |uₙ| > |aₙ| dt."""
    return bool(-un > abs(an) * dt)


@inline
def follows(slide: Any, on: Any, r: Real) -> bool:
    """Is a surface that is met the continuation of one that the body slides on?"""
    if slide.surfaces > 0 and continues(on.n, slide.one, r, on.slack):
        return True
    return bool(slide.surfaces == 2 and continues(on.n, slide.two, r, on.slack))


@inline
def slide_onto(slide: Any, on: Any, r: Real) -> Any:
    """The sliding that goes on upon a surface which continues one of those before: contacts there are skipped too."""
    s, own = slide.skipped, (np.uint32(on.k), np.uint32(on.label))
    second = slide.surfaces == 1 or not continues(on.n, slide.one, r, on.slack)
    skipped = (s[0], s[1], own[0], own[1]) if second else (own[0], own[1], s[2], s[3])
    return Slide(
        slide.surfaces, skipped, slide.one, slide.two, slide.mu_one, slide.mu_two, slide.drag, slide.foot,
        slide.speed, slide.sticks, slide.lift,
    )  # fmt: skip


@inline
def friction_loss(slide: Any, x: Any, u: Any, m: Real) -> Real:
    """The energy that friction took from a body that has slid up to x, with velocity u there, J."""
    return m * friction_work(slide.drag, slide.foot, slide.speed, x, u, slide.sticks) if slide.surfaces > 0 else 0.0


@inline
def arrive(dim: Any, dt: Real, walls: Any, mover: Any, course: Any, lift: Any, on: Any, x: Any) -> Any:
    """How a body meets a surface at x, `course.tau` before the end of its path, and how it is to leave it."""
    u = moved(velocity_before(dim, course.path, course.tau), 1.0, lift)
    n, kappa, tau = on.n, on.kappa, course.tau + course.later
    wall = material_of(walls.regions, walls.edges, on.k, on.j)
    e, mu = mover.bounce[wall], (mover.static[wall], mover.dynamic[wall])
    un, along = min(dot(u, n), 0.0), across(u, n)
    q = dot(mover.pull, n) - (kappa * dot(along, along) if kappa > 0.0 else 0.0)
    soon = -un < -q * tau / (2.0 * BOUNCES) if e >= 1.0 else -e * un < -q * dt
    rests = soon and q < 0.0 and tau > 0.0
    back = (1.0 if e >= 1.0 else 0.0) if rests else e
    rub, taken = friction_change(along, impact.velocity_change(back, un), mu[0], mu[1])
    return Arrival(x, u, along, un, q, mu, rests, back, rub, taken)


@inline
def jump_of(at: Any, n: Any) -> Any:
    """What an impact adds to the velocity of the body."""
    return moved(at.rub, impact.velocity_change(at.back, at.un) / dot(n, n), n)


@inline
def bounce_off(mover: Any, course: Any, slide: Any, on: Any, at: Any) -> tuple[Any, Any]:
    """What is left of the step after an impact, and the impulse on the body."""
    path, lift, tau = course.path, slide.lift, course.tau + course.later
    jump = jump_of(at, on.n)
    before = (path[3] + lift[0], path[4] + lift[1], path[5] + lift[2])
    if slide.surfaces == 0:
        v = moved((path[3], path[4], path[5]), 1.0, jump)
        path = joined(moved((path[0], path[1], path[2]), tau, jump), v, mover.pull)
    else:
        path = path_from(at.x, moved(at.u, 1.0, jump), mover.pull, tau)
    m = mover.m
    return Course(path, tau, 0.0), (m * (path[3] - before[0]), m * (path[4] - before[1]), m * (path[5] - before[2]))


@inline
def rest_in_edge(dim: Any, mover: Any, slide: Any, tau: Real, on: Any, at: Any, still: Any) -> tuple[Any, Any, Real]:
    """The course of a body on two surfaces, along the edge where they meet; its sliding; the energy lost, J.

    `still` says which of the two surfaces that it slid on bear it still.
    """
    n, u, s = on.n, moved(at.along, 1.0, at.rub), slide.skipped
    one, mu, skipped = slide.one, slide.mu_one, (np.uint32(on.k), np.uint32(on.label), s[0], s[1])
    if not still[0]:
        one, mu, skipped = slide.two, slide.mu_two, (np.uint32(on.k), np.uint32(on.label), s[2], s[3])
    line = cross(n, one)
    slides = len(dim) == 3 and not (still[0] and still[1])
    speed = moved(ZERO, dot(u, line) / dot(line, line), line) if slides else ZERO
    shut = moved(u, -1.0, speed)
    lift = moved(ZERO, impact.parting_speed(at.back, -at.un), n)
    lift = moved(lift, at.back if dot(shut, one) >= 0.0 else -at.back, shut)
    path, drag = joined(at.x, ZERO, ZERO), ZERO
    if slides:
        path, drag = path_in_edge(at.x, speed, mover.pull, n, one, tau, (at.mu[0], mu[0]), (at.mu[1], mu[1]))
    slide = Slide(2, skipped, n, one, at.mu, mu, drag, at.x, speed, is_stuck(path, at.mu), lift)
    return Course(path, tau, 0.0), slide, 0.5 * mover.m * (1.0 - at.back) * dot(shut, shut)


@inline
def is_stuck(path: Any, mu: Any) -> bool:
    """Does a body end at rest by static friction?"""
    return bool(mu[0] > 0.0 and path[3] == 0.0 and path[4] == 0.0 and path[5] == 0.0)


@inline
def rest(dim: Any, dt: Real, walls: Any, mover: Any, slide: Any, tau: Real, on: Any, at: Any) -> tuple[Any, Any, Real]:
    """The course of a body that stays on the surface that it met, for τ at most; its sliding; the energy lost, J."""
    n, u = on.n, moved(at.along, 1.0, at.rub)
    left = across(mover.pull, n)
    first = slide.surfaces > 0 and keeps_bearing(u, left, slide.one, dt) and is_edge(n, slide.one)
    second = slide.surfaces > 1 and keeps_bearing(u, left, slide.two, dt) and is_edge(n, slide.two)
    if first or second:
        return rest_in_edge(dim, mover, slide, tau, on, at, (first, second))
    turned = on.kappa * np.sqrt(dot(u, u)) * tau if on.kappa > 0.0 else 0.0
    stay = tau * TURN / turned if turned > TURN else tau
    path, drag = path_on_surface(dim, walls, on, (at.x, u, mover.pull), stay, mover.r, at.mu)
    lift = moved(ZERO, impact.parting_speed(at.back, -at.un), n)
    skipped = (np.uint32(on.k), np.uint32(on.label), np.uint32(NO_EDGE), np.uint32(NO_EDGE))
    slide = Slide(1, skipped, n, ZERO, at.mu, (0.0, 0.0), drag, at.x, u, is_stuck(path, at.mu), lift)
    return Course(path, stay, tau - stay), slide, 0.0
