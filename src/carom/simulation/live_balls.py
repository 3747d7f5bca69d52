"""Handles of the balls of a run, found by number or name. A handle stays with its ball through edits.

The number of a ball is its row in `positions`: it changes when a ball before it is removed or merged. Its identity
never changes, and no other ball of the run gets it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Scene
from carom.scene.fields.base import shown

__all__ = ["BallIndex", "Identities", "LiveBall", "LiveBalls", "number_of", "numbers_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Identities:
    """The identity of each ball, ascending, and the number of identities issued so far."""

    ids: NDArray[np.int64]
    issued: int

    @classmethod
    def of(cls, count: int) -> Self:
        """The identities at the start of a run: 0, 1, 2 and so on."""
        return cls(np.arange(count), count)

    @classmethod
    def from_metadata(cls, metadata: Any, count: int) -> Self:
        """Identities from the metadata of a file; those of the start if there are none, or they do not fit."""
        ids, issued = np.array(metadata.get("ids") or [], np.int64), metadata.get("issued") or 0
        if ids.shape != (count,) or (np.diff(ids) <= 0).any() or (count and not 0 <= ids[0] <= ids[-1] < issued):
            return cls.of(count)
        return cls(ids, issued)

    def metadata(self) -> dict[str, Any]:
        """The identities as metadata of a file; empty if all are as at the start."""
        if self.issued == len(self.ids):
            return {}
        return {"ids": self.ids.tolist(), "issued": self.issued}

    def after(self, left: NDArray[np.intp]) -> Self:
        """The identities after an edit; `left` holds the number before of each ball, or -1 if it is new."""
        new = left < 0
        ids = np.where(new, self.issued - 1 + np.cumsum(new), self.ids[left] if len(self.ids) else 0)
        return type(self)(ids, self.issued + int(new.sum()))

    def number(self, identity: int) -> int | None:
        """The present number of a ball; None if it has been removed."""
        k = int(np.searchsorted(self.ids, identity))
        return k if k < len(self.ids) and self.ids[k] == identity else None


class NumberedRun(Protocol):
    """A run whose balls have numbers and identities."""

    @property
    def scene(self) -> Scene:
        """The scene."""

    @property
    def identities(self) -> Identities:
        """The identities of the balls."""


class LiveRun(NumberedRun, Protocol):
    """A simulation as handles read it."""

    @property
    def positions(self) -> Floats:
        """Positions of the balls, m."""

    @property
    def velocities(self) -> Floats:
        """Velocities of the balls, m/s."""


class LiveBall:
    """Handle of one ball of a run. It stays with the ball when the ball's number changes."""

    __slots__ = ("_run", "id")

    _run: LiveRun
    id: int
    """Its identity in the run, which never changes."""

    def __init__(self, run: LiveRun, identity: int) -> None:
        object.__setattr__(self, "_run", run)
        object.__setattr__(self, "id", identity)

    def __setattr__(self, name: str, value: Any) -> None:
        raise ArgumentError.of("live.read-only", where=name, name=name)

    @property
    def index(self) -> int:
        """Its number now: its row in `positions`."""
        return self.index_in(self._run)

    def index_in(self, run: NumberedRun) -> int:
        """Its number in a run, which may be a copy of its own run."""
        k = run.identities.number(self.id)
        if k is None:
            raise ArgumentError.of("live.ball-gone", where="ball", id=self.id)
        return k

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        names = self._run.scene.balls.name
        return names[self.index] if names else None

    @property
    def position(self) -> Floats:
        """Position, m."""
        place: Floats = self._run.positions[self.index]
        return place

    @property
    def velocity(self) -> Floats:
        """Velocity, m/s."""
        velocity: Floats = self._run.velocities[self.index]
        return velocity

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return float(self._run.scene.balls.mass[self.index])

    @property
    def radius(self) -> float:
        """Radius, m."""
        return float(self._run.scene.balls.radius[self.index])

    @property
    def fixed(self) -> bool:
        """True if it is held in place."""
        return bool(self._run.scene.balls.fixed[self.index])

    @property
    def material(self) -> str:
        """The name of its material."""
        material = self._run.scene.balls.material
        name: str = material.names[material.codes[self.index]]
        return name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LiveBall) and (self._run, self.id) == (other._run, other.id)

    def __hash__(self) -> int:
        return hash((id(self._run), self.id))

    def __repr__(self) -> str:
        if self._run.identities.number(self.id) is None:
            return f"<ball with the id {self.id}, which is gone>"
        name = f" {self.name!r}" if self.name else ""
        place = ", ".join(f"{x:.6g}" for x in self.position)
        return f"<ball {self.index}{name} at ({place}) m>"


BallIndex: TypeAlias = int | str | LiveBall
"""Identifies a ball of a run: its number, its name, or a handle from `Simulation.balls`."""


class LiveBalls:
    """Handles of the balls of a run: `balls[3]`, `balls["cue"]`, `len(balls)`, `for ball in balls`."""

    def __init__(self, run: LiveRun) -> None:
        self._run = run

    @property
    def ids(self) -> NDArray[np.int64]:
        """The identities of all balls, in the order of their numbers."""
        return self._run.identities.ids.copy()

    def __len__(self) -> int:
        return len(self._run.identities.ids)

    @overload
    def __getitem__(self, which: BallIndex) -> LiveBall: ...
    @overload
    def __getitem__(self, which: slice) -> list[LiveBall]: ...
    def __getitem__(self, which: BallIndex | slice) -> LiveBall | list[LiveBall]:
        """The ball with a number or a name; for a slice, a list of balls."""
        ids = self._run.identities.ids
        if isinstance(which, slice):
            return [LiveBall(self._run, int(each)) for each in ids[which]]
        return LiveBall(self._run, int(ids[number_of(self._run, which)]))

    def __iter__(self) -> Iterator[LiveBall]:
        return (LiveBall(self._run, identity) for identity in self._run.identities.ids.tolist())

    def __contains__(self, which: object) -> bool:
        if isinstance(which, LiveBall):
            return self._run.identities.number(which.id) is not None
        return isinstance(which, str) and which in (self._run.scene.balls.name or ())

    def __repr__(self) -> str:
        return f"<{len(self)} balls of a run>"


def number_of(run: NumberedRun, which: BallIndex) -> int:
    """The number of a ball of a run."""
    return which.index_in(run) if isinstance(which, LiveBall) else index_of(run.scene, which)


def numbers_of(run: NumberedRun, which: BallIndex | Sequence[BallIndex]) -> list[int]:
    """The numbers of one ball or several."""
    given: Any = which
    single = isinstance(given, int | np.integer | str | LiveBall) or not hasattr(given, "__iter__")
    return [number_of(run, each) for each in ([given] if single else given)]


def index_of(scene: Scene, index: int | str) -> int:
    """The number of a ball by its name or number; negative numbers count from the end."""
    if isinstance(index, str):
        return scene.balls.index(index)
    count = len(scene.balls)
    given: Any = index
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not -count <= given < count:
        problem = "index.no-ball" if count else "index.no-balls"
        raise ArgumentError.of(problem, where="index", value=shown(given), last=count - 1)
    return int(given) % count
