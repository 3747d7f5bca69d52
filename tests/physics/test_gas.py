"""Statistical mechanics: pressure, collision rate and equipartition of a gas, each within its measured standard error.

A mean over blocks of time is compared with theory; the tolerance is four standard errors of that mean (a false alarm in
16 000 runs, and none in practice, as the seed is fixed) plus the theory's own error where it is an approximation.
"""

import math

import numpy as np
import pytest

from carom import Balls, Simulation, library

pytestmark = pytest.mark.requirement("T-08", "T-19")


def henderson(eta):
    """Z = pV/NkT of hard disks: D. Henderson, Mol. Phys. 30 (1975) 971; good to 0.1 % below η = 0.2."""
    return (1.0 + eta**2 / 8.0) / (1.0 - eta) ** 2


def virial_sum(hits, sigma):
    """Σ r·J over the collisions of equal balls: at contact r is σ along the normal."""
    return sigma * hits["impulse"].sum()


def in_blocks(sim, blocks, duration, measure):
    """The mean of a measure of the collisions in each of so many spells, and the standard error of the mean."""
    values = []
    for _ in range(blocks):
        hits = sim.collide(until=sim.time + duration)
        values.append(measure(hits))
    values = np.array(values)
    return values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(blocks)


def test_pressure_of_a_dilute_gas_on_its_walls():
    """Momentum given to the walls against p = ρ kT (1 + 2η + …); the share of the collisions, 2η, is resolved well."""
    n, eta, mass = 400, 0.04, 0.01
    sim = Simulation(library.load("gas", count=n, packing_fraction=eta, periodic=False, mass=mass, seed=1))
    width, height = sim.scene.boundary.size
    radius = sim.radii[0]
    temperature = sim.kinetic_energy / n  # kT, two degrees of freedom a disk
    sim.run(collisions=20 * n)
    duration = 20.0 * width
    # Centres keep one radius away from the walls: that is the room they have, and the length on which they press.
    inner = (width - 2.0 * radius, height - 2.0 * radius)
    around = 2.0 * (inner[0] + inner[1])

    def pressure(hits):
        return hits["impulse"][hits["kind"] == 2].sum() / (around * duration)

    mean, error = in_blocks(sim, 30, duration, pressure)
    found = mean * inner[0] * inner[1] / (n * temperature)
    error *= inner[0] * inner[1] / (n * temperature)
    # Near a wall, disks are a little denser: a surface term of the second virial coefficient, at most 2η σ/L.
    surface = 2.0 * eta * 2.0 * radius / min(inner)
    room = width * height / (inner[0] * inner[1])
    assert found == pytest.approx(henderson(eta * room), abs=4.0 * error + surface)
    assert error < 0.1 * 2.0 * eta  # sharp enough to tell a gas of disks from an ideal one
    assert surface < 0.1 * 2.0 * eta


@pytest.mark.parametrize("eta", [0.02, 0.15])
def test_pressure_from_the_virial_and_collision_rate_of_enskog(eta):
    """Z = 1 + Σ σJ/(2 N kT t); and the rate 2 ρσ χ √(π kT/m) a disk, χ = (Z - 1)/2η (Chapman and Cowling, ch. 16)."""
    n, mass = 1000, 0.01
    sim = Simulation(library.load("gas", count=n, packing_fraction=eta, mass=mass, seed=2))
    width, height = sim.scene.boundary.size
    sigma = 2.0 * sim.radii[0]
    temperature = sim.kinetic_energy / (n - 1)  # total momentum is zero: two degrees of freedom fewer
    sim.run(collisions=20 * n)
    rate = 2.0 * (n / (width * height)) * sigma * math.sqrt(math.pi * temperature / mass)
    duration = 20.0 / rate

    def measure(hits):
        return virial_sum(hits, sigma) / (2.0 * n * temperature * duration), 2.0 * hits.size / (n * duration)

    (virial, frequency), (virial_error, frequency_error) = in_blocks(sim, 30, duration, measure)
    excess = henderson(eta) - 1.0
    finite = excess * 2.0 / n  # pressure and rate of N disks differ from those of many by about 1/N
    assert virial == pytest.approx(excess, abs=4.0 * virial_error + finite + 1e-3 * excess)
    enskog = rate * excess / (2.0 * eta)
    assert frequency == pytest.approx(enskog, abs=4.0 * frequency_error + finite / excess * enskog + 1e-3 * enskog)
    assert virial_error < 0.01 * excess
    assert frequency_error < 0.01 * enskog


@pytest.mark.requirement("T-13")
def test_equipartition_among_unequal_masses():
    """All energy is given to the light disks; collisions share it out, until a heavy one has as much as a light one."""
    n, ratio = 200, 10.0
    scene = library.load(
        "gas", count=n, packing_fraction=0.2, fraction=0.5, mass_ratio=ratio, radius_ratio=2.0, periodic=False, seed=3
    )
    heavy = scene.balls.mass > scene.balls.mass.min()
    velocity = np.where(heavy[:, None], 0.0, scene.balls.velocity)
    balls = scene.balls
    still = Balls(position=balls.position, velocity=velocity, mass=balls.mass, radius=balls.radius)
    sim = Simulation(scene.replace(balls=still))
    assert 0 < heavy.sum() < n
    mean_energy = sim.kinetic_energy / n
    sim.run(collisions=200 * n)
    shares = []
    for _ in range(300):
        sim.run(collisions=5 * n)
        energy = 0.5 * sim.masses * (sim.velocities**2).sum(axis=1)
        shares.append(energy[heavy].mean() / mean_energy)
    shares = np.array(shares)
    # Blocks of ten samples: far apart in collisions, so that their means are independent.
    blocks = shares.reshape(30, 10).mean(axis=1)
    error = blocks.std(ddof=1) / math.sqrt(blocks.size)
    assert blocks.mean() == pytest.approx(1.0, abs=4.0 * error)
    assert error < 0.02


def test_speeds_become_maxwells():
    """All disks start at one speed; soon v² is distributed exponentially, and <v⁴>/<v²>² goes from 1 to 2."""
    n = 500
    scene = library.load("gas", count=n, packing_fraction=0.1, seed=4)
    angle = np.random.default_rng(4).uniform(0.0, 2.0 * np.pi, n)
    velocity = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    balls = Balls(position=scene.balls.position, velocity=velocity, mass=scene.balls.mass, radius=scene.balls.radius)
    sim = Simulation(scene.replace(balls=balls))
    kurtosis = []
    sim.run(collisions=20 * n)
    for _ in range(200):
        sim.run(collisions=2 * n)
        v2 = (sim.velocities**2).sum(axis=1)
        kurtosis.append((v2**2).mean() / v2.mean() ** 2)
    blocks = np.array(kurtosis).reshape(20, 10).mean(axis=1)
    error = blocks.std(ddof=1) / math.sqrt(blocks.size)
    # Energy is fixed, so that speeds are drawn from a sphere in 2N dimensions: 2 N/(N + 1).
    assert blocks.mean() == pytest.approx(2.0 * n / (n + 1.0), abs=4.0 * error + 2.0 / n)
    assert error < 0.05
