"""Impacts: what restitution and friction make of the velocities of two bodies, or of a body and a wall, that meet.

Both solvers call these laws, which stand here alone. Balls are smooth in the exact solver, so that only the component
along the normal changes; the stepped solver adds Coulomb friction for bodies that do not turn.
"""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Real, inline, noinline
from carom.physics.walls import parting_rate

EPS: Final = 2.0**-52
MOST_DOUBLINGS = 2100
"""As many as lead from the smallest number to the largest."""
UNLIKE = 256.0
"""Ratio of masses beyond which a last bit of the light ball's velocity is too much for the heavy one's momentum."""


@inline
def velocity_change(e: Real, u: Real) -> Real:
    """-(1 + e) u: what an impact with restitution e adds to the normal velocity u with which two bodies meet.

    u is negative, for the normal points from the second body (or the wall) to the first; afterwards it is -e u.
    """
    return -(1.0 + e) * u


@inline
def parting_speed(e: Real, speed: Real) -> Real:
    """e u₀: how fast two bodies part that met at the speed u₀."""
    return e * speed


@inline
def impulse(e: Real, m: Real, u: Real) -> Real:
    """J = -(1 + e) m u between two bodies of the reduced mass m; of a body and a wall m is the body's mass."""
    return velocity_change(e, m) * u


@inline
def impulse_of_pair(e: Real, u: Real, w: Real) -> Real:
    """J = -(1 + e) u / w between two bodies with w = 1/m₁ + 1/m₂, where 1/m is 0 for one that is held."""
    return velocity_change(e, u) / w


@inline
def bounce_factor(j: Real, u: Real, w: Real) -> Real:
    """1 + e, read off the impulse J of a collision: the inverse of `impulse_of_pair`."""
    return j * w / -u


@inline
def energy_taken(e: Real) -> Real:
    """(1 - e²)/2: the part of m u² that an impact takes, with the reduced mass m and the normal velocity u."""
    return 0.5 * (1.0 - e * e)


@inline
def friction(stop: Real, press: Real, static: Real, dynamic: Real) -> Real:
    """The impulse of Coulomb's friction under the normal impulse `press`, where `stop` would end all sliding.

    It is `stop` if that takes no more than μₛ of the normal impulse, else μ_d of it.
    """
    return stop if stop <= static * press else min(dynamic * press, stop)


@inline
def push(ball: Any, k: float, nx: float, ny: float, nz: float) -> None:
    """Change the velocity of a ball by k n."""
    ball.vx += k * nx
    ball.vy += k * ny
    ball.vz += k * nz


@inline
def separation_speed(one: Any, two: Any, nx: float, ny: float, nz: float) -> float:
    """(v₁ - v₂)·n, positive when two balls part; n points from the second to the first."""
    return ((one.vx - two.vx) * nx + (one.vy - two.vy) * ny) + (one.vz - two.vz) * nz


@inline
def collide(one: Any, two: Any, nx: float, ny: float, nz: float, e: float) -> float:
    """Two balls meet with normal n (from the second to the first, of any length) and restitution e; gives J/|n|.

    J = -μ (1 + e) (v₁ - v₂)·n / n·n with the reduced mass μ; v₁ += J n / m₁, v₂ -= J n / m₂ (M-11; T-13 is e = 1).
    Divided by n·n it is a reflection whatever the length of n; a normal that is made a unit vector first is on average
    a little short, and the energy would drift.
    """
    u = separation_speed(one, two, nx, ny, nz)
    # As shares of the total mass, not with μ itself: equal masses exchange exactly, and no product can overflow.
    both = one.m + two.m
    k = velocity_change(e, u) / ((nx * nx + ny * ny) + nz * nz)
    # The two changes must add up to k exactly: the rounding of shares or of their difference has a mean that is not
    # zero, which would be a restitution that is always a little too large or too small. So the smaller change also
    # takes what the difference loses by rounding (Fast2Sum, T. J. Dekker, Numer. Math. 18 (1971) 224).
    lighter, heavier = min(one.m, two.m), max(one.m, two.m)
    least = k * (lighter / both)
    rest = k - least
    least += (k - rest) - least if heavier <= UNLIKE * lighter else 0.0
    k1 = least if two.m <= one.m else rest
    k2 = rest if two.m <= one.m else least
    push(one, k1, nx, ny, nz)
    push(two, -k2, nx, ny, nz)
    if u < 0.0 and separation_speed(one, two, nx, ny, nz) <= u:
        separate(one, two, nx, ny, nz, k1, k2)
    return k1 * one.m


