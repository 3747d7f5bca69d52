"""A run between two of its steps: the step that has begun, made as long as the time that has passed, on a copy.

So a look, or an edit, finds balls where contacts have left them, and not behind a wall. The run itself goes on from
the end of its last step: looking changes nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.solvers.stepped import state as stored
from carom.solvers.stepped.bundles import Task
from carom.solvers.stepped.loop import WHOLE
from carom.solvers.stepped.pile.memory import NEEDED, larger
from carom.solvers.stepped.reading import Glimpse
from carom.solvers.stepped.records import CROWDED, NO_LIMIT

if TYPE_CHECKING:
    from carom.solvers.stepped.build import PileSetup
    from carom.solvers.stepped.bundles import Bodies
    from carom.solvers.stepped.engine import Engine
    from carom.solvers.stepped.forces.sum import Forces


def glimpse(engine: Engine, s: float) -> Glimpse:
    """The run s after its last step."""
    if engine.pile_setup:
        return _in_substeps(engine, engine.pile_setup, s)
    return _short_step(engine, s, ()) if engine.meets else _along_the_path(engine, s)


def _along_the_path(engine: Engine, s: float) -> Glimpse:
    """Where nothing can be met: x + v s + a s²/2 and v + a s, which asks for no forces."""
    state = engine.rows
    engine.look_ahead()
    span = s * (np.arange(len(state.place)) < engine.clock["bodies"][0])[:, None]
    x, v, a = state.place[:, :3], state.velocity[:, :3], state.accel[:, :3]
    place, turns = _wrapped(x + (v + 0.5 * a * span) * span, state.turns, engine.forces.periods)
    return Glimpse(place, v + a * span, turns, engine.clock)


def _in_substeps(engine: Engine, setup: PileSetup, s: float) -> Glimpse:
    """A pile between two substeps: places between those after two whole substeps, velocities of the nearer.

    Its contacts have learnt to bear what they bear in substeps of their length, and would push in shorter ones.
    """
    h = engine.method.step / setup.substeps
    done = math.floor(s / h)
    part = s / h - done
    state = engine.rows
    one = Glimpse(state.place[:, :3], state.velocity[:, :3], state.turns, engine.clock)
    if done > 0:
        one = _short_step(engine, done * h, setup._replace(substeps=done))
    two = _short_step(engine, (done + 1) * h, setup._replace(substeps=done + 1))
    moved = two.place - one.place
    for axis, period in enumerate(engine.forces.periods):
        moved[:, axis] += period * (two.turns - one.turns)[:, axis]
    place, turns = _wrapped(one.place + part * moved, one.turns, engine.forces.periods)
    nearer = one if part < 0.5 else two
    return Glimpse(place, nearer.velocity, turns, nearer.clock)


def _wrapped(place: Any, turns: NDArray[np.int64], periods: Any) -> tuple[Any, NDArray[np.int64]]:
    """Places within the periods, and the turns that come to those that were made."""
    turns = turns.copy()
    for axis, period in enumerate(periods):
        if period:
            more = np.floor(place[:, axis] / period)
            place[:, axis] -= more * period
            turns[:, axis] += more.astype(np.int64)
    return place, turns


def _short_step(engine: Engine, s: float, setup: PileSetup | tuple[()]) -> Glimpse:
    """A step of s, contacts included."""
    clock, bodies = engine.clock.copy(), _copied(engine, s)
    clock["begin"], clock["steps"], clock["begun"] = engine.time, 0, 1
    setup, forces, task = _copied_setup(setup), _lasting(engine.forces), Task(s, 1, NO_LIMIT, WHOLE)
    while True:
        reason = engine.call(task, clock=clock, bodies=bodies, forces=forces, setup=setup)
        if reason != CROWDED or not setup:
            return Glimpse(bodies.place[:, :3], bodies.velocity[:, :3], bodies.turns, clock)
        setup = setup._replace(pile=larger(setup.pile, len(bodies.turns), 2 * int(setup.pile.tally[NEEDED]) + 64))


def _copied(engine: Engine, s: float) -> Bodies:
    """The rows for a step of s. In the other arrays the step before has left nothing that counts."""
    bodies, state = engine.bodies, engine.rows
    start = bodies.start.copy()
    if engine.scheme.stormer:
        # The place before, of a step of s: x' = 2 x - x₋ + a s² is then x + v s + a s²/2, however long s is.
        engine.look_ahead()
        start[:, :3] = state.place[:, :3] - (state.velocity[:, :3] - 0.5 * state.accel[:, :3] * s) * s
    return bodies._replace(
        place=state.place.copy(),
        velocity=state.velocity.copy(),
        accel=state.accel.copy(),
        born=state.born[: int(engine.clock["bodies"][0])],  # births are those of whole steps
        turns=state.turns.copy(),
        start=start,
        since=np.full(len(bodies.since), s),
    )


def _lasting(forces: Forces) -> Forces:
    """Forces whose links do not break within the step: they break at the ends of steps."""
    springs = forces.springs
    if not springs or not springs.limit.size:
        return forces
    return forces._replace(springs=springs._replace(limit=np.full(springs.limit.size, np.inf)))


def _copied_setup(setup: PileSetup | tuple[()]) -> PileSetup | tuple[()]:
    """A pile that remembers the same; what else it has is scratch of a step."""
    if not setup:
        return setup
    kept = {name: getattr(setup.pile, name).copy() for name in (*stored.PILE, *stored.NUMBERS, "left")}
    return setup._replace(pile=setup.pile._replace(**kept))
