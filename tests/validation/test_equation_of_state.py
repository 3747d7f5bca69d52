"""Long runs: the equation of state of hard disks and hard balls, within error bars of published values.

Deviations are in standard errors: those of the measurement by blocking (Flyvbjerg and Petersen 1989), with the
uncertainty of the reference. Ten figures, each within 3.5: a false alarm in two hundred seeds, and the seeds are fixed.
"""

import math
import sys
from time import perf_counter

import pytest

from carom import Simulation, library
from carom.observe.blocks import estimate
from carom.observe.measures import theory
from carom.observe.observable import observable

pytestmark = [pytest.mark.slow, pytest.mark.requirement("T-08", "T-19", "M-15")]

COLLISIONS = 30_000_000
SAMPLES = 2048
WITHIN = 3.5


def compressibility(dimension, count, eta, seed):
    """Z of a periodic gas after long equilibration, sampled at fixed times."""
    options = {"count": count, "packing_fraction": eta, "dimension": dimension, "seed": seed}
    sim = Simulation(library.load("gas", **options))
    sim.run(collisions=500 * count)
    begin, met = sim.time, sim.collisions
    sim.run(collisions=100 * count)
    interval = (sim.time - begin) / (sim.collisions - met) * COLLISIONS / SAMPLES
    each = observable("compressibility")
    each.begin(sim)
    values = []
    for _ in range(SAMPLES):
        each.collide(sim.collide(until=sim.time + interval))
        values.append(each.sample(sim))
    return estimate(values)


def compared(capsys, dimension, count, eta, expected, own, seed):
    """Measure, tell, and require that it agrees."""
    began = perf_counter()
    found = compressibility(dimension, count, eta, seed)
    deviation = (found.mean - expected) / math.hypot(found.error, own)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{dimension}D N={count} eta={eta}: Z = {found.mean:.5f} ± {found.error:.5f}, expected {expected:.5f} ± "
            f"{own:.5f}, {deviation:+.2f} standard errors, {perf_counter() - began:.0f} s\n"
        )
    assert found.settled
    assert abs(deviation) < WITHIN
    assert found.error < 4e-4 * expected


@pytest.mark.parametrize("eta", [0.2, 0.4, 0.5, 0.6])
def test_hard_disks(eta, capsys):
    """Against ten virial coefficients (N. Clisby and B. M. McCoy, J. Stat. Phys. 122 (2006) 15), corrected for N."""
    count = 1024
    expected = theory.compressibility(eta, 2) + theory.finite_size(eta, 2, count)
    compared(capsys, 2, count, eta, expected, theory.uncertainty(eta, 2), 71)


@pytest.mark.parametrize(
    ("count", "eta", "pressure", "own"),
    [(72, 0.65, 6.901074, 7.1e-5), (224, 0.67, 7.979479, 5.8e-5), (870, 0.67, 7.986779, 2.5e-5)],
)
def test_dense_hard_disks(count, eta, pressure, own, capsys):
    """Against β p (2R)² of as many disks in a square periodic box: B. Li and others, J. Chem. Phys. 157 (2022)."""
    factor = math.pi / (4.0 * eta)
    compared(capsys, 2, count, eta, pressure * factor, own * factor, 72)


@pytest.mark.parametrize("eta", [0.2, 0.3, 0.4, 0.45])
def test_hard_balls(eta, capsys):
    """Against the equation of state fitted to simulations, good to 4e-5 (Kolafa and others 2004), for N balls."""
    count = 1000
    published = theory.fitted_balls(eta)
    expected = published + theory.finite_size(eta, 3, count)
    compared(capsys, 3, count, eta, expected, 4e-5 * published, 73)
