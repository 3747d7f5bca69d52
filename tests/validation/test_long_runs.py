"""Long runs: what is left of energy, momentum, gaps and walls after very many events, and the equation of state.

`make validate` runs them; CAROM_EVENTS sets the number of collisions (1e8 if it is not given; 1e9 takes some ten
minutes).
"""

import math
import os
import sys

import numpy as np
import pytest

from carom import Simulation, library

pytestmark = pytest.mark.slow

EPS = np.finfo(float).eps
EVENTS = int(float(os.environ.get("CAROM_EVENTS", "1e8")))


@pytest.fixture
def tell(capsys):
    """Write a line of figures to the terminal, past pytest's capture."""

    def line(text):
        with capsys.disabled():
            sys.stdout.write(f"\n{text}\n")

    return line


def deepest_overlap(sim):
    """The largest overlap of two balls, in contact distances."""
    d = sim.positions[:, None, :] - sim.positions[None, :, :]
    box = sim.scene.boundary
    for axis, size in enumerate(box.size):
        if box.periodic[axis]:
            d[..., axis] -= np.round(d[..., axis] / size) * size
    distance = np.sqrt((d**2).sum(axis=2)) + 1e9 * np.eye(len(d))
    return float((1.0 - distance / (sim.radii[:, None] + sim.radii[None, :])).max())


def deepest_escape(sim):
    """How far the deepest ball is inside a wall of the box, in sizes of the box."""
    box = sim.scene.boundary
    size = np.array(box.size)
    low = (sim.radii[:, None] - sim.positions) / size
    high = (sim.positions + sim.radii[:, None] - size) / size
    hard = ~np.array(box.periodic)
    return float(np.maximum(low, high)[:, hard].max(initial=-np.inf))


def blur_of_time(sim):
    """How far the fastest ball flies within the rounding of the time at which one looks, in sizes of the box."""
    return float(np.spacing(sim.time) * np.abs(sim.velocities).max() / min(sim.scene.boundary.size))


