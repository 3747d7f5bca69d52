"""`GasState`: the properties of a recorded gas that several measurements need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.analysis.frame_sequence import FrameSequence
from carom.analysis.measure import Analysis, Line
from carom.errors import InputError
from carom.observe.blocks import Estimate
from carom.observe.measures import theory
from carom.observe.measures.geometry import mean_radius, periodic_axes, volume
from carom.observe.observable import Observable, observable
from carom.scene import Scene
from carom.storage.recording import Recording

FLUID = {2: 0.6, 3: 0.49}
"""Packing fraction, by dimension, below which the virial series is the law of the fluid.

Hard balls freeze at 0.494 (W. G. Hoover and F. H. Ree, J. Chem. Phys. 49 (1968) 3609); disks at 0.70, near which the
series is too high.
"""


@dataclass(frozen=True)
class GasState:
    """The properties of a recorded gas: number of balls, temperature, volume, which laws hold."""

    frames: FrameSequence
    found: Analysis
    count: int
    freedom: int
    kt: Estimate
    room: float | None
    """Volume available to the centres, m³; None if unknown."""

    @property
    def recording(self) -> Recording:
        """The whole recording."""
        return self.frames.recording

    @property
    def scene(self) -> Scene:
        """The scene of the recording."""
        return self.recording.scene

    @property
    def one_kind(self) -> bool:
        """True if all balls that can move have the same mass and radius."""
        free = ~self.scene.balls.fixed
        return bool(np.ptp(self.recording.masses[free]) == 0.0 == np.ptp(self.recording.radii[free]))

    @property
    def mass(self) -> float:
        """The mean mass of the balls, kg."""
        return float(self.recording.masses[~self.scene.balls.fixed].mean())

    @property
    def diameter(self) -> float:
        """The mean diameter of the balls, m."""
        return 2.0 * mean_radius(self.scene)

    @property
    def packing(self) -> float | None:
        """The packing fraction η of the volume between the walls."""
        if self.room is None:
            return None
        return theory.packing_fraction(self.recording.radii, volume(self.scene), self.scene.dimension)

    @property
    def elastic(self) -> bool:
        """True if energy is conserved: no loss at collisions, no drag, no friction."""
        lossless = self.scene.restitution
        kept = min(lossless.ball_ball, lossless.ball_wall, *(pair.value for pair in lossless.pairs), 1.0) == 1.0
        drag = self.scene.drag
        dragged = drag is not None and (drag.linear > 0.0 or drag.quadratic > 0.0)
        return kept and not dragged and self.scene.friction.none

    @property
    def is_hard_fluid(self) -> bool:
        """True for equal, hard, elastic balls in a fully periodic box, as the laws of fluids assume."""
        alone = (
            self.elastic
            and not self.scene.forces_needed
            and not any(self.scene.gravity)
            and not self.scene.balls.fixed.any()
        )
        return alone and self.one_kind and self.diameter > 0.0 and bool(periodic_axes(self.scene).all())

    def add(self, name: str, symbol: str, found: Estimate | tuple[float, float], unit: str, **more: Any) -> None:
        """Add a line to the table."""
        if isinstance(found, Estimate):
            more = {"settled": found.settled, **more}
            found = (found.mean, found.error)
        self.found.lines.append(Line(name, symbol, *found, unit, **more))

    @property
    def no_law_reason(self) -> str:
        """The reason why no laws are compared with, where one would expect them; empty if there are some."""
        if not self.elastic:
            return "collisions, friction or drag take energy, and the laws of gases are for elastic ones"
        most = FLUID[self.scene.dimension]
        if self.is_hard_fluid and self.packing is not None and self.packing >= most:
            return f"the packing fraction {self.packing:.3g} is not below {most}, where the law of the fluid ends"
        return ""

    @property
    def law(self) -> float | None:
        """Z of this number of hard balls by theory; None if there is no law."""
        d = self.scene.dimension
        if not self.is_hard_fluid or self.packing is None or self.packing >= FLUID[d]:
            return None
        return theory.compressibility(self.packing, d) + theory.finite_size(self.packing, d, self.count)

    def measurable(self, names: list[str]) -> list[Observable]:
        """The observables of these names that can be measured in the scene."""
        first = next(iter(self.frames))
        good = []
        for name in names:
            each = observable(name)
            try:
                each.begin(first)
            except InputError:
                continue
            good.append(each)
        return good
