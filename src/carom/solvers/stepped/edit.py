"""A run of the stepped solver that goes on with another scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.solvers.stepped.integrators.method import warn_if_unstable
from carom.solvers.stepped.integrators.stability import largest_stable_step
from carom.solvers.stepped.pile.memory import LOST
from carom.solvers.stepped.reading import LOSSES

if TYPE_CHECKING:
    from carom.solvers.stepped.engine import Engine


def surviving(engine: Engine, scene: Scene) -> Scene:
    """A scene without the links that have broken."""
    springs = engine.forces.springs
    if not springs or not np.isnan(springs.limit).any():
        return scene
    whole = np.ones(len(scene.links), bool)
    whole[springs.number[np.isnan(springs.limit)]] = False
    return scene.replace(links=scene.links[whole])


def edited(old: Engine, new: Engine, origin: NDArray[np.intp], now: float) -> Engine:
    """Let a run of another scene go on where an old one stands; `origin` tells the old number of each ball, or -1."""
    numbers = {int(k): ball for ball, k in enumerate(origin.tolist()) if k >= 0}
    grips = {numbers[k]: grip for k, grip in old.grips.items() if k in numbers}
    if largest_stable_step(new.scene, grips) < largest_stable_step(old.scene, old.grips):
        warn_if_unstable(new.scene, new.method, hands=grips)
    before = old.mechanical_energy(now)
    _take_over(old, new, origin, now)
    new.driven = {numbers[k] for k in old.driven if k in numbers}
    new.rows.velocity[new.rows.row[list(new.driven)], 3] = 0.0
    new.steer({numbers[k]: hand for k, hand in old.hands.items() if k in numbers})
    new.clock["work"] += new.mechanical_energy(now) - before
    return new


def _take_over(old: Engine, new: Engine, origin: NDArray[np.intp], now: float) -> None:
    """Give balls that stay their places and velocities, and the run its counts and what listens to it."""
    seen = old.at(now)
    stay = origin >= 0
    here, there = old.rows.row[origin[stay]], new.rows.row[stay]
    new.rows.place[there, :3] = seen.place[here]
    new.rows.velocity[there, :3] = seen.velocity[here]
    new.rows.turns[there] = seen.turns[here]
    for name in ("ball_ball", "ball_wall", "ball_cloth", "broken", "work", *LOSSES):
        new.clock[name] = seen.clock[name]
    if new.pile_setup:
        new.pile_setup.pile.account[LOST] = seen.clock["contacts"][0]
    new.clock["begin"] = now
    new.clock["bodies"] = np.searchsorted(new.rows.born, now, side="right")
    new.hooks, new.start = old.hooks, old.start
    new.watch, new.announced = old.watch, old.announced
