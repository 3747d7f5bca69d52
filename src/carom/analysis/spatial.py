"""Spatial figures of a gas: structure, diffusion, and the decrease of density with height."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.analysis.diffusion import lag_functions
from carom.analysis.frame_sequence import sample_observables
from carom.analysis.gas_state import GasState
from carom.analysis.measure import Curve
from carom.errors import InputError
from carom.observe.blocks import columns, estimate
from carom.observe.measures import theory
from carom.observe.measures.geometry import periodic_axes
from carom.observe.measures.profiles import LAYERS, DensityProfile
from carom.observe.measures.structure import RadialDistribution, contact_value
from carom.observe.observable import RunState

Floats = NDArray[np.float64]

MAX_RDF_FRAMES = 128
"""Largest number of frames for g(r)."""
MAX_IDEAL_PACKING = 0.02
"""Packing fraction up to which a layer counts as an ideal gas, for the barometric law."""
LINEAR_FROM, LINEAR_TO = 10.0, 100.0
"""The displacement is fitted as linear between these numbers of mean free times."""
CORRELATION_END = 30.0
"""The velocity correlation is integrated up to this number of mean free times."""
MAX_SPACING = 0.4
"""Frames closer than this part of the mean free time resolve the decay of the velocity correlation."""
CONTACT_PARTS = 32
"""Parts of the run for the error of g(r) at contact: enough for blocking to test whether they are independent."""
MAX_MASSES = 4
"""Largest number of masses in a mixture under gravity for which scale heights are fitted."""
FIT_PARTS = 16
"""Number of parts of a recording for the error of a fit."""


def structure(gas: GasState) -> None:
    """Add g(r) and its value at contact."""
    if any(gas.scene.gravity):
        return  # density varies with height
    try:
        series = sample_observables(gas.frames, [RadialDistribution()], gas.frames.thin_out(MAX_RDF_FRAMES))[
            "radial_distribution"
        ]
    except InputError:
        return
    mean, error = columns(series.values)
    assert series.columns is not None  # noqa: S101  # g(r) has bins
    gas.found.curves.append(Curve("Radial distribution", ("distance", "m"), ("g(r)", ""), series.columns, mean, error))
    if gas.diameter and gas.one_kind:
        parts = [part.mean(axis=0) for part in np.array_split(series.values, min(CONTACT_PARTS, len(series.values)))]
        values = estimate([contact_value(series.columns, part, gas.diameter) for part in parts])
        whole = contact_value(series.columns, mean, gas.diameter)
        expected: dict[str, Any] = {}
        if gas.law is not None and gas.packing is not None:
            chi = theory.contact_value(gas.law, gas.packing, gas.scene.dimension)
            # g is divided by N (N - 1) pairs, χ of the virial by N²; the parabola is accurate to about 1 in 200.
            whole_chi = chi * gas.count / (gas.count - 1.0)
            expected = {"expected": whole_chi, "expected_error": 0.005 * chi, "source": "virial series to B10"}
        gas.add("g at contact", "g(σ)", replace(values, mean=whole), "", **expected)


def diffusion(gas: GasState) -> None:
    """Add displacement, velocity correlation and diffusion."""
    spread = lag_functions(gas.frames)
    if isinstance(spread, str):
        gas.found.remarks.append(f"{spread}, so that there is no diffusion")
        return
    for name, up, rows in (
        ("Mean squared displacement", ("<Δr²>", "m²"), spread.displacement),
        ("Velocity correlation", ("<v(0)·v(t)>", "m²/s²"), spread.correlation),
    ):
        error = rows.std(axis=0, ddof=1) / sqrt(len(rows))
        gas.found.curves.append(Curve(name, ("time", "s"), up, spread.lags, rows.mean(axis=0), error))
    if not periodic_axes(gas.scene).all():
        gas.found.remarks.append("walls bound the displacement, so that diffusion is told in periodic boxes only")
        return
    tau = next((line.value for line in gas.found.lines if line.name == "mean free time"), None) or spread.memory
    if tau is None:
        gas.found.remarks.append("velocities are remembered all the time, so that there is no diffusion: record longer")
        return
    expected: dict[str, Any] = {}
    if gas.law is not None and gas.room and gas.packing is not None:
        d = gas.scene.dimension
        chi = theory.contact_value(gas.law, gas.packing, d)
        law = theory.enskog_diffusion(gas.count / gas.room, gas.diameter, gas.kt.mean, gas.mass, chi, d)
        # First Sonine approximation, without correlated collisions: Enskog's D is good to some per cent in a thin gas.
        expected = {
            "expected": law,
            "expected_error": (0.02 + 0.5 * gas.packing) * law,
            "source": "Enskog, approximate",
        }
    last = float(spread.lags[-1])
    straight = spread.diffusion(LINEAR_FROM * tau, min(LINEAR_TO * tau, 0.5 * last))
    if straight is None:
        span = 6.0 * LINEAR_FROM * tau
        what = f"the run is too short for diffusion (Einstein): record at least {span:.2g} s"
        gas.found.remarks.append(f"{what}, 60 mean free times, in 24 frames or more")
    else:
        gas.add("diffusion (Einstein)", "D", straight, "m²/s", **expected)
    if spread.lags[1] >= MAX_SPACING * tau:
        what = f"frames are too far apart for diffusion (Green-Kubo): record one every {0.2 * tau:.2g} s"
        gas.found.remarks.append(f"{what}, a fifth of the mean free time")
    elif last < LINEAR_FROM * tau:
        what = f"the run is too short for diffusion (Green-Kubo): record at least {2.5 * LINEAR_FROM * tau:.2g} s"
        gas.found.remarks.append(f"{what}, {2.5 * LINEAR_FROM:.0f} mean free times")
    else:
        gas.add("diffusion (Green-Kubo)", "D", spread.green_kubo(CORRELATION_END * tau), "m²/s", **expected)


class OneMass(DensityProfile):
    """The density of the balls of one mass, 1/m³ (1/m² in 2D)."""

    def __init__(self, mass: float) -> None:
        self.mass = mass

    def sample(self, sim: RunState) -> Floats:
        """The value now."""
        who, layer = self.layers(sim)
        return np.bincount(layer[sim.masses[who] == self.mass], minlength=LAYERS) / self.slab


def heights(gas: GasState) -> None:
    """Add density and temperature by height, under gravity."""
    if not any(gas.scene.gravity):
        return
    tried = gas.measurable(["density_profile", "temperature_profile"])
    if len(tried) < 2:
        return
    series = sample_observables(gas.frames, tried)
    density, warm = series["density_profile"], series["temperature_profile"]
    assert density.columns is not None  # noqa: S101  # profiles have layers
    mean, error = columns(density.values)
    up = ("number density", "1/m²" if gas.scene.dimension == 2 else "1/m³")
    law = _barometric(gas, density.columns, density.values) if gas.elastic else None
    gas.found.curves.append(
        Curve("Density profile", ("height", "m"), up, density.columns, mean, error, law, "barometric")
    )
    level, spread = columns(warm.values)
    flat = np.full_like(level, gas.kt.mean) if gas.elastic else None
    gas.found.curves.append(
        Curve("Temperature profile", ("height", "m"), ("k_B T", "J"), density.columns, level, spread, flat, "all balls")
    )


def _barometric(gas: GasState, middle: Floats, densities: Floats) -> Floats | None:
    """Add the scale height of the balls of each mass; returns the law of density, NaN where it is not fitted."""
    masses = np.unique(gas.recording.masses[~gas.scene.balls.fixed])
    if masses.size > MAX_MASSES:
        what = f"the balls have {masses.size} masses, each with a scale height of its own"
        gas.found.remarks.append(f"{what}: the barometric law is fitted to {MAX_MASSES} at most")
        return None
    d = gas.scene.dimension
    radii = gas.recording.radii[~gas.scene.balls.fixed]
    each, radius = theory.packing_fraction(radii, 1.0, d) / radii.size, float(radii.max())
    width = middle[1] - middle[0]
    inside = (middle - 0.5 * width >= radius) & (middle + 0.5 * width <= middle[-1] + 0.5 * width - radius)
    inside &= densities.mean(axis=0) * each < MAX_IDEAL_PACKING
    law = np.zeros_like(middle)
    for mass in masses.tolist():
        alone = OneMass(mass)
        rows = densities if masses.size == 1 else sample_observables(gas.frames, [alone])["density_profile"].values
        alone.begin(next(iter(gas.frames)))
        name = "scale height" if masses.size == 1 else f"scale height of balls of {mass:.4g} kg"
        mean = rows.mean(axis=0)
        thin = inside & (mean > 0.02 * float(mean[inside].max(initial=0.0)))
        fit = _scale(middle, mean, thin)
        parts = [_scale(middle, part.mean(axis=0), thin) for part in np.array_split(rows, FIT_PARTS) if len(part)]
        heights = [part[0] for part in parts if part is not None]
        if fit is None or len(heights) < max(2, len(parts) // 2):
            gas.found.remarks.append(f"too few balls are in thin layers to fit the barometric law ({name})")
            return None
        height = gas.kt.mean / (mass * alone.pull)
        # A packing fraction η makes the gas stiffer by the factor 1 + 2^d η: this is the error of the law itself.
        own = 2.0**d * MAX_IDEAL_PACKING * height * 0.5
        gas.add(
            name, "h", replace(estimate(heights), mean=fit[0]), "m",
            expected=height, expected_error=own, source="barometric law, k_B T/(m g)",
        )  # fmt: skip
        law += np.where(thin, fit[1] * np.exp(-middle / height), np.nan)
    return law


def _scale(middle: Floats, density: Floats, thin: NDArray[np.bool_]) -> tuple[float, float] | None:
    """Scale height and density at zero height, fitted to the given layers that are not empty."""
    there = thin & (density > 0.0)
    if there.sum() < 4:
        return None
    slope, start = np.polyfit(middle[there], np.log(density[there]), 1, w=np.sqrt(density[there]))
    return (-1.0 / slope, float(np.exp(start))) if slope < 0.0 else None
