"""Motion along the surface of a forbidden region: sliding, sticking, being led round it."""

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.impact import friction
from carom.physics.regions import ARC, OUTLINE, SEGMENT, label_of, probe
from carom.physics.swept_contact import ROUNDING
from carom.solvers.stepped.contacts.paths import across, cross, dot, joined, moved

GUESSES: Final = 8
"""Steps of Newton's method on a surface; three do in a smooth hollow."""


@inline
def friction_change(u: Any, jolt: Real, static: Real, dynamic: Real) -> tuple[Any, Real]:
    """What friction adds to the velocity u along a surface under the impulse `jolt` (m/s), and the energy it takes."""
    zero = (0.0, 0.0, 0.0)
    square = dot(u, u)
    if square == 0.0 or static == 0.0:
        return zero, 0.0
    speed = np.sqrt(square)
    j = friction(speed, jolt, static, dynamic)
    if j == speed:
        return moved(zero, -1.0, u), 0.5 * square
    return moved(zero, -j / speed, u), j * (speed - 0.5 * j)


@inline
def slide_path(u: Any, a: Any, tau: Real, static: Real, dynamic: Real) -> tuple[Any, Any, Any, Any]:
    """Sliding for τ with velocity u and acceleration a, against the friction of a load, `static` and `dynamic` in m/s².

    Gives the displacement, velocity at the end and acceleration of a path, and the deceleration by friction.
    """
    zero = (0.0, 0.0, 0.0)
    v = moved(u, tau, a)
    speed = np.sqrt(dot(v, v))
    if static > 0.0 and speed <= static * tau:
        stop = min(np.sqrt(dot(u, u)) / static, tau)
        way = moved(zero, 0.5 * stop, u)
        return way, zero, moved(zero, -2.0 / (tau * tau), way), a
    drag = moved(zero, dynamic / speed, v) if dynamic > 0.0 else zero
    b = moved(a, -1.0, drag)
    return moved(zero, tau, moved(u, 0.5 * tau, b)), moved(u, tau, b), b, drag


@inline
def friction_work(drag: Any, x: Any, u: Any, at: Any, v: Any, sticks: bool) -> Real:
    """The energy that friction took, a unit of mass, from a body that slid from x, with u, to another place, with v."""
    worked = dot(drag, moved(at, -1.0, x))
    return worked + 0.5 * (dot(u, u) - dot(v, v)) if sticks else worked


class Surface(NamedTuple):
    """What a body touches: a feature of a region, and its shape there."""

    k: Any  # region
    j: Any  # feature
    label: Any
    n: Any  # unit normal
    kappa: Any  # how hollow it is, 1/m
    slack: Any  # rounding of gaps, m


@inline
def surface_at(dim: Any, walls: Any, k: Index, j: Index, x: Any, slack: Real) -> Surface:
    """Feature j of region k as a body at x finds it."""
    gap, nx, ny, nz, kappa = probe(dim, walls.regions, walls.edges, k, j, x, slack)
    if gap == np.inf:  # beside the end of the arc that it has met, by the rounding of a long way
        gap, nx, ny, nz, kappa = probe(dim, walls.regions, walls.edges, k, j, x, np.inf)
    return Surface(k, j, label_of(walls.regions, walls.edges, k, j), (nx, ny, nz), kappa, slack)


@inline
def distance(dim: Any, walls: Any, on: Any, x: Any) -> Any:
    """Distance from a surface and its normal; an edge goes on straight, an arc as a circle, until the step ends."""
    regions, edges, k, j, slack = walls.regions, walls.edges, on.k, on.j, on.slack
    if regions[np.uint32(k)].kind == OUTLINE and edges[np.uint32(j)].kind == SEGMENT:
        edge = edges[np.uint32(j)]
        return (x[0] - edge.x) * edge.nx + (x[1] - edge.y) * edge.ny, edge.nx, edge.ny, 0.0
    if regions[np.uint32(k)].kind == OUTLINE and edges[np.uint32(j)].kind == ARC:
        slack = np.inf
    d, nx, ny, nz, _ = probe(dim, regions, edges, k, j, x, slack)
    return d, nx, ny, nz


