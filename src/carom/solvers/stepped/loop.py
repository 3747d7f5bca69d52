"""The main loop: spawn, move, meet, finish; and nothing else.

A step moves all bodies as if nothing were in the way (`move`), lets them meet what was in the way (`meet`), and asks
for the forces where they now are (`finish`).
"""

import math
from typing import Any, Final

import numpy as np

from carom.kernels.floats import next_down
from carom.kernels.jit import Index, Real, inline, kernel, stage
from carom.solvers.stepped.bundles import Flight, StepState
from carom.solvers.stepped.contacts.meet import meet
from carom.solvers.stepped.forces.sum import accelerate, break_links, energy_with_earlier
from carom.solvers.stepped.integrators import moves
from carom.solvers.stepped.pile.guard import guard_cloth, guard_planes, guard_walls, mark_places
from carom.solvers.stepped.pile.impacts import count_impacts
from carom.solvers.stepped.pile.memory import LOST
from carom.solvers.stepped.pile.pieces import next_piece
from carom.solvers.stepped.pile.step import begin_step, end_step, substep
from carom.solvers.stepped.records import BLOWN, CROWDED, DONE, FAILED, FULL, GO

# Which part of a step is wanted.
WHOLE: Final = 0
PREPARE: Final = 1
FINISH: Final = 2
LOOK: Final = 3  # no step: set the accelerations, so that one can look along the path to come
MEET: Final = 4  # up to where the forces at the new places are asked for
PULL: Final = 5  # and from there on

SPEED_LIMIT: Final = 1e100  # m/s; a body that is faster has flown off
SUSPICIOUS: Final = 1e12  # m/s; from here on it is looked for the body that is so fast


@inline
def spawn(dim: Any, flight: Any, forces: Any, stormer: Any) -> None:
    """Let bodies appear whose time has come; they are in the order of their births.

    The energy that they bring, of motion and of forces, counts as work that was put in. For Störmer-Verlet they come
    from where makes their first step one by Euler: 2 x - (x - v dt) + a dt² = x + (v + a dt) dt.
    """
    clock, bodies, dt, now = flight.clock, flight.bodies, flight.dt, flight.clock.begin + flight.t
    place, velocity, accel, born, start = bodies.place, bodies.velocity, bodies.accel, bodies.born, bodies.start
    gravity, springs, hinges = forces.gravity, forces.springs, forces.hinges
    attraction, periods = forces.attraction, forces.periods
    while clock.bodies < born.size and born[np.uint64(clock.bodies)] <= now:
        i = np.uint64(clock.bodies)
        for axis in range(3):
            v = velocity[i, axis]
            clock.work += 0.5 * accel[i, 3] * v * v
            if velocity[i, 3] > 0.0:
                clock.work -= accel[i, 3] * gravity[axis] * place[i, axis]
            if len(stormer) > 0:
                start[i, axis] = place[i, axis] - v * dt
        clock.work += energy_with_earlier(dim, springs, hinges, attraction, periods, place, accel, i)
        clock.bodies += 1
        clock.fresh = 0


@inline
def book(clock: Any, powers: Any, h: Real) -> None:
    """Add up what drag and damping take, and what is put in, in a time h."""
    clock.drag += powers[0] * h
    clock.damping += powers[1] * h
    clock.work += powers[2] * h


@inline
def refresh(dim: Any, t: Real, flight: Any, forces: Any) -> None:
    """Set the accelerations, if they are not those of the present places."""
    if flight.clock.fresh == 0:
        accelerate(dim, t, flight.bodies, flight.clock.bodies, forces)
        flight.clock.fresh = 1


@inline
def prepare(dim: Any, flight: Any, forces: Any, scheme: Any, stormer: Any, splitting: Any, tableau: Any) -> None:
    """Move all bodies by a step, as if nothing were in the way."""
    clock, bodies, n, t = flight.clock, flight.bodies, flight.clock.bodies, flight.clock.begin + flight.t
    if len(splitting) > 0:
        book(clock, moves.split(dim, t, flight.dt, bodies, n, forces, splitting, scheme.by_velocity), 1.0)
    elif len(tableau) > 0:
        book(clock, moves.runge_kutta(dim, t, flight.dt, bodies, n, forces, tableau), 1.0)
    else:
        refresh(dim, t, flight, forces)
        if len(stormer) > 0:
            moves.stormer_start(dim, flight.dt, bodies, n, clock.begun == 0)
        else:
            moves.verlet_start(dim, flight.dt, clock, bodies, n, forces.gravity, scheme.varying)
    if len(splitting) > 0 or len(tableau) > 0 or len(stormer) > 0:
        moves.find_fastest(dim, clock, bodies, n)


