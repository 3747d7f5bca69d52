"""Claims on gases of hard disks and balls, each within its standard error. Run by tools/proof.py."""

import math
from collections.abc import Callable

import numpy as np

from carom import Balls, Simulation, library
from carom.observe.blocks import estimate
from carom.observe.measures import theory
from carom.observe.measures.speeds import shares
from carom.observe.observable import observable
from proof_claim import SIGMAS, Found, claim, mean, power

STATE = "Gases: the equation of state"
COLLISIONS = 3_000_000  # for each pressure
MOTION = "Gases: speeds, collisions, diffusion, heights"


def of(law: Callable[[int, float], Found], dimension: int, eta: float) -> Callable[[], Found]:
    """A measurement for one dimension and packing fraction."""

    def measure() -> Found:
        return law(dimension, eta)

    return measure


def settled(**options: float) -> Simulation:
    """A gas in equilibrium."""
    sim = Simulation(library.load("gas", **options))
    return sim.run(collisions=60 * len(sim.scene.balls))


def pressure(dimension: int, count: int, eta: float, expected: float, own: float) -> Found:
    """Z of a periodic gas from the impulses of its collisions, compared with a published value."""
    sim = settled(count=count, packing_fraction=eta, dimension=dimension, seed=21)
    begin, met = sim.time, sim.collisions
    sim.run(collisions=20 * count)
    interval = (sim.time - begin) / (sim.collisions - met) * COLLISIONS / 256
    each = observable("compressibility")
    each.begin(sim)
    values = []
    for _ in range(256):
        each.collide(sim.collide(until=sim.time + interval))
        values.append(float(each.sample(sim)))
    return mean(estimate(values), expected, own)


def by_series(dimension: int, eta: float) -> Found:
    """500 balls compared with ten virial coefficients, corrected for finite size."""
    law = theory.compressibility(eta, dimension) + theory.finite_size(eta, dimension, 500)
    return pressure(dimension, 500, eta, law, theory.uncertainty(eta, dimension))


for _dimension, _eta in ((2, 0.2), (2, 0.4), (2, 0.6), (3, 0.2), (3, 0.4)):
    _law = theory.compressibility(_eta, _dimension) + theory.finite_size(_eta, _dimension, 500)
    claim(
        STATE,
        f"Pressure of 500 hard {'disks' if _dimension == 2 else 'balls'}, η = {_eta:g}",
        f"Z = {_law:.4f}, ten virial coefficients (Clisby and McCoy 2006), for N = 500 (Lebowitz and Percus 1961)",
        "physics/test_equation_of_state.py::test_pressure_of_the_fluid",
    )(of(by_series, _dimension, _eta))


@claim(
    STATE,
    "Pressure of 72 disks near freezing, η = 0.65",
    "Z = 8.3386, event-chain Monte Carlo of as many disks (Li and others 2022); the virial series is too high there",
    "physics/test_equation_of_state.py::test_dense_disks_against_published_pressures",
)
def dense() -> Found:
    """The published β p (2R)² is 6.901074 ± 0.000071."""
    factor = math.pi / (4.0 * 0.65)
    return pressure(2, 72, 0.65, 6.901074 * factor, 7.1e-5 * factor)


@claim(
    STATE,
    "Pressure on the walls of a thin gas, N = 400, η = 0.04",
    "p A/(N k_B T) = 1.0853: Z of Henderson (1975), less what the surface holds, (32/3π) ησ/L of N, and 2η/N",
    "physics/test_gas.py::test_pressure_of_a_dilute_gas_on_its_walls",
)
def on_walls() -> Found:
    """Momentum given to the walls, where A is the room of the centres.

    A disk at the wall shuts others out of a smaller area: by the part of a circle of radius σ that is beyond the wall,
    (2/3) σ³ in all. To first order that makes the surface denser by (2/3) ρ² σ³ a metre, and the bulk thinner.
    """
    n, eta = 400, 0.04
    sim = settled(count=n, packing_fraction=eta, periodic=False, seed=1)
    size = np.array(sim.scene.boundary.size)  # type: ignore[attr-defined]  # a gas is in a box
    inner = size - 2.0 * sim.radii[0]
    kt, duration = sim.kinetic_energy / n, 20.0 * float(size[0])
    values = []
    for _ in range(40):
        hits = sim.collide(until=sim.time + duration)
        blow = hits["impulse"][hits["kind"] == 2].sum()
        values.append(blow / (2.0 * inner.sum() * duration) * inner.prod() / (n * kt))
    filled = eta * float(size.prod() / inner.prod())
    bulk = 1.0 - 32.0 / (3.0 * math.pi) * filled * 2.0 * float(sim.radii[0] / inner.mean())
    own = 5.0 * filled * (1.0 - bulk)  # the next order
    return mean(estimate(values), bulk * theory.henderson(filled * bulk) - 2.0 * filled / n, own)


