"""What a run tells: its collisions, and a word on rest."""

from __future__ import annotations

from dataclasses import dataclass


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
