"""What a solver offers to whoever holds a run, whichever way time advances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Scene
from carom.solvers.registry import Card

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History
    from carom.solvers.stepped.energy.account import Account
    from carom.solvers.stepped.engine import Hooks
    from carom.solvers.stepped.forces.custom import Force
    from carom.solvers.stepped.integrators.method import Method
    from carom.solvers.stepped.integrators.stability import Grips
    from carom.solvers.stepped.interactive import Hand

Floats = NDArray[np.float64]


class Solver(Protocol):
    """A run of a scene. Times are absolute, in s; arrays have a row a ball, in the scene's order, of three numbers."""

    card: Card
    """What it is, and what it can do."""

    @property
    def whole(self) -> bool:
        """Is it known that nothing is half done at present, whatever broke off the run?"""

    def advance(self, until: float, quota: int, logs: NDArray[Any], reach: Callable[[], object] = ...) -> bool:
        """Run to a time, or until so many more collisions are done, and write them into `logs` as far as it has room.

        True if it stopped earlier than it was asked to, and may go on. A solver that can halt between any two events
        calls `reach` now and then in a long run.
        """

    def room(self, collisions: int) -> int:
        """How long a log must be for so many collisions."""

    def part(self, now: float, size: float) -> tuple[float, int]:
        """The end of a part of a run, in time and in collisions, for reports of progress on the way."""

    @property
    def patience(self) -> float:
        """The time without a collision after which none is expected, s."""

    @property
    def time(self) -> float:
        """As far as the run has come."""

    @property
    def collisions(self) -> int:
        """How many there have been."""

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """The same by kind."""

    def places(self, t: float) -> Floats:
        """Where the balls are at a time that is not before that of the run."""

    def velocities(self, t: float) -> Floats:
        """How fast they are then."""

    def look(self, t: float) -> tuple[Floats, Floats]:
        """Places and velocities together, which may be faster."""

    @property
    def born(self) -> NDArray[np.bool_]:
        """Which balls exist already."""

    def accelerations(self, t: float) -> Floats:
        """What forces do to them then, m/s², contacts left out."""

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many times each ball has gone round each periodic axis."""

    def potential(self, t: float) -> dict[str, float]:
        """Potential energies by force, J."""

    def next_together(self) -> NDArray[Any]:
        """The next collisions, all that fall together, as rows of a log."""

    @property
    def resting(self) -> tuple[int, ...]:
        """The balls that rest."""

    @property
    def softened(self) -> int:
        """Collisions that counted as part of one long contact, and lost nothing."""

    @property
    def contact_time(self) -> float:
        """The time within which that is so, s."""

    def wall_name(self, wall: int) -> str:
        """What a wall is called that a log gives by its number."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the run needs to go on to the same bits, as plain arrays; between steps."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state, in a run freshly made of its scene and method; a `SolverError` if it does not fit."""

    def surviving(self, scene: Scene) -> Scene:
        """A scene without the links that have broken."""

    def edited(self, scene: Scene, origin: NDArray[np.intp], now: float, *, around: bool) -> Self:
        """A run that goes on with another scene; `origin` is each ball's number before, or -1 if it is new.

        `around` says that something changed that is not a ball.
        """


class Steerable(Solver, Protocol):
    """A solver that knows forces: balls can be pulled and driven while it runs, and energies are accounted for."""

    scene: Scene
    method: Method
    extra: tuple[Force, ...]
    """Custom forces."""
    hooks: Hooks
    hands: dict[int, Hand]
    """The hands that pull, by the number of the ball."""
    driven: set[int]
    """Balls that keep a velocity whatever they meet."""

    def announce_work(self, until: float) -> None:
        """Warn, once, if a run to a time takes steps beyond reason."""

    def account(self, t: float) -> Account:
        """All energies, and what was lost."""

    def change_force(self, number: int, values: Mapping[str, Any]) -> None:
        """Give a custom force other values of its parameters."""

    @property
    def grips(self) -> Grips:
        """Stiffness and damping of the hands."""

    def bears(self, grips: Grips) -> bool:
        """Is the step small enough for these hands?"""

    def steer(self, hands: Mapping[int, Hand]) -> None:
        """Let these hands pull from now on."""

    def set_velocity(self, ball: int, velocity: Sequence[float]) -> None:
        """Drive a ball at a velocity."""

    def set_free(self, ball: int) -> None:
        """Let a driven ball move by forces again."""

    def push(self, ball: int, impulse: Sequence[float]) -> None:
        """Change a ball's velocity by an impulse, N s."""

    def count_as_merging(self, work: float) -> None:
        """Book as lost by merging what the last edit took, given what was booked as work before it."""


class Remembering(Solver, Protocol):
    """A solver that can write a history, from which any instant is rebuilt."""

    def remember(self, history: History) -> None:
        """Write down in a history, from now on, all that happens."""

    def forget(self, history: History) -> None:
        """Write nothing down in it any more."""

    def beside(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Another run of the same scene, from a state of its own."""


def steerable(solver: Solver, what: str) -> Steerable:
    """A solver as one that knows forces, which `what` needs; an `ArgumentError` if it does not."""
    if not solver.card.has_forces:
        raise ArgumentError.of("exact.no-forces", where=what)
    return cast("Steerable", solver)


def remembering(solver: Solver, what: str) -> Remembering:
    """A solver as one that keeps histories, which `what` needs; an `ArgumentError` if it does not."""
    if not solver.card.keeps_history:
        raise ArgumentError.of("remember.not-exact", where=what)
    return cast("Remembering", solver)
