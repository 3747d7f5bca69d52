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
    """Energy may drift by a tenth of an ulp of a ball's energy a collision; gaps and walls hold as time does."""
    n = 100
    sim = Simulation(library.load("gas", count=n, packing_fraction=0.3, seed=20, **parameters))
    energy = sim.kinetic_energy
    overlap, escape = 0.0, 0.0
    for _ in range(100):
        sim.run(collisions=EVENTS // 100)
        overlap, escape = max(overlap, deepest_overlap(sim)), max(escape, deepest_escape(sim))
    drift = sim.kinetic_energy / energy - 1.0
    tell(f"{sim.collisions:.3g} events: energy {drift:+.2e}, overlap {overlap:.2e}, escape {escape:.2e}")
    allowed = 0.1 if not parameters.get("mass_ratio") else 1.0
    assert abs(drift) < allowed * EPS * EVENTS / n + 1e-13
    assert overlap < 1e-9
    assert escape < 1e-12


# B₃/B₂² … B₁₀/B₂⁹ of hard disks: N. Clisby and B. M. McCoy, J. Stat. Phys. 122 (2006) 15-57, table 1.
DISKS = (0.7820044, 0.53223180, 0.33355604, 0.1988425, 0.1148728, 0.0649930, 0.0362193, 0.0199537)


def virial_series(eta):
    """Z of hard disks by ten virial coefficients, and what the terms beyond may add (a geometric series, nearly)."""
    x = 2.0 * eta
    terms = [1.0, x, *(b * x ** (k + 2) for k, b in enumerate(DISKS))]
    ratio = terms[-1] / terms[-2]
    rest = terms[-1] * ratio / (1.0 - ratio)
    return sum(terms) + rest, 0.25 * rest  # the ratio of neighbours changes by less than a quarter over the rest


@pytest.mark.requirement("T-08", "T-19")
@pytest.mark.parametrize("eta", [0.2, 0.3, 0.4, 0.5])
def test_equation_of_state_of_hard_disks(eta, tell):
    """Z = 1 + Σ σJ/(2 N kT t) against the virial series, within four standard errors."""
    n = 2000
    sim = Simulation(library.load("gas", count=n, packing_fraction=eta, seed=21))
    temperature = sim.kinetic_energy / (n - 1)
    sigma = 2.0 * sim.radii[0]
    sim.run(collisions=200 * n)
    values = []
    for _ in range(50):
        start = sim.time
        hits = sim.collide(collisions=100 * n)
        values.append(sigma * hits["impulse"].sum() / (2.0 * n * temperature * (sim.time - start)))
    values = 1.0 + np.array(values)
    error = values.std(ddof=1) / math.sqrt(values.size)
    published, uncertain = virial_series(eta)
    tell(f"η = {eta}: Z = {values.mean():.5f} ± {error:.5f}, published {published:.5f} ± {uncertain:.5f}")
    finite = published * 2.0 / n
    assert values.mean() == pytest.approx(published, abs=4.0 * error + uncertain + finite)
    assert error < 2e-3 * published


@pytest.mark.requirement("T-08", "M-17")
@pytest.mark.parametrize("eta", [0.1, 0.3, 0.45])
def test_equation_of_state_of_hard_spheres(eta, tell):
    """N. F. Carnahan and K. E. Starling, J. Chem. Phys. 51 (1969) 635: good to 0.3 % in the fluid."""
    n = 1000
    sim = Simulation(library.load("gas", count=n, packing_fraction=eta, dimension=3, seed=22))
    temperature = 2.0 * sim.kinetic_energy / (3.0 * (n - 1))
    sigma = 2.0 * sim.radii[0]
    sim.run(collisions=200 * n)
    values = []
    for _ in range(40):
        start = sim.time
        hits = sim.collide(collisions=100 * n)
        values.append(1.0 + sigma * hits["impulse"].sum() / (3.0 * n * temperature * (sim.time - start)))
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    published = (1.0 + eta + eta**2 - eta**3) / (1.0 - eta) ** 3
    tell(f"η = {eta}: Z = {np.mean(values):.5f} ± {error:.5f}, Carnahan and Starling {published:.5f}")
    assert np.mean(values) == pytest.approx(published, abs=4.0 * error + 3e-3 * published + published * 2.0 / n)