@pytest.mark.requirement("T-08", "B-03")
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"periodic": False},
        {"periodic": False, "fraction": 0.5, "mass_ratio": 3.0, "radius_ratio": 1.5},
        {"dimension": 3},
    ],
    ids=["periodic", "walls", "mixture", "space"],
)
def test_precision_after_very_many_events(parameters, tell):
    """Energy may drift by a tenth of an ulp of a ball's energy a collision; gaps and walls hold as time does.

    One looks at an absolute time, which is rounded the more the longer a run has gone on; the run itself is not.
    """
    n = 100
    sim = Simulation(library.load("gas", count=n, packing_fraction=0.3, seed=20, **parameters))
    energy = sim.kinetic_energy
    overlap, escape = 0.0, 0.0
    for _ in range(100):
        sim.run(collisions=EVENTS // 100)
        overlap, escape = max(overlap, deepest_overlap(sim)), max(escape, deepest_escape(sim) - blur_of_time(sim))
    drift = sim.kinetic_energy / energy - 1.0
    tell(f"{sim.collisions:.3g} events: energy {drift:+.2e}, overlap {overlap:.2e}, escape {escape:.2e}")
    allowed = 0.1 if not parameters.get("mass_ratio") else 1.0
    assert abs(drift) < allowed * EPS * EVENTS / n + 1e-13
    assert overlap < 1e-9
    assert escape < 1e-13


# B₃/B₂² … B₁₀/B₂⁹ of hard disks and spheres: N. Clisby and B. M. McCoy, J. Stat. Phys. 122 (2006) 15-57, table 1.
DISKS = (0.7820044, 0.53223180, 0.33355604, 0.1988425, 0.1148728, 0.0649930, 0.0362193, 0.0199537)
SPHERES = (0.625, 0.2869495, 0.110252, 0.03888198, 0.01302354, 0.0041832, 0.0013094, 0.0004035)


def virial_series(eta):
    """Z of hard disks by ten virial coefficients, and what the terms beyond may add (a geometric series, nearly)."""
    x = 2.0 * eta
    terms = [1.0, x, *(b * x ** (k + 2) for k, b in enumerate(DISKS))]
    ratio = terms[-1] / terms[-2]
    rest = terms[-1] * ratio / (1.0 - ratio)
    return sum(terms) + rest, 0.25 * rest  # the ratio of neighbours changes by less than a quarter over the rest


def kolafa(eta):
    """Z of hard spheres by J. Kolafa's formula (in T. Boublík, Mol. Phys. 59 (1986) 371), and how far it may be off.

    Its own virial coefficients, 4, 10, 18.33, 28.33, 40, 53.33, …, are held against the known ones. The difference
    grows fourfold from the eighth to the ninth and threefold to the tenth: ever more slowly. Beyond, it is taken to
    double from each to the next.
    """
    z = (1.0 + eta + eta**2 - 2.0 / 3.0 * eta**3 * (1.0 + eta)) / (1.0 - eta) ** 3
    top = (1.0, 1.0, 1.0, -2.0 / 3.0, -2.0 / 3.0)
    cubed = [(k + 1) * (k + 2) / 2 for k in range(10)]  # of 1/(1 - η)³
    own = [sum(a * cubed[k - j] for j, a in enumerate(top[: k + 1])) for k in range(10)]
    known = [1.0, 4.0, *(b * 4.0 ** (k + 2) for k, b in enumerate(SPHERES))]
    off = [(b - c) * eta**k for k, (b, c) in enumerate(zip(known, own, strict=True))]
    return z, abs(sum(off)) + abs(off[-1]) * 2.0 * eta / (1.0 - 2.0 * eta)


def in_a_finite_system(equation, eta, n):
    """Z of n balls in periodic space, from Z(η) of a large system: Z + η/(2n) d ln S/dη, where 1/S = d(ηZ)/dη.

    The free energy of a system with n fixed exceeds that of one where n fluctuates by kT/2 ln(2π n S) (J. L. Lebowitz
    and J. K. Percus, Phys. Rev. 122 (1961) 1675); its derivative by the volume is this. To first order in η it turns n²
    pairs into n(n - 1). That the momentum is fixed is in the temperature: (n - 1) balls share the energy.
    """
    h = 1e-3

    def stiffness(x):
        return ((x + h) * equation(x + h) - (x - h) * equation(x - h)) / (2.0 * h)

    return equation(eta) - eta / (2.0 * n) * math.log(stiffness(eta + h) / stiffness(eta - h)) / (2.0 * h)


def compressibility(sim, blocks):
    """Z = 1 + Σ σJ/(d N kT t) by the virial theorem, with its standard error, from blocks of 100 collisions a ball."""
    n, d = len(sim.masses), sim.scene.dimension
    temperature = 2.0 * sim.kinetic_energy / (d * (n - 1))
    sigma = 2.0 * sim.radii[0]
    sim.run(collisions=200 * n)
    values = []
    for _ in range(blocks):
        start = sim.time
        hits = sim.collide(collisions=100 * n)
        values.append(1.0 + sigma * hits["impulse"].sum() / (d * n * temperature * (sim.time - start)))
    return np.mean(values), np.std(values, ddof=1) / math.sqrt(blocks)


@pytest.mark.requirement("T-08", "T-19")
@pytest.mark.parametrize("eta", [0.2, 0.3, 0.4, 0.5])
def test_equation_of_state_of_hard_disks(eta, tell):
    """Against the virial series, within four standard errors."""
    n = 2000
    z, error = compressibility(Simulation(library.load("gas", count=n, packing_fraction=eta, seed=21)), 50)
    published = in_a_finite_system(lambda x: virial_series(x)[0], eta, n)
    uncertain = virial_series(eta)[1]
    tell(f"η = {eta}: Z = {z:.5f} ± {error:.5f}, published {published:.5f} ± {uncertain:.5f}")
    assert z == pytest.approx(published, abs=4.0 * error + uncertain)
    assert error < 1e-3 * published


@pytest.mark.requirement("T-08", "M-17")
@pytest.mark.parametrize("eta", [0.1, 0.3, 0.4, 0.45])
def test_equation_of_state_of_hard_spheres(eta, tell):
    """Against Kolafa's formula, within four standard errors.

    The run tells it from the better known one of N. F. Carnahan and K. E. Starling (J. Chem. Phys. 51 (1969) 635),
    which is 0.26 % lower at η = 0.3.
    """
    n = 1000
    z, error = compressibility(Simulation(library.load("gas", count=n, packing_fraction=eta, dimension=3, seed=22)), 40)
    published = in_a_finite_system(lambda x: kolafa(x)[0], eta, n)
    uncertain = kolafa(eta)[1]
    tell(f"η = {eta}: Z = {z:.5f} ± {error:.5f}, published {published:.5f} ± {uncertain:.5f}")
    assert z == pytest.approx(published, abs=4.0 * error + uncertain)
    assert error < 1e-3 * published
    assert uncertain < 2e-3 * published
