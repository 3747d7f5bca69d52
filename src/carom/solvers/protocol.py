"""What a solver offers to whoever holds a run, whichever way time advances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene

Floats = NDArray[np.float64]


class Solver(Protocol):
    """A run of a scene. Times are absolute, in s; arrays have a row a ball, in the scene's order, of three numbers."""

    name: str

    @property
    def whole(self) -> bool:
        """Is it known that nothing is half done at present, whatever broke off the run?"""

    def advance(self, until: float, quota: int, logs: NDArray[Any]) -> bool:
        """Run to a time, or until so many more collisions are done, and write them into `logs` as far as it has room.

        True if it stopped earlier than it was asked to, and may go on.
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