@noinline
def separate(one: Any, two: Any, nx: float, ny: float, nz: float, k1: float, k2: float) -> None:
    """Separate two balls whose approach is so slow that rounding loses their change: change them by a little more.

    Else they would meet at the same instant again and again. Only the last bits of the velocities change.
    """
    for _ in range(MOST_DOUBLINGS):
        k1, k2 = 2.0 * k1, 2.0 * k2
        push(one, k1, nx, ny, nz)
        push(two, -k2, nx, ny, nz)
        if separation_speed(one, two, nx, ny, nz) >= 0.0:
            return


@inline
def normal_velocity(ball: Any, nx: float, ny: float, nz: float) -> float:
    """v·n: the velocity of a ball along n, positive away from a wall with the normal n."""
    return (ball.vx * nx + ball.vy * ny) + ball.vz * nz


@inline
def rebound(ball: Any, nx: float, ny: float, nz: float, e: float) -> float:
    """A ball meets a wall with unit normal n towards the ball: v -= (1 + e) (v·n) n; gives the impulse.

    The length of n is never exactly 1, unless n lies along an axis. With the same n at each hit, the same rounding
    error would come back each time, and the energy would drift; dividing by n·n as in `collide` does not help, for that
    is rounded the same way, too. So n is first scaled by a factor from 1 to 2 that differs from hit to hit: then the
    errors average out.
    """
    u = normal_velocity(ball, nx, ny, nz)
    k = velocity_change(e, u)
    if u == 0.0 or max(abs(nx), abs(ny), abs(nz)) == 1.0:
        push(ball, k, nx, ny, nz)
        return k * ball.m
    length = 1.0 + abs(u) / ((abs(ball.vx) + abs(ball.vy)) + abs(ball.vz))
    wx, wy, wz = length * nx, length * ny, length * nz
    f = velocity_change(e, normal_velocity(ball, wx, wy, wz) / ((wx * wx + wy * wy) + wz * wz))
    push(ball, f, wx, wy, wz)
    return k * ball.m


@noinline
def depart_at(ball: Any, nx: float, ny: float, nz: float, least: float) -> float:
    """Let a ball depart from a wall with unit normal n at the speed `least`, at the cost of its speed along the wall.

    Its speed |v| does not change, unless it is less than `least`; gives the impulse.
    """
    u = normal_velocity(ball, nx, ny, nz)
    tx, ty, tz = ball.vx - u * nx, ball.vy - u * ny, ball.vz - u * nz
    slide = (tx * tx + ty * ty) + tz * tz
    f = np.sqrt(max((slide + u * u) - least * least, 0.0) / slide) if slide > 0.0 else 0.0
    ball.vx, ball.vy, ball.vz = f * tx + least * nx, f * ty + least * ny, f * tz + least * nz
    return (least - u) * ball.m


@noinline
def push_off(ball: Any, wall: Any, nx: float, ny: float, nz: float, k: float) -> None:
    """Push off a ball that by rounding still moves into the wall, by as little as that takes."""
    k = max(abs(k), EPS * max(abs(ball.vx), abs(ball.vy), abs(ball.vz)))
    for _ in range(MOST_DOUBLINGS):
        push(ball, k, nx, ny, nz)
        if parting_rate(ball, wall) >= 0.0:
            return
        k *= 2.0