# Motion.


@claim(
    MOTION,
    "However they start, speeds become Maxwell's: all disks began at one speed",
    "⟨v⁴⟩/⟨v²⟩² = 2N/(N + 1) = 1.996 for N = 500 (it was 1)",
    "physics/test_gas.py::test_speeds_become_maxwells",
)
def maxwell() -> Found:
    """At a fixed energy."""
    n = 500
    scene = library.load("gas", count=n, packing_fraction=0.1, seed=4)
    angle = np.random.default_rng(4).uniform(0.0, 2.0 * np.pi, n)
    b, velocity = scene.balls, np.stack([np.cos(angle), np.sin(angle)], axis=1)
    balls = Balls(position=b.position, velocity=velocity, mass=b.mass, radius=b.radius)
    sim = Simulation(scene.replace(balls=balls)).run(collisions=20 * n)
    values = []
    for _ in range(256):
        v2 = (sim.run(collisions=2 * n).velocities ** 2).sum(axis=1)
        values.append(float((v2**2).mean() / v2.mean() ** 2))
    return mean(estimate(values), 2.0 * n / (n + 1.0), 0.5 / n)


@claim(
    MOTION,
    "Speeds of few balls have their own law, evenly on the sphere of their energy",
    "4 disks, 1500 samples: Kolmogorov and Smirnov's P of the exact law above 0.001; of Maxwell's below",
    "physics/test_kinetic_theory.py::test_speeds_have_their_exact_law",
)
def few() -> Found:
    """P-values of both laws."""
    sim = settled(count=4, packing_fraction=0.1, seed=36)
    kt = float(observable("temperature").sample(sim))
    exact, speeds = [], []
    for k in range(1500):
        sim.run(collisions=24)
        exact.append(shares(sim)[k % 4])
        speeds.append(float(np.linalg.norm(sim.velocities[k % 4])))
    right = theory.kolmogorov_probability(theory.kolmogorov(np.array(exact)), 1500)
    share = theory.maxwell_share(np.array(speeds), kt, float(sim.masses[0]), 2)
    wrong = theory.kolmogorov_probability(theory.kolmogorov(share), 1500)
    return Found(f"P = {right:.2f}; Maxwell's {power(wrong)}", float(right < 1e-3 or wrong > 1e-3), 0.0)


@claim(
    MOTION,
    "Equipartition: a heavy disk has as much energy as a light one",
    "share of the mean energy 1; masses 1 : 10, all energy began with the light ones",
    "physics/test_gas.py::test_equipartition_among_unequal_masses",
)
def shared_out() -> Found:
    """200 disks, half of them heavy."""
    n = 200
    options = {"packing_fraction": 0.2, "fraction": 0.5, "mass_ratio": 10.0, "radius_ratio": 2.0}
    scene = library.load("gas", count=n, periodic=False, seed=3, **options)
    b = scene.balls
    heavy = b.mass > b.mass.min()
    still = b.replace(velocity=np.where(heavy[:, None], 0.0, b.velocity))
    sim = Simulation(scene.replace(balls=still)).run(collisions=200 * n)
    each = sim.kinetic_energy / n
    values = []
    for _ in range(512):
        energy = 0.5 * sim.masses * (sim.run(collisions=5 * n).velocities ** 2).sum(axis=1)
        values.append(float(energy[heavy].mean()) / each)
    return mean(estimate(values), 1.0)


def kinetic_state(sim: Simulation, eta: float, z: float) -> tuple[float, float, float]:
    """k_B T, number density, and the contact value of the pair distribution, from the compressibility z."""
    density = len(sim.masses) / float(np.prod(sim.scene.boundary.size))  # type: ignore[attr-defined]  # a gas is in a box
    chi = theory.contact_value(z, eta, sim.scene.dimension)
    return float(observable("temperature").sample(sim)), density, chi


def enskog(dimension: int, eta: float) -> Found:
    """Rate of collisions of a ball in a gas of 400, over that of Enskog."""
    count = 400
    sim = settled(count=count, packing_fraction=eta, dimension=dimension, seed=31)
    z = theory.compressibility(eta, dimension) + theory.finite_size(eta, dimension, count)
    kt, density, chi = kinetic_state(sim, eta, z)
    law = theory.enskog_rate(density, 2.0 * sim.radii[0], kt, sim.masses[0], chi, dimension)
    law *= theory.fixed_energy(dimension * (count - 1))
    rate = observable("collision_rate")
    rate.begin(sim)
    values = []
    for _ in range(256):
        rate.collide(sim.collide(until=sim.time + 5.0 / law))
        values.append(float(rate.sample(sim)) / law)
    own = theory.uncertainty(eta, dimension) / (theory.compressibility(eta, dimension) - 1.0)
    return mean(estimate(values), 1.0, own)


