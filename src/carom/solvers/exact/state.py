"""The state of a run of the exact solver as plain arrays: anchors and a few numbers, for everything else follows.

balls     place, velocity, time, hit, rest_on, streak, turns: one row per ball, in the scene's order (`balls.Anchors`)
moments   the origin of time (a sum of two), the last event, the contact time, the end of the epoch, s; the faint speed,
          m/s, stands before the last
counts    events of the epoch, collisions, seams, rests, softened; events without advance, or without collision; epochs
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.solvers.exact.balls import MOVING
from carom.solvers.exact.world import Contact
from carom.solvers.state_check import MANY, check, check_finite, check_range, part

if TYPE_CHECKING:
    from carom.solvers.exact.run import Run
    from carom.solvers.exact.world import World

PAGE, LEAST_PAGE = 8, 1024
"""Events a ball between two states that a history keeps; at least so many."""
MOMENTS = ("origin", "lost", "now", "contact_time", "faint", "epoch_end")
COUNTS = ("events", "ball_ball", "ball_wall", "seams", "rests", "softened", "still", "idle", "epochs")


def state_of(run: Run) -> dict[str, NDArray[Any]]:
    """All that a run needs to go on to the same bits."""
    world = run.store()
    state: dict[str, NDArray[Any]] = {name: getattr(world.anchors, name).copy() for name in MOVING}
    state["moments"] = np.array([*world.origin, world.now, *world.contact, world.epoch_end], np.float64)
    state["counts"] = np.array([*(world.counts[name] for name in COUNTS[:-1]), world.epochs], np.int64)
    return state


def give(world: World, state: Mapping[str, Any]) -> None:
    """Give a world a state that fits."""
    for name in MOVING:
        getattr(world.anchors, name)[:] = state[name]
    high, low, world.now, contact_time, faint, world.epoch_end = state["moments"].tolist()
    world.contact = Contact(contact_time, faint)
    world.origin = (high, low)
    world.counts = dict(zip(COUNTS, state["counts"].tolist(), strict=True))
    world.epochs = world.counts.pop("epochs")


def fitted(world: World, state: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """A state of this world; a `SolverError` if it is none."""
    n = len(world.anchors)
    taken = {name: part(state, name, (n, *each.shape), each.kind) for name, each in MOVING.items()}
    earlier = np.shape(state.get("moments", 0.0)) == (len(MOMENTS) - 2,)
    taken["moments"] = part(state, "moments", (len(MOMENTS) - 2 * earlier,), "f8")
    if earlier:  # a checkpoint of carom 0.1: the faint speed is that of the scene, and the epoch has yet to be measured
        taken["moments"] = np.append(taken["moments"], [world.contact.faint, 0.0])
    taken["counts"] = part(state, "counts", (len(COUNTS),), "i8")
    check_finite(taken, "place", "velocity", "time", "moments")
    check(not np.isnan(taken["hit"]).any(), "hit", "has times that are none")
    check_range(taken["counts"], 0, MANY, "counts")
    check_range(taken["streak"], 0, np.inf, "streak")
    check_range(taken["turns"], -MANY, MANY, "turns")
    check(bool((taken["moments"][3:5] >= 0.0).all()), "moments", "has a contact time or a speed below 0")
    walls, rest_on = world.walls.records.size, taken["rest_on"]
    check(bool(((rest_on >= -1) & (rest_on < walls)).all()), "rest_on", f"names a wall that is not among {walls}")
    fixed = world.anchors.fixed
    same = np.array_equal(taken["place"][fixed], world.anchors.place[fixed])
    check(same, "place", "has fixed balls at other places")
    return taken
