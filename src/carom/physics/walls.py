"""When does a ball touch a wall, and in which direction is the wall then?

A wall feature is a record: a face of the box (PLANE), a straight edge (SEGMENT), a corner (CORNER), a circular wall
or arc seen from inside (BOWL) or from outside (DOME), or a fixed ball (PIN). Straight walls have a front: a ball that
is behind one by more than its radius is in another part of the region, and does not touch it. `slack` is the rounding
error of a coordinate of the region: walls are longer by that much, so that no ball, not even a point, can slip
through where two walls meet.
"""

from typing import Any, Final

import numpy as np

from carom.physics.flight import place
from carom.physics.jit import branch, law
from carom.physics.roots import first_crossing

PLANE: Final = 0
SEGMENT: Final = 1
CORNER: Final = 2
BOWL: Final = 3
DOME: Final = 4
PIN: Final = 5

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


@law
def within(wall: Any, x: float, y: float) -> bool:
    """Does a round wall reach to the direction of (x, y), seen from its centre?"""
    if wall.cosine < -1.0:
        return True
    return bool(x * wall.nx + y * wall.ny >= wall.cosine * np.sqrt(x * x + y * y) - wall.slack)


@law
def straight_time(gap: float, v: float, a: Any, radius: float, slack: float) -> float:
    """When a gap that closes at rate v, with acceleration a, is gone: gap + v τ + a τ²/2 = 0, falling."""
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


@law
def inside_time(d: float, b: float, c: float, vv: float, disc: float, wall: Any) -> float:
    """When a ball reaches a round wall from inside: the larger root of |d + v τ| = ρ."""
    if c >= 0.0 and b > 0.0:
        # A whole circle has no far side.
        return 0.0 if wall.cosine < -1.0 or d <= (wall.r + wall.slack) ** 2 else np.inf
    if disc < 0.0 or vv == 0.0:
        return np.inf
    root = np.sqrt(disc)
    return -c / (b + root) if b > 0.0 else (root - b) / vv


@branch
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
    b = (dx * ball.vx + dy * ball.vy) + dz * ball.vz
    c = d - rho * rho
    if wall.kind == DOME and d < (max(wall.r - wall.slack, 0.0)) ** 2 and wall.cosine >= -1.0:
        return np.inf  # on the far side of an arc
    if ax is None:
        kx = dy * ball.vz - dz * ball.vy
        ky = dz * ball.vx - dx * ball.vz
        kz = dx * ball.vy - dy * ball.vx
        vv = (ball.vx * ball.vx + ball.vy * ball.vy) + ball.vz * ball.vz
        disc = (rho * rho) * vv - ((kx * kx + ky * ky) + kz * kz)
        if wall.kind == BOWL:
            s = inside_time(d, b, c, vv, disc, wall)
        else:
            s = max(c, 0.0) / (np.sqrt(disc) - b) if b < 0.0 and disc >= 0.0 else np.inf
        if s < np.inf and not within(wall, dx + ball.vx * s, dy + ball.vy * s):
            return np.inf
        return ball.t + s
    return ball.t + curved_time(ball, wall, dx, dy, dz, c, ax, ay, az)


@branch
def curved_time(
    ball: Any, wall: Any, dx: float, dy: float, dz: float, c: float, ax: float, ay: float, az: float
) -> float:
    """When a ball on a parabola reaches a round wall: roots of a quartic in turn, until one lies on the wall."""
    coefficients = (
        c,
        2.0 * ((dx * ball.vx + dy * ball.vy) + dz * ball.vz),
        ((ball.vx * ball.vx + ball.vy * ball.vy) + ball.vz * ball.vz) + ((dx * ax + dy * ay) + dz * az),
        (ball.vx * ax + ball.vy * ay) + ball.vz * az,
        0.25 * ((ax * ax + ay * ay) + az * az),
    )
    inward = wall.kind != BOWL
    if coefficients[4] == 0.0:
        return uniform_time(coefficients, inward)
    after = 0.0
    for _ in range(4):
        s = first_crossing(coefficients, inward, after)
        if s == np.inf:
            return np.inf
        if within(wall, place(dx, ball.vx, ax, s), place(dy, ball.vy, ay, s)):
            return s
        after = np.nextafter(s, np.inf) if s > after else np.nextafter(after, np.inf)
    return np.inf


@law
def uniform_time(c: Any, inward: bool) -> float:
    """The same without acceleration: c₀ + c₁ τ + c₂ τ²."""
    b = 0.5 * c[1]
    disc = b * b - c[0] * c[2]
    if disc < 0.0 or c[2] == 0.0:
        return np.inf
    if inward:
        return max(c[0], 0.0) / (np.sqrt(disc) - b) if b < 0.0 else np.inf
    if c[0] >= 0.0 and b > 0.0:
        return 0.0
    return (np.sqrt(disc) - b) / c[2]


@law
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
