"""The main loop: move, meet, pull; and nothing else.

A step moves all bodies as if nothing were in the way (`prepare`), lets them meet what was in the way (`meet`), and asks
for the forces where they now are (`finish`).
"""

import math
from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, kernel, stage
from carom.solvers.stepped.contacts.meet import meet
from carom.solvers.stepped.forces.sum import brought, snap
from carom.solvers.stepped.integrators import moves
from carom.solvers.stepped.pile.guard import Guarded, guard_cloth, guard_planes, guard_walls, mark_places
from carom.solvers.stepped.pile.impacts import count_impacts
from carom.solvers.stepped.pile.memory import LOST
from carom.solvers.stepped.pile.pieces import next_piece
from carom.solvers.stepped.pile.step import begin_step, end_step, substep
from carom.solvers.stepped.records import BLOWN, CROWDED, DONE, FAILED, FULL

# Which part of a step is wanted.
WHOLE: Final = 0
PREPARE: Final = 1
FINISH: Final = 2
LOOK: Final = 3  # no step: set the accelerations, so that one can look along the path to come
MEET: Final = 4  # up to where the forces at the new places are asked for
PULL: Final = 5  # and from there on

SPEEDY: Final = 1e100  # m/s; whoever is faster has flown off
NOTICED: Final = 1e12  # m/s; from here on one looks who that is


@inline
def bear(
    dim: Any, clock: Any, bodies: Any, born: Any, t: Real, dt: Real, gravity: Any, springs: Any, hinges: Any,
    attraction: Any, periods: Any, stormer: Any,
) -> None:  # fmt: skip
    """Bodies whose time has come are there from this step on; they are in the order of their births.

    The energy that they bring, of motion and of forces, counts as work that was put in. For Störmer-Verlet they come
    from where makes their first step one by Euler: 2 x - (x - v dt) + a dt² = x + (v + a dt) dt.
    """
    while clock.bodies < born.size and born[np.uint64(clock.bodies)] <= t:
        i = np.uint64(clock.bodies)
        for axis in range(3):
            v = bodies.velocity[i, axis]
            clock.work += 0.5 * bodies.accel[i, 3] * v * v
            if bodies.velocity[i, 3] > 0.0:
                clock.work -= bodies.accel[i, 3] * gravity[axis] * bodies.place[i, axis]
            if len(stormer) > 0:
                bodies.start[i, axis] = bodies.place[i, axis] - v * dt
        clock.work += brought(dim, springs, hinges, attraction, periods, bodies.place, bodies.accel, i)
        clock.bodies += 1
        clock.fresh = 0


@inline
def prepare(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, forces: Any,
    varying: bool, stormer: Any, splitting: Any, tableau: Any, rubbing: bool,
) -> None:  # fmt: skip
    """Move all bodies by a step, as if nothing were in the way."""
    n = clock.bodies
    drag, damping, work = 0.0, 0.0, 0.0
    if len(splitting) > 0:
        drag, damping, work = moves.split(dim, t, dt, bodies, n, forces, splitting, rubbing)
    elif len(tableau) > 0:
        drag, damping, work = moves.runge_kutta(dim, t, dt, bodies, n, forces, tableau)
    else:
        if clock.fresh == 0:
            moves.forces_now(dim, t, bodies, n, forces)
            clock.fresh = 1
        if len(stormer) > 0:
            moves.leap(dim, dt, bodies, n, clock.begun == 0)
        else:
            moves.fly(dim, dt, clock, bodies, n, forces.gravity, varying)
    if len(splitting) > 0 or len(tableau) > 0 or len(stormer) > 0:
        moves.look(dim, clock, bodies, n)
    clock.drag += drag
    clock.damping += damping
    clock.work += work


@inline
def finish(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, forces: Any,
    varying: bool, stormer: Any, splitting: Any, tableau: Any,
) -> None:  # fmt: skip
    """Bring velocities to the end of the step, with the forces that act there; t is the time then."""
    n = clock.bodies
    if len(splitting) > 0 or len(tableau) > 0:
        moves.add_rest(dim, bodies, n)
        clock.fresh = 0  # `accel` is the mean of the step, not what a look along the path to come needs
        return
    if len(stormer) > 0:
        moves.land(dim, dt, bodies, n)
    if varying:
        drag, damping, work = moves.forces_now(dim, t, bodies, n, forces)
        clock.drag += drag * dt
        clock.damping += damping * dt
        clock.work += work * dt
    if len(stormer) > 0:
        moves.central_difference(dim, dt, bodies, n)
    elif varying:
        moves.correct(dim, dt, bodies, n)


@inline
def settle(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, forces: Any, setting: Any, varying: bool, heap: Any,
    walls: Any, cloth: Any, logs: Any,
) -> bool:  # fmt: skip
    """A whole step of a pile, in pieces if need be; False if there is no room for the contacts of one.

    Nothing but the pieces before has happened then, and called again it goes on with that piece.
    """
    left = heap.pile.left
    if left[0] == 0.0:
        left[0] = dt
    while left[0] > 0.0:
        piece = next_piece(dim, dt, left[0], bodies, clock.bodies)
        begin = dt - left[0]
        if not settle_piece(
            dim, t, begin, dt, piece, clock, bodies, forces, setting, varying, heap, walls, cloth, logs
        ):
            return False
        left[0] = left[0] - piece
    return True