@inline
def finish(
    dim: Any, flight: Any, forces: Any, scheme: Any, stormer: Any, splitting: Any, tableau: Any, pile: Any
) -> None:
    """Bring velocities to the end of the step, with the forces that act there; a pile has done so in its substeps."""
    if len(pile) > 0:
        return
    clock, bodies, n, dt = flight.clock, flight.bodies, flight.clock.bodies, flight.dt
    if len(splitting) > 0 or len(tableau) > 0:
        moves.restore_velocity(dim, bodies, n)
        clock.fresh = 0  # `accel` is the mean of the step, not what a look along the path to come needs
        return
    if len(stormer) > 0:
        moves.stormer_restart(dim, dt, bodies, n)
    if scheme.varying:
        book(clock, accelerate(dim, clock.begin + (clock.steps + 1) * dt, bodies, n, forces), dt)
    if len(stormer) > 0:
        moves.central_difference(dim, dt, bodies, n)
    elif scheme.varying:
        moves.verlet_finish(dim, dt, bodies, n)


@inline
def step_pile(dim: Any, flight: Any, forces: Any, varying: bool, coefficients: Any, pile: Any, log: Any) -> bool:
    """Make a step of a pile, in pieces if need be; False if there is no room for the contacts of one.

    Nothing but the pieces before has happened then, and called again it goes on with that piece.
    """
    left, dt, periods = pile.pile.left, flight.dt, forces.periods
    step = StepState(flight.t, dt, flight.clock, flight.bodies, coefficients, periods, log)
    if left[0] == 0.0:
        left[0] = dt
    while left[0] > 0.0:
        piece = next_piece(dim, dt, left[0], flight.bodies, flight.clock.bodies)
        if not step_pile_piece(dim, step, dt - left[0], piece, forces, varying, pile):
            return False
        left[0] = left[0] - piece
    return True


@stage
def step_pile_piece(dim: Any, step: Any, begin: Real, piece: Real, forces: Any, varying: bool, heap: Any) -> bool:
    """Make a piece of a step of a pile, in substeps, from `begin` on; False, without a change, if there is no room."""
    clock, bodies, setting, logs, n = step.clock, step.bodies, step.coefficients, step.log, step.clock.bodies
    walls, cloth, flight = heap.guarded, heap.cloth, Flight(step.t, step.dt, step.clock, step.bodies)
    substeps = math.ceil(heap.substeps * (piece / flight.dt))
    h = piece / substeps
    since, t = flight.t + begin, (clock.begin + flight.t) + begin
    refresh(dim, t, flight, forces)
    if not begin_step(dim, heap, bodies, setting.material, n, piece, h):
        return False
    mark_places(dim, bodies, n, walls, cloth)
    for k in range(substeps):
        if varying:
            book(clock, accelerate(dim, t + k * h, bodies, n, forces), h)
        substep(dim, heap, bodies, n, h)
    end_step(dim, heap.pile, bodies, n)
    moves.find_fastest(dim, clock, bodies, n)
    guard_cloth(dim, StepState(since, piece, clock, bodies, setting, forces.periods, logs), cloth)
    guard_planes(dim, piece, bodies, n, heap.walls.planes, heap.pile)
    guard_walls(dim, StepState(since + piece, piece, clock, bodies, setting, forces.periods, logs), walls, heap.pile)
    clock.contacts = heap.pile.account[LOST]
    count_impacts(dim, since + piece, clock, heap.pile, heap.labels, bodies.place, logs)
    return True


