"""The past of a track as immutable values: copies of the simulation, and interactive inputs.

For the exact solver a copy is only its state, from which a simulation is made when needed. Such a run also has a
history, from which any instant is read without running. It only grows, so that pasts can share it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.lab.seen.collision_log import CollisionLog
from carom.simulation.internal import State, copy_in_state
from carom.simulation.simulation import Simulation

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History

MIN_COPY_INTERVAL = 0.1
"""Least computing time between two copies, s."""


@dataclass(frozen=True)
class Keyframe:
    """A copy of a simulation at an instant; it is never advanced."""

    time: float
    """Time of the simulation, s."""
    sim: Simulation
    """The simulation; with a state, it may be at any other instant of the same run."""
    cost: float
    """Computing time from the start of the segment to here, s."""
    inputs: int
    """Number of inputs that it includes."""
    state: State | None = None
    """The state of a run of the exact solver."""

    def resumed(self) -> Simulation:
        """Make a simulation that continues from here."""
        return self.sim.copy() if self.state is None else copy_in_state(self.sim, self.state, self.time)


@dataclass(frozen=True)
class Input:
    """An interactive input at a time of the simulation."""

    time: float
    what: str
    arguments: tuple[Any, ...]

    def apply(self, sim: Simulation) -> None:
        """Apply the input to a simulation."""
        name, (index, *rest) = self.what, self.arguments
        if name == "pull":
            sim.pull(index, rest[0])
        elif name == "release":
            sim.release(index)
        else:
            sim.drive(index, **{name: rest[0]})


@dataclass(frozen=True)
class Segment:
    """A part of the run between two edits."""

    offset: float
    """Time of the bench minus time of the simulation, s."""
    frames: tuple[Keyframe, ...]
    end: float
    """Its end, in the time of the simulation."""
    wish: dict[str, Any]
    """The options of the solver, as arguments of `Simulation`."""
    counts: dict[str, int] = field(default_factory=dict)
    """Collisions by kind from before the simulation was made."""
    births: NDArray[np.float64] | None = None
    """When each ball was added, in the time of the bench; None: all at their times of birth."""
    inputs: tuple[Input, ...] = ()
    history: History | None = None
    """The history of a run of the exact solver, as far as memory allows."""

    @property
    def start(self) -> float:
        """Its start, in the time of the bench."""
        return self.offset + self.frames[0].time


@dataclass(frozen=True)
class Past:
    """The past of a track; immutable."""

    segments: tuple[Segment, ...]
    log: CollisionLog = field(default_factory=CollisionLog)

    @property
    def end(self) -> float:
        """Its end, in the time of the bench."""
        last = self.segments[-1]
        return last.offset + last.end

    @property
    def copies(self) -> int:
        """The number of copies in it."""
        return sum(len(each.frames) for each in self.segments)


def thin_out(past: Past, most: int) -> Past:
    """A past with at most this many copies, besides the first of each segment."""
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
    """The copy to drop: the one with the smallest gap relative to its age."""
    best: tuple[float, int, int] | None = None
    later = 0.0
    for number in reversed(range(len(segments))):
        frames = segments[number].frames
        until = frames[-1].cost
        for k in range(1, len(frames)):
            after = frames[k + 1].cost if k + 1 < len(frames) else until
            age = later + until - frames[k].cost + MIN_COPY_INTERVAL
            loss = (after - frames[k - 1].cost) / age
            if best is None or loss < best[0]:
                best = (loss, number, k)
        later += until
    return None if best is None else best[1:]
