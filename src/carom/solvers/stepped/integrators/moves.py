"""How bodies are moved to the end of a step as if nothing were in the way, and what is left to do after contacts.

Between the two, `place`, `velocity` and `accel` hold the end of a parabola: the path within the step, going back from
its end by τ, is x - u τ + a τ²/2. Contacts change the place and the velocity of that end. For velocity Verlet the
parabola is the move itself; for the others it is the one that begins at the old place and has their mean acceleration.
"""

import math
from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline
from carom.solvers.stepped.forces.sum import accelerate


@inline
def verlet_start(dim: Any, dt: Real, clock: Any, bodies: Any, n: Index, gravity: Any, varying: bool) -> None:
    """Velocity Verlet, first part: x += v dt + a dt²/2, v += a dt."""
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    forced = varying or gravity[0] != 0.0 or gravity[1] != 0.0 or gravity[2] != 0.0
    fastest = 0.0
    for k in range(n):
        i = np.uint64(k)
        vv = 0.0
        for axis in range(len(dim)):
            v = velocity[i, axis]
            if forced:
                a = accel[i, axis]
                place[i, axis] += (v + 0.5 * a * dt) * dt
                v += a * dt
                velocity[i, axis] = v
                if varying:
                    bodies.last[i, axis] = a
            else:
                place[i, axis] += v * dt
            vv += v * v
        fastest = vv if vv > fastest or math.isnan(vv) else fastest  # a NaN counts as the fastest, and stays it
    clock.fastest = fastest


@inline
def find_fastest(dim: Any, clock: Any, bodies: Any, n: Index) -> None:
    """Find the largest speed; it is kept as a square."""
    fastest = 0.0
    for k in range(n):
        vv = 0.0
        for axis in range(len(dim)):
            vv += bodies.velocity[np.uint64(k), axis] * bodies.velocity[np.uint64(k), axis]
        fastest = vv if vv > fastest or math.isnan(vv) else fastest
    clock.fastest = fastest


@inline
def verlet_finish(dim: Any, dt: Real, bodies: Any, n: Index) -> None:
    """Velocity Verlet, second part: v += (a' - a) dt/2. The forces were asked with the velocity v + a dt."""
    velocity, accel = bodies.velocity, bodies.accel
    for k in range(n):
        i = np.uint64(k)
        for axis in range(len(dim)):
            velocity[i, axis] += 0.5 * (accel[i, axis] - bodies.last[i, axis]) * dt


@inline
def save_start(bodies: Any, n: Index) -> None:
    """Keep places and velocities of the start of the step."""
    for k in range(n):
        for axis in range(3):
            bodies.last[np.uint64(k), axis] = bodies.place[np.uint64(k), axis]
            bodies.start[np.uint64(k), axis] = bodies.velocity[np.uint64(k), axis]


@inline
def fit_parabola(dim: Any, dt: Real, bodies: Any, n: Index) -> None:
    """Make a parabola of a move: u = (x' - x)/dt + (v' - v)/2 and a = (v' - v)/dt; what v' is more than u is kept."""
    for k in range(n):
        i = np.uint64(k)
        for axis in range(len(dim)):
            gain = bodies.velocity[i, axis] - bodies.start[i, axis]
            u = (bodies.place[i, axis] - bodies.last[i, axis]) / dt + 0.5 * gain
            bodies.rest[i, axis] = bodies.velocity[i, axis] - u
            bodies.velocity[i, axis] = u
            bodies.accel[i, axis] = gain / dt


@inline
def restore_velocity(dim: Any, bodies: Any, n: Index) -> None:
    """Back from the velocity of the path to that of the integrator."""
    for k in range(n):
        for axis in range(len(dim)):
            bodies.velocity[np.uint64(k), axis] += bodies.rest[np.uint64(k), axis]


@inline
def drift(dim: Any, h: Real, bodies: Any, n: Index) -> None:
    """x += h v."""
    for k in range(n):
        for axis in range(len(dim)):
            bodies.place[np.uint64(k), axis] += h * bodies.velocity[np.uint64(k), axis]


@inline
def kick(dim: Any, h: Real, bodies: Any, n: Index) -> None:
    """v += h a."""
    for k in range(n):
        for axis in range(len(dim)):
            bodies.velocity[np.uint64(k), axis] += h * bodies.accel[np.uint64(k), axis]