@inline
def wrap(bodies: Any, n: Index, periods: Any, stormer: Any) -> None:
    """Bodies that have left through the side of a periodic axis come in on the other."""
    if len(periods) == 0:
        return
    place, turns, start = bodies.place, bodies.turns, bodies.start
    for axis in range(3):
        period = periods[axis]
        if period == 0.0:
            continue
        for k in range(n):
            i = np.uint64(k)
            x = place[i, axis]
            if x < 0.0 or x >= period:
                round_ = np.floor(x / period)
                place[i, axis] = min(max(x - round_ * period, 0.0), next_down(period))
                turns[i, axis] += np.int64(round_)
                if len(stormer) > 0:
                    start[i, axis] -= round_ * period


@inline
def first_flown_off(place: Any, velocity: Any, n: Index, fastest: Real) -> int:
    """The first body that is faster or farther than anything can be, or nowhere at all (NaN); -1 if there is none."""
    if fastest < SUSPICIOUS * SUSPICIOUS:
        return -1
    for k in range(n):
        for axis in range(3):
            v, x = abs(velocity[np.uint64(k), axis]), abs(place[np.uint64(k), axis])
            if not (v < SPEED_LIMIT and x < SPEED_LIMIT):
                return k
    return -1


@inline
def outcome(failed: Any, otherwise: Index) -> Index:
    """Why the loop comes back: an error of a custom force, if there was one, or else another reason."""
    return FAILED if failed[0] != 0.0 else otherwise


@inline
def move(dim: Any, flight: Any, forces: Any, scheme: Any, coefficients: Any, pile: Any, log: Any) -> bool:
    """Move all bodies by a step; False if a pile has no room for its contacts."""
    if len(pile) > 0:
        return step_pile(dim, flight, forces, scheme.varying, coefficients, pile, log)
    prepare(dim, flight, forces, scheme, scheme.stormer, scheme.splitting, scheme.tableau)
    return True


@inline
def conclude(dim: Any, clock: Any, bodies: Any, springs: Any, periods: Any, stormer: Any) -> Index:
    """Count a step that has been made, bring places into the box, and break links; gives a reason to stop, or GO."""
    place, velocity, n = bodies.place, bodies.velocity, clock.bodies
    clock.steps += 1
    clock.begun = 1
    wrap(bodies, n, periods, stormer)
    broken, stored = break_links(dim, springs, periods, place, n)
    if broken > 0:
        clock.broken += broken
        clock.breaking += stored
        clock.fresh = 0  # the last forces were those of whole links
    clock.culprit = first_flown_off(place, velocity, n, clock.fastest)
    return BLOWN if clock.culprit >= 0 else GO


@inline
def is_enough(clock: Any, goal: Index, room: Index) -> Index:
    """Stop, if there are collisions enough, or no room to write down those of another step; else GO."""
    if clock.ball_ball + clock.ball_wall + clock.ball_cloth >= goal:
        return DONE
    return FULL if room > 0 and 2 * clock.logged > room else GO


@kernel
def advance(dim: Any, clocks: Any, bodies: Any, forces: Any, scheme: Any, partners: Any, log: Any, task: Any) -> int:
    """Make the steps of a task; gives why it stopped."""
    clock, dt, part, failed = clocks[0], task.dt, task.part, forces.extra.failed
    springs, periods = forces.springs, forces.periods
    stormer, splitting, tableau = scheme.stormer, scheme.splitting, scheme.tableau
    by, walls, pairs, cloth, pile = partners
    if part == LOOK:
        t = clock.steps * dt
        refresh(dim, clock.begin + t, Flight(t, dt, clock, bodies), forces)
        return int(outcome(failed, DONE))
    for _ in range(task.steps):
        flight = Flight(clock.steps * dt, dt, clock, bodies)
        if part != FINISH and part != PULL:
            spawn(dim, flight, forces, stormer)
            if not move(dim, flight, forces, scheme, by, pile, log):
                return int(outcome(failed, CROWDED))
        if part != PREPARE and part != PULL:
            meet(dim, flight, by, periods, log, walls, pairs, cloth)
        if part in (PREPARE, MEET):
            return int(outcome(failed, DONE))
        finish(dim, flight, forces, scheme, stormer, splitting, tableau, pile)
        if failed[0] != 0.0:
            return FAILED
        reason = conclude(dim, clock, bodies, springs, periods, stormer)
        if reason == GO:
            reason = is_enough(clock, task.goal, log.size)
        if reason != GO:
            return int(reason)
    return DONE
