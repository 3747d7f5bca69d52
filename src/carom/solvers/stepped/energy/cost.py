"""What a run will cost, told before it where that is beyond reason, and what in the scene is the cause."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import StepWarning
from carom.scene import Scene
from carom.solvers.stepped.integrators.method import Method
from carom.solvers.stepped.integrators.stability import (
    ATTRACTION,
    PASSAGE,
    SPEED,
    SPRINGS,
    row_sums,
    sensible_step,
    step_limits,
)
from carom.thread_warnings import warn_caller

MANY_STEPS = 1e8
"""Steps of a run that hardly anybody wants: of one ball, some seconds."""
MUCH_WORK = 1e11
"""Steps times balls: at the ten million a second of a fast machine, three hours."""


def warn_of_work(scene: Scene, method: Method, seconds: float) -> bool:
    """Warn if a run of a scene takes steps beyond reason; True if so."""
    steps, balls = seconds / method.step, len(scene.balls)
    if not (MANY_STEPS <= steps < math.inf and steps * balls >= MUCH_WORK):
        return False
    many = f"{balls} balls" if balls != 1 else "1 ball"
    message = f"run: {seconds:.6g} s for {many} are {steps:.2g} steps of {method.step:.6g} s. {_cause(scene, method)}"
    warn_caller(message, StepWarning)
    return True


def _cause(scene: Scene, method: Method) -> str:
    """Why steps are so short, and what to do about it."""
    if method.step != sensible_step(scene):
        return "Use a longer step=…, or a shorter run."
    limits = step_limits(scene)
    cause = min(limits, key=limits.__getitem__)
    if cause == SPRINGS:
        return f"Steps are that short for {_stiffest(scene)}."
    why, remedy = {
        SPEED: ("small balls that are fast", "Use larger balls, or lower speeds"),
        ATTRACTION: ("the fastest orbit", "Give the attraction a softening=…, or use a longer step=…"),
        PASSAGE: ("a close approach to come", "Give the attraction a softening=…, or use a longer step=…"),
    }.get(cause, ("one picture per frame", "Use a longer step=…, or a shorter run"))
    return f"Steps are that short for {why}. {remedy}."


def _stiffest(scene: Scene) -> str:
    """The link, bend or drag that asks for the shortest steps, with its numbers, and what would allow longer ones."""
    squares, rates = row_sums(scene)
    ball = int(np.argmax(rates + np.sqrt(rates * rates + 4.0 * squares)))
    damped = bool(rates[ball] ** 2 > 4.0 * squares[ball])
    links, mass = scene.links, scene.balls.mass
    here = np.flatnonzero((links.between == ball).any(axis=1))
    remedy = "Use less damping, or heavier balls" if damped else "Use less stiffness, or heavier balls"
    if len(here):
        k = int(here[np.argmax((links.damping if damped else links.stiffness)[here])])
        one, two = links.between[k].tolist()
        return (
            f"the link between balls {one} and {two}: stiffness {links.stiffness[k]:.3g} N/m, damping "
            f"{links.damping[k]:.3g} N s/m, masses {mass[one]:.3g} and {mass[two]:.3g} kg. {remedy}"
        )
    what = "drag on" if damped else "bend at"
    return f"the {what} ball {ball} of {mass[ball]:.3g} kg. {remedy}"
