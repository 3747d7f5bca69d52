"""Kinetics of a gas: pressure and rates from its collisions, and the distribution of its speeds."""

from __future__ import annotations

from dataclasses import replace
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.analysis.frame_sequence import sample_observables
from carom.analysis.gas_state import GasState
from carom.analysis.measure import Curve
from carom.errors import InputError
from carom.observe.blocks import Estimate, columns, estimate
from carom.observe.measures import theory
from carom.observe.measures.rates import RatesByKind, species
from carom.observe.measures.speeds import shares as shares_of
from carom.observe.observable import observable

Floats = NDArray[np.float64]


def collisions(gas: GasState) -> None:
    """Add pressure and rates, from the collisions between frames."""
    if gas.recording.collisions is None:
        gas.found.remarks.append("collisions were not recorded, so that there is no pressure and no rate")
        return
    wanted = ["collision_rate", "rates_by_kind", "mean_speed"]
    if not any(gas.scene.gravity):  # with gravity, pressure varies with height
        wanted += ["compressibility", "virial_pressure", "wall_pressure"]
    series = sample_observables(gas.frames, gas.measurable(wanted))
    weights = np.diff(gas.frames.times)

    def mean(name: str) -> Estimate:
        return estimate(series[name].values[1:], weights)

    d, eta, z = gas.scene.dimension, gas.packing, gas.law
    expected: dict[str, Any] = {}
    if z is not None and eta is not None:
        expected = {"expected": z, "expected_error": theory.uncertainty(eta, d), "source": "virial series to B10"}
    unit = "N/m" if d == 2 else "Pa"
    if "compressibility" in series:
        gas.add("compressibility", "Z = pV/NkT", mean("compressibility"), "", **expected)
        gas.add("pressure from the virial", "p", mean("virial_pressure"), unit)
    if "wall_pressure" in series:
        gas.add("pressure on the walls", "p", mean("wall_pressure"), unit)
    rate = mean("collision_rate")
    law = _enskog(gas)
    gas.add("collision rate", "Γ", rate, "1/s", **law)
    if rate.mean > 0.0:
        free = replace(rate, mean=1.0 / rate.mean, error=rate.error / rate.mean**2)
        gas.add("mean free time", "τ", free, "s")
        speed = estimate(series["mean_speed"].values)
        path = speed.mean / rate.mean
        error = path * hypot(rate.error / rate.mean, speed.error / speed.mean)
        settled = rate.settled and speed.settled
        gas.add("mean free path", "ℓ", (path, error), "m", settled=settled, **_free_path(gas, law))
    for name, values in zip(RatesByKind.labels, series["rates_by_kind"].values[1:].T, strict=True):
        kind = estimate(values, weights)
        if kind.mean > 0.0:
            gas.add(f"collisions {name}", "n/t", kind, "1/s")
    _species(gas, weights)


def _enskog(gas: GasState) -> dict[str, Any]:
    """The collision rate by theory, as arguments of a line."""
    eta, z = gas.packing, gas.law
    if z is None or not gas.room or eta is None:
        return {}
    d = gas.scene.dimension
    chi = theory.contact_value(z, eta, d)
    law = theory.enskog_rate(gas.count / gas.room, gas.diameter, gas.kt.mean, gas.mass, chi, d)
    law *= theory.fixed_energy(gas.freedom)
    return {"expected": law, "expected_error": law * theory.uncertainty(eta, d) / (z - 1.0), "source": "Enskog"}


def _free_path(gas: GasState, law: dict[str, Any]) -> dict[str, Any]:
    """The mean free path by theory: Maxwell's mean speed over Enskog's rate, for N balls with zero momentum."""
    if not law:
        return {}
    speed = theory.thermal_speed(gas.kt.mean, gas.mass, gas.scene.dimension) * sqrt(1.0 - 1.0 / gas.count)
    path = speed * theory.fixed_energy(gas.freedom) / law["expected"]
    return {"expected": path, "expected_error": path * law["expected_error"] / law["expected"], "source": "Enskog"}


def _species(gas: GasState, weights: Floats) -> None:
    """Add the rates between species, if there are several."""
    try:
        _, many = species(gas.scene)
    except InputError:
        return
    if many < 2:
        return
    series = sample_observables(gas.frames, [observable("rates_by_species")])["rates_by_species"]
    for one in range(many):
        for other in range(many):
            pair = estimate(series.values[1:, one, other], weights)
            if pair.mean > 0.0:
                gas.add(f"rate of species {one} with {other}", f"Γ_{one}{other}", pair, "1/s")


def speeds(gas: GasState) -> None:
    """Compare the speeds of all frames with the exact law."""
    shares, counts = [], []
    histogram = observable("speeds")
    for k, frame in enumerate(gas.frames):
        if k == 0:
            histogram.begin(frame)
        shares.append(shares_of(frame))
        counts.append(histogram.sample(frame))
    sizes = {len(each) for each in shares}
    if len(sizes) > 1:
        gas.found.remarks.append("balls come or go, so that speeds are not compared with their law")
    if sizes == {0} or len(sizes) > 1:
        return
    table = np.array(shares)
    inefficiency = correlated(table - 0.5)
    independent = table.size / inefficiency
    distance = theory.kolmogorov(table.ravel())
    chance = theory.kolmogorov_probability(distance, independent)
    gas.add(
        "distance from Maxwell", "D", (distance, 0.0), "",
        source=f"Kolmogorov-Smirnov: p = {chance:.2g} with {independent:,.0f} independent speeds",
    )  # fmt: skip
    density, error = columns(np.array(counts))
    middle = histogram.columns()
    masses = gas.recording.masses[~gas.scene.balls.fixed]
    assert middle is not None  # noqa: S101  # speeds have bins
    law = mixture(middle, gas.kt.mean, masses, gas.scene.dimension) if gas.elastic else None
    gas.found.curves.append(
        Curve("Speeds", ("speed", "m/s"), ("density", "s/m"), middle, density, error, law, "Maxwell")
    )


def mixture(speed: Floats, kt: float, masses: Floats, dimension: int) -> Floats:
    """Maxwell's density of speeds for a mixture of masses, s/m."""
    kinds, counts = np.unique(masses, return_counts=True)
    if kinds.size > 64:
        kinds, counts = np.quantile(masses, (np.arange(64) + 0.5) / 64), np.ones(64, dtype=np.intp)
    each = [n * theory.maxwell_density(speed, kt, float(m), dimension) for m, n in zip(kinds, counts, strict=True)]
    return np.asarray(np.sum(each, axis=0) / counts.sum())


def correlated(table: Floats) -> float:
    """The statistical inefficiency of frames: 1 + 2 Σ C(k), where the sum ends as C falls below 0.05."""
    variance, total = float((table**2).mean()), 1.0
    for lag in range(1, len(table) // 2):
        share = float((table[lag:] * table[:-lag]).mean()) / variance
        if share < 0.05:
            break
        total += 2.0 * share
    return total
