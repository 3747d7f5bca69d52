"""Steer a stepped run: hooks around each step, interactive forces, and links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from carom.errors import ArgumentError
from carom.scene import Link
from carom.scene.fields.base import shown
from carom.scene.fields.changes import LinkOptions
from carom.simulation import edit
from carom.simulation.editor import Editor
from carom.simulation.live_balls import BallIndex
from carom.simulation.run import ActiveRun
from carom.solvers.protocol import steerable

if TYPE_CHECKING:
    from carom.solvers.protocol import Steerable

HAND_RATE = 20.0
"""Default angular frequency of a hand's spring with the mass it pulls, 1/s: it follows within tenths of a second."""


class Steering:
    """Hooks, interactive forces and links of a run of the stepped solver.

    A ball is identified by its number, its name, or a handle from `balls`.
    """

    def __init__(self, run: ActiveRun, editor: Editor) -> None:
        self._run = run
        self._editor = editor

    @property
    def held(self) -> frozenset[int]:
        """Numbers of the balls that are pulled or driven."""
        solver = self._run.solver
        if not solver.card.has_forces:
            return frozenset()
        steered = steerable(solver, "held")
        return frozenset({*steered.hands, *steered.driven})

    # Hooks.

    def before_step(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Register a function that is called before each step; a decorator.

        It reads the state and the time of that moment. It can push, pull, drive and release, but not run or edit.
        """
        self._solver("before_step").hooks.before.append(self._wrapped_hook("before_step", hook))
        return hook

    def prepared(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Register a function that is called in each step after free motion, before contacts; a decorator.

        Positions and velocities are then those at the end of the step without contacts.
        """
        self._solver("prepared").hooks.prepared.append(self._wrapped_hook("prepared", hook))
        return hook

    def after_step(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Register a function that is called after each step; a decorator."""
        self._solver("after_step").hooks.after.append(self._wrapped_hook("after_step", hook))
        return hook

    def _wrapped_hook(self, where: str, hook: Any) -> Callable[[], None]:
        """A function that calls a hook with the time of the solver, and forbids edits meanwhile."""
        if not callable(hook):
            raise ArgumentError.of("hook.not-callable", where=where, value=shown(hook))
        run = self._run
        run.note_intervention()

        def call() -> None:
            run.time = run.solver.time
            run.amid_step = True
            try:
                hook()
            finally:
                run.amid_step = False

        return call

    # Interactive forces.

    def change_force(self, which: str | int, **values: Any) -> None:
        """Change parameters of a custom force from now on, without compiling it again.

        which   name of the force, or its index in `forces` if several have the same name.
        values  new values by the names of the parameters: numbers, or arrays.
        """
        self._run.check_between_steps("change_force")
        solver = self._solver("change_force")
        numbers = [k for k, each in enumerate(solver.extra) if which in {k, each.name} and not isinstance(which, bool)]
        if len(numbers) != 1:
            names = ", ".join(each.name for each in solver.extra) or "none"
            raise ArgumentError.of("forces.unknown", where="change_force", value=shown(which), known=names)
        solver.change_force(numbers[0], values)
        self._run.note_intervention()

    def pull(
        self, index: BallIndex, target: Sequence[float], stiffness: float | None = None, damping: float | None = None
    ) -> None:
        """Pull a ball by a spring to a target, m, until `release`; call it again to move the target.

        stiffness  N/m; by default the ball and all linked to it follow within some tenths of a second, or more slowly
                   if the step would be too large for that.
        damping    N s/m; critical by default.

        A `StepWarning` tells if the step is too large for these values. A fixed ball is refused: drive it.
        """
        solver, k = self._solver("pull"), self._free_ball("pull", index)
        mass = float(self._run.scene.balls.mass[self._linked_group(k)].sum())
        held = solver.hands.get(k)
        if stiffness is None:
            stiffness = held.stiffness if held and held.stiffness else _default_stiffness(solver, k, mass)
        stiffness = _not_negative("stiffness", stiffness)
        if damping is None:
            damping = held.damping if held and held.stiffness else 2.0 * float(np.sqrt(stiffness * mass))
        hand = replace(
            held or _new_hand(),
            target=_vector("target", target, self._run.scene.dimension),
            stiffness=stiffness,
            damping=_not_negative("damping", damping),
        )
        grip = (hand.stiffness, hand.damping)
        if grip != solver.grips.get(k) and not solver.bears({k: grip}):
            _warn_if_unstable(solver, {**solver.grips, k: grip})
        solver.steer({**solver.hands, k: hand})
        self._run.note_intervention()

    def drive(
        self,
        index: BallIndex,
        velocity: Sequence[float] | None = None,
        acceleration: Sequence[float] | None = None,
    ) -> None:
        """Drive a ball until `release`: at a constant velocity, m/s, whatever it collides with, or by a thrust, m/s².

        A fixed ball can be driven at a velocity; a thrust does not move it, and is refused.
        """
        solver, k = self._solver("drive"), self._run.number(index)
        if (velocity is None) == (acceleration is None):
            raise ArgumentError.of("drive.one-of-two", where="drive")
        if velocity is not None:
            solver.set_velocity(k, _vector("velocity", velocity, self._run.scene.dimension))
            self._run.note_intervention()
            return
        self._free_ball("drive", k)
        thrust = _vector("acceleration", acceleration, self._run.scene.dimension)
        solver.steer({**solver.hands, k: replace(solver.hands.get(k) or _new_hand(), thrust=thrust)})
        self._run.note_intervention()

    def release(self, index: BallIndex) -> None:
        """Let a ball go that was pulled or driven; it flies on as it is, and a fixed one stands."""
        solver, k = self._solver("release"), self._run.number(index)
        solver.set_free(k)
        solver.steer({number: hand for number, hand in solver.hands.items() if number != k})
        self._run.note_intervention()

    def push(self, index: BallIndex, impulse: Sequence[float]) -> None:
        """Give a ball an impulse, N s, at once; a fixed one is refused."""
        solver, k = self._solver("push"), self._free_ball("push", index)
        solver.push(k, _vector("impulse", impulse, self._run.scene.dimension))
        self._run.note_intervention()

    # Links.

    def link(self, i: BallIndex, j: BallIndex, stiffness: float, **options: Unpack[LinkOptions]) -> None:
        """Add a spring between two balls from now on; `options` are those of `Link`.

        Balls that are linked, directly or through others, pass through each other. A `StepWarning` tells if the step
        is too large for the spring.
        """
        self._solver("link")
        one, two = self._run.number(i), self._run.number(j)
        link = Link(between=(one, two), stiffness=stiffness, **options)
        self._editor.apply(edit.link_addition(self._run.surviving, link, self._run.motion))

    def unlink(self, i: BallIndex, j: BallIndex) -> None:
        """Remove the springs between two balls."""
        self._solver("unlink")
        pair = {self._run.number(i), self._run.number(j)}
        self._editor.apply(edit.link_removal(self._run.surviving, pair))

    def _free_ball(self, what: str, index: BallIndex) -> int:
        """The number of a ball that is not fixed."""
        k = self._run.number(index)
        if self._run.scene.balls.fixed[k]:
            raise ArgumentError.of("drive.fixed", where=what, ball=k)
        return k

    def _linked_group(self, index: int) -> Any:
        """Numbers of a ball and of the moving balls that are linked to it, directly or through others."""
        between = self._run.surviving.links.between
        found = np.zeros(len(self._run.scene.balls), bool)
        found[index] = True
        while len(between):
            touched = found[between].any(axis=1)
            before = int(found.sum())
            found[between[touched].ravel()] = True
            if int(found.sum()) == before:
                break
        return np.flatnonzero(found & ~self._run.scene.balls.fixed | (np.arange(len(found)) == index))

    def _solver(self, what: str) -> Steerable:
        """The solver; an error if it has no forces. `what` is the method that needs them."""
        return steerable(self._run.solver, what)


def _default_stiffness(solver: Steerable, ball: int, mass: float) -> float:
    """A stiffness, N/m, of a hand that pulls a mass, kg, at `HAND_RATE`; halved until the step is small enough."""
    stiffness = mass * HAND_RATE * HAND_RATE
    for _ in range(50):  # down to 1e-15 of it
        if solver.bears({ball: (stiffness, 2.0 * float(np.sqrt(stiffness * mass)))}):
            break
        stiffness *= 0.5
    return stiffness


def _warn_if_unstable(solver: Steerable, grips: Any) -> None:
    from carom.solvers.stepped.integrators.method import warn_if_unstable  # noqa: PLC0415  # Numba is not loaded before it runs

    warn_if_unstable(solver.scene, solver.method, hands=grips)


def _new_hand() -> Any:
    from carom.solvers.stepped.interactive import Hand  # noqa: PLC0415  # Numba is not loaded before something runs

    return Hand()


def _vector(where: str, value: Any, dimension: int) -> tuple[float, float, float]:
    try:
        numbers = tuple(float(part) for part in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != dimension or not np.isfinite(numbers).all():
        raise ArgumentError.of("vector.not-one", where=where, value=shown(value), dimension=dimension)
    return (*numbers, *(0.0,) * (3 - dimension))  # type: ignore[return-value]  # three in all


def _not_negative(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not 0.0 <= value < np.inf:
        raise ArgumentError.of("number.misfit", where=where, value=shown(value))
    return float(value)
