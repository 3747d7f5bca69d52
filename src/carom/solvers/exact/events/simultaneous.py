"""All collisions that fall together with the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, Real, inline, kernel, noinline
from carom.physics import contact_time, impact
from carom.physics import walls as wall_laws
from carom.physics.flight import place, speed
from carom.solvers.collision_record import collision_record
from carom.solvers.exact.events.predict import equation, pull
from carom.solvers.exact.kinds import ALL_AROUND, BALL, NONE, WALL
from carom.solvers.exact.neighbours import interface
from carom.solvers.exact.neighbours.candidate import ball_of, image_of, period
from carom.solvers.exact.tables import hood_of, open_bodies, open_sight, open_state, periodic_of, rules_of

if TYPE_CHECKING:
    from carom.solvers.exact.engine import Engine

TOGETHER = 1e-13  # collisions that fall together differ by at most this part of the time


@inline
def write_row(out: Any, n: Index, t: Real, kind: Index, wall: Index, a: Index, b: Index) -> int:
    """Write a contact into row n, if there is such a row; gives n + 1."""
    if n < out.size:
        out[n].time, out[n].kind, out[n].wall, out[n].a, out[n].b = t, kind, wall, a, b
    return n + 1


@inline
def ball_contacts(bodies: Any, rules: Any, hood: Any, found: Any, i: Index, until: Real, out: Any, n: Index) -> int:
    """Write down the contacts of ball i with other balls up to a time, from row n on; gives the next row."""
    m = interface.candidates(rules.dim, hood, bodies.balls, i, ALL_AROUND, found)
    words, start = interface.where(hood, i, found)
    for k in range(m):
        word = words[np.uint64(start) + np.uint64(k)]
        j, image = ball_of(word), image_of(word)
        wx, wy, wz = period(hood, image, 0), period(hood, image, 1), period(hood, image, 2)
        t, b, c, disc = equation(bodies, rules, rules.gravity, i, j, wx, wy, wz)
        if b < 0.0 and disc >= 0.0:
            t = contact_time.first_root(t, b, c, disc)
            if t <= until:
                n = write_row(out, n, t, BALL, NONE, min(i, j), max(i, j))
    return n


@inline
def wall_contacts(bodies: Any, rules: Any, hood: Any, i: Index, until: Real, out: Any, n: Index) -> int:
    """Write down the contacts of ball i with walls up to a time, from row n on; gives the next row."""
    ball = bodies.balls[i]
    k = interface.first_wall(hood, bodies.balls, i)
    if k == NONE:
        return n
    a = pull(bodies, rules, rules.gravity, i)
    while hood.near[k] != NONE:
        w = hood.near[k]
        k += 1
        if not (ball.rest and w == bodies.rest_on[i]):
            t = wall_laws.contact_time(ball, rules.walls[w], a[0], a[1], a[2])
            if t <= until:
                n = write_row(out, n, t, WALL, w, i, NONE)
    return n


@kernel
def contacts_until(
    state_block: Any, index_block: Any, until: Real, out: Any, dim: Any, pulled: Any, listed: Any
) -> int:  # fmt: skip
    """Write down all contacts up to a time, pairs possibly twice; gives their number (which may exceed the room)."""
    bodies, state, sight = open_bodies(state_block), open_state(state_block), open_sight(index_block)
    rules, hood = rules_of(dim, pulled, state), hood_of(listed, state, index_block)
    n = 0
    for i in range(bodies.balls.size):
        if bodies.balls[i].te > until:
            continue  # of two that touch, the one that was predicted last has the contact, or something earlier
        n = ball_contacts(bodies, rules, hood, sight.found[0], i, until, out, n)
        n = wall_contacts(bodies, rules, hood, i, until, out, n)
    for k in range(min(n, out.size)):
        describe(bodies, rules, state.space[0], out[k])
    return n


class Here(NamedTuple):
    """Where a ball is, and how fast."""

    x: Any
    y: Any
    z: Any
    vx: Any
    vy: Any
    vz: Any


@inline
def nearest_image(d: Real, size: Real, periodic: bool) -> float:
    """A difference of two places along an axis, between a ball and the nearest image of another."""
    return d - np.rint(d / size) * size if periodic else d


@noinline
def describe(bodies: Any, rules: Any, space: Any, each: Any) -> None:
    """Fill in what a predicted collision would do if it came first, and turn numbers of bodies into the scene's."""
    t = each.time
    # The absolute time of the collision, after the origin again: at it velocities are read.
    seen = ((space.origin + (space.lost + t)) - space.origin) - space.lost
    i = np.uint32(each.a)
    ball = bodies.balls[i]
    x, y, z, _, _, _ = flown(bodies, rules, i, t)
    _, _, _, vx, vy, vz = flown(bodies, rules, i, seen)
    mass = ball.m
    if each.kind == BALL:
        j = np.uint32(each.b)
        other = bodies.balls[j]
        ox, oy, oz, _, _, _ = flown(bodies, rules, j, t)
        _, _, _, ux, uy, uz = flown(bodies, rules, j, seen)
        px, py, pz = periodic_of(space)
        nx = nearest_image(x - ox, space.size_x, px)
        ny = nearest_image(y - oy, space.size_y, py)
        nz = nearest_image(z - oz, space.size_z, pz)
        vx, vy, vz = vx - ux, vy - uy, vz - uz
        if nx == 0.0 and ny == 0.0 and nz == 0.0:  # two points: along the line on which they came
            nx, ny, nz = -vx, -vy, -vz
        s = np.sqrt((nx * nx + ny * ny) + nz * nz)
        nx, ny, nz = nx / s, ny / s, nz / s
        mass = mass * (other.m / (mass + other.m))
        e = rules.bounce[np.uint32(ball.material), np.uint32(other.material)]
        each.b = other.id
    else:
        wall = rules.walls[np.uint32(each.wall)]
        nx, ny, nz = wall_laws.normal(Here(x, y, z, vx, vy, vz), wall)
        if wall.kind == wall_laws.PIN:
            each.kind, each.b = BALL, wall.ball
            e = rules.bounce[np.uint32(ball.material), np.uint32(wall.material)]
        else:
            e = rules.wall_bounce[np.uint32(ball.material), np.uint32(wall.material)]
    each.a = ball.id
    each.normal[0], each.normal[1], each.normal[2] = nx, ny, nz
    each.place[0], each.place[1], each.place[2] = x - nx * ball.r, y - ny * ball.r, z - nz * ball.r
    each.impulse = impact.impulse(e, mass, (vx * nx + vy * ny) + vz * nz)
    each.time = space.origin + (space.lost + t)