@noinline
def rise_to_surface(dim: Any, walls: Any, on: Any, x: Any, way: Any, free: Real, r: Real) -> Real:
    """How far along the normal a body that goes from x by `way` on a tangent must be moved to be on the surface.

    Down by at most `free`, as far as it would fall; or up, out of a hollow. Newton's method: on what is convex it comes
    from outside, in a hollow from inside, so that it never gets to the far side of something thin.
    """
    rise, n = 0.0, on.n
    for _ in range(GUESSES):
        at = moved(moved(x, 1.0, way), rise, n)
        d, nx, ny, nz = distance(dim, walls, on, at)
        g = d - r
        slope = (nx * n[0] + ny * n[1]) + nz * n[2]
        if abs(g) <= on.slack or not slope > 0.0 or not g < np.inf:
            break
        rise -= g / slope
        if rise <= -free:
            break
    return max(rise, -free)


@inline
def keeps_bearing(u: Any, p: Any, n: Any, dt: Real) -> bool:
    """Does a surface with normal n, which a body touches, keep bearing it at velocity u and acceleration p?"""
    s, b = dot(u, n), dot(p, n)
    return bool(s < -ROUNDING * np.sqrt(dot(u, u)) or (b < 0.0 and s <= -b * dt))


@noinline
def path_on_surface(dim: Any, walls: Any, on: Any, start: Any, tau: Real, r: Real, mu: Any) -> tuple[Any, Any]:
    """The path of a body on one surface for the rest of the step, and its deceleration by friction.

    `start` is (place, velocity, acceleration), `mu` the coefficients of friction.
    """
    (x, u, a), n = start, on.n
    load = -dot(a, n)
    along = across(a, n)
    r += min(distance(dim, walls, on, x)[0] - r, 0.0)  # one that was inside is not thrown out
    way = moved((0.0, 0.0, 0.0), tau, moved(u, 0.5 * tau, along))
    rise = rise_to_surface(dim, walls, on, x, way, 0.5 * load * tau * tau, r)
    bent = max(load + 2.0 * rise / (tau * tau), 0.0)  # what is curved bears more, or less
    way, v, b, drag = slide_path(u, along, tau, mu[0] * bent, mu[1] * bent)
    end = moved(x, 1.0, way)
    if rise == 0.0 or dot(v, v) == 0.0:
        return joined(end, v, b), drag
    rise = rise_to_surface(dim, walls, on, x, way, 0.5 * load * tau * tau, r)
    end = moved(end, rise, n)
    half = moved(moved(u, 0.5 * tau, b), rise / tau, n)
    v = moved(moved(half, 0.5 * tau, b), -0.5 * tau * load, n)
    d, nx, ny, nz = distance(dim, walls, on, end)
    out = (nx, ny, nz)
    if d - r <= on.slack and dot(v, out) < 0.0:
        v = across(v, out)
    return joined(end, v, moved((0.0, 0.0, 0.0), 2.0 / tau, moved(v, -1.0, half))), drag


@inline
def path_in_edge(x: Any, u: Any, a: Any, n: Any, h: Any, tau: Real, static: Any, dynamic: Any) -> tuple[Any, Any]:
    """The path of a body on two surfaces, along the edge where they meet, and its deceleration by friction.

    n, h are their unit normals, u is along both; `static` and `dynamic` have the coefficients of friction of both.
    """
    line = cross(n, h)
    sine = dot(line, line)  # squared
    along = moved((0.0, 0.0, 0.0), dot(a, line) / sine, line)
    an, ah, c = dot(a, n), dot(a, h), dot(n, h)
    one = max((c * ah - an) / sine, 0.0)
    two = max((c * an - ah) / sine, 0.0)
    way, v, b, drag = slide_path(u, along, tau, static[0] * one + static[1] * two, dynamic[0] * one + dynamic[1] * two)
    return joined(moved(x, 1.0, way), v, b), drag


@inline
def material_of(regions: Any, edges: Any, k: Index, j: Index) -> Index:
    """The material of a feature."""
    if regions[np.uint32(k)].kind == OUTLINE:
        return np.uint32(edges[np.uint32(j)].material)
    return np.uint32(regions[np.uint32(k)].material)


@inline
def continues(n: Any, h: Any, r: Real, slack: Real) -> bool:
    """Is a surface that is met the continuation of one that the body slides on, but for the rounding of gaps?"""
    return bool(1.0 - dot(n, h) <= ROUNDING + min(2.0 * slack / r, 1e-6) if r > 0.0 else 1.0 - dot(n, h) <= ROUNDING)


@inline
def is_edge(n: Any, h: Any) -> bool:
    """Do two surfaces meet in an edge, not back to back?"""
    line = cross(n, h)
    return bool(dot(line, line) > 1e-12)
