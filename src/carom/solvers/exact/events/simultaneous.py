"""All collisions that fall together with the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.kernels.jit import Index, Real, inline, kernel
from carom.physics import contact_time, impact
from carom.physics import walls as wall_laws
from carom.solvers.collision_record import collision_record
from carom.solvers.exact.events.predict import equation, pull
from carom.solvers.exact.kinds import ALL_AROUND, BALL, NONE, WALL
from carom.solvers.exact.neighbours import interface
from carom.solvers.exact.neighbours.candidate import ball_of, image_of, period

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
def contacts_until(bodies: Any, rules: Any, hood: Any, found: Any, until: Real, out: Any) -> int:
    """Write down all contacts up to a time, pairs possibly twice; gives their number (which may exceed the room)."""
    n = 0
    for i in range(bodies.balls.size):
        if bodies.balls[i].te > until:
            continue  # of two that touch, the one that was predicted last has the contact, or something earlier
        n = ball_contacts(bodies, rules, hood, found, i, until, out, n)
        n = wall_contacts(bodies, rules, hood, i, until, out, n)
    return n


def simultaneous(engine: Engine) -> NDArray[Any]:
    """The collisions that fall together with the one that is first in the engine's calendar.

    Place, normal and impulse are those of each collision if it came first.
    """
    world, index = engine.world, engine.index
    first = float(index.calendar.times[0])
    now = float(engine.clock["now"][0])
    until = first + TOGETHER * max(abs(first), first - now)
    out = np.zeros(64, collision_record)
    while True:
        n = contacts_until(engine.bodies, world.rules, index.hood, index.sight.found[0], until, out)
        if n <= out.size:
            break
        out = np.zeros(n, collision_record)
    found = out[:n]
    _, rows = np.unique(found[["kind", "wall", "a", "b"]], return_index=True)
    found = found[rows]
    for each in found:
        describe(engine, each)
    found["time"] = engine.absolute(found["time"])
    return found[np.lexsort((found["b"], found["a"], found["kind"], found["time"]))]


def describe(engine: Engine, each: Any) -> None:
    """Fill in what a predicted collision would do, and turn record indices into the scene's numbers."""
    world = engine.world
    t = float(each["time"])
    places = engine.places_after_origin(t)
    velocity = engine.velocities(engine.absolute(t))[engine.movers]
    a = int(each["a"])
    ball = engine.balls[a : a + 1].copy()
    ball["x"], ball["y"], ball["z"] = places[a]
    v = velocity[a].copy()
    mass = float(ball["m"][0])
    e: float
    if each["kind"] == BALL:
        b = int(each["b"])
        d = places[a] - places[b]
        for axis in range(world.dimension):
            if world.periodic[axis]:
                d[axis] -= np.round(d[axis] / world.size[axis]) * world.size[axis]
        v -= velocity[b]
        normal = d / numerics.length(d) if d.any() else -v / numerics.length(v)
        other = float(engine.balls["m"][b])
        mass = mass * (other / (mass + other))
        e = float(world.bounce[ball["material"][0], engine.balls["material"][b]])
        each["b"] = engine.balls["id"][b]
    else:
        wall = world.walls.records[int(each["wall"])]
        normal = np.array(wall_normal(ball, world.walls.records[int(each["wall"]) : int(each["wall"]) + 1]))
        if wall["kind"] == wall_laws.PIN:
            each["kind"], each["b"] = BALL, wall["ball"]
            e = float(world.bounce[ball["material"][0], wall["material"]])
        else:
            e = float(world.wall_bounce[ball["material"][0], wall["material"]])
    each["a"] = ball["id"][0]
    each["normal"] = normal
    each["place"] = places[a] - normal * ball["r"][0]
    each["impulse"] = impulse(e, mass, float(numerics.product(v, normal)))


@kernel
def impulse(e: float, m: float, u: float) -> float:
    """The impulse between two bodies of the reduced mass m that meet with the normal velocity u."""
    return impact.impulse(e, m, u)


@kernel
def wall_normal(ball: Any, wall: Any) -> tuple[float, float, float]:
    """The normal of a wall where a ball touches it."""
    return wall_laws.normal(ball[0], wall[0])