@inline
def flown(bodies: Any, rules: Any, i: Index, t: Real) -> Any:
    """Where a body is at a time, and how fast."""
    ball, a = bodies.balls[i], pull(bodies, rules, rules.gravity, i)
    s = t - ball.t
    return (
        place(ball.x, ball.vx, a[0], s), place(ball.y, ball.vy, a[1], s), place(ball.z, ball.vz, a[2], s),
        speed(ball.vx, a[0], s), speed(ball.vy, a[1], s), speed(ball.vz, a[2], s),
    )  # fmt: skip


def simultaneous(engine: Engine) -> NDArray[Any]:
    """The collisions that fall together with the one that is first in the engine's calendar.

    Place, normal and impulse are those of each collision if it came first.
    """
    first, now = float(engine.index.heap_times[0]), float(engine.clock["now"][0])
    until = first + TOGETHER * max(abs(first), first - now)
    out = np.zeros(64, collision_record)
    while True:
        n = contacts_until(engine.block.raw, engine.index.raw, until, out, engine.dim, engine.pulled, engine.listed)
        if n <= out.size:
            break
        out = np.zeros(n, collision_record)
    _, rows = np.unique(out[:n][["kind", "wall", "a", "b"]], return_index=True)
    found = out[rows]
    return found[np.lexsort((found["b"], found["a"], found["kind"], found["time"]))]
