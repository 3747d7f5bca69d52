"""The first contact of a ball, on the parabola of a step, with a region.

A path is nine numbers, of its end: place, velocity and acceleration. Going back from its end by τ,

    x(τ) = x₁ - (u(τ) + a τ/2) τ,    u(τ) = u₁ - a τ.

The search goes forward, from a τ where the ball is free, by conservative advancement: at each place the distance, the
normal and the hollowness κ of a feature (`physics.regions`) bound the gap from below for the rest of the path,

    g(s) ≥ g + u·n s + (a·n - κ V²) s²/2    and    g(s) ≥ g - V s,

with V the largest speed on it. The ball is moved to where the first of these could vanish at the earliest, which is
never too far. For a plane the first bound is the gap itself, so that its contact is exact; for round things the search
converges as Newton's does. After B. Mirtich, PhD thesis, Berkeley (1996), with the tangent plane in place of the speed.

A gap up to `slack`, some units of rounding of the coordinates, is none: touching and approaching is a contact now,
touching and receding is none until it approaches.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.regions import ARC, NO_EDGE, OUTLINE, box_gap, label_of, on_arc, probe
from carom.physics.vectors import dot

MOST_STEPS: Final = 256
"""Steps of a search; after these it takes the place that it has reached, just before the contact, for the contact.
Of a million paths, some much more curved than the hollows that they went into, none took 64."""

ROUNDING: Final = 8.0 * 2.220446049250313e-16
"""Relative error of a place on a path, and of a distance; some units larger than any that was observed."""

NO_CONTACT: Final = -1.0
"""Stands for the time of a contact where there is none."""


@inline
def place_before(dim: Any, path: Any, tau: Real) -> tuple[Real, Real, Real]:
    """The place of the ball at τ before the end of its path.

    Moving from there to the end as x₁ = x + (u + a τ/2) τ, and back again, gives the same bits from the second time on.
    """
    x = path[0] - ((path[3] - path[6] * tau) + 0.5 * path[6] * tau) * tau
    y = path[1] - ((path[4] - path[7] * tau) + 0.5 * path[7] * tau) * tau
    if len(dim) == 3:
        return x, y, path[2] - ((path[5] - path[8] * tau) + 0.5 * path[8] * tau) * tau
    return x, y, 0.0


@inline
def velocity_before(dim: Any, path: Any, tau: Real) -> tuple[Real, Real, Real]:
    """The velocity of the ball at τ before the end of its path."""
    if len(dim) == 3:
        return path[3] - path[6] * tau, path[4] - path[7] * tau, path[5] - path[8] * tau
    return path[3] - path[6] * tau, path[4] - path[7] * tau, 0.0


@inline
def top_speed(dim: Any, path: Any, tau: Real) -> Real:
    """The largest speed on the rest of a path, which is at one of its ends."""
    first, last = velocity_before(dim, path, tau), (path[3], path[4], path[5])
    return np.sqrt(max(dot(dim, first, first), dot(dim, last, last)))


@inline
def slack_of(path: Any, r: Real, length: Real, scale: Real) -> Real:
    """The rounding error of a gap on a path of some length near a region of some size, m."""
    return ROUNDING * ((((abs(path[0]) + abs(path[1])) + abs(path[2])) + r) + (length + scale))


@inline
def falling_time(g: Real, v: Real, q: Real) -> Real:
    """The first s at which g + v s + q s²/2, not negative at s = 0, falls to zero; infinity if it never does."""
    if v < 0.0:
        disc = v * v - 2.0 * q * g
        return 2.0 * g / (np.sqrt(disc) - v) if disc >= 0.0 else np.inf
    return (v + np.sqrt(v * v - 2.0 * q * g)) / -q if q < 0.0 else np.inf


@inline
def time_to_arc(edge: Any, path: Any, x: Any, velocity: Any, slack: Real) -> Real:
    """The time until the ball, which is at x beyond a side of an arc, is between both sides."""
    (u, v, _), dx, dy = velocity, x[0] - edge.x, x[1] - edge.y
    s = 0.0
    h = dx * edge.ax + dy * edge.ay
    if h < -slack:
        s = falling_time(-h, -(u * edge.ax + v * edge.ay), -(path[6] * edge.ax + path[7] * edge.ay))
    h = dx * edge.bx + dy * edge.by
    if h < -slack:
        s = max(s, falling_time(-h, -(u * edge.bx + v * edge.by), -(path[6] * edge.bx + path[7] * edge.by)))
    return s


@inline
def safe_time(g: Real, un: Real, an: Real, kappa: Real, fastest: Real) -> Real:
    """A time within which a gap g cannot vanish, at a speed of at most `fastest`."""
    s = g / fastest
    if kappa < np.inf:
        s = max(s, falling_time(g, un, an - kappa * (fastest * fastest)))
    return s


class Sweep(NamedTuple):
    """The motion of a ball in a step."""

    path: Any  # nine numbers, of its end
    r: Any  # radius, m
    fastest: Any  # the largest speed on it, m/s


@noinline
def contact_before(
    dim: Any, regions: Any, edges: Any, k: Index, j: Index, sweep: Any, tau: Real, least: Real
) -> Real:  # fmt: skip
    """The time of the first contact with a feature, as time before the end of the path; or NO_CONTACT.

    The search begins at τ before the end, where the ball is free, and ends at `least` before it.
    """
    path, r, fastest = sweep.path, sweep.r, sweep.fastest
    slack = slack_of(path, r, fastest * tau, regions[np.uint32(k)].scale)
    bounded = regions[np.uint32(k)].kind == OUTLINE and edges[np.uint32(j)].kind == ARC
    outside = False
    for _ in range(MOST_STEPS):
        x, u = place_before(dim, path, tau), velocity_before(dim, path, tau)
        outside = bounded and not on_arc(edges[np.uint32(j)], x[0], x[1], slack)
        if outside:
            s = time_to_arc(edges[np.uint32(j)], path, x, u, slack)
            if not s <= tau - least or tau - s == tau:
                return NO_CONTACT
            tau -= s
            continue
        d, nx, ny, nz, kappa = probe(dim, regions, edges, k, j, x, slack)
        g, n = d - r, (nx, ny, nz)
        un, an = dot(dim, u, n), dot(dim, (path[6], path[7], path[8]), n)
        if g <= slack:
            if abs(un) <= ROUNDING * np.sqrt(dot(dim, u, u)):
                un = 0.0  # along the surface
            if un < 0.0 or (un == 0.0 and (an < 0.0 or (kappa > 0.0 and an < kappa * (fastest * fastest)))):
                return tau
            g = 0.0
        s = safe_time(g, un, an, kappa, fastest)
        if kappa > 0.0 and s < tau:  # it may be slower soon than at the fastest end
            later = velocity_before(dim, path, max(tau - 4.0 * s, 0.0))
            slower = np.sqrt(max(dot(dim, u, u), dot(dim, later, later)))
            s = max(s, min(4.0 * s, safe_time(g, un, an, kappa, slower)))
        if not s <= tau - least:
            return NO_CONTACT
        if tau - s == tau:
            return tau
        tau -= s
    return NO_CONTACT if outside else tau


@noinline
def first_contact(
    dim: Any, regions: Any, edges: Any, path: Any, r: Real, tau: Real, skipped: Any
) -> tuple[Real, Index, Index]:
    """The first contact of a ball from τ before the end of its path on: when, with which region and which feature.

    Features that it already slides on are left out: `skipped`, two pairs of region and label in one tuple. Of two at
    the same time, the first in the table is taken.
    """
    best, region, feature = NO_CONTACT, np.uint32(0), np.uint32(NO_EDGE)
    fastest = top_speed(dim, path, tau)
    if fastest == 0.0 or not tau > 0.0:
        return best, region, feature
    reach, sweep = r + fastest * tau, Sweep(path, r, fastest)
    for row in range(len(regions)):
        k = np.uint32(row)
        first, last = np.uint32(NO_EDGE), np.uint64(NO_EDGE) + np.uint64(1)
        if regions[k].kind == OUTLINE:
            if box_gap(regions[k], path[0], path[1]) > (1.0 + ROUNDING) * reach * reach:
                continue
            first, last = regions[k].first, np.uint64(regions[k].first + regions[k].count)
        for index in range(np.uint64(first), last):
            j = np.uint32(index)
            label = label_of(regions, edges, k, j)
            if (k == skipped[0] and label == skipped[1]) or (k == skipped[2] and label == skipped[3]):
                continue
            hit = contact_before(dim, regions, edges, k, j, sweep, tau, max(best, 0.0))
            if hit > best:
                best, region, feature = hit, k, j
    return best, region, feature
