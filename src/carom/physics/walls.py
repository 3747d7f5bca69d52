"""The time at which a ball touches a wall, and the normal of the wall there.

A wall feature is a record: a face of the box (PLANE), a straight edge (SEGMENT), a corner (CORNER), a circular wall
or arc seen from inside (BOWL) or from outside (DOME), or a fixed ball (PIN). Straight walls have a front: a ball that
is behind one by more than its radius is in another part of the region, and does not touch it. `slack` is the rounding
error of a coordinate of the region: walls are longer by that much, so that no ball, not even a point, can slip
through where two walls meet.
"""

from typing import Any, Final

import numpy as np

from carom.kernels.floats import next_up
from carom.kernels.jit import inline, noinline
from carom.physics.flight import place
from carom.physics.roots import first_crossing

PLANE: Final = 0
SEGMENT: Final = 1
CORNER: Final = 2
BOWL: Final = 3
DOME: Final = 4
PIN: Final = 5

GRAZING: Final = 2.0**-48  # of its largest term: a smaller discriminant has hardly a correct digit
NARROWEST: Final = 1e4  # slacks: less room than this between ball and bowl counts as this much

NO_BALL: Final = 0xFFFFFFFF

wall_record = np.dtype(
    [
        ("kind", "u4"), ("material", "u4"), ("label", "u4"), ("ball", "u4"),
        ("px", "f8"), ("py", "f8"), ("pz", "f8"),  # a point of a straight wall, or the centre of a round one, m
        ("nx", "f8"), ("ny", "f8"), ("nz", "f8"),  # unit normal into the region; of an arc, the direction of its middle
        ("tx", "f8"), ("ty", "f8"),  # unit tangent of a segment
        ("length", "f8"),  # of a segment, m
        ("r", "f8"),  # radius of a round wall, m
        ("cosine", "f8"),  # of half the angle of an arc; below -1: a whole circle
        ("slack", "f8"),  # m
    ]
)  # fmt: skip


@inline
def within(wall: Any, x: float, y: float) -> bool:
    """Is the direction of (x, y), seen from the centre, within the angle of a round wall?"""
    if wall.cosine < -1.0:
        return True
    return bool(x * wall.nx + y * wall.ny >= wall.cosine * np.sqrt(x * x + y * y) - wall.slack)


@inline
def straight_time(gap: float, v: float, a: Any, radius: float, slack: float) -> float:
    """The time τ at which a gap with rate v and acceleration a closes: gap + v τ + a τ²/2 = 0, falling."""
    if gap < -(radius + slack):  # behind the wall: only a flight over it and back can touch it
        if a is None:
            return np.inf
        return (v + np.sqrt(v * v - 2.0 * a * gap)) / -a if v > 0.0 and a < 0.0 and v * v > 2.0 * a * gap else np.inf
    if a is None or a == 0.0:
        return max(gap, 0.0) / -v if v < 0.0 else np.inf
    h = max(gap, 0.0) if gap > -slack else gap
    disc = v * v - 2.0 * a * h
    if v < 0.0:
        return 2.0 * max(h, 0.0) / (np.sqrt(disc) - v) if disc >= 0.0 else np.inf
    return (v + np.sqrt(disc)) / -a if a < 0.0 and disc >= 0.0 else np.inf


@inline
def inside_time(d: float, b: float, c: float, vv: float, disc: float, rho: float, wall: Any) -> float:
    """When a ball reaches a round wall from inside: the larger root of |d + v τ| = ρ.

    A ball that slides along the wall is inside or outside it by rounding, and may miss it by as little: then it
    touches where it is nearest. No ball inside a whole circle misses it; an arc is missed by more than its slack, or
    not at all.
    """
    if c >= 0.0 and b > 0.0:
        # A whole circle has no far side.
        return 0.0 if wall.cosine < -1.0 or d <= (wall.r + wall.slack) ** 2 else np.inf
    if vv == 0.0 or (wall.cosine >= -1.0 and disc < -2.0 * (rho * wall.slack) * vv):
        return np.inf
    if disc < GRAZING * (rho * rho) * vv:  # all rounding; from inside, b² - c v² is a sum, which cannot cancel
        disc = max(b * b - c * vv, 0.0)
    root = np.sqrt(disc)
    return -c / (b + root) if b > 0.0 else (root - b) / vv


@inline
def round_time(ball: Any, wall: Any, dx: float, dy: float, dz: float, d: float, c: float, rho: float) -> float:
    """When a ball that flies straight reaches a round wall: |d + v τ| = ρ, a quadratic."""
    b = (dx * ball.vx + dy * ball.vy) + dz * ball.vz
    kx = dy * ball.vz - dz * ball.vy
    ky = dz * ball.vx - dx * ball.vz
    kz = dx * ball.vy - dy * ball.vx
    vv = (ball.vx * ball.vx + ball.vy * ball.vy) + ball.vz * ball.vz
    disc = (rho * rho) * vv - ((kx * kx + ky * ky) + kz * kz)
    if wall.kind == BOWL:
        s = inside_time(d, b, c, vv, disc, rho, wall)
    else:
        s = max(c, 0.0) / (np.sqrt(disc) - b) if b < 0.0 and disc >= 0.0 else np.inf
    return s if s == np.inf or within(wall, dx + ball.vx * s, dy + ball.vy * s) else np.inf


