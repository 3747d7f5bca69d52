"""The largest Lyapunov exponent of a Lorentz gas, against kinetic theory."""

import math

import numpy as np
import pytest

from carom import Ball, Balls, Box, Scene, Simulation
from carom.observe.blocks import estimate
from carom.observe.observable import observable

pytestmark = pytest.mark.requirement("T-08", "T-19")


def scatterers(count, radius, seed):
    """Discs at random in the unit square, none near the point at (0.5, 0.5), none on another."""
    rng = np.random.default_rng(seed)
    placed = [np.array([0.5, 0.5])]
    while len(placed) <= count:
        place = rng.uniform(0.0, 1.0, 2)
        apart = np.array(placed) - place
        apart -= np.round(apart)
        if (np.hypot(*apart.T) > 2.0 * radius).all():
            placed.append(place)
    return np.array(placed[1:])


def test_dilute_lorentz_gas():
    """λ = ν (ln(v/(a ν)) + 1 - C) with ν = 2 n a v and Euler's constant C.

    A point among fixed discs of radius a. Between collisions a difference in direction grows to 2 v τ/(a cos φ) times
    itself; the mean logarithm, with free times e^(-ντ) and cos φ dφ, gives the formula (H. van Beijeren, A. Latz and
    J. R. Dorfman, arXiv:chao-dyn/9711008). The next terms are of relative order ñ = n a² (H. V. Kruis, D. Panja and
    H. van Beijeren, arXiv:nlin/0507017).
    """
    count, reduced = 1000, 0.001
    a = math.sqrt(reduced / count)
    discs = Balls(position=scatterers(count, a, 51), radius=a, fixed=True)
    point = Ball(position=(0.5, 0.5), velocity=(math.cos(0.7), math.sin(0.7)))
    sim = Simulation(Scene(boundary=Box(size=(1, 1), periodic=True), balls=[discs, point]))
    each = observable("lyapunov")
    each.begin(sim)
    rate = 2.0 * count * a / (1.0 - math.pi * reduced)  # discs take up room
    values = []
    for _ in range(260):
        each.collide(sim.collide(until=sim.time + 500.0 / rate))
        values.append(each.sample(sim))
    found = estimate(values[4:])
    law = rate * (math.log(1.0 / (a * rate)) + 1.0 - 0.5772156649)
    assert found.mean == pytest.approx(law, abs=4.0 * found.error + 10.0 * reduced * law)
    assert found.error < 0.005 * law


def test_the_exponent_of_a_gas_does_not_depend_on_how_it_is_followed():
    """Another first direction, and other intervals: the same exponent, within its errors."""
    from carom import library  # noqa: PLC0415  # next to its use
    from carom.observe.measures import lyapunov  # noqa: PLC0415  # its seed is changed

    found = []
    for seed, interval in ((1996, 0.02), (7, 0.05)):
        sim = Simulation(library.load("gas", count=64, packing_fraction=0.2, seed=52))
        sim.run(collisions=2000)
        each = lyapunov.LyapunovExponent()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lyapunov, "SEED", seed)
            each.begin(sim)
        values = []
        for _ in range(round(20.0 / interval)):
            each.collide(sim.collide(until=sim.time + interval))
            values.append(each.sample(sim))
        found.append(estimate(values[len(values) // 10 :]))
    one, other = found
    # The same run: once both differences have turned, they grow alike; the rest is what is left out at the start.
    assert one.mean == pytest.approx(other.mean, rel=2e-3)
    assert one.mean > 20.0 * one.error
