"""A run between two of its steps: the step that has begun, made as long as the time that has passed, on a copy.

So whoever looks, or edits, finds balls where contacts have left them, and not behind a wall. The run itself goes on
from the end of its last step, as if nobody had looked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.solvers.stepped import state as stored
from carom.solvers.stepped.pile.memory import NEEDED, larger
from carom.solvers.stepped.reading import Glimpse
from carom.solvers.stepped.records import CROWDED

if TYPE_CHECKING:
    from carom.solvers.stepped.build import Heap
    from carom.solvers.stepped.engine import Engine
    from carom.solvers.stepped.forces.sum import Forces
    from carom.solvers.stepped.integrators.moves import Bodies


def glimpse(engine: Engine, s: float) -> Glimpse:
    """The run s after its last step."""
    if engine.heap:
        return _in_substeps(engine, engine.heap, s)
    return _short_step(engine, s, ()) if engine.meets else _along_the_path(engine, s)


def _along_the_path(engine: Engine, s: float) -> Glimpse:
    """Where nothing can be met: x + v s + a s²/2 and v + a s, which asks for no forces."""
    state = engine.rows
    engine.look_ahead()
    span = s * (np.arange(len(state.place)) < engine.clock["bodies"][0])[:, None]
    x, v, a = state.place[:, :3], state.velocity[:, :3], state.accel[:, :3]
    place, turns = _wrapped(x + (v + 0.5 * a * span) * span, state.turns, engine.forces.periods)
    return Glimpse(place, v + a * span, turns, engine.clock)


def _in_substeps(engine: Engine, heap: Heap, s: float) -> Glimpse:
    """Of a pile: places between those after two whole substeps, velocities of the nearer.

    Its contacts have learnt to bear what they bear in substeps of their length, and would push in shorter ones.
    """
    h = engine.method.step / heap.substeps
    done = math.floor(s / h)
    part = s / h - done
    state = engine.rows
    one = Glimpse(state.place[:, :3], state.velocity[:, :3], state.turns, engine.clock)
    if done > 0:
        one = _short_step(engine, done * h, heap._replace(substeps=done))
    two = _short_step(engine, (done + 1) * h, heap._replace(substeps=done + 1))
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


def _short_step(engine: Engine, s: float, heap: Heap | tuple[()]) -> Glimpse:
    """A step of s, contacts included."""
    clock, turns = engine.clock.copy(), engine.rows.turns.copy()
    bodies = _copied(engine, s)
    clock["begin"], clock["steps"], clock["begun"] = engine.time, 0, 1
    born = engine.rows.born[: int(clock["bodies"][0])]  # births are those of whole steps
    heap, forces = _copied_heap(heap), _lasting(engine.forces)
    while True:
        reason = engine.call(1, clock=clock, bodies=bodies, born=born, turns=turns, forces=forces, heap=heap, step=s)
        if reason != CROWDED or not heap:
            return Glimpse(bodies.place[:, :3], bodies.velocity[:, :3], turns, clock)
        heap = heap._replace(pile=larger(heap.pile, len(turns), 2 * int(heap.pile.tally[NEEDED]) + 64))


def _copied(engine: Engine, s: float) -> Bodies:
    """The rows for a step of s. In the other arrays the step before has left nothing that counts."""
    bodies, state = engine.bodies, engine.rows
    start = bodies.start.copy()
    if engine.tables.stormer:
        # The place before, of a step of s: x' = 2 x - x₋ + a s² is then x + v s + a s²/2, however long s is.
        engine.look_ahead()
        start[:, :3] = state.place[:, :3] - (state.velocity[:, :3] - 0.5 * state.accel[:, :3] * s) * s
    return bodies._replace(
        place=state.place.copy(),
        velocity=state.velocity.copy(),
        accel=state.accel.copy(),
        start=start,
        since=np.full(len(bodies.since), s),
    )


def _lasting(forces: Forces) -> Forces:
    """The same forces, with links that do not break: those break at the ends of steps."""
    springs = forces.springs
    if not springs or not springs.limit.size:
        return forces
    return forces._replace(springs=springs._replace(limit=np.full(springs.limit.size, np.inf)))


def _copied_heap(heap: Heap | tuple[()]) -> Heap | tuple[()]:
    """A pile that remembers the same; what else it has is scratch of a step."""
    if not heap:
        return heap
    kept = {name: getattr(heap.pile, name).copy() for name in (*stored.PILE, *stored.NUMBERS, "left")}
    return heap._replace(pile=heap.pile._replace(**kept))
