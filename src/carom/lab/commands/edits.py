"""Commands that change balls. An invalid edit is refused, and nothing changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import InputError
from carom.lab.bench.session import Does, Session
from carom.lab.commands.arguments import flag, number, refusal, vector, word
from carom.lab.commands.arguments import index as one_of
from carom.lab.commands.arguments import indices as numbers
from carom.lab.commands.selecting import selected
from carom.lab.commands.walls import nudge_corner
from carom.scene import Scene
from carom.scene.fields.base import nearest, shown
from carom.simulation.simulation import Simulation
from carom.views import region

AXES = {"x": 0, "y": 1, "z": 2}
VELOCITIES = {"vx": 0, "vy": 1, "vz": 2}
FIELDS = (*AXES, *VELOCITIES, "mass", "radius", "material", "fixed", "name")

NUDGE = 100.0
"""An arrow key moves by a round length, at most the size of the scene divided by this."""
PUSH = 20.0
"""X or Y with + or - change the velocity by a round value, at most the typical one divided by this."""
CROSSING = 4.0
HEAVIER = 1.1
"""M with + multiplies the mass by this."""
MAX_STEPS = 1000.0
"""Steps at once: keys take one or ten, and a power of more would overflow."""


# Changing.


def change(session: Session, index: Any, field: Any, value: Any) -> None:
    """Change one quantity of a ball."""
    session.settle()
    k = one_of("index", index, len(session.track.scene.balls))
    _change(session, "change", (k,), field, value)


def change_selected(session: Session, field: Any, value: Any) -> None:
    """Change one quantity of all selected balls."""
    session.settle()
    _change(session, "change-selected", selected(session), field, value)


def _change(session: Session, command: str, chosen: tuple[int, ...], field: Any, value: Any) -> None:
    if not isinstance(field, str) or field not in FIELDS:
        asked = field[:60] if isinstance(field, str) else ""
        raise refusal(
            "ball.no-field", where=asked or "field", field=shown(field), hint=nearest(asked, FIELDS, "fields")
        )
    sim = session.track.sim.copy()
    try:
        _set(sim, chosen, field, value)
    except InputError as error:
        # Errors name the field that a person typed into.
        raise type(error)([problem.at(field) for problem in error.problems]) from None
    session.edit(command, sim, about=(command, chosen, field))


def _set(sim: Simulation, chosen: tuple[int, ...], field: str, value: Any) -> None:
    d = sim.scene.dimension
    axis = AXES.get(field, VELOCITIES.get(field))
    if axis is not None:
        if axis >= d:
            raise refusal("plane.use-xy", where=field)
        name = "position" if field in AXES else "velocity"
        rows = np.array((sim.positions if field in AXES else sim.velocities)[list(chosen)])
        rows[:, axis] = number(field, value)
        _refuse_fixed(sim, chosen, name, rows)
        changes: dict[str, Any] = {name: rows}
        sim.change_balls(chosen, **changes)
    elif field in {"mass", "radius"}:
        changes = {field: _positive(field, value)}
        sim.change_balls(chosen, **changes)
    else:
        given = flag(field, value) if field == "fixed" else word(field, value) or None
        still = {"velocity": (0.0,) * d} if given is True else {}
        changes = {field: [given] * len(chosen), **still}
        sim.change_balls(chosen, **changes)


def _positive(field: str, value: Any) -> float:
    made = number(field, value)
    if made < 0.0:
        raise refusal("mass.negative" if field == "mass" else "radius.negative", where=field, value=made)
    if made == 0.0 and field == "mass":
        raise refusal("mass.not-above-0", where=field, value=made)
    return made


def _refuse_fixed(sim: Simulation, chosen: tuple[int, ...], name: str, rows: NDArray[np.float64]) -> None:
    if name == "velocity" and (sim.scene.balls.fixed[list(chosen)] & rows.any(axis=1)).any():
        raise refusal("ball.fixed-stays", where="velocity")


def nudge(session: Session, field: Any, steps: Any) -> None:
    """Change the selected balls, or move the chosen corner, by a number of steps that suit the scene."""
    session.settle()
    by = number("steps", steps)
    if abs(by) > MAX_STEPS:
        raise refusal("range.from-to", where="steps", value=shown(steps), low=-MAX_STEPS, high=MAX_STEPS)
    if session.corner is not None and field in ("x", "y"):
        nudge_corner(session, AXES[field], by * nudge_step(session.track.scene))
        return
    chosen = selected(session)
    sim = session.track.sim.copy()
    scene, d = sim.scene, sim.scene.dimension
    rows = list(chosen)
    axis = AXES.get(field, VELOCITIES.get(field)) if isinstance(field, str) else None
    if axis is not None and axis >= d:
        raise refusal("plane.use-xy", where=str(field))
    if axis is not None:
        name = "position" if field in AXES else "velocity"
        part = nudge_step(scene) if field in AXES else push_step(scene, session.pace)
        now = np.array((sim.positions if field in AXES else sim.velocities)[rows])
        now[:, axis] = _tidy(now[:, axis] + by * part, part)
        _refuse_fixed(sim, chosen, name, now)
        changes: dict[str, Any] = {name: now}
        sim.change_balls(chosen, **changes)
    elif field == "mass":
        factor = HEAVIER**by
        balls = scene.balls
        sim.change_balls(chosen, mass=balls.mass[rows] * factor, radius=balls.radius[rows] * factor ** (1.0 / d))
    elif field == "radius":
        sim.change_balls(chosen, radius=scene.balls.radius[rows] * HEAVIER**by)
    else:
        raise refusal("nudge.field", where="field", field=shown(field))
    session.edit("nudge", sim, about=(field, chosen))


def nudge_step(scene: Scene) -> float:
    """How far an arrow key moves a ball, m."""
    return region.round_part(region.size(scene) / NUDGE)


def push_step(scene: Scene, pace: float) -> float:
    """By how much a key changes a velocity, m/s."""
    fast = max(region.typical_speed(scene), region.size(scene) / (CROSSING * pace))
    return region.round_part(fast / PUSH)


def _tidy(values: NDArray[np.float64], part: float) -> NDArray[np.float64]:
    """Remove the rounding errors of many steps: values close to a multiple of a step become that multiple."""
    whole = np.round(values / part)
    near = np.abs(values / part - whole) < 1e-9
    tidy: NDArray[np.float64] = np.where(near, [float(f"{k * part:.12g}") for k in whole], values)
    return tidy


def move(session: Session, by: Any, indices: Any = None) -> None:
    """Move balls by a vector: these, or the selected ones."""
    session.settle()
    sim = session.track.sim.copy()
    way = vector("by", by, sim.scene.dimension)
    chosen = selected(session) if indices is None else numbers("indices", indices, len(sim.scene.balls))
    sim.change_balls(chosen, position=sim.positions[list(chosen)] + np.array(way))
    session.edit("move", sim, about=("move", chosen))


def place(session: Session, index: Any, position: Any) -> None:
    """Set the position of a ball."""
    session.settle()
    sim = session.track.sim.copy()
    k = one_of("index", index, len(sim.scene.balls))
    sim.change_balls((k,), position=[vector("position", position, sim.scene.dimension)])
    session.edit("place", sim, about=("place", k))


def throw(session: Session, index: Any, velocity: Any) -> None:
    """Set the velocity of a ball."""
    session.settle()
    sim = session.track.sim.copy()
    k = one_of("index", index, len(sim.scene.balls))
    rows = np.array([vector("velocity", velocity, sim.scene.dimension)])
    _refuse_fixed(sim, (k,), "velocity", rows)
    sim.change_balls((k,), velocity=rows)
    session.edit("throw", sim, about=("throw", k))


DOES: Does = {
    "change": change,
    "change-selected": change_selected,
    "nudge": nudge,
    "move": move,
    "place": place,
    "throw": throw,
}
