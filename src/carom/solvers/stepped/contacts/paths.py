"""Vectors of three numbers, and the parabola on which a body ends its step."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline
from carom.physics.swept_contact import place_before


@inline
def dot(a: Any, b: Any) -> Real:
    """Product of two vectors."""
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


@inline
def moved(a: Any, k: Real, b: Any) -> Any:
    """The vector a + k b."""
    return a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]


@inline
def across(a: Any, n: Any) -> Any:
    """The part of a that is perpendicular to n, of any length."""
    return moved(a, -dot(a, n) / dot(n, n), n)


@inline
def cross(a: Any, b: Any) -> Any:
    """The vector product of a and b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def joined(x: Any, u: Any, a: Any) -> Any:
    """The path that ends at x with velocity u, under the acceleration a."""
    return x[0], x[1], x[2], u[0], u[1], u[2], a[0], a[1], a[2]


@inline
def path_from(x: Any, u: Any, a: Any, tau: Real) -> Any:
    """The path that starts at x with velocity u and goes on for τ under the acceleration a."""
    end = moved(x, tau, moved(u, 0.5 * tau, a))
    v = moved(u, tau, a)
    return joined(end, v, a)


@inline
def path_of(dim: Any, place: Any, velocity: Any, accel: Any, i: Index) -> Any:
    """The path of body i."""
    i = np.uint32(i)
    if len(dim) == 3:
        x, v, a = place[i, 2], velocity[i, 2], accel[i, 2]
    else:
        x, v, a = 0.0, 0.0, 0.0
    return place[i, 0], place[i, 1], x, velocity[i, 0], velocity[i, 1], v, accel[i, 0], accel[i, 1], a


@inline
def mark_begin(dim: Any, dt: Real, i: Index, place: Any, velocity: Any, accel: Any, since: Any, begin: Any) -> None:
    """Keep where the step of body i began, as long as it is on its first path."""
    if since[i] == dt:
        begin[i, 0], begin[i, 1], begin[i, 2] = place_before(dim, path_of(dim, place, velocity, accel, i), dt)


@inline
def mark_change(dim: Any, dt: Real, i: Index, tau: Real, bodies: Any) -> None:
    """Note that the path of body i changes at τ before the end, and, the first time, where the step began."""
    mark_begin(dim, dt, i, bodies.place, bodies.velocity, bodies.accel, bodies.since, bodies.begin)
    bodies.since[i] = min(abs(bodies.since[i]), tau)
