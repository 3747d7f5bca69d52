"""`RecordedFrame`: a frame of a recording, as observables and plots read a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from carom.observe.frame import Frame
from carom.scene import Scene
from carom.storage.recording import Recording

Floats = NDArray[np.float64]


def balls_merge(scene: Scene) -> bool:
    """True if masses and radii change because balls merge."""
    return scene.attraction is not None and scene.attraction.touch == "merge"


@dataclass(frozen=True)
class RecordedFrame:
    """A frame of a recording with the interface of a `RunState`, like a `Simulation`.

    Collisions are not counted. Potential energy is that of gravity: NaN if other forces have some too.
    """

    recording: Recording
    frame: Frame
    index: int
    """The index of the frame in the recording; that of the frame before, if this one was rebuilt from events."""

    @property
    def scene(self) -> Scene:
        """The scene of the recording."""
        return self.recording.scene

    @property
    def time(self) -> float:
        """The time of the frame, s."""
        return self.frame.time

    @property
    def positions(self) -> Floats:
        """The positions of the balls, m."""
        return self.frame.positions

    @property
    def velocities(self) -> Floats:
        """The velocities of the balls, m/s."""
        return self.frame.velocities

    @cached_property
    def turns(self) -> NDArray[np.int64]:
        """Image counts along periodic axes."""
        return np.zeros(self.positions.shape, np.int64) if self.frame.turns is None else self.frame.turns

    @property
    def masses(self) -> Floats:
        """The masses of the balls, kg."""
        return self._bulk[0]

    @property
    def radii(self) -> Floats:
        """The radii of the balls, m."""
        return self._bulk[1]

    @cached_property
    def _bulk(self) -> tuple[Floats, Floats]:
        """Masses and radii at this time: they change if balls merge."""
        recording = self.recording
        return recording.bulk(self.index) if balls_merge(recording.scene) else (recording.masses, recording.radii)

    @property
    def collisions(self) -> int:
        """Unknown for a single frame."""
        return 0

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """Unknown for a single frame."""
        return {}

    @property
    def kinetic_energy(self) -> float:
        """The kinetic energy of the present balls, J."""
        return float(0.5 * np.nansum(self.masses * (self.velocities**2).sum(axis=1)))

    @property
    def potential_energy(self) -> float:
        """The potential energy of gravity, J."""
        scene = self.scene
        if len(scene.links) or len(scene.bends) or scene.attraction is not None:
            return float("nan")
        free = ~scene.balls.fixed
        return float(-np.nansum((self.masses[:, None] * self.positions * np.array(scene.gravity))[free]))

    @property
    def energy(self) -> float:
        """Kinetic and potential energy, J."""
        return self.kinetic_energy + self.potential_energy

    @property
    def momentum(self) -> Floats:
        """The total momentum of the present balls, kg m/s."""
        return np.asarray(np.nansum(self.masses[:, None] * self.velocities, axis=0))