@stage
def settle_piece(
    dim: Any, t: Real, begin: Real, dt: Real, piece: Real, clock: Any, bodies: Any, forces: Any, setting: Any,
    varying: bool, heap: Any, walls: Any, cloth: Any, logs: Any,
) -> bool:  # fmt: skip
    """A piece of a step of dt, in substeps, from `begin` on; False if there is no room, and nothing has changed."""
    n = clock.bodies
    substeps = math.ceil(heap.substeps * (piece / dt))
    h = piece / substeps
    since = clock.steps * dt + begin
    if clock.fresh == 0:
        moves.forces_now(dim, t + begin, bodies, n, forces)
        clock.fresh = 1
    if not begin_step(dim, heap, bodies, setting.material, n, piece, h):
        return False
    mark_places(dim, bodies, n, walls, cloth)
    for k in range(substeps):
        if varying:
            drag, damping, work = moves.forces_now(dim, t + begin + k * h, bodies, n, forces)
            clock.drag += drag * h
            clock.damping += damping * h
            clock.work += work * h
        substep(dim, heap, bodies, n, h)
    end_step(dim, heap.pile, bodies, n)
    moves.look(dim, clock, bodies, n)
    guard_cloth(dim, Guarded(since, piece, clock, bodies, setting, forces.periods, logs), cloth)
    guard_planes(dim, piece, bodies, n, heap.walls.planes, heap.pile)
    guard_walls(dim, Guarded(since + piece, piece, clock, bodies, setting, forces.periods, logs), walls, heap.pile)
    clock.contacts = heap.pile.account[LOST]
    count_impacts(dim, since + piece, clock, heap.pile, heap.labels, bodies.place, logs)
    return True


@inline
def wrap(place: Any, last: Any, turns: Any, n: Index, periods: Any, two_places: Any) -> None:
    """Who has left through the side of a periodic axis comes in on the other."""
    if len(periods) == 0:
        return
    for axis in range(3):
        period = periods[axis]
        if period == 0.0:
            continue
        for k in range(n):
            i = np.uint64(k)
            x = place[i, axis]
            if x < 0.0 or x >= period:
                round_ = np.floor(x / period)
                place[i, axis] = min(max(x - round_ * period, 0.0), np.nextafter(period, 0.0))
                turns[i, axis] += np.int64(round_)
                if len(two_places) > 0:
                    last[i, axis] -= round_ * period


@inline
def flown_off(place: Any, velocity: Any, n: Index, fastest: Real) -> int:
    """The first body that is faster or farther than anything can be, or nowhere at all (NaN); -1 if there is none."""
    if fastest < NOTICED * NOTICED:
        return -1
    for k in range(n):
        for axis in range(3):
            v, x = abs(velocity[np.uint64(k), axis]), abs(place[np.uint64(k), axis])
            if not (v < SPEEDY and x < SPEEDY):
                return k
    return -1


@inline
def has_failed(forces: Any) -> bool:
    """Has a custom force raised an error?"""
    return bool(forces.extra.failed[0] != 0.0)


@kernel
def advance(
    dim: Any, clocks: Any, bodies: Any, born: Any, turns: Any, forces: Any, setting: Any,
    varying: bool, stormer: Any, splitting: Any, tableau: Any, rubbing: bool,
    walls: Any, pairs: Any, cloth: Any, heap: Any, logs: Any, dt: Real, steps: Index, goal: Index, part: Index,
) -> int:  # fmt: skip
    """Make so many steps of dt, or until there have been `goal` collisions; says why it stopped."""
    clock = clocks[0]
    if part == LOOK:
        moves.forces_now(dim, clock.begin + clock.steps * dt, bodies, clock.bodies, forces)
        clock.fresh = 1
        return FAILED if has_failed(forces) else DONE
    for _ in range(steps):
        t = clock.steps * dt
        if part != FINISH and part != PULL:
            bear(
                dim, clock, bodies, born, clock.begin + t, dt, forces.gravity, forces.springs, forces.hinges,
                forces.attraction, forces.periods, stormer,
            )  # fmt: skip
        if len(heap) > 0:
            if part != FINISH and not settle(
                dim, clock.begin + t, dt, clock, bodies, forces, setting, varying, heap, walls, cloth, logs
            ):
                return FAILED if has_failed(forces) else CROWDED
        elif part != FINISH and part != PULL:
            prepare(dim, clock.begin + t, dt, clock, bodies, forces, varying, stormer, splitting, tableau, rubbing)
        if part == PREPARE:
            return FAILED if has_failed(forces) else DONE
        if len(heap) == 0 and part != PULL:
            meet(dim, t, dt, clock, bodies, forces.periods, setting, walls, pairs, cloth, logs)
        if part == MEET:
            return FAILED if has_failed(forces) else DONE
        clock.steps += 1
        t = clock.begin + clock.steps * dt
        if len(heap) == 0:
            finish(dim, t, dt, clock, bodies, forces, varying, stormer, splitting, tableau)
        if has_failed(forces):
            clock.steps -= 1
            return FAILED
        clock.begun = 1
        wrap(bodies.place, bodies.start, turns, clock.bodies, forces.periods, stormer)
        broken, stored = snap(forces.springs, forces.periods, dim, bodies.place, clock.bodies)
        if broken > 0:
            clock.broken += broken
            clock.breaking += stored
            clock.fresh = 0  # the last forces were those of whole links
        clock.culprit = flown_off(bodies.place, bodies.velocity, clock.bodies, clock.fastest)
        if clock.culprit >= 0:
            return BLOWN
        if clock.ball_ball + clock.ball_wall + clock.ball_cloth >= goal:
            return DONE
        if logs.size > 0 and 2 * clock.logged > logs.size:
            return FULL
    return DONE
