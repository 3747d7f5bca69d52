"""Places of a cloth between its corners, which meet what is forbidden as the corners do.

The corners alone would let pass what is narrower than the mesh: a nail, a thin bar, a small ball. A feeler is at
Σ s x of three corners, with shares s that add up to 1. What it meets gives it an impulse J, of which each corner has
s J, so that momentum is handed on exactly; the feeler answers as a body of 1/m' = Σ s²/m would.
"""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, stage
from carom.physics.regions import nearest, probe
from carom.physics.swept_contact import first_contact, slack_of
from carom.solvers.stepped.contacts.paths import across, dot, joined, moved
from carom.solvers.stepped.regions.clearance import is_free
from carom.solvers.stepped.regions.cloth import RECOVERY, Slip, friction_response, mark_start, normal_response
from carom.solvers.stepped.regions.responses import NOWHERE
from carom.solvers.stepped.regions.surfaces import material_of


class Feelers(NamedTuple):
    """The feelers of a scene."""

    corners: Any  # (F, 3) uint32: rows of bodies
    shares: Any  # (F, 3)
    start: Any  # (N, 4): places of all bodies when the step begins


@inline
def mark_feelers(feelers: Any, bodies: Any, n: Index, dt: Real) -> None:
    """Store where all bodies are when the step begins: a step of dt has been made already; with 0 it is to come."""
    if len(feelers) > 0:
        mark_start(dt, bodies, n, feelers.start)


@inline
def feel(dim: Any, dt: Real, bodies: Any, n: Index, by: Any, walls: Any, feelers: Any) -> tuple[Real, Real]:
    """Let all feelers meet what is forbidden within a step of dt; energies lost by restitution and by friction, J."""
    return feel_all(dim, dt, bodies, n, by, walls, feelers) if len(feelers) > 0 else (0.0, 0.0)


@stage
def feel_all(dim: Any, dt: Real, bodies: Any, n: Index, by: Any, walls: Any, feelers: Any) -> tuple[Real, Real]:
    """Let feelers meet walls one by one, each with what those before it have left to its corners."""
    bounced, rubbed = 0.0, 0.0
    for f in range(feelers.corners.shape[0]):
        k = np.uint64(f)
        a, b, c = feelers.corners[k, 0], feelers.corners[k, 1], feelers.corners[k, 2]
        if max(a, b, c) >= n:
            continue
        x, way, r = way_of(feelers, k, bodies)
        reach = r + ((abs(way[0]) + abs(way[1])) + abs(way[2]))
        if not is_free(dim, walls.clearance, x[0], x[1], x[2], reach):
            lost = feel_one(dim, dt, bodies, by, walls, feelers, k)
            bounced += lost[0]
            rubbed += lost[1]
    return bounced, rubbed


@inline
def weighed(feelers: Any, k: Index, rows: Any) -> Any:
    """Σ s q of the corners of feeler k: its place or velocity or acceleration."""
    x, y, z = 0.0, 0.0, 0.0
    for c in range(3):
        corner, share = np.uint64(feelers.corners[k, np.uint64(c)]), feelers.shares[k, np.uint64(c)]
        x += share * rows[corner, 0]
        y += share * rows[corner, 1]
        z += share * rows[corner, 2]
    return x, y, z


@inline
def way_of(feelers: Any, k: Index, bodies: Any) -> tuple[Any, Any, Real]:
    """Where feeler k is, how far it has come within the step, and its radius."""
    x, was = weighed(feelers, k, bodies.place), weighed(feelers, k, feelers.start)
    return x, moved(x, -1.0, was), bodies.place[np.uint64(feelers.corners[k, 0]), 3]


