"""Profiles of density and temperature along an axis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.measures.thermo import present
from carom.observe.observable import Floats, Observable, RunState, register

LAYERS = 50


class Profile(Observable):
    """A quantity in layers of a box, by the height against gravity (without gravity, along y).

    If gravity is oblique, the height is along the axis of its largest component.
    """

    across: ClassVar[tuple[str, str]] = ("height", "m")

    def begin(self, sim: RunState) -> None:
        """Choose the layers."""
        scene = sim.scene
        box = scene.boundary.box
        if box is None or scene.obstacles:
            raise ArgumentError.of("profile.no-box", where=self.name)
        pull = np.abs(scene.gravity)
        self.axis = int(pull.argmax()) if pull.any() else 1
        self.pull = float(pull[self.axis])
        self.down = scene.gravity[self.axis] <= 0.0
        size = box.size
        self.edges = np.linspace(0.0, size[self.axis], LAYERS + 1)
        self.slab = float(np.prod(size)) / LAYERS

    def layers(self, sim: RunState) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The indices of the balls, and the layer of each."""
        who = present(sim)
        place = sim.positions[who, self.axis]
        height = place if self.down else self.edges[-1] - place
        return who, np.clip((height / self.edges[-1] * LAYERS).astype(np.intp), 0, LAYERS - 1)

    def columns(self) -> Floats:
        """The middles of the layers, m."""
        return np.asarray(0.5 * (self.edges[1:] + self.edges[:-1]))


@register
class DensityProfile(Profile):
    """ρ = n_k / V_k: number of centres in layer k over its volume, 1/m³ (1/m² in 2D).

    An ideal gas under gravity has ρ(y) ∝ e^(-y/h), h = k_B T / (m g): the barometric law, Boltzmann's distribution in a
    field (L. D. Landau and E. M. Lifshitz, Statistical Physics, Part 1, §38). Counting by layers: M. P. Allen and D. J.
    Tildesley, Computer Simulation of Liquids (2nd ed., Oxford 2017).
    """

    name, symbol, unit = "density_profile", "ρ(y)", "1/m³"

    def begin(self, sim: RunState) -> None:
        """Choose the layers."""
        super().begin(sim)
        self.unit = "1/m²" if sim.scene.dimension == 2 else "1/m³"

    def sample(self, sim: RunState) -> Floats:
        """The value now."""
        _, layer = self.layers(sim)
        return np.bincount(layer, minlength=LAYERS) / self.slab


@register
class TemperatureProfile(Profile):
    """k_B T = <m v²> / d in each layer, J; NaN in an empty one. In equilibrium it is the same at all heights."""

    name, symbol, unit = "temperature_profile", "k_B T(y)", "J"

    def sample(self, sim: RunState) -> Floats:
        """The value now."""
        who, layer = self.layers(sim)
        energy: Any = sim.masses[who] * (sim.velocities[who] ** 2).sum(axis=1) / sim.scene.dimension
        count = np.bincount(layer, minlength=LAYERS)
        total = np.bincount(layer, weights=energy, minlength=LAYERS)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)
