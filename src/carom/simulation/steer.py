"""Steering a run while it goes on: pulling, driving, linking, and hooks around each step. All of it needs forces."""

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
from carom.simulation.run import Run
from carom.solvers.protocol import steerable

if TYPE_CHECKING:
    from carom.solvers.protocol import Steerable

GRIP = 20.0
"""How fast a hand is, 1/s, where nothing else is said: its spring follows within some tenths of a second."""


class Steering:
    """What a person, or a program, can do to a run of the stepped solver while it goes on.

    A ball is named by its number, its name, or a handle from `balls`.
    """

    def __init__(self, run: Run, editor: Editor) -> None:
        self._run = run
        self._editor = editor

    @property
    def held(self) -> frozenset[int]:
        """The numbers of the balls that are pulled or driven."""
        solver = self._run.solver
        if not solver.card.has_forces:
            return frozenset()
        steered = steerable(solver, "held")
        return frozenset({*steered.hands, *steered.driven})

    # Around each step.

    def before_step(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Call this before each step; a decorator.

        What it reads is of its moment, `time` too. It can push, pull, drive and release, but not run or edit.
        """
        self._solver("before_step").hooks.before.append(self._called("before_step", hook))
        return hook

    def prepared(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Call this in each step when all have been moved as if nothing were in the way; a decorator.

        Positions and velocities are then those at the end of the step, before contacts.
        """
        self._solver("prepared").hooks.prepared.append(self._called("prepared", hook))
        return hook

    def after_step(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Call this after each step; a decorator."""
        self._solver("after_step").hooks.after.append(self._called("after_step", hook))
        return hook

    def _called(self, where: str, hook: Any) -> Callable[[], None]:
        """A call of a hook, while which the run stands where its last step ended."""
        if not callable(hook):
            raise ArgumentError.of("hook.not-callable", where=where, value=shown(hook))
        run = self._run
        run.touch()

        def call() -> None:
            run.time = run.solver.time
            run.amid_step = True
            try:
                hook()
            finally:
                run.amid_step = False

        return call

    # By the hand.

    def change_force(self, which: str | int, **values: Any) -> None:
        """Change parameters of a custom force from now on, without compiling anew.

        which   its name, or its number in `forces` where several have that name.
        values  by the names of its parameters: numbers, or arrays.
        """
        self._run.check_between_steps("change_force")
        solver = self._solver("change_force")
        numbers = [k for k, each in enumerate(solver.extra) if which in {k, each.name} and not isinstance(which, bool)]
        if len(numbers) != 1:
            names = ", ".join(each.name for each in solver.extra) or "none"
            raise ArgumentError.of("forces.unknown", where="change_force", value=shown(which), known=names)
        solver.change_force(numbers[0], values)
        self._run.touch()

    def pull(
        self, index: BallIndex, target: Sequence[float], stiffness: float | None = None, damping: float | None = None
    ) -> None:
        """Pull a ball by a spring to a target, m, until `release`; call it again to move the target.

        stiffness  N/m; if left out, enough to take the ball, with all that hangs on it, along within some tenths of a
                   second, or less where the step would be too large for that.
        damping    N s/m; if left out, critical.

        A `StepWarning` tells if the step is too large for what is said here. A fixed ball is refused: drive it.
        """
        solver, k = self._solver("pull"), self._free("pull", index)
        mass = float(self._run.scene.balls.mass[self._hanging_on(k)].sum())
        held = solver.hands.get(k)
        if stiffness is None:
            stiffness = held.stiffness if held and held.stiffness else _grip(solver, k, mass)
        stiffness = _not_negative("stiffness", stiffness)
        if damping is None:
            damping = held.damping if held and held.stiffness else 2.0 * float(np.sqrt(stiffness * mass))
        hand = replace(
            held or _hand(),
            target=_vector("target", target, self._run.scene.dimension),
            stiffness=stiffness,
            damping=_not_negative("damping", damping),
        )
        grip = (hand.stiffness, hand.damping)
        if grip != solver.grips.get(k) and not solver.bears({k: grip}):
            _warn(solver, {**solver.grips, k: grip})
        solver.steer({**solver.hands, k: hand})
        self._run.touch()

    def drive(
        self,
        index: BallIndex,
        velocity: Sequence[float] | None = None,
        acceleration: Sequence[float] | None = None,
    ) -> None:
        """Drive a ball, until `release`: at a velocity that it keeps whatever it meets, m/s, or by a thrust, m/s².

        A fixed ball can be driven at a velocity; a thrust does not move it, and is refused.
        """
        solver, k = self._solver("drive"), self._run.number(index)
        if (velocity is None) == (acceleration is None):
            raise ArgumentError.of("drive.one-of-two", where="drive")
        if velocity is not None:
            solver.set_velocity(k, _vector("velocity", velocity, self._run.scene.dimension))
            self._run.touch()
            return
        self._free("drive", k)
        thrust = _vector("acceleration", acceleration, self._run.scene.dimension)
        solver.steer({**solver.hands, k: replace(solver.hands.get(k) or _hand(), thrust=thrust)})
        self._run.touch()

    def release(self, index: BallIndex) -> None:
        """Let a ball go that was pulled or driven; it flies on as it is, and a fixed one stands."""
        solver, k = self._solver("release"), self._run.number(index)
        solver.set_free(k)
        solver.steer({number: hand for number, hand in solver.hands.items() if number != k})
        self._run.touch()

    def push(self, index: BallIndex, impulse: Sequence[float]) -> None:
        """Give a ball an impulse, N s, at once; a fixed one is refused."""
        solver, k = self._solver("push"), self._free("push", index)
        solver.push(k, _vector("impulse", impulse, self._run.scene.dimension))
        self._run.touch()

    # Links.

    def link(self, i: BallIndex, j: BallIndex, stiffness: float, **options: Unpack[LinkOptions]) -> None:
        """Add a spring between two balls from now on; `options` are those of `Link`.

        They, and all that hang on them, pass through each other then. A `StepWarning` tells if the step is too large
        for the spring.
        """
        self._solver("link")
        one, two = self._run.number(i), self._run.number(j)
        link = Link(between=(one, two), stiffness=stiffness, **options)
        self._editor.apply(edit.link_addition(self._run.surviving, link, self._run.motion))

    def unlink(self, i: BallIndex, j: BallIndex) -> None:
        """Take the springs between two balls away."""
        self._solver("unlink")
        pair = {self._run.number(i), self._run.number(j)}
        self._editor.apply(edit.link_removal(self._run.surviving, pair))

    def _free(self, what: str, index: BallIndex) -> int:
        """The number of a ball that is not fixed."""
        k = self._run.number(index)
        if self._run.scene.balls.fixed[k]:
            raise ArgumentError.of("drive.fixed", where=what, ball=k)
        return k

    def _hanging_on(self, index: int) -> Any:
        """The numbers of a ball and of all that are linked with it, directly or through others."""
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
        """The solver, if it knows forces."""
        return steerable(self._run.solver, what)


def _grip(solver: Steerable, ball: int, mass: float) -> float:
    """A stiffness of a hand that moves such a mass well, N/m, or as much of it as the step bears."""
    stiffness = mass * GRIP * GRIP
    for _ in range(50):  # to a millionth of a billionth
        if solver.bears({ball: (stiffness, 2.0 * float(np.sqrt(stiffness * mass)))}):
            break
        stiffness *= 0.5
    return stiffness


def _warn(solver: Steerable, grips: Any) -> None:
    from carom.solvers.stepped.integrators.method import warn_if_unstable  # noqa: PLC0415  # Numba is not loaded before it runs

    warn_if_unstable(solver.scene, solver.method, hands=grips)


def _hand() -> Any:
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
