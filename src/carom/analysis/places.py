"""Where the balls of a gas are: structure, diffusion, and how density falls off with height."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.analysis.along import taken
from carom.analysis.measure import Curve
from carom.analysis.spreading import spreading
from carom.analysis.subject import Gas
from carom.errors import SceneError
from carom.observe import theory
from carom.observe.blocks import columns
from carom.observe.room import periodic_axes
from carom.observe.structure import RadialDistribution, contact_value

Floats = NDArray[np.float64]

STRUCTURED = 128
"""Frames from which g(r) is taken, at most."""
THIN = 0.02
"""Packing fraction up to which a layer counts as an ideal gas, for the barometric law."""
PARTS = 8
"""A recording is cut into so many parts where the error of a fit is asked for."""


def structure(gas: Gas) -> None:
    """g(r) and its value at contact."""
    if any(gas.scene.gravity):
        return  # density varies with height
    try:
        series = taken(gas.reel, [RadialDistribution()], gas.reel.thinned(STRUCTURED))["radial_distribution"]
    except SceneError:
        return
    mean, error = columns(series.values)
    assert series.columns is not None  # noqa: S101  # g(r) has bins
    gas.found.curves.append(Curve("Radial distribution", ("distance", "m"), ("g(r)", ""), series.columns, mean, error))
    if gas.diameter and gas.one_kind:
        parts = [part.mean(axis=0) for part in np.array_split(series.values, min(PARTS, len(series.values)))]
        values = np.array([contact_value(series.columns, part, gas.diameter) for part in parts])
        whole = contact_value(series.columns, mean, gas.diameter)
        expected: dict[str, Any] = {}
        if gas.law is not None and gas.packing is not None:
            chi = theory.contact_value(gas.law, gas.packing, gas.scene.dimension)
            # g is divided by N (N - 1) pairs, χ of the virial by N²; the parabola is good to about a part in 200.
            whole_chi = chi * gas.count / (gas.count - 1.0)
            expected = {"expected": whole_chi, "expected_error": 0.005 * chi, "source": "virial series to B10"}
        gas.add("g at contact", "g(σ)", (whole, float(values.std(ddof=1) / sqrt(values.size))), "", **expected)


def diffusion(gas: Gas) -> None:
    """Displacement, velocity correlation and diffusion."""
    spread = spreading(gas.reel)
    if spread is None:
        gas.found.remarks.append("frames are not evenly spaced, or too few, so that there is no diffusion")
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
    tau = next((line.value for line in gas.found.lines if line.name == "mean free time"), 0.0)
    expected: dict[str, Any] = {}
    if gas.law is not None and gas.room and gas.packing is not None:
        d = gas.scene.dimension
        chi = theory.contact_value(gas.law, gas.packing, d)
        law = theory.enskog_diffusion(gas.count / gas.room, gas.diameter, gas.kt.mean, gas.mass, chi, d)
        # First Sonine approximation, and collisions that remember: Enskog's D is good to some per cent in a thin gas.
        expected = {
            "expected": law,
            "expected_error": (0.02 + 0.5 * gas.packing) * law,
            "source": "Enskog, approximate",
        }
    end = min(100.0 * tau, 0.5 * float(spread.lags[-1])) if tau else 0.5 * float(spread.lags[-1])
    gas.add("diffusion (Einstein)", "D", spread.diffusion(10.0 * tau, end), "m²/s", **expected)
    if tau and spread.spacing < 0.4 * tau:
        gas.add("diffusion (Green-Kubo)", "D", spread.green_kubo(30.0 * tau), "m²/s", **expected)


def heights(gas: Gas) -> None:
    """Density and temperature with height, under gravity."""
    if not any(gas.scene.gravity):
        return
    tried = gas.tried(["density_profile", "temperature_profile"])
    if len(tried) < 2:
        return
    series = taken(gas.reel, tried)
    density = series["density_profile"]
    assert density.columns is not None  # noqa: S101  # profiles have layers
    mean, error = columns(density.values)
    weight = gas.mass * float(np.linalg.norm(gas.scene.gravity))
    height = gas.kt.mean / weight
    up = ("number density", "1/m²" if gas.scene.dimension == 2 else "1/m³")
    fit = _scale(density.columns, mean, gas)
    law = None if fit is None else fit[1] * np.exp(-density.columns / height)
    gas.found.curves.append(
        Curve("Density profile", ("height", "m"), up, density.columns, mean, error, law, "barometric")
    )
    warm = series["temperature_profile"]
    level, spread = columns(warm.values)
    flat = np.full_like(level, gas.kt.mean)
    gas.found.curves.append(
        Curve("Temperature profile", ("height", "m"), ("k_B T", "J"), density.columns, level, spread, flat, "all balls")
    )
    parts = [_scale(density.columns, part.mean(axis=0), gas) for part in np.array_split(density.values, PARTS)]
    if fit is None or any(part is None for part in parts):
        gas.found.remarks.append("too few balls are in thin layers to fit the barometric law")
        return
    values = np.array([part[0] for part in parts if part is not None])
    # A packing fraction η makes the gas stiffer by the factor 1 + 2^d η: that is the law's own error.
    own = 2.0**gas.scene.dimension * THIN * height * 0.5
    gas.add(
        "scale height", "h", (fit[0], float(values.std(ddof=1) / sqrt(PARTS))), "m",
        expected=height, expected_error=own, source="barometric law, k_B T/(m g)",
    )  # fmt: skip


def _scale(middle: Floats, density: Floats, gas: Gas) -> tuple[float, float] | None:
    """Scale height and density at zero height, fitted to the layers in which the gas is thin and somebody is."""
    d, radius = gas.scene.dimension, 0.5 * gas.diameter
    each = theory.packing_fraction(np.array([radius]), 1.0, d)
    width = middle[1] - middle[0]
    inside = (middle - 0.5 * width >= radius) & (middle + 0.5 * width <= middle[-1] + 0.5 * width - radius)
    thin = inside & (density * each < THIN) & (density > 0.02 * float(density[inside].max(initial=0.0)))
    if thin.sum() < 4:
        return None
    slope, start = np.polyfit(middle[thin], np.log(density[thin]), 1, w=np.sqrt(density[thin]))
    return (-1.0 / slope, float(np.exp(start))) if slope < 0.0 else None