@inline
def split(
    dim: Any, t: Real, dt: Real, bodies: Any, n: Index, forces: Any, splitting: Any, by_velocity: bool
) -> tuple[float, float, float]:
    """A splitting: drifts and kicks in turn. `splitting` is (parts, is it a kick?); gives energies lost, J.

    Where forces depend on velocity (`by_velocity`), a kick is by the midpoint rule, which keeps the second order.
    """
    save_start(bodies, n)
    parts, kicks = splitting
    since = 0.0
    drag, damping, work = 0.0, 0.0, 0.0
    for k in range(parts.size):
        h = parts[np.uint64(k)] * dt
        if kicks[np.uint64(k)] == 0:
            drift(dim, h, bodies, n)
            since += h
            continue
        p, q, r = accelerate(dim, t + since, bodies, n, forces)
        if by_velocity:
            for i in range(n):
                for axis in range(3):
                    bodies.rest[np.uint64(i), axis] = bodies.velocity[np.uint64(i), axis]
            kick(dim, 0.5 * h, bodies, n)
            p, q, r = accelerate(dim, t + since, bodies, n, forces)
            for i in range(n):
                for axis in range(3):
                    bodies.velocity[np.uint64(i), axis] = bodies.rest[np.uint64(i), axis]
        kick(dim, h, bodies, n)
        drag += h * p
        damping += h * q
        work += h * r
    fit_parabola(dim, dt, bodies, n)
    return drag, damping, work


@inline
def runge_kutta(
    dim: Any, t: Real, dt: Real, bodies: Any, n: Index, forces: Any, tableau: Any
) -> tuple[float, float, float]:
    """An explicit Runge-Kutta step for x' = v, v' = a(t, x, v); `tableau` is (matrix, weights, nodes)."""
    save_start(bodies, n)
    matrix, weights, nodes = tableau
    drag, damping, work = 0.0, 0.0, 0.0
    for s in range(weights.size):
        for k in range(n):
            i = np.uint64(k)
            for axis in range(len(dim)):
                x, v = bodies.last[i, axis], bodies.start[i, axis]
                for q in range(s):
                    x += dt * matrix[np.uint64(s), np.uint64(q)] * bodies.slopes[np.uint64(q), 0, i, axis]
                    v += dt * matrix[np.uint64(s), np.uint64(q)] * bodies.slopes[np.uint64(q), 1, i, axis]
                bodies.place[i, axis] = x
                bodies.velocity[i, axis] = v
        p, q_, r = accelerate(dim, t + nodes[np.uint64(s)] * dt, bodies, n, forces)
        for k in range(n):
            i = np.uint64(k)
            for axis in range(len(dim)):
                bodies.slopes[np.uint64(s), 0, i, axis] = bodies.velocity[i, axis]
                bodies.slopes[np.uint64(s), 1, i, axis] = bodies.accel[i, axis]
        drag += weights[np.uint64(s)] * dt * p
        damping += weights[np.uint64(s)] * dt * q_
        work += weights[np.uint64(s)] * dt * r
    for k in range(n):
        i = np.uint64(k)
        for axis in range(len(dim)):
            x, v = bodies.last[i, axis], bodies.start[i, axis]
            for s in range(weights.size):
                x += dt * weights[np.uint64(s)] * bodies.slopes[np.uint64(s), 0, i, axis]
                v += dt * weights[np.uint64(s)] * bodies.slopes[np.uint64(s), 1, i, axis]
            bodies.place[i, axis] = x
            bodies.velocity[i, axis] = v
    fit_parabola(dim, dt, bodies, n)
    return drag, damping, work


@inline
def stormer_start(dim: Any, dt: Real, bodies: Any, n: Index, first: bool) -> None:
    """Störmer-Verlet: x' = 2 x - x₋ + a dt², the first step by Euler; `start` holds the places before."""
    for k in range(n):
        i = np.uint64(k)
        for axis in range(len(dim)):
            x, a = bodies.place[i, axis], bodies.accel[i, axis]
            if first:
                ahead = x + (bodies.velocity[i, axis] + a * dt) * dt
            else:
                ahead = 2.0 * x - bodies.start[i, axis] + a * dt * dt
            bodies.last[i, axis] = x
            bodies.place[i, axis] = ahead
            bodies.velocity[i, axis] = (ahead - x) / dt + 0.5 * a * dt
            bodies.rest[i, axis] = bodies.velocity[i, axis]


@inline
def stormer_restart(dim: Any, dt: Real, bodies: Any, n: Index) -> None:
    """Störmer-Verlet after contacts: the place before, from which the next step goes on.

    It is the old place; for a body that met something, the place from which it would have come to where it is.
    """
    for k in range(n):
        i = np.uint64(k)
        for axis in range(len(dim)):
            u = bodies.velocity[i, axis]
            if u == bodies.rest[i, axis]:
                bodies.start[i, axis] = bodies.last[i, axis]
            else:
                bodies.start[i, axis] = bodies.place[i, axis] - (u - 0.5 * bodies.accel[i, axis] * dt) * dt


@inline
def central_difference(dim: Any, dt: Real, bodies: Any, n: Index) -> None:
    """Störmer-Verlet, velocity: (x' - x₋) / 2 dt, where x' is what the next step would give."""
    for k in range(n):
        i = np.uint64(k)
        for axis in range(len(dim)):
            moved = bodies.place[i, axis] - bodies.start[i, axis]
            bodies.velocity[i, axis] = moved / dt + 0.5 * bodies.accel[i, axis] * dt
