"""What a track has been through, as values that never change: copies of the simulation, and what hands did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.lab.collision_log import CollisionLog
from carom.simulation import Simulation


@dataclass(frozen=True)
class Keyframe:
    """A simulation as it stood at a time of its own; nobody advances it."""

    time: float
    """Of the simulation."""
    sim: Simulation
    cost: float
    """Seconds of computing from the start of the segment to here."""
    inputs: int
    """How many of the hand's doings are in it."""


@dataclass(frozen=True)
class Input:
    """What a hand did at a time of the simulation."""

    time: float
    what: str
    arguments: tuple[Any, ...]

    def apply(self, sim: Simulation) -> None:
        """Do it (again)."""
        name, (index, *rest) = self.what, self.arguments
        if name == "pull":
            sim.pull(index, rest[0])
        elif name == "release":
            sim.release(index)
        else:
            sim.drive(index, **{name: rest[0]})


@dataclass(frozen=True)
class Segment:
    """A stretch of the run without an edit."""

    offset: float
    """Time of the bench less that of the simulation."""
    frames: tuple[Keyframe, ...]
    end: float
    """How far it has come, in the simulation's time."""
    wish: dict[str, Any]
    """How it is to be solved, as the arguments of `Simulation`."""
    counts: dict[str, int] = field(default_factory=dict)
    """Collisions by kind that the simulation does not know of: those before it was made."""
    births: NDArray[np.float64] | None = None
    """When each ball came, in the bench's time; None: all at their times of birth."""
    inputs: tuple[Input, ...] = ()

    @property
    def start(self) -> float:
        """In the bench's time."""
        return self.offset + self.frames[0].time


@dataclass(frozen=True)
class Past:
    """All that a track has been through; never changes."""

    segments: tuple[Segment, ...]
    log: CollisionLog = field(default_factory=CollisionLog)

    @property
    def end(self) -> float:
        """How far it has come, in the bench's time."""
        last = self.segments[-1]
        return last.offset + last.end
