"""A recording of a gas, with what is known of it while single figures are worked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.analysis.along import Reel
from carom.analysis.measure import Analysis, Line
from carom.errors import SceneError
from carom.observe import theory
from carom.observe.blocks import Estimate
from carom.observe.observable import Observable, observable
from carom.observe.room import mean_radius, periodic_axes, volume
from carom.scene import Scene
from carom.storage.recording import Recording

FLUID = 0.6
"""Packing fraction below which the virial series is the law of the fluid."""


@dataclass(frozen=True)
class Gas:
    """What is known of the gas when single figures are worked out."""

    reel: Reel
    found: Analysis
    count: int
    freedom: int
    kt: Estimate
    room: float | None
    """Volume that the centres have, m³; None if it cannot be told."""

    @property
    def recording(self) -> Recording:
        """The whole recording."""
        return self.reel.recording

    @property
    def scene(self) -> Scene:
        """What exists."""
        return self.recording.scene

    @property
    def one_kind(self) -> bool:
        """Are all balls that can move alike?"""
        free = ~self.scene.balls.fixed
        return bool(np.ptp(self.recording.masses[free]) == 0.0 == np.ptp(self.recording.radii[free]))

    @property
    def mass(self) -> float:
        """Of the balls, the mean, kg."""
        return float(self.recording.masses[~self.scene.balls.fixed].mean())

    @property
    def diameter(self) -> float:
        """Of the balls, the mean, m."""
        return 2.0 * mean_radius(self.scene)

    @property
    def packing(self) -> float | None:
        """η, of the room between the walls themselves."""
        if self.room is None:
            return None
        return theory.packing_fraction(self.recording.radii, volume(self.scene), self.scene.dimension)

    @property
    def hard(self) -> bool:
        """Is it a gas of equal hard balls in a wholly periodic box, which the laws of fluids are for?"""
        alone = not self.scene.forces_needed and not any(self.scene.gravity) and not self.scene.balls.fixed.any()
        return alone and self.one_kind and self.diameter > 0.0 and bool(periodic_axes(self.scene).all())

    def add(self, name: str, symbol: str, found: Estimate | tuple[float, float], unit: str, **more: Any) -> None:
        """A line of the table."""
        value, error = (found.mean, found.error) if isinstance(found, Estimate) else found
        self.found.lines.append(Line(name, symbol, value, error, unit, **more))

    @property
    def law(self) -> float | None:
        """Z of so many hard balls, where there is a law."""
        if not self.hard or self.packing is None or self.packing >= FLUID:
            return None
        d = self.scene.dimension
        return theory.compressibility(self.packing, d) + theory.finite_size(self.packing, d, self.count)

    def tried(self, names: list[str]) -> list[Observable]:
        """Those of the observables that the scene can be measured by."""
        first = next(iter(self.reel))
        good = []
        for name in names:
            each = observable(name)
            try:
                each.begin(first)
            except SceneError:
                continue
            good.append(each)
        return good
