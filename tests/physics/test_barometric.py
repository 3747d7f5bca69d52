"""A gas under gravity: density falls off with height by the barometric law, temperature does not."""

import math

import numpy as np
import pytest

from carom import Simulation, library
from carom.observe.measures import theory
from carom.observe.observable import observable

pytestmark = pytest.mark.requirement("T-08", "T-19")


@pytest.mark.parametrize("dimension", [2, 3])
def test_barometric_law(dimension):
    """Counts in layers against the law of a nearly ideal gas, corrected to first order in density.

    In equilibrium ln ρ + 2^d η(y) + y/h is the same at all heights (the chemical potential; η = packing fraction), with
    h = k_B T/(m g). Layers are compared by their means over blocks; 4.5 standard errors, and second order in η.
    """
    radius = 0.0005 if dimension == 2 else 0.003
    options = {"count": 400, "dimension": dimension, "radius": radius, "seed": 41}
    sim = Simulation(library.load("gas-under-gravity", **options))
    sim.run(collisions=20_000)
    density, heat = observable("density_profile"), observable("temperature")
    density.begin(sim)
    profile, kt = [], []
    for _ in range(600):
        sim.run(until=sim.time + 0.05)
        profile.append(density.sample(sim))
        kt.append(heat.sample(sim))
    h = theory.barometric_height(float(np.mean(kt)), sim.masses[0], 9.81)
    height = density.columns()
    width = height[1] - height[0]
    layers = slice(1, int(3.2 * h / width))  # density falls by a factor of twenty; without the layer at the floor
    blocks = np.array(profile).reshape(20, 30, -1).mean(axis=1)
    mean, error = blocks.mean(axis=0), blocks.std(axis=0, ddof=1) / math.sqrt(20.0)
    each = theory.packing_fraction(np.array([radius]), 1.0, dimension)
    eta = mean * each
    assert eta.max() < 0.05
    potential = np.log(mean[layers]) + 2.0**dimension * eta[layers] + height[layers] / h
    spread = error[layers] / mean[layers]
    weights = 1.0 / spread**2
    level = (weights * potential).sum() / weights.sum()
    second = 10.0 * float(eta.max()) ** 2
    assert (np.abs(potential - level) < 4.5 * spread + second).all()
    assert np.median(spread) < 0.05
    assert potential.size > 8


def test_temperature_is_the_same_at_all_heights():
    """<m v²>/d of the lower and of the upper half of the balls; four standard errors."""
    sim = Simulation(library.load("gas-under-gravity", count=400, radius=0.0005, seed=42))
    sim.run(collisions=20_000)
    low, high = [], []
    for _ in range(400):
        sim.run(until=sim.time + 0.1)
        order = np.argsort(sim.positions[:, 1])
        energy = 0.5 * sim.masses * (sim.velocities**2).sum(axis=1)
        low.append(energy[order[:200]].mean())
        high.append(energy[order[200:]].mean())
    difference = (np.array(low) - np.array(high)).reshape(20, 20).mean(axis=1)
    error = difference.std(ddof=1) / math.sqrt(20.0)
    assert abs(difference.mean()) < 4.0 * error
    assert error < 0.02 * np.mean(low)