@inline
def first_met(dim: Any, dt: Real, x: Any, way: Any, r: Real, walls: Any) -> tuple[Real, Any, Index]:
    """What a feeler met first on a straight way, τ before its end, or else what it is in there, with τ = 0.

    Gives τ, the normal, and the material; a τ of -1 if it met nothing.
    """
    path = joined(x, moved((0.0, 0.0, 0.0), 1.0 / dt, way), (0.0, 0.0, 0.0))
    tau, k, j = first_contact(dim, walls.regions, walls.edges, path, r, dt, NOWHERE)
    if tau >= 0.0:
        at = moved(x, -tau / dt, way)
        slack = slack_of(path, r, np.sqrt(dot(way, way)), walls.regions[k].scale)
        _, nx, ny, nz, _ = probe(dim, walls.regions, walls.edges, k, j, at, slack)
        return tau, (nx, ny, nz), material_of(walls.regions, walls.edges, k, j)
    deepest, n, wall = r, (0.0, 0.0, 0.0), np.uint32(0)
    for row in range(len(walls.regions)):
        d, nx, ny, nz, j = nearest(dim, walls.regions, walls.edges, np.uint32(row), x[0], x[1], x[2])
        if d < deepest:
            deepest, n, wall = d, (nx, ny, nz), material_of(walls.regions, walls.edges, np.uint32(row), j)
    return (0.0 if deepest < r else -1.0), n, wall


@inline
def depth_in(dim: Any, x: Any, r: Real, walls: Any) -> Real:
    """How deep a place is in what is forbidden, m; 0 outside."""
    deepest = 0.0
    for row in range(len(walls.regions)):
        d = nearest(dim, walls.regions, walls.edges, np.uint32(row), x[0], x[1], x[2])[0]
        deepest = max(deepest, r - d)
    return deepest


@noinline
def feel_one(dim: Any, dt: Real, bodies: Any, by: Any, walls: Any, feelers: Any, k: Index) -> tuple[Real, Real]:
    """Let feeler k part from what it met, as in `cloth.touch_triangle`, and hand on to its corners what that gave.

    Where it is inside, it comes out by a part of the depth, and by no more than forces move it in a step: the links are
    not to be stretched at once.
    """
    x, way, r = way_of(feelers, k, bodies)
    tau, n, wall = first_met(dim, dt, x, way, r, walls)
    inverse_mass = 0.0
    for c in range(3):
        share = feelers.shares[k, np.uint64(c)]
        inverse_mass += share * share * bodies.velocity[np.uint64(feelers.corners[k, np.uint64(c)]), 3]
    if tau < 0.0 or inverse_mass == 0.0:
        return 0.0, 0.0
    own = np.uint64(by.material[np.uint64(feelers.corners[k, 0])])
    u, a = weighed(feelers, k, bodies.velocity), weighed(feelers, k, bodies.accel)
    straight = moved((0.0, 0.0, 0.0), 1.0 / dt, way)
    un, acc, sn = dot(u, n), dot(a, n), dot(straight, n)
    gain, back, impact = 0.0, 0.0, False
    if min(un, un - acc * tau) < 0.0:
        gain, back, impact = normal_response(un, acc, sn, tau, dt, by.wall_bounce[own, wall])
    rub, shift, rubbed = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    mu = (by.wall_static[own, wall], by.wall_dynamic[own, wall])
    if mu[0] > 0.0:
        slip = Slip(across(u, n), across(a, n), across(straight, n))
        rub, shift, rubbed = friction_response(slip, gain / inverse_mass, tau, inverse_mass, mu, impact)
    end = moved(moved(x, back, n), inverse_mass, shift)
    back += min(RECOVERY * depth_in(dim, end, r, walls), 0.5 * np.sqrt(dot(a, a)) * dt * dt)
    jolt, move = moved(rub, gain / inverse_mass, n), moved(shift, back / inverse_mass, n)
    for c in range(3):
        corner = np.uint64(feelers.corners[k, np.uint64(c)])
        part = feelers.shares[k, np.uint64(c)] * bodies.velocity[corner, 3]
        for axis in range(3):
            bodies.velocity[corner, axis] += part * jolt[axis]
            bodies.place[corner, axis] += part * move[axis]
    return (acc * back - gain * (un + 0.5 * gain)) / inverse_mass, rubbed