@noinline
def contact_time(ball: Any, wall: Any, ax: Any, ay: Any, az: Any) -> float:
    """The time at which a ball (its anchor) first touches a wall under the acceleration a, or infinity."""
    dx, dy, dz = ball.x - wall.px, ball.y - wall.py, ball.z - wall.pz
    if wall.kind == PLANE or wall.kind == SEGMENT:
        gap = ((dx * wall.nx + dy * wall.ny) + dz * wall.nz) - ball.r
        v = (ball.vx * wall.nx + ball.vy * wall.ny) + ball.vz * wall.nz
        if ax is None:
            s = straight_time(gap, v, None, ball.r if wall.kind == SEGMENT else np.inf, wall.slack)
        else:
            a = (ax * wall.nx + ay * wall.ny) + az * wall.nz
            s = straight_time(gap, v, a, ball.r if wall.kind == SEGMENT else np.inf, wall.slack)
        if wall.kind == SEGMENT and s < np.inf:
            along = place(dx, ball.vx, ax, s) * wall.tx + place(dy, ball.vy, ay, s) * wall.ty
            if along < -wall.slack or along > wall.length + wall.slack:
                return np.inf
        return ball.t + s
    rho = wall.r - ball.r if wall.kind == BOWL else wall.r + ball.r
    if rho < 0.0:
        return np.inf
    d = (dx * dx + dy * dy) + dz * dz
    c = d - rho * rho
    if wall.kind == DOME and d < (max(wall.r - wall.slack, 0.0)) ** 2 and wall.cosine >= -1.0:
        return np.inf  # on the far side of an arc
    if ax is None or (ax == 0.0 and ay == 0.0 and az == 0.0):
        return ball.t + round_time(ball, wall, dx, dy, dz, d, c, rho)
    return ball.t + curved_time(ball, wall, (dx, dy, dz), c, (ax, ay, az))


@noinline
def curved_time(ball: Any, wall: Any, d: Any, c: float, a: Any) -> float:
    """When a ball on a parabola reaches a round wall: roots of a quartic in turn, until one lies on the wall.

    |d + v τ + a τ²/2|² = ρ², where c = d² - ρ².
    """
    (dx, dy, dz), (ax, ay, az) = d, a
    coefficients = (
        c,
        2.0 * ((dx * ball.vx + dy * ball.vy) + dz * ball.vz),
        ((ball.vx * ball.vx + ball.vy * ball.vy) + ball.vz * ball.vz) + ((dx * ax + dy * ay) + dz * az),
        (ball.vx * ax + ball.vy * ay) + ball.vz * az,
        0.25 * ((ax * ax + ay * ay) + az * az),
    )
    after = 0.0
    for _ in range(4):
        s = first_crossing(coefficients, wall.kind != BOWL, after)
        if s == np.inf:
            return np.inf
        if within(wall, place(dx, ball.vx, ax, s), place(dy, ball.vy, ay, s)):
            return s
        after = next_up(s) if s > after else next_up(after)
    return np.inf


@inline
def normal(ball: Any, wall: Any) -> tuple[float, float, float]:
    """The unit normal of a wall where a ball touches it, towards the ball's centre."""
    if wall.kind == PLANE or wall.kind == SEGMENT:
        return wall.nx, wall.ny, wall.nz
    dx, dy, dz = ball.x - wall.px, ball.y - wall.py, ball.z - wall.pz
    s = np.sqrt((dx * dx + dy * dy) + dz * dz)
    if s == 0.0:  # a point exactly on a corner goes back where it came from
        dx, dy, dz = -ball.vx, -ball.vy, -ball.vz
        s = np.sqrt((dx * dx + dy * dy) + dz * dz)
    if wall.kind == BOWL:
        s = -s
    return dx / s, dy / s, dz / s


@inline
def parting_rate(ball: Any, wall: Any) -> float:
    """The rate at which a ball parts from a wall that it touches, up to a factor; signed as in `contact_time`."""
    if wall.kind == PLANE or wall.kind == SEGMENT:
        return (ball.vx * wall.nx + ball.vy * wall.ny) + ball.vz * wall.nz
    b = ((ball.x - wall.px) * ball.vx + (ball.y - wall.py) * ball.vy) + (ball.z - wall.pz) * ball.vz
    return -b if wall.kind == BOWL else b


@inline
def least_departure(ball: Any, wall: Any, u: float, press: float) -> float:
    """The least speed at which a ball that meets a bowl at the speed u departs from it: it rises by the wall's slack.

    Along a bowl of radius ρ at the speed v it is pressed with a = v²/ρ + press, and rises by u²/2a. Lower hops are lost
    in the rounding of places, and a sliding ball would make them without end. A bowl in which it just fits counts as
    wider.
    """
    vv = (ball.vx * ball.vx + ball.vy * ball.vy) + ball.vz * ball.vz
    a = max(vv - u * u, 0.0) / max(wall.r - ball.r, NARROWEST * wall.slack) + press
    return np.sqrt(2.0 * wall.slack * a) if a > 0.0 else 0.0
