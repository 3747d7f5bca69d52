"""Collision rate, mean free path, diffusion and speeds of gases, against Enskog and Maxwell."""

import math

import numpy as np
import pytest

from carom import Simulation, library
from carom.observe.blocks import estimate
from carom.observe.measures import theory
from carom.observe.measures.speeds import shares
from carom.observe.observable import observable

pytestmark = pytest.mark.requirement("T-08", "T-19")


def gas(**options):
    sim = Simulation(library.load("gas", **options))
    sim.run(collisions=60 * len(sim.scene.balls))
    return sim


def along(sim, names, samples, interval):
    """Samples of several observables at fixed times."""
    each = [observable(name) for name in names]
    for one in each:
        one.begin(sim)
    values = {name: [] for name in names}
    for _ in range(samples):
        rows = sim.collide(until=sim.time + interval)
        for one in each:
            if one.wants_collisions:
                one.collide(rows)
            values[one.name].append(one.sample(sim))
    return values


def known(sim, eta):
    """k_B T, and Enskog's rate for so many balls."""
    count, d = len(sim.scene.balls), sim.scene.dimension
    kt = observable("temperature").sample(sim)
    z = theory.compressibility(eta, d) + theory.finite_size(eta, d, count)
    density = count / float(np.prod(sim.scene.boundary.size))
    chi = theory.contact_value(z, eta, d)
    rate = theory.enskog_rate(density, 2.0 * sim.radii[0], kt, sim.masses[0], chi, d)
    freedom = d * (count - 1)
    return kt, rate * theory.fixed_energy(freedom), chi


@pytest.mark.parametrize(("dimension", "eta"), [(2, 0.05), (2, 0.4), (3, 0.05), (3, 0.3)])
def test_collision_rate_and_mean_free_path_of_enskog(dimension, eta):
    count = 400
    sim = gas(count=count, packing_fraction=eta, dimension=dimension, seed=31)
    kt, rate, _ = known(sim, eta)
    found = along(sim, ["collision_rate", "mean_free_path"], 200, 5.0 / rate)
    measured = estimate(found["collision_rate"])
    own = rate * theory.uncertainty(eta, dimension) / (theory.compressibility(eta, dimension) - 1.0)
    assert measured.mean == pytest.approx(rate, abs=4.0 * measured.error + own)
    assert measured.error < 3e-3 * rate
    speed = theory.thermal_speed(kt, sim.masses[0], dimension) * math.sqrt(1.0 - 1.0 / count)
    path = speed * theory.fixed_energy(dimension * (count - 1)) / rate
    free = estimate(found["mean_free_path"])
    # Means of 1/Γ over intervals of about 1000 collisions: above 1/<Γ> by their relative variance.
    biased = np.var(found["collision_rate"]) / measured.mean**2
    assert free.mean == pytest.approx(path, abs=4.0 * free.error + 2.0 * biased * path + own / rate * path)


def test_few_disks_collide_a_little_more_often_at_fixed_energy():
    """With six disks the factor of a fixed energy, 1 + 1/(4 f), is resolved: 2.5 % of the rate."""
    count, eta = 6, 0.02
    sim = gas(count=count, packing_fraction=eta, seed=32)
    _, rate, _ = known(sim, eta)
    found = estimate(along(sim, ["collision_rate"], 512, 800.0 / rate)["collision_rate"])
    assert found.mean == pytest.approx(rate, abs=4.0 * found.error + 2e-3 * rate)
    assert rate * (1.0 - 1.0 / theory.fixed_energy(2 * (count - 1))) > 4.0 * found.error


