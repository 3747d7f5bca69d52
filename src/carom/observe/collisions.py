"""The collisions of a run as objects and as an array, and a short report on resting balls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.extras import require
from carom.observe.arrays import AnnotatedArray
from carom.solvers.collision_record import BALL, CLOTH, NOBODY, WALL

KINDS = {BALL: "ball-ball", WALL: "ball-wall", CLOTH: "ball-cloth"}
"""The name of each kind of collision."""


@dataclass(frozen=True)
class Collision:
    """A collision: its time, partners, place and impulse."""

    time: float
    """s"""
    kind: str
    """"ball-ball", "ball-wall" or "ball-cloth"."""
    partners: tuple[int, ...]
    """The indices of the balls in the scene: two, or one in a collision with a wall or a cloth."""
    wall: str | None
    """The name of the wall: "x-", "edge 3", "corner 0", "hole 1", "obstacle 0 edge 2" …; None between balls."""
    place: tuple[float, ...]
    """The point of contact, m."""
    normal: tuple[float, ...]
    """Unit vector of the impulse that the first partner receives."""
    impulse: float
    """The magnitude of the impulse, N s."""


class CollisionArray(AnnotatedArray):
    """Many collisions: a structured array that knows the names of the walls.

    Its fields are time (s), kind (1 between balls, 2 with a wall, 3 with a cloth), a and b (the balls), wall (its
    index), place (m), normal, impulse (N s), and softened (1 if the collision came within the contact time).
    """

    dimension: int = 3
    walls: Sequence[str] | None = None
    """The names of the walls by index; None if they were lost, for example by np.concatenate."""

    @classmethod
    def of(cls, rows: NDArray[Any], dimension: int, walls: Sequence[str]) -> CollisionArray:
        """Make one from rows of `collision_record`, the dimension of the scene and the names of its walls."""
        array = rows.view(cls)
        array.dimension, array.walls = dimension, walls
        return array

    def __array_finalize__(self, source: Any) -> None:
        self.dimension, self.walls = getattr(source, "dimension", 3), getattr(source, "walls", None)

    def __getitem__(self, which: Any) -> Any:
        """Some of the rows, or one field as a plain array."""
        part = super().__getitem__(which)
        return np.asarray(part) if isinstance(part, CollisionArray) and part.dtype != self.dtype else part

    def __reduce__(self) -> Any:
        return CollisionArray.of, (np.array(self), self.dimension, self.walls)

    def to_pandas(self) -> Any:
        """A DataFrame of pandas, one row per collision.

        `kind` and `wall` hold names; `place` and `normal` have one column per dimension. Where there is no second
        ball, or no wall, the value is missing.
        """
        require("pandas", "a table of pandas")
        import pandas as pd  # noqa: PLC0415  # an extra

        alone = self["b"] == NOBODY
        columns = {
            "time": self["time"],
            "kind": _names(self["kind"], KINDS),
            "a": self["a"].astype(np.int64),
            "b": pd.arrays.IntegerArray(np.where(alone, 0, self["b"]).astype(np.int64), alone),
            "wall": self._wall_names(),
            **self._along("place"),
            **self._along("normal"),
            "impulse": self["impulse"],
            "softened": self["softened"].astype(bool),
        }
        return pd.DataFrame(columns)

    def _wall_names(self) -> NDArray[np.object_]:
        numbers = self["wall"]
        some = np.unique(numbers[numbers != NOBODY])
        if len(some) and self.walls is None:
            raise ArgumentError.of("collisions.no-walls", where="to_pandas")
        return _names(numbers, {int(k): (self.walls or ())[k] for k in some})

    def _along(self, name: str) -> dict[str, NDArray[np.float64]]:
        return {f"{name}_{axis}": self[name][:, k] for k, axis in enumerate("xyz"[: self.dimension])}


def _names(numbers: NDArray[Any], names: dict[int, str]) -> NDArray[np.object_]:
    """The name of each number; None for a number without a name."""
    named = np.full(len(numbers), None, object)
    for number, name in names.items():
        named[numbers == number] = name
    return named


@dataclass(frozen=True)
class Report:
    """What to know about a run besides its results: resting balls, and collisions within the contact time."""

    resting: tuple[int, ...]
    """Indices of the balls that rest on a wall."""
    softened: int
    """Number of collisions that came within the contact time of another one, and so lost no energy."""
    contact_time: float
    """The contact time, s: collisions that follow each other faster count as parts of one long contact."""

    def __str__(self) -> str:
        if not self.resting and not self.softened:
            return "no ball rests, and no collision fell within the contact time"
        balls = "1 ball rests on a wall" if len(self.resting) == 1 else f"{len(self.resting)} balls rest on walls"
        fell = "1 collision" if self.softened == 1 else f"{self.softened} collisions"
        return f"{balls}; {fell} within the contact time of {self.contact_time:.3g} s, as parts of one long contact"
