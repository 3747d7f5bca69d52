"""The acceleration of every body: all forces of a scene, one after the other.

Each kind of force that a scene has is a tuple of what it needs; a kind that it does not have is an empty tuple, and is
not even compiled. Drag and hands are always there, of no strength or none at all: they take little to compile, and a
body that is pulled by the mouse must not wait for a compiler.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, stage
from carom.physics.forces import bend_force, drag_coefficient, opening, spring_pull
from carom.solvers.stepped.attraction.tree import add_attraction
from carom.solvers.stepped.forces.custom_call import call_force
from carom.solvers.stepped.forces.linked_bodies import part_anew


class Springs(NamedTuple):
    """Links between bodies."""

    ends: Any  # (M, 2) uint32, the lower number first
    k: Any  # stiffness, N/m; 0 when broken
    rest: Any  # length at which it does not pull, m
    c: Any  # damping along the link, N s/m; empty when no link damps
    limit: Any  # length at which it breaks, m; infinite for never, NaN when broken; empty when none does
    number: Any  # of the link in the scene
    linked: Any  # of each body, its part (`linked_bodies`); where pairs are met, this array too


class Hinges(NamedTuple):
    """Stiffness by angle: U = k (θ - θ0)² / 2 at the middle one of three bodies."""

    bodies: Any  # (M, 3) uint32: end, middle, end
    k: Any  # N m/rad
    rest: Any  # rad


class Hands(NamedTuple):
    """Interactive forces: springs from bodies to places that a person moves, and thrust of motors."""

    body: Any  # uint32
    target: Any  # (M, 3): where the spring is held, m
    k: Any  # N/m
    c: Any  # N s/m, against the body's velocity
    thrust: Any  # (M, 3): acceleration by a motor, m/s²


NO_HANDS = Hands(np.zeros(0, np.uint32), np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros((0, 3)))


class Forces(NamedTuple):
    """All forces of a scene; an empty tuple stands for a kind that it has none of."""

    gravity: Any  # (gx, gy, gz), m/s²
    drag: Any  # (linear, quadratic), kg/s and kg/m
    springs: Any
    hinges: Any
    hands: Any
    attraction: Any
    extra: Any  # custom forces (`Extra`), which are always there, of none or some
    periods: Any  # lengths of the box along periodic axes, else 0; empty when no axis is periodic


@inline
def shortest(d: Real, period: Real) -> float:
    """A distance along a periodic axis, to the nearest image."""
    return float(d - period * np.rint(d / period)) if period > 0.0 else float(d)


@inline
def nearest_image(dim: Any, periods: Any, dx: Real, dy: Real, dz: Real) -> tuple[float, float, float]:
    """A vector between two bodies, to the nearest image where space is periodic."""
    if len(periods) > 0:
        dx, dy, dz = shortest(dx, periods[0]), shortest(dy, periods[1]), shortest(dz, periods[2])
    return dx, dy, dz if len(dim) == 3 else 0.0


@inline
def between(dim: Any, periods: Any, place: Any, a: Index, b: Index) -> tuple[float, float, float]:
    """The vector from body a to body b."""
    return nearest_image(dim, periods, place[b, 0] - place[a, 0], place[b, 1] - place[a, 1], place[b, 2] - place[a, 2])


@inline
def add_springs(dim: Any, springs: Any, periods: Any, place: Any, velocity: Any, force: Any, n: Index) -> float:
    """Springs pull at both of their ends, once both are born; gives the power lost by damping, W."""
    power = 0.0
    if len(springs) == 0:
        return power
    damped = springs.c.size > 0
    # Links stand in the order of their first ends: what each of these needs is read, and added up, once.
    at, fx, fy, fz = np.uint64(0), 0.0, 0.0, 0.0
    x, y, z = place[0, 0], place[0, 1], place[0, 2]
    for m in range(springs.k.size):
        link = np.uint64(m)
        a, b = np.uint64(springs.ends[link, 0]), np.uint64(springs.ends[link, 1])
        if b >= np.uint64(n):
            continue
        if a != at:
            add_to(dim, force, at, fx, fy, fz)
            at, fx, fy, fz = a, 0.0, 0.0, 0.0
            x, y, z = place[a, 0], place[a, 1], place[a, 2]
        dx, dy, dz = nearest_image(dim, periods, place[b, 0] - x, place[b, 1] - y, place[b, 2] - z)
        ll = dx * dx + dy * dy
        if len(dim) == 3:
            ll += dz * dz
        length = math.sqrt(ll)
        approach, c = 0.0, 0.0
        if damped:
            c = springs.c[link]
            approach = (velocity[b, 0] - velocity[a, 0]) * dx + (velocity[b, 1] - velocity[a, 1]) * dy
            if len(dim) == 3:
                approach += (velocity[b, 2] - velocity[a, 2]) * dz
            if length > 0.0:
                power += c * (approach / length) * (approach / length)
        pull = spring_pull(length, springs.rest[link], approach, springs.k[link], c, damped)
        fx += pull * dx
        fy += pull * dy
        fz += pull * dz
        add_to(dim, force, b, -pull * dx, -pull * dy, -pull * dz)
    add_to(dim, force, at, fx, fy, fz)
    return power


@inline
def add_to(dim: Any, force: Any, i: Index, fx: Real, fy: Real, fz: Real) -> None:
    """Add a force to that on body i."""
    force[i, 0] += fx
    force[i, 1] += fy
    if len(dim) == 3:
        force[i, 2] += fz


@inline
def add_hinges(dim: Any, hinges: Any, periods: Any, place: Any, force: Any, n: Index) -> None:
    """Hinges push their ends, and the middle the other way."""
    if len(hinges) == 0:
        return
    for m in range(hinges.k.size):
        one, mid = np.uint64(hinges.bodies[np.uint64(m), 0]), np.uint64(hinges.bodies[np.uint64(m), 1])
        two = np.uint64(hinges.bodies[np.uint64(m), 2])
        if max(one, mid, two) >= np.uint64(n):
            continue
        ax, ay, az = between(dim, periods, place, mid, one)
        bx, by, bz = between(dim, periods, place, mid, two)
        moment = hinges.k[np.uint64(m)] * (opening(ax, ay, az, bx, by, bz) - hinges.rest[np.uint64(m)])
        fx, fy, fz = bend_force(moment, ax, ay, az, bx, by, bz)
        hx, hy, hz = bend_force(moment, bx, by, bz, ax, ay, az)
        add_to(dim, force, one, fx, fy, fz)
        add_to(dim, force, two, hx, hy, hz)
        add_to(dim, force, mid, -(fx + hx), -(fy + hy), -(fz + hz))


@inline
def add_drag(dim: Any, drag: Any, velocity: Any, force: Any, n: Index) -> float:
    """Drag on every body that is not held; gives the power lost, W."""
    power = 0.0
    if drag[0] == 0.0 and drag[1] == 0.0:
        return power
    for k in range(n):
        i = np.uint64(k)
        if velocity[i, 3] > 0.0:
            vv = velocity[i, 0] * velocity[i, 0] + velocity[i, 1] * velocity[i, 1]
            if len(dim) == 3:
                vv += velocity[i, 2] * velocity[i, 2]
            c = drag_coefficient(math.sqrt(vv), drag[0], drag[1])
            power += c * vv
            for axis in range(len(dim)):
                force[i, axis] -= c * velocity[i, axis]
    return power


@inline
def add_hands(dim: Any, hands: Any, place: Any, velocity: Any, force: Any, n: Index) -> float:
    """Hands pull, motors push, at what is born and not held; gives their power, W."""
    power = 0.0
    for m in range(hands.k.size):
        i = np.uint64(hands.body[np.uint64(m)])
        if i >= np.uint64(n) or velocity[i, 3] == 0.0:
            continue
        for axis in range(len(dim)):
            pull = hands.k[np.uint64(m)] * (hands.target[np.uint64(m), axis] - place[i, axis])
            pull -= hands.c[np.uint64(m)] * velocity[i, axis]
            pull += force[i, 3] * hands.thrust[np.uint64(m), axis]
            force[i, axis] += pull
            power += pull * velocity[i, axis]
    return power


@stage
def attract_each_other(dim: Any, attraction: Any, place: Any, velocity: Any, accel: Any, n: Index) -> float:
    """Add the attraction between all bodies; held bodies get none. Gives the power of what drives those, W."""
    add_attraction(dim, attraction, place, accel, n)
    power = 0.0
    for k in range(n):
        i = np.uint64(k)
        if velocity[i, 3] == 0.0:
            for axis in range(3):
                power -= accel[i, 3] * accel[i, axis] * velocity[i, axis]
                accel[i, axis] = 0.0
    return power


@inline
def add_attractions(dim: Any, attraction: Any, place: Any, velocity: Any, accel: Any, n: Index) -> float:
    """Add the attraction, if there is any; gives the power of what drives bodies against it, W."""
    if len(attraction) > 0:
        return attract_each_other(dim, attraction, place, velocity, accel, n)
    return 0.0


@inline
def add_extra(extra: Any, t: Real, place: Any, velocity: Any, accel: Any, n: Index) -> None:
    """Custom forces add theirs; the first that raises an error is noted, and the run stops after this step."""
    rows = (place, velocity, accel)
    for m in range(extra.address.size):
        begin, end = extra.begin[np.uint64(m)], extra.begin[np.uint64(m + 1)]
        code = call_force(extra.address[np.uint64(m)], t, rows, n, extra.given[begin:end])
        if code != 0 and extra.failed[0] == 0.0:
            extra.failed[0] = m + 1.0
            extra.failed[1] = t


@inline
def accelerate(dim: Any, t: Real, bodies: Any, n: Index, forces: Any) -> tuple[float, float, float]:
    """Set the acceleration of the first n bodies; gives the power lost by drag and damping, and that put in, W.

    A held body has none. Power is put in by hands and motors, and by what drives a body against the forces on it.
    """
    # A field is read from a bundle in the first lines: in each block that does so, Numba would load all of the bundle.
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    gravity, drag, springs, hinges, hands, attraction, extra, periods = forces
    for k in range(n):
        for axis in range(3):
            accel[np.uint64(k), axis] = 0.0
    damping = add_springs(dim, springs, periods, place, velocity, accel, n)
    add_hinges(dim, hinges, periods, place, accel, n)
    friction = add_drag(dim, drag, velocity, accel, n)
    work = add_hands(dim, hands, place, velocity, accel, n)
    add_extra(extra, t, place, velocity, accel, n)
    for k in range(n):
        i = np.uint64(k)
        w = velocity[i, 3]
        for axis in range(len(dim)):
            if w == 0.0:  # what drives it bears the force on it
                work -= accel[i, axis] * velocity[i, axis]
            accel[i, axis] *= w
            if w > 0.0:
                accel[i, axis] += gravity[axis]
    return friction, damping, work + add_attractions(dim, attraction, place, velocity, accel, n)


@inline
def break_links(dim: Any, springs: Any, periods: Any, place: Any, n: Index) -> tuple[int, float]:
    """Break the links that are stretched beyond their limit; gives how many, and the energy that was in them, J."""
    broken, lost = 0, 0.0
    if len(springs) == 0:
        return broken, lost
    for m in range(springs.limit.size):
        link = np.uint64(m)
        a, b = np.uint64(springs.ends[link, 0]), np.uint64(springs.ends[link, 1])
        if b >= np.uint64(n) or springs.limit[link] == np.inf:
            continue
        dx, dy, dz = between(dim, periods, place, a, b)
        dd = (dx * dx + dy * dy) + dz * dz
        if dd > springs.limit[link] * springs.limit[link]:
            stretch = math.sqrt(dd) - springs.rest[link]
            lost += 0.5 * springs.k[link] * stretch * stretch
            springs.k[link] = 0.0
            springs.limit[link] = np.nan
            if springs.c.size > 0:
                springs.c[link] = 0.0
            broken += 1
    if broken > 0:
        part_anew(springs.linked, springs.ends, springs.limit)
    return broken, lost


@inline
def energy_with_earlier(
    dim: Any, springs: Any, hinges: Any, attraction: Any, periods: Any, place: Any, accel: Any, i: Index
) -> float:
    """The energy in springs, hinges and attraction between body i and those born before it, J."""
    energy = 0.0
    if len(springs) > 0:
        for m in range(springs.k.size):
            link = np.uint64(m)
            if np.uint64(springs.ends[link, 1]) == i:
                dx, dy, dz = between(dim, periods, place, np.uint64(springs.ends[link, 0]), i)
                stretch = math.sqrt((dx * dx + dy * dy) + dz * dz) - springs.rest[link]
                energy += 0.5 * springs.k[link] * stretch * stretch
    if len(hinges) > 0:
        for m in range(hinges.k.size):
            one, mid = np.uint64(hinges.bodies[np.uint64(m), 0]), np.uint64(hinges.bodies[np.uint64(m), 1])
            two = np.uint64(hinges.bodies[np.uint64(m), 2])
            if max(one, mid, two) == i:
                ax, ay, az = between(dim, periods, place, mid, one)
                bx, by, bz = between(dim, periods, place, mid, two)
                angle = opening(ax, ay, az, bx, by, bz) - hinges.rest[np.uint64(m)]
                energy += 0.5 * hinges.k[np.uint64(m)] * angle * angle
    if len(attraction) > 0:
        for k in range(i):
            j = np.uint64(k)
            dx, dy, dz = between(dim, (), place, j, i)
            dd = ((dx * dx + dy * dy) + dz * dz) + attraction.soft
            if dd > 0.0:
                energy -= attraction.constant * accel[i, 3] * accel[j, 3] / math.sqrt(dd)
    return energy