@pytest.mark.requirement("T-13")
def test_rates_between_species():
    """Γ_ij = 2 ρ_j σ_ij χ √(2π k_B T/ m_ij) in the plane, m_ij the reduced mass (Chapman and Cowling, ch. 5.2 in 2D).

    χ of a thin mixture by its third virial coefficients is 1 + O(η): at η = 0.005 it is below 1 + 2 η.
    """
    count, eta = 600, 0.005
    sim = gas(count=count, packing_fraction=eta, fraction=0.5, mass_ratio=9.0, seed=33)
    kt = observable("temperature").sample(sim)
    mass = np.unique(sim.masses)[[0, 1]]
    from carom.observe.measures.rates import species  # noqa: PLC0415  # next to its use

    kinds, _ = species(sim.scene)
    order = [float(sim.masses[kinds == k][0]) for k in (0, 1)]
    area = float(np.prod(sim.scene.boundary.size))
    interval = 0.2 * area / (count * 2.0 * sim.radii[0] * math.sqrt(kt / mass[0]))
    found = np.array(along(sim, ["rates_by_species"], 256, interval)["rates_by_species"])
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        reduced = order[i] * order[j] / (order[i] + order[j])
        others = (kinds == j).sum() - (i == j)
        law = 2.0 * others / area * 2.0 * sim.radii[0] * math.sqrt(math.pi * kt / (2.0 * reduced))
        measured = estimate(found[:, i, j])
        assert measured.mean == pytest.approx(law * (1.0 + eta), abs=4.0 * measured.error + 2.0 * eta * law)
        assert measured.error < 0.03 * law


def test_diffusion_of_a_thin_gas():
    """In space at η = 0.01: Enskog's D in first approximation, which is low by 1.9 % (Chapman and Cowling, ch. 14)."""
    count, eta = 1000, 0.01
    sim = gas(count=count, packing_fraction=eta, dimension=3, seed=34)
    kt, rate, chi = known(sim, eta)
    density = count / float(np.prod(sim.scene.boundary.size))
    law = 1.019 * theory.enskog_diffusion(density, 2.0 * sim.radii[0], kt, sim.masses[0], chi, 3)
    slopes = []
    for _ in range(12):
        moved = observable("mean_squared_displacement")
        moved.begin(sim)
        sim.run(until=sim.time + 8.0 / rate)
        before = moved.sample(sim)
        sim.run(until=sim.time + 12.0 / rate)
        slopes.append((moved.sample(sim) - before) * rate / (12.0 * 6.0))
    found = estimate(slopes)
    error = np.std(slopes, ddof=1) / math.sqrt(len(slopes))
    assert found.mean == pytest.approx(law, abs=4.0 * error + 0.01 * law)
    assert error < 0.02 * law


def test_velocities_are_forgotten_at_the_rate_of_enskog():
    """C_v falls off as e^(-t/τ_v) in a thin gas, with τ_v = m D/k_B T; after τ_v it is 1/e to some per cent."""
    count, eta = 2000, 0.01
    sim = gas(count=count, packing_fraction=eta, dimension=3, seed=35)
    kt, _, chi = known(sim, eta)
    density = count / float(np.prod(sim.scene.boundary.size))
    memory = sim.masses[0] * theory.enskog_diffusion(density, 2.0 * sim.radii[0], kt, sim.masses[0], chi, 3) / kt
    values = []
    for _ in range(10):
        kept = observable("velocity_autocorrelation")
        kept.begin(sim)
        sim.run(until=sim.time + memory)
        values.append(kept.sample(sim))
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    assert np.mean(values) == pytest.approx(math.exp(-1.0), abs=4.0 * error + 0.02)
    assert error < 0.01


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("count", [4, 300])
def test_speeds_have_their_exact_law(dimension, count):
    """Kolmogorov and Smirnov, of speeds taken far apart: independent samples, and a false alarm in a thousand.

    Of each frame one ball is taken, as the speeds of a frame know of each other: their energies add up.
    """
    sim = gas(count=count, packing_fraction=0.1, dimension=dimension, seed=36)
    frames = 1500
    values = []
    for k in range(frames):
        sim.run(collisions=6 * count)  # twelve collisions a ball
        values.append(shares(sim)[k % count])
    distance = theory.kolmogorov(np.array(values))
    assert theory.kolmogorov_probability(distance, frames) > 1e-3


def test_few_balls_are_not_maxwells():
    """With four disks, Maxwell's own law is refused by the same test that the exact law passes."""
    sim = gas(count=4, packing_fraction=0.1, seed=37)
    kt = observable("temperature").sample(sim)
    speeds = []
    for k in range(1500):
        sim.run(collisions=24)
        speeds.append(float(np.linalg.norm(sim.velocities[k % 4])))
    maxwell = theory.maxwell_share(np.array(speeds), kt, float(sim.masses[0]), 2)
    assert theory.kolmogorov_probability(theory.kolmogorov(maxwell), len(speeds)) < 1e-3
