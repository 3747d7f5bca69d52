"""Does an integrator do what its card says? Measured on the kernels themselves, on a motion that is not linear.

The motion is that of a ball on a spring with a length of its own, which it pulls round and stretches: ω = 1/s.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Ball, Link, Scene
from carom.solvers.collision_record import collision_record
from carom.solvers.stepped.engine import Engine
from carom.solvers.stepped.integrators.cards import INTEGRATORS, Integrator, problems, table_problems
from carom.solvers.stepped.integrators.method import Method

Floats = NDArray[np.float64]

SWING = Scene(
    balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.3, 0.0), velocity=(0.0, 0.7), mass=1.0)],
    links=[Link(between=(0, 1), stiffness=1.0, length=1.0)],
)
UNTIL = 4.0  # s
COARSE = 0.1  # s: the first of three steps, each half of the one before
CLOSE = 0.3
"""A measured order may differ by so much: the next term of the error is smaller by ω dt, a few per cent."""
LONG = 0.2  # s: a step with which a drift shows soon
PERIODS = 60  # of the swing, in each half of a long run
GROWS = 1.02
"""The energy error of a symplectic integrator comes and goes: the largest of one half of a run is that of the other."""
ROUNDED = 1e-11
"""What rounding may add up to on the way there and back."""


def verify(integrator: Integrator | str) -> list[str]:
    """Measure order, energy and reversibility of an integrator; gives a line for each claim of its card that fails."""
    one = _card(integrator)
    wrong = table_problems(one)
    if wrong:
        return [str(problem) for problem in wrong]
    return [line for line in (_order(one), _energy(one), _reversal(one)) if line]


def _card(integrator: Integrator | str) -> Integrator:
    """The card of a name, or the card itself; a `ArgumentError` if it is neither."""
    if isinstance(integrator, Integrator):
        return integrator
    wrong = problems(integrator, "integrator")
    if wrong:
        raise ArgumentError(wrong)
    return INTEGRATORS[integrator]


def _run(one: Integrator, step: float, until: float, scene: Scene = SWING) -> tuple[Floats, Floats]:
    """Place and velocity of the swinging ball at a time."""
    engine = Engine(scene, Method(step, one, "impacts"))
    engine.advance(until, 1, np.zeros(0, collision_record))
    return engine.places(engine.time)[1], engine.velocities(engine.time)[1]


def _order(one: Integrator) -> str:
    """Measure the order p: y(dt) = y + c dt^p, so that half the step divides the change of y by 2^p."""
    states = [np.concatenate(_run(one, COARSE * 0.5**k, UNTIL)) for k in range(3)]
    first, second = (float(np.linalg.norm(b - a)) for a, b in pairwise(states))
    measured = math.log2(first / second) if first > 0.0 and second > 0.0 else math.inf
    claimed = 1 if one.kind == "stormer" else one.order  # whose first step is Euler's, and stays in all that follows
    if abs(measured - claimed) <= CLOSE:
        return ""
    return f"integrator {one.name!r}: order is said to be {claimed}, and measured to be {measured:.2g}."


def _energy(one: Integrator) -> str:
    """Is the energy error as large in the second half of a long run as in the first, and no larger?"""
    engine = Engine(SWING, Method(LONG, one, "impacts"))
    steps = round(PERIODS * 2.0 * math.pi / LONG)
    worst = []
    for half in range(2):
        errors = []
        for k in range(steps):
            engine.advance((half * steps + k + 1) * LONG, 1, np.zeros(0, collision_record))
            errors.append(abs(engine.account(engine.time).error))
        worst.append(max(errors))
    bounded = worst[1] <= GROWS * worst[0]
    if bounded == one.symplectic:
        return ""
    said, found = ("", "grows") if one.symplectic else ("not ", "does not grow")
    ratio = f"{worst[0]:.2g} J in {steps} steps, {worst[1]:.2g} J in as many more"
    return f"integrator {one.name!r}: it is said to be {said}symplectic, but its energy error {found}: {ratio}."


def _reversal(one: Integrator) -> str:
    """If it claims so: there, velocities turned round, and back."""
    if not one.reversible:
        return ""
    x, v = _run(one, COARSE, UNTIL)
    back = SWING.balls.replace(position=np.stack([np.zeros(2), x[:2]]), velocity=np.stack([np.zeros(2), -v[:2]]))
    x, v = _run(one, COARSE, UNTIL, SWING.replace(balls=back))
    off = float(np.abs([x[:2] - SWING.balls.position[1], -v[:2] - SWING.balls.velocity[1]]).max())
    if off <= ROUNDED:
        return ""
    return f"integrator {one.name!r}: it is said to be reversible, but comes back {off:.2g} m or m/s off its start."
