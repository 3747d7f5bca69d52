"""The state of a run of the stepped solver as plain arrays: what one step hands to the next.

Rows are in the order of the run, which sorting changes; `number` tells the ball of each. What else kernels are called
with is made from the scene, or is scratch of a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.solvers.state_check import ANY, MANY, check, check_finite, check_range, part
from carom.solvers.stepped.interactive import Hand
from carom.solvers.stepped.pile.memory import CLOTH, COLUMN, COUNT, ONE, OTHER, ROW, SIDE, WALL, Pile, larger
from carom.solvers.stepped.reading import LOSSES
from carom.solvers.stepped.records import clock_record

if TYPE_CHECKING:
    from carom.solvers.stepped.build import PileSetup
    from carom.solvers.stepped.engine import Engine

State = Mapping[str, Any]
Arrays = dict[str, NDArray[Any]]

ROWS = ("place", "velocity", "accel", "turns", "number")
SPRINGS = ("k", "c", "limit", "linked")
PILE = ("rows", "numbers", "names")
NUMBERS = ("tally", "limits", "account")
COUNTED = ("steps", "begun", "bodies", "ball_ball", "ball_wall", "ball_cloth", "broken", "fresh")
PER_BODY = 2**8
"""Contacts that a body may have, on average, in a state that is taken."""
HAND = {"target": (3,), "stiffness": (), "damping": (), "thrust": (3,)}


def state_of(engine: Engine) -> Arrays:
    """All that a run needs to go on to the same bits; between steps."""
    watch = engine.watch
    state: Arrays = {
        "clock": engine.clock.copy(),
        "step": np.array([engine.method.step]),
        "start": np.array([engine.start]),
        "watch": np.array([watch.steps, watch.pause] if watch else [], np.int64),
        "before": engine.bodies.start.copy(),
        **{name: getattr(engine.rows, name).copy() for name in ROWS},
    }
    if engine.forces.springs:
        state |= {f"spring_{name}": getattr(engine.forces.springs, name).copy() for name in SPRINGS}
    if engine.cloth:
        state["cloth"] = np.array([engine.cloth.widest, engine.cloth.thickness])
    if engine.pile_setup:
        state |= _pile_state(engine.pile_setup.pile)
    if engine.forces.extra.given.size:
        state["given"] = engine.forces.extra.given.copy()
    state["driven"] = np.array(sorted(engine.driven), np.int64)
    state["hand_ball"] = np.array(list(engine.hands), np.int64)
    for name, shape in HAND.items():
        values = [getattr(hand, name) for hand in engine.hands.values()]
        state[f"hand_{name}"] = np.array(values, np.float64).reshape(-1, *shape)
    return state


def _pile_state(pile: Pile) -> Arrays:
    """The contacts of the last step, which are matched with those of the next."""
    side, count = int(pile.tally[SIDE]), int(pile.tally[COUNT])
    state: Arrays = {f"pile_{name}": getattr(pile, name)[side, :count].copy() for name in PILE}
    state |= {f"pile_{name}": getattr(pile, name).copy() for name in NUMBERS}
    state["pile_room"] = np.array([len(pile.found)])
    return state


def take(engine: Engine, state: State) -> None:
    """Give a run that stands at its start another state; nothing is changed if that does not fit."""
    parts = _fitted(engine, state)
    engine.forget()
    if engine.pile_setup:
        engine.pile_setup = engine.pile_setup._replace(
            pile=_pile(engine.pile_setup.pile, len(engine.rows.number), parts)
        )
    for name in ROWS:
        getattr(engine.rows, name)[:] = parts[name]
    engine.rows.material[:] = engine.scene.balls.material.codes[parts["number"]]
    engine.bodies.start[:] = parts["before"]
    if engine.forces.springs:
        for name in SPRINGS:
            getattr(engine.forces.springs, name)[:] = parts[f"spring_{name}"]
    if engine.cloth:
        widest, thickness = parts["cloth"].tolist()
        engine.cloth = engine.cloth._replace(widest=widest, thickness=thickness)
    engine.driven = set(parts["driven"].tolist())
    if len(parts["hand_ball"]):
        engine.steer(_hands(parts))
    if engine.watch and len(parts["watch"]):
        engine.watch.steps, engine.watch.pause = parts["watch"].tolist()
    elif not len(parts["watch"]):
        engine.watch = None
    engine.start = float(parts["start"][0])
    engine.clock[:] = parts["clock"]


def _hands(parts: Arrays) -> dict[int, Hand]:
    """Those that pull, in their order."""
    rows = zip(*(parts[f"hand_{name}"].tolist() for name in HAND), strict=True)
    return {
        ball: Hand(tuple(target), stiffness, damping, tuple(thrust))
        for ball, (target, stiffness, damping, thrust) in zip(parts["hand_ball"].tolist(), rows, strict=True)
    }


def _pile(pile: Pile, bodies: int, parts: Arrays) -> Pile:
    """A pile that goes on with these contacts."""
    room = int(parts["pile_room"][0])
    if len(pile.found) != room:
        pile = larger(pile, bodies, room)
    if pile.feet:
        pile = pile._replace(feet=pile.feet._replace(thickness=float(parts["cloth"][1])))
    for name in NUMBERS:
        getattr(pile, name)[:] = parts[f"pile_{name}"]
    side, count = int(pile.tally[SIDE]), int(pile.tally[COUNT])
    for name in PILE:
        getattr(pile, name)[side, :count] = parts[f"pile_{name}"]
    return pile


def _fitted(engine: Engine, state: State) -> Arrays:
    """The parts of a state of such a run; a `SolverError` if it is none."""
    rows = {name: getattr(engine.rows, name) for name in ROWS}
    like = {**rows, "before": engine.bodies.start}
    if engine.forces.springs:
        like |= {f"spring_{name}": getattr(engine.forces.springs, name) for name in SPRINGS}
    if engine.pile_setup:
        like |= {f"pile_{name}": getattr(engine.pile_setup.pile, name) for name in NUMBERS}
    found = {name: part(state, name, each.shape, each.dtype) for name, each in like.items()}
    found["clock"] = part(state, "clock", (1,), clock_record)
    found["step"], found["start"] = part(state, "step", (1,), "f8"), part(state, "start", (1,), "f8")
    found["watch"] = part(state, "watch", (ANY,), "i8")
    found["driven"], found["hand_ball"] = part(state, "driven", (ANY,), "i8"), part(state, "hand_ball", (ANY,), "i8")
    for name, shape in HAND.items():
        found[f"hand_{name}"] = part(state, f"hand_{name}", (len(found["hand_ball"]), *shape), "f8")
    if engine.forces.extra.given.size or "given" in state:
        same = np.array_equal(part(state, "given", (ANY,), "f8"), engine.forces.extra.given)
        check(same, "given", "has other values of parameters of custom forces")
    if engine.cloth:
        found["cloth"] = part(state, "cloth", (2,), "f8")
    if engine.pile_setup:
        found |= _fitted_pile(engine.pile_setup, state, found["pile_tally"])
    _check(engine, found)
    return found


def _fitted_pile(setup: PileSetup, state: State, tally: NDArray[np.int64]) -> Arrays:
    """The contacts of a pile, which name bodies, walls and laws that must be there: kernels look them up unasked."""
    pile, n = setup.pile, len(setup.pile.head)
    check_range(tally, 0, MANY, "pile_tally")
    side, count = int(tally[SIDE]), int(tally[COUNT])
    found = {"pile_room": part(state, "pile_room", (1,), "i8")}
    for name in PILE:
        each = getattr(pile, name)
        found[f"pile_{name}"] = part(state, f"pile_{name}", (count, each.shape[2]), each.dtype)
    room = int(found["pile_room"][0])
    check(side in (0, 1) and 0 <= count <= room, "pile_tally", "counts more than there is")
    check(room <= PER_BODY * (n + 64), "pile_room", "is more than there can be")
    check_finite(found, "pile_rows")
    numbers, names = found["pile_numbers"], found["pile_names"]
    feet = count if pile.feet else 0
    check_range(numbers[:, [ONE, OTHER]], 0, n + 1 + feet, "pile_numbers")
    check_range(numbers[:, ROW], 0, setup.laws.shape[0], "pile_numbers")
    check_range(numbers[:, COLUMN], 0, setup.laws.shape[1], "pile_numbers")
    check_range(names[:, 0], 0, n, "pile_names")
    partner = names[:, 1].astype(np.int64)
    walls = len(setup.walls.planes) + len(setup.walls.parts)
    triangles = len(pile.feet.triangles) if pile.feet else 0
    woven = (partner >= CLOTH) & (partner < WALL)
    check_range(np.where(partner >= CLOTH, 0, partner), 0, max(n, 1), "pile_names")
    check_range(np.where(woven, partner - CLOTH, 0), 0, max(triangles, 1), "pile_names")
    check_range(np.where(partner >= WALL, partner - WALL, 0), 0, max(walls, 1), "pile_names")
    return found


def _check(engine: Engine, found: Arrays) -> None:
    """Numbers of bodies must be numbers of bodies, and the step the same."""
    n = len(engine.rows.number)
    check(np.array_equal(np.sort(found["number"]), np.arange(n)), "number", "is not an order of the balls")
    for name in ("driven", "hand_ball"):
        check(bool(((found[name] >= 0) & (found[name] < n)).all()), name, f"names a ball that is not among {n}")
    check(0 <= int(found["clock"]["bodies"][0]) <= n, "clock", f"has more bodies than {n}")
    check_finite(found, "place", "velocity", "start")
    check_range(found["turns"], -MANY, MANY, "turns")
    clock = found["clock"]
    for name in COUNTED:
        check_range(clock[name], 0, MANY, "clock")
    finite = all(np.isfinite(clock[name]).all() for name in ("begin", *LOSSES, "work"))
    check(finite, "clock", "has numbers that are not finite")
    check(len(found["watch"]) in (0, 2), "watch", "has not two numbers")
    check_range(found["watch"], 0, MANY, "watch")
    if engine.pile_setup:
        check_finite(found, "pile_account")
    if engine.cloth:
        check_finite(found, "cloth")
    check_finite(found, *(f"hand_{name}" for name in HAND))
    step = float(found["step"][0])
    check(step == engine.method.step, "step", f"is {step} s where {engine.method.step} s fits")
