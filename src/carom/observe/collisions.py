"""What a run tells: its collisions, and a word on rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.extras import require
from carom.observe.arrays import Handed
from carom.solvers.collision_record import BALL, CLOTH, NOBODY, WALL

KINDS = {BALL: "ball-ball", WALL: "ball-wall", CLOTH: "ball-cloth"}
"""The kinds of a collision in words."""


@dataclass(frozen=True)
class Collision:
    """A collision: when, who, where, and how hard."""

    time: float
    """s"""
    kind: str
    """"ball-ball", "ball-wall" or "ball-cloth"."""
    partners: tuple[int, ...]
    """The balls, by their numbers in the scene: two, or one that met a wall or a cloth."""
    wall: str | None
    """What the wall is called: "x-", "edge 3", "corner 0", "hole 1", "obstacle 0 edge 2" …; None between balls."""
    place: tuple[float, ...]
    """The point of contact, m."""
    normal: tuple[float, ...]
    """Unit vector of the impulse that the first partner receives."""
    impulse: float
    """Its size, N s."""


class CollisionArray(Handed):
    """Many collisions: a structured array, which knows what its walls are called.

    Its fields are time (s), kind (1 between balls, 2 with a wall, 3 with a cloth), a and b (the balls), wall (a
    number), place (m), normal, impulse (N s), and softened (1 if it fell within the contact time).
    """

    dimension: int = 3
    walls: Sequence[str] | None = None
    """The names of the walls, by their numbers; None if they are lost, as np.concatenate does."""

    @classmethod
    def of(cls, rows: NDArray[Any], dimension: int, walls: Sequence[str]) -> CollisionArray:
        """Rows of a run in so many dimensions, with walls of these names."""
        made = rows.view(cls)
        made.dimension, made.walls = dimension, walls
        return made

    def __array_finalize__(self, source: Any) -> None:
        self.dimension, self.walls = getattr(source, "dimension", 3), getattr(source, "walls", None)

    def __getitem__(self, which: Any) -> Any:
        """Rows, or a field, which is a plain array."""
        found = super().__getitem__(which)
        return np.asarray(found) if isinstance(found, CollisionArray) and found.dtype != self.dtype else found

    def __reduce__(self) -> Any:
        return CollisionArray.of, (np.array(self), self.dimension, self.walls)

    def to_pandas(self) -> Any:
        """A DataFrame of pandas, one row per collision.

        `kind` is a word, `wall` a name, and a place has one column for each dimension. Where there is no second ball,
        or no wall, a value is missing.
        """
        require("pandas", "a table of pandas")
        import pandas as pd  # noqa: PLC0415  # an extra

        alone = self["b"] == NOBODY
        columns = {
            "time": self["time"],
            "kind": _words(self["kind"], KINDS),
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
            remedy = "Convert each array to pandas first, and put the tables together by pandas.concat."
            raise ArgumentError([Problem("to_pandas", "the names of the walls were lost on the way", remedy)])
        return _words(numbers, {int(k): (self.walls or ())[k] for k in some})

    def _along(self, name: str) -> dict[str, NDArray[np.float64]]:
        return {f"{name}_{axis}": self[name][:, k] for k, axis in enumerate("xyz"[: self.dimension])}


def _words(numbers: NDArray[Any], words: dict[int, str]) -> NDArray[np.object_]:
    """The word of each number; None where there is none."""
    found = np.full(len(numbers), None, object)
    for number, word in words.items():
        found[numbers == number] = word
    return found


@dataclass(frozen=True)
class Report:
    """What a run has to say beyond its results."""

    resting: tuple[int, ...]
    """Balls that rest on a wall."""
    softened: int
    """Collisions that followed another so fast that they counted as one long contact and lost nothing."""
    contact_time: float
    """The time within which that is so, s."""

    def __str__(self) -> str:
        if not self.resting and not self.softened:
            return "no ball rests, and no collision fell within the contact time"
        balls = "1 ball rests on a wall" if len(self.resting) == 1 else f"{len(self.resting)} balls rest on walls"
        fell = "1 collision" if self.softened == 1 else f"{self.softened} collisions"
        return f"{balls}; {fell} within the contact time of {self.contact_time:.3g} s, as parts of one long contact"
