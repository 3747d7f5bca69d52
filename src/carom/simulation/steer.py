"""Taking a running scene by the hand: pulling, driving, linking, and being called around each step.

All of it needs forces, and so the stepped solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from carom.errors import ArgumentError
from carom.observe.measures.mechanics import built_height
from carom.scene import Link, Links, Scene
from carom.scene.fields.base import shown
from carom.scene.fields.changes import LinkOptions
from carom.simulation import edit as editing
from carom.simulation.live_balls import BallIndex

if TYPE_CHECKING:
    from carom.solvers.protocol import Solver
    from carom.solvers.stepped.energy.account import Account
    from carom.solvers.stepped.engine import Engine
    from carom.solvers.stepped.forces.custom import Force
    from carom.solvers.stepped.integrators.method import Method

GRIP = 20.0
"""How fast a hand is, 1/s, where nothing else is said: its spring follows within some tenths of a second."""


class Steering:
    """What a person, or a program, can do to a run of the stepped solver while it goes on.

    A ball is named by its number, its name, or a handle from `balls`.
    """

    _scene: Scene
    _solver: Solver
    _time: float
    _amid = False
    """Is a step under way, and someone being called?"""
    _touched = False
    """Has anyone taken the run by the hand?"""

    def _edit(self, edit: editing.Edit) -> None:
        raise NotImplementedError

    def _touch(self) -> None:
        """Note that the run was taken by the hand."""
        self._touched = True

    @property
    def account(self) -> Account:
        """Energies: kinetic, stored by each force, lost in each way, and the integrator's own error.

        At the end of the last step: what is lost within a step is not known before.
        """
        engine = self._stepped("account")
        return engine.account(engine.time)

    @property
    def method(self) -> Method:
        """The step, the integrator, and how balls meet."""
        return self._stepped("method").method

    # Around each step.

    def before_step(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Call this before each step; a decorator.

        What it reads is of its moment, `time` too. It can push, pull, drive and release, but not run or edit.
        """
        self._stepped("before_step").hooks.before.append(self._called("before_step", hook))
        return hook

    def prepared(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Call this in each step when all have been moved as if nothing were in the way; a decorator.

        Positions and velocities are then those at the end of the step, before contacts.
        """
        self._stepped("prepared").hooks.prepared.append(self._called("prepared", hook))
        return hook

    def after_step(self, hook: Callable[[], object]) -> Callable[[], object]:
        """Call this after each step; a decorator."""
        self._stepped("after_step").hooks.after.append(self._called("after_step", hook))
        return hook

    def _called(self, where: str, hook: Any) -> Callable[[], None]:
        """A call of a hook, while which the run stands where its last step ended."""
        if not callable(hook):
            raise ArgumentError.of("hook.not-callable", where=where, value=shown(hook))
        self._touch()

        def call() -> None:
            self._time = self._solver.time
            self._amid = True
            try:
                hook()
            finally:
                self._amid = False

        return call

    def _between_steps(self, what: str) -> None:
        """Refuse what would pull the rug from under a step that is under way."""
        if self._amid:
            raise ArgumentError.of("hook.not-now", where=what)

    # By the hand.

    @property
    def custom_forces(self) -> tuple[Force, ...]:
        """The custom forces, with the present values of their parameters."""
        return self._stepped("custom_forces").extra if self._solver.name == "stepped" else ()

    def change_force(self, which: str | int, **values: Any) -> None:
        """Change parameters of a custom force from now on, without compiling anew.

        which   its name, or its number in `forces` where several have that name.
        values  by the names of its parameters: numbers, or arrays.
        """
        self._between_steps("change_force")
        engine = self._stepped("change_force")
        numbers = [k for k, each in enumerate(engine.extra) if which in {k, each.name} and not isinstance(which, bool)]
        if len(numbers) != 1:
            names = ", ".join(each.name for each in engine.extra) or "none"
            raise ArgumentError.of("forces.unknown", where="change_force", value=shown(which), known=names)
        engine.change_force(numbers[0], values)
        self._touch()

    def pull(
        self, index: BallIndex, target: Sequence[float], stiffness: float | None = None, damping: float | None = None
    ) -> None:
        """Pull a ball by a spring to a target, m, until `release`; call it again to move the target.

        stiffness  N/m; if left out, enough to take the ball, with all that hangs on it, along within some tenths of a
                   second, or less where the step would be too large for that.
        damping    N s/m; if left out, critical.

        A `StepWarning` tells if the step is too large for what is said here. A fixed ball is refused: drive it.
        """
        engine, k = self._stepped("pull"), self._free("pull", index)
        mass = float(self._scene.balls.mass[self._hanging_on(k)].sum())
        held = engine.hands.get(k)
        if stiffness is None:
            stiffness = held.stiffness if held and held.stiffness else _grip(engine, k, mass)
        stiffness = _not_negative("stiffness", stiffness)
        if damping is None:
            damping = held.damping if held and held.stiffness else 2.0 * float(np.sqrt(stiffness * mass))
        hand = replace(
            held or _hand(),
            target=_vector("target", target, self._scene.dimension),
            stiffness=stiffness,
            damping=_not_negative("damping", damping),
        )
        grip = (hand.stiffness, hand.damping)
        if grip != engine.grips.get(k) and not engine.bears({k: grip}):
            _warn(engine, {**engine.grips, k: grip})
        engine.steer({**engine.hands, k: hand})
        self._touch()

    def drive(
        self,
        index: BallIndex,
        velocity: Sequence[float] | None = None,
        acceleration: Sequence[float] | None = None,
    ) -> None:
        """Drive a ball, until `release`: at a velocity that it keeps whatever it meets, m/s, or by a thrust, m/s².

        A fixed ball can be driven at a velocity; a thrust does not move it, and is refused.
        """
        engine, k = self._stepped("drive"), self._number(index)
        if (velocity is None) == (acceleration is None):
            raise ArgumentError.of("drive.one-of-two", where="drive")
        if velocity is not None:
            engine.set_velocity(k, _vector("velocity", velocity, self._scene.dimension))
            self._touch()
            return
        self._free("drive", k)
        thrust = _vector("acceleration", acceleration, self._scene.dimension)
        engine.steer({**engine.hands, k: replace(engine.hands.get(k) or _hand(), thrust=thrust)})
        self._touch()

    def release(self, index: BallIndex) -> None:
        """Let a ball go that was pulled or driven; it flies on as it is, and a fixed one stands."""
        engine, k = self._stepped("release"), self._number(index)
        engine.set_free(k)
        engine.steer({number: hand for number, hand in engine.hands.items() if number != k})
        self._touch()

    def push(self, index: BallIndex, impulse: Sequence[float]) -> None:
        """Give a ball an impulse, N s, at once; a fixed one is refused."""
        engine, k = self._stepped("push"), self._free("push", index)
        engine.push(k, _vector("impulse", impulse, self._scene.dimension))
        self._touch()

    @property
    def height(self) -> float:
        """How high what is linked has been built, m: the score of a tower. Against gravity, else along y; 0 if nothing.

        From the lowest to the highest ball that has a link.
        """
        return built_height(self._scene, self.links, self._moment().places)

    # Links.

    def link(self, i: BallIndex, j: BallIndex, stiffness: float, **options: Unpack[LinkOptions]) -> None:
        """Add a spring between two balls from now on; `options` are those of `Link`.

        They, and all that hang on them, pass through each other then. A `StepWarning` tells if the step is too large
        for the spring.
        """
        self._stepped("link")
        one, two = self._number(i), self._number(j)
        link = Link(between=(one, two), stiffness=stiffness, **options)
        self._edit(editing.link_addition(self._surviving(), link, self._moment()))

    def unlink(self, i: BallIndex, j: BallIndex) -> None:
        """Take the springs between two balls away."""
        self._stepped("unlink")
        pair = {self._number(i), self._number(j)}
        self._edit(editing.link_removal(self._surviving(), pair))

    @property
    def links(self) -> Links:
        """The links that have not broken."""
        return self._surviving().links

    def _surviving(self) -> Scene:
        return self._solver.surviving(self._scene)

    def _moment(self) -> editing.Moment:
        raise NotImplementedError

    def _number(self, index: BallIndex) -> int:
        raise NotImplementedError

    def _free(self, what: str, index: BallIndex) -> int:
        """The number of a ball that is not fixed."""
        k = self._number(index)
        if self._scene.balls.fixed[k]:
            raise ArgumentError.of("drive.fixed", where=what, ball=k)
        return k

    def _hanging_on(self, index: int) -> Any:
        """The numbers of a ball and of all that are linked with it, directly or through others."""
        between = self.links.between
        found = np.zeros(len(self._scene.balls), bool)
        found[index] = True
        while len(between):
            touched = found[between].any(axis=1)
            before = int(found.sum())
            found[between[touched].ravel()] = True
            if int(found.sum()) == before:
                break
        return np.flatnonzero(found & ~self._scene.balls.fixed | (np.arange(len(found)) == index))

    def _stepped(self, what: str) -> Engine:
        """The engine, if it is of the stepped solver."""
        solver: Any = self._solver
        if solver.name != "stepped":
            raise ArgumentError.of("exact.no-forces", where=what)
        return solver  # type: ignore[no-any-return]  # its name says so


def _grip(engine: Engine, ball: int, mass: float) -> float:
    """A stiffness of a hand that moves such a mass well, N/m, or as much of it as the step bears."""
    stiffness = mass * GRIP * GRIP
    for _ in range(50):  # to a millionth of a billionth
        if engine.bears({ball: (stiffness, 2.0 * float(np.sqrt(stiffness * mass)))}):
            break
        stiffness *= 0.5
    return stiffness


def _warn(engine: Engine, grips: Any) -> None:
    from carom.solvers.stepped.integrators.method import warn_if_unstable  # noqa: PLC0415  # Numba is not loaded before it runs

    warn_if_unstable(engine.scene, engine.method, hands=grips)


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
