"""What a track has been through, as values that never change: copies of the simulation, and what hands did.

Of a run of the exact solver a copy is its state alone, from which a simulation is made when it is wanted. And such a
run has a history, which tells any instant without running. It only grows, so that pasts can share it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.lab.seen.collision_log import CollisionLog
from carom.simulation.internal import State, standing
from carom.simulation.simulation import Simulation

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History

APART = 0.1
"""Seconds of computing between two copies, at least."""


@dataclass(frozen=True)
class Keyframe:
    """A simulation as it stood at a time of its own; nobody advances it."""

    time: float
    """Of the simulation."""
    sim: Simulation
    """The simulation; or, where there is a state, any other instant of the same run."""
    cost: float
    """Seconds of computing from the start of the segment to here."""
    inputs: int
    """How many of the hand's doings are in it."""
    state: State | None = None
    """Of a run of the exact solver."""

    def again(self) -> Simulation:
        """A simulation that goes on from here."""
        return self.sim.copy() if self.state is None else standing(self.sim, self.state, self.time)


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
    history: History | None = None
    """Of a run of the exact solver: all that happened, as far as there is memory for it."""

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

    @property
    def copies(self) -> int:
        """How many copies it holds."""
        return sum(len(each.frames) for each in self.segments)


def thinned(past: Past, most: int) -> Past:
    """A past with no more copies than these, but for the first of each stretch."""
    if past.copies <= most:
        return past
    segments = list(past.segments)
    for _ in range(past.copies - most):
        found = _least(segments)
        if found is None:
            break
        number, k = found
        frames = segments[number].frames
        segments[number] = replace(segments[number], frames=(*frames[:k], *frames[k + 1 :]))
    return replace(past, segments=tuple(segments))


def _least(segments: list[Segment]) -> tuple[int, int] | None:
    """The copy whose loss matters least: the gap that it leaves, as a part of how long ago it is."""
    best: tuple[float, int, int] | None = None
    later = 0.0
    for number in reversed(range(len(segments))):
        frames = segments[number].frames
        until = frames[-1].cost
        for k in range(1, len(frames)):
            after = frames[k + 1].cost if k + 1 < len(frames) else until
            age = later + until - frames[k].cost + APART
            loss = (after - frames[k - 1].cost) / age
            if best is None or loss < best[0]:
                best = (loss, number, k)
        later += until
    return None if best is None else best[1:]