for _dimension, _eta in ((2, 0.05), (2, 0.4), (3, 0.3)):
    claim(
        MOTION,
        f"Rate of collisions in a gas of {'disks' if _dimension == 2 else 'balls'}, η = {_eta:g}",
        f"Γ over Enskog's, {'2ρσχ' if _dimension == 2 else '4ρσ²χ'} √(πk_BT/m): 1 (Chapman and Cowling, ch. 16)",
        "physics/test_kinetic_theory.py::test_collision_rate_and_mean_free_path_of_enskog",
    )(of(enskog, _dimension, _eta))


@claim(
    MOTION,
    "Diffusion in a thin gas of balls, η = 0.01",
    "D over 1.019 × Enskog's first approximation: 1, within 1 % (Chapman and Cowling, ch. 14)",
    "physics/test_kinetic_theory.py::test_diffusion_of_a_thin_gas",
)
def diffusion() -> Found:
    """From the mean squared displacement."""
    count, eta = 1000, 0.01
    sim = settled(count=count, packing_fraction=eta, dimension=3, seed=34)
    kt, density, chi = kinetic_state(sim, eta, theory.compressibility(eta, 3))
    rate = theory.enskog_rate(density, 2.0 * sim.radii[0], kt, sim.masses[0], chi, 3)
    law = 1.019 * theory.enskog_diffusion(density, 2.0 * sim.radii[0], kt, sim.masses[0], chi, 3)
    values = []
    for _ in range(16):
        moved = observable("mean_squared_displacement")
        moved.begin(sim)
        before = moved.sample(sim.run(until=sim.time + 8.0 / rate))
        after = moved.sample(sim.run(until=sim.time + 12.0 / rate))
        values.append(float(after - before) * rate / 72.0 / law)
    return mean(estimate(values), 1.0, 0.01)


@claim(
    MOTION,
    "Velocities are forgotten in a thin gas of balls, η = 0.01",
    "C_v = 1/e = 0.368 after τ = m D/k_B T, within 0.02",
    "physics/test_kinetic_theory.py::test_velocities_are_forgotten_at_the_rate_of_enskog",
)
def memory() -> Found:
    """Autocorrelation of 2000 balls, ten times."""
    count, eta = 2000, 0.01
    sim = settled(count=count, packing_fraction=eta, dimension=3, seed=35)
    kt, density, chi = kinetic_state(sim, eta, theory.compressibility(eta, 3))
    mass = float(sim.masses[0])
    span = mass * theory.enskog_diffusion(density, 2.0 * sim.radii[0], kt, mass, chi, 3) / kt
    values = []
    for _ in range(10):
        kept = observable("velocity_autocorrelation")
        kept.begin(sim)
        values.append(float(kept.sample(sim.run(until=sim.time + span))))
    return mean(estimate(values), math.exp(-1.0), 0.02 / SIGMAS)


@claim(
    MOTION,
    "The barometric law: density falls with height, k_B T/(m g) to a factor of e",
    "measured over expected scale height, with the room that disks take: 1",
    "physics/test_barometric.py::test_barometric_law",
)
def barometer() -> Found:
    """A line through ln ρ + 4η over the height, from 20 stretches of time."""
    sim = Simulation(library.load("gas-under-gravity", count=400, radius=0.0005, seed=41)).run(collisions=20_000)
    density, heat = observable("density_profile"), observable("temperature")
    density.begin(sim)
    profile, kt = [], []
    for _ in range(600):
        sim.run(until=sim.time + 0.05)
        profile.append(density.sample(sim))
        kt.append(float(heat.sample(sim)))
    h = theory.barometric_height(float(np.mean(kt)), float(sim.masses[0]), 9.81)
    height = np.asarray(density.columns())
    layers = slice(1, int(2.5 * h / (height[1] - height[0])))
    values = []
    for block in np.array(profile).reshape(20, 30, -1).mean(axis=1):
        y, rho = height[layers], block[layers]
        slope = np.polyfit(y, np.log(rho) + 4.0 * rho * math.pi * 0.0005**2, 1, w=np.sqrt(rho))[0]
        values.append(-slope * h)
    return mean(estimate(values), 1.0, 0.003)


@claim(
    MOTION,
    "Temperature is the same at all heights",
    "energy of the upper half of the balls over that of the lower half: 1",
    "physics/test_barometric.py::test_temperature_is_the_same_at_all_heights",
)
def alike() -> Found:
    """At 400 instants."""
    sim = Simulation(library.load("gas-under-gravity", count=400, radius=0.0005, seed=42)).run(collisions=20_000)
    values = []
    for _ in range(400):
        sim.run(until=sim.time + 0.1)
        order = np.argsort(sim.positions[:, 1])
        energy = (sim.velocities**2).sum(axis=1)
        values.append(float(energy[order[200:]].mean() / energy[order[:200]].mean()))
    return mean(estimate(values), 1.0, 0.002)
