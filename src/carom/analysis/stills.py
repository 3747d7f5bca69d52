"""A frame of a recording, as observables read a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from carom.observe.frame import Frame
from carom.scene import Scene
from carom.storage.recording import Recording

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Still:
    """An instant of a recording; a `RunState`, like a `Simulation`.

    Its collisions are not counted, and potential energy is that of gravity: NaN where other forces have some too.
    """

    recording: Recording
    frame: Frame

    @property
    def scene(self) -> Scene:
        """What exists."""
        return self.recording.scene

    @property
    def time(self) -> float:
        """Of the frame, s."""
        return self.frame.time

    @property
    def positions(self) -> Floats:
        """Of the balls, m."""
        return self.frame.positions

    @property
    def velocities(self) -> Floats:
        """Of the balls, m/s."""
        return self.frame.velocities

    @cached_property
    def turns(self) -> NDArray[np.int64]:
        """Rounds of periodic axes."""
        return np.zeros(self.positions.shape, np.int64) if self.frame.turns is None else self.frame.turns

    @property
    def masses(self) -> Floats:
        """Of the balls, kg."""
        return self._bulk[0]

    @property
    def radii(self) -> Floats:
        """Of the balls, m."""
        return self._bulk[1]

    @cached_property
    def _bulk(self) -> tuple[Floats, Floats]:
        """Masses and radii at this time: they change where balls merge."""
        return self.recording.bulk(int(np.searchsorted(self.recording.times, self.time)))

    @property
    def collisions(self) -> int:
        """Not known of a single frame."""
        return 0

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """Not known of a single frame."""
        return {}

    @property
    def kinetic_energy(self) -> float:
        """Of the balls that are there, J."""
        return float(0.5 * np.nansum(self.masses * (self.velocities**2).sum(axis=1)))

    @property
    def potential_energy(self) -> float:
        """Of gravity, J."""
        scene = self.scene
        if len(scene.links) or len(scene.bends) or scene.attraction is not None:
            return float("nan")
        free = ~scene.balls.fixed
        return float(-np.nansum((self.masses[:, None] * self.positions * np.array(scene.gravity))[free]))

    @property
    def energy(self) -> float:
        """Kinetic and potential, J."""
        return self.kinetic_energy + self.potential_energy

    @property
    def momentum(self) -> Floats:
        """Of the balls that are there, kg m/s."""
        return np.asarray(np.nansum(self.masses[:, None] * self.velocities, axis=0))
