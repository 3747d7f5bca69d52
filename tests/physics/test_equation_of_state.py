"""The equation of state of hard disks and hard balls, measured in seconds; the long version is in tests/validation.

The tolerance is four standard errors of the measurement (by blocking) and the stated uncertainty of the reference.
"""

import math

import pytest

from carom import Simulation, library
from carom.observe.blocks import estimate
from carom.observe.measures import theory
from carom.observe.observable import observable

pytestmark = pytest.mark.requirement("T-08", "T-19", "M-15")


def compressibility(dimension, count, eta, collisions, seed):
    """Z of a periodic gas, by the observable, at fixed times."""
    options = {"count": count, "packing_fraction": eta, "dimension": dimension, "seed": seed}
    sim = Simulation(library.load("gas", **options))
    sim.run(collisions=60 * count)
    begin, met = sim.time, sim.collisions
    sim.run(collisions=20 * count)
    samples = 256
    interval = (sim.time - begin) / (sim.collisions - met) * collisions / samples
    each = observable("compressibility")
    each.begin(sim)
    values = []
    for _ in range(samples):
        each.collide(sim.collide(until=sim.time + interval))
        values.append(each.sample(sim))
    return estimate(values)


@pytest.mark.parametrize(("dimension", "eta"), [(2, 0.2), (2, 0.4), (2, 0.5), (2, 0.6), (3, 0.2), (3, 0.4)])
def test_pressure_of_the_fluid(dimension, eta):
    """Against ten virial coefficients (Clisby and McCoy 2006), corrected for N; see `theory`."""
    count = 500
    found = compressibility(dimension, count, eta, 400_000, seed=21)
    expected = theory.compressibility(eta, dimension) + theory.finite_size(eta, dimension, count)
    assert found.settled
    assert found.mean == pytest.approx(expected, abs=4.0 * found.error + theory.uncertainty(eta, dimension))
    assert found.error < 2.5e-3 * expected


@pytest.mark.parametrize(
    ("count", "eta", "pressure", "own"), [(72, 0.65, 6.901074, 7.1e-5), (224, 0.67, 7.979479, 5.8e-5)]
)
def test_dense_disks_against_published_pressures(count, eta, pressure, own):
    """β p (2R)² of so few disks in a square periodic box: B. Li and others, J. Chem. Phys. 157 (2022) 234111.

    From event-chain Monte Carlo, the authors' table (repository jellyfysh/HistoricDisks, ThisWork.csv); Z is that times
    π/(4 η). So near to freezing the virial series is too high by far more than the error here.
    """
    found = compressibility(2, count, eta, 1_500_000, seed=22)
    factor = math.pi / (4.0 * eta)
    assert found.mean == pytest.approx(pressure * factor, abs=4.0 * found.error + own * factor)
    assert found.error < 2e-3 * found.mean
    series = theory.compressibility(eta, 2) + theory.finite_size(eta, 2, count)
    assert abs(series - pressure * factor) > 4.0 * found.error


def test_collisions_and_contact_value_tell_the_same():
    """Z = 1 + 2^(d-1) η g(σ), with g(σ) extrapolated from distances alone."""
    count, eta = 800, 0.4
    sim = Simulation(library.load("gas", count=count, packing_fraction=eta, seed=23))
    sim.run(collisions=60 * count)
    pressure, radial = observable("compressibility"), observable("radial_distribution")
    pressure.begin(sim)
    radial.begin(sim)
    z, g = [], []
    for _ in range(160):
        pressure.collide(sim.collide(collisions=1000))
        z.append(pressure.sample(sim))
        g.append(radial.sample(sim))
    from carom.observe.measures.structure import contact_value  # noqa: PLC0415  # next to its use

    diameter = 2.0 * sim.radii[0]
    parts = [sum(g[k::8]) / len(g[k::8]) for k in range(8)]
    values = estimate([contact_value(radial.columns(), part, diameter) for part in parts])
    found = estimate(z)
    expected = theory.contact_value(found.mean, eta, 2) * count / (count - 1.0)
    own = theory.contact_value(1.0 + found.error, eta, 2)
    assert values.mean == pytest.approx(expected, abs=4.0 * math.hypot(values.error, own) + 0.005 * expected)
