"""The inspected ball: its properties, its last and its next collision."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.lab.bench.track import Track
from carom.lab.seen.view import Floats, Inspector
from carom.observe.collisions import KINDS, Collision
from carom.simulation.simulation import Simulation
from carom.solvers.registry import CARDS

MAX_AHEAD = 400
"""Collisions that are simulated to find the next one of a ball."""
MAX_BALLS = 300
"""In larger scenes the search would delay the run."""


def inspect_ball(track: Track, index: int, positions: Floats, velocities: Floats, following: str | None) -> Inspector:
    """The properties of a ball; its next collision is passed in."""
    sim, ball = track.sim, track.scene.balls[index]
    velocity = velocities[index]
    row = track.log.last_of(index, track.time)
    return Inspector(
        index=index,
        name=ball.name,
        position=tuple(positions[index].tolist()),
        velocity=tuple(velocity.tolist()),
        speed=float(np.linalg.norm(velocity)),
        force=tuple(sim.forces[index].tolist()),
        momentum=tuple((ball.mass * velocity).tolist()),
        kinetic=float(0.5 * ball.mass * velocity @ velocity),
        mass=ball.mass,
        radius=ball.radius,
        fixed=ball.fixed,
        material=ball.material,
        age=_age(track, index, ball.born),
        last_collision=None if row is None else _of_row(sim, row, index),
        next_collision=following,
    )


def next_collision(track: Track, index: int) -> tuple[str | None, float]:
    """The next collision of a ball as text, and its time; if none is found, None and the time of the search."""
    sim, offset = track.sim, track.segment.offset
    for each in sim.upcoming:
        if index in each.partners:
            return _of_collision(each, offset, index), offset + each.time
    if not CARDS[sim.solver].foresees or len(sim.scene.balls) > MAX_BALLS:
        return None, track.time
    ahead = sim.copy()
    for each in ahead.events(collisions=MAX_AHEAD):
        if index in each.partners:
            return _of_collision(each, offset, index), offset + each.time
    return None, offset + ahead.time


def _age(track: Track, index: int, born: float) -> float:
    births = track.segment.births
    if births is not None and index < len(births):
        return track.time - float(births[index])
    return max(track.time - track.segment.offset - born, 0.0) if born else track.time


def _words(time: float, other: str) -> str:
    return f"{time:.6g} s · {other}"


def _of_collision(each: Collision, offset: float, index: int) -> str:
    others = [str(ball) for ball in each.partners if ball != index]
    return _words(offset + each.time, others[0] if others else each.wall or "cloth")


def _of_row(sim: Simulation, row: Any, index: int) -> str:
    kind = KINDS[int(row["kind"])]
    if kind == "ball-ball":
        return _words(float(row["time"]), str(int(row["b"] if row["a"] == index else row["a"])))
    return _words(float(row["time"]), wall_name(sim, row))


def wall_name(sim: Simulation, row: Any) -> str:
    """The name of the wall of a row; after an edit the wall may not exist any more."""
    if KINDS[int(row["kind"])] == "ball-cloth":
        return "cloth"
    try:
        return sim.wall_name(int(row["wall"]))
    except IndexError:
        return "wall"
